"""Tasks of the vCenter as causes: a VM whose I/Os wait in the hypervisor while its data is moved or copied, and did not before. Pure."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np

from gavel.analysis.intervals import Bools
from gavel.db.queries.causes import DiskLoad
from gavel.db.queries.tasks import TaskRun
from gavel.diagnosis.cause import Candidate, CauseEvidence, CauseKind, CauseObject, TwinTest
from gavel.diagnosis.cause_inputs import CauseInputs, is_at_iops_limit, twin_test
from gavel.diagnosis.sentences import clock
from gavel.domain.scope import ScopeKind
from gavel.domain.tasks import TASK_LABELS
from gavel.findings.binding import is_hypervisor_slow
from gavel.findings.minutes import mean

_MINUTE = timedelta(minutes=1)


def task_candidates(inputs: CauseInputs) -> Iterator[Candidate]:
    """One for each VM with a task, of the task that ran in most elevated minutes; its disks at an IOPS limit wait for that instead."""
    by_vm: Mapping[int, list[DiskLoad]] = defaultdict(list)
    for load in inputs.disks:
        by_vm[load.vm.id].append(load)
    for vm_id, loads in by_vm.items():
        own = [run for run in inputs.tasks if run.vm_id == vm_id]
        if not own:
            continue
        run = max(own, key=lambda item: int(_runs(item, inputs.episode.elevated).sum()))
        passed = [
            (load, twin)
            for load in loads
            if (twin := _twin(inputs, load, run)).binding_minutes and not is_at_iops_limit(inputs, load)
        ]
        if passed:
            yield _candidate(inputs, run, passed)


def _runs(run: TaskRun, stamps: Sequence[datetime]) -> Bools:
    """Minutes in which it ran for any time."""
    return np.array(
        [run.started_at < at + _MINUTE and (run.ended_at is None or run.ended_at > at) for at in stamps], dtype=np.bool_
    )


def _twin(inputs: CauseInputs, load: DiskLoad, run: TaskRun) -> TwinTest:
    """A wait that was there in normal minutes is not the task's, whether it ran in them or not."""
    elevated, normal = (of(ScopeKind.VM_DISK, load.disk.id) for of in (inputs.elevated, inputs.normal))
    waits = is_hypervisor_slow(elevated.per_io("hypervisor_time")) & _runs(run, inputs.episode.elevated)
    return twin_test(waits, is_hypervisor_slow(normal.per_io("hypervisor_time")), ~np.isnan(normal.iops))


def _candidate(inputs: CauseInputs, run: TaskRun, passed: Sequence[tuple[DiskLoad, TwinTest]]) -> Candidate:
    binding = [load for load, twin in passed if twin.is_passed]
    first, twin = max(passed, key=lambda pair: (pair[1].is_passed, pair[0].hypervisor_time))
    time = sum(load.hypervisor_time for load in (binding or [first]))
    weight = min(time / first.upper_whole, 1.0) if first.upper_whole > 0 else 0.0
    elevated, normal = (of(ScopeKind.VM_DISK, first.disk.id) for of in (inputs.elevated, inputs.normal))
    label = TASK_LABELS[run.kind]
    by = "" if run.started_by is None else f", started by {run.started_by}"
    until = "" if run.ended_at is None else f" to {clock(run.ended_at, inputs.episode.to_at)}"
    since = clock(run.started_at, inputs.episode.to_at)
    before = mean(normal.per_io("hypervisor_time"))
    return Candidate(
        kind=CauseKind.TASK,
        object=CauseObject(run.vm_name, (first.vm,)),
        on=None if first.host is None else CauseObject(first.host.name, (first.host,)),
        weight=weight,
        share=weight,
        share_of="guest and kernel time",
        iops=mean(elevated.iops),
        twin=twin,
        binds=bool(binding),
        is_new=twin.is_new,
        # That the two happened at the same time is no counter of what the one cost the other.
        is_counted=False,
        evidence=(
            CauseEvidence(label="Hypervisor", value=mean(elevated.per_io("hypervisor_time")) or 0.0, unit="µs"),
            *(() if before is None else (CauseEvidence(label="Hypervisor before", value=before, unit="µs"),)),
            CauseEvidence(
                label="Elevated minutes with the task",
                value=float(_runs(run, inputs.episode.elevated).sum()),
                unit="min",
            ),
        ),
        headline=f"{label} of {run.vm_name}",
        text=f"{label[0].lower()}{label[1:]} of {run.vm_name} runs from {since}{until}{by}"
        if until
        else f"{label[0].lower()}{label[1:]} of {run.vm_name} runs since {since}{by}",
        needs="latency after the task",
    )
