"""Device queues of hosts that are full: by the kernel's own queue time, or by what the virtual disks above a full queue wait. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gavel.db.queries.causes import DeviceLoad, QueueIssuer
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseLimit, CauseObject, TwinTest
from gavel.diagnosis.cause_inputs import CauseInputs, is_at_iops_limit, twin_test
from gavel.diagnosis.cause_words import counted, device_object, percent
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import MAIN_SHARE, is_dsnro_in_force
from gavel.findings.minutes import (
    PartMinutes,
    device_queue_binds,
    device_queue_holds_back,
    device_queue_seems_full,
    lasts,
    mean,
    sum_of_minutes,
)


@dataclass(frozen=True, slots=True)
class _Queue:
    """disks: the virtual disks of the host in elevated minutes, where the queue is full by what waits above it; None: by its own time."""

    load: DeviceLoad
    minutes: PartMinutes
    twin: TwinTest
    issuers: Sequence[QueueIssuer]
    disks: PartMinutes | None = None
    disks_share: float = 0.0

    @property
    def seems_full(self) -> bool:
        """By what its counters leave open: whole milliseconds give no lower bound of the queue time."""
        return lasts(device_queue_seems_full(self.minutes))

    @property
    def depth(self) -> float:
        """The one in most elevated minutes."""
        return self.minutes.usual_depth

    @property
    def waiting(self) -> float:
        """I/Os that wait for the queue, on average."""
        waits = self.minutes.ios("queue_time") if self.disks is None else self.disks.ios("kernel_time")
        return mean(waits) or 0.0

    @property
    def active(self) -> list[QueueIssuer]:
        """VMs with I/O in at least half of the minutes."""
        return [one for one in self.issuers if 2 * one.minutes >= self.load.minutes]

    @property
    def is_by_dsnro(self) -> bool:
        load = self.load
        if load.dsnro is None or load.configured is None or load.is_nvme:
            return False
        return bool(is_dsnro_in_force(self.depth, load.dsnro, load.configured, len(self.active)))

    @property
    def main(self) -> tuple[QueueIssuer, float] | None:
        """The VM with at least half of the I/O in the queue, and its share."""
        if not self.issuers or not self.load.ops > 0:
            return None
        first = max(self.issuers, key=lambda item: item.ops)
        share = min(first.ops / self.load.ops, 1.0)
        return (first, share) if share >= MAIN_SHARE else None


def device_queue_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    queues = [_queue(inputs, load) for load in inputs.devices]
    below = _below_hypervisor(inputs)
    binding = [one for one in queues if one.twin.is_passed]
    full = binding or sorted(_held_back(inputs, queues), key=lambda item: -item.waiting)
    if full:
        yield _queue_candidate(full, below, binds=True)
    elif queues:
        nearest = max(queues, key=lambda item: (item.twin.binding_minutes, item.seems_full, item.load.queue_time))
        if nearest.twin.binding_minutes or nearest.seems_full:
            yield _queue_candidate([nearest], below, binds=False)


def _below_hypervisor(inputs: CauseInputs) -> float:
    """Which part of the object's time in guest and kernel is below the hypervisor; all of it where no disk was measured."""
    if not inputs.disks or not inputs.disks[0].upper_whole > 0:
        return 1.0
    return max(0.0, 1.0 - inputs.disks[0].hypervisor_whole / inputs.disks[0].upper_whole)


def _queue(inputs: CauseInputs, load: DeviceLoad) -> _Queue:
    elevated, normal = (of(ScopeKind.HOST_DEVICE, load.device.id) for of in (inputs.elevated, inputs.normal))
    twin = twin_test(device_queue_binds(elevated), device_queue_binds(normal), ~np.isnan(normal.iops))
    return _Queue(load, elevated, twin, inputs.issuers.get(load.device.id, ()))


def _held_back(inputs: CauseInputs, queues: Sequence[_Queue]) -> Iterator[_Queue]:
    """Of these queues those that are full by the virtual disks of their host; disks at an IOPS limit wait for that."""
    for queue in queues:
        disks = [one for one in inputs.disks if one.host == queue.load.host and not is_at_iops_limit(inputs, one)]
        if not disks or not disks[0].upper_whole > 0:
            continue
        above, above_before = (
            sum_of_minutes([of(ScopeKind.VM_DISK, one.disk.id) for one in disks])
            for of in (inputs.elevated, inputs.normal)
        )
        normal = inputs.normal(ScopeKind.HOST_DEVICE, queue.load.device.id)
        twin = twin_test(
            device_queue_holds_back(queue.minutes, above),
            device_queue_holds_back(normal, above_before),
            ~np.isnan(normal.iops),
        )
        if twin.is_passed:
            share = sum(one.upper_time for one in disks) / disks[0].upper_whole
            yield replace(queue, twin=twin, disks=above, disks_share=share)


