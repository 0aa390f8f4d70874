"""One chain per row: nested boundaries as intervals, and the bounds that their order allows (attribution.md §3)."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Bools, Floats, Intervals, absent, exactly_around
from gavel.domain.io_path import Boundary

# Fewer instants than this are an anecdote.
LEAST_INSTANTS = 10
_BOUNDARIES = len(Boundary)
# Part of a number that the order of additions may change.
_LAST_BITS = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Measurements of n rows: `boundaries` (n, 6) in the order of `Boundary`, `kavg` and `qavg` (n,); NaN = absent."""

    boundaries: Intervals
    kavg: Intervals
    qavg: Intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What every boundary (n, 6) can be, measured or not: `upper` is ∞ where nothing limits it.

    present: (n, 6) measured, or derived from its neighbour and KAVG. disagreement_us: (n,) how far measurements contradict each other;
    where > 0 every boundary has been widened by it.
    """

    lower: Floats
    upper: Floats
    present: Bools
    disagreement_us: Floats


def chain_of(
    rows: int, boundaries: dict[Boundary, Intervals], kavg: Intervals | None = None, qavg: Intervals | None = None
) -> Chain:
    """A chain from the boundaries that were measured, each (rows,)."""
    columns = [boundaries.get(boundary) or absent(rows) for boundary in Boundary]
    stacked = Intervals(
        lower=np.stack([column.lower for column in columns], axis=1),
        upper=np.stack([column.upper for column in columns], axis=1),
        value=np.stack([column.value for column in columns], axis=1),
    )
    return Chain(boundaries=stacked, kavg=kavg or absent(rows), qavg=qavg or absent(rows))


def with_derived(chain: Chain) -> Chain:
    """The chain with driver or device filled in from the other one and KAVG, where only one of the two was measured."""
    lower, upper, value = (
        array.copy() for array in (chain.boundaries.lower, chain.boundaries.upper, chain.boundaries.value)
    )
    has, kavg = ~np.isnan(value), chain.kavg
    driver = kavg.present & has[:, Boundary.DEVICE] & ~has[:, Boundary.DRIVER]
    device = kavg.present & has[:, Boundary.DRIVER] & ~has[:, Boundary.DEVICE]
    for target, source, rows in (
        (Boundary.DRIVER, Boundary.DEVICE, driver),
        (Boundary.DEVICE, Boundary.DRIVER, device),
    ):
        add = target is Boundary.DEVICE
        lower[rows, target] = np.maximum(lower[rows, source] + (kavg.lower[rows] if add else -kavg.upper[rows]), 0.0)
        upper[rows, target] = np.maximum(upper[rows, source] + (kavg.upper[rows] if add else -kavg.lower[rows]), 0.0)
        value[rows, target] = np.maximum(value[rows, source] + (1 if add else -1) * kavg.value[rows], 0.0)
    return Chain(boundaries=Intervals(lower=lower, upper=upper, value=value), kavg=kavg, qavg=chain.qavg)


def bounds(chain: Chain) -> Bounds:
    """What each boundary can be, given all of them, their order and KAVG; contradictions are measured and widened away."""
    measured = chain.boundaries
    lower = np.where(measured.present, measured.lower, 0.0)
    upper = np.where(measured.present, measured.upper, np.inf)
    gap = _gap(*_tightened(lower, upper, chain.kavg))
    wide_lower, wide_upper = _tightened(np.maximum(lower - gap[:, None], 0.0), upper + gap[:, None], chain.kavg)
    # Widened ends meet at least; the maximum only takes away the last bit of floating point.
    return Bounds(
        lower=wide_lower, upper=np.maximum(wide_upper, wide_lower), present=measured.present, disagreement_us=gap
    )


def _tightened(lower: Floats, upper: Floats, kavg: Intervals) -> tuple[Floats, Floats]:
    low, high = np.where(kavg.present, kavg.lower, 0.0), np.where(kavg.present, kavg.upper, np.inf)
    lower, upper = _nested(lower, upper)
    for _ in range(2):
        device, driver = (
            (lower[:, Boundary.DEVICE], upper[:, Boundary.DEVICE]),
            (lower[:, Boundary.DRIVER], upper[:, Boundary.DRIVER]),
        )
        new_driver = np.maximum(driver[0], device[0] - high), np.minimum(driver[1], device[1] - low)
        new_device = np.maximum(device[0], driver[0] + low), np.minimum(device[1], driver[1] + high)
        lower[:, Boundary.DRIVER], upper[:, Boundary.DRIVER] = new_driver
        lower[:, Boundary.DEVICE], upper[:, Boundary.DEVICE] = new_device
        lower, upper = _nested(lower, upper)
    return lower, upper


def _nested(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    return np.maximum.accumulate(lower[:, ::-1], axis=1)[:, ::-1].copy(), np.minimum.accumulate(upper, axis=1)


def _gap(lower: Floats, upper: Floats) -> Floats:
    worst: Floats = np.max(np.maximum(lower - upper, 0.0), axis=1)
    return worst


def depth_bound(depth: Floats, iops: Floats, disks: Floats | float = 1.0) -> Floats:
    """Little's law: the longest mean driver time in µs that `depth` I/Os in flight allow at `iops`; ∞ where unknown.

    `disks` counts the integer IOPS counters that were added, each good to ½.
    """
    least = iops - 0.5 * disks
    known = (depth > 0) & (least > 0)
    longest: Floats = np.divide((depth + 0.5) * 1e6, least, out=np.full(np.shape(least), np.inf), where=known)
    return longest


def from_instants(mean: Floats, deviation: Floats, count: Floats, iops: Floats) -> Intervals:
    """ACTV or QUED of esxtop as time per I/O, from the mean and standard deviation of at least ten instants; fewer are absent."""
    per_io = np.divide(1e6, iops, out=np.full(np.shape(iops), np.nan), where=(iops > 0) & (count >= LEAST_INSTANTS))
    return exactly_around(mean * per_io, (0.5 + 2 * deviation / np.sqrt(np.maximum(count, 1))) * per_io)


def limited(limits: Bounds, driver_limit_us: Floats) -> Bounds:
    """Bounds with `driver` (and so everything inside it) held under a limit; a contradiction is added and widened away."""
    known = np.isfinite(driver_limit_us)
    gap = np.where(
        known, np.maximum(limits.lower[:, Boundary.DRIVER] - np.where(known, driver_limit_us, 0.0), 0.0), 0.0
    )
    lower, upper = np.maximum(limits.lower - gap[:, None], 0.0), limits.upper + gap[:, None]
    upper[:, Boundary.DRIVER] = np.minimum(upper[:, Boundary.DRIVER], driver_limit_us + gap)
    upper = np.minimum.accumulate(upper, axis=1)
    return Bounds(
        lower=lower,
        upper=np.maximum(upper, lower),
        present=limits.present,
        disagreement_us=limits.disagreement_us + gap,
    )


def isotonic(values: Floats, weights: Floats) -> Floats:
    """Non-increasing weighted least squares along axis 1 of (n, K); entries of weight 0 or value NaN take no part and stay NaN.

    fit_k = min over a ≤ k of max over b ≥ k of the weighted mean of a..b: exact, K³/6 vector operations, made for K ≤ 6.
    """
    counts = ~np.isnan(values) & (weights > 0)
    weight = np.where(counts, weights, 0.0)
    product = np.where(counts, values, 0.0) * weight
    fitted = np.full_like(values, np.inf)
    for first in range(values.shape[1]):
        fitted[:, first:] = np.fmin(fitted[:, first:], _best_from(first, product, weight))
    return np.where(counts, fitted, np.nan)


def _best_from(first: int, product: Floats, weight: Floats) -> Floats:
    """For every k ≥ first the largest mean of a block that starts at `first` and reaches at least k."""
    total, mass = np.cumsum(product[:, first:], axis=1), np.cumsum(weight[:, first:], axis=1)
    means = np.divide(total, mass, out=np.full_like(total, -np.inf), where=mass > 0)
    best: Floats = np.maximum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    return best


def estimate(chain: Chain, limits: Bounds) -> Floats:
    """(n, 6) fitted boundaries, non-increasing inwards, each inside its bounds; NaN where a boundary is absent.

    What the array timed at its port stays between what is inside the array and all that is around it, where the bounds have room.
    """
    measured, port = chain.boundaries, _port(chain)
    around = np.where(np.arange(len(Boundary)) < Boundary.ARRAY_INTERNAL, port[:, None], 0.0)
    fitted = isotonic(measured.value - around, measured.half_width**-2.0) + around
    result = np.full_like(fitted, np.nan)
    outer = np.full(len(fitted), np.inf)
    for boundary in Boundary:
        low, high = limits.lower[:, boundary], np.minimum(limits.upper[:, boundary], outer)
        if boundary is Boundary.DRIVER:
            low, high = _within_kavg(chain, result[:, Boundary.DEVICE], low, high)
        if boundary is Boundary.ARRAY_INTERNAL:
            high = np.maximum(np.minimum(high, outer - port), np.minimum(low, high))
        placed = np.minimum(np.maximum(fitted[:, boundary], low), high)
        result[:, boundary] = np.where(limits.present[:, boundary], placed, np.nan)
        outer = np.where(limits.present[:, boundary], placed, outer)
    return result


def _port(chain: Chain) -> Floats:
    """(n,) the array's time at its port, which both of its boundaries come from; 0 where one of them was not measured."""
    value = chain.boundaries.value
    return np.maximum(np.nan_to_num(value[:, Boundary.ARRAY] - value[:, Boundary.ARRAY_INTERNAL]), 0.0)


def _within_kavg(chain: Chain, device: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Where KAVG and the device are known and agree with the bounds, driver stays within KAVG of the fitted device."""
    nearest, farthest = device - chain.kavg.lower, device - chain.kavg.upper
    narrow_low, narrow_high = np.fmax(low, farthest), np.fmin(high, nearest)
    # Bounds were narrowed by KAVG before, so both may be one number but for its last bits: these must not decide.
    fits = narrow_low <= narrow_high + _LAST_BITS * (1 + np.abs(narrow_high))
    return np.where(fits, np.fmin(narrow_low, narrow_high), low), np.where(fits, narrow_high, high)
