"""A govmomi client, built on the library's own helpers, against both vCenters of the lab."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from tests.lab.vcenter.labs import Place, serving
from tests.peers.programs import built, run

from gavel_lab.model import By
from gavel_lab.quantise import count, microseconds, milliseconds
from gavel_lab.reading import READ, WRITE
from gavel_lab.vcenter.applications import application

SAMPLES = 3


@pytest.fixture(scope="module")
def program() -> Path:
    return built("govmomi")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Place]]:
    with serving(tmp_path_factory.mktemp("lab")) as both:
        yield both


@pytest.fixture(scope="module", params=[0, 1], ids=["8.0.3", "9.0.1"])
def place(request: pytest.FixtureRequest, places: tuple[Place, Place]) -> Place:
    return places[request.param]


@pytest.fixture(scope="module")
def seen(place: Place, program: Path) -> Any:
    """All the client saw."""
    account = f"{quote(place.vcenter.username, safe='')}:{quote(place.vcenter.password, safe='')}"
    address = {"VCENTER_URL": f"https://{account}@{place.address}/sdk"}
    return json.loads(run(program, f"-samples={SAMPLES}", environment=address))


def test_the_finder_walks_the_whole_inventory(place: Place, seen: Any) -> None:
    environment, number = place.lab.environment, place.vcenter.index
    assert seen["version"] == place.vcenter.version
    assert set(seen["datastores"]) == {one.name for one in environment.datastores if one.vcenter == number}
    machines = {one["name"]: one for one in seen["machines"]}
    assert set(machines) == {vm.name for vm in environment.vms if vm.vcenter == number}
    now = place.lab.clocks.lab_time.now()
    for vm in (vm for vm in environment.vms if vm.vcenter == number):
        datacenter = environment.datacenters[environment.clusters[vm.cluster].datacenter]
        assert machines[vm.name]["path"] == f"/{datacenter.name}/vm/{application(vm)}/{vm.name}"
        assert machines[vm.name]["host"] == environment.hosts[place.lab.placement.host_of(vm.index, now)].name
        assert [disk["bytes"] for disk in machines[vm.name]["disks"]] == [
            environment.disks[index].capacity_bytes for index in vm.disks
        ]


def test_hosts_tell_devices_paths_and_ancestors(place: Place, seen: Any) -> None:
    environment = place.lab.environment
    hosts = {one["name"]: one for one in seen["hosts"]}
    for host in (host for host in environment.hosts if host.vcenter == place.vcenter.index):
        own = hosts[host.name]
        devices = [environment.devices[index] for index in host.devices]
        assert set(own["devices"]) == {device.name for device in devices}
        assert own["paths"] == sum(len(device.paths) for device in devices)
        assert own["adapters"] == {environment.hbas[index].name: environment.hbas[index].driver for index in host.hbas}
        assert own["ancestors"][0] == "Datacenters"
        assert own["ancestors"][-1] == host.name


def test_esxcli_tells_depths_policies_and_parameters(place: Place, seen: Any) -> None:
    environment = place.lab.environment
    hosts = {one["name"]: one for one in seen["hosts"]}
    for host in (host for host in environment.hosts if host.vcenter == place.vcenter.index):
        depths = {row["Device"][0]: row for row in hosts[host.name]["depths"]}
        policies = {row["Device"][0]: row["PathSelectionPolicy"][0] for row in hosts[host.name]["policies"] or []}
        for index in host.devices:
            device = environment.devices[index]
            assert depths[device.name]["NoofoutstandingIOswithcompetingworlds"] == [str(device.dsnro)]
            assert policies.get(device.name) == (device.policy if device.plugin == "NMP" else None)
        parameters = {row["Name"][0] for row in hosts[host.name]["parameters"] or []}
        assert parameters == {environment.hbas[index].parameter for index in host.hbas} - {None}


def test_settings_and_the_first_round_of_updates(place: Place, seen: Any) -> None:
    assert seen["fields"] == ["application", "owner"]
    assert seen["max_metrics"] == "256"
    assert seen["updates"] == sum(vm.vcenter == place.vcenter.index for vm in place.lab.environment.vms)


def test_counters_asked_for_by_name_carry_the_models_numbers(place: Place, seen: Any) -> None:
    """Every device of every host: the newest samples, in the vCenter's own precision."""
    lab, environment = place.lab, place.lab.environment
    series = {(one["entity"], one["counter"], one["instance"]): one for one in seen["series"]}
    rounding = place.vcenter.ms_rounding
    for host in (host for host in environment.hosts if host.vcenter == place.vcenter.index):
        clock = lab.clocks.hosts[host.index]
        newest = int(clock.now() // 20 * 20)
        ends = [newest - 20 * back for back in reversed(range(SAMPLES))]
        truth = lab.model.read(By.DEVICE, list(host.devices), clock.windows(np.array(ends), 20.0))
        expected = {
            "disk.deviceReadLatency.average": milliseconds(truth.latency_us("driver")[..., READ], rounding),
            "disk.kernelWriteLatency.average": milliseconds(truth.kernel_us()[..., WRITE], rounding),
            "disk.numberReadAveraged.average": count(truth.ops_per_s()[..., READ]),
        }
        if place.vcenter.has_microsecond_family:
            expected["storage.latency.readDavg.average"] = microseconds(truth.latency_us("driver")[..., READ])
            expected["storage.latency.writeGavg.average"] = microseconds(truth.latency_us("device")[..., WRITE])
        for counter, values in expected.items():
            for row, index in enumerate(host.devices):
                one = series[host.moref, counter, environment.devices[index].name]
                assert (one["stamps"], one["values"]) == (ends, values[row].tolist()), (host.name, counter)


def test_every_virtual_disk_has_its_latency_in_microseconds(place: Place, seen: Any) -> None:
    environment = place.lab.environment
    found = {
        (one["entity"], one["instance"])
        for one in seen["series"]
        if one["counter"] == "virtualDisk.readLatencyUS.latest"
    }
    assert found == {
        (vm.moref, environment.disks[index].instance)
        for vm in environment.vms
        if vm.vcenter == place.vcenter.index and vm.is_powered_on
        for index in vm.disks
    }
