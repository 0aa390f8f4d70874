"""I/O filters as causes: disks with one wait in the hypervisor, and did not before. Pure."""

from collections.abc import Iterator, Sequence

import numpy as np

from gavel.db.queries.causes import DiskLoad
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseObject, TwinTest
from gavel.diagnosis.cause_inputs import CauseInputs, is_at_iops_limit, twin_test
from gavel.diagnosis.cause_words import counted, disk_object, names
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import is_hypervisor_slow
from gavel.findings.minutes import mean


def filter_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """All disks with a filter that began to wait are one cause; those at an IOPS limit wait for that instead."""
    waiting = [
        (load, twin)
        for load in inputs.disks
        if load.io_filters and not is_at_iops_limit(inputs, load) and (twin := _twin(inputs, load)).binding_minutes
    ]
    binding = [pair for pair in waiting if pair[1].is_passed]
    chosen = sorted(binding or waiting[:1], key=lambda pair: -pair[0].hypervisor_time)
    if chosen:
        yield _candidate(inputs, [load for load, _ in chosen], chosen[0][1], binds=bool(binding))


def _twin(inputs: CauseInputs, load: DiskLoad) -> TwinTest:
    """A wait that was there in normal minutes is no new matter of a filter that was there as well."""
    elevated, normal = (of(ScopeKind.VM_DISK, load.disk.id) for of in (inputs.elevated, inputs.normal))
    checks = [is_hypervisor_slow(part.per_io("hypervisor_time")) for part in (elevated, normal)]
    return twin_test(checks[0], checks[1], ~np.isnan(normal.iops))


def _candidate(inputs: CauseInputs, loads: Sequence[DiskLoad], twin: TwinTest, *, binds: bool) -> Candidate:
    """loads: the one with most wait first."""
    first = loads[0]
    time = sum(load.hypervisor_time for load in loads)
    weight = min(time / first.upper_whole, 1.0) if first.upper_whole > 0 else 0.0
    elevated, normal = (of(ScopeKind.VM_DISK, first.disk.id) for of in (inputs.elevated, inputs.normal))
    before = mean(normal.per_io("hypervisor_time"))
    is_one_vm = len({load.vm.id for load in loads}) == 1
    who = disk_object(first) if len(loads) == 1 else CauseObject(first.vm.name, (first.vm,))
    where = who.name
    if len(loads) > 1:
        where = f"{len(loads)} virtual disks of {first.vm.name}" if is_one_vm else counted(len(loads), "virtual disk")
    filters = names(sorted({one for load in loads for one in load.io_filters}))
    return Candidate(
        kind=CauseKind.IO_FILTER,
        object=who,
        object_count=len(loads),
        on=None if first.host is None else CauseObject(first.host.name, (first.host,)),
        weight=weight,
        share=weight,
        share_of="guest and kernel time",
        iops=mean(elevated.iops),
        twin=twin,
        binds=binds,
        is_new=twin.is_new,
        # No counter has what a filter costs: the hypervisor's time is that of all it does.
        is_counted=False,
        evidence=(
            CauseEvidence(label="Hypervisor", value=mean(elevated.per_io("hypervisor_time")) or 0.0, unit="µs"),
            *(() if before is None else (CauseEvidence(label="Hypervisor before", value=before, unit="µs"),)),
            CauseEvidence(label="Virtual disks with an I/O filter", value=len(loads), unit="count"),
        ),
        headline=f"I/O filter of {where}",
        text=f"the I/O filter {filters} is attached to {where}, and their I/Os wait in the hypervisor"
        if len(loads) > 1
        else f"the I/O filter {filters} is attached to {where}, and its I/Os wait in the hypervisor",
        needs="latency without the I/O filter",
    )
