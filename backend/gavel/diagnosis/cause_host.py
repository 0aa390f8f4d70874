"""Causes above the SAN: IOPS limits and queues of virtual disks, snapshot chains, and device queues of hosts. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.db.queries.causes import DeviceLoad, DiskLoad, QueueIssuer
from gavel.diagnosis.cause import (
    Candidate,
    CauseEvidence,
    CauseKind,
    CauseLimit,
    CauseObject,
    TwinTest,
)
from gavel.diagnosis.cause_cpu import cpu_candidates
from gavel.diagnosis.cause_filters import filter_candidates
from gavel.diagnosis.cause_inputs import CauseInputs, twin_test
from gavel.diagnosis.cause_tasks import task_candidates
from gavel.diagnosis.cause_words import count, counted, device_object, disk_object, percent
from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import (
    COST_UNIT_BYTES,
    LIMIT_USED,
    MAIN_SHARE,
    is_chain_long,
    is_dsnro_in_force,
    is_virtual_disk_queue_binding,
)
from gavel.findings.minutes import (
    PartMinutes,
    device_queue_binds,
    device_queue_seems_full,
    iops_limit_binds,
    lasts,
    mean,
)

_HYPERVISOR_TIME = "hypervisor time"
_VSPHERE_LIMIT = "vSphere: VM settings, hard disk, Limit - IOPs"


def host_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """Of the layers guest and kernel."""
    if Layer.GUEST in inputs.layers:
        yield from _disk_queues(inputs)
    if Layer.KERNEL in inputs.layers:
        yield from _iops_limits(inputs)
        yield from task_candidates(inputs)
        yield from _chains(inputs)
        yield from filter_candidates(inputs)
        yield from _device_queues(inputs)
        yield from cpu_candidates(inputs)


def _weight(load: DiskLoad, time: float) -> float:
    """Of the object's time in guest and kernel."""
    return min(time / load.upper_whole, 1.0) if load.upper_whole > 0 else 0.0


# --- virtual disks ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _LimitedDisk:
    load: DiskLoad
    limit: int
    minutes: PartMinutes
    twin: TwinTest


def _iops_limits(inputs: CauseInputs) -> Iterator[Candidate]:
    """All disks whose limit binds together: several VMs at theirs are one cause."""
    limited = [_limited(inputs, load, load.iops_limit) for load in inputs.disks if load.iops_limit]
    binding = [one for one in limited if one.twin.is_passed]
    if binding:
        yield _limit_candidate(sorted(binding, key=lambda item: -item.load.hypervisor_time), binds=True)
    elif limited:
        nearest = max(limited, key=lambda item: (item.twin.binding_minutes, item.load.hypervisor_time))
        if nearest.twin.binding_minutes:
            yield _limit_candidate([nearest], binds=False)


def _limited(inputs: CauseInputs, load: DiskLoad, limit: int) -> _LimitedDisk:
    elevated, normal = (of(ScopeKind.VM_DISK, load.disk.id) for of in (inputs.elevated, inputs.normal))
    twin = twin_test(iops_limit_binds(elevated, limit), iops_limit_binds(normal, limit), ~np.isnan(normal.iops))
    return _LimitedDisk(load, limit, elevated, twin)


