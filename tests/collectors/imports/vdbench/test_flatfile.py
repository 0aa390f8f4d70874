"""flatfile.html becomes runs: warm-up, weights, windows over midnight, several runs, and what is refused."""

import gzip
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.imports.reading import by_direction, codes, only_run, refusal, runs_of
from tests.collectors.imports.vdbench.flat import START, Interval, average, cells, flatfile, rows

from gavel.domain.imports import ImportOptions

WARM_UP = Interval(rate=9000, read_ms=0.1, write_ms=0.1)
STEADY = [WARM_UP, *[Interval()] * 60]


def test_vdbench_flatfile_becomes_a_run_without_its_first_interval() -> None:
    run = only_run("vdbench", flatfile(rows(STEADY)))
    assert (run.name, run.tool, run.tool_version) == ("rd1", "vdbench", "50406")
    start = START
    assert (run.starts_at, run.ends_at) == (start + timedelta(seconds=1), start + timedelta(seconds=61))
    assert (run.outstanding_limit, run.block_size, run.is_direct) == (32, "4k", None)
    found = by_direction(run)
    assert list(found) == ["read", "write", "all"]
    assert (found["read"].ops_per_s, found["write"].ops_per_s, found["all"].ops_per_s) == pytest.approx(
        (1500, 500, 2000)
    )
    assert (found["read"].mean_us, found["write"].mean_us, found["all"].mean_us) == pytest.approx((400, 800, 500))
    assert found["all"].ops == 120_000
    assert found["all"].bytes_per_s == pytest.approx(2000 * 4096, rel=1e-4)
    assert (found["all"].max_us, found["read"].max_us, found["all"].p99_us) == (9000, None, None)
    assert codes(run) == set()


def test_vdbench_runs_of_one_file_are_taken_apart_also_under_one_name() -> None:
    first, second = rows(STEADY), rows([Interval(rate=100)] * 4, start=START + timedelta(minutes=5))
    runs = runs_of("vdbench", flatfile(first, second, rows(STEADY, run="rd2", start=START + timedelta(minutes=9))))
    assert [run.name for run in runs] == ["rd1", "rd1", "rd2"]
    assert [run.figures[-1].ops_per_s for run in runs] == pytest.approx([2000, 100, 2000])


def test_vdbench_warm_up_of_several_intervals_is_as_vdbench_says() -> None:
    run = only_run("vdbench", flatfile(rows([*[WARM_UP] * 5, *[Interval()] * 10], first=6)))
    assert run.figures[-1].ops_per_s == pytest.approx(2000)
    assert run.starts_at == START + timedelta(seconds=5)


def test_vdbench_run_over_midnight_lasts_on_into_the_next_day() -> None:
    before = datetime(2026, 3, 14, 23, 59, 30, tzinfo=UTC)
    run = only_run("vdbench", flatfile(rows(STEADY, start=before)))
    assert run.starts_at == before + timedelta(seconds=1)
    assert run.ends_at == before + timedelta(seconds=61)


def test_vdbench_times_of_day_get_their_date_from_what_is_given() -> None:
    text = flatfile(rows(STEADY), stamps=False)
    alone = only_run("vdbench", text)
    assert (alone.starts_at, codes(alone)) == (None, {"window_unknown"})
    # UTC+02:00: 09:30 there is 07:30 UTC.
    given_ = ImportOptions(utc_bias_minutes=-120, started_at=datetime(2026, 3, 14, 7, 29, 58, tzinfo=UTC))
    placed = only_run("vdbench", text, given_)
    assert placed.starts_at == datetime(2026, 3, 14, 7, 30, 1, tzinfo=UTC)
    after_midnight = flatfile(rows(STEADY, start=datetime(2026, 3, 15, 0, 0, 1, tzinfo=UTC)), stamps=False)
    evening = ImportOptions(utc_bias_minutes=0, started_at=datetime(2026, 3, 14, 23, 59, 59, tzinfo=UTC))
    assert only_run("vdbench", after_midnight, evening).starts_at == datetime(2026, 3, 15, 0, 0, 2, tzinfo=UTC)


def test_vdbench_zone_abbreviations_are_not_guessed() -> None:
    text = flatfile(rows(STEADY)).replace("-UTC", "-IST")
    assert codes(only_run("vdbench", text)) == {"window_unknown"}
    placed = only_run("vdbench", text, ImportOptions(utc_bias_minutes=-330))
    assert placed.starts_at == datetime(2026, 3, 14, 4, 0, 1, tzinfo=UTC)


def test_vdbench_without_latency_by_direction_has_it_of_all_only() -> None:
    run = only_run("vdbench", flatfile(rows(STEADY), left_out=("read_resp", "write_resp")))
    found = by_direction(run)
    assert (found["read"].mean_us, found["write"].mean_us) == (None, None)
    assert found["all"].mean_us == pytest.approx(500)
    reads = only_run("vdbench", flatfile(rows([Interval(read_share=1)] * 5), left_out=("read_resp", "write_resp")))
    assert [(each.direction, each.mean_us) for each in reads.figures] == [("read", 400), ("all", 400)]


