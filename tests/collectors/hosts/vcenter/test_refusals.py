"""Queries that a vCenter refuses, in part or as a whole: what it costs, and how it is named."""

import re
from datetime import datetime

import pytest
from tests.collectors.hosts.vcenter.conftest import Lab
from tests.collectors.hosts.vcenter.reading import NEW, OLD, Row, reach, rows

from gavel.collectors.hosts.vcenter.collector import VcenterCollector
from gavel.collectors.hosts.vcenter.esxcli import Esxcli, EsxcliError
from gavel.collectors.hosts.vcenter.esxcli import Row as CliRow
from gavel.domain.errors import ProtocolError
from gavel.domain.inventory import Vm
from gavel.domain.source import Check, CheckState, Stream

# --- queries that are refused ---------------------------------------------------------------------------------------------


def powered_on(collector: VcenterCollector) -> list[Vm]:
    return [vm for vm in collector.inventory().vms if vm.power_state == "poweredOn"]


def owners(found: set[Row]) -> set[str]:
    return {key.partition("/")[0] for key, *_ in found}


def test_a_fault_for_one_vm_costs_that_vm_and_names_it(lab: Lab, past: tuple[datetime, datetime]) -> None:
    collector = lab.collector(OLD)
    everything = rows(collector.samples(Stream.VM_DISK, *past))
    vm = next(vm for vm in powered_on(collector) if vm.key in owners(everything))
    lab.fault(OLD, "entity_fault", match=f"{vm.key}/", fault="HostNotConnected")
    found = rows(collector.samples(Stream.VM_DISK, *past))
    assert found == {row for row in everything if not row[0].startswith(f"{vm.key}/")}
    (sentence,) = collector.left_out(Stream.VM_DISK)
    assert sentence.startswith(f"{vm.name} has no virtual disk samples")
    assert "Host not connected: Unable to communicate with the remote host" in sentence
    assert "<" not in sentence
    before = collector.usage.calls
    assert rows(collector.samples(Stream.VM_DISK, *past)) == found
    assert collector.usage.calls - before < 8, "it is not found out anew every time"
    assert collector.left_out(Stream.HOST_DEVICE) == ()


