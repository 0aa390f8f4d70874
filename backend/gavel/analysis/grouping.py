"""Rows of one kind as sums and means of rows of another, over relations of any shape."""

import numpy as np

from gavel.analysis.intervals import Floats, Intervals
from gavel.analysis.topology import Index


def sums(numbers: Floats, group: Index, groups: int) -> Floats:
    """(groups, …) sums of (n, …) numbers; `group` (n,) says whose. A group without rows is zero."""
    if numbers.ndim == 1:
        return np.bincount(group, weights=numbers, minlength=groups).astype(np.float64, copy=False)
    total = np.zeros((groups, *numbers.shape[1:]))
    if len(group) == 0:
        return total
    if bool((group[1:] < group[:-1]).any()):
        order = np.argsort(group, kind="stable")
        group, numbers = group[order], numbers[order]
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    total[group[starts]] = np.add.reduceat(numbers, starts, axis=0)
    return total


def means(intervals: Intervals, ops: Floats, group: Index, groups: int) -> Intervals:
    """(groups, …) op-weighted means. Absent where a row with ops is absent, or nothing has ops. ops broadcasts to the intervals."""
    weights = np.broadcast_to(np.where(ops > 0, ops, 0.0), intervals.value.shape)
    total = sums(weights, group, groups)

    def mean(numbers: Floats) -> Floats:
        weighted = np.multiply(numbers, weights, out=np.zeros_like(weights), where=weights > 0)
        return np.divide(sums(weighted, group, groups), total, out=np.full_like(total, np.nan), where=total > 0)

    return Intervals(mean(intervals.lower), mean(intervals.upper), mean(intervals.value))


def in_minutes(things: Index, minutes: int) -> Index:
    """(n · minutes,) grid rows of things, each with all its minutes, thing by thing."""
    rows: Index = (things[:, None] * minutes + np.arange(minutes)).reshape(-1)
    return rows
