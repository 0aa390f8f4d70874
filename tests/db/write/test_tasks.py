"""Tasks of VMs in the store: each once, with its end, an event at either, and an end for what is listed no more."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlalchemy import text
from tests.db.conftest import Store
from tests.db.environments import host_inventory

from gavel.db.engine import reading
from gavel.db.queries.tasks import TaskRun, task_runs
from gavel.domain.tasks import TaskKind, VmTask

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TASK = VmTask("task-9", TaskKind.RELOCATION, "vm-1", START, None, "LAB\\ada")


class Tasks:
    """A vCenter of its own, read once a minute."""

    def __init__(self, store: Store) -> None:
        self.store, self.at = store, START
        self.source = store.with_environment(host_inventory(), START)

    def take(self, *tasks: VmTask) -> int:
        self.at += MINUTE
        return self.store.take(self.source, replace(host_inventory(), tasks=tasks), self.at).events

    def runs(self) -> list[TaskRun]:
        with reading(self.store.engine) as connection:
            every = task_runs(connection, START - MINUTE, START + 60 * MINUTE)
        return [run for run in every if run.source_id == self.source]

    def events(self) -> list[tuple[object, ...]]:
        query = (
            "SELECT kind, happened_at, subject_name, after FROM event WHERE source_id = :source AND kind LIKE 'task%'"
            " ORDER BY happened_at"
        )
        with reading(self.store.engine) as connection:
            return [tuple(row) for row in connection.execute(text(query), {"source": self.source})]


def test_a_task_is_stored_once_and_noted_when_it_began_and_when_it_ended(store: Store) -> None:
    tasks = Tasks(store)
    assert [tasks.take(TASK), tasks.take(TASK)] == [1, 0]
    (running,) = tasks.runs()
    assert (running.vm_name, running.kind, running.ended_at) == ("db01", TaskKind.RELOCATION, None)
    ended = replace(TASK, ended_at=START + 2 * MINUTE)
    assert [tasks.take(ended), tasks.take(ended), tasks.take()] == [1, 0, 0]
    (over,) = tasks.runs()
    assert over.ended_at == START + 2 * MINUTE
    label = "Relocation (storage vMotion) by LAB\\ada"
    assert tasks.events() == [
        ("task_started", START, "db01", label),
        ("task_ended", START + 2 * MINUTE, "db01", label),
    ]


def test_a_task_that_is_listed_no_more_ended_when_it_was_seen_last(store: Store) -> None:
    tasks = Tasks(store)
    tasks.take(TASK)
    tasks.take()
    (run,) = tasks.runs()
    assert run.ended_at == START + MINUTE


def test_a_task_that_was_over_when_it_was_listed_first_is_noted_at_both_ends(store: Store) -> None:
    tasks = Tasks(store)
    assert tasks.take(replace(TASK, ended_at=START + MINUTE)) == 2


def test_a_task_of_a_vm_that_the_inventory_does_not_have_is_left_out(store: Store) -> None:
    tasks = Tasks(store)
    assert tasks.take(replace(TASK, vm_key="template-1")) == 0
    assert tasks.runs() == []
