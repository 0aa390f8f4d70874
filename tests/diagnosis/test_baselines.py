"""What is expected of a window: by the hours of the day it holds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.analysis.baseline import DEFAULTS, Expectations
from gavel.db.queries.expectations import HOURS
from gavel.diagnosis.baselines import Usual, hours_at, hours_of
from gavel.domain.io_path import Layer

START = datetime(2026, 11, 20, tzinfo=UTC)


def usual(san: dict[int, float], round_trip_us: float = 0.0) -> Usual:
    history = np.full((1, HOURS), np.nan)
    for hour, us in san.items():
        history[0, hour] = us
    return Usual(
        san_us=history, array_us=np.full((1, HOURS), np.nan), settings=DEFAULTS, round_trip_us=np.array([round_trip_us])
    )


def expected(of: Usual, seconds: np.ndarray, writes: float = 0.0, size: float = 0.0) -> np.ndarray:
    usual: np.ndarray = of.at(np.array([0]), seconds[None, :], np.array([writes]), np.array([size]))[0][0]
    return usual


@given(st.integers(0, 86_400), st.integers(60, 400_000))
def test_the_hours_of_a_window_are_all_of_it(offset_s: int, length_s: int) -> None:
    start = START + timedelta(seconds=offset_s)
    seconds = hours_of(start, start + timedelta(seconds=length_s))
    assert seconds.sum() == length_s
    assert (seconds >= 0).all()


def test_a_window_over_two_hours_is_expected_what_both_usually_take() -> None:
    seconds = hours_of(START.replace(hour=2, minute=45), START.replace(hour=3, minute=45))
    assert expected(usual({2: 100.0, 3: 200.0}), seconds)[Layer.SAN] == 175
    # An hour without a history says nothing about the other.
    assert expected(usual({3: 200.0}), seconds)[Layer.SAN] == 200
    assert expected(usual({}), seconds)[Layer.SAN] == 100


def test_a_minute_belongs_to_the_hour_it_begins_in() -> None:
    at = START.replace(hour=13, minute=59)
    row = hours_at(np.array([round(at.timestamp() * 1e6)]))[0]
    assert row.argmax() == 13
    assert row.sum() == 1


def test_writes_alone_wait_for_the_other_array_of_a_pod() -> None:
    seconds = hours_of(START, START + timedelta(minutes=5))
    found = [expected(usual({}, 2000.0), seconds, writes)[Layer.ARRAY] for writes in (0.0, 0.25, 1.0)]
    assert found == [500, 1000, 2500]


def test_the_transfer_of_large_ios_is_expected_of_the_san() -> None:
    """1 MiB over 16 Gbit/s of Fibre Channel is 655 µs."""
    seconds = hours_of(START, START + timedelta(minutes=5))
    size = float(1 << 20)
    assert expected(usual({}), seconds, size=size)[Layer.SAN] == pytest.approx(755.4, abs=0.1)
    # What was learned from smaller ones is no excess of larger ones, and a cap is one of the round trip.
    assert expected(usual({0: 120.0}), seconds, size=size)[Layer.SAN] == pytest.approx(655.4, abs=0.1)
    assert expected(usual({0: 800.0}), seconds, size=size)[Layer.SAN] == 800
    assert expected(usual({0: 5_000.0}), seconds, size=size)[Layer.SAN] == pytest.approx(955.4, abs=0.1)
    of = usual({})
    slow = replace(of, settings=replace(of.settings, san_bytes_per_us=np.array([115.0])))
    assert expected(slow, seconds, size=11_500.0)[Layer.SAN] == pytest.approx(200)
    assert expected(of, seconds, size=size)[Layer.ARRAY] == 500


def test_scopes_on_arrays_with_other_settings_keep_them_apart() -> None:
    unknown = np.full((2, HOURS), np.nan)
    settings = Expectations(san_us=np.array([100.0, 300.0]), san_cap_us=np.array([300.0, 900.0]))
    found = Usual(san_us=unknown, array_us=unknown, settings=settings, round_trip_us=np.zeros(2))
    seconds = np.tile(hours_of(START, START + timedelta(minutes=5)), (2, 1))
    rows, _ = found.at(np.array([1, 0]), seconds, np.zeros(2), np.zeros(2))
    assert rows[:, Layer.SAN].tolist() == [300, 100]
