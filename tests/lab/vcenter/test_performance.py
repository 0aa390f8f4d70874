"""QueryPerf: both formats, windows, instances, and numbers that are the model's."""

from datetime import UTC, datetime
from itertools import pairwise
from types import MethodType
from typing import Any

import numpy as np
import pytest
from pyVmomi import vim, vmodl
from tests.lab.vcenter.labs import Place
from tests.lab.vcenter.reading import ask, counter_ids, series, stamps
from tests.lab.vcenter.test_inventory import hosts_of, vms_of
from tests.lab.vcenter.wire import VIM, Wire

from gavel_lab.environment import EsxiHost, Vm
from gavel_lab.lab import Lab
from gavel_lab.model import By
from gavel_lab.quantise import count, kilobytes_per_s, microseconds, milliseconds
from gavel_lab.reading import READ, WRITE, Reading

DEVICE_MS = [
    f"disk.{name}Latency.average" for name in ("deviceRead", "deviceWrite", "kernelRead", "totalRead", "queueRead")
]
DEVICE_RATES = ["disk.numberReadAveraged.average", "disk.numberWriteAveraged.average"]


def instant(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def reference(vsphere: Any, record: EsxiHost | Vm) -> Any:
    kind = vim.HostSystem if isinstance(record, EsxiHost) else vim.VirtualMachine
    return kind(record.moref, vsphere._stub)


def read(place: Place, by: By, rows: list[int], ends: list[int], host: EsxiHost) -> Reading:
    windows = place.lab.clocks.hosts[host.index].windows(np.array(ends), 20.0)
    return place.lab.model.read(by, rows, windows)


@pytest.fixture
def host(place: Place) -> EsxiHost:
    return hosts_of(place)[0]


@pytest.fixture
def quiet_vm(place: Place) -> Vm:
    """A VM that has not moved within the hour."""
    now = place.lab.clocks.lab_time.now()
    return next(
        vm for vm in vms_of(place) if vm.is_powered_on and not place.lab.placement.moves(vm.index, now - 3700, now)
    )


def test_csv_and_normal_carry_the_same_numbers(vsphere: Any, host: EsxiHost, quiet_vm: Vm) -> None:
    for record, keys in ((host, DEVICE_MS + DEVICE_RATES), (quiet_vm, ["virtualDisk.readLatencyUS.latest"])):
        entity = reference(vsphere, record)
        csv = ask(vsphere, entity, keys, "csv", maxSample=9)
        normal = ask(vsphere, entity, keys, "normal", maxSample=9)
        assert stamps(csv) == stamps(normal)
        assert series(vsphere, csv) == series(vsphere, normal)
        assert len(stamps(csv)) == 9


def test_device_counters_are_the_models_times_in_whole_milliseconds(place: Place, vsphere: Any, host: EsxiHost) -> None:
    answer = ask(vsphere, reference(vsphere, host), DEVICE_MS + DEVICE_RATES + ["disk.read.average"], maxSample=6)
    truth = read(place, By.DEVICE, list(host.devices), stamps(answer), host)
    rounding = place.vcenter.ms_rounding
    expected = {
        "disk.deviceReadLatency.average": milliseconds(truth.latency_us("driver")[..., READ], rounding),
        "disk.deviceWriteLatency.average": milliseconds(truth.latency_us("driver")[..., WRITE], rounding),
        "disk.kernelReadLatency.average": milliseconds(truth.kernel_us()[..., READ], rounding),
        "disk.totalReadLatency.average": milliseconds(truth.latency_us("device")[..., READ], rounding),
        "disk.queueReadLatency.average": milliseconds(truth.segment_us("kernel_queue")[..., READ], rounding),
        "disk.numberReadAveraged.average": count(truth.ops_per_s()[..., READ]),
        "disk.numberWriteAveraged.average": count(truth.ops_per_s()[..., WRITE]),
        "disk.read.average": kilobytes_per_s(truth.bytes_per_s()[..., READ]),
    }
    seen = series(vsphere, answer)
    for key, values in expected.items():
        for row, index in enumerate(host.devices):
            assert seen[key, place.lab.environment.devices[index].name] == values[row].tolist(), key
    assert any(any(values) for (key, _), values in seen.items() if key.startswith("disk.number"))


def test_cpu_usage_comes_in_hundredths_of_a_percent_of_the_host_as_a_whole(
    place: Place, vsphere: Any, host: EsxiHost
) -> None:
    answer = ask(vsphere, reference(vsphere, host), ["cpu.usage.average"], instance="", maxSample=3)
    windows = place.lab.clocks.hosts[host.index].windows(np.array(stamps(answer)), 20.0)
    shares = place.lab.cpu.shares([host.index], windows)[0]
    assert series(vsphere, answer) == {("cpu.usage.average", ""): count(10_000 * shares).tolist()}
    assert all(0 < share < 1 for share in shares)


def test_queue_depths_are_those_in_force(place: Place, vsphere: Any, host: EsxiHost) -> None:
    answer = ask(vsphere, reference(vsphere, host), ["disk.maxQueueDepth.average"], maxSample=3)
    windows = place.lab.clocks.hosts[host.index].windows(np.array(stamps(answer)), 20.0)
    depths = place.lab.model.device_depths(list(host.devices), windows)
    seen = series(vsphere, answer)
    for row, index in enumerate(host.devices):
        assert (
            seen["disk.maxQueueDepth.average", place.lab.environment.devices[index].name] == count(depths[row]).tolist()
        )


def test_virtual_disks_are_timed_in_microseconds(place: Place, vsphere: Any, quiet_vm: Vm) -> None:
    keys = ["virtualDisk.readLatencyUS.latest", "virtualDisk.totalReadLatency.average", "virtualDisk.readOIO.latest"]
    answer = ask(vsphere, reference(vsphere, quiet_vm), keys, maxSample=4)
    home = place.lab.environment.hosts[place.lab.placement.host_of(quiet_vm.index, place.lab.clocks.lab_time.now())]
    mean = read(place, By.DISK, list(quiet_vm.disks), stamps(answer), home)
    latest = mean
    if place.vcenter.latest_means == "last_second":
        windows = place.lab.clocks.hosts[home.index].windows(np.array(stamps(answer)), 1.0)
        latest = place.lab.model.read(By.DISK, list(quiet_vm.disks), windows)
    seen = series(vsphere, answer)
    for row, index in enumerate(quiet_vm.disks):
        instance = place.lab.environment.disks[index].instance
        us = microseconds(latest.latency_us("vscsi")[row, :, READ])
        ms = milliseconds(mean.latency_us("vscsi")[row, :, READ], place.vcenter.ms_rounding)
        assert seen[keys[0], instance] == us.tolist()
        assert seen[keys[1], instance] == ms.tolist()
        assert seen[keys[2], instance] == count(latest.outstanding("vscsi")[row, :, READ]).tolist()


def test_the_microsecond_boundaries_nest(new: Place) -> None:
    """GAVG = DAVG + KAVG and QAVG is part of KAVG, to the rounding of each."""
    words = [f"storage.latency.{word}{part}.average" for word in ("read", "write") for part in
             ("Gavg", "Davg", "Kavg", "Qavg")]  # fmt: skip
    with new.connection() as vsphere:
        for host in hosts_of(new):
            seen = series(vsphere, ask(vsphere, reference(vsphere, host), words, maxSample=30))
            for (key, instance), gavg in seen.items():
                if not key.endswith("Gavg.average"):
                    continue
                davg, kavg, qavg = (seen[key.replace("Gavg", part), instance] for part in ("Davg", "Kavg", "Qavg"))
                for total, driver, kernel, queue in zip(gavg, davg, kavg, qavg, strict=True):
                    assert abs(total - driver - kernel) <= 1
                    assert queue <= kernel + 1


def test_milliseconds_and_microseconds_of_one_device_agree(new: Place) -> None:
    host = hosts_of(new)[0]
    pair = ["disk.deviceReadLatency.average", "storage.latency.readDavg.average"]
    with new.connection() as vsphere:
        seen = series(vsphere, ask(vsphere, reference(vsphere, host), pair, maxSample=60))
    for (key, instance), coarse in seen.items():
        if key == pair[0]:
            fine = seen[pair[1], instance]
            assert all(abs(1000 * ms - us) <= 1000 for ms, us in zip(coarse, fine, strict=True))


def test_a_window_excludes_its_start_and_includes_its_end(vsphere: Any, host: EsxiHost) -> None:
    entity = reference(vsphere, host)
    newest = stamps(ask(vsphere, entity, DEVICE_RATES, maxSample=10))
    window: dict[str, Any] = {"startTime": instant(newest[2]), "endTime": instant(newest[6])}
    assert stamps(ask(vsphere, entity, DEVICE_RATES, **window)) == newest[3:7]
    assert stamps(ask(vsphere, entity, DEVICE_RATES, maxSample=2, **window)) == newest[5:7]


def test_reading_a_window_again_gives_the_same_numbers(vsphere: Any, host: EsxiHost, quiet_vm: Vm) -> None:
    for record, keys in ((host, DEVICE_MS + DEVICE_RATES), (quiet_vm, ["virtualDisk.writeLatencyUS.latest"])):
        entity = reference(vsphere, record)
        first = ask(vsphere, entity, keys, maxSample=120)
        ends = stamps(first)
        part: dict[str, Any] = {"startTime": instant(ends[9]), "endTime": instant(ends[39])}
        whole, again = series(vsphere, first), series(vsphere, ask(vsphere, entity, keys, **part))
        assert {name: values[10:40] for name, values in whole.items()} == again


def test_a_ring_holds_an_hour_oldest_first(vsphere: Any, host: EsxiHost) -> None:
    answer = ask(vsphere, reference(vsphere, host), DEVICE_RATES, startTime=instant(0))
    ends = stamps(answer)
    assert len(ends) == 180
    assert [after - before for before, after in pairwise(ends)] == [20] * 179


def test_without_a_window_only_the_newest_sample_comes(place: Place, vsphere: Any, host: EsxiHost) -> None:
    ends = stamps(ask(vsphere, reference(vsphere, host), DEVICE_RATES))
    own = place.lab.clocks.hosts[host.index].now()
    assert len(ends) == 1
    assert 0 <= own - ends[0] < 20


def test_samples_bear_the_hosts_clock(place: Place, vsphere: Any) -> None:
    """Two hosts whose clocks differ have different newest stamps or the same stamp for different moments."""
    moments = set()
    for host in hosts_of(place):
        end = stamps(ask(vsphere, reference(vsphere, host), DEVICE_RATES))[0]
        assert end % 20 == 0
        moments.add(float(place.lab.clocks.hosts[host.index].to_lab(np.array([float(end)]))[0]) % 20)
    assert len(moments) == len(hosts_of(place))


def test_an_asterisk_stands_for_every_instance_and_the_aggregate(place: Place, vsphere: Any, host: EsxiHost) -> None:
    entity = reference(vsphere, host)
    names = {instance for _, instance in series(vsphere, ask(vsphere, entity, ["disk.read.average"]))}
    own = {place.lab.environment.devices[index].name for index in host.devices}
    assert names == own | {""}
    only = series(vsphere, ask(vsphere, entity, ["disk.read.average"], instance=""))
    assert set(only) == {("disk.read.average", "")}
    one = min(own)
    assert set(series(vsphere, ask(vsphere, entity, ["disk.read.average"], instance=one))) == {
        ("disk.read.average", one)
    }
    assert not ask(vsphere, entity, ["disk.read.average"], instance="naa.nobody").value


def test_what_is_available_is_what_a_query_for_everything_returns(place: Place, vsphere: Any, quiet_vm: Vm) -> None:
    manager = vsphere.RetrieveContent().perfManager
    records: list[EsxiHost | Vm] = [*hosts_of(place), quiet_vm]
    for record in records:
        entity = reference(vsphere, record)
        listed = {(one.counterId, one.instance) for one in manager.QueryAvailablePerfMetric(entity, None, None, 20)}
        spec = vim.PerformanceManager.QuerySpec(entity=entity, intervalId=20, format="csv", maxSample=1)
        (everything,) = manager.QueryPerf([spec])
        assert {(one.id.counterId, one.id.instance) for one in everything.value} == listed


def test_the_worst_latency_is_that_of_the_worst_device(place: Place, vsphere: Any, host: EsxiHost) -> None:
    keys = ["disk.maxTotalLatency.latest", "disk.totalLatency.average"]
    seen = series(vsphere, ask(vsphere, reference(vsphere, host), keys, maxSample=15))
    worst = seen.pop((keys[0], ""))
    if place.vcenter.latest_means == "mean":
        assert worst == [max(column) for column in zip(*seen.values(), strict=True)]
    assert len(worst) == 15


def test_paths_and_adapters_add_up_to_the_devices(vsphere: Any, host: EsxiHost) -> None:
    keys = [f"{group}.numberReadAveraged.average" for group in ("disk", "storagePath", "storageAdapter")]
    seen = series(vsphere, ask(vsphere, reference(vsphere, host), keys, maxSample=5))
    sums = {key: np.sum([values for (name, _), values in seen.items() if name == key], axis=0) for key in keys}
    parts = {key: sum(name == key for name, _ in seen) for key in keys}
    for key in keys[1:]:
        assert np.all(abs(sums[key] - sums[keys[0]]) <= (parts[key] + parts[keys[0]]) / 2)


def test_hosts_see_their_datastores(place: Place, vsphere: Any, host: EsxiHost) -> None:
    key = "datastore.numberReadAveraged.average"
    seen = series(vsphere, ask(vsphere, reference(vsphere, host), [key], maxSample=3))
    assert {instance for _, instance in seen} == {place.lab.environment.datastores[one].uuid for one in host.datastores}
    windows = place.lab.clocks.hosts[host.index].windows(
        np.array(stamps(ask(vsphere, reference(vsphere, host), [key], maxSample=3))), 20.0
    )
    pairs = [(host.index, datastore) for datastore in host.datastores]
    truth = count(place.lab.model.read_datastore_of_host(pairs, windows).ops_per_s()[..., READ])
    for row, datastore in enumerate(host.datastores):
        assert seen[key, place.lab.environment.datastores[datastore].uuid] == truth[row].tolist()


def test_datastores_have_roll_ups_only(place: Place, vsphere: Any) -> None:
    manager = vsphere.RetrieveContent().perfManager
    datastore = next(one for one in place.lab.environment.datastores if one.vcenter == place.vcenter.index)
    entity = vim.Datastore(datastore.moref, vsphere._stub)
    summary = manager.QueryPerfProviderSummary(entity)
    assert (summary.currentSupported, summary.refreshRate) == (False, -1)
    assert manager.QueryAvailablePerfMetric(entity, None, None, 20) == []
    key = "datastore.numberReadAveraged.average"
    since = instant(place.lab.clocks.vcenters[place.vcenter.index].now() - 950)
    ends = stamps(ask(vsphere, entity, [key], intervalId=300, startTime=since))
    assert len(ends) == 3
    assert all(end % 300 == 0 for end in ends)
    host = manager.QueryPerfProviderSummary(reference(vsphere, hosts_of(place)[0]))
    assert (host.currentSupported, host.refreshRate) == (True, 20)


@pytest.mark.parametrize("interval", [1, 21, 60])
def test_an_interval_the_server_does_not_keep_is_an_invalid_argument(
    vsphere: Any, host: EsxiHost, interval: int
) -> None:
    with pytest.raises(vmodl.fault.InvalidArgument) as refused:
        ask(vsphere, reference(vsphere, host), DEVICE_RATES, intervalId=interval)
    assert refused.value.invalidProperty == "querySpec.interval"


def test_an_unknown_counter_or_entity_is_refused(vsphere: Any, host: EsxiHost) -> None:
    manager = vsphere.RetrieveContent().perfManager
    unknown = vim.PerformanceManager.MetricId(counterId=99_999, instance="*")
    with pytest.raises(vmodl.fault.InvalidArgument, match="99999"):
        manager.QueryPerf([vim.PerformanceManager.QuerySpec(entity=reference(vsphere, host), metricId=[unknown])])
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        ask(vsphere, vim.HostSystem("host-4711"), DEVICE_RATES)


def test_historical_queries_are_limited_real_time_ones_are_not(place: Place, vsphere: Any) -> None:
    manager = vsphere.RetrieveContent().perfManager
    datastore = next(one for one in place.lab.environment.datastores if one.vcenter == place.vcenter.index)
    number = counter_ids(vsphere)["datastore.numberReadAveraged.average"]
    many = [vim.PerformanceManager.MetricId(counterId=number, instance="")] * 257
    entity = vim.Datastore(datastore.moref, vsphere._stub)
    with pytest.raises(vim.fault.RestrictedByAdministrator, match="maxQueryMetrics"):
        manager.QueryPerf([vim.PerformanceManager.QuerySpec(entity=entity, metricId=many, intervalId=300)])
    number = counter_ids(vsphere)["disk.numberReadAveraged.average"]
    many = [vim.PerformanceManager.MetricId(counterId=number, instance="*")] * 257
    entity = reference(vsphere, hosts_of(place)[0])
    assert manager.QueryPerf([vim.PerformanceManager.QuerySpec(entity=entity, metricId=many, intervalId=20)])


def test_vms_that_are_off_are_left_out(place: Place, vsphere: Any) -> None:
    manager = vsphere.RetrieveContent().perfManager
    specs = [
        vim.PerformanceManager.QuerySpec(entity=reference(vsphere, vm), intervalId=20, format="csv", maxSample=1)
        for vm in vms_of(place)
    ]
    answered = {one.entity._GetMoId() for one in manager.QueryPerf(specs)}
    assert answered == {vm.moref for vm in vms_of(place) if vm.is_powered_on}


def test_a_vms_samples_stay_the_same_after_it_has_moved(lab: Lab) -> None:
    """A sample keeps the stamp and the numbers of the host that took it."""
    vcenter = lab.environment.vcenters[0]
    wire = Wire(lab, vcenter).login()
    now = lab.clocks.lab_time.now()
    vm = next(
        vm for vm in lab.environment.vms
        if vm.vcenter == 0 and vm.is_powered_on and not lab.placement.moves(vm.index, now - 3700, now)
    )  # fmt: skip
    call = (
        f'<QueryPerf xmlns="urn:vim25"><_this type="PerformanceManager">PerfMgr</_this><querySpec>'
        f'<entity type="VirtualMachine">{vm.moref}</entity><startTime>{instant(now - 300).isoformat()}</startTime>'
        f"<endTime>{instant(now - 100).isoformat()}</endTime><intervalId>20</intervalId><format>csv</format>"
        "</querySpec></QueryPerf>"
    )
    before = wire.send(call).body
    here = lab.placement.host_of(vm.index, now)
    lab.placement.move(
        vm.index, next(host for host in lab.environment.clusters[vm.cluster].hosts if host != here), now - 1
    )
    assert isinstance(wire.app, MethodType)
    service: Any = wire.app.__self__
    service._world.site._placed_at = float("-inf")
    assert wire.send(call).body == before


def test_missing_samples_are_minus_one_while_the_fault_lasts(lab: Lab, wire: Wire) -> None:
    host = next(host for host in lab.environment.hosts if host.vcenter == 1)
    call = (
        '<QueryPerf xmlns="urn:vim25"><_this type="PerformanceManager">PerfMgr</_this><querySpec>'
        f'<entity type="HostSystem">{host.moref}</entity><maxSample>2</maxSample><intervalId>20</intervalId>'
        "<format>csv</format></querySpec></QueryPerf>"
    )

    def values() -> set[str]:
        return {one.findtext(f"{VIM}value") or "" for one in wire.answer(call)[0].findall(f"{VIM}value")}

    assert values() != {"-1,-1"}
    lab.faults.add({"source": wire.vcenter.name, "kind": "missing_samples", "count": 1})
    assert values() == {"-1,-1"}
    assert values() != {"-1,-1"}
