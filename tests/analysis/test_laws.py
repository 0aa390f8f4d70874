"""What holds for every path: each example draws ten thousand random chains at once."""

from dataclasses import replace

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.analysis.building import by_default

from gavel.analysis.attribution import Attributed, OneWay, attribute
from gavel.analysis.chain import Chain, bounds, chain_of, depth_bound, estimate, isotonic, with_derived
from gavel.analysis.counted_leaves import CountBounds, Fed, over_counts
from gavel.analysis.diagnosis import case_of, rule
from gavel.analysis.intervals import (
    Floats,
    Intervals,
    Rounding,
    combined,
    each_end,
    exactly_around,
    from_integer,
    from_latest,
)
from gavel.analysis.ledger import latency_us, rolled_up, rows_of
from gavel.analysis.parent_notes import feed, rolled
from gavel.analysis.segments import SPAN_LAYERS, ArrayParts
from gavel.analysis.topology import sums
from gavel.analysis.unseen import HARDLY_ANY, over_unseen
from gavel.domain.io_path import SPANS, Boundary, Direction, Layer
from gavel.domain.ledger import LedgerRows

ROWS = 10_000
EPS = 1e-6
seeds = st.integers(0, 2**32 - 1)
law = settings(
    max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate]
)  # a seed has nothing to shrink to


def truths(rng: np.random.Generator) -> Floats:
    """(n, 6) nested times; a segment is nothing, a sliver or a lot."""
    scale = rng.choice([0.0, 5.0, 100.0, 1500.0], size=(ROWS, 6))
    return np.cumsum((scale * rng.random((ROWS, 6)))[:, ::-1], axis=1)[:, ::-1] + rng.uniform(1, 300, (ROWS, 1))


def quantised(rng: np.random.Generator, truth: Floats) -> Intervals:
    """A random counter family per row: ms rounding or truncating, proven or not, µs integers, `latest`, decimals."""
    rounds = np.floor(truth / 1000 + 0.5) * 1000
    truncated = np.floor(truth / 1000) * 1000
    reported = np.round(truth)

    noisy = reported + rng.uniform(-1, 1, len(truth)) * np.maximum(0.1 * reported / 1.1 - 0.5, 0)
    families = [
        from_integer(rounds, 1000),
        from_integer(truncated, 1000),
        from_integer(rounds, 1000, Rounding.ROUNDS),
        from_integer(truncated, 1000, Rounding.TRUNCATES),
        from_integer(np.floor(truth), 1),
        from_integer(reported, 1),
        from_latest(np.round(noisy), 1.0),
        from_latest(reported, 1.0),
        exactly_around(np.round(truth / 10) * 10, 5),
    ]
    pick = rng.integers(0, len(families), len(truth))
    return each_end(lambda *ends: np.choose(pick, ends), *families)


def blanked(intervals: Intervals, rows: np.ndarray) -> Intervals:
    return intervals.map(lambda x: np.where(rows, np.nan, x))


def measured(rng: np.random.Generator, truth: Floats, absent: float = 0.3) -> Chain:
    """The chain that counters make of the truth, boundaries and KAVG missing at random."""
    columns = {b: blanked(quantised(rng, truth[:, b]), rng.random(ROWS) < absent) for b in Boundary}
    kernel = truth[:, Boundary.DEVICE] - truth[:, Boundary.DRIVER]
    kavg = blanked(quantised(rng, kernel), rng.random(ROWS) < 0.5)
    qavg = blanked(quantised(rng, kernel * rng.random(ROWS)), rng.random(ROWS) < 0.3)
    return chain_of(ROWS, columns, kavg, qavg)


def split(rng: np.random.Generator, internal: Floats) -> ArrayParts:
    parts = np.round(rng.dirichlet([1, 1, 1], ROWS) * internal[:, None])
    qos, queue, service = (exactly_around(parts[:, index], 0.5) for index in range(3))
    return ArrayParts(qos=qos, queue=queue, service=service)


def random_way(rng: np.random.Generator, absent: float = 0.3) -> tuple[OneWay, Floats]:
    truth = truths(rng)
    ops = np.where(rng.random(ROWS) < 0.1, 0.0, np.round(rng.uniform(1, 1e6, ROWS)))
    return OneWay(measured(rng, truth, absent), ops, split(rng, truth[:, Boundary.ARRAY_INTERNAL])), truth


