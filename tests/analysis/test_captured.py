"""A capture's rows narrow a sample's latency, and the truth stays inside: over single I/Os, whatever the clocks and the load are."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gavel.analysis.capture_offset import CapturedCounts, StoredCounts, measure_agreement, propose_offset
from gavel.analysis.captured import CapturedRows, finer_latencies, is_fine, narrowed
from gavel.analysis.intervals import Intervals
from gavel.analysis.observed import DeviceSamples, HostCounter, Times

SECOND = 1_000_000


def sample(ops: float, start_s: float, *, precision_ms: bool = True) -> DeviceSamples:
    times = Times(
        end_us=np.array([round((start_s + 20) * SECOND)]),
        length_us=np.array([20 * SECOND]),
        offset_us=np.array([0]),
        error_s=np.array([0.1]),
    )
    return DeviceSamples(
        device=np.array([0]),
        times=times,
        ops=np.array([[ops, 0.0]]),
        bytes=np.zeros((1, 2)),
        latency_us=np.full((1, 2, 4), 1000.0),
        queue_depth=np.array([32.0]),
        is_millisecond=np.array([precision_ms]),
    )


def rows_of(
    ios: np.ndarray, latency_us: np.ndarray, *, step_s: float, first_s: float, rows: int, error_s: float
) -> CapturedRows:
    """What esxtop would write of single I/Os that end at `ios` (s): rates and means with two decimals of a ms."""
    edges = first_s + step_s * np.arange(rows + 1)
    at = np.searchsorted(edges, ios, side="left") - 1
    ops, means = np.zeros((rows, 2)), np.full((rows, 2, 4), np.nan)
    for row in range(rows):
        own = latency_us[at == row]
        ops[row, 0] = len(own)
        if len(own):
            means[row, 0, :] = round(float(own.mean()) / 10) * 10
    return CapturedRows(
        end_us=np.round(edges[1:] * SECOND).astype(np.int64),
        length_us=np.full(rows, round(step_s * SECOND)),
        ops=ops,
        latency_us=means,
        half_us=5.0,
        error_us=round(error_s * SECOND),
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    step_s=st.sampled_from([2.0, 3.2, 5.0]),
    shift_s=st.floats(-1.0, 1.0),
    level=st.floats(100, 5000),
    jump=st.floats(0.2, 6.0),
    first_s=st.floats(60.0, 65.0),
)
# Where the load changes within a row at the edge, its part may be faster than any row is.
@example(seed=1496984733, step_s=5.0, shift_s=1.0, level=3028.0, jump=0.2, first_s=60.0)
def test_capture_holds_the_mean_of_a_sample_whatever_clock_and_load_are(
    seed: int, step_s: float, shift_s: float, level: float, jump: float, first_s: float
) -> None:
    random = np.random.default_rng(seed)
    ios = np.sort(random.uniform(60, 140, 4000))
    # Load whose latency changes from one ten seconds to the next.
    steps = random.uniform(1, jump + 1, 8)
    latency = level * steps[((ios - 60) // 10).astype(int)] * random.uniform(0.9, 1.1, len(ios))
    own = latency[(ios > 80) & (ios <= 100)]
    captured = rows_of(ios + shift_s, latency, step_s=step_s, first_s=first_s, rows=int(75 / step_s), error_s=1.0)
    finer = finer_latencies(sample(len(own), 80), {0: [captured]})
    assert finer is not None
    for counter in range(4):
        assert finer.lower[0, 0, counter] <= own.mean() + 1e-6
        assert finer.upper[0, 0, counter] >= own.mean() - 1e-6
    assert np.isnan(finer.value[0, 1]).all(), "no writes were done"


def test_capture_of_steady_load_is_as_good_as_its_last_digit() -> None:
    ios = np.linspace(60, 140, 80_001)
    captured = rows_of(ios, np.full(len(ios), 412.0), step_s=5, first_s=60, rows=16, error_s=1.0)
    finer = finer_latencies(sample(20_000, 80), {0: [captured]})
    assert finer is not None
    assert (finer.lower[0, 0, 0], finer.upper[0, 0, 0]) == (405.0, 415.0)


@pytest.mark.parametrize(
    ("ops", "start_s", "why"),
    [
        (20_000, 130, "the rows end in the midst of the sample"),
        (60_000, 80, "the sample counts three times as many I/Os: another device, or another time"),
        (2_000, 80, "the sample counts a tenth of the I/Os"),
        (float("nan"), 80, "the sample counts none"),
    ],
)
def test_capture_says_nothing_of_a_sample_that_is_not_its_own(ops: float, start_s: float, why: str) -> None:
    ios = np.linspace(60, 140, 80_001)
    captured = rows_of(ios, np.full(len(ios), 412.0), step_s=5, first_s=60, rows=16, error_s=1.0)
    assert finer_latencies(sample(ops, start_s), {0: [captured]}) is None, why


def test_capture_with_a_row_every_ten_seconds_says_nothing() -> None:
    """Of rows that reach over the edges of a sample too much may be another's."""
    ios = np.linspace(60, 140, 80_001)
    captured = rows_of(ios, np.full(len(ios), 412.0), step_s=10, first_s=63, rows=7, error_s=0.5)
    assert finer_latencies(sample(20_000, 80), {0: [captured]}) is None


