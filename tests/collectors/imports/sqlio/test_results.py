"""What sqlio prints becomes runs: whole milliseconds, one direction each, no times."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.collectors.imports.reading import codes, only_run, refusal, runs_of
from tests.collectors.imports.sqlio.results import printed

from gavel.domain.imports import ImportOptions

START = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
GIVEN = ImportOptions(started_at=START)


def test_sqlio_result_becomes_a_run_of_its_direction() -> None:
    run = only_run("sqlio", printed(), GIVEN)
    assert (run.name, run.tool, run.tool_version) == ("E:\\testfile.dat", "sqlio", "1.5.SG")
    assert (run.outstanding_limit, run.block_size, run.is_direct) == (32, "8k", True)
    assert (run.starts_at, run.ends_at) == (START, START + timedelta(seconds=60))
    reads, whole = run.figures
    assert (reads.direction, whole.direction) == ("read", "all")
    assert (whole.ops, whole.ops_per_s) == (120_000, 2000)
    assert whole.bytes_per_s == pytest.approx(15.62 * 2**20)
    assert (whole.mean_us, whole.max_us, whole.p50_us, whole.p95_us) == (2000, 99_000, 2000, 4000)
    assert (whole.p99_us, whole.p999_us) == (None, None)
    assert codes(run) == {"whole_ms"}


def test_sqlio_writes_are_writes() -> None:
    assert only_run("sqlio", printed(way="writing"), GIVEN).figures[0].direction == "write"


def test_sqlio_percentiles_in_the_open_bin_are_not_known() -> None:
    slow = only_run("sqlio", printed(percents=(*(0,) * 24, 100)), GIVEN).figures[-1]
    assert (slow.p50_us, slow.p95_us) == (None, None)


def test_sqlio_without_latency_has_rates_and_says_so() -> None:
    run = only_run("sqlio", printed(average_ms=None), GIVEN)
    assert (run.figures[-1].mean_us, run.figures[-1].p50_us, codes(run)) == (None, None, {"no_latency"})


def test_sqlio_with_the_file_cache_is_warned_about() -> None:
    assert codes(only_run("sqlio", printed(buffering="use both file and disk caches"), GIVEN)) == {
        "whole_ms",
        "buffered",
    }
    kept = only_run("sqlio", printed(buffering="use hardware disk cache (but not file cache)"), GIVEN)
    assert kept.is_direct


def test_sqlio_has_no_times_of_its_own() -> None:
    assert codes(only_run("sqlio", printed())) == {"whole_ms", "window_unknown"}
    both = runs_of("sqlio", printed() + printed(way="writing"), GIVEN)
    assert [run.starts_at for run in both] == [None, None]


def test_sqlio_that_cannot_be_read_is_refused_by_line() -> None:
    assert "no result of sqlio" in refusal("sqlio", "sqlio v1.5.SG\nUsage: sqlio [options]\n")
    assert "line 3: a run without IOs/sec" in refusal("sqlio", printed()[:300])
    assert "line 11: IOs/sec is 'n/a'" in refusal("sqlio", printed(iops="n/a"))


def test_sqlio_with_a_histogram_beyond_whole_percents_is_refused_by_line() -> None:
    for cell in ("101", "9" * 400, "9" * 5000):
        message = refusal("sqlio", printed().replace(" 50 ", f" {cell} "))
        assert f"line 19: a cell of the histogram is '{cell[:3]}" in message
        assert len(message) < 100


def test_sqlio_histogram_that_ends_in_other_characters_is_none() -> None:
    run = only_run("sqlio", printed().replace(" 50 ", f" {'9' * 400} ").replace("  0\n\n", "  0?\n\n"))
    assert run.figures[-1].p50_us is None
