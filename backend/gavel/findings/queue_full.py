"""What the rules of full device queues share: which limit is in force, who fills the queue, numbers and advice."""

from collections.abc import Iterator
from dataclasses import dataclass

from gavel.findings.binding import (
    COMPETING_VMS,
    DEVICE_QUEUE_USED,
    LEAST_QUEUE_US,
    MAIN_SHARE,
    is_dsnro_in_force,
)
from gavel.findings.evidence import FullQueue, QueueShare
from gavel.findings.measures import LASTING, mean_over, setting, severity_of_wait
from gavel.findings.minutes import device_queue_binds, lasts, mean
from gavel.findings.model import (
    Advice,
    AdviceKind,
    AdviceTrial,
    EvidenceRow,
    EvidenceTable,
    FindingEvidence,
    FindingReference,
    ObjectRef,
)
from gavel.findings.texts import counted, milliseconds, number, percent

FULL = (
    f"{LASTING} the I/Os in flight of a host at a device reach {DEVICE_QUEUE_USED * 100:.0f} % of the effective depth (DQLEN) while the "
    f"lower bound of the kernel queue time (QAVG) is above {LEAST_QUEUE_US / 1000:g} ms"
)
BLIND_SPOTS = (
    "Without microsecond counters or an esxtop file the lower bound of QAVG is often 0: then nothing is raised",
    "Queues that are full for seconds only: a minute's mean hides them",
    "The adapter's own queue: a finding of its own, where its host serves counters of it",
)
KB_DSNRO = FindingReference(
    "Broadcom KB 323119: Changing the queue depth for QLogic, Emulex and Brocade HBAs",
    "https://knowledge.broadcom.com/external/article/323119",
)


@dataclass(frozen=True, slots=True)
class QueueState:
    """Means over the evidence's minutes: I/Os in flight and queued, µs per I/O. active: VMs with I/O in at least half of them.

    main: the VM with at least half of the I/O in the queue.
    """

    depth: float
    in_flight: float
    queued: float
    queue_us: float
    queue_lower_us: float
    array_us: float | None
    active: tuple[QueueShare, ...]
    main: QueueShare | None
    is_by_dsnro: bool

    @property
    def is_array_dominant(self) -> bool:
        """A deeper queue would then only move the wait into the array."""
        return self.array_us is not None and self.array_us >= self.queue_us


def queue_state(evidence: FullQueue) -> QueueState | None:
    """None where the queue was not full in enough minutes, or that was not measured."""
    minutes = evidence.minutes
    if not lasts(device_queue_binds(minutes)):
        return None
    half = len(minutes.iops) / 2
    active = tuple(one for one in evidence.issuers if one.minutes >= half)
    depth = minutes.usual_depth
    main = next((one for one in evidence.issuers if one.share >= MAIN_SHARE), None)
    return QueueState(
        depth=depth,
        in_flight=min(mean(minutes.ios("in_flight_time")) or 0.0, depth),
        queued=mean(minutes.ios("queue_time")) or 0.0,
        queue_us=mean(minutes.per_io("queue_time")) or 0.0,
        queue_lower_us=mean(minutes.queue_lower_us) or 0.0,
        array_us=mean(minutes.per_io("array_time")),
        active=active,
        main=main,
        is_by_dsnro=_is_by_dsnro(evidence, depth, len(active)),
    )


def _is_by_dsnro(evidence: FullQueue, depth: float, active: int) -> bool:
    """Not of NVMe, which has none, and not where it or the device's own depth was not read."""
    if evidence.is_nvme or evidence.dsnro is None or evidence.configured is None:
        return False
    return bool(is_dsnro_in_force(depth, evidence.dsnro, evidence.configured, active))


def queue_name(evidence: FullQueue) -> str:
    name = evidence.canonical_name if evidence.carried is None else evidence.carried.name
    return f"{name} on {evidence.host.name}"


def issuer_text(state: QueueState) -> str:
    if state.main is not None:
        return f"{state.main.vm.name} issues {percent(state.main.share)} of the I/O in it."
    if state.active:
        return f"{counted(len(state.active), 'VM')} share it, none with half of its I/O."
    return "Which VMs issue the I/O is not known."


