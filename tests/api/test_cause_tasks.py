"""A task of the vCenter as the cause of an excess, from the ledger and the inventory to the API, and its quiet twins."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, MINUTE, NOW, Environment, ask
from tests.api.stories import Story, limited_disk, throttled

from gavel import clock
from gavel.domain.scope import ScopeKind


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


def slow_vm(story: Story, *, slow_before: bool) -> int:
    """4.5 ms in the hypervisor for the newest five minutes, or for longer; no limit."""
    vm = limited_disk(story, elevated_iops=900, normal=None if slow_before else throttled(300, HEALTHY), limit=90_000)
    if slow_before:
        disk = story.environment.id("vm_disk", "vm-1/scsi0:0")
        story.environment.write(
            [(ScopeKind.VM_DISK, disk, NOW - n * MINUTE, throttled(900)) for n in range(6, 26)]
            + [(ScopeKind.VM, vm, NOW - n * MINUTE, throttled(300, HEALTHY)) for n in range(6, 26)]
        )
    return vm


def runs(story: Story, since: datetime, until: datetime | None, *, offset_s: float = 0.0, vm: str = "vm-1") -> None:
    """A consolidation, by the clock of a vCenter that is ahead by `offset_s`."""
    ahead = timedelta(seconds=offset_s)
    story.run(
        "INSERT INTO vm_task SELECT v.source_id, 'task-1', 'consolidation', v.id, :since, :until, 'LAB\\backup', s.inventory_at"
        " FROM vm v JOIN source s ON s.id = v.source_id WHERE v.key = :vm",
        since=since + ahead,
        until=None if until is None else until + ahead,
        vm=vm,
    )
    story.run(
        "INSERT INTO clock_offset (source_id, subject, read_at, offset_s, error_s)"
        " SELECT source_id, NULL, CAST(:now AS timestamptz) + interval '1 day', :offset, 0.1 FROM vm WHERE key = 'vm-1'",
        offset=offset_s,
        now=clock.now(),
    )


def cause_of(client: TestClient, vm: int) -> dict[str, Any]:
    cause: dict[str, Any] = ask(client, f"vms/{vm}/diagnosis")["cause"]
    return cause


@pytest.mark.parametrize("offset_s", [0.0, 3600.0])
def test_a_task_that_runs_while_ios_wait_in_the_hypervisor_is_likely_the_cause(
    client: TestClient, story: Story, offset_s: float
) -> None:
    vm = slow_vm(story, slow_before=False)
    runs(story, NOW - 6 * MINUTE, None, offset_s=offset_s)
    cause = cause_of(client, vm)
    assert (cause["kind"], cause["confidence"], cause["finding"]) == ("task", "likely", "task-running")
    since = NOW - 6 * MINUTE
    assert cause["text"] == f"consolidation of db01 runs since {since:%H:%M} UTC, started by LAB\\backup"
    assert cause["twin"]["binding_minutes"] == 5
    assert {one["label"]: one["value"] for one in cause["evidence"]}["Elevated minutes with the task"] == 5


def test_a_task_that_ended_before_the_excess_is_not_its_cause(client: TestClient, story: Story) -> None:
    vm = slow_vm(story, slow_before=False)
    runs(story, NOW - 20 * MINUTE, NOW - 6 * MINUTE)
    assert cause_of(client, vm)["kind"] == "no_single_cause"


def test_a_task_of_another_vm_is_not_the_cause(client: TestClient, story: Story) -> None:
    vm = slow_vm(story, slow_before=False)
    runs(story, NOW - 6 * MINUTE, None, vm="vm-2")
    assert cause_of(client, vm)["kind"] == "no_single_cause"


def test_a_task_beside_a_wait_that_was_there_in_normal_minutes_is_a_candidate_at_most(
    client: TestClient, story: Story
) -> None:
    vm = slow_vm(story, slow_before=True)
    runs(story, NOW - 6 * MINUTE, None)
    cause = cause_of(client, vm)
    assert cause["kind"] == "no_single_cause"
    assert [one["kind"] for one in cause["candidates"]] == ["task"]


def test_a_disk_at_its_iops_limit_waits_for_that_and_not_for_the_task(client: TestClient, story: Story) -> None:
    vm = limited_disk(story, elevated_iops=1490, normal=throttled(300, HEALTHY))
    runs(story, NOW - 6 * MINUTE, None)
    assert cause_of(client, vm)["kind"] == "iops_limit"
