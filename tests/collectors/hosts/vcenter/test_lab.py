"""The collector against the lab's vCenters: what it reads is what they serve, and faults cost samples, never truth."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from pyVmomi import vim
from tests.collectors.hosts.vcenter.conftest import Lab
from tests.collectors.hosts.vcenter.reading import NEW, OLD, column, reach, rows
from tests.waiting import wait_for

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.collector import VcenterCollector
from gavel.domain.errors import (
    CertificateError,
    DeadlineError,
    OverloadedError,
    ProtocolError,
    SourceError,
    SourceUnreachableError,
)
from gavel.domain.inventory import DatastoreType, Protocol, Vm
from gavel.domain.samples import NOT_MEASURED, Precision
from gavel.domain.source import Stream
from gavel_lab.lab import create_lab


@pytest.fixture(scope="module", params=[OLD, NEW])
def opened(running_lab: Lab, request: pytest.FixtureRequest) -> Iterator[VcenterCollector]:
    """One collector for all tests that only read: signing in and the whole inventory cost more than what they ask for."""
    found = VcenterCollector(running_lab.vcenters[request.param])
    yield found
    found.close()


@pytest.fixture
def collector(lab: Lab, opened: VcenterCollector) -> VcenterCollector:
    """The collector, and a lab without faults."""
    return opened


# --- what is there ------------------------------------------------------------------------------------------------------


def test_preflight_passes_and_tells_the_precision(lab: Lab) -> None:
    words = {}
    for name in (OLD, NEW):
        preflight = lab.collector(name).preflight()
        assert preflight.passed, preflight
        assert preflight.identity == lab.collector(name).inventory().vcenter.key
        words[name] = next(check.detail for check in preflight.checks if check.name == "Counters")
    assert "whole ms" in words[OLD]
    assert words[NEW].startswith("ESXi 9.0.1: µs")


def test_the_inventory_holds_every_kind_of_storage(lab: Lab) -> None:
    found = [lab.collector(name).inventory() for name in (OLD, NEW)]
    stores = [store for inventory in found for store in inventory.datastores]
    assert len(stores) == 17
    assert {DatastoreType.VMFS, DatastoreType.NFS, DatastoreType.VVOL} <= {store.type for store in stores}
    assert max(len(store.extents) for store in stores) > 1
    assert len([vm for inventory in found for vm in inventory.vms]) == 56
    disks = [disk for inventory in found for disk in inventory.disks]
    assert {disk.controller_type for disk in disks} >= {"PVSCSI", "NVMe"}
    assert any(disk.device_name for disk in disks)
    assert any(disk.vvol_id for disk in disks)
    assert any(disk.iops_limit for disk in disks)
    hbas = [hba for inventory in found for hba in inventory.hbas]
    assert {Protocol.FC, Protocol.ISCSI, Protocol.NVME_TCP} <= {hba.protocol for hba in hbas}
    assert {hba.driver for hba in hbas if hba.queue_depth} >= {"nfnic", "iscsi_vmk"}
    assert all(device.dsnro for inventory in found for device in inventory.devices)


def test_paths_have_both_names_and_tell_which_of_them_are_optimized(lab: Lab) -> None:
    environment = create_lab().environment
    found = {
        (path.key.partition("/")[0], path.name): (path.counter, path.is_optimized)
        for name in (OLD, NEW)
        for path in lab.collector(name).inventory().paths
    }
    assert found == {
        (host.moref, path.name): (path.uid, path.optimized)
        for host in environment.hosts
        for device in (environment.devices[index] for index in host.devices)
        for path in (environment.paths[index] for index in device.paths)
    }
    assert {is_optimized for _, is_optimized in found.values()} == {True, False}


@pytest.mark.parametrize("name", [OLD, NEW])
def test_paths_without_esxcli_have_the_counters_of_their_adapter_target_and_device(lab: Lab, name: str) -> None:
    lab.fault(name, "refuse", privilege="Host.Config.Settings", match="RetrieveManagedMethodExecuter")
    inventory = lab.collector(name).inventory()
    environment = create_lab().environment
    expected = {
        (host.moref, path.name): path.uid
        for host in environment.hosts
        if environment.vcenters[host.vcenter].name == name
        for device in (environment.devices[index] for index in host.devices)
        for path in (environment.paths[index] for index in device.paths)
    }
    assert {(path.key.partition("/")[0], path.name): path.counter for path in inventory.paths} == expected
    assert {path.is_optimized for path in inventory.paths} == {None}
    assert inventory.unknown_paths == ()


def test_an_inventory_that_has_not_changed_costs_next_to_nothing(collector: VcenterCollector) -> None:
    first = collector.inventory()
    before = collector.usage.bytes_received
    assert collector.inventory() == first
    assert collector.usage.bytes_received - before < 20_000


def test_a_vmotion_moves_the_vm_in_the_inventory(lab: Lab) -> None:
    collector = lab.collector(NEW)
    before = collector.inventory()
    vm = next(vm for vm in before.vms if vm.host_key)
    target = next(host for host in before.hosts if host.key != vm.host_key)
    lab.fault(NEW, "vmotion", vm=vm.name, host=target.name)

    def host() -> str | None:
        return next(found.host_key for found in collector.inventory().vms if found.key == vm.key)

    wait_for(lambda: host() == target.key, "VM on its new host")


@pytest.mark.parametrize("stream", [Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ADAPTER])
def test_some_hosts_and_vms_are_asked_for_alone(lab: Lab, past: tuple[datetime, datetime], stream: Stream) -> None:
    collector = lab.collector(NEW)
    everybody = rows(collector.samples(stream, *past))
    owners = sorted({row[0].partition("/")[0] for row in everybody})
    wanted = set(owners[::2])
    calls = collector.usage.calls
    assert rows(collector.samples(stream, *past, wanted.__contains__)) == {
        row for row in everybody if row[0].partition("/")[0] in wanted
    }
    assert collector.usage.calls > calls
    calls = collector.usage.calls
    assert rows(collector.samples(stream, *past, lambda _: False)) == set()
    assert collector.usage.calls <= calls + 1, "at most what exists is looked at"


def test_a_renamed_vm_stays_the_same_and_one_that_is_off_has_no_samples_until_it_is_on_again(lab: Lab) -> None:
    collector = lab.collector(NEW)
    vm = next(vm for vm in collector.inventory().vms if vm.power_state == "poweredOn")
    lab.fault(NEW, "rename_vm", vm=vm.name, name="renamed-by-somebody")
    lab.fault(NEW, "power", vm="renamed-by-somebody", state="off")
    try:
        off = seen_as(collector, vm.key, "poweredOff")
        assert (off.name, off.host_key) == ("renamed-by-somebody", vm.host_key)
        now = datetime.now(UTC)
        found = rows(collector.samples(Stream.VM_DISK, now - timedelta(minutes=2), now))
        assert found
        assert not [row for row in found if row[0].startswith(f"{vm.key}/")]
    finally:
        lab.fault(NEW, "power", vm="renamed-by-somebody", state="on")
        lab.fault(NEW, "rename_vm", vm="renamed-by-somebody", name=vm.name)
    assert seen_as(collector, vm.key, "poweredOn") == vm
    found = rows(collector.samples(Stream.VM_DISK, now - timedelta(minutes=2), now))
    assert [row for row in found if row[0].startswith(f"{vm.key}/")], "its past is told again"


def seen_as(collector: VcenterCollector, key: str, power_state: str) -> Vm:
    """The VM once it is in that state: the lab looks at its environment a few times a second."""

    def seen() -> Vm | None:
        return next((vm for vm in collector.inventory().vms if (vm.key, vm.power_state) == (key, power_state)), None)

    found = wait_for(seen, f"{key} {power_state}")
    assert found is not None
    return found


def test_clocks_of_the_vcenter_and_of_each_host_are_told(collector: VcenterCollector) -> None:
    hosts = {host.key for host in collector.inventory().hosts}
    readings = {reading.subject: reading for reading in collector.clocks()}
    assert set(readings) == hosts | {None}
    assert all(abs(reading.offset_s) < 10 for reading in readings.values())


def test_a_shifted_clock_is_seen(lab: Lab) -> None:
    collector = lab.collector(OLD)
    before = collector.clocks()[0]
    lab.fault(OLD, "shift_clock", by_s=90.0)
    try:
        after = collector.clocks()[0]
    finally:
        lab.fault(OLD, "shift_clock", by_s=-90.0)
    tolerance = 1 + before.error_s + after.error_s
    assert after.offset_s - before.offset_s == pytest.approx(90, abs=tolerance)


# --- samples ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ADAPTER, Stream.PATH, Stream.HOST_CPU])
def test_reading_a_window_in_parts_or_again_gives_the_same_rows(
    collector: VcenterCollector, past: tuple[datetime, datetime], stream: Stream
) -> None:
    start, end = reach(past, stream)
    middle = start + (end - start) / 2 + timedelta(seconds=3.7)
    whole = rows(collector.samples(stream, start, end))
    assert whole
    first = rows(collector.samples(stream, start, middle))
    second = rows(collector.samples(stream, middle, end))
    assert not first & second
    assert first | second == whole
    assert rows(collector.samples(stream, start, end)) == whole


@pytest.mark.parametrize("stream", [Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ADAPTER, Stream.PATH, Stream.HOST_CPU])
def test_samples_name_what_the_inventory_names_and_leave_no_hole(
    collector: VcenterCollector, past: tuple[datetime, datetime], stream: Stream
) -> None:
    inventory = collector.inventory()
    things: Any = {
        Stream.HOST_DEVICE: inventory.devices,
        Stream.VM_DISK: inventory.disks,
        Stream.ADAPTER: inventory.hbas,
        Stream.PATH: inventory.paths,
        Stream.HOST_CPU: inventory.hosts,
    }[stream]
    names = {thing.key for thing in things}
    if stream is Stream.PATH:
        names = {f"{thing.host_device_key.partition('/')[0]}/{thing.counter}" for thing in things}
    start, end = reach(past, stream)
    found = list(collector.samples(stream, start, end))
    interval_s = 300 if stream is Stream.PATH else 20
    stamps: dict[str, list[int]] = {}
    for key, stamp, length, _ in rows(found):
        stamps.setdefault(key, []).append(stamp)
        assert length == interval_s
    assert set(stamps) <= names
    for ends in stamps.values():
        assert len(ends) >= (end - start).total_seconds() // interval_s - 1
        assert {later - earlier for earlier, later in pairwise(sorted(ends))} == {interval_s}
    assert max(column(found, "usage_basis_points" if stream is Stream.HOST_CPU else "read_ops")) > 0


def test_precision_follows_the_version(lab: Lab, past: tuple[datetime, datetime]) -> None:
    precision = {
        name: set(column(list(lab.collector(name).samples(Stream.HOST_DEVICE, *past)), "precision"))
        for name in (OLD, NEW)
    }
    assert precision == {OLD: {Precision.MILLISECOND}, NEW: {Precision.MICROSECOND}}


def test_a_window_without_samples_yields_nothing(collector: VcenterCollector) -> None:
    now = datetime.now(UTC)
    for stream in collector.streams:
        assert list(collector.samples(stream, now + timedelta(minutes=2), now + timedelta(minutes=9))) == []
        assert list(collector.samples(stream, now, now)) == []


def theirs_of(client: VcenterClient, spec: vim.PerformanceManager.QuerySpec) -> Any:
    (found,) = client.ask(lambda: client.content.perfManager.QueryPerf([spec]))
    return found


def test_values_are_those_a_client_of_others_reads(lab: Lab, past: tuple[datetime, datetime]) -> None:
    """pyVmomi's own QueryPerf in normal format, value by value, for one host and one VM."""
    collector = lab.collector(NEW)
    window = (past[1] - timedelta(minutes=2), past[1])
    client = collector._client
    ids = {counter_name(found): found.key for found in client.ask(lambda: client.content.perfManager.perfCounter)}
    inventory = collector.inventory()
    checks = (
        (Stream.HOST_DEVICE, vim.HostSystem, inventory.hosts[0].key, "storage.latency.readDavg.average", "read_davg_us"),
        (Stream.HOST_DEVICE, vim.HostSystem, inventory.hosts[0].key, "disk.numberWrite.summation", "write_ops"),
        (Stream.VM_DISK, vim.VirtualMachine, inventory.disks[0].vm_key, "virtualDisk.readLatencyUS.latest", "read_latency_us"),
    )  # fmt: skip
    for stream, kind, key, counter, name in checks:
        spec = vim.PerformanceManager.QuerySpec(
            entity=kind(key, client.stub),
            metricId=[vim.PerformanceManager.MetricId(counterId=ids[counter], instance="*")],
            startTime=window[0],
            endTime=window[1],
            intervalId=20,
        )
        theirs = theirs_of(client, spec)
        expected = {
            (f"{key}/{series.id.instance}", round(info.timestamp.timestamp())): value
            for series in theirs.value
            for info, value in zip(theirs.sampleInfo, series.value, strict=True)
        }
        ours = {
            (batch.keys[place], int(ended) // 1_000_000): int(value)
            for batch in collector.samples(stream, *window)
            for place, ended, value in zip(batch.key_index, batch.ended_at_us, batch.values[name], strict=True)
            if batch.keys[place].startswith(f"{key}/")
        }
        assert ours == expected


def counter_name(counter: Any) -> str:
    return f"{counter.groupInfo.key}.{counter.nameInfo.key}.{counter.rollupType}"


# --- faults -------------------------------------------------------------------------------------------------------------


def test_expired_sessions_cost_a_login_and_no_sample(lab: Lab, past: tuple[datetime, datetime]) -> None:
    collector = lab.collector(NEW)
    before = rows(collector.samples(Stream.VM_DISK, *past))
    inventory = collector.inventory()
    lab.fault(NEW, "expire_sessions")
    assert rows(collector.samples(Stream.VM_DISK, *past)) == before
    assert collector.inventory() == inventory


def test_a_session_that_ended_is_opened_again_to_read_the_clocks(lab: Lab, collector: VcenterCollector) -> None:
    subjects = {reading.subject for reading in collector.clocks()}
    for source in (OLD, NEW):
        lab.fault(source, "expire_sessions")
    assert {reading.subject for reading in collector.clocks()} == subjects


@pytest.mark.parametrize("stream", [Stream.HOST_DEVICE, Stream.VM_DISK])
def test_renumbered_counters_never_put_a_value_in_another_column(
    lab: Lab, past: tuple[datetime, datetime], stream: Stream
) -> None:
    collector = lab.collector(OLD)
    before = rows(collector.samples(stream, *past))
    for _ in range(3):
        lab.fault(OLD, "renumber_counters")
        assert rows(collector.samples(stream, *past)) == before


def test_missing_samples_are_gaps_and_never_zeros(lab: Lab, past: tuple[datetime, datetime]) -> None:
    collector = lab.collector(OLD)
    whole = {row[:3]: row[3] for row in rows(collector.samples(Stream.VM_DISK, *past))}
    lab.fault(OLD, "missing_samples")
    found = {row[:3]: row[3] for row in rows(collector.samples(Stream.VM_DISK, *past))}
    assert found.keys() < whole.keys() or found != whole, "the fault did nothing"
    for place, values in found.items():
        assert all(value in {NOT_MEASURED, true} for value, true in zip(values, whole[place], strict=True))


@pytest.mark.parametrize(
    ("kind", "parameters", "error"),
    [
        ("html", {}, ProtocolError),
        ("garbage", {}, ProtocolError),
        ("cut_body", {"after_bytes": 5000}, SourceUnreachableError),
        ("status", {"status": 503, "retry_after_s": 4}, OverloadedError),
    ],
)
def test_a_broken_answer_is_named_and_the_next_read_is_whole(
    lab: Lab, past: tuple[datetime, datetime], kind: str, parameters: dict[str, Any], error: type[SourceError]
) -> None:
    collector = lab.collector(NEW)
    before = rows(collector.samples(Stream.HOST_DEVICE, *past))
    lab.fault(NEW, kind, match="<QueryPerf ", count=1, **parameters)
    with pytest.raises(error, match=r"127\.0\.0\.1"):
        list(collector.samples(Stream.HOST_DEVICE, *past))
    assert rows(collector.samples(Stream.HOST_DEVICE, *past)) == before


@pytest.mark.parametrize(("kind", "parameters"), [("black_hole", {}), ("slow_drip", {"bytes_per_s": 200})])
def test_a_stalled_answer_ends_in_a_deadline(
    lab: Lab,
    past: tuple[datetime, datetime],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    parameters: dict[str, Any],
) -> None:
    monkeypatch.setattr("gavel.collectors.hosts.vcenter.wire.TOTAL_S", 3.0)
    monkeypatch.setattr("gavel.egress.kept_connection.READ_S", 2.5)
    collector = lab.collector(NEW)
    collector.clocks()
    lab.fault(NEW, kind, match="<QueryPerf ", count=1, **parameters)
    with pytest.raises(DeadlineError):
        list(collector.samples(Stream.HOST_DEVICE, *past))
    with monkeypatch.context() as patient:
        patient.setattr("gavel.collectors.hosts.vcenter.wire.TOTAL_S", 18.0)
        patient.setattr("gavel.egress.kept_connection.READ_S", 15.0)
        before = collector.usage.calls
        assert rows(collector.samples(Stream.HOST_DEVICE, *past)) == rows(
            lab.collector(NEW).samples(Stream.HOST_DEVICE, *past)
        )
        assert collector.usage.calls - before > 2 * 2, "after a deadline less is asked for at once"


def test_a_host_whose_esxcli_stalls_costs_its_queue_settings_only(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavel.collectors.hosts.vcenter.probing._WITHIN_S", 1.5)
    lab.fault(NEW, "black_hole", match="<ExecuteSoap ")
    inventory = lab.collector(NEW).inventory()
    assert inventory.devices
    assert {device.dsnro for device in inventory.devices} == {None}


def test_another_certificate_stops_polling_before_the_password_is_sent(lab: Lab) -> None:
    lab.fault(NEW, "wrong_certificate")
    with pytest.raises(CertificateError, match="not the pinned one"):
        lab.collector(NEW).inventory()
