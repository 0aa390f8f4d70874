"""Samples on the minute grid."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavel.analysis.align import MINUTE_US, Minutes, Samples, placed
from gavel.analysis.intervals import each_end, exactly_around

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
    return Samples(
        entity=entity,
        start_us=end - length_s * SECOND,
        end_us=end,
        offset_us=offsets,
        ops=count[:, None],
        value=value,
        counts=nothing,
        levels=nothing,
        error_us=np.zeros(len(end), np.int64),
    )


def test_a_minute_is_the_op_weighted_mean_of_its_samples() -> None:
    minutes = placed(samples([20, 40, 60], [100, 200, 600], [300, 100, 100]))
    assert minutes.minute.tolist() == [0]
    assert minutes.value.value[0, 0, 0] == pytest.approx(220)
    assert minutes.value.half_width[0, 0, 0] == pytest.approx(1)
    assert minutes.ops[0, 0] == 500
    assert not minutes.sample_missing[0]


def ends(minutes: Minutes, minute: int = 0) -> tuple[float, float]:
    row = minutes.minute.tolist().index(minute)
    return float(minutes.value.lower[row, 0, 0]), float(minutes.value.upper[row, 0, 0])


def test_a_sample_across_the_edge_counts_by_its_overlap_and_may_have_changed_anywhere_within() -> None:
    minutes = placed(samples([50, 70, 90], [100, 200, 300]))
    assert minutes.ops.tolist() == [[150], [150]]
    assert minutes.value.value[0, 0, 0] == pytest.approx((100 * 100 + 200 * 50) / 150)
    # Its own I/Os may lie as far from their mean as the three surely differ, 198 µs: from 1 to 399 µs. Of what its I/O-time allows,
    # half are as fast, and half as slow, as can be; all of either are on one side.
    half = 100 * 200 / 398
    fastest, slowest = (100 * 99 + half * 1, 100 * 101 + half * 399)
    assert ends(minutes) == pytest.approx((fastest / (100 + half), slowest / (100 + half)), rel=1e-3)


def test_what_does_not_change_is_not_in_doubt() -> None:
    settled = placed(samples([50, 70, 90], [300, 300, 300]))
    assert ends(settled) == pytest.approx((299, 301), rel=0.01)


def test_how_many_ios_were_inside_scatters_by_the_root_of_their_number() -> None:
    minutes = placed(samples([50, 70, 90], [300, 300, 300], [100, 100, 100]))
    assert minutes.ops[0, 0] == 150
    assert (minutes.fewest[0, 0], minutes.most[0, 0]) == (pytest.approx(140), pytest.approx(160))


def test_none_or_all_of_a_burst_may_have_been_inside() -> None:
    minutes = placed(samples([36, 56, 76, 96], [400, 400, 479_000, 400], [1000, 1000, 380, 1000]))
    assert (minutes.fewest[0, 0], minutes.most[0, 0]) == (pytest.approx(2000), pytest.approx(2380))


def test_a_minute_may_have_been_idle_where_all_its_ios_fit_into_the_minute_beside_it() -> None:
    ends_s, latencies = [16, 36, 56, 76, 96], [300.0] * 5
    assert placed(samples(ends_s, latencies, [0, 0, 0, 600, 1000])).may_be_idle.tolist()[1:] == [True, False]
    # Sixteen seconds have no room for so many.
    assert not placed(samples(ends_s, latencies, [0, 0, 0, 950, 1000])).may_be_idle[1:].any()
    assert not placed(samples(ends_s, latencies, [0, 0, 20, 600, 1000])).may_be_idle[1:].any()
    assert not placed(samples(ends_s, latencies, [0] * 5)).may_be_idle.any()


def test_operations_counted_per_second_are_good_to_what_is_cut_off() -> None:
    minutes = placed(samples([20, 40, 60], [300, 300, 300], [20, 20, 20]), good_to=(0.5, 1.0))
    assert (minutes.fewest[0, 0], minutes.ops[0, 0], minutes.most[0, 0]) == (30, 60, 120)
    assert (placed(samples([20, 40, 60], [300] * 3)).most == 300).all()


def test_a_wait_within_a_sample_may_be_longer_than_any_of_its_neighbours_told() -> None:
    """A port that is full: 11, 17 and 11 ms; three of the middle sample's 20 s are outside, and 41 of its 274 I/Os may have taken 26 ms."""
    minutes = placed(samples([20, 43, 63], [11_000, 17_000, 11_000], [270, 274, 270]))
    assert ends(minutes)[0] <= (270 * 11_000 + 274 * 17_000 - 41 * 22_000) / (270 + 233)


def test_bounds_hold_where_latency_falls_at_the_edge_while_the_load_is_at_its_peak() -> None:
    """After the edge 3,400 I/Os per second, more than in any whole sample: the latencies tell that fewer were before it."""
    before, after = 5 * 2_500, 15 * 3_400
    mean = (before * 1500 + after * 4) / (before + after)
    minutes = placed(
        samples([15, 35, 55, 75, 95], [1500, 1500, 1500, mean, 4], [51_000, 52_000, 52_000, before + after, 62_000])
    )
    assert ends(minutes)[1] >= 1500
    assert ends(minutes, 1)[0] <= 4