def test_capture_rows_without_rates_cover_nothing() -> None:
    ios = np.linspace(60, 140, 80_001)
    captured = rows_of(ios, np.full(len(ios), 412.0), step_s=5, first_s=60, rows=16, error_s=1.0)
    captured.ops[5] = np.nan
    assert finer_latencies(sample(15_000, 80), {0: [captured]}) is None


def test_capture_and_counter_both_hold_and_where_they_contradict_either_may() -> None:
    shape = (1, 2, 4)
    coarse = Intervals(lower=np.full(shape, 500.0), upper=np.full(shape, 2000.0), value=np.full(shape, 1000.0))
    fine = Intervals(lower=np.full(shape, 405.0), upper=np.full(shape, 615.0), value=np.full(shape, 510.0))
    both = narrowed(coarse, fine)
    assert (both.lower.item(0), both.upper.item(0), both.value.item(0)) == (500.0, 615.0, 510.0)
    apart = narrowed(
        coarse, Intervals(lower=np.full(shape, 3000.0), upper=np.full(shape, 3010.0), value=np.full(shape, 3005.0))
    )
    assert (apart.lower.item(0), apart.upper.item(0), apart.value.item(0)) == (500.0, 3010.0, 1000.0)
    nothing = Intervals(lower=np.full(shape, np.nan), upper=np.full(shape, np.nan), value=np.full(shape, np.nan))
    assert np.array_equal(narrowed(coarse, nothing).upper, coarse.upper)


def test_captures_that_contradict_each_other_are_left_out() -> None:
    ios = np.linspace(60, 140, 80_001)
    slow, fast = (
        rows_of(ios, np.full(len(ios), latency), step_s=5, first_s=60, rows=16, error_s=1.0)
        for latency in (900.0, 400.0)
    )
    assert finer_latencies(sample(20_000, 80), {0: [slow, fast]}) is None


def test_a_sample_is_fine_only_where_a_capture_measured_every_direction_that_had_ios() -> None:
    ios = np.linspace(60, 140, 80_001)
    captured = rows_of(ios, np.full(len(ios), 412.0), step_s=5, first_s=60, rows=16, error_s=1.0)
    reads = sample(20_000, 80)
    reads_only = DeviceSamples(
        device=reads.device,
        times=reads.times,
        ops=reads.ops,
        bytes=reads.bytes,
        latency_us=reads.latency_us,
        queue_depth=reads.queue_depth,
        is_millisecond=reads.is_millisecond,
        finer=finer_latencies(reads, {0: [captured]}),
    )
    assert is_fine(reads_only).tolist() == [True]
    reads_only.ops[0, 1] = 500
    assert is_fine(reads_only).tolist() == [False]
    assert is_fine(sample(20_000, 80)).tolist() == [False]


def counts(offset_s: float, seed: int = 7, *, period_s: int | None = None) -> tuple[StoredCounts, CapturedCounts]:
    """A load that changes every few seconds, as 20 s samples and as 5 s rows of a clock that is `offset_s` ahead."""
    random = np.random.default_rng(seed)
    size = 1800
    rate = np.repeat(random.uniform(200, 2000, size // 5), 5)
    if period_s:
        rate = np.tile(rate[:period_s], size // period_s + 1)[:size]
    ends = np.arange(20, size + 1, 20)
    stored = StoredCounts(
        end_us=ends * SECOND, length_us=np.full(len(ends), 20 * SECOND), ops=rate.reshape(-1, 20).sum(axis=1)
    )
    rows = np.arange(305, 1501, 5)
    captured = np.array([rate[end - 5 : end].sum() for end in rows])
    return stored, CapturedCounts(
        end_us=np.round((rows + offset_s) * SECOND).astype(np.int64),
        length_us=np.full(len(rows), 5 * SECOND),
        ops=captured,
    )


@pytest.mark.parametrize("offset_s", [0.0, 1.0, -7.0, 143.0, -600.0, 7200.0, -19_800.0])
def test_offset_of_a_capture_is_found_from_ios_that_both_sides_count(offset_s: float) -> None:
    proposal = propose_offset([counts(offset_s)])
    assert proposal is not None
    assert proposal.is_usable
    assert abs(proposal.offset_s - offset_s) <= proposal.error_s
    assert proposal.error_s <= 3


def test_offset_of_a_load_that_comes_back_alike_is_the_nearest_that_fits() -> None:
    proposal = propose_offset([counts(3.0, period_s=300)])
    assert proposal is not None
    assert abs(proposal.offset_s - 3.0) <= proposal.error_s


def test_offset_is_not_proposed_for_another_load_or_one_that_does_not_vary() -> None:
    stored, _ = counts(0.0, seed=1)
    _, other = counts(0.0, seed=2)
    proposal = propose_offset([(stored, other)])
    assert proposal is None or not proposal.is_usable
    steady = StoredCounts(end_us=stored.end_us, length_us=stored.length_us, ops=np.full(len(stored.ops), 20_000.0))
    flat = CapturedCounts(end_us=other.end_us, length_us=other.length_us, ops=np.full(len(other.ops), 5_000.0))
    assert propose_offset([(steady, flat)]) is None
    # A person who gives the offset is believed where both sides count as many.
    assert measure_agreement([(steady, flat)], 0.0).is_same_load
    assert not measure_agreement([(stored, other)], 0.0).is_same_load
    assert propose_offset([]) is None


def test_order_of_counters_is_that_of_the_captured_columns() -> None:
    assert [each.name for each in list(HostCounter)[:4]] == ["GAVG", "DAVG", "KAVG", "QAVG"]