def _limit_candidate(disks: Sequence[_LimitedDisk], *, binds: bool) -> Candidate:
    """disks: the one with most wait first."""
    first = disks[0]
    who, iops = disk_object(first.load), mean(first.minutes.iops) or 0.0
    normalized = mean(first.minutes.normalized_iops) or 0.0
    is_raw = iops >= LIMIT_USED * first.limit
    weight = _weight(first.load, sum(one.load.hypervisor_time for one in disks))
    wait = mean(first.minutes.per_io("hypervisor_time")) or 0.0
    used = f"{count(iops)} of {count(first.limit)} IOPS"
    if not is_raw:
        used = f"{count(iops)} IOPS count as ≈ {count(normalized)} I/Os of {COST_UNIT_BYTES // 1024} KiB, limit {count(first.limit)}"
    more = "" if len(disks) == 1 else f" and {counted(len(disks) - 1, 'more virtual disk')} at theirs"
    return Candidate(
        kind=CauseKind.IOPS_LIMIT,
        object=who,
        object_count=len(disks),
        on=None if first.load.host is None else CauseObject(first.load.host.name, (first.load.host,)),
        weight=weight,
        share=weight,
        share_of="guest and kernel time",
        iops=iops,
        limit=CauseLimit(
            name="IOPS limit",
            value=first.limit,
            used=iops if is_raw else normalized,
            unit="IOPS",
            is_derived=not is_raw,
            set_where=_VSPHERE_LIMIT,
        ),
        twin=first.twin,
        binds=binds,
        is_new=first.twin.is_new,
        # That large I/Os count several times is documented; its effect is not proven on every version.
        is_counted=is_raw,
        evidence=(
            CauseEvidence(label="IOPS", value=iops, unit="IOPS"),
            CauseEvidence(label="IOPS limit", value=first.limit, unit="IOPS"),
            CauseEvidence(label="Hypervisor", value=wait, unit="µs"),
        ),
        headline=f"{who.name} at its IOPS limit of {count(first.limit)}{more}",
        text=f"{who.name} is at its IOPS limit ({used}){more}",
        needs="limit in use in 60 % of the elevated minutes and not in the normal ones before",
    )


def _disk_queues(inputs: CauseInputs) -> Iterator[Candidate]:
    """Of what the guest's own counters saw; without them the layer is not measured."""
    for load in inputs.disks:
        limit = QUEUE_LIMITS.get(load.controller_type)
        if limit is None:
            continue
        elevated, normal = (of(ScopeKind.VM_DISK, load.disk.id) for of in (inputs.elevated, inputs.normal))
        checks = [
            is_virtual_disk_queue_binding(part.outstanding, limit, part.per_io("guest_time"))
            for part in (elevated, normal)
        ]
        twin = twin_test(checks[0], checks[1], ~np.isnan(normal.outstanding))
        if twin.is_passed:
            yield _disk_queue(load, limit, elevated, twin)


def _disk_queue(load: DiskLoad, limit: int, minutes: PartMinutes, twin: TwinTest) -> Candidate:
    who, outstanding = disk_object(load), mean(minutes.outstanding) or 0.0
    time = float(np.nansum(minutes.total("guest_time")))
    # What does not get into the virtual disk's queue waits above it.
    in_guest = outstanding + (mean(minutes.ios("guest_time")) or 0.0)
    return Candidate(
        kind=CauseKind.VIRTUAL_DISK_QUEUE_FULL,
        object=who,
        weight=_weight(load, time),
        share=_weight(load, time),
        share_of="guest and kernel time",
        iops=mean(minutes.iops),
        limit=CauseLimit(name="virtual disk queue", value=limit, used=outstanding, unit="I/Os"),
        twin=twin,
        binds=True,
        is_new=twin.is_new,
        is_counted=True,
        evidence=(
            CauseEvidence(label="Outstanding I/O (OIO)", value=outstanding, unit="I/Os"),
            CauseEvidence(label="Outstanding in guest", value=in_guest, unit="I/Os", is_derived=True),
        ),
        headline=f"Virtual disk queue of {who.name} full",
        text=(
            f"the guest has ≈ {count(in_guest)} I/Os outstanding, and the virtual disk queue of {who.name} is full "
            f"(OIO {count(outstanding)} of {limit}, {load.controller_type})"
        ),
        needs="guest latency counters",
    )


def _chains(inputs: CauseInputs) -> Iterator[Candidate]:
    """A chain may explain hypervisor time; nothing counts how much of it."""
    for load in inputs.disks:
        elevated, normal = (of(ScopeKind.VM_DISK, load.disk.id) for of in (inputs.elevated, inputs.normal))
        checks = [is_chain_long(load.snapshot_depth, part.per_io("hypervisor_time")) for part in (elevated, normal)]
        twin = twin_test(checks[0], checks[1], ~np.isnan(normal.iops))
        is_limited = load.iops_limit and _limited(inputs, load, load.iops_limit).twin.binding_minutes
        if not twin.binding_minutes or is_limited:
            continue
        who, weight = disk_object(load), _weight(load, load.hypervisor_time)
        depth = counted(load.snapshot_depth, "snapshot")
        yield Candidate(
            kind=CauseKind.SNAPSHOT_CHAIN,
            object=who,
            weight=weight,
            share=weight,
            share_of="guest and kernel time",
            iops=mean(elevated.iops),
            twin=twin,
            binds=twin.is_passed,
            is_new=twin.is_new,
            is_counted=False,
            evidence=(
                CauseEvidence(label="Snapshots", value=load.snapshot_depth, unit="count"),
                CauseEvidence(label="Hypervisor", value=mean(elevated.per_io("hypervisor_time")) or 0.0, unit="µs"),
            ),
            headline=f"{depth} on {who.name}",
            text=f"{who.name} runs on {depth}",
            needs="latency after a consolidation",
        )


