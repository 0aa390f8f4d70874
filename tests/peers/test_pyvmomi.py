"""VMware's own Python client, unchanged and without a line of Gavel's, against both vCenters of the lab."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pyVmomi import vim
from tests.lab.vcenter.labs import Place, serving
from tests.lab.vcenter.reading import ask, properties, series, stamps

from gavel_lab.model import By
from gavel_lab.quantise import count, milliseconds
from gavel_lab.reading import READ

LATENCY, RATE = "disk.totalReadLatency.average", "disk.numberReadAveraged.average"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Place]]:
    with serving(tmp_path_factory.mktemp("lab")) as both:
        yield both


@pytest.fixture(scope="module", params=[0, 1], ids=["8.0.3", "9.0.1"])
def place(request: pytest.FixtureRequest, places: tuple[Place, Place]) -> Place:
    return places[request.param]


@pytest.fixture(scope="module")
def vsphere(place: Place) -> Iterator[Any]:
    """Logged in, with the certificate checked."""
    with place.connection() as instance:
        yield instance


def test_it_logs_in(place: Place, vsphere: Any) -> None:
    content = vsphere.RetrieveContent()
    assert (content.about.apiType, content.about.version) == ("VirtualCenter", place.vcenter.version)
    assert content.sessionManager.currentSession.userName == place.vcenter.username


def test_it_finds_the_whole_inventory(place: Place, vsphere: Any) -> None:
    environment, number = place.lab.environment, place.vcenter.index
    hosts = {one["name"]: one for one in properties(vsphere, vim.HostSystem, "name", "config.storageDevice").values()}
    assert {
        name: {lun.canonicalName for lun in one["config.storageDevice"].scsiLun} for name, one in hosts.items()
    } == {
        host.name: {environment.devices[index].name for index in host.devices}
        for host in environment.hosts
        if host.vcenter == number
    }
    machines = properties(vsphere, vim.VirtualMachine, "name", "config.hardware.device").values()
    assert {
        one["name"]: [
            device.capacityInBytes
            for device in one["config.hardware.device"]
            if isinstance(device, vim.vm.device.VirtualDisk)
        ]
        for one in machines
    } == {
        vm.name: [environment.disks[index].capacity_bytes for index in vm.disks]
        for vm in environment.vms
        if vm.vcenter == number
    }


def test_query_perf_gives_the_models_numbers(place: Place, vsphere: Any) -> None:
    host = next(host for host in place.lab.environment.hosts if host.vcenter == place.vcenter.index)
    answer = ask(vsphere, vim.HostSystem(host.moref, vsphere._stub), [LATENCY, RATE], "normal", maxSample=6)
    windows = place.lab.clocks.hosts[host.index].windows(np.array(stamps(answer)), 20.0)
    truth = place.lab.model.read(By.DEVICE, list(host.devices), windows)
    latency = milliseconds(truth.latency_us("device")[..., READ], place.vcenter.ms_rounding)
    rates = count(truth.ops_per_s()[..., READ])
    assert rates.any()
    assert series(vsphere, answer) == {
        (key, place.lab.environment.devices[index].name): values[row].tolist()
        for key, values in ((LATENCY, latency), (RATE, rates))
        for row, index in enumerate(host.devices)
    }
