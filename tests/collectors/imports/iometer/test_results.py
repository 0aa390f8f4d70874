"""Results of Iometer become runs: one level of rows, local times, names with commas, and what is refused."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.imports.iometer.results import COLUMNS_2006, block, results, row
from tests.collectors.imports.reading import by_direction, codes, only_run, refusal, runs_of

from gavel.domain.imports import ImportOptions

UTC_GIVEN = ImportOptions(utc_bias_minutes=0)
WORKER = row({"Target Type": "WORKER", "Target Name": "Worker 1", "IOps": "1000", "Read I/Os": "45000"})


def test_iometer_result_becomes_a_run_from_its_row_of_all() -> None:
    run = only_run("iometer", results(block(row(), WORKER, WORKER)), UTC_GIVEN)
    assert (run.name, run.tool, run.tool_version) == ("8K; 75% Read; 100% random", "iometer", "1.1.0")
    assert (run.outstanding_limit, run.block_size, run.is_direct) == (32, "8k", None)
    # 120,000 I/Os at 2,000 a second, up to the stamp after them.
    assert (run.starts_at, run.ends_at) == (
        datetime(2026, 3, 14, 9, 30, 30, 250_000, tzinfo=UTC),
        datetime(2026, 3, 14, 9, 31, 30, 250_000, tzinfo=UTC),
    )
    found = by_direction(run)
    assert (found["read"].ops, found["write"].ops, found["all"].ops) == (90_000, 30_000, 120_000)
    assert (found["read"].mean_us, found["write"].mean_us) == (400, 800)
    assert found["all"].mean_us == pytest.approx(500)
    assert (found["all"].bytes_per_s, found["all"].max_us, found["all"].p99_us) == (2000 * 8192, 9000, None)
    assert codes(run) == set()


def test_iometer_of_2006_has_other_columns_and_the_same_run() -> None:
    old = results(block(row(columns=COLUMNS_2006), columns=COLUMNS_2006), version="2006.07.27 ")
    new = only_run("iometer", results(block(row())), UTC_GIVEN)
    assert only_run("iometer", old, UTC_GIVEN).figures == new.figures


def test_iometer_times_are_local_and_need_their_zone() -> None:
    text = results(block(row()))
    assert codes(only_run("iometer", text)) == {"window_unknown"}
    placed = only_run("iometer", text, ImportOptions(utc_bias_minutes=420))
    assert placed.ends_at == datetime(2026, 3, 14, 16, 31, 30, 250_000, tzinfo=UTC)


def test_iometer_blocks_of_results_are_runs_of_their_own() -> None:
    second = block(row({"IOps": "1000", "Read IOps": "750", "Write IOps": "250"}), ended="2026-03-14 09:35:30:250")
    runs = runs_of("iometer", results(block(row()), second), UTC_GIVEN)
    assert [run.figures[-1].ops_per_s for run in runs] == [2000, 1000]
    assert [run.ends_at and run.ends_at.minute for run in runs] == [31, 35]


def test_iometer_names_with_commas_do_not_move_the_numbers() -> None:
    run = only_run("iometer", results(block(row({"Access Specification Name": "db, mixed, 8K"}))), UTC_GIVEN)
    assert (run.name, run.figures[-1].ops_per_s) == ("db, mixed, 8K", 2000)


def test_iometer_sizes_that_differ_are_no_block_size() -> None:
    text = results(block(row(), size="4096,50,75,100,0,1,0,0\n8192,50,75,100,0,1,0,0"))
    assert only_run("iometer", text, UTC_GIVEN).block_size is None


def test_iometer_that_limits_its_use_is_warned_about() -> None:
    assert codes(only_run("iometer", results(block(row({"Errors": "7"}))), UTC_GIVEN)) == {"failed"}
    assert codes(only_run("iometer", results(block(row({"Average Read Response Time": "90"}))), UTC_GIVEN)) == {
        "more_outstanding"
    }
    unequal = only_run("iometer", results(block(row({"Queue Depth": "-2"}))), UTC_GIVEN)
    assert (unequal.outstanding_limit, codes(unequal)) == (None, set())
    text = results(block(row()))
    cut = only_run("iometer", text[: text.rindex("'Time Stamp")], UTC_GIVEN)
    assert codes(cut) == {"window_unknown"}


def test_iometer_that_cannot_be_read_is_refused_by_line() -> None:
    assert "no results of Iometer" in refusal("iometer", results())
    assert "line 15: 35 cells, and the header has 41 columns" in refusal(
        "iometer", results(block(row().rsplit(",", 6)[0]))
    )
    assert "without the row ALL" in refusal("iometer", results(block(WORKER)))
    assert "no I/O was counted" in refusal("iometer", results(block(row({"Read I/Os": "0", "Write I/Os": "0"}))))
    assert "column IOps is '2 000.0'" in refusal("iometer", results(block(row({"IOps": "2 000.0"}))))
    assert "is no time stamp" in refusal("iometer", results(block(row(), ended="today")))
    assert "no column Bytes Read" in refusal("iometer", results(block(row())).replace("Bytes Read", "Bytes"))


@given(
    st.integers(0, 10**9),
    st.integers(1, 10**9),
    st.floats(0.01, 1000),
    st.floats(0.01, 1000),
    st.integers(1, 100_000),
)
def test_iometer_parts_add_up_to_the_whole(
    reads: int, writes: int, read_ms: float, write_ms: float, length_s: int
) -> None:
    """Law: rates add up, and the mean of all is weighted by I/Os."""
    counted = {"Read I/Os": str(reads), "Write I/Os": str(writes), "IOps": repr((reads + writes) / length_s)}
    rates = {"Read IOps": repr(reads / length_s), "Write IOps": repr(writes / length_s)}
    times = {"Average Read Response Time": repr(read_ms), "Average Write Response Time": repr(write_ms)}
    whole = only_run("iometer", results(block(row(counted | rates | times)))).figures[-1]
    assert whole.ops == reads + writes
    assert whole.ops_per_s == pytest.approx((reads + writes) / length_s)
    assert whole.mean_us == pytest.approx((reads * read_ms + writes * write_ms) / (reads + writes) * 1000)
