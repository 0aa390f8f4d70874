"""Results of fio become runs: units, windows, groups, percentiles, and what limits them."""

import gzip
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.imports.fio.results import START_MS, job, of_fio_2, result, way, written

from gavel.collectors.imports.fio.as_import import read_import
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import LoadFigures, LoadRun

START = datetime.fromtimestamp(START_MS / 1000, UTC)
PERCENTILES = {"50.000000": 350_000, "95.000000": 700_000, "99.000000": 900_000, "99.900000": 2_000_000}


def read(text: str | bytes) -> list[LoadRun]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_import(io.BytesIO(data), "fio.json", ImportOptions()).runs)


def run_of(*jobs: dict[str, Any], **more: Any) -> LoadRun:
    (run,) = read(written(result(*jobs, **more)))
    return run


def by_direction(run: LoadRun) -> dict[str, LoadFigures]:
    return {each.direction: each for each in run.figures}


def latency(run: LoadRun, direction: str = "all") -> LoadFigures:
    found = by_direction(run)[direction]
    assert found.mean_us is not None
    return found


def codes(run: LoadRun) -> set[str]:
    return {each.code for each in run.warnings}


def test_fio_result_becomes_a_run_in_microseconds_with_its_window() -> None:
    run = run_of(job(read=way(percentile=PERCENTILES, whole=True)))
    assert (run.name, run.tool, run.tool_version) == ("oltp", "fio", "3.35")
    assert (run.starts_at, run.ends_at) == (START, START + timedelta(seconds=60))
    assert (run.outstanding_limit, run.block_size, run.is_direct) == (32, "4k", True)
    assert list(by_direction(run)) == ["read", "all"]
    reads = by_direction(run)["read"]
    assert (reads.ops, reads.ops_per_s, reads.bytes_per_s) == (120_000, 2000, 2000 * 4096)
    found = latency(run)
    assert (found.mean_us, found.p50_us, found.p95_us, found.p99_us, found.p999_us) == (400, 350, 700, 900, 2000)
    assert run.warnings == []


def test_fio_reads_and_writes_together_are_weighted_by_their_ios() -> None:
    run = run_of(job(read=way(90_000, mean_us=300), write=way(30_000, mean_us=700)))
    assert latency(run).mean_us == pytest.approx((90_000 * 300 + 30_000 * 700) / 120_000)
    assert by_direction(run)["all"].ops_per_s == pytest.approx(2000)


def test_fio_percentiles_of_reads_and_writes_together_come_from_bins_only() -> None:
    """Percentiles do not average: without bins those of the whole are not measured."""
    without = run_of(job(read=way(percentile=PERCENTILES), write=way(percentile=PERCENTILES)))
    assert (latency(without).p99_us, latency(without, "read").p99_us) == (None, 900)
    fast, slow = {"100000": 120_000}, {"100000": 108_000, "5000000": 12_000}
    run = run_of(job(read=way(bins=fast), write=way(bins=slow)))
    assert (latency(run).p50_us, latency(run).p95_us, latency(run).p99_us) == (100, 100, 5000)
    assert (latency(run, "write").p95_us, latency(run, "read").p999_us) == (5000, 100)


