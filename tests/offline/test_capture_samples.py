"""Rows of a capture as samples: as many I/Os as the rows had, means between those of the rows, and nothing made up."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.errors import SettingsError
from gavel.domain.imports import CapturedObject, Float64Array, ImportedCapture
from gavel.domain.samples import NOT_MEASURED, Precision
from gavel.domain.source import Stream
from gavel.offline.capture_samples import capture_batches, group_rows

START_S = 1_780_002_000


def capture(
    steps_s: list[int], columns: dict[str, Float64Array] | None = None, kind: str = "device"
) -> ImportedCapture:
    """One object, whose first row has no rates. steps_s: before each further row."""
    ended_s = START_S + np.concatenate([[0], np.cumsum(steps_s)])
    part, parent = ("scsi0:0", "db01") if kind == "virtual_disk" else (None, None)
    return ImportedCapture(
        host_name="esx-1",
        starts_at=datetime.fromtimestamp(START_S, UTC),
        ends_at=datetime.fromtimestamp(int(ended_s[-1]), UTC),
        ended_us=ended_s * 1_000_000,
        length_us=np.full(len(ended_s), 5_000_000),
        half_us=5.0,
        is_consistent=True,
        objects=[CapturedObject(kind, "naa.1", parent, part, parent, columns or {})],
        report={},
    )


def rows(*values: float) -> Float64Array:
    return np.array([np.nan, *values])


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5000), st.floats(50, 9000)), min_size=2, max_size=60))
def test_samples_hold_every_io_of_the_rows_and_means_between_those_of_the_rows(
    given_rows: list[tuple[int, int, float]],
) -> None:
    steps, rates, latencies = ([each[n] for each in given_rows] for n in range(3))
    us = [latency if rate else np.nan for latency, rate in zip(latencies, rates, strict=True)]
    columns = {"reads_per_s": rows(*rates), "writes_per_s": rows(*[0.0] * len(rates)), "read_guest_us": rows(*us)}
    (batch,) = capture_batches(capture([int(step) for step in steps], columns))
    ops = sum(step * rate for step, rate in zip(steps, rates, strict=True))
    assert batch.values["read_ops"].sum() == ops
    assert batch.interval_s.sum() == sum(steps)
    # One after the other, without a slit.
    ends_s = batch.ended_at_us // 1_000_000
    assert (ends_s[1:] - batch.interval_s[1:] == ends_s[:-1]).all()
    gavg = batch.values["read_gavg_us"]
    assert ((gavg == NOT_MEASURED) == (batch.values["read_ops"] == 0)).all()
    timed = [each for each in us if not np.isnan(each)]
    assert ((gavg == NOT_MEASURED) | ((gavg >= min(timed, default=0) - 1) & (gavg <= max(timed, default=0) + 1))).all()
    assert (batch.values["write_gavg_us"] == NOT_MEASURED).all()


def test_samples_are_of_20_s_on_the_clock_where_rows_are_shorter() -> None:
    found = group_rows(capture([5] * 24))
    assert (found.ended_us // 1_000_000 - START_S).tolist() == [20, 40, 60, 80, 100, 120]
    assert set(found.interval_s.tolist()) == {20}


def test_samples_without_a_row_end_before_it_and_begin_anew_behind() -> None:
    found = group_rows(capture([5, 5, 500, 5, 5]))
    assert found.interval_s.tolist() == [10, 10]


def test_samples_need_rows_of_at_most_a_minute() -> None:
    with pytest.raises(SettingsError, match="rows are 120 s apart"):
        group_rows(capture([120, 120, 120]))


def test_samples_are_marked_as_captured_and_what_the_file_lacks_is_not_measured() -> None:
    columns = {"reads_per_s": rows(10.0), "writes_per_s": rows(5.0), "read_us": rows(470.0)}
    (batch,) = capture_batches(capture([5], columns, kind="virtual_disk"))
    assert batch.stream is Stream.VM_DISK
    assert batch.keys == ("esx-1/db01/scsi0:0",)
    one = {name: int(column[0]) for name, column in batch.values.items()}
    assert one["precision"] == Precision.ESXTOP
    assert (one["read_ops"], one["write_ops"], one["read_total_latency_us"]) == (50, 25, 470)
    for name in ("read_bytes", "read_latency_us", "write_total_latency_us", "read_outstanding"):
        assert one[name] == NOT_MEASURED, name


def test_samples_of_an_object_whose_ios_are_not_counted_do_not_exist() -> None:
    assert capture_batches(capture([5], {"read_guest_us": rows(470.0)})) == []
