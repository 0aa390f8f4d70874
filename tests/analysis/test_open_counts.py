"""Means over things of unlike latency hold whatever numbers of I/Os the counters leave open."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analysis.small_environment import NAN, TOPOLOGY, Minute, attribution, index, row

from gavel.analysis.intervals import Intervals
from gavel.analysis.topology import NONE, Pairs, means, means_between
from gavel.domain.io_path import SPANS, Direction, Layer
from gavel.domain.scope import ScopeKind

ARRAY = SPANS.index((Layer.ARRAY, Layer.ARRAY))
numbers = st.floats(0, 1e4)
# Of one thing: its mean, the fewest I/Os, by how many more were counted, and by how many more there can have been at most.
things = st.lists(st.tuples(numbers, numbers, numbers, numbers), min_size=1, max_size=5)


def exact(mean: np.ndarray) -> Intervals:
    return Intervals(lower=mean, upper=mean, value=mean)


def between(
    group: np.ndarray, groups: int, drawn: list[tuple[float, float, float, float]]
) -> tuple[Intervals, Intervals]:
    mean, fewest, counted, more = np.array(drawn).T
    ops = (fewest + counted)[:, None]
    value = exact(mean[:, None, None])
    given_counts = (fewest[:, None], ops + more[:, None])
    return means_between(value, ops, given_counts, group, groups), means(value, ops[:, :, None], group, groups)


@given(things)
def test_the_bounds_are_the_extremes_over_all_counts(drawn: list[tuple[float, float, float, float]]) -> None:
    found, plain = between(np.zeros(len(drawn), np.int64), 1, drawn)
    mean, fewest, counted, more = np.array(drawn).T
    used = fewest + counted > 0
    if not used.any():
        assert np.isnan(found.value).all()
        return
    corners = product(
        *([(low, low + c + m) for low, c, m in zip(fewest[used], counted[used], more[used], strict=True)])
    )
    reached = [float(np.average(mean[used], weights=corner)) for corner in corners if sum(corner) > 0]
    low, high = (float(ends[0, 0, 0]) for ends in (found.lower, found.upper))
    if len(drawn) == 1:
        assert low == high == pytest.approx(mean[0])
        return
    assert low == pytest.approx(min(reached), rel=1e-9, abs=1e-6)
    assert high == pytest.approx(max(reached), rel=1e-9, abs=1e-6)
    assert low <= found.value[0, 0, 0] == plain.value[0, 0, 0] <= high


@given(things, things)
def test_groups_have_no_say_in_each_other(
    first: list[tuple[float, float, float, float]], second: list[tuple[float, float, float, float]]
) -> None:
    group = np.array([0] * len(first) + [1] * len(second), np.int64)
    order = np.argsort(np.arange(len(group)) % 3, kind="stable")
    together, _ = between(group[order], 2, [[*first, *second][at] for at in order])
    for at, drawn in enumerate((first, second)):
        alone, _ = between(np.zeros(len(drawn), np.int64), 1, drawn)
        for ends, own in zip((together.lower, together.upper), (alone.lower, alone.upper), strict=True):
            np.testing.assert_allclose(ends[at], own[0], rtol=1e-9, atol=1e-6)


def test_one_without_a_mean_leaves_its_group_without() -> None:
    value = exact(np.array([3.0, np.nan, 5.0])[:, None, None])
    ops = np.full((3, 1), 10.0)
    found = means_between(value, ops, (ops - 1, ops + 1), index(0, 0, 1), 2)
    assert np.isnan([found.lower[0], found.upper[0], found.value[0]]).all()
    assert (found.lower[1], found.upper[1]) == (5.0, 5.0)


# As `TOPOLOGY`, but parts 3 and 4 are two vVols of datastore 3 (units 4 and 6), behind the protocol endpoint (device 5).
TWO_VVOLS = replace(
    TOPOLOGY,
    devices=replace(TOPOLOGY.devices, endpoint=Pairs(left=index(5, 5), right=index(4, 6))),
    parts=replace(
        TOPOLOGY.parts,
        datastore=index(0, 0, 1, 3, 3, 0, 2),
        unit=index(NONE, NONE, NONE, 4, 6, NONE, NONE),
        devices=Pairs(left=index(0, 1, 2, 2, 3, 4, 5, 6), right=index(0, 1, 2, 3, 5, 5, 0, 4)),
    ),
    volumes=replace(
        TOPOLOGY.volumes,
        unit=index(0, 1, 2, 3, 3, 4, 6),
        array=index(0, 0, 1, 0, 1, 0, 0),
        pod=index(NONE, NONE, NONE, 0, 0, NONE, NONE),
        mirrored_on_both=np.array([False, False, False, True, True, False, False]),
    ),
    units=7,
    unit_array=index(*[NONE] * 5, 1, NONE),
)


@pytest.mark.parametrize(("kind", "thing"), [(ScopeKind.DATASTORE, 3), (ScopeKind.HOST_DEVICE, 5)])
@pytest.mark.parametrize("counts", [(5.9, 4.6), (4.6, 5.9), (5.0, 5.0)])
def test_places_of_unlike_volumes_hold_what_counts_per_second_leave_open(
    kind: ScopeKind, thing: int, counts: tuple[float, float]
) -> None:
    """Two vVols with 5 reads per second each, by counters that may be cut off or rounded; one waits 4 ms in the array, one 0.2 ms."""
    slow, fast = 4_000.0, 200.0
    base = Minute()
    minute = Minute(
        devices={**base.devices, 5: (10, 0, 2_500, 2_400)},
        parts={**base.parts, 3: (5, 0, slow + 300), 4: (5, 0, fast + 300)},
        volumes={**base.volumes, 5: (5, 0, 0, slow), 6: (5, 0, 0, fast)},
        directories={5: (0, 0, NAN)},
    )
    found = attribution(minute.observed(), TWO_VVOLS)
    rows, at = found.rows[kind].rows, row(found, kind, thing)
    ops = rows.ops[at, Direction.READ]
    low, high = (ends[at, Direction.READ, ARRAY] / ops for ends in (rows.span_lower, rows.span_upper))
    # Queue and port add 2 and 30 µs to each of them.
    true = float(np.average([slow, fast], weights=counts)) + 2 + 30
    assert low <= true <= high
    assert high - low < 600