def _queue_candidate(queues: Sequence[_Queue], below: float, *, binds: bool) -> Candidate:
    """queues: the one with most wait first."""
    first, load = queues[0], queues[0].load
    kind = CauseKind.COMPETING_WORLDS if first.is_by_dsnro else CauseKind.DEVICE_QUEUE_FULL
    in_flight, queued = mean(first.minutes.ios("in_flight_time")) or 0.0, first.waiting
    main, where = first.main, device_object(load)
    others = "" if len(queues) == 1 else f" and on {counted(len(queues) - 1, 'more host')}"
    full = f"the queue of {where.name} is full ({_occupied(first, in_flight, queued)}){others}"
    shared = f", shared by {counted(len(first.active), 'VM')}" if len(first.active) > 1 and main is None else ""
    name = None if main is None else main[0].vm.name
    return Candidate(
        kind=kind,
        object=None if main is None else CauseObject(main[0].vm.name, (main[0].vm,)),
        object_count=len(queues),
        on=where,
        weight=_weight(queues, below),
        share=None if main is None else main[1],
        share_of=None if main is None else "I/O in the queue",
        iops=mean(first.minutes.iops) if main is None else main[0].ops / (60.0 * load.minutes),
        limit=CauseLimit(
            name="DSNRO" if first.is_by_dsnro else "DQLEN",
            value=first.depth,
            used=in_flight,
            unit="I/Os",
            is_derived=True,
            set_where="host: Disk.SchedNumReqOutstanding of the device"
            if first.is_by_dsnro
            else "host: queue depth of the HBA module",
        ),
        twin=first.twin,
        binds=binds,
        is_new=first.twin.is_new,
        is_counted=first.disks is None,
        evidence=tuple(_queue_evidence(first, in_flight, queued)),
        headline=f"{name} fills the queue of {where.name}" if name else f"Queue of {where.name} full{others}",
        text=f"{name} issues {percent(main[1])} of the I/O; {full}" if name and main else f"{full}{shared}",
        needs="microsecond counters of the queue time (vSphere 9, or an esxtop file of this host)",
    )


def _weight(queues: Sequence[_Queue], below: float) -> float:
    """Of the object's time in guest and kernel."""
    if queues[0].disks is not None:
        return min(sum(one.disks_share for one in queues), 1.0)
    load = queues[0].load
    parts = sum(one.load.queue_time for one in queues) / load.queue_whole if load.queue_whole > 0 else 0.0
    return min(parts * below, 1.0)


def _occupied(queue: _Queue, in_flight: float, queued: float) -> str:
    """ACTV and QUED come from IOPS × latency, hence the ≈. A queue holds no more than its depth."""
    depth = queue.depth
    by = f" by DSNRO as {counted(len(queue.active), 'VM')} issue I/O" if queue.is_by_dsnro else ""
    held = "QUED" if queue.disks is None else "I/Os in the kernel"
    return f"ACTV ≈ {min(round(in_flight), round(depth))}, DQLEN {depth:.0f}{by}, {held} ≈ {queued:.0f}"


def _queue_evidence(queue: _Queue, in_flight: float, queued: float) -> Iterator[CauseEvidence]:
    minutes, load = queue.minutes, queue.load
    yield CauseEvidence(label="Active I/Os (ACTV)", value=in_flight, unit="I/Os", is_derived=True)
    held = "Queued I/Os (QUED)" if queue.disks is None else "I/Os in the kernel"
    yield CauseEvidence(label=held, value=queued, unit="I/Os", is_derived=True)
    yield CauseEvidence(label="Effective queue depth (DQLEN)", value=queue.depth, unit="I/Os")
    if queue.disks is not None:
        kernel_us, lower = mean(queue.disks.per_io("kernel_time")), mean(queue.disks.per_io("kernel_lower"))
        if kernel_us is not None:
            yield CauseEvidence(label="Kernel (virtual disks)", value=kernel_us, unit="µs", lower=lower)
    elif (queue_us := mean(minutes.per_io("queue_time"))) is not None:
        yield CauseEvidence(label="Kernel queue (QAVG)", value=queue_us, unit="µs", lower=mean(minutes.queue_lower_us))
    if load.configured is not None:
        yield CauseEvidence(label="Device queue depth", value=load.configured, unit="I/Os")
    if load.dsnro is not None:
        yield CauseEvidence(label="DSNRO", value=load.dsnro, unit="I/Os")
    yield CauseEvidence(label="VMs with I/O in the queue", value=len(queue.active), unit="count")
