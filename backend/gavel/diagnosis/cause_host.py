"""Causes above the SAN: IOPS limits and queues of virtual disks, and snapshot chains, beside those of modules of their own. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.db.queries.causes import DiskLoad
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
from gavel.diagnosis.cause_queues import device_queue_candidates
from gavel.diagnosis.cause_tasks import task_candidates
from gavel.diagnosis.cause_words import count, counted, disk_object
from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import (
    COST_UNIT_BYTES,
    LIMIT_USED,
    is_chain_long,
    is_virtual_disk_queue_binding,
)
from gavel.findings.minutes import (
    PartMinutes,
    iops_limit_binds,
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
        yield from device_queue_candidates(inputs)
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