# --- device queues of hosts ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Queue:
    load: DeviceLoad
    minutes: PartMinutes
    twin: TwinTest
    issuers: Sequence[QueueIssuer]

    @property
    def seems_full(self) -> bool:
        """By what its counters leave open: whole milliseconds give no lower bound of the queue time."""
        return lasts(device_queue_seems_full(self.minutes))

    @property
    def depth(self) -> float:
        """The one in most elevated minutes."""
        return self.minutes.usual_depth

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


def _device_queues(inputs: CauseInputs) -> Iterator[Candidate]:
    queues = [_queue(inputs, load) for load in inputs.devices]
    below = _below_hypervisor(inputs)
    binding = [one for one in queues if one.twin.is_passed]
    if binding:
        yield _queue_candidate(binding, below, binds=True)
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


def _queue_candidate(queues: Sequence[_Queue], below: float, *, binds: bool) -> Candidate:
    """queues: the one with most wait first."""
    first, load = queues[0], queues[0].load
    parts = sum(one.load.queue_time for one in queues) / load.queue_whole if load.queue_whole > 0 else 0.0
    kind = CauseKind.COMPETING_WORLDS if first.is_by_dsnro else CauseKind.DEVICE_QUEUE_FULL
    in_flight, queued = mean(first.minutes.ios("in_flight_time")) or 0.0, mean(first.minutes.ios("queue_time")) or 0.0
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
        weight=min(parts * below, 1.0),
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
        is_counted=True,
        evidence=tuple(_queue_evidence(first, in_flight, queued)),
        headline=f"{name} fills the queue of {where.name}" if name else f"Queue of {where.name} full{others}",
        text=f"{name} issues {percent(main[1])} of the I/O; {full}" if name and main else f"{full}{shared}",
        needs="microsecond counters of the queue time (vSphere 9, or an esxtop file of this host)",
    )


def _occupied(queue: _Queue, in_flight: float, queued: float) -> str:
    """ACTV and QUED come from IOPS × latency, hence the ≈. A queue holds no more than its depth."""
    depth = queue.depth
    by = f" by DSNRO as {counted(len(queue.active), 'VM')} issue I/O" if queue.is_by_dsnro else ""
    return f"ACTV ≈ {min(round(in_flight), round(depth))}, DQLEN {depth:.0f}{by}, QUED ≈ {queued:.0f}"


def _queue_evidence(queue: _Queue, in_flight: float, queued: float) -> Iterator[CauseEvidence]:
    minutes, load = queue.minutes, queue.load
    yield CauseEvidence(label="Active I/Os (ACTV)", value=in_flight, unit="I/Os", is_derived=True)
    yield CauseEvidence(label="Queued I/Os (QUED)", value=queued, unit="I/Os", is_derived=True)
    yield CauseEvidence(label="Effective queue depth (DQLEN)", value=queue.depth, unit="I/Os")
    queue_us, lower = mean(minutes.per_io("queue_time")), mean(minutes.queue_lower_us)
    if queue_us is not None:
        yield CauseEvidence(label="Kernel queue (QAVG)", value=queue_us, unit="µs", lower=lower)
    if load.configured is not None:
        yield CauseEvidence(label="Device queue depth", value=load.configured, unit="I/Os")
    if load.dsnro is not None:
        yield CauseEvidence(label="DSNRO", value=load.dsnro, unit="I/Os")
    yield CauseEvidence(label="VMs with I/O in the queue", value=len(queue.active), unit="count")
