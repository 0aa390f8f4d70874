"""Settings that rules read, from the lab over the real protocol: as they are, and after somebody changed them."""

from dataclasses import replace
from typing import Any

from pyVmomi import vim
from tests.collectors.hosts.vcenter.conftest import Lab
from tests.collectors.hosts.vcenter.reading import NEW, OLD

from gavel.collectors.hosts.vcenter.host_options import host_options, option_definitions
from gavel.domain.inventory import HostOption

ESX = "esx-01.lab.example"


def test_options_have_the_range_and_default_that_the_host_defines(lab: Lab) -> None:
    for name in (OLD, NEW):
        inventory = lab.collector(name).inventory()
        assert {len(host.options) for host in inventory.hosts} == {4}
        for host in inventory.hosts:
            assert host.options["Disk.SchedCostUnit"] == HostOption(32_768, 4096, 262_144, 32_768)
            assert host.ntp_running is True
        assert {device.is_flash for device in inventory.devices} == {True}
        assert {device.queue_full_sample_size for device in inventory.devices} == {0}


def test_options_that_were_changed_are_read_by_the_next_collector(lab: Lab) -> None:
    before = lab.collector(OLD).inventory()
    lab.fault(OLD, "option", host=ESX, option="Disk.QFullSampleSize", value=32)
    try:
        after = lab.collector(OLD).inventory()
    finally:
        lab.fault(OLD, "option", host=ESX, option="Disk.QFullSampleSize", value=0)
    sizes = {host.name: host.options["Disk.QFullSampleSize"].value for host in after.hosts}
    assert sizes == {host.name: 32 if host.name == ESX else 0 for host in before.hosts}


def test_sioc_and_ntp_are_watched(lab: Lab) -> None:
    """By the same collector: they are properties, which the vCenter keeps current."""
    collector = lab.collector(OLD)
    before = collector.inventory()
    assert {store.sioc_enabled for store in before.datastores} == {False}
    lab.fault(OLD, "sioc", datastore="sql-01", state="on", threshold_ms=10)
    lab.fault(OLD, "ntp", host=ESX, state="off")
    try:
        after = collector.inventory()
    finally:
        lab.fault(OLD, "sioc", datastore="sql-01", state="off")
        lab.fault(OLD, "ntp", host=ESX, state="on")
    changed = {store.name: store.sioc_threshold_ms for store in after.datastores if store.sioc_enabled}
    assert changed == {"sql-01": 10}
    assert {host.name for host in after.hosts if not host.ntp_running} == {ESX}
    again = collector.inventory()
    stores = tuple(replace(one, sioc_threshold_ms=30) for one in again.datastores)
    assert stores == before.datastores


def test_options_vvol_datastores_have_no_sioc(lab: Lab) -> None:
    stores = lab.collector(NEW).inventory().datastores
    assert {store.sioc_enabled for store in stores if store.type == "vvol"} == {None}


def test_options_without_a_definition_have_a_value_only_and_texts_are_left_out() -> None:
    value: Any = vim.option.OptionValue
    given = [value(key="Disk.SchedCostUnit", value=8), value(key="Disk.QFullThreshold", value="8")]
    assert host_options(given, {}) == {"Disk.SchedCostUnit": HostOption(8)}
    assert option_definitions([]) == {}
