"""A recorded esxtop capture: what the lab did, as esxtop shows it, and read by the product without a warning."""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.lab.model.conftest import HOUR

from gavel.cli import main as gavel
from gavel.collectors.imports.esxtop.capture import EsxtopCapture as Captured
from gavel.collectors.imports.esxtop.capture import ObjectSeries
from gavel.collectors.imports.esxtop.checks import is_consistent, self_checks
from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.parse import read_capture
from gavel_lab.cli import main
from gavel_lab.environment import EsxiHost
from gavel_lab.esxtop import EsxtopCapture
from gavel_lab.lab import Lab
from gavel_lab.model import By
from gavel_lab.reading import Floats, Reading

STEP_S = 5
ROWS = 25
WAYS = ("read", "write")
# In the queueing story of the first datastore.
START = HOUR + 600


def read(capture: EsxtopCapture) -> Captured:
    return read_capture(io.BytesIO("".join(f"{line}\n" for line in capture.lines()).encode()), file="lab.csv")


def captured(lab: Lab, host: EsxiHost, start: int = START, rows: int = ROWS) -> Captured:
    return read(EsxtopCapture(lab, host, start, interval_s=STEP_S, rows=rows))


def windows(lab: Lab, host: EsxiHost, start: int = START, rows: int = ROWS) -> Floats:
    """Spans of lab time of the rows with rates."""
    stamps = start + STEP_S * np.arange(1, rows, dtype=np.int64)
    return lab.clocks.hosts[host.index].windows(stamps, STEP_S)


def differs_us(series: ObjectSeries, name: str, true_us: Floats) -> float:
    """The most that a captured latency is off by in rows with I/O."""
    column = series.columns[name][1:]
    assert (np.isnan(column) == np.isnan(true_us)).all(), (series.name, name)
    return float(np.nanmax(np.abs(column - true_us), initial=0.0))


@pytest.fixture(params=["esx-01.lab.example", "esx-04.lab.example", "esx-05.lab.example"], scope="module")
def host(request: pytest.FixtureRequest, lab: Lab) -> EsxiHost:
    """Of vSphere 8 with Fibre Channel; of vSphere 9 with NFS; with NVMe and vVols."""
    return next(one for one in lab.environment.hosts if one.name == request.param)


@pytest.fixture(scope="module")
def capture(lab: Lab, host: EsxiHost) -> Captured:
    return captured(lab, host)


def test_capture_of_the_lab_is_read_without_a_warning_and_agrees_with_itself(
    capture: Captured, host: EsxiHost, lab: Lab
) -> None:
    assert (capture.warnings, capture.refused_rows, capture.host) == ((), 0, host.name)
    assert is_consistent(self_checks(capture))
    assert capture.latency_half_us == 5.0
    np.testing.assert_array_equal(capture.ended_at_s, START + STEP_S * np.arange(ROWS))
    assert {one.name for one in capture.of_kind(ObjectKind.DEVICE)} == {
        lab.environment.devices[number].name for number in host.devices
    }
    report = capture.segments[0].report
    assert (report.unknown_columns, report.unnamed_columns) == (0, 0)


def test_capture_of_the_lab_shows_devices_within_half_of_its_last_digit(
    capture: Captured, host: EsxiHost, lab: Lab
) -> None:
    reading = lab.model.read(By.DEVICE, list(host.devices), windows(lab, host))
    series = {one.name: one for one in capture.of_kind(ObjectKind.DEVICE)}
    for row, number in enumerate(host.devices):
        one = series[lab.environment.devices[number].name]
        for way, word in enumerate(WAYS):
            rate = reading.ops_per_s()[row, :, way]
            assert np.abs(one.columns[f"{word}s_per_s"][1:] - rate).max() <= 0.005 + 1e-9
            # What is shown as 0.00 a second has no latency that is read.
            done = np.where(one.columns[f"{word}s_per_s"][1:] > 0, 1.0, np.nan)
            for name, true_us in _boundaries(reading, row, way):
                assert differs_us(one, f"{word}_{name}_us", true_us * done) <= 5.0 + 1e-6, (one.name, word, name)


def _boundaries(reading: Reading, row: int, way: int) -> Iterator[tuple[str, Floats]]:
    yield "guest", reading.latency_us("device")[row, :, way]
    yield "driver", reading.latency_us("driver")[row, :, way]
    yield "kernel", reading.kernel_us()[row, :, way]
    yield "queue", reading.segment_us("kernel_queue")[row, :, way]