@given(
    st.lists(st.tuples(st.integers(1, 10**9), st.integers(1, 1000)), min_size=1, max_size=40, unique_by=lambda b: b[0]),
    st.lists(st.tuples(st.integers(1, 10**9), st.integers(1, 1000)), min_size=1, max_size=40, unique_by=lambda b: b[0]),
)
def test_fio_percentiles_of_merged_bins_are_those_of_the_ios_themselves(
    reads: list[tuple[int, int]], writes: list[tuple[int, int]]
) -> None:
    def of(bins: list[tuple[int, int]]) -> dict[str, Any]:
        return way(sum(count for _, count in bins), bins={str(ns): count for ns, count in bins})

    found = latency(run_of(job(read=of(reads), write=of(writes))))
    each = sorted(ns for ns, count in reads + writes for _ in range(count))
    for percent, us in ((500, found.p50_us), (950, found.p95_us), (990, found.p99_us), (999, found.p999_us)):
        rank = -(-percent * len(each) // 1000)  # in whole numbers: no rounding of 99.9 %
        assert us == pytest.approx(each[rank - 1] / 1000)
    assert found.p50_us is not None
    assert found.p999_us is not None
    assert found.p50_us <= found.p999_us


def test_fio_percentiles_of_completion_alone_are_said_to_be_so() -> None:
    assert codes(run_of(job(read=way(percentile=PERCENTILES)))) == {"completion_percentiles"}
    assert "completion_percentiles" not in codes(run_of(job(read=way(percentile=PERCENTILES, whole=True))))


def test_fio_2_has_microseconds_and_kibibytes_per_second() -> None:
    document = result(job(read=way(percentile=PERCENTILES)))
    (new,), (old,) = read(written(document)), read(written(of_fio_2(document)))
    assert old.tool_version == "2.16"
    # fio 2 has bandwidth in whole KiB/s.
    assert by_direction(old)["read"].bytes_per_s == pytest.approx(by_direction(new)["read"].bytes_per_s, rel=1e-3)
    assert replace(latency(old), bytes_per_s=0.0) == replace(latency(new), bytes_per_s=0.0)
    assert by_direction(old)["read"].ops == 120_000
    assert old.starts_at == START


def test_fio_jobs_of_one_group_add_up_and_their_latency_is_weighted() -> None:
    jobs = [job("a", read=way(60_000, mean_us=200)), job("b", write=way(180_000, mean_us=600))]
    run = run_of(*jobs)
    assert (run.name, run.outstanding_limit) == ("a, b", 64)
    assert by_direction(run)["all"].ops_per_s == pytest.approx(4000)
    assert latency(run).mean_us == pytest.approx(500)


def test_fio_threads_count_once_whether_reported_as_a_group_or_each() -> None:
    options = {"bs": "8k", "iodepth": "16", "numjobs": "4", "direct": "1"}
    assert run_of(job(read=way(), options=options)).outstanding_limit == 64
    assert run_of(*[job(read=way(), options=options) for _ in range(4)]).outstanding_limit == 64


def test_fio_global_options_hold_where_a_job_has_none_of_its_own() -> None:
    shared = {"direct": "1", "iodepth": "8", "bs": "64k"}
    run = run_of(job(read=way(), options={"bs": "4k"}), **{"global options": shared})
    assert (run.is_direct, run.outstanding_limit, run.block_size) == (True, 8, "4k")


def test_fio_groups_one_after_another_each_have_their_window() -> None:
    jobs = [job("a", group=0, read=way(), elapsed=121), job("b", group=1, read=way(), elapsed=121)]
    first, second = read(written(result(*jobs, ended_ms=START_MS + 120_000)))
    assert (first.starts_at, first.ends_at) == (START, START + timedelta(seconds=60))
    assert (second.starts_at, second.ends_at) == (START + timedelta(seconds=60), START + timedelta(seconds=120))


def test_fio_groups_whose_times_do_not_add_up_have_no_window() -> None:
    """They may have run beside one another (new_group), and fio before 3.36 does not say when each began."""
    jobs = [job("a", group=0, read=way(), elapsed=61), job("b", group=1, read=way(), elapsed=61)]
    for run in read(written(result(*jobs))):
        assert (run.starts_at, run.ends_at) == (None, None)
        assert "window_unknown" in codes(run)


def test_fio_start_of_a_job_is_used_where_it_is_written_and_ramp_time_left_out() -> None:
    options = {"bs": "4k", "iodepth": "32", "direct": "1", "ramp_time": "30"}
    run = run_of(job(read=way(), options=options, job_start=START_MS), ended_ms=START_MS + 400_000)
    assert run.starts_at == START + timedelta(seconds=30)
    assert run.ends_at == START + timedelta(seconds=90)


@pytest.mark.parametrize(("ramp", "ramp_s"), [("1m", 60), ("30s", 30), ("500ms", 0.5), ("0", 0)])
def test_fio_ramp_is_a_time_as_fio_takes_it(ramp: str, ramp_s: float) -> None:
    run = run_of(
        job(read=way(), options=OPTIONS | {"ramp_time": ramp}, job_start=START_MS), ended_ms=START_MS + 400_000
    )
    assert run.starts_at == START + timedelta(seconds=ramp_s)


@pytest.mark.parametrize("options", [{"ramp_time": "1:30"}, {"ramp_size": "1g"}])
def test_fio_ramp_of_unknown_length_leaves_the_minutes_unknown(options: dict[str, str]) -> None:
    run = run_of(job(read=way(), options=OPTIONS | options, job_start=START_MS), ended_ms=START_MS + 400_000)
    assert (run.starts_at, "window_unknown" in codes(run)) == (None, True)


def test_fio_documents_are_found_behind_warnings_and_one_after_another() -> None:
    text = (
        "fio: this platform does not support process shared mutexes\n"
        f"fio: terminating on signal 2\n{written(result(job('a', read=way())))}note: both\n"
        f"{written(result(job('b', read=way()), ended_ms=START_MS + 600_000))}"
    )
    assert [run.name for run in read(text)] == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gzip"])
def test_fio_file_is_read_as_other_programs_save_it(encoding: str) -> None:
    text = written(result(job(read=way())))
    data = gzip.compress(text.encode(), mtime=0) if encoding == "gzip" else text.encode(encoding)
    assert read(data) == read(text)


def test_fio_of_one_client_is_read_without_the_sum_of_all_clients() -> None:
    entries = [job(read=way(), hostname="vm-1", port=8765), job("All clients", read=way(), hostname="", port=0)]
    document = result() | {"client_stats": entries}
    del document["jobs"]
    (run,) = read(written(document))
    assert (run.name, by_direction(run)["all"].ops) == ("oltp", 120_000)


def test_fio_mixed_reporting_is_one_direction_and_both_counts_nothing_twice() -> None:
    mixed = run_of({**job(), "mixed": way()})
    assert list(by_direction(mixed)) == ["all"]
    both = run_of({**job(read=way(60_000), write=way(60_000)), "mixed": way()})
    assert by_direction(both)["all"].ops == 120_000


OPTIONS = {"bs": "4k", "iodepth": "1", "direct": "1"}


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (job(read=way(), options={"iodepth": "32"}), "buffered"),
        (job(read=way(), error=5), "failed"),
        (job(read=way(120_000, mean_us=4000), options=OPTIONS), "more_outstanding"),
        (job(read={**way(), "lat_ns": way(100_000)["lat_ns"]}), "other_count"),
        (job(read={**way(), "iops": 2500.0}), "other_rate"),
        (job(read=way(), options=OPTIONS | {"runtime": "300", "time_based": "1"}), "stopped_early"),
        (job(read=way(), options=OPTIONS | {"runtime": "5m", "time_based": "1"}), "stopped_early"),
        ({**job(read=way()), "trim": {"total_ios": 3}}, "trims"),
    ],
    ids=lambda found: found if isinstance(found, str) else "",
)
def test_fio_run_says_what_limits_it(found: dict[str, Any], code: str) -> None:
    assert code in codes(run_of(found))
    assert code not in codes(run_of(job(read=way())))