def test_vdbench_run_that_was_ended_says_so_and_is_used() -> None:
    run = only_run("vdbench", flatfile(rows(STEADY, is_whole=False)))
    assert codes(run) == {"stopped_early"}
    assert run.figures[-1].ops_per_s == pytest.approx(2000)


def test_vdbench_means_alone_have_rates_and_no_window() -> None:
    run = only_run("vdbench", flatfile(rows(STEADY)[61:]))
    assert codes(run) == {"means_only", "window_unknown"}
    assert run.figures[-1].ops is None
    assert run.figures[-1].mean_us == pytest.approx(500)


def test_vdbench_figures_that_do_not_go_together_are_warned_about() -> None:
    changed = rows(STEADY)
    changed[61] = cells("avg_2-61", Interval(read_ms=4.0), START)
    assert codes(only_run("vdbench", flatfile(changed))) == {"other_mean"}
    assert codes(only_run("vdbench", flatfile([*rows(STEADY)[:30], *rows(STEADY)[31:]]))) == {"lost_intervals"}
    assert codes(only_run("vdbench", flatfile(rows([Interval(rate=97_000)] * 9)))) == {"more_outstanding"}


def test_vdbench_last_row_that_breaks_off_is_left_out_with_a_warning() -> None:
    text = flatfile(rows(STEADY, is_whole=False))
    assert codes(only_run("vdbench", text[:-60])) == {"stopped_early", "cut_short"}


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("rate", "fast", "line 6: column rate is 'fast'"),
        ("rate", "-1", "line 6: column rate is '-1'"),
        ("read%", "101", "line 6: column read% is '101'"),
        ("resp", "inf", "line 6: column resp is 'inf'"),
        ("tod", "25:00:00.000", "line 6: column tod is '25:00:00.000'"),
        ("Interval", "first", "line 6: column Interval is 'first'"),
    ],
)
def test_vdbench_cell_that_is_no_number_is_named_with_its_line(column: str, value: str, message: str) -> None:
    table = [cells("1", Interval(), START, **{column: value})]
    assert message in refusal("vdbench", flatfile(table, stamps=False))


def test_vdbench_rows_of_another_width_are_refused_by_line() -> None:
    table = rows(STEADY)
    table[3] = table[3][:-4]
    assert "line 9: 26 cells, and the header has 30 columns" in refusal("vdbench", flatfile(table))


def test_vdbench_workload_on_files_is_refused() -> None:
    assert "a workload on files (FWD)" in refusal("vdbench", "tod Run Interval ReqstdOps Rate Resp Read_rate\n")
    assert "no column MB/sec, read%" in refusal("vdbench", "tod Run Interval rate resp\n")


def test_vdbench_file_without_intervals_or_table_is_refused() -> None:
    assert "no interval in it" in refusal("vdbench", flatfile())
    assert "no table of vdbench" in refusal("vdbench", "Vdbench distribution: vdbench50406\n")
    assert "no I/O was counted" in refusal("vdbench", flatfile(rows([Interval(rate=0)] * 3, is_whole=False)))


def test_vdbench_flatfile_may_be_packed() -> None:
    assert only_run("vdbench", gzip.compress(flatfile(rows(STEADY)).encode(), mtime=0)).figures[
        -1
    ].ops_per_s == pytest.approx(2000)


INTERVALS = st.builds(
    Interval,
    rate=st.floats(1, 50_000),
    read_ms=st.floats(0.05, 50),
    write_ms=st.floats(0.05, 50),
    read_share=st.floats(0.01, 0.99),
)


def test_vdbench_run_of_which_neither_an_interval_nor_the_mean_is_there_is_refused_by_its_name() -> None:
    """A damaged name makes the standard deviation of a run one of its own."""
    whole = flatfile(rows([Interval()] * 3))
    (deviation,) = (line for line in whole.splitlines() if " std_2-3 " in line)
    reason = refusal("vdbench", whole.replace(deviation, deviation.replace(" rd1 ", " rd? ")))
    assert "run 'rd?': none of its intervals is in the file" in reason


@given(st.lists(INTERVALS, min_size=2, max_size=12))
def test_vdbench_means_are_those_of_vdbench_whatever_the_intervals(intervals: list[Interval]) -> None:
    """Law: rates are plain means, latencies are weighted by I/Os, and parts add up to the whole."""
    run = only_run("vdbench", flatfile(rows(intervals, threads="9999999.0")))
    whole, own = by_direction(run), average(intervals[1:])
    assert whole["all"].ops_per_s == pytest.approx(own.rate, rel=1e-3)
    assert whole["all"].mean_us == pytest.approx(own.response_ms * 1000, rel=5e-3)
    assert whole["read"].mean_us == pytest.approx(own.read_ms * 1000, rel=5e-3)
    parts = [whole["read"], whole["write"]]
    assert sum(one.ops_per_s or 0.0 for one in parts) == pytest.approx(whole["all"].ops_per_s)
    assert sum(one.bytes_per_s or 0.0 for one in parts) == pytest.approx(whole["all"].bytes_per_s)
    assert "other_mean" not in codes(run)
