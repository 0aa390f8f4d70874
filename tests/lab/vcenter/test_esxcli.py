"""esxcli over the unpublished door: typed XML about queue depths, path policies and module parameters."""

import pytest
from lxml import etree
from tests.lab.vcenter.wire import VIM, Wire

from gavel_lab.environment import EsxiHost
from gavel_lab.lab import Lab

EXECUTE = (
    '<ExecuteSoap xmlns="urn:vim25"><_this type="ManagedMethodExecuter">{executer}</_this><moid>{moid}</moid>'
    "<version>urn:vim25/5.0</version><method>{method}</method>{arguments}</ExecuteSoap>"
)


@pytest.fixture
def host(lab: Lab) -> EsxiHost:
    return next(host for host in lab.environment.hosts if host.vcenter == 1)


def run(wire: Wire, host: EsxiHost, command: str, **arguments: str) -> etree._Element:
    """The returnval of a command such as `storage.core.device.list`."""
    executer = wire.answer(
        f'<RetrieveManagedMethodExecuter xmlns="urn:vim25"><_this type="HostSystem">{host.moref}</_this>'
        "</RetrieveManagedMethodExecuter>"
    )[0].text
    given = "".join(
        f"<argument><name>{name}</name><val>&lt;{name}&gt;{value}&lt;/{name}&gt;</val></argument>"
        for name, value in arguments.items()
    )
    moid = f"ha-cli-handler-{command.rsplit('.', 1)[0].replace('.', '-')}"
    return wire.answer(EXECUTE.format(executer=executer, moid=moid, method=f"vim.EsxCLI.{command}", arguments=given))[0]


def rows(wire: Wire, host: EsxiHost, command: str, **arguments: str) -> list[dict[str, str]]:
    answer = etree.fromstring(run(wire, host, command, **arguments).findtext(f"{VIM}response") or "")
    return [{etree.QName(field).localname: field.text or "" for field in row} for row in answer]


def test_devices_tell_their_depth_and_what_competing_worlds_leave(lab: Lab, wire: Wire, host: EsxiHost) -> None:
    seen = {row["Device"]: row for row in rows(wire, host, "storage.core.device.list")}
    for index in host.devices:
        device = lab.environment.devices[index]
        depth = lab.model.max_queue_depth(index, lab.clocks.lab_time.now())
        assert seen[device.name]["DeviceMaxQueueDepth"] == str(depth)
        assert seen[device.name]["NoofoutstandingIOswithcompetingworlds"] == str(device.dsnro)
        assert seen[device.name]["IsVVOLPE"] == str(device.is_protocol_endpoint).lower()


def test_one_device_can_be_asked_for(lab: Lab, wire: Wire, host: EsxiHost) -> None:
    name = lab.environment.devices[host.devices[0]].name
    (row,) = rows(wire, host, "storage.core.device.list", device=name)
    assert row["Device"] == name


def test_path_policies_cover_every_device_by_one_plug_in_or_the_other(lab: Lab, wire: Wire) -> None:
    plugins = set()
    for host in (host for host in lab.environment.hosts if host.vcenter == 1):
        nmp = {row["Device"]: row["PathSelectionPolicy"] for row in rows(wire, host, "storage.nmp.device.list")}
        hpp = {row["Device"]: row["PathSelectionScheme"] for row in rows(wire, host, "storage.hpp.device.list")}
        own = {lab.environment.devices[index].name: lab.environment.devices[index].policy for index in host.devices}
        assert {**nmp, **hpp} == own
        plugins |= {"NMP"} if nmp else set()
        plugins |= {"HPP"} if hpp else set()
    assert plugins == {"NMP", "HPP"}


def test_paths_tell_their_group_and_whether_they_are_up(lab: Lab, wire: Wire) -> None:
    for host in (host for host in lab.environment.hosts if host.vcenter == 1):
        seen = {row["UID"]: row for row in rows(wire, host, "storage.nmp.path.list")}
        devices = [lab.environment.devices[index] for index in host.devices]
        claimed = [lab.environment.paths[at] for device in devices if device.plugin == "NMP" for at in device.paths]
        assert set(seen) == {path.uid for path in claimed}
        for path in claimed:
            is_up = lab.model.is_path_usable(path.index, lab.clocks.lab_time.now())
            assert (seen[path.uid]["GroupState"] != "dead") is is_up
            assert ("TPG_state=AO" in seen[path.uid]["StorageArrayTypePathConfig"]) is path.optimized


def test_module_parameters_are_those_of_the_driver(lab: Lab, wire: Wire) -> None:
    for host in (host for host in lab.environment.hosts if host.vcenter == 1):
        for index in host.hbas:
            hba = lab.environment.hbas[index]
            seen = {
                row["Name"]: row["Value"]
                for row in rows(wire, host, "system.module.parameters.list", module=hba.driver)
            }
            assert seen == ({hba.parameter: hba.parameter_value} if hba.parameter else {})


def test_adapters_name_their_driver(lab: Lab, wire: Wire, host: EsxiHost) -> None:
    seen = {row["HBAName"]: row["Driver"] for row in rows(wire, host, "storage.core.adapter.list")}
    assert seen == {lab.environment.hbas[index].name: lab.environment.hbas[index].driver for index in host.hbas}


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("system.module.parameters.list", {"module": "nonsense"}),
        ("system.module.parameters.list", {}),
        ("storage.core.device.list", {"device": "naa.nobody"}),
        ("network.vm.list", {}),
    ],
)
def test_a_refused_command_is_a_fault_inside_the_answer(
    wire: Wire, host: EsxiHost, command: str, arguments: dict[str, str]
) -> None:
    answer = run(wire, host, command, **arguments)
    assert answer.find(f"{VIM}response") is None
    fault = answer.find(f"{VIM}fault")
    assert fault is not None
    detail = etree.fromstring(fault.findtext(f"{VIM}faultDetail") or "")
    told = detail.find(f"{VIM}fault")
    assert told is not None
    kind = told.get("{http://www.w3.org/2001/XMLSchema-instance}type")
    printed = [element.text for element in detail.iter(f"{VIM}errMsg")]
    if command == "network.vm.list":
        assert (kind, printed) == ("NotFound", []), "a command that the host does not have"
    else:
        assert kind == "VimEsxCLICLIFault"
        assert printed
