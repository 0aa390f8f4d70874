"""Latency logs of fio become its latency over time: with its JSON, and alone."""

import gzip
import io
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest
from tests.collectors.imports.fio.logged import averages, every_io, tar, zipped
from tests.collectors.imports.fio.results import START_MS, job, result, way, written
from tests.collectors.imports.reading import codes

from gavel.collectors.imports.fio.as_import import read_import
from gavel.collectors.load_file import LoadFileError
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import LoadRun, LoadSeries

START = datetime.fromtimestamp(START_MS / 1000, UTC)
NOTHING_GIVEN = ImportOptions()
OPTIONS = {"bs": "4k", "iodepth": "32", "direct": "1", "write_lat_log": "logs/out", "log_avg_msec": "1000"}


def runs(data: bytes, file: str = "bundle", options: ImportOptions = NOTHING_GIVEN) -> list[LoadRun]:
    return list(read_import(io.BytesIO(data), file, options).runs)


def refusal(data: bytes, file: str = "bundle", options: ImportOptions = NOTHING_GIVEN) -> str:
    with pytest.raises(LoadFileError) as raised:
        runs(data, file, options)
    return str(raised.value)


def by_phase(run: LoadRun) -> Mapping[tuple[str, str], LoadSeries]:
    return {(each.phase, each.direction): each for each in run.series}


def json_of(**more: object) -> str:
    """A minute of reads and writes from START on."""
    return written(result(job(read=way(), write=way(), options=OPTIONS | {str(k): str(v) for k, v in more.items()})))


@pytest.mark.parametrize("packed", [tar, zipped, lambda files: tar(files, "w:gz")])
def test_fio_log_of_averages_stands_on_the_clock_of_its_run(packed: Callable[[Mapping[str, str]], bytes]) -> None:
    rows = [(1000, 400_000, 0), (1000, 300_000, 1), (2000, 500_000, 0), (2000, 350_000, 1)]
    (run,) = runs(packed({"run.json": json_of(), "out_lat.1.log": averages(rows)}))
    assert run.starts_at == START
    assert run.figures[-1].ops_per_s == pytest.approx(4000)
    found = by_phase(run)
    assert set(found) == {("lat", "read"), ("lat", "write")}
    reads = found["lat", "read"]
    assert (reads.starts_at, reads.step_s, reads.grain_s, reads.ops) == (START, 1, 1.0, None)
    assert (reads.mean_us, reads.lowest_us, reads.highest_us) == ([400, 500], [400, 500], [400, 500])
    assert found["lat", "write"].mean_us == [300, 350]
    assert reads.max_us == [None, None]


def test_fio_log_of_every_io_counts_and_adds_up_reads_and_writes() -> None:
    rows = [(100, 400_000, 0), (200, 600_000, 0), (900, 100_000, 1), (2500, 700_000, 0), (2600, 9_000_000, 2)]
    (run,) = runs(tar({"out_lat.1.log": every_io(rows), "run.json": json_of()}))
    found = by_phase(run)
    reads, whole = found["lat", "read"], found["lat", "all"]
    assert (reads.ops, reads.mean_us, reads.max_us) == ([2, 0, 1], [500, None, 700], [600, None, 700])
    assert (whole.ops, whole.mean_us) == ([3, 0, 1], [pytest.approx(1100 / 3), None, 700])
    assert (whole.lowest_us, whole.grain_s) == (None, None)


def test_fio_logs_of_several_jobs_add_up_or_keep_their_range() -> None:
    counted = {f"out_lat.{n}.log": every_io([(100, ns, 0)] * n) for n, ns in ((1, 400_000), (2, 700_000))}
    (run,) = runs(tar({"run.json": json_of(numjobs=2), **counted}))
    assert (by_phase(run)["lat", "read"].ops, by_phase(run)["lat", "read"].mean_us) == ([3], [600])
    averaged = {f"out_lat.{n}.log": averages([(1000, ns, 0), (2000, ns, 0)]) for n, ns in ((1, 400_000), (2, 700_000))}
    (run,) = runs(tar({"run.json": json_of(numjobs=2), **averaged}))
    reads = by_phase(run)["lat", "read"]
    assert (reads.mean_us, reads.lowest_us, reads.highest_us) == ([550, 550], [400, 400], [700, 700])


