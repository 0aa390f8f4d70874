"""Stamps become UTC: zone, bias, a change of the clock inside a file, and the length of rows stamped in whole seconds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.collectors.imports.esxtop.errors import EsxtopRowError
from gavel.collectors.imports.esxtop.times import (
    TimeZone,
    is_day_first,
    is_uneven,
    mean_steps,
    parse_stamp,
    parse_zone,
    to_utc,
)

UTC = TimeZone("UTC", 0)
PACIFIC = TimeZone("Pacific Daylight Time", 420)


@pytest.mark.parametrize(
    ("cell", "name", "bias"),
    [
        ("(PDH-CSV 4.0) (UTC)(0)", "UTC", 0),
        ("(PDH-CSV 4.0) (Pacific Daylight Time)(420)", "Pacific Daylight Time", 420),
        ("(PDH-CSV 4.0) (SE Asia Standard Time)(-420)", "SE Asia Standard Time", -420),
        ("(PDH-CSV 4.0) ()(-540)", "", -540),
        ("(PDH-TSV 4.0) (Heure (été))(-120)", "Heure (été)", -120),
    ],
)
def test_zone_is_name_and_bias_of_the_first_cell(cell: str, name: str, bias: int) -> None:
    assert parse_zone(cell) == TimeZone(name, bias)


@pytest.mark.parametrize(
    "cell", ["(PDH-CSV 4.0) (", "(PDH-CSV 4.0)", "(PDH-CSV 4.0) (UTC)(9999)", "(PDH-CSV 4.0) (UTC)(x)"]
)
def test_zone_of_a_cut_first_cell_is_none(cell: str) -> None:
    assert parse_zone(cell) is None


def test_stamps_have_fractions_where_they_are_written() -> None:
    assert parse_stamp(b"01/02/1970 00:00:01.250") == 86_401.25
    assert parse_stamp(b"01/02/1970 00:00:01", day_first=True) == 31 * 86_400 + 1


@pytest.mark.parametrize(
    "cell", [b"", b"13/01/2026 00:00:00", b"02/30/2026 00:00:00", b"01/01/2026 24:00:00", b"01/01/26 1:00:00", b"x"]
)
def test_stamps_that_are_none_are_refused(cell: bytes) -> None:
    with pytest.raises(EsxtopRowError, match="first cell is no time"):
        parse_stamp(cell)


def test_stamps_of_a_spreadsheet_are_refused_with_the_reason() -> None:
    with pytest.raises(EsxtopRowError, match="without seconds, as spreadsheets save it"):
        parse_stamp(b"4/24/2018 10:49")


def test_dates_that_can_only_be_day_first_are_recognized() -> None:
    assert is_day_first(b"13/01/2026 00:00:00")
    assert not is_day_first(b"12/01/2026 00:00:00")


@pytest.mark.parametrize(("zone", "hours"), [(PACIFIC, 7), (TimeZone("SE Asia Standard Time", -420), -7), (UTC, 0)])
def test_utc_is_local_time_plus_bias(zone: TimeZone, hours: int) -> None:
    local = np.arange(0.0, 50.0, 5.0)
    utc, changes = to_utc(local, zone)
    assert utc.tolist() == (local + 3600 * hours).tolist()
    assert changes == []


@pytest.mark.parametrize("jump_s", [3600.0, -3600.0])
def test_clock_change_inside_a_local_file_is_undone(jump_s: float) -> None:
    truth = np.arange(0.0, 100.0, 5.0)
    local = truth - 60.0 * PACIFIC.bias_minutes
    local[12:] += jump_s
    utc, changes = to_utc(local, PACIFIC)
    assert utc.tolist() == truth.tolist()
    assert [(each.row, each.shift_s) for each in changes] == [(12, -jump_s)]


def test_clock_change_is_none_in_utc() -> None:
    """An hour without rows is a pause there."""
    local = np.array([0.0, 5.0, 10.0, 3615.0, 3620.0])
    utc, changes = to_utc(local, UTC)
    assert utc.tolist() == local.tolist()
    assert changes == []


@given(period=st.floats(2.0, 60.0), rows=st.integers(11, 80), phase=st.floats(0.0, 0.99))
def test_mean_step_is_the_true_period_within_a_tenth_of_a_second(period: float, rows: int, phase: float) -> None:
    """Single steps are off by up to a second."""
    stamps = np.floor(np.arange(rows) * period + phase)
    middle = mean_steps(stamps)[6:-5]
    assert np.all(np.abs(middle - period) <= 0.1 + 1e-9)


def test_mean_step_leaves_gaps_out() -> None:
    stamps = np.concatenate((np.arange(0.0, 50.0, 5.0), np.arange(1000.0, 1050.0, 5.0)))
    assert mean_steps(stamps).tolist() == [5.0] * 20
    assert is_uneven(stamps)


def test_steps_of_whole_seconds_are_even() -> None:
    assert not is_uneven(np.floor(np.arange(40) * 3.2))