def nonsense(rng: np.random.Generator) -> Chain:
    """Chains whose measurements agree with nothing, one another included."""
    columns = {b: exactly_around(rng.uniform(0, 3000, ROWS), rng.choice([0.5, 50, 500], ROWS)) for b in Boundary}
    columns = {b: blanked(x, rng.random(ROWS) < 0.3) for b, x in columns.items()}
    return chain_of(ROWS, columns, blanked(exactly_around(rng.uniform(0, 900, ROWS), 5), rng.random(ROWS) < 0.5))


def assert_estimate_is_sound(way: Attributed, *, one_way: bool) -> None:
    fitted, limits = way.fitted, way.limits
    here = ~np.isnan(fitted)
    assert (fitted[here] >= limits.lower[here] - EPS).all()
    assert (fitted[here] <= limits.upper[here] + EPS).all()
    outermost = np.take_along_axis(fitted, np.argmax(here, axis=1)[:, None], axis=1)[:, 0]
    spans = way.spans.value
    assert (spans[~np.isnan(spans)] >= 0).all()
    some = here.any(axis=1) & (way.ops > 0) & (here[:, [0, 1, 2, 3, 5]].any(axis=1))
    starts = np.where(here[:, : Boundary.ARRAY].any(axis=1), outermost, fitted[:, Boundary.ARRAY_INTERNAL])[some]
    if one_way:
        np.testing.assert_allclose(np.nansum(spans, axis=1)[some], starts, rtol=1e-9, atol=EPS)
    for parts in (way.spans, way.segments):
        known = ~np.isnan(parts.value)
        assert (parts.value[known] >= 0).all()
        assert (parts.lower[known] <= parts.value[known] + EPS).all()
        assert (parts.value[known] <= parts.upper[known] + EPS).all()
    whole = (~np.isnan(way.segments.value)).all(axis=1)
    np.testing.assert_allclose(way.segments.value[whole].sum(axis=1), outermost[whole], rtol=1e-9, atol=EPS)


@law
@given(seeds)
def test_segments_are_never_negative_sum_to_the_outermost_boundary_and_lie_in_their_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (read, _), (write, _) = random_way(rng, 0.1), random_way(rng)
    limit = depth_bound(rng.choice([np.nan, 4.0, 32.0], ROWS), rng.uniform(1, 1e5, ROWS))
    ways = attribute(read, write, limit)
    for direction, way in ways.items():
        assert_estimate_is_sound(way, one_way=direction is not Direction.ALL)
    one, two, both = (ways[direction] for direction in Direction)
    total = one.spans.value * one.ops[:, None] + two.spans.value * two.ops[:, None]
    known = ~np.isnan(total)
    np.testing.assert_allclose((both.spans.value * both.ops[:, None])[known], total[known], rtol=1e-9, atol=1)