def test_fio_log_without_its_result_has_the_figures_that_its_rows_hold() -> None:
    rows = [(START_MS + 10 * n, 100_000 + 1000 * n, 0) for n in range(101)]
    (run,) = runs(every_io(rows).encode(), "oltp_lat.1.log")
    (reads, whole) = run.figures
    assert (run.name, run.block_size, run.starts_at, run.is_direct) == ("oltp", "4k", START, None)
    assert (reads.ops, reads.max_us) == (101, 200)
    assert reads.mean_us == pytest.approx(150)
    assert reads.ops_per_s == pytest.approx(101)
    assert reads.p50_us == pytest.approx(150, rel=0.01)
    assert whole.p99_us == pytest.approx(199, rel=0.01)
    assert codes(run) == {"log_only"}
    assert [each.direction for each in run.series] == ["read", "all"]


def test_fio_log_of_averages_alone_has_no_rates_and_no_mean() -> None:
    data = averages([(START_MS + 1000, 400_000, 0), (START_MS + 2000, 500_000, 0)]).encode()
    (run,) = runs(gzip.compress(data, mtime=0), "oltp_clat.1.log.gz")
    assert {(each.ops, each.ops_per_s, each.mean_us) for each in run.figures} == {(None, None, None)}
    assert codes(run) == {"log_only", "averages_only"}
    assert by_phase(run)["clat", "read"].mean_us == [400, 500]


def test_fio_log_since_the_start_of_its_job_needs_that_time() -> None:
    data = averages([(1000, 400_000, 0), (2000, 500_000, 0)]).encode()
    (run,) = runs(data, "oltp_lat.1.log")
    assert (run.starts_at, run.series) == (None, ())
    assert "window_unknown" in codes(run)
    (run,) = runs(data, "oltp_lat.1.log", ImportOptions(started_at=START))
    assert by_phase(run)["lat", "read"].starts_at == START


def test_fio_log_begins_before_the_ramp_of_its_job() -> None:
    """The ramp is in no figure, and fio's log counts from before it."""
    (run,) = runs(
        tar(
            {
                "run.json": json_of(ramp_time="10"),
                "out_lat.1.log": averages([(11_000, 400_000, 0), (12_000, 400_000, 0)]),
            }
        )
    )
    assert run.starts_at == START
    reads = by_phase(run)["lat", "read"]
    assert (reads.starts_at, len(reads.mean_us)) == (START, 2)


def test_fio_log_of_groups_goes_to_the_run_of_its_name_or_number() -> None:
    jobs = [
        job(name, group=group, read=way(), elapsed=121, options=OPTIONS | {"write_lat_log": prefix})
        for group, (name, prefix) in enumerate((("a", "first"), ("b", "second")))
    ]
    logs = {"first_lat.1.log": averages([(1000, 400_000, 0)]), "second_lat.2.log": averages([(1000, 700_000, 0)])}
    first, second = runs(tar({"run.json": written(result(*jobs)), **logs}))
    assert [each.series[0].mean_us[0] for each in (first, second)] == [400, 700]
    same = [one | {"job options": OPTIONS} for one in jobs]
    logs = {"out_lat.1.log": logs["first_lat.1.log"], "out_lat.2.log": logs["second_lat.2.log"]}
    first, second = runs(tar({"run.json": written(result(*same)), **logs}))
    assert [each.series[0].mean_us[0] for each in (first, second)] == [400, 700]
    only = {"out_lat.1.log": logs["out_lat.1.log"], "other_lat.7.log": logs["out_lat.2.log"]}
    first, second = runs(tar({"run.json": written(result(*same)), **only}))
    assert (first.series, second.series) == ((), ())
    assert "out_lat.1.log" in first.warnings[-1].text


def test_fio_log_of_largest_values_has_no_mean() -> None:
    rows = [(1000, 400_000, 0), (2000, 500_000, 0)]
    (run,) = runs(tar({"run.json": json_of(log_max_value=1), "out_lat.1.log": averages(rows)}))
    reads = by_phase(run)["lat", "read"]
    assert (reads.mean_us, reads.max_us) == ([None, None], [400, 500])


