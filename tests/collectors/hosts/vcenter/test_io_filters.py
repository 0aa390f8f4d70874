"""I/O filters of virtual disks carry the names that their cluster lists, which it is asked for once."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from tests.collectors.hosts.vcenter.conftest import Lab
from tests.collectors.hosts.vcenter.reading import OLD

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.io_filters import IoFilterReader
from gavel.domain.errors import PermissionMissingError


def test_disks_have_their_filters_by_name_and_all_others_none(lab: Lab) -> None:
    inventory = lab.collector(OLD).inventory()
    (vm,) = (one.key for one in inventory.vms if one.name == "file-01")
    filtered = {disk.label: disk.io_filters for disk in inventory.disks if disk.io_filters}
    assert {disk.vm_key for disk in inventory.disks if disk.io_filters} == {vm}
    name = ("examplereplay 2.1.0 (Example Corp.)",)
    assert filtered == {f"Hard disk {n}": name for n in (2, 3, 4)}


def test_names_of_filters_are_asked_for_once(lab: Lab) -> None:
    collector = lab.collector(OLD)
    before = {disk.key: disk.io_filters for disk in collector.inventory().disks}
    lab.fault(OLD, "refuse", privilege="System.View", match="QueryIoFilterInfo")
    after = collector.inventory()
    assert {disk.key: disk.io_filters for disk in after.disks} == before
    assert not [sentence for sentence in after.withheld if "I/O filters" in sentence]


def test_a_vcenter_that_refuses_to_list_filters_leaves_their_ids_and_is_named(lab: Lab) -> None:
    lab.fault(OLD, "refuse", privilege="System.View", match="QueryIoFilterInfo")
    inventory = lab.collector(OLD).inventory()
    assert {name for disk in inventory.disks for name in disk.io_filters} == {
        "EXA_bootbank_examplereplay_2.1.0-1OEM.800"
    }
    (sentence,) = (one for one in inventory.withheld if "I/O filters" in one)
    assert "System.View" in sentence


class _TwoClusters:
    """The first refuses to list its filters, the second lists one."""

    content = SimpleNamespace(ioFilterManager=object())
    stub = None

    def __init__(self) -> None:
        self._asked = 0

    def ask(self, _listed: Callable[[], Any]) -> Any:
        self._asked += 1
        if self._asked == 1:
            raise PermissionMissingError("System.View is missing on the first cluster")
        return [SimpleNamespace(id="b", name="replay", version="2.1", vendor="Example Corp.")]


def test_a_cluster_that_refuses_is_named_whatever_the_others_answer() -> None:
    reader = IoFilterReader(cast("VcenterClient", _TwoClusters()))
    assert reader.read(["a", "b"], ["domain-c1", "domain-c2"]) == {"b": "replay 2.1 (Example Corp.)"}
    assert "System.View" in reader.refused