def test_capture_of_the_lab_shows_virtual_disks_within_half_of_its_last_digit(
    capture: Captured, host: EsxiHost, lab: Lab
) -> None:
    disks = {
        (vm.name, lab.environment.disks[number].instance): number for vm in lab.environment.vms for number in vm.disks
    }
    seen = [one for one in capture.of_kind(ObjectKind.VIRTUAL_DISK) if one.part]
    assert seen
    numbers = [disks[one.parent or "", one.part or ""] for one in seen]
    reading = lab.model.read(By.DISK, numbers, windows(lab, host), host=host.index)
    for row, one in enumerate(seen):
        for way, word in enumerate(WAYS):
            done = np.where(one.columns[f"{word}s_per_s"][1:] > 0, 1.0, np.nan)
            assert differs_us(one, f"{word}_us", reading.latency_us("vscsi")[row, :, way] * done) <= 5.0 + 1e-6


def test_worlds_of_a_recorded_device_add_up_to_it_and_have_the_names_of_their_vms(
    capture: Captured, host: EsxiHost, lab: Lab
) -> None:
    running = {vm.name for vm in lab.environment.vms if lab.placement.host_of(vm.index, START) == host.index}
    worlds = list(capture.of_kind(ObjectKind.WORLD))
    assert {capture.world_vms[one.part or ""] for one in worlds} <= running
    for device in capture.of_kind(ObjectKind.DEVICE):
        mine = [one.columns["commands_per_s"][1:] for one in worlds if one.parent == device.name]
        total = device.columns["commands_per_s"][1:]
        assert (np.abs(np.sum(mine, axis=0) - total) <= 0.005 * (len(mine) + 1) + 1e-6 * total).all(), device.name


def test_capture_of_the_lab_shows_the_queue_of_the_article(lab: Lab) -> None:
    host = lab.environment.hosts[0]
    device = next(one for one in captured(lab, host).of_kind(ObjectKind.DEVICE))
    active, queued, depth = (device.columns[name] for name in ("active", "queued", "device_queue_depth"))
    assert (depth == 32).all()
    assert (active == 32).all()
    assert (queued >= 20).all()


def test_vm_that_moves_away_shows_zeros_and_the_one_that_comes_is_missing(lab: Lab) -> None:
    mover, minute, to = next(
        (vm, minute, to) for vm in lab.environment.vms for minute, to in vm.commute if to != vm.home_host
    )
    start, rows = HOUR + 60 * minute - 120, 72
    left = lab.environment.hosts[lab.placement.host_of(mover.index, float(start))]
    before = captured(lab, left, start, rows)
    disk = next(one for one in before.of_kind(ObjectKind.VIRTUAL_DISK) if one.parent == mover.name)
    commands = disk.columns["commands_per_s"]
    assert commands[5] > 0
    assert commands[-1] == 0
    after = captured(lab, lab.environment.hosts[to], start, rows)
    assert mover.name not in {one.parent for one in after.of_kind(ObjectKind.VIRTUAL_DISK)}


@pytest.mark.parametrize("name", ["capture.csv", "capture.csv.gz"])
def test_capture_is_recorded_by_the_command_and_read_by_the_product(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    asked = ["--host", "ESX-02", "--from", "2026-06-01T10:00:00Z", "--minutes", "2", "--interval", "10"]
    assert main(["esxtop", *asked, "-o", str(file)]) == 0
    assert "13 rows of esx-02.lab.example, every 10 s" in capsys.readouterr().out
    data = gzip.decompress(file.read_bytes()) if name.endswith(".gz") else file.read_bytes()
    header, first, *_ = data.decode().split("\n")
    assert header.startswith('"(PDH-CSV 4.0) (UTC)(0)","\\\\esx-02.lab.example\\')
    assert first.startswith('"06/01/2026 10:00:00","')
    assert gavel(["esxtop", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "none unknown, 0 unnamed" in shown
    assert "consistent" in shown


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--host", "esx-99"], "no ESXi host is called 'esx-99'. There are: esx-01"),
        (["--host", "esx-01", "--interval", "1"], "intervals of 2 s or more"),
        (["--host", "esx-01", "--minutes", "0"], "two rows at least"),
    ],
)
def test_capture_that_cannot_be_recorded_says_why_and_leaves_no_file(
    asked: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "c.csv"
    assert main(["esxtop", *asked, "--from", "2026-06-01T10:00:00Z", "-o", str(file)]) == 2
    assert message in capsys.readouterr().err
    assert not file.exists()
