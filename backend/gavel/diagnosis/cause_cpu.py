"""A host's CPU as a cause: I/Os wait in the hypervisor and in the kernel's own code while it is in full use, and did not before. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.db.queries.causes import DiskLoad
from gavel.db.queries.refs import EntityRef
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseObject, TwinTest
from gavel.diagnosis.cause_inputs import CauseInputs, is_at_iops_limit, twin_test
from gavel.diagnosis.cause_words import counted, percent
from gavel.diagnosis.sentences import duration
from gavel.domain.scope import ScopeKind
from gavel.findings.binding import is_host_cpu_busy, is_hypervisor_slow
from gavel.findings.minutes import PartMinutes, mean, sum_of_minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Host:
    """A host with the disks of the object that wait there; their minutes together, elevated and normal."""

    host: EntityRef
    loads: Sequence[DiskLoad]
    elevated: PartMinutes
    normal: PartMinutes
    cpu: Floats
    cpu_before: Floats
    twin: TwinTest

    @property
    def time(self) -> float:
        return sum(load.hypervisor_time + load.service_time for load in self.loads)


def cpu_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """All hosts whose CPU binds are one cause; disks at an IOPS limit wait for that instead."""
    by_host: Mapping[EntityRef, list[DiskLoad]] = defaultdict(list)
    for load in inputs.disks:
        if load.host is not None and not is_at_iops_limit(inputs, load):
            by_host[load.host].append(load)
    hosts = [_host(inputs, host, loads) for host, loads in by_host.items()]
    binding = [one for one in hosts if one.twin.is_passed]
    nearest = [one for one in hosts if one.twin.binding_minutes]
    chosen = sorted(binding or nearest[:1], key=lambda item: -item.time)
    if chosen:
        yield _candidate(chosen, binds=bool(binding))


def _host(inputs: CauseInputs, host: EntityRef, loads: Sequence[DiskLoad]) -> _Host:
    elevated, normal = (
        sum_of_minutes([of(ScopeKind.VM_DISK, load.disk.id) for load in loads])
        for of in (inputs.elevated, inputs.normal)
    )
    cpu, before = (inputs.cpu.of(host.id, stamps) for stamps in (inputs.episode.elevated, inputs.episode.normal))
    # As busy without a wait, or a wait as long without it: then the one is not the other's reason.
    twin = twin_test(
        is_host_cpu_busy(cpu) & is_hypervisor_slow(_wait(elevated)),
        is_host_cpu_busy(before) | is_hypervisor_slow(_wait(normal)),
        ~np.isnan(normal.iops) & ~np.isnan(before),
    )
    return _Host(host=host, loads=loads, elevated=elevated, normal=normal, cpu=cpu, cpu_before=before, twin=twin)


def _wait(minutes: PartMinutes) -> Floats:
    """µs per I/O for which the host's own code is responsible: above the device and in it, without the device's queue."""
    return minutes.per_io("hypervisor_time") + minutes.per_io("service_time")


def _candidate(hosts: Sequence[_Host], *, binds: bool) -> Candidate:
    """hosts: the one with most wait first."""
    first = hosts[0]
    used, wait, before = mean(first.cpu) or 0.0, mean(_wait(first.elevated)) or 0.0, mean(_wait(first.normal))
    whole = first.loads[0].upper_whole
    weight = min(sum(one.time for one in hosts) / whole, 1.0) if whole > 0 else 0.0
    cpu_before = mean(first.cpu_before)
    more = "" if len(hosts) == 1 else f", and of {counted(len(hosts) - 1, 'more host')} over 90 %"
    name = f"CPU of {first.host.name}"
    return Candidate(
        kind=CauseKind.HOST_CPU,
        object=CauseObject(name, (first.host,)),
        object_count=len(hosts),
        on=CauseObject(first.host.name, (first.host,)),
        weight=weight,
        share=weight,
        share_of="guest and kernel time",
        iops=mean(first.elevated.iops),
        twin=first.twin,
        binds=binds,
        is_new=first.twin.is_new,
        # That the CPU is in full use is counted; what that costs an I/O is not.
        is_counted=False,
        evidence=(
            CauseEvidence(label="Host CPU", value=100 * used, unit="%"),
            *(
                ()
                if cpu_before is None
                else (CauseEvidence(label="Host CPU before", value=100 * cpu_before, unit="%"),)
            ),
            CauseEvidence(label="Hypervisor and kernel processing", value=wait, unit="µs"),
            *(() if before is None else (CauseEvidence(label="Before", value=before, unit="µs"),)),
        ),
        headline=f"{name} at {percent(used)}",
        text=f"{name} is at {percent(used)}{more}; hypervisor and kernel processing take {duration(wait)} per I/O",
        needs="latency with the CPU below 90 %",
    )