@law
@given(seeds)
def test_bounds_of_both_directions_together_hold_whatever_of_their_counts_is_true(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (read, reads_us), (write, writes_us) = random_way(rng, 0.1), random_way(rng, 0.1)
    ways, true_ops = [], []
    for way in (read, write):
        fewest, most = way.ops * rng.uniform(0, 1, ROWS), way.ops * rng.uniform(1, 3, ROWS)
        ways.append(replace(way, between=(fewest, most)))
        true_ops.append(fewest + rng.random(ROWS) * (most - fewest))
    both, exact = (attribute(*pair)[Direction.ALL] for pair in (ways, (read, write)))
    busy = (read.ops > 0) & (write.ops > 0)
    share = np.divide(true_ops[0], true_ops[0] + true_ops[1], out=np.zeros(ROWS), where=busy)[:, None]
    edges = [Boundary.GUEST, Boundary.VSCSI, Boundary.DRIVER, Boundary.ARRAY_INTERNAL]
    truth = (share * reads_us + (1 - share) * writes_us)[:, edges]
    layers = truth - np.concatenate([truth[:, 1:], np.zeros((ROWS, 1))], axis=1)
    for layer in Layer:
        span = SPANS.index((layer, layer))
        of_both = [attribute(read, write)[one].spans.value[:, span] for one in (Direction.READ, Direction.WRITE)]
        rows = busy & ~np.isnan(of_both[0] + of_both[1])
        # Without a guest's or a virtual disk's time the kernel begins at the device.
        if layer is Layer.KERNEL:
            rows &= np.isnan(both.fitted[:, Boundary.GUEST]) == np.isnan(both.fitted[:, Boundary.VSCSI])
            rows &= ~np.isnan(both.fitted[:, Boundary.VSCSI])
        assert rows.any()
        assert (both.spans.lower[rows, span] <= layers[rows, layer] + EPS).all()
        assert (layers[rows, layer] <= both.spans.upper[rows, span] + EPS).all()
    known = ~np.isnan(both.spans.value)
    np.testing.assert_array_equal(both.spans.value[known], exact.spans.value[known])


@law
@given(seeds)
def test_bounds_hold_as_well_if_writes_too_few_to_be_counted_were_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (read, reads_us), (write, writes_us) = random_way(rng, 0.0), random_way(rng, 0.0)
    ops, unseen = np.full(ROWS, 100.0), rng.uniform(0, 60, ROWS)
    read, silent = replace(read, ops=ops, between=(ops, ops)), replace(write, ops=0 * ops, between=(0 * ops, unseen))
    limit, of_devices = np.full(ROWS, np.inf), np.stack([2 * ops, np.where(rng.random(ROWS) < 0.5, 100.0, 0.0)], axis=1)
    before = attribute(read, silent, limit)[Direction.ALL]
    estimate_before = before.spans.value.copy()
    found = over_unseen(attribute(read, silent, limit), (read, silent), limit, of_devices)[Direction.ALL]
    there = np.minimum(unseen, of_devices[:, 1])
    true_ops = (rng.random(ROWS) * there)[:, None]
    truth = (ops[:, None] * reads_us + true_ops * writes_us) / (ops[:, None] + true_ops)
    span, few = SPANS.index((Layer.ARRAY, Layer.ARRAY)), there <= HARDLY_ANY * ops
    array = truth[:, Boundary.ARRAY_INTERNAL]
    held = (found.spans.lower[:, span] <= array + EPS) & (array <= found.spans.upper[:, span] + EPS)
    assert held[~few].all()
    assert few.any()
    np.testing.assert_array_equal(found.spans.upper[few], before.spans.upper[few])
    np.testing.assert_array_equal(found.spans.value, estimate_before)


@law
@given(seeds)
def test_bounds_of_a_place_hold_whatever_its_leaves_counts_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    leaves, places = 4000, 1000
    ops = np.round(rng.uniform(1, 1000, (leaves, 3)))
    mean = rng.choice([10.0, 300.0, 5000.0], (leaves, 3, 10)) * rng.random((leaves, 3, 10))
    time, nothing = mean * ops[:, :, None], np.zeros((leaves, 3, 9))
    full = np.broadcast_to(ops[:, :, None], time.shape).copy()
    rows = LedgerRows(
        ops=ops,
        bytes=ops,
        segment_time=nothing,
        segment_lower=nothing,
        segment_upper=nothing,
        segment_ops=nothing,
        span_time=time,
        span_lower=time,
        span_upper=time,
        span_ops=full,
        outermost_lower=mean[:, :, 0] * ops,
    )
    pairs = feed(np.arange(leaves), np.arange(leaves) % places, 1)
    counted = CountBounds(fewer=ops * rng.uniform(0, 0.3, ops.shape), more=ops * rng.uniform(0, 0.3, ops.shape))
    total = rolled(rows, pairs, places)
    held = over_counts(total, [Fed(rows, counted, pairs)])
    true_ops = ops - counted.fewer + rng.random(ops.shape) * (counted.fewer + counted.more)
    for mine in (true_ops, np.where(rng.random(ops.shape) < 0.5, ops - counted.fewer, ops + counted.more)):
        true = sums(mean * mine[:, :, None], pairs.parent, places) / sums(mine, pairs.parent, places)[:, :, None]
        low, high = (x / total.span_ops for x in (held.span_lower, held.span_upper))
        scale = 1e-9 + 1e-2 * true
        assert ((low <= true + scale) & (true <= high + scale)).mean() > 0.99
    np.testing.assert_array_equal(held.span_time, total.span_time)
    exact = over_counts(total, [Fed(rows, CountBounds(fewer=0 * ops, more=0 * ops), pairs)])
    np.testing.assert_allclose(exact.span_lower, total.span_lower, rtol=1e-9)


@law
@given(seeds)
def test_even_contradictions_end_in_a_chain_and_are_never_hidden(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = nonsense(rng)
    ways = attribute(OneWay(chain, np.full(ROWS, 60.0)), OneWay(nonsense(rng), np.full(ROWS, 30.0)))
    for direction, way in ways.items():
        assert_estimate_is_sound(way, one_way=direction is not Direction.ALL)
    limits = bounds(with_derived(chain))
    assert (limits.disagreement_us > 0).any()
    assert (limits.lower <= limits.upper).all()
    steps = np.diff(estimate(with_derived(chain), limits), axis=1)
    assert (np.isnan(steps) | (steps <= EPS)).all()


@law
@given(seeds)
def test_bounds_contain_every_chain_that_fits_the_measurements(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = truths(rng)
    limits = bounds(with_derived(measured(rng, truth)))
    assert (limits.disagreement_us <= EPS).all()
    assert (limits.lower <= truth + EPS).all()
    assert (truth <= limits.upper + EPS).all()


@law
@given(seeds)
def test_an_added_measurement_never_widens_a_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = truths(rng)
    chain = measured(rng, truth)
    column = int(rng.integers(0, 6))
    more, old = quantised(rng, truth[:, column]), chain.boundaries
    both = combined(
        [Intervals(lower=old.lower[:, column], upper=old.upper[:, column], value=old.value[:, column]), more]
    )

    def replaced(ends: Floats, numbers: Floats) -> Floats:
        ends = ends.copy()
        ends[:, column] = numbers
        return ends

    before, after = (
        bounds(chain),
        bounds(Chain(boundaries=each_end(replaced, old, both), kavg=chain.kavg, qavg=chain.qavg)),
    )
    assert (after.lower >= before.lower - EPS).all()
    assert (after.upper <= before.upper + EPS).all()


def true_whole(ways: tuple[OneWay, OneWay], truth: tuple[Floats, Floats]) -> Floats:
    """(n, 6) op-weighted truth; rows without ops are NaN."""
    ops = ways[0].ops + ways[1].ops
    sums = truth[0] * ways[0].ops[:, None] + truth[1] * ways[1].ops[:, None]
    return np.divide(sums, ops[:, None], out=np.full_like(sums, np.nan), where=ops[:, None] > 0)


def true_layers(truth: Floats) -> Floats:
    edges = truth[:, [Boundary.GUEST, Boundary.VSCSI, Boundary.DRIVER, Boundary.ARRAY_INTERNAL]]
    layers: Floats = edges - np.concatenate([edges[:, 1:], np.zeros((len(edges), 1))], axis=1)
    return layers


@law
@given(seeds)
def test_the_truth_lies_in_every_layer_and_no_confirmed_diagnosis_is_wrong(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (read, read_truth), (write, write_truth) = random_way(rng, 0.0), random_way(rng, 0.0)
    truth = true_whole((read, write), (read_truth, write_truth))
    iops = (read.ops + write.ops) / 60
    in_flight = np.ceil(iops * np.nan_to_num(truth[:, Boundary.DRIVER]) / 1e6)
    ways = attribute(read, write, depth_bound(np.maximum(in_flight, 1), np.round(iops)))
    whole, layers = ways[Direction.ALL], true_layers(truth)
    spans = layers @ SPAN_LAYERS.T
    known = ~np.isnan(whole.spans.value)
    assert (whole.spans.lower[known] <= spans[known] + EPS).all()
    assert (spans[known] <= whole.spans.upper[known] + EPS).all()
    for direction, own, other in (
        (Direction.READ, read_truth, Direction.WRITE),
        (Direction.WRITE, write_truth, Direction.READ),
    ):
        way, rest, part = ways[direction], ways[other], true_layers(own) @ SPAN_LAYERS.T
        known = ~np.isnan(way.spans.value)
        assert (way.spans.lower[known] <= part[known] * (1 + EPS) + EPS).all()
        assert (part[known] <= way.spans.upper[known] * (1 + EPS) + EPS).all()
        # What one direction may take is what both may, without the lower bound of the other.
        both = (
            known
            & ~np.isnan(rest.spans.value)
            & np.isclose(
                whole.spans.value * whole.ops[:, None],
                way.spans.value * way.ops[:, None] + np.nan_to_num(rest.spans.value) * rest.ops[:, None],
                rtol=1e-6,
            )
        )
        most = whole.spans.upper * whole.ops[:, None] - rest.spans.lower * rest.ops[:, None]
        assert (way.spans.upper * way.ops[:, None] <= most * (1 + EPS) + 1)[both].all()

    rows = rows_of(ways, np.zeros(ROWS), np.zeros(ROWS))
    diagnoses = rule(case_of(rows, Direction.ALL, by_default(ROWS), np.zeros(ROWS, np.int64)))
    confirmed = diagnoses.confidence == "confirmed"
    assert confirmed.sum() > ROWS / 100
    excess = np.maximum(layers - by_default(ROWS), 0)
    right = SPAN_LAYERS[diagnoses.named, np.argmax(np.nan_to_num(excess), axis=1)] > 0
    assert right[confirmed].all()


@law
@given(seeds)
def test_roll_ups_equal_the_op_weighted_whole(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (read, _), (write, _) = random_way(rng, 0.0), random_way(rng, 0.0)
    ways = attribute(read, write)
    rows = rows_of(ways, read.ops * 4096, write.ops * 4096)
    scope = rng.integers(0, 7, ROWS)
    rolled = rolled_up(rows, scope, 8)
    rng.shuffle(order := np.arange(ROWS))
    shuffled = rolled_up(taken(rows, order), scope[order], 8)
    np.testing.assert_allclose(rolled.span_upper, shuffled.span_upper, rtol=1e-12)
    np.testing.assert_allclose(rolled.span_time[:, 0] + rolled.span_time[:, 1], rolled.span_time[:, 2], rtol=1e-9)
    assert not rolled.ops[7].any()
    for part, parts in (("segment", "segments"), ("span", "spans")):
        time, ops = getattr(rolled, f"{part}_time"), getattr(rolled, f"{part}_ops")
        for direction in Direction:
            values = getattr(ways[direction], parts).value
            assert_op_weighted(latency_us(time, ops)[:, direction], values, ways[direction].ops, scope)


def assert_op_weighted(found: Floats, values: Floats, ops: Floats, scope: np.ndarray) -> None:
    """(scopes, k) against (n, k): means over what was measured; where nothing was, nothing is told."""
    for one in range(len(found)):
        weights = np.where(np.isnan(values), 0.0, ops[:, None])[scope == one]
        time, total = (np.nan_to_num(values[scope == one]) * weights).sum(axis=0), weights.sum(axis=0)
        expected = np.divide(time, total, out=np.full_like(time, np.nan), where=total > 0)
        np.testing.assert_allclose(found[one], expected, rtol=1e-9)


def taken(rows: LedgerRows, order: np.ndarray) -> LedgerRows:
    return LedgerRows(**{name: getattr(rows, name)[order] for name in LedgerRows.__slots__})


@law
@given(seeds)
def test_the_fit_is_the_nearest_non_increasing_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, weights = rng.uniform(0, 1000, (ROWS, 6)), 10.0 ** rng.uniform(-6, 0.6, (ROWS, 6))
    values[rng.random((ROWS, 6)) < 0.2] = np.nan
    fitted = isotonic(values, weights)
    assert (np.isnan(fitted) == np.isnan(values)).all()
    filled = np.where(np.isnan(fitted), np.inf, fitted)
    outer = np.minimum.accumulate(filled, axis=1)
    assert (np.where(np.isnan(fitted), -np.inf, fitted) <= outer + EPS).all()
    # Nearest: the error is orthogonal to the fit, and the fit keeps the weighted sum (conditions of the projection on the cone).
    errors = weights * (values - fitted)
    scale = np.nansum(weights * values, axis=1) + 1e-12
    np.testing.assert_allclose(np.nansum(errors, axis=1) / scale, 0, atol=1e-9)
    np.testing.assert_allclose(np.nansum(errors * fitted, axis=1) / (scale * 1000), 0, atol=1e-9)
    assert (np.cumsum(np.nan_to_num(errors), axis=1) <= 1e-9 * scale[:, None]).all()