def test_a_clock_error_makes_a_sample_that_ends_at_the_edge_a_cut_one() -> None:
    exact = samples([20, 40, 60, 80], [100, 100, 200, 900], [100, 100, 100, 2000])
    doubted = placed(replace(exact, error_us=np.full(4, SECOND)))
    assert ends(placed(exact)) == pytest.approx((400 / 3 - 1, 400 / 3 + 1))
    low, high = ends(doubted)
    assert low < 105
    assert high > 150
    assert doubted.minute.tolist() == [0, 1]
    assert doubted.ops.tolist() == placed(exact).ops.tolist()


@pytest.mark.parametrize("inside", [0, 380])
def test_a_burst_shorter_than_a_sample_lies_wholly_on_either_side_of_the_edge(inside: int) -> None:
    """380 I/Os of 479 ms within a second: a fifth of the sample is inside the minute, and all of them or none may be."""
    minutes = placed(samples([36, 56, 76, 96], [400, 400, 479_000, 400], [1000, 1000, 380, 1000]))
    low, high = ends(minutes)
    truth = (2000 * 400 + inside * 479_000) / (2000 + inside)
    assert low <= truth <= high


def test_so_few_ios_that_they_come_when_they_come_may_all_be_inside() -> None:
    minutes = placed(samples([50, 70, 90], [400, 9000, 400], [100, 12, 100]))
    low, high = ends(minutes)
    assert low <= 400
    assert high >= (100 * 400 + 12 * 9000) / 112


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_bounds_of_a_minute_hold_wherever_between_two_states_the_change_was(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 10_000
    rate, latency = 10.0 ** rng.uniform(0, 4, (2, rows)), 10.0 ** rng.uniform(0, 4, (2, rows))
    changed_at = rng.uniform(-30, 90, rows)
    offset_us = rng.integers(0, 20 * SECOND, rows)
    error_us = rng.integers(0, SECOND, rows)
    wrong_us = (error_us * rng.uniform(-1, 1, rows)).astype(np.int64)

    def sums(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        before = np.clip(changed_at - start, 0, end - start)
        seconds = np.stack([before, (end - start) - before])
        return (rate * seconds).sum(axis=0), (rate * latency * seconds).sum(axis=0)

    parts = []
    for number in range(-2, 6):
        end = (20 * number * SECOND + offset_us) / SECOND
        ops, time = sums(end - 20, end)
        parts.append((end, ops, time / ops))
    end_us = np.concatenate([np.rint(end * SECOND).astype(np.int64) for end, _, _ in parts])
    count, mean = (np.concatenate([part[k] for part in parts])[:, None] for k in (1, 2))
    things, nothing = np.tile(np.arange(rows), len(parts)), np.zeros((len(end_us), 0))
    minutes = placed(
        Samples(
            entity=things,
            start_us=end_us - 20 * SECOND,
            end_us=end_us,
            offset_us=np.tile(wrong_us, len(parts)),
            ops=count,
            value=exactly_around(mean[:, :, None], 0.5),
            counts=nothing,
            levels=nothing,
            error_us=np.tile(error_us, len(parts)),
        )
    )
    inside = minutes.minute == 0
    ops, time = sums(np.zeros(rows), np.full(rows, 60.0))
    true, thing = time / ops, minutes.entity[inside]
    assert len(thing) == rows
    off = np.maximum(minutes.value.lower[inside, 0, 0] - true[thing], true[thing] - minutes.value.upper[inside, 0, 0])
    # Samples on both sides of an edge are allowed for one by one: of steps of a thousandfold one in many thousands escapes.
    assert (off <= 1e-3 * true[thing] + 0.01).mean() > 0.999


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


def test_a_boundary_that_one_sample_lacks_leaves_the_minute_flagged_unless_another_tells_the_same() -> None:
    """Its mean is that of the other samples: how it was in this one nobody knows."""
    one, other = samples([20, 40, 60], [100, np.nan, 100]), samples([20, 40, 60], [300, 300, 300])
    both = each_end(lambda *ends: np.concatenate(ends, axis=2), one.value, other.value)
    assert placed(replace(one, value=both)).sample_missing[0]
    assert not placed(replace(one, value=both), either=True).sample_missing[0]
    never = replace(
        one,
        value=other.value.map(lambda x: np.stack([np.full((3, 1), np.nan), x[:, :, 0]], axis=2)),
    )
    assert not placed(never).sample_missing[0]


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
        chosen = value.map(lambda x: x[index])
        offsets = np.full(len(index), 3 * SECOND)
        start, bytes_ = end[index] - 20 * SECOND, ops[index] * 4096
        exact = np.zeros(len(index), np.int64)
        return Samples(
            entity=entity[index],
            start_us=start,
            end_us=end[index],
            offset_us=offsets,
            ops=ops[index],
            value=chosen,
            counts=bytes_,
            levels=levels[index],
            error_us=exact,
        )

    plain = placed(pick(first))
    same(plain, placed(pick(rng.permutation(np.concatenate([first, first[::3]])))))
    assert plain.ops.sum() == pytest.approx(ops[first].sum())
    assert (plain.covered_s <= MINUTE_US / SECOND).all()