@pytest.mark.parametrize(
    ("rows", "mean_us", "max_us"),
    [
        ("1000, 400000, 0, 0\n2000, 500000, 0, 0\n", [400, 500], [None, None]),
        ("1000, 400000, 0, 0, 0, 0x0000\n2000, 500000, 0, 0, 0, 0x0000\n", [400, 500], [None, None]),
        ("1000, 400000, 900000, 0, 0, 0\n2000, 500000, 950000, 0, 0, 0\n", [400, 500], [900, 950]),
    ],
)
def test_fio_log_columns_that_options_add_change_nothing(
    rows: str, mean_us: list[float], max_us: list[float | None]
) -> None:
    (run,) = runs(tar({"run.json": json_of(), "out_lat.1.log": rows}))
    reads = by_phase(run)["lat", "read"]
    assert (reads.mean_us, reads.max_us) == (mean_us, max_us)


def test_fio_log_of_a_long_run_has_no_more_buckets_than_a_chart() -> None:
    rows = [(START_MS + 500 * n, 400_000, 0) for n in range(20_000)]
    (run,) = runs(averages(rows).encode(), "oltp_lat.1.log")
    reads = by_phase(run)["lat", "read"]
    assert reads.step_s == 15
    assert len(reads.mean_us) <= 720
    assert set(reads.mean_us) == {400}


def test_fio_2_log_is_in_microseconds() -> None:
    document = result(job(read=way(), options=OPTIONS)) | {"fio version": "fio-2.2.10"}
    (run,) = runs(tar({"run.json": written(document), "out_lat.1.log": "1000, 400, 0, 0\n2000, 500, 0, 0\n"}))
    assert by_phase(run)["lat", "read"].mean_us == [400, 500]


def test_fio_bundle_names_what_was_left_out() -> None:
    files: dict[str, str | bytes] = {
        "run.json": json_of(),
        "out_iops.1.log": "1000, 65000, 0, 0, 0\n",
        "x.fz": b"\x1f\x8b",
    }
    (run,) = runs(tar(files))
    assert run.warnings[-1].code == "left_out"
    assert "out_iops.1.log, x.fz" in run.warnings[-1].text


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"out_lat.1.log": "time, latency\n"}, "out_lat.1.log, line 1: 'time, latency' is no row"),
        ({"out_lat.1.log": "1000, 1, 0, 0, 0\n2000, 1, 0, 0\n"}, "out_lat.1.log, line 2:"),
        ({"out_lat.1.log": "1000, 9000, 0, 0, 0\n2000, 9000, 7, 0, 0\n"}, "out_lat.1.log, line 2:"),
        ({"out_lat.1.log": "1000, 1, 0, 0, 0\n2000, 1, 0, 4096, 0\n"}, "out_lat.1.log, line 2:"),
        ({"out_lat.1.log": ""}, "no row in it"),
        ({"out_slat.1.log": "1000, 1, 0, 0, 0\n"}, "submission alone"),
        ({"out_bw.1.log": "1000, 1, 0, 0, 0\n"}, "no result of fio in it"),
        ({"run.json": json_of(), "out_lat.1.log": "900000000, 1, 0, 0, 0\n"}, "of another time than run 'oltp'"),
        ({"run.json": json_of()[:300]}, "run.json, line"),
        (
            {"a_lat.1.log": "1000, 1, 0, 0, 0\n", "a_lat.2.log": "1000, 1, 0, 4096, 0\n"},
            "averages and single I/Os",
        ),
    ],
)
def test_fio_log_that_cannot_be_used_is_refused_with_file_line_and_reason(files: dict[str, str], reason: str) -> None:
    assert reason in refusal(tar(files), options=ImportOptions(started_at=START))


@pytest.mark.parametrize("packed", [tar, zipped])
def test_fio_bundle_that_breaks_off_is_refused(packed: Callable[[Mapping[str, str]], bytes]) -> None:
    data = packed({"run.json": json_of() + " " * 2000, "out_lat.1.log": averages([(1000, 1, 0)])})
    assert "unpacked" in refusal(data[:500])
