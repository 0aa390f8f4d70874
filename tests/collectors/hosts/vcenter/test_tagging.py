"""Tags by REST: what is read, how often names are asked for, and that nothing that goes wrong there costs the inventory."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.collectors.hosts.vcenter.conftest import Lab
from tests.collectors.hosts.vcenter.reading import NEW, OLD

from gavel.collectors.hosts.vcenter import tagging
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.collectors.hosts.vcenter.tagging import TagReader
from gavel.domain.inventory import ToolsState
from gavel.domain.labels import MOST_LABELS, Label, LabelKind
from gavel_lab.lab import create_lab
from gavel_lab.vcenter.applications import application, owner

Answers = Callable[[str, str, dict[str, Any]], tuple[int, Any]]
SETTINGS = VcenterSettings(address="192.0.2.1", username="gavel@vsphere.local", password="secret")  # type: ignore[arg-type]


class Scripted(TagReader):
    """A reader whose answers come from a function of method, path and body; `asked` remembers the paths."""

    def __init__(self, answers: Answers) -> None:
        super().__init__(SETTINGS)
        self._answers = answers
        self.asked: list[str] = []

    def _send(self, method: str, path: str, body: bytes | None, headers: Any = None) -> tuple[int, bytes]:
        self.asked.append(f"{method} {path.partition('?')[0]}")
        status, value = self._answers(method, path, json.loads(body) if body else {})
        return status, value if isinstance(value, bytes) else json.dumps(value).encode()


def vcenter(tags_of: dict[str, list[str]], **changed: tuple[int, Any]) -> Answers:
    """A vCenter with these tags, of one category; `changed`: answers by the last part of the path."""

    def answer(_method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        bare = path.partition("?")[0]
        last = bare.rpartition("/")[2]
        if last.replace("-", "_") in changed:
            return changed[last.replace("-", "_")]
        if last == "session":
            return 201, "token"
        if last == "tag-association":
            wanted = [one["id"] for one in body["object_ids"]]
            return 200, [
                {"object_id": {"id": key, "type": "VirtualMachine"}, "tag_ids": tags_of[key]}
                for key in wanted
                if key in tags_of
            ]
        return 200, {"name": "team"} if "/category/" in bare else {"name": f"name of {last}", "category_id": "c"}

    return answer


VMS = {"vm-1": "VirtualMachine", "vm-2": "VirtualMachine"}


def test_tags_are_category_and_name_and_names_are_asked_for_once() -> None:
    reader = Scripted(vcenter({"vm-1": ["a", "b"], "vm-2": ["a"]}))
    read = reader.read(VMS)
    a, b = (Label(LabelKind.TAG, "team", f"name of {one}") for one in "ab")
    assert (read.labels, read.is_complete, read.withheld) == ({"vm-1": (a, b), "vm-2": (a,)}, True, ())
    reader.asked.clear()
    assert reader.read(VMS) == read
    assert reader.asked == ["POST /api/cis/tagging/tag-association"]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"session": (401, {})}, "refused"),
        ({"session": (403, {})}, "HTTP 403"),
        ({"session": (404, {})}, "vSphere 7.0 U2"),
        ({"session": (201, "two\nlines")}, "no session"),
        ({"session": (201, {"value": "x"})}, "not what it should be"),
        ({"tag_association": (403, {})}, "HTTP 403"),
        ({"tag_association": (500, {})}, "HTTP 500"),
        ({"tag_association": (200, b"<html>")}, "not what it should be"),
        ({"tag_association": (200, b"[" * 100_000)}, "not what it should be"),
        ({"tag_association": (200, b'["\xff"]')}, "not what it should be"),
        ({"tag_association": (200, [{"object_id": {"id": 7, "type": "x"}, "tag_ids": []}])}, "not what it should be"),
    ],
)
def test_tags_that_are_not_readable_are_a_sentence_and_keep_what_was_read(
    changed: dict[str, tuple[int, Any]], reason: str
) -> None:
    read = Scripted(vcenter({"vm-1": ["a"]}, **changed)).read(VMS)
    assert (read.labels, read.is_complete) == ({}, False)
    (sentence,) = read.withheld
    assert sentence.startswith("The tags of the vCenter are not readable (")
    assert reason in sentence


def test_a_refused_password_is_not_sent_again() -> None:
    reader = Scripted(vcenter({}, session=(401, {})))
    reader.read(VMS)
    reader.read(VMS)
    assert reader.asked == ["POST /api/session"]


def test_a_session_that_expired_is_opened_again() -> None:
    good = vcenter({"vm-1": ["a"]})
    left = [401]

    def answers(method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        return (left.pop(), {}) if "association" in path and left else good(method, path, body)

    reader = Scripted(answers)
    assert reader.read(VMS).is_complete
    assert reader.asked.count("POST /api/session") == 2


@pytest.mark.parametrize("status", [403, 404])
def test_a_tag_that_is_gone_or_not_readable_is_left_out(status: int) -> None:
    read = Scripted(vcenter({"vm-1": ["a", "b"]}, b=(status, {}))).read(VMS)
    assert [label.value for label in read.labels["vm-1"]] == ["name of a"]
    assert read.is_complete


def test_ten_thousand_tags_come_over_several_reads_and_one_object_keeps_some(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Scripted(vcenter({"vm-1": [f"t{n:05}" for n in range(10_000)]}))
    monkeypatch.setattr(tagging, "_NAMES_S", 0.0)
    first = reader.read(VMS)
    assert not first.is_complete
    assert any("are not read yet" in sentence for sentence in first.withheld)
    monkeypatch.setattr(tagging, "_NAMES_S", 60.0)
    last = reader.read(VMS)
    assert last.is_complete
    assert len(last.labels["vm-1"]) == MOST_LABELS
    assert last.withheld == (f"An object has 10,000 tags: {MOST_LABELS} of one object are kept.",)


def test_more_tags_than_a_vcenter_has_are_refused() -> None:
    read = Scripted(vcenter({"vm-1": [f"t{n}" for n in range(20_001)]})).read(VMS)
    assert "more than 20,000 tags" in read.withheld[0]


def test_a_tag_of_markup_is_a_plain_text() -> None:
    markup = "<script>alert(1)</script>\x1b[31m"
    read = Scripted(vcenter({"vm-1": ["a"]}, a=(200, {"name": markup, "category_id": "c"}))).read(VMS)
    assert [label.value for label in read.labels["vm-1"]] == ["<script>alert(1)</script>\N{REPLACEMENT CHARACTER}[31m"]


# --- the lab, over the wire ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [OLD, NEW])
def test_an_inventory_has_addresses_folders_attributes_and_tags(lab: Lab, name: str) -> None:
    inventory = lab.collector(name).inventory()
    environment = create_lab().environment
    vms = {vm.moref: vm for vm in environment.vms if environment.vcenters[vm.vcenter].name == name}
    assert {vm.key for vm in inventory.vms} == set(vms)
    states = {vm.tools_state for vm in inventory.vms}
    assert states >= {ToolsState.RUNNING, ToolsState.NOT_INSTALLED}
    for vm in inventory.vms:
        is_reporting = vm.tools_state is ToolsState.RUNNING
        assert (vm.dns_name is not None, bool(vm.ip_addresses)) == (is_reporting, is_reporting)
        labels = {label.name: label.value for label in vm.labels}
        assert (labels["application"], labels["owner"]) == (application(vms[vm.key]), owner(vms[vm.key]))
        assert labels["environment"] in {"production", "test"}
        assert vm.folder is not None
        assert vm.folder.endswith(f"/{labels['application']}")
        assert (vm.resource_pool, vm.bios_uuid) == ("Resources", vms[vm.key].bios_uuid)
    assert all("tier" in {label.name for label in store.labels} for store in inventory.datastores)
    assert inventory.kept_labels == frozenset()


@pytest.mark.parametrize(
    ("kind", "parameters"), [("status", {"status": 403}), ("html", {}), ("cut_body", {"after_bytes": 3})]
)
def test_an_inventory_is_whole_without_the_rest_interface(lab: Lab, kind: str, parameters: dict[str, int]) -> None:
    lab.fault(OLD, kind, match="/api/", **parameters)
    inventory = lab.collector(OLD).inventory()
    assert inventory.vms
    assert inventory.kept_labels == frozenset({LabelKind.TAG})
    assert [one for one in inventory.withheld if one.startswith("The tags of the vCenter are not readable")]


def test_a_source_that_reads_no_tags_does_not_ask_for_them(lab: Lab) -> None:
    lab.vcenters["quiet"] = lab.vcenters[OLD].model_copy(update={"read_tags": False})
    inventory = lab.collector("quiet").inventory()
    assert {label.kind for vm in inventory.vms for label in vm.labels} == {LabelKind.ATTRIBUTE}
    assert inventory.kept_labels == frozenset()
