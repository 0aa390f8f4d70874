"""totals.html becomes runs: both versions of its header, and no other."""

from datetime import UTC, datetime

import pytest
from tests.collectors.imports.reading import by_direction, codes, only_run, refusal, runs_of
from tests.collectors.imports.vdbench.flat import HEAD_50406, HEAD_50407, started

from gavel.domain.imports import ImportOptions

UTC_GIVEN = ImportOptions(utc_bias_minutes=0)
ROW_50406 = "09:31:00.270  avg_2-60    2000.00     7.81    4096  75.00    0.500    0.400    0.800   96.066   10.097   1.0   1.2   0.2\n"
ROW_50407 = ROW_50406.replace("96.066", "96.066   44.100")


def test_vdbench_totals_become_a_run_with_their_window() -> None:
    run = only_run("vdbench", f"<pre>\nRun totals\n\n{started('rd1')}{HEAD_50406}{ROW_50406}", UTC_GIVEN)
    assert (run.name, run.outstanding_limit, run.block_size) == ("rd1", 32, "4k")
    assert (run.starts_at, run.ends_at) == (
        datetime(2026, 3, 14, 9, 30, 1, 270_000, tzinfo=UTC),
        datetime(2026, 3, 14, 9, 31, 0, 270_000, tzinfo=UTC),
    )
    found = by_direction(run)
    assert (found["read"].ops_per_s, found["write"].ops_per_s, found["all"].ops) == (1500, 500, 118_000)
    assert (found["read"].mean_us, found["write"].mean_us, found["all"].mean_us) == (400, 800, 500)
    assert (found["all"].max_us, found["read"].max_us) == (96_066, None)
    assert codes(run) == {"means_only"}


def test_vdbench_totals_of_the_next_version_have_the_slowest_of_each_direction() -> None:
    found = by_direction(only_run("vdbench", f"{started('rd1')}{HEAD_50407}{ROW_50407}", UTC_GIVEN))
    assert (found["read"].max_us, found["write"].max_us, found["all"].max_us) == (96_066, 44_100, None)


def test_vdbench_totals_with_a_warm_up_leave_it_out_of_the_window() -> None:
    row = ROW_50406.replace("avg_2-60", "avg_11-70")
    run = only_run("vdbench", f"{started('rd1', more=' warmup=10;')}{HEAD_50406}{row}", UTC_GIVEN)
    assert run.starts_at == datetime(2026, 3, 14, 9, 30, 0, 270_000, tzinfo=UTC)


def test_vdbench_totals_have_one_header_for_all_runs_and_go_on_after_midnight() -> None:
    late, next_day = ROW_50406.replace("09:31:00", "23:59:50"), ROW_50406.replace("09:31:00", "00:00:55")
    runs = runs_of("vdbench", f"{started('rd1')}{HEAD_50406}{late}\n{started('rd2')}{next_day}", UTC_GIVEN)
    assert [(run.name, run.ends_at and run.ends_at.day) for run in runs] == [("rd1", 14), ("rd2", 15)]


def test_vdbench_totals_without_a_zone_or_a_length_have_no_window() -> None:
    assert codes(only_run("vdbench", f"{started('rd1')}{HEAD_50406}{ROW_50406}")) == {"means_only", "window_unknown"}
    alone = only_run("vdbench", f"{HEAD_50406}{ROW_50406}", UTC_GIVEN)
    assert (alone.starts_at, alone.figures[-1].ops) == (None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD_50406.replace("  read     resp", "  resp     read") + ROW_50406,
            "line 1: a header that Gavel does not know",
        ),
        (HEAD_50406 + ROW_50407, "line 3: 13 numbers, and the header has 12 columns"),
        (HEAD_50406 + ROW_50406.replace("0.500", "quick"), "line 3: a cell is no number"),
        (HEAD_50406 + ROW_50406.replace("75.00", "175.0"), "line 3: a number below 0 or beyond measure"),
        (HEAD_50406.replace("Mar 14", "Foo 14") + ROW_50406, "line 1: Foo 14, 2026 is no date"),
        (HEAD_50406 + ROW_50406.replace("2000.00", "   0.00"), "no I/O was counted"),
        (HEAD_50406, "no means of a run in it"),
    ],
)
def test_vdbench_totals_that_cannot_be_read_are_refused_by_line(text: str, message: str) -> None:
    assert message in refusal("vdbench", text)
