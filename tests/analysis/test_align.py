"""Samples on the minute grid."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavel.analysis.align import MINUTE_US, Minutes, Samples, placed
from gavel.analysis.intervals import exactly_around

SECOND = 1_000_000


def samples(
    ends_s: list[int], values: list[float], ops: list[float] | None = None, offset_s: int = 0, length_s: int = 20
) -> Samples:
    end = np.array(ends_s, dtype=np.int64) * SECOND
    count = np.array(ops if ops is not None else [100.0] * len(end))
    offsets = np.full(len(end), offset_s * SECOND, dtype=np.int64)
    value = exactly_around(np.array(values, dtype=np.float64)[:, None, None], 1.0)
    nothing = np.zeros((len(end), 0))
    entity = np.zeros(len(end), np.int64)
    return Samples(entity, end - length_s * SECOND, end, offsets, count[:, None], value, nothing, nothing)


def test_a_minute_is_the_op_weighted_mean_of_its_samples() -> None:
    minutes = placed(samples([20, 40, 60], [100, 200, 600], [300, 100, 100]))
    assert minutes.minute.tolist() == [0]
    assert minutes.value.value[0, 0, 0] == pytest.approx(220)
    assert minutes.value.half_width[0, 0, 0] == pytest.approx(1)
    assert minutes.ops[0, 0] == 500
    assert not minutes.sample_missing[0]


def test_a_sample_across_the_edge_counts_by_its_overlap_and_is_less_certain() -> None:
    minutes = placed(samples([50, 70, 90], [100, 300, 300]))
    assert minutes.ops.tolist() == [[150], [150]]
    assert minutes.value.value[0, 0, 0] == pytest.approx((100 * 100 + 300 * 50) / 150)
    assert minutes.value.half_width[0, 0, 0] == pytest.approx(1 + 0.5 * 200 * 50 / 150)


def test_a_clock_that_runs_ahead_is_set_right_before_minutes_are_cut() -> None:
    shifted = placed(samples([3620, 3640, 3660], [1, 2, 3], offset_s=3600))
    assert shifted.minute.tolist() == [0]
    assert not shifted.sample_missing[0]


def test_a_missing_sample_is_flagged_and_not_invented() -> None:
    minutes = placed(samples([20, 60], [100, 200]))
    assert minutes.sample_missing[0]
    assert minutes.covered_s[0] == 40
    assert minutes.value.value[0, 0, 0] == pytest.approx(150)


def test_ops_without_latency_leave_the_minute_flagged() -> None:
    some = placed(samples([20, 40, 60], [100, np.nan, 100]))
    assert (some.value.value[0, 0, 0], bool(some.sample_missing[0])) == (pytest.approx(100), True)
    none = placed(samples([20, 40, 60], [np.nan] * 3))
    assert np.isnan(none.value.value[0, 0, 0])
    assert none.sample_missing[0]


def test_samples_that_end_before_they_start_or_count_backwards_are_left_out() -> None:
    minutes = placed(samples([20, 40, 60], [1, 2, 3], [10, -5, np.nan]))
    assert minutes.ops[0, 0] == 10
    assert minutes.sample_missing[0]
    assert len(placed(samples([20], [1.0], length_s=0)).minute) == 0


def test_levels_are_means_over_time_and_keep_their_highest() -> None:
    one = samples([20, 40, 60], [1, 1, 1])
    levels = np.array([[32.0], [np.nan], [64.0]])
    minutes = placed(replace(one, levels=levels, counts=np.array([[10.0], [20.0], [30.0]])))
    assert (minutes.levels[0, 0], minutes.highest[0, 0], minutes.counts[0, 0]) == (48, 64, 60)


def same(one: Minutes, two: Minutes) -> None:
    for name in ("entity", "minute", "ops", "counts", "levels", "highest", "covered_s", "sample_missing"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.value.value, two.value.value)
    np.testing.assert_array_equal(one.value.upper, two.value.upper)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_order_of_arrival_and_duplicates_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 10_000
    end = rng.integers(1, 200, rows) * 20 * SECOND + 7
    entity = rng.integers(0, 100, rows)
    _, first = np.unique(entity * 10**12 + end, return_index=True)
    value = exactly_around(rng.uniform(0, 5000, (rows, 2, 3)), rng.uniform(0, 500, (rows, 2, 3)))
    ops = rng.integers(0, 1000, (rows, 2)).astype(np.float64)
    levels = rng.uniform(0, 64, (rows, 2))

    def pick(index: np.ndarray) -> Samples:
        chosen = type(value)(value.lower[index], value.upper[index], value.value[index])
        offsets = np.full(len(index), 3 * SECOND)
        start, bytes_ = end[index] - 20 * SECOND, ops[index] * 4096
        return Samples(entity[index], start, end[index], offsets, ops[index], chosen, bytes_, levels[index])

    plain = placed(pick(first))
    same(plain, placed(pick(rng.permutation(np.concatenate([first, first[::3]])))))
    assert plain.ops.sum() == pytest.approx(ops[first].sum())
    assert (plain.covered_s <= MINUTE_US / SECOND).all()
