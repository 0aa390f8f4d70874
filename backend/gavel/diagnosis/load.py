"""Everything that the diagnosis of one object over one window is made from, read in one go; what follows is pure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from gavel.analysis.version import RULES_VERSION
from gavel.db.engine import Connection
from gavel.db.queries.correlation import Recalculated, recalculated
from gavel.db.queries.imports import CoveringCapture, covering_captures
from gavel.db.queries.leaves import carried_name, disk_leaves
from gavel.db.queries.queues import DevicesBehind, devices_behind
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.scopes import array_names
from gavel.diagnosis.breakdown import MOST, main_segment
from gavel.diagnosis.cause_inputs import CauseInputs
from gavel.diagnosis.cause_load import CauseQuestion, layers_in, load_causes
from gavel.diagnosis.contributors import Stretched, load_leaves, stretched_of, top_host
from gavel.diagnosis.device_queues import DeviceQueues, device_queues, named_queue
from gavel.diagnosis.diagnose import MINUTE, DiagnosisState, covered, named_spans
from gavel.diagnosis.episode import episode_of, with_normal_before
from gavel.diagnosis.evidence import EvidenceNumbers, evidence
from gavel.diagnosis.queue_depth import QueueInForce, queue_in_force
from gavel.diagnosis.streaks import FINE, RecentMinutes, Streak, current_streak, minutes_of_window
from gavel.diagnosis.window import DiagnosisWindow, WindowSum, summed
from gavel.domain.io_path import SPANS, Layer, Segment


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowContext:
    """What a diagnosis says beside the sums of a window with minutes.

    queue: the device queue that the diagnosis has to speak of. owner: where the kernel is named, the host, or of a host the device, that
    most of its time passes through. location: where the named layer is, in words. cause: what it is decided from; None without a named
    layer, and where no minute was elevated.
    """

    recalculated: Recalculated
    streak: Streak
    queues: DeviceQueues
    queue: QueueInForce | None
    owner: EntityRef | None
    location: str | None
    cause: CauseInputs | None
    captures: tuple[CoveringCapture, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedWindow:
    """devices: those that the object's I/Os pass. context: None where the ledger has no minute of the window."""

    whole: WindowSum
    devices: DevicesBehind
    stretched: Stretched
    evidence: EvidenceNumbers
    context: WindowContext | None


def load(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime | None, to_at: datetime | None
) -> LoadedWindow:
    """Without a range: the last five minutes that have been attributed. Raises NotFoundError, and ValueError for an empty range."""
    whole = summed(connection, kind, thing_id, from_at, to_at)
    window, stretched = whole.window, stretched_of(connection, kind, thing_id)
    devices = devices_behind(connection, kind, thing_id)
    raw = evidence(connection, window.subject, window.from_at, window.to_at, whole.storage, is_stretched=any(stretched))
    context = None if whole.is_empty else _context(connection, whole, devices, stretched)
    return LoadedWindow(whole=whole, devices=devices, stretched=stretched, evidence=raw, context=context)


def _context(connection: Connection, whole: WindowSum, devices: DevicesBehind, stretched: Stretched) -> WindowContext:
    window, is_judged = whole.window, whole.state is DiagnosisState.JUDGED
    queues = device_queues(connection, devices, whole.series, whole.storage)
    device = named_queue(queues, whole.series, waits=_waits(whole)) if is_judged else None
    queue = None if device is None else queue_in_force(connection, device, window.from_at, window.to_at)
    first, last = _named(whole)
    owner = None
    streak, recent = current_streak(connection, whole) if is_judged else (Streak(None, None), None)
    cause = None if recent is None else _cause(connection, whole, recent)
    if first is last is Layer.KERNEL:
        owner = _owner(connection, whole, devices, stretched, cause)
    again = recalculated(connection, window.from_at, window.to_at, RULES_VERSION)
    return WindowContext(
        recalculated=again,
        streak=streak,
        queues=queues,
        queue=queue,
        owner=owner,
        location=_array(connection, whole) if first is last is Layer.ARRAY else _name(connection, owner, queue),
        cause=cause,
        captures=_captures(connection, devices, window) if again.may_be_captured else (),
    )


def _captures(connection: Connection, devices: DevicesBehind, window: DiagnosisWindow) -> tuple[CoveringCapture, ...]:
    return covering_captures(connection, [each.device.id for each in devices.queues], window.from_at, window.to_at)


