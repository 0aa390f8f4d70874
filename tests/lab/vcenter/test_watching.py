"""WaitForUpdatesEx: everything first, then only what changed, in pages, with versions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim, vmodl
from tests.lab.vcenter.labs import WITH_A_TASK, Place, serving
from tests.lab.vcenter.reading import Collector, filter_spec, view_of

from gavel_lab.environment import Vm
from gavel_lab.vcenter import watching
from gavel_lab.vcenter.retrieval import properties
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.tasks import LabTask, tasks_since


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A vCenter of its own: these tests move VMs."""
    with serving(tmp_path) as (old, _):
        yield old


@pytest.fixture
def collector(vsphere: Any) -> Any:
    made = vsphere.RetrieveContent().propertyCollector.CreatePropertyCollector()
    view = view_of(vsphere, vim.VirtualMachine)
    made.CreateFilter(filter_spec(view, vim.VirtualMachine, ["name", "runtime.host", "runtime.powerState"]), False)
    return made


def wait(collector: Any, version: str, seconds: int = 0, limit: int | None = None) -> Any:
    options = Collector.WaitOptions(maxWaitSeconds=seconds, maxObjectUpdates=limit)
    return collector.WaitForUpdatesEx(version, options)


def catch_up(collector: Any, limit: int | None = None) -> tuple[str, list[Any]]:
    version, objects = "", []
    while True:
        update = wait(collector, version, limit=limit)
        version = update.version
        objects += [one for part in update.filterSet for one in part.objectSet]
        if not update.truncated:
            return version, objects


def move_one(place: Place) -> tuple[Vm, str]:
    """vMotion the first VM that can go elsewhere; returns it and its new host's moref."""
    environment, now = place.lab.environment, place.lab.clocks.lab_time.now()
    for vm in environment.vms:
        if vm.vcenter != place.vcenter.index:
            continue
        here = place.lab.placement.host_of(vm.index, now)
        for host in set(environment.clusters[vm.cluster].hosts) - {here}:
            try:
                place.lab.placement.move(vm.index, host, now)
            except ValueError:
                continue
            return vm, environment.hosts[host].moref
    raise AssertionError("no VM of the lab can move")


def test_the_first_round_tells_everything_in_pages(place: Place, collector: Any) -> None:
    _, objects = catch_up(collector, limit=10)
    own = {vm.moref for vm in place.lab.environment.vms if vm.vcenter == place.vcenter.index}
    assert [one.kind for one in objects] == ["enter"] * len(own)
    assert {one.obj._GetMoId() for one in objects} == own


