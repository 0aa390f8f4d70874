"""A task that moves or copies the data of a VM while its I/Os wait in the hypervisor, and did not before."""

from collections.abc import Iterator

from gavel.domain.io_path import Confidence
from gavel.domain.tasks import TASK_LABELS, TaskKind
from gavel.findings.binding import BINDING_SHARE, LEAST_HYPERVISOR_US
from gavel.findings.evidence_tasks import RunningTask
from gavel.findings.measures import LASTING, mean_over, setting, severity_of_wait
from gavel.findings.minutes import mean
from gavel.findings.model import (
    Advice,
    AdviceKind,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
    NeededTasks,
)
from gavel.findings.texts import milliseconds

_SEGMENTS = "segment hypervisor (virtual disk − device)"
_OF_BACKUPS = frozenset({TaskKind.SNAPSHOT, TaskKind.SNAPSHOT_REMOVAL, TaskKind.CONSOLIDATION})


def evaluate(evidence: RunningTask) -> Finding | None:
    """None where the VM waited as long before the task, or either was not measured."""
    during, before = mean(evidence.minutes.per_io("hypervisor_time")), mean(evidence.before.per_io("hypervisor_time"))
    is_lasting = len(evidence.minutes.iops) >= BINDING_SHARE * evidence.minutes_whole
    if not is_lasting or during is None or before is None or during - before <= LEAST_HYPERVISOR_US:
        return None
    label, added = TASK_LABELS[evidence.kind], during - before
    return Finding(
        source_id=evidence.source_id,
        object=evidence.vm,
        part=evidence.kind.value,
        severity=severity_of_wait(added),
        confidence=Confidence.LIKELY,
        title=f"{label} of {evidence.vm.name} while its I/Os wait {milliseconds(added)} longer",
        cause=(
            f"Its I/Os spend {milliseconds(during)} between virtual disk and device, {milliseconds(before)} in the minutes before the task."
            " Both read and write the same virtual disks."
        ),
        evidence=tuple(_numbers(evidence, during, before)),
        advice=tuple(_advice(evidence)),
        affected_text="The VM itself; others on its datastore share the load that the task adds.",
        magnitude=added,
    )


def _numbers(evidence: RunningTask, during: float, before: float) -> Iterator[FindingEvidence]:
    yield mean_over(evidence, "Wait in the hypervisor", during, "µs", _SEGMENTS)
    yield mean_over(evidence, "Wait in the hypervisor before the task", before, "µs", _SEGMENTS)
    yield setting(evidence, "Task started", f"{evidence.started_at:%Y-%m-%d %H:%M} UTC", "", "TaskInfo.startTime")
    if evidence.started_by is not None:
        yield setting(evidence, "Task started by", evidence.started_by, "", "TaskInfo.reason")


def _advice(evidence: RunningTask) -> Iterator[Advice]:
    yield Advice(
        kind=AdviceKind.LEAVE,
        text="Let it finish: the wait ends with the task",
        why="A snapshot or disk copy that is broken off leaves work behind that has to be done again.",
    )
    job = "the backup job" if evidence.kind in _OF_BACKUPS else "such tasks"
    yield Advice(
        kind=AdviceKind.SPREAD,
        text=f"Move {job} to hours in which {evidence.vm.name} does less I/O, and let fewer run at once on its datastore",
        agree=("virtualization",),
        next_limit="the time that is left for backups",
    )


RULE = FindingRule(
    id="task-running",
    title="Task beside the I/O",
    evidence=RunningTask,
    evaluate=evaluate,
    raised_when=(
        f"{LASTING} a snapshot, its removal, a consolidation, a relocation, a migration or a clone of a VM runs, while its I/Os wait more "
        f"than {LEAST_HYPERVISOR_US / 1000:g} ms longer in the hypervisor than in the 10 minutes before the task"
    ),
    cleared_when="10 minutes later the task is over, or the I/Os wait no longer than before it",
    blind_spots=(
        "Load that the task adds to device queues and the array: these have rules of their own",
        "Tasks shorter than the window, and tasks that no vCenter runs (backup by agents in the guest or on the array)",
        "Which product started it: only the account that it uses is known",
        "A VM without I/O in the minutes before the task",
    ),
    references=(
        FindingReference("vSphere API: TaskInfo (descriptionId, startTime, completeTime, reason)"),
        FindingReference("Gavel: every number and what it means, segment hypervisor (docs/metrics.md)"),
    ),
    needs=NeededTasks("no tasks of VMs were read with the newest inventory"),
)