def _owner(
    connection: Connection,
    whole: WindowSum,
    devices: DevicesBehind,
    stretched: Stretched,
    cause: CauseInputs | None,
) -> EntityRef | None:
    """What the cause is decided from says it; without that all leaves have to be read."""
    if cause is not None:
        return _top_device(cause) if whole.kind is RefKind.HOST else _top_host(cause)
    disks = disk_leaves(connection, whole.kind, whole.window.subject.id)
    leaves = load_leaves(connection, whole, disks, devices.leaves, stretched)
    return top_host(leaves, whole, Layer.KERNEL, MOST)


def _top_host(cause: CauseInputs) -> EntityRef | None:
    """The host with most of the kernel's time: at its devices, and in the hypervisor above them. A VM's I/O is all on its own."""
    is_vm = cause.kind is RefKind.VM
    time: dict[EntityRef, float] = defaultdict(float)
    for disk in cause.disks:
        if disk.host is not None:
            time[disk.host] += disk.upper_time if is_vm else disk.hypervisor_time
    devices = () if is_vm else cause.devices
    for host, kernel_time in {one.host: one.host_kernel_time for one in devices}.items():
        time[host] += kernel_time
    above = max((disk.upper_whole if is_vm else disk.hypervisor_whole for disk in cause.disks), default=0.0)
    below = max((device.kernel_whole for device in devices), default=0.0)
    return _main(time, above + below)


def _top_device(cause: CauseInputs) -> EntityRef | None:
    """Of a host."""
    above = max((disk.hypervisor_whole for disk in cause.disks), default=0.0)
    below = max((device.kernel_whole for device in cause.devices), default=0.0)
    return _main({one.device: one.kernel_time for one in cause.devices}, above + below)


def _main(time: Mapping[EntityRef, float], whole: float) -> EntityRef | None:
    first = max(time, key=lambda item: (time[item], -item.id), default=None)
    return first if first is not None and time[first] > MOST * whole else None


def _cause(connection: Connection, whole: WindowSum, recent: RecentMinutes) -> CauseInputs | None:
    window, spans = whole.window, named_spans(whole.diagnosed, 0)
    if not spans:
        return None
    is_long = window.to_at - window.from_at > FINE
    minutes, diagnosed = minutes_of_window(connection, whole) if is_long else recent.fine
    if minutes.step > MINUTE:  # retention has left no minutes of it
        return None
    span = (window.from_at, window.to_at)
    episode = episode_of(minutes, diagnosed, range(len(diagnosed)), span)
    if episode is None:
        return None
    if not episode.normal and recent.coarse is not None:
        steps, said = recent.coarse
        episode = with_normal_before(episode, steps, said, range(len(said)))
    ratio = float(covered(whole.diagnosed.notes, whole.diagnosed.rows)[0])
    question = CauseQuestion(window.subject, layers_in(spans), episode, ratio)
    return load_causes(connection, whole.kind, [question], whole.storage)[window.subject.id]


def _named(whole: WindowSum) -> tuple[Layer | None, Layer | None]:
    """The outermost and the innermost of the layers that are named as one."""
    named = whole.diagnosed.named(0)
    return (None, None) if named is None else SPANS[named]


def _waits(whole: WindowSum) -> bool:
    """Whether the kernel's queues may be at fault."""
    spans = named_spans(whole.diagnosed, 0)
    details = [main_segment(whole.series, span) for span in spans]
    above = any(detail is not None and detail[0] is Segment.HYPERVISOR for detail in details)
    return any(SPANS[span][0] <= Layer.KERNEL <= SPANS[span][1] for span in spans) and not above


def _array(connection: Connection, whole: WindowSum) -> str | None:
    """Where there is one only."""
    names = array_names(connection, whole.kind, whole.window.subject.id)
    return names[0] if len(names) == 1 else None


def _name(connection: Connection, owner: EntityRef | None, queue: QueueInForce | None) -> str | None:
    """Nobody knows a device by its number: what it carries comes first."""
    if owner is None or owner.kind is not RefKind.DEVICE:
        return None if owner is None else owner.name
    is_known = queue is not None and queue.device == owner
    carried = queue.carried if queue is not None and is_known else carried_name(connection, owner.id)
    return owner.name if carried is None else f"the device of {carried}"
