"""Telegraf's vSphere input, unchanged, against both vCenters of the lab: one gathering, written as line protocol."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests.lab.vcenter.labs import Place, serving
from tests.peers.programs import built, run

from gavel_lab.model import By
from gavel_lab.quantise import Ints, count, microseconds, milliseconds
from gavel_lab.reading import READ, WRITE

BUCKET_S = 60  # at its first gathering Telegraf takes its interval for a minute and averages within it
LOOK_BACK_S = 60
HOST_COUNTERS = (
    "disk.deviceReadLatency",
    "disk.deviceWriteLatency",
    "disk.kernelReadLatency",
    "disk.numberReadAveraged",
)
MICROSECONDS = ("storage.latency.readDavg", "storage.latency.writeGavg")
VM_COUNTERS = ("virtualDisk.readLatencyUS.latest", "virtualDisk.numberWriteAveraged.average")
CONFIGURATION = """
[agent]
  interval = "20s"
  omit_hostname = true
[[outputs.file]]
  files = ["{output}"]
  data_format = "influx"
[[inputs.vsphere]]
  vcenters = ["https://{address}/sdk"]
  username = "{username}"
  password = "{password}"
  tls_ca = "{certificate}"
  host_metric_include = [{host_counters}]
  vm_metric_include = [{vm_counters}]
  cluster_metric_exclude = ["*"]
  datastore_metric_exclude = ["*"]
  datacenter_metric_exclude = ["*"]
  resource_pool_metric_exclude = ["*"]
  vsan_metric_exclude = ["*"]
  custom_attribute_include = ["*"]
  custom_attribute_exclude = []
  use_int_samples = false
  timeout = "60s"
"""


@dataclass(frozen=True)
class Point:
    measurement: str
    tags: dict[str, str]
    fields: dict[str, float]
    at_s: int


def points(text: str) -> list[Point]:
    """Line protocol as outputs.file writes it; fields that are text (memorysizemb) are left out."""
    found = []
    for line in text.splitlines():
        head, fields, at = re.split(r"(?<!\\) ", line)
        measurement, *tags = re.split(r"(?<!\\),", head)
        found.append(
            Point(
                measurement,
                {_plain(name): _plain(value) for name, value in (re.split(r"(?<!\\)=", tag) for tag in tags)},
                {name: float(value) for name, value in _fields(fields) if not value.startswith('"')},
                int(at) // 1_000_000_000,
            )
        )
    return found


def _fields(text: str) -> list[list[str]]:
    return [one.split("=", 1) for one in text.split(",")]


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


@pytest.fixture(scope="module")
def program() -> Path:
    return built("telegraf")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Place]]:
    with serving(tmp_path_factory.mktemp("lab")) as both:
        yield both


@pytest.fixture(scope="module", params=[0, 1], ids=["8.0.3", "9.0.1"])
def place(request: pytest.FixtureRequest, places: tuple[Place, Place]) -> Place:
    return places[request.param]


def host_counters(place: Place) -> list[str]:
    family = MICROSECONDS if place.vcenter.has_microsecond_family else ()
    return [f"{name}.average" for name in (*HOST_COUNTERS, *family)]


@pytest.fixture(scope="module")
def gathered(place: Place, program: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Point]:
    """Everything of one gathering."""
    folder = tmp_path_factory.mktemp("telegraf")
    output = folder / "points"
    configuration = folder / "telegraf.conf"
    configuration.write_text(
        CONFIGURATION.format(
            output=output,
            address=place.address,
            username=place.vcenter.username,
            password=place.vcenter.password,
            certificate=place.certificate,
            host_counters=_quoted(host_counters(place)),
            vm_counters=_quoted(VM_COUNTERS),
        )
    )
    run(program, "--once", "--config", str(configuration))
    return points(output.read_text())


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def expected_ends(place: Place, host: int) -> list[int]:
    """The host's own stamps within what Telegraf asks for: (server time - 60 s, server time]."""
    server, own = place.lab.clocks.vcenters[place.vcenter.index], place.lab.clocks.hosts[host]
    return [int(end) for end in own.stamps(server.now() - LOOK_BACK_S, min(server.now(), own.now()), 20)]


