"""Tasks of VMs, from the lab's history of tasks over the real protocol, and from single task infos."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pyVmomi import vim
from tests.collectors.hosts.vcenter.conftest import Lab
from tests.collectors.hosts.vcenter.reading import NEW, OLD

from gavel.collectors.hosts.vcenter.tasks import vm_tasks
from gavel.domain.tasks import TaskKind

AT = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)


def test_tasks_of_the_last_hours_have_their_vm_times_and_user(lab: Lab) -> None:
    inventory = lab.collector(NEW).inventory()
    names = {vm.key: vm.name for vm in inventory.vms}
    consolidations = [one for one in inventory.tasks if one.kind is TaskKind.CONSOLIDATION]
    assert {names[one.vm_key] for one in consolidations} == {"general-03"}
    assert {one.started_by for one in consolidations} == {"VSPHERE.LOCAL\\svc-backup"}
    lasted = {one.ended_at - one.started_at for one in consolidations if one.ended_at is not None}
    assert lasted == {timedelta(minutes=10)}
    assert 5 <= len(consolidations) <= 7
    moves = [one for one in inventory.tasks if one.kind is TaskKind.MIGRATION]
    assert {names[one.vm_key] for one in moves} >= {"general-02"}
    assert {one.started_by for one in moves} == {None}


def test_tasks_are_given_again_and_asked_for_from_the_last_look_on_only(lab: Lab) -> None:
    collector = lab.collector(NEW)
    first = collector.inventory().tasks
    before = collector.usage.bytes_received
    again = collector.inventory().tasks
    assert {one.key for one in first} <= {one.key for one in again}
    assert collector.usage.bytes_received - before < 20_000


def test_tasks_that_may_not_be_read_are_named_and_the_inventory_is_read_all_the_same(lab: Lab) -> None:
    lab.fault(OLD, "refuse", privilege="System.View", match="CreateCollectorForTasks")
    inventory = lab.collector(OLD).inventory()
    assert inventory.tasks == ()
    assert inventory.vms
    (said,) = (one for one in inventory.withheld if one.startswith("Tasks of VMs"))
    assert "System.View" in said


def test_tasks_leave_no_collector_behind(lab: Lab) -> None:
    """A session may hold 32 of them."""
    collector = lab.collector(NEW)
    withheld = [sentence for _ in range(40) for sentence in collector.inventory().withheld]
    assert not [sentence for sentence in withheld if sentence.startswith("Tasks of VMs")]


def info(**given: Any) -> Any:
    plain = {
        "key": "task-1",
        "descriptionId": "VirtualMachine.relocate",
        "entity": vim.VirtualMachine("vm-7"),
        "startTime": AT,
        "completeTime": None,
        "reason": vim.TaskReasonUser(userName="ada\n"),
    }
    return vim.TaskInfo(**plain | given)


@pytest.mark.parametrize(
    "left_out",
    [
        {"descriptionId": "VirtualMachine.powerOn"},
        {"descriptionId": ""},
        {"entity": vim.HostSystem("host-1")},
        {"entity": None},
        {"startTime": None},
    ],
)
def test_tasks_that_move_no_data_or_are_of_no_vm_or_have_not_begun_are_left_out(left_out: dict[str, Any]) -> None:
    assert list(vm_tasks([info(**left_out)])) == []


def test_tasks_that_come_twice_are_as_they_came_last_and_names_are_cleaned() -> None:
    (task,) = vm_tasks([info(), info(completeTime=AT + timedelta(minutes=3))])
    assert (task.vm_key, task.kind, task.ended_at) == ("vm-7", TaskKind.RELOCATION, AT + timedelta(minutes=3))
    assert task.started_by == "ada"
    (unattended,) = vm_tasks(
        [info(reason=vim.TaskReasonSchedule(name="x", scheduledTask=vim.scheduler.ScheduledTask("s")))]
    )
    assert unattended.started_by is None
