"""Session, inventory, paging and csv samples against the simulator of the govmomi project, which nobody here wrote."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr
from pyVmomi import vim

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.collector import VcenterCollector
from gavel.collectors.hosts.vcenter.columns import batch
from gavel.collectors.hosts.vcenter.counters import catalogue
from gavel.collectors.hosts.vcenter.csv import CsvDecoder
from gavel.collectors.hosts.vcenter.query import queries
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.collectors.hosts.vcenter.watch import PropertyWatch, all_of, retrieve
from gavel.domain.errors import AuthenticationError, ProtocolError
from gavel.domain.source import CheckState, Stream

HOSTS, VMS = 3, 8


@pytest.fixture
def client(vcsim: VcenterSettings) -> Any:
    client = VcenterClient(vcsim)
    yield client
    client.close()


@pytest.fixture
def collector(vcsim: VcenterSettings) -> Any:
    collector = VcenterCollector(vcsim)
    yield collector
    collector.close()


# --- session ------------------------------------------------------------------------------------------------------------


def test_a_wrong_password_is_refused(vcsim: VcenterSettings) -> None:
    client = VcenterClient(vcsim.model_copy(update={"password": SecretStr("wrong")}))
    with pytest.raises(AuthenticationError, match=vcsim.username):
        client.ask(lambda: None)
    client.close()


def test_a_session_ended_at_the_server_is_opened_again(client: VcenterClient) -> None:
    client.ask(lambda: None)
    client.content.sessionManager.Logout()
    assert len(client.ask(lambda: client.content.perfManager.perfCounter)) > 500
    assert client.session == 2


def test_preflight_finds_what_it_has_and_what_it_lacks(collector: VcenterCollector) -> None:
    found = {check.name: check for check in collector.preflight().checks}
    assert found["vCenter"].detail.startswith("vCenter 6.5.0")
    assert found["Privileges"].detail == f"{HOSTS} connected hosts and {VMS} VMs are visible."
    assert "whole ms" in found["Counters"].detail
    assert found["Queue settings"].state is CheckState.WARNING, "storage commands of esxcli are missing there"
    assert collector.preflight().passed


# --- inventory ----------------------------------------------------------------------------------------------------------


def test_the_inventory_is_complete_and_joined(collector: VcenterCollector) -> None:
    inventory = collector.inventory()
    assert (len(inventory.hosts), len(inventory.vms), len(inventory.disks)) == (HOSTS, VMS, VMS)
    hosts = {host.key for host in inventory.hosts}
    assert {vm.host_key for vm in inventory.vms} <= hosts
    assert {device.host_key for device in inventory.devices} == hosts
    devices = {device.key for device in inventory.devices}
    adapters = {hba.key for hba in inventory.hbas}
    assert inventory.paths
    assert all(path.host_device_key in devices and path.hba_key in adapters for path in inventory.paths)
    assert {disk.datastore_key for disk in inventory.disks} == {store.key for store in inventory.datastores}
    assert {host.cluster_key for host in inventory.hosts} == {cluster.key for cluster in inventory.clusters}


def test_pages_smaller_than_the_inventory_lose_nothing(client: VcenterClient) -> None:
    watch = PropertyWatch(client, {vim.VirtualMachine: ("name", "runtime.powerState")}, page=3)
    watched = {properties["name"] for _, properties in watch.update().values()}
    assert len(watched) == VMS

    def listed() -> set[str]:
        spec = all_of(client.content, {vim.VirtualMachine: ("name",)})
        return {found.propSet[0].val for found in retrieve(client.content, spec, page=3)}

    assert client.ask(listed) == watched


def test_a_change_arrives_without_reading_everything_again(client: VcenterClient) -> None:
    watch = PropertyWatch(client, {vim.VirtualMachine: ("name", "runtime.powerState")}, page=100)
    key = min(watch.update())
    before = client.wire.bytes_received
    machine = vim.VirtualMachine(key, client.stub)
    machine.PowerOffVM_Task()
    try:
        for _ in range(20):
            if str(watch.update()[key][1]["runtime.powerState"]) == "poweredOff":
                break
        assert str(watch.update()[key][1]["runtime.powerState"]) == "poweredOff"
    finally:
        machine.PowerOnVM_Task()
    assert client.wire.bytes_received - before < 20_000


def test_a_watch_begins_again_after_its_session_ended(client: VcenterClient) -> None:
    watch = PropertyWatch(client, {vim.HostSystem: ("name",)}, page=2)
    first = dict(watch.update())
    client.content.sessionManager.Logout()
    assert dict(watch.update()) == first
    assert client.session == 2


# --- samples ------------------------------------------------------------------------------------------------------------


def test_csv_samples_are_decoded_though_newest_come_first(client: VcenterClient) -> None:
    known = client.ask(lambda: catalogue(client.content.perfManager.perfCounter))
    hosts = sorted(PropertyWatch(client, {vim.HostSystem: ("name",)}, page=100).update())
    ids = [known.ids["disk.read.average"], known.ids["disk.write.average"]]
    (call,) = queries("PerfMgr", "HostSystem", hosts, ids, size=10, instance="")
    until = datetime.now(UTC)
    since = until - timedelta(minutes=2)
    decoder = CsvDecoder(call.columns)

    def post() -> None:
        with client.stub.exchange(call.body(since, until)) as reply:
            assert reply.status == 200
            for chunk in reply.chunks():
                decoder.feed(chunk)

    client.ask(post)
    (part,) = decoder.finish()
    assert sorted(entity for entity, _ in part.names) == hosts
    assert (part.values >= 0).all()
    assert (part.ended_at_us[:, 0] > part.ended_at_us[:, -1]).all(), "this server serves the newest sample first"
    rows = batch(
        Stream.HOST_DEVICE,
        ["disk.read.average", "disk.write.average"],
        replace(part, names=tuple((entity, "all") for entity, _ in part.names)),  # else it is an aggregate
        lambda entity, instance: f"{entity}/{instance}",
        since_us=round(since.timestamp() * 1e6),
        until_us=round(until.timestamp() * 1e6),
    )
    assert rows is not None
    assert len(rows) >= 5 * len(hosts)
    assert set(rows.interval_s.tolist()) == {20}


def test_what_the_server_does_not_expand_is_asked_for_by_name(collector: VcenterCollector) -> None:
    now = datetime.now(UTC)
    found = list(collector.samples(Stream.HOST_DEVICE, now - timedelta(minutes=1), now))
    hosts = {host.key for host in collector.inventory().hosts}
    assert {key.partition("/")[0] for part in found for key in part.keys} == hosts
    assert sum(len(part) for part in found) >= HOSTS


def test_a_server_without_counters_of_disks_is_refused_with_the_reason(collector: VcenterCollector) -> None:
    now = datetime.now(UTC)
    with pytest.raises(ProtocolError, match=r"does not expand the instance '\*'.*not a complete vCenter"):
        list(collector.samples(Stream.VM_DISK, now - timedelta(minutes=1), now))


def test_the_clock_of_the_vcenter_is_told_and_hosts_without_one_are_left_out(collector: VcenterCollector) -> None:
    (reading,) = collector.clocks()
    assert reading.subject is None
    assert abs(reading.offset_s) <= 1 + reading.error_s
