"""The single most likely chain inside its bounds: weighted isotonic least squares, exact and vectorised over rows."""

import numpy as np

from gavel.analysis.chain import Bounds, Chain
from gavel.analysis.intervals import Floats
from gavel.domain.io_path import Boundary


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
    fits = narrow_low <= narrow_high
    return np.where(fits, narrow_low, low), np.where(fits, narrow_high, high)
