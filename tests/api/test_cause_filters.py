"""An I/O filter of virtual disks as the cause of an excess, from the inventory and the ledger to the API, and its quiet twins."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import HEALTHY, Environment, ask
from tests.api.stories import Story, limited_disk, throttled

FILTER = "examplereplay 2.1.0 (Example Corp.)"


@pytest.fixture
def story(engine: Engine, environment: Environment) -> Story:
    return Story(engine, environment)


def slow_vm(story: Story, *, filters: list[str], was_slow: bool = False, limit: int = 90_000) -> int:
    """4.5 ms in the hypervisor for the newest five minutes, or for longer."""
    normal = throttled(900) if was_slow else throttled(300, HEALTHY)
    vm = limited_disk(story, elevated_iops=1490, normal=normal, limit=limit)
    story.set("vm_disk", "vm-1/scsi0:0", "io_filters", filters)
    return vm


def cause_of(client: TestClient, vm: int) -> dict[str, Any]:
    cause: dict[str, Any] = ask(client, f"vms/{vm}/diagnosis")["cause"]
    return cause


def test_a_disk_with_a_filter_that_begins_to_wait_in_the_hypervisor_waits_likely_for_it(
    client: TestClient, story: Story
) -> None:
    vm = slow_vm(story, filters=[FILTER])
    cause = cause_of(client, vm)
    assert (cause["kind"], cause["label"], cause["confidence"]) == ("io_filter", "I/O filter", "likely")
    assert cause["headline"] == "I/O filter of Hard disk 1 of db01"
    assert cause["text"] == (
        f"the I/O filter {FILTER} is attached to Hard disk 1 of db01, and its I/Os wait in the hypervisor"
    )
    assert (cause["twin"]["binding_minutes"], cause["twin"]["normal_binding_minutes"]) == (5, 0)


def test_the_same_wait_without_a_filter_is_no_matter_of_one(client: TestClient, story: Story) -> None:
    assert cause_of(client, slow_vm(story, filters=[]))["kind"] == "no_single_cause"


def test_a_disk_with_a_filter_at_its_iops_limit_waits_for_the_limit(client: TestClient, story: Story) -> None:
    assert cause_of(client, slow_vm(story, filters=[FILTER], limit=1500))["kind"] == "iops_limit"


def test_io_filters_stand_among_the_disks_of_the_vm(client: TestClient, story: Story) -> None:
    vm = slow_vm(story, filters=[FILTER])
    disks = {one["instance"]: one["io_filters"] for one in ask(client, f"vms/{vm}")["vm_disks"]}
    assert disks.pop("scsi0:0") == [FILTER]
    assert disks
    assert all(filters == [] for filters in disks.values())