def in_minutes(ends: Sequence[int], values: Sequence[int]) -> dict[int, float]:
    """Means per minute, as Telegraf makes them."""
    buckets: dict[int, list[int]] = defaultdict(list)
    for end, value in zip(ends, values, strict=True):
        buckets[end - end % BUCKET_S].append(value)
    return {at: sum(part) / len(part) for at, part in buckets.items()}


def truths(place: Place, host: int) -> tuple[list[int], dict[str, Ints]]:
    """Sample ends of a host and the quantised numbers of its devices, by counter."""
    lab, rounding = place.lab, place.vcenter.ms_rounding
    ends = expected_ends(place, host)
    windows = lab.clocks.hosts[host].windows(np.array(ends), 20.0)
    reading = lab.model.read(By.DEVICE, list(lab.environment.hosts[host].devices), windows)
    values = {
        "disk.deviceReadLatency.average": milliseconds(reading.latency_us("driver")[..., READ], rounding),
        "disk.deviceWriteLatency.average": milliseconds(reading.latency_us("driver")[..., WRITE], rounding),
        "disk.kernelReadLatency.average": milliseconds(reading.kernel_us()[..., READ], rounding),
        "disk.numberReadAveraged.average": count(reading.ops_per_s()[..., READ]),
        "storage.latency.readDavg.average": microseconds(reading.latency_us("driver")[..., READ]),
        "storage.latency.writeGavg.average": microseconds(reading.latency_us("device")[..., WRITE]),
    }
    return ends, {key: values[key] for key in host_counters(place)}


def test_every_device_of_every_host_carries_the_models_numbers(place: Place, gathered: list[Point]) -> None:
    seen = {
        (one.tags["moid"], one.measurement, one.tags.get("disk", one.tags.get("instance")), one.at_s, name): value
        for one in gathered
        for name, value in one.fields.items()
    }
    environment, compared = place.lab.environment, 0
    for host in (host for host in environment.hosts if host.vcenter == place.vcenter.index):
        ends, expected = truths(place, host.index)
        assert ends
        for counter, values in expected.items():
            group, name = counter.split(".", 1)
            for row, index in enumerate(host.devices):
                for at, mean in in_minutes(ends, values[row].tolist()).items():
                    key = (
                        host.moref,
                        f"vsphere_host_{group}",
                        environment.devices[index].name,
                        at,
                        name.replace(".", "_"),
                    )
                    assert seen[key] == pytest.approx(mean, abs=1e-9), key
                    compared += 1
    assert compared > 100


def test_every_disk_of_every_running_vm_is_there_with_its_names(place: Place, gathered: list[Point]) -> None:
    environment = place.lab.environment
    disks = {
        (one.tags["moid"], one.tags["disk"]): one
        for one in gathered
        if one.measurement == "vsphere_vm_virtualDisk" and "readLatencyUS_latest" in one.fields
    }
    running = [vm for vm in environment.vms if vm.vcenter == place.vcenter.index and vm.is_powered_on]
    assert set(disks) == {(vm.moref, environment.disks[index].instance) for vm in running for index in vm.disks}
    names = {vm.moref: vm for vm in running}
    now = place.lab.clocks.lab_time.now()
    for (moref, _), one in disks.items():
        vm = names[moref]
        assert one.tags["source"] == vm.name
        assert one.tags["esxhostname"] == environment.hosts[place.lab.placement.host_of(vm.index, now)].name
        assert one.tags["clustername"] == environment.clusters[vm.cluster].name
        assert one.tags["dcname"] == environment.datacenters[environment.clusters[vm.cluster].datacenter].name