def test_a_vm_that_was_left_out_comes_back(
    lab: Lab, past: tuple[datetime, datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    collector = lab.collector(OLD)
    everything = rows(collector.samples(Stream.VM_DISK, *past))
    vm = next(vm for vm in powered_on(collector) if vm.key in owners(everything))
    monkeypatch.setattr("gavel.collectors.hosts.vcenter.targets._REFUSED_FOR_S", 0.0)
    lab.fault(OLD, "entity_fault", match=f"{vm.key}/", fault="InvalidState")
    assert vm.key not in owners(rows(collector.samples(Stream.VM_DISK, *past)))
    lab.heal_faults()
    assert rows(collector.samples(Stream.VM_DISK, *past)) == everything
    assert collector.left_out(Stream.VM_DISK) == ()


def test_the_first_vms_may_all_be_refused_without_costing_the_others(lab: Lab, past: tuple[datetime, datetime]) -> None:
    collector = lab.collector(OLD)
    everything = rows(collector.samples(Stream.VM_DISK, *past))
    order = [
        key for _, entities in collector._perf._targets.groups(Stream.VM_DISK, "VirtualMachine") for key in entities
    ]
    bad = set(order[:6])
    for key in bad:
        lab.fault(OLD, "entity_fault", match=f"{key}/", fault="SystemError")
    found = rows(collector.samples(Stream.VM_DISK, *past))
    assert found == {row for row in everything if row[0].partition("/")[0] not in bad}
    (sentence,) = collector.left_out(Stream.VM_DISK)
    assert "and 4 more VMs" in sentence


def test_a_fault_for_every_vm_is_the_sources_and_leaves_nobody_out(lab: Lab, past: tuple[datetime, datetime]) -> None:
    collector = lab.collector(OLD)
    lab.fault(OLD, "entity_fault", match="vm-", fault="SystemError")
    with pytest.raises(ProtocolError, match="general system error"):
        list(collector.samples(Stream.VM_DISK, *past))
    assert collector.left_out(Stream.VM_DISK) == ()
    lab.heal_faults()
    assert rows(collector.samples(Stream.VM_DISK, *past))


def test_a_limit_of_metrics_shrinks_the_calls_for_good(lab: Lab, past: tuple[datetime, datetime]) -> None:
    collector = lab.collector(OLD)
    everything = rows(collector.samples(Stream.VM_DISK, *past))
    lab.fault(OLD, "max_query_metrics", metrics=64)
    assert rows(collector.samples(Stream.VM_DISK, *past)) == everything
    before = collector.usage.calls
    assert rows(collector.samples(Stream.VM_DISK, *past)) == everything
    again = collector.usage.calls - before
    before = collector.usage.calls
    assert rows(collector.samples(Stream.VM_DISK, *past)) == everything
    assert collector.usage.calls - before == again, "no refused call any more"
    lab.heal_faults()
    lab.fault(OLD, "max_query_metrics", metrics=1)
    with pytest.raises(ProtocolError, match="maxQueryMetrics in its advanced settings"):
        list(collector.samples(Stream.VM_DISK, *past))


@pytest.mark.parametrize("stream", [Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ADAPTER, Stream.PATH, Stream.HOST_CPU])
def test_a_server_that_does_not_expand_instances_is_asked_for_them_by_name(
    lab: Lab, past: tuple[datetime, datetime], stream: Stream
) -> None:
    window = reach(past, stream)
    everything = rows(lab.collector(NEW).samples(stream, *window))
    lab.fault(NEW, "no_expansion")
    collector = lab.collector(NEW)
    assert rows(collector.samples(stream, *window)) == everything
    before = collector.usage.calls
    assert rows(collector.samples(stream, *window)) == everything
    assert collector.usage.calls - before < 12, "instances are asked for once"


def test_a_vm_without_disks_that_is_asked_alone_is_no_reason_to_doubt_the_server(
    lab: Lab, past: tuple[datetime, datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.fault(NEW, "no_expansion")
    collector = lab.collector(NEW)
    found = rows(collector.samples(Stream.VM_DISK, *past))
    alone = next(iter(found))[0].partition("/")[0]
    monkeypatch.setattr(collector._perf._instances, "of", lambda *_: {})
    assert rows(collector.samples(Stream.VM_DISK, *past, alone.__eq__)) == set()
    with pytest.raises(ProtocolError, match="not a complete vCenter"):
        list(collector.samples(Stream.VM_DISK, *past))


# --- what is refused is named --------------------------------------------------------------------------------------------


def check_of(collector: VcenterCollector, name: str) -> Check:
    return next(check for check in collector.preflight().checks if check.name == name)


@pytest.mark.parametrize("name", [OLD, NEW])
def test_preflight_asks_for_samples_of_every_stream_and_dates_them(lab: Lab, name: str) -> None:
    check = check_of(lab.collector(name), "Recent samples")
    assert check.state is CheckState.OK
    for kind in ("device", "virtual disk", "path", "adapter"):
        assert re.search(rf"(^|; ){kind}: newest \d+ s (old|ahead)", check.detail), check.detail


def test_preflight_fails_where_queryperf_does_and_warns_where_one_stream_does(lab: Lab) -> None:
    lab.fault(OLD, "entity_fault", match="-", fault="SystemError")
    check = check_of(lab.collector(OLD), "Recent samples")
    assert check.state is CheckState.FAILED
    assert "general system error" in check.detail
    assert check.remedy
    lab.heal_faults()
    lab.fault(OLD, "entity_fault", match="vm-", fault="SystemError")
    assert check_of(lab.collector(OLD), "Recent samples").state is CheckState.WARNING
    lab.heal_faults()
    lab.fault(OLD, "no_expansion")
    assert check_of(lab.collector(OLD), "Recent samples").state is CheckState.OK, "then by the names of the instances"


def test_a_host_that_is_not_connected_is_named_and_neither_it_nor_its_vms_are_asked(
    lab: Lab, past: tuple[datetime, datetime]
) -> None:
    collector = lab.collector(OLD)
    before = collector.inventory()
    everything = rows(collector.samples(Stream.VM_DISK, *past))
    host = next(host for host in before.hosts if any(vm.host_key == host.key for vm in before.vms))
    lab.fault(OLD, "disconnected", match=host.name)
    inventory = collector.inventory()
    (sentence,) = inventory.withheld
    assert sentence.startswith(f"The vCenter is not connected to {host.name} (not responding)")
    found = rows(collector.samples(Stream.VM_DISK, *past))
    of_host = {vm.key for vm in inventory.vms if vm.host_key == host.key}
    assert found == {row for row in everything if row[0].partition("/")[0] not in of_host}
    assert collector.left_out(Stream.VM_DISK) == (), "they are not asked at all"


def test_a_host_that_was_away_is_asked_anew_for_what_its_restart_may_have_changed(lab: Lab) -> None:
    collector = lab.collector(OLD)

    def calls() -> int:
        before = collector.usage.calls
        collector.inventory()
        return collector.usage.calls - before

    first = calls()
    unchanged = calls()
    lab.fault(OLD, "disconnected", match=collector.inventory().hosts[0].name)
    assert calls() == unchanged
    lab.heal_faults()
    assert unchanged + 3 < calls() < first
    assert calls() == unchanged


def test_properties_that_may_not_be_read_reach_the_reader_until_they_may(lab: Lab) -> None:
    collector = lab.collector(OLD)
    host = collector.inventory().hosts[0]
    other = lab.collector(OLD)
    lab.fault(OLD, "unreadable", match=f"{host.key}/config.storageDevice.scsiLun")
    found = other.inventory()
    (sentence,) = found.withheld
    assert sentence.startswith(f"config.storageDevice.scsiLun of {host.name} may not be read (No permission")
    assert "Read-only" in sentence
    assert not [device for device in found.devices if device.host_key == host.key]
    lab.heal_faults()
    again = other.inventory()
    assert again.withheld == ()
    assert [device for device in again.devices if device.host_key == host.key]


def test_a_command_that_the_host_lacks_is_not_answered_with_more_rights(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = Esxcli.rows

    def missing_devices(self: Esxcli, namespace: str, **arguments: str) -> list[CliRow]:
        return lacking(self, namespace.replace("storage.core.device", "storage.core.nothing"), **arguments)

    monkeypatch.setattr(Esxcli, "rows", missing_devices)
    collector = lab.collector(OLD)
    check = check_of(collector, "Queue settings")
    assert check.detail == "esxcli is not available (The object or item referred to could not be found)."
    assert "rights" not in check.remedy
    (sentence,) = collector.inventory().withheld
    assert "cannot be read (The object or item referred to could not be found)" in sentence
    assert "does not have the command" in sentence
    assert "rights" not in sentence
    with pytest.raises(EsxcliError, match=r"^Unknown device: naa\.nobody$"):
        lacking(
            Esxcli(collector._client, collector.inventory().hosts[0].key), "storage.core.device", device="naa.nobody"
        )