def numbers(evidence: FullQueue, state: QueueState) -> tuple[FindingEvidence, ...]:
    latency = "IOPS × latency"
    return (
        mean_over(evidence, "Active I/Os (ACTV)", state.in_flight, "I/Os", latency, is_derived=True),
        mean_over(evidence, "Queued I/Os (QUED)", state.queued, "I/Os", latency, is_derived=True),
        mean_over(evidence, "Effective queue depth (DQLEN)", state.depth, "I/Os", "disk.maxQueueDepth"),
        mean_over(evidence, "Kernel queue (QAVG)", state.queue_us, "µs", "disk.queueLatency"),
        mean_over(
            evidence,
            "Kernel queue (QAVG), lower bound",
            state.queue_lower_us,
            "µs",
            "disk.queueLatency",
            is_derived=True,
        ),
        mean_over(evidence, "Array", state.array_us, "µs", "array's own latency of the volume"),
        setting(evidence, "Device queue depth", _cell(evidence.configured), "I/Os", "scsiLun.queueDepth"),
        setting(evidence, "DSNRO", _cell(evidence.dsnro), "I/Os", "No of outstanding IOs with competing worlds"),
    )


def _cell(value: int | None) -> float | None:
    return None if value is None else float(value)


def tables(evidence: FullQueue, state: QueueState) -> Iterator[EvidenceTable]:
    if state.active:
        rows = tuple(
            EvidenceRow(one.vm, (100 * one.share, float(one.minutes)), one is state.main) for one in state.active[:20]
        )
        yield EvidenceTable("VMs in the queue", (("Share of the I/O", "%"), ("Minutes with I/O", "min")), rows)
    columns = (("DQLEN configured", "I/Os"), ("DSNRO", "I/Os"), ("Driver", ""), ("Driver depth", "I/Os"))
    yield EvidenceTable(
        "Hosts that share the device",
        columns,
        tuple(
            EvidenceRow(
                one.host,
                (_cell(one.queue_depth), _cell(one.dsnro), one.module, _cell(one.module_depth)),
                one.host == evidence.host,
            )
            for one in evidence.hosts
        ),
    )


def affected(evidence: FullQueue, state: QueueState) -> tuple[ObjectRef, ...]:
    carried = () if evidence.carried is None else (evidence.carried,)
    return (*carried, evidence.host, *(one.vm for one in state.active))


def affected_text(state: QueueState) -> str:
    return f"{counted(len(state.active), 'VM')} wait in this queue" if state.active else ""


def first_advice(evidence: FullQueue, state: QueueState) -> Iterator[Advice]:
    """What comes before every queue setting."""
    if state.is_array_dominant:
        yield Advice(
            kind=AdviceKind.LEAVE,
            text="Leave the queue depths alone: the array takes longer than the wait in the queue",
            why=f"Array {milliseconds(state.array_us or 0.0)}, kernel queue {milliseconds(state.queue_us)} per I/O: a deeper queue only"
            " moves the wait into the array.",
        )
    elif severity_of_wait(state.queue_us).value == "normal":
        yield Advice(
            kind=AdviceKind.LEAVE,
            text=f"Leave it alone as long as {milliseconds(state.queue_us)} more per I/O is tolerable",
        )
    main = "VMs" if state.main is None else state.main.vm.name
    yield Advice(
        kind=AdviceKind.SPREAD,
        text=f"Spread the disks of {main} over more datastores, or move VMs to other hosts",
        why=f"Each device of each host has a queue of its own: this one holds {number(state.depth)} I/Os.",
        agree=("virtualization", "storage"),
        next_limit="the array port and the array's load: their I/O stays the same",
        trial=AdviceTrial(evidence.device, {"datastores": 2}),
    )
    if state.main is not None and len(state.active) >= COMPETING_VMS:
        yield Advice(
            kind=AdviceKind.LIMIT,
            text=f"Limit the IOPS of {state.main.vm.name}, if the other VMs of this queue matter more",
            why=f"It issues {percent(state.main.share)} of the I/O in the queue.",
            agree=("virtualization",),
        )
