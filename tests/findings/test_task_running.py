"""task-running: a wait that came with the task, just too little of it, and what was not measured."""

from datetime import timedelta

import pytest
from tests.findings.minutes import ten
from tests.findings.objects import NOW, SINCE, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.domain.tasks import TaskKind
from gavel.findings.evidence_tasks import RunningTask
from gavel.findings.minutes import PartMinutes
from gavel.findings.model import Finding, ObjectRef
from gavel.findings.rules import task_running

VM = ObjectRef("vm", 7, "sql-01")


def task(
    during: PartMinutes, before: PartMinutes, kind: TaskKind = TaskKind.CONSOLIDATION, minutes_whole: int = 10
) -> Finding | None:
    return task_running.evaluate(
        RunningTask(
            source_id=1, vm=VM, kind=kind, started_at=NOW - timedelta(minutes=12), ended_at=None, started_by="LAB\\backup",
            minutes=during, before=before, minutes_whole=minutes_whole, from_at=SINCE, to_at=NOW,
        )
    )  # fmt: skip


@pytest.mark.parametrize(("us", "is_raised"), [(300, False), (301, True)])
def test_a_task_is_raised_from_a_wait_of_more_than_200_us_over_that_before_it(us: float, *, is_raised: bool) -> None:
    found = task(ten(500, hypervisor=us), ten(500, hypervisor=100))
    assert (found is not None) is is_raised
    if found is not None:
        assert found.title == "Consolidation of sql-01 while its I/Os wait 0.20 ms longer"
        assert (found.confidence, found.part) == (Confidence.LIKELY, "consolidation")
        assert kinds(found) == ["leave", "spread"]
        assert "LAB\\backup" in [one.value for one in found.evidence]


def test_a_task_beside_a_wait_that_was_there_before_is_not_raised() -> None:
    assert task(ten(500, hypervisor=4000), ten(500, hypervisor=4000)) is None


@pytest.mark.parametrize("unmeasured", [0, 1])
def test_a_task_of_a_vm_whose_wait_was_not_measured_on_either_side_is_not_raised(unmeasured: int) -> None:
    sides = [ten(500, hypervisor=4000), ten(500, hypervisor=100)]
    sides[unmeasured] = ten(500)
    assert task(sides[0], sides[1]) is None


def test_a_task_that_ran_in_too_few_of_the_minutes_is_not_raised() -> None:
    assert task(ten(500, hypervisor=4000), ten(500, hypervisor=100), minutes_whole=17) is None


def test_a_task_is_as_severe_as_the_wait_that_it_adds_and_names_what_to_move() -> None:
    found = task(ten(500, hypervisor=4000), ten(500, hypervisor=0), TaskKind.RELOCATION)
    assert found is not None
    assert found.severity is Severity.HIGH
    assert "such tasks" in found.advice[1].text