def test_an_answer_costs_its_own_objects_only(collector: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first round may tell of a whole environment: worked out at once, it would outlast the patience of any client."""
    worked_out = 0

    def counted(*arguments: Any) -> Any:
        nonlocal worked_out
        worked_out += 1
        return properties(*arguments)

    monkeypatch.setattr(watching, "properties", counted)
    assert wait(collector, "", limit=5).truncated
    assert worked_out <= 6


def test_a_filter_that_is_destroyed_takes_what_is_left_of_its_round_with_it(collector: Any) -> None:
    update = wait(collector, "", limit=5)
    update.filterSet[0].filter.DestroyPropertyFilter()
    assert wait(collector, update.version, seconds=1) is None


def test_nothing_new_is_nothing_at_all(collector: Any) -> None:
    version, _ = catch_up(collector)
    assert wait(collector, version, seconds=1) is None


def test_a_vmotion_arrives_as_one_changed_property(place: Place, collector: Any) -> None:
    version, _ = catch_up(collector)
    vm, host = move_one(place)
    update = wait(collector, version, seconds=10)
    (part,) = update.filterSet
    (one,) = part.objectSet
    assert (one.kind, one.obj._GetMoId()) == ("modify", vm.moref)
    assert [(change.name, change.val._GetMoId()) for change in one.changeSet] == [("runtime.host", host)]


def test_a_renamed_vm_and_one_that_is_powered_off_arrive_as_changes(place: Place, collector: Any) -> None:
    version, _ = catch_up(collector)
    vm = next(vm for vm in place.lab.environment.vms if vm.vcenter == place.vcenter.index)
    source = place.vcenter.name
    place.lab.faults.add({"source": source, "kind": "rename_vm", "vm": vm.name, "name": "another name"})
    place.lab.faults.add({"source": source, "kind": "power", "vm": "another name", "state": "off"})
    update = wait(collector, version, seconds=10)
    (one,) = update.filterSet[0].objectSet
    changed = {change.name: change.val for change in one.changeSet}
    assert (one.kind, one.obj._GetMoId()) == ("modify", vm.moref)
    assert changed == {"name": "another name", "runtime.powerState": "poweredOff"}


def test_an_answer_that_got_lost_is_given_again(place: Place, collector: Any) -> None:
    version, _ = catch_up(collector)
    move_one(place)
    first, again = wait(collector, version, seconds=10), wait(collector, version, seconds=10)
    assert first.version == again.version != version


def test_a_version_of_someone_else_is_refused(collector: Any) -> None:
    catch_up(collector)
    with pytest.raises(vmodl.query.InvalidCollectorVersion):
        wait(collector, "4711")


def test_an_empty_version_starts_over(collector: Any) -> None:
    _, first = catch_up(collector)
    _, second = catch_up(collector)
    assert len(first) == len(second)


def test_a_destroyed_filter_tells_nothing(vsphere: Any) -> None:
    made = vsphere.RetrieveContent().propertyCollector.CreatePropertyCollector()
    watched = made.CreateFilter(filter_spec(view_of(vsphere, vim.HostSystem), vim.HostSystem, ["name"]), False)
    watched.DestroyPropertyFilter()
    assert wait(made, "") is None
    made.DestroyPropertyCollector()
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        wait(made, "")


def test_recent_tasks_are_watched_through_a_list_that_is_filled_later(vsphere: Any) -> None:
    """As govc does: who watches an empty list of tasks hears of those that are put into it."""
    content = vsphere.RetrieveContent()
    recent = list(content.taskManager.recentTask)
    assert recent
    tasks = content.viewManager.CreateListView([])
    members = Collector.TraversalSpec(type=vim.view.ListView, path="view", skip=False)
    collector = content.propertyCollector.CreatePropertyCollector()
    collector.CreateFilter(
        Collector.FilterSpec(
            objectSet=[Collector.ObjectSpec(obj=tasks, skip=True, selectSet=[members])],
            propSet=[Collector.PropertySpec(type=vim.Task, pathSet=["info"])],
        ),
        False,
    )
    assert wait(collector, "") is None
    forgotten = vim.Task("task-1-1")
    assert [one._GetMoId() for one in tasks.ResetListView([*recent, forgotten])] == ["task-1-1"]
    update = wait(collector, "", seconds=10)
    told = {one.obj._GetMoId(): one.changeSet[0].val for one in update.filterSet[0].objectSet}
    assert {moref: info.key for moref, info in told.items()} == {one._GetMoId(): one._GetMoId() for one in recent}
    assert all((info.completeTime is None) == (info.state == "running") for info in told.values())
    first = recent[0]
    assert tasks.ModifyListView([], [first]) == []
    (left,) = wait(collector, update.version, seconds=10).filterSet[0].objectSet
    assert (left.kind, left.obj._GetMoId()) == ("leave", first._GetMoId())


def test_a_task_that_goes_on_arrives_without_any_other_change(tmp_path: Path) -> None:
    """At twenty times the speed: two percent of a task of ten minutes."""
    with serving(tmp_path, WITH_A_TASK, speed=20.0) as places:
        found = [where for where in places if running(where)]
        assert found
        with found[0].connection() as instance:
            content = instance.RetrieveContent()
            collector = content.propertyCollector.CreatePropertyCollector()
            for one in content.taskManager.recentTask:
                spec = Collector.FilterSpec(
                    objectSet=[Collector.ObjectSpec(obj=one)],
                    propSet=[Collector.PropertySpec(type=vim.Task, pathSet=["info.progress"])],
                )
                collector.CreateFilter(spec, False)
            update = wait(collector, wait(collector, "").version, seconds=10)
            assert {change.name for part in update.filterSet for one in part.objectSet for change in one.changeSet} == {
                "info.progress"
            }


def running(place: Place) -> list[LabTask]:
    now = place.lab.clocks.lab_time.now()
    return [one for one in tasks_since(Site(place.lab, place.vcenter), now - 3600) if one.end > now + 300]
