"""fio itself, unchanged: a short run on this machine is imported, and Gavel's figures are those that fio shows."""

import io
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.collectors.imports.fio.logged import tar
from tests.conftest import missing
from tests.peers.programs import run

from gavel.collectors.imports.fio.as_import import read_import
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import LoadFigures, LoadRun

RUNTIME_S = 2


@pytest.fixture
def program() -> Path:
    found = shutil.which("fio")
    if found is None:
        missing("This needs fio: install the package `fio`.")
    return Path(str(found))


def ran(program: Path, folder: Path, output_format: str, *more: str) -> tuple[dict[str, Any], list[LoadRun]]:
    """What fio wrote, and what Gavel makes of it."""
    output = folder / "result.json"
    job = ["--name=a", f"--filename={folder}/file", "--size=8m", "--bs=4k", "--time_based", f"--runtime={RUNTIME_S}"]
    run(program, *job, f"--output-format={output_format}", f"--output={output}", *more)
    data = output.read_bytes()
    runs = read_import(io.BytesIO(data), output.name, ImportOptions()).runs
    return json.loads(data[data.index(b"{") :]), list(runs)


def of(run_: LoadRun, direction: str) -> LoadFigures:
    return next(each for each in run_.figures if each.direction == direction)


@pytest.mark.parametrize("output_format", ["json", "json+"])
def test_fio_run_has_the_figures_of_fio_and_its_window(program: Path, tmp_path: Path, output_format: str) -> None:
    before = datetime.now(UTC)
    threads = ("--rw=randrw", "--ioengine=psync", "--numjobs=2", "--group_reporting", "--lat_percentiles=1")
    written, (found,) = ran(program, tmp_path, output_format, *threads)
    after = datetime.now(UTC)
    (job,) = written["jobs"]
    for direction in ("read", "write"):
        figures = of(found, direction)
        assert figures.ops == job[direction]["total_ios"] > 0
        assert figures.ops_per_s == pytest.approx(job[direction]["iops"])
        assert figures.mean_us == pytest.approx(job[direction]["lat_ns"]["mean"] / 1000)
        percentiles = job[direction]["lat_ns"]["percentile"]
        assert (figures.p50_us, figures.p99_us) == pytest.approx(
            (percentiles["50.000000"] / 1000, percentiles["99.000000"] / 1000)
        )
    assert (of(found, "all").p99_us is None) == (output_format == "json")
    assert found.starts_at is not None
    assert found.ends_at is not None
    assert (found.ends_at - found.starts_at).total_seconds() == pytest.approx(RUNTIME_S, abs=0.5)
    second = timedelta(seconds=1)
    assert before - second <= found.starts_at < found.ends_at <= after + second
    assert found.outstanding_limit == 2
    assert "buffered" in {each.code for each in found.warnings}


def test_fio_percentiles_worked_out_from_its_bins_are_those_it_shows(program: Path, tmp_path: Path) -> None:
    written, _ = ran(program, tmp_path, "json+", "--rw=randread", "--ioengine=psync", "--lat_percentiles=1")
    shown = written["jobs"][0]["read"]["lat_ns"].pop("percentile")
    (found,) = read_import(io.BytesIO(json.dumps(written).encode()), "bins alone", ImportOptions()).runs
    figures = of(found, "read")
    for percent, us in (("50.000000", figures.p50_us), ("95.000000", figures.p95_us), ("99.000000", figures.p99_us)):
        assert us == pytest.approx(shown[percent] / 1000, rel=0.02)


def test_fio_groups_one_after_another_have_windows_of_their_own(program: Path, tmp_path: Path) -> None:
    second = ("--name=b", "--stonewall", f"--filename={tmp_path}/file", "--size=8m", "--rw=randwrite", "--bs=4k")
    timed = ("--time_based", f"--runtime={RUNTIME_S}")
    _, runs = ran(program, tmp_path, "json", "--rw=randread", "--ioengine=psync", *second, *timed)
    first, last = runs
    assert (first.name, last.name) == ("a", "b")
    assert first.ends_at is not None
    assert last.starts_at is not None
    assert first.ends_at <= last.starts_at


def logged(program: Path, folder: Path, *more: str) -> tuple[dict[str, Any], LoadRun, LoadRun]:
    """What fio wrote, its run with the logs beside it, and the run of the logs alone."""
    logs = (f"--write_lat_log={folder}/out", "--rw=randrw", "--ioengine=psync", "--numjobs=2", "--group_reporting")
    written, _ = ran(program, folder, "json", *logs, *more)
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.log"))}
    whole = tar({"result.json": json.dumps(written), **files})
    (both,) = read_import(io.BytesIO(whole), "result.tar", ImportOptions()).runs
    started = ImportOptions(started_at=both.starts_at)
    (alone,) = read_import(io.BytesIO(tar(files)), "logs.tar", started).runs
    return written, both, alone


def test_fio_log_of_every_io_adds_up_to_the_figures_of_fio(program: Path, tmp_path: Path) -> None:
    written, run_, alone = logged(program, tmp_path, "--log_unix_epoch=1")
    assert run_.starts_at is not None
    for series in run_.series:
        if series.phase != "lat" or series.direction == "all":
            continue
        way = written["jobs"][0][series.direction]
        assert series.ops is not None
        assert sum(series.ops) == way["total_ios"]
        time = sum(ops * us for ops, us in zip(series.ops, series.mean_us, strict=True) if us is not None)
        assert time / sum(series.ops) == pytest.approx(way["lat_ns"]["mean"] / 1000, rel=1e-3)
        assert max(us for us in series.max_us if us is not None) == pytest.approx(way["lat_ns"]["max"] / 1000, rel=1e-3)
        assert abs((series.starts_at - run_.starts_at).total_seconds()) <= 1.5
        assert of(alone, series.direction).mean_us == pytest.approx(way["lat_ns"]["mean"] / 1000, rel=1e-3)
        assert of(alone, series.direction).ops == way["total_ios"]
    assert {series.direction for series in run_.series} == {"read", "write", "all"}


def test_fio_log_of_averages_is_on_the_clock_of_its_run(program: Path, tmp_path: Path) -> None:
    _, run_, alone = logged(program, tmp_path, "--log_avg_msec=500")
    assert run_.starts_at is not None
    assert {(series.phase, series.direction) for series in run_.series} >= {("lat", "read"), ("lat", "write")}
    for series in run_.series:
        assert series.grain_s == pytest.approx(0.5, abs=0.15)
        assert abs((series.starts_at - run_.starts_at).total_seconds()) <= 1.0
        assert series.lowest_us is not None
        assert series.highest_us is not None
        rows = zip(series.mean_us, series.lowest_us, series.highest_us, strict=True)
        assert all(
            low <= us <= high for us, low, high in rows if us is not None and low is not None and high is not None
        )
    assert "averages_only" in {each.code for each in alone.warnings}
