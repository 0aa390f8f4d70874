"""Which queue depth is in force where I/Os wait, why, and whether other VMs brought it down ("competing worlds")."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from gavel.analysis.depth import DepthInputs, DepthRule, effective_depth, halved
from gavel.db.engine import Connection
from gavel.db.queries.depths import (
    DepthMinute,
    DeviceQueueSettings,
    VmMinute,
    depth_minutes,
    queue_settings,
    vm_minutes,
)
from gavel.db.queries.ledger_pieces import MINUTE
from gavel.db.queries.refs import EntityRef
from gavel.diagnosis.evidence import EvidenceNumber, capitalized
from gavel.diagnosis.sentences import Statement, StatementKind, clock
from gavel.domain.source import Stream
from gavel.domain.streams import column_of

# How long before the window a fall of the depth is looked for.
_REACH = timedelta(hours=2)
# Minutes beside a fall that say who did I/O before and after it.
_BESIDE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """The depth fell to half or less at `at`. newcomers: VMs that began to do I/O there then."""

    before: float
    at: datetime
    newcomers: tuple[EntityRef, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueInForce:
    """A device's queue on a host: its depth while I/Os waited in the window, and what explains it.

    carried: the datastore or volume on it. vms: that did I/O there in most of those minutes; None: not measured. predicted: what
    the settings give; None: not known.
    """

    device: EntityRef
    carried: str | None
    settings: DeviceQueueSettings
    depth: float | None
    rule: DepthRule
    predicted: float | None
    vms: tuple[EntityRef, ...] | None
    fall: Fall | None
    to_at: datetime


def queue_in_force(connection: Connection, device: EntityRef, from_at: datetime, to_at: datetime) -> QueueInForce:
    """Of one device over [from_at, to_at)."""
    settings = queue_settings(connection, device.id, from_at, to_at)
    minutes = depth_minutes(connection, device.id, from_at - _REACH, to_at)
    depth, told = _most_of(minutes, from_at)
    dropped = _dropped(minutes, depth) if settings.is_measured else None
    ranges = [(from_at, to_at), *([] if dropped is None else [_around(dropped[1])])]
    vms = _by_minute(vm_minutes(connection, device.id, settings.disks, ranges))
    present = _active(vms, told)
    found = effective_depth(_inputs(settings, depth, present))
    predicted = float(found.predicted[0])
    return QueueInForce(
        device=device,
        carried=settings.carried,
        settings=settings,
        depth=None if np.isnan(found.depth[0]) else float(found.depth[0]),
        rule=DepthRule(int(found.rule[0])),
        predicted=None if np.isnan(predicted) else predicted,
        vms=present,
        fall=None if dropped is None else _fall(vms, *dropped),
        to_at=to_at,
    )


def _by_minute(rows: Sequence[VmMinute]) -> Mapping[datetime, frozenset[EntityRef]]:
    """Who did I/O in each minute in which anybody was measured."""
    found: dict[datetime, set[EntityRef]] = {}
    for row in rows:
        found.setdefault(row.at, set()).update([row.vm] if row.ops > 0 else [])
    return {at: frozenset(vms) for at, vms in found.items()}


def _most_of(minutes: Sequence[DepthMinute], from_at: datetime) -> tuple[float | None, list[datetime]]:
    """The depth under which most of the kernel's time was spent, and these minutes; where none was measured, that of most minutes with
    I/O, the smaller of two."""
    inside = [one for one in minutes if one.at >= from_at and one.ops > 0]
    is_timed = any(one.kernel_time > 0 for one in inside)
    spent: dict[float, float] = {}
    for one in inside:
        if one.depth is not None:
            spent[one.depth] = spent.get(one.depth, 0.0) + (one.kernel_time if is_timed else 1.0)
    if not spent:
        return None, [one.at for one in inside]
    depth = min(spent, key=lambda depth: (-spent[depth], depth))
    return depth, [one.at for one in inside if one.depth == depth]


def _active(vms: Mapping[datetime, frozenset[EntityRef]], at: Sequence[datetime]) -> tuple[EntityRef, ...] | None:
    """VMs that did I/O in at least half of these minutes; None where none was measured."""
    seen = [vms[minute] for minute in at if minute in vms]
    if not seen:
        return None
    counts = Counter(vm for present in seen for vm in present)
    return tuple(sorted((vm for vm, n in counts.items() if 2 * n >= len(seen)), key=lambda vm: (vm.name, vm.id)))


def _inputs(settings: DeviceQueueSettings, depth: float | None, vms: tuple[EntityRef, ...] | None) -> DepthInputs:
    def single(number: float | None) -> np.ndarray:
        return np.array([np.nan if number is None else number], dtype=np.float64)

    return DepthInputs(
        measured=single(depth if settings.is_measured else None),
        configured=single(settings.configured),
        dsnro=single(settings.dsnro),
        active_vms=single(None if vms is None else len(vms)),
        is_nvme=np.array([settings.is_nvme]),
    )


def _around(fall_at: datetime) -> tuple[datetime, datetime]:
    """The minutes that say who did I/O before and after a fall."""
    return fall_at - (_BESIDE + 1) * MINUTE, fall_at + _BESIDE * MINUTE


def _fall(vms: Mapping[datetime, frozenset[EntityRef]], before: float, at: datetime) -> Fall:
    """Of the depth that was in force before `at`."""
    since, until = _around(at)
    # In the minute of the fall itself, the largest depth may still be the old one while the newcomer is there already.
    gap = at - MINUTE
    earlier, after = (
        _active(vms, some) for some in ([m for m in vms if since <= m < gap], [m for m in vms if at <= m < until])
    )
    newcomers = () if after is None or earlier is None else tuple(vm for vm in after if vm not in earlier)
    return Fall(before=before, at=at, newcomers=newcomers)


def _dropped(minutes: Sequence[DepthMinute], depth: float | None) -> tuple[float, datetime] | None:
    """What was in force before, and since when it is not, where the run of minutes with this depth began with a fall to half or less."""
    read = [(one.at, one.depth) for one in minutes if one.depth is not None]
    last = next((n for n in range(len(read) - 1, -1, -1) if read[n][1] == depth), None)
    if last is None or depth is None:
        return None
    first = last
    while first > 0 and read[first - 1][1] <= depth:
        first -= 1
    before = read[first - 1][1] if first > 0 else depth
    return (before, read[first][0]) if halved(np.array([before]), np.array([depth]))[0] else None


# --- as evidence ------------------------------------------------------------------------------------------------------

_DEPTH = column_of(Stream.HOST_DEVICE, "queue_depth")
_CONFIGURED = "scsiLun.queueDepth; esxcli storage core device list: Device Max Queue Depth"
_DSNRO = "esxcli storage core device list: No of outstanding IOs with competing worlds"


def depth_evidence(queue: QueueInForce) -> Iterator[EvidenceNumber]:
    """The evidence of the explanation; values that were not read are left out."""
    settings = queue.settings
    measured = queue.depth if settings.is_measured else None
    vms = None if queue.vms is None else float(len(queue.vms))
    for name, words, counter, value, at in (
        (_DEPTH.name, capitalized(_DEPTH.label), _DEPTH.counters[0].name, measured, queue.to_at),
        ("device_depth", "Device queue depth (configured)", _CONFIGURED, settings.configured, settings.read_at),
        ("dsnro", "DSNRO", _DSNRO, settings.dsnro, settings.read_at),
        ("active_vms", "VMs with I/O", "virtualDisk.numberReadAveraged, numberWriteAveraged above 0", vms, queue.to_at),
    ):
        if value is not None and at is not None:
            yield EvidenceNumber(
                side="host",
                subject=queue.device,
                name=name,
                label=words,
                direction=None,
                counter=counter,
                value=float(value),
                unit="count" if name == "active_vms" else "I/Os",
                precision=1.0,
                sources=(settings.vcenter, settings.host),
                at=at,
            )


_MOST_NAMES = 3


def queue_words(queue: QueueInForce) -> Iterator[Statement]:
    """Which depth is in force and why, then what brought it down. Nothing of NFS, which has no device queue."""
    if queue.settings.is_nfs:
        return
    device = (
        queue.device.name if queue.carried in (None, queue.device.name) else f"{queue.carried} ({queue.device.name})"
    )
    where = f"{device} on {queue.settings.host.name}"
    if queue.depth is None:
        yield Statement(StatementKind.QUEUE_DEPTH, f"Device queue of {where}: depth not measured")
        return
    yield Statement(StatementKind.QUEUE_DEPTH, f"Device queue of {where}: {_depth(queue)}")
    if queue.fall is not None:
        yield Statement(StatementKind.COMPETING_WORLDS, _fallen(queue.fall, queue.depth, queue.to_at))


def _depth(queue: QueueInForce) -> str:
    if queue.rule is DepthRule.CONFIGURED:
        return f"depth {queue.depth:.0f} as configured, DQLEN not measured"
    return f"DQLEN {queue.depth:.0f}, {_why(queue)}"


def _why(queue: QueueInForce) -> str:
    vms = queue.vms or ()
    match queue.rule:
        case DepthRule.NVME:
            return "NVMe: queue size × queues, DSNRO does not apply"
        case DepthRule.COMPETING_VMS:
            return _shared(queue, vms)
        case DepthRule.LESS:
            return _lowered(queue, vms)
        case DepthRule.MORE:
            return f"more than the {queue.predicted:.0f} expected from its settings with {_names(vms)}"
        case DepthRule.ONE_VM:
            return f"its own depth, as only {_names(vms)} issues I/O"
        case _:
            return f"cause unknown: {' and '.join(_unknown(queue))}"


def _shared(queue: QueueInForce, vms: Sequence[EntityRef]) -> str:
    dsnro, own = queue.settings.dsnro, queue.settings.configured
    if queue.depth == own:
        return f"its own depth: DSNRO {dsnro} is not below it ({_names(vms)} issue I/O)"
    return f"limited by DSNRO {dsnro} (device queue depth {own}), as {_names(vms)} issue I/O"


def _lowered(queue: QueueInForce, vms: Sequence[EntityRef]) -> str:
    expected = f"{queue.predicted:.0f} expected from its settings with {_names(vms)}"
    if queue.depth == queue.settings.dsnro:
        return f"limited by DSNRO as if several VMs issued I/O; {expected}"
    return (
        f"less than the {expected}; possibly lowered by Storage I/O Control or adaptive queue depth, which are not read"
    )


def _unknown(queue: QueueInForce) -> Iterator[str]:
    if queue.settings.configured is None:
        yield "device queue depth not read"
    if queue.vms is None:
        yield "VMs with I/O not measured"
    elif queue.settings.dsnro is None:
        yield "DSNRO not read (esxcli)"


def _names(vms: Sequence[EntityRef]) -> str:
    if not vms:
        return "no VM"
    names = [vm.name for vm in vms[:_MOST_NAMES]]
    more = f" and {len(vms) - _MOST_NAMES} more" if len(vms) > _MOST_NAMES else ""
    count = f"{len(vms)} VMs (" if len(vms) > 1 else "one VM ("
    return f"{count}{', '.join(names)}{more})"


def _fallen(fall: Fall, depth: float, to_at: datetime) -> str:
    fell = f"DQLEN fell from {fall.before:.0f} to {depth:.0f} at {clock(fall.at, to_at)}"
    if not fall.newcomers:
        return f"{fell}; no VM started I/O then"
    began = " and ".join(vm.name for vm in fall.newcomers[:_MOST_NAMES])
    return f"Competing worlds: {fell}, when {began} started I/O"
