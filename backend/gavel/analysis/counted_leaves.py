"""What a place's bounds must leave open because it is open how many I/Os each of its leaves had (attribution.md §3, "Time").

A place is a mean of its leaves. At a minute's edge, and where operations are counted per second, each leaf may have had fewer or more
I/Os than its counter says, and where the leaves differ, so does their mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.gridded import Grid
from gavel.analysis.intervals import Floats
from gavel.analysis.parent_notes import RollupPairs
from gavel.analysis.topology import Index, sums
from gavel.domain.ledger import LedgerRows


@dataclass(frozen=True, slots=True, kw_only=True)
class CountBounds:
    """By how many I/Os rows (n, 3), by direction, may have fewer and more than they say."""

    fewer: Floats
    more: Floats


@dataclass(frozen=True, slots=True)
class Fed:
    """Rows of leaves, how their I/Os are counted, and where they go."""

    rows: LedgerRows
    counted: CountBounds
    pairs: RollupPairs


def counted_of(grid: Grid) -> CountBounds:
    return CountBounds(
        fewer=_with_both(np.maximum(grid.ops - grid.fewest, 0.0)),
        more=_with_both(np.maximum(grid.most - grid.ops, 0.0)),
    )


def _with_both(ways: Floats) -> Floats:
    both: Floats = np.concatenate([ways, ways.sum(axis=1, keepdims=True)], axis=1)
    return both


def over_counts(total: LedgerRows, leaves: Sequence[Fed]) -> LedgerRows:
    """`total`, the sum of the leaves, with bounds of spans that hold whatever of these counts is true."""
    spans = np.flatnonzero(total.span_ops.any(axis=(0, 1)))
    low, high = slice(0, len(spans)), slice(len(spans), 2 * len(spans))
    sign = np.array([-1.0] * len(spans) + [1.0] * len(spans) + [-1.0])
    moved = _moved(_numbers(total, spans), [(one, _numbers(one.rows, spans)) for one in leaves], sign)
    span_lower, span_upper = total.span_lower.copy(), total.span_upper.copy()
    span_lower[..., spans] = np.minimum(moved[..., low], total.span_time[..., spans])
    span_upper[..., spans] = np.maximum(moved[..., high], total.span_time[..., spans])
    return replace(total, span_lower=span_lower, span_upper=span_upper, outermost_lower=moved[..., -1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """(n, 3, k) I/O-times, lower and upper ones of spans and the outermost boundary's, and the I/Os that they are of."""

    time: Floats
    ops: Floats

    @property
    def mean(self) -> Floats:
        mean: Floats = np.divide(self.time, self.ops, out=np.zeros_like(self.time), where=self.ops > 0)
        return mean


def _numbers(rows: LedgerRows, spans: Index) -> _Numbers:
    ops = rows.span_ops[..., spans]
    return _Numbers(
        time=np.concatenate(
            [rows.span_lower[..., spans], rows.span_upper[..., spans], rows.outermost_lower[..., None]], axis=2
        ),
        ops=np.concatenate([ops, ops, rows.ops[..., None]], axis=2),
    )


def _moved(total: _Numbers, leaves: Sequence[tuple[Fed, _Numbers]], sign: Floats) -> Floats:
    """I/O-times at the lowest (sign −1) or highest (1) mean: of leaves on the far side of the mean as many I/Os as can be, of the others as
    few."""
    mean = total.mean
    shift, weight = np.zeros_like(mean), total.ops.copy()
    for fed, numbers in leaves:
        order = np.argsort(fed.pairs.parent, kind="stable")
        leaf, parent = fed.pairs.leaf[order], fed.pairs.parent[order]
        apart = (numbers.mean[leaf] - mean[parent]) * sign
        fewer, more = (x[leaf, :, None] for x in (fed.counted.fewer, fed.counted.more))
        ops = numbers.ops[leaf]
        by = np.where(apart > 0, more, -np.minimum(fewer, ops)) * fed.pairs.weight[order, None, None]
        by[(ops <= 0) | (apart == 0)] = 0.0
        weight += sums(by, parent, len(mean))
        by *= apart
        shift += sums(by, parent, len(mean))
    moved = np.divide(shift * sign, weight, out=np.zeros_like(shift), where=(weight > 0) & (total.ops > 0))
    return np.maximum(total.time + moved * total.ops, 0.0)
