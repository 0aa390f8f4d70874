"""Rows of the ledger as rules of alerts compare them: each measure's estimate and lower bound."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gavel.alerting.machine.readings import QUALITIES
from gavel.alerting.rules.model import Quantity, RuleMeasure
from gavel.analysis.attribution import qualities
from gavel.analysis.diagnosis import Case, Excess, baseline_us_of, case_of, excess_of, excess_outstanding
from gavel.analysis.intervals import Floats
from gavel.analysis.ledger import latency_us, timed_ops
from gavel.db.queries.ledger import Detail, LedgerSeries
from gavel.diagnosis.baselines import Usual, hours_at
from gavel.diagnosis.diagnose import bytes_per_op, write_share
from gavel.domain.io_path import SEGMENT_STYLES, SPANS, Direction, Layer, Quality, Segment
from gavel.domain.ledger import Flags

_ALONE = {layer: SPANS.index((layer, layer)) for layer in Layer}
_HOLDING = {layer: [span for span, (first, last) in enumerate(SPANS) if first <= layer <= last] for layer in Layer}
_QUALITIES = {quality.value: QUALITIES[quality] for quality in Quality}
Pair = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """n rows by m measures. value, lower, ops: (m, n), NaN where not measured; numbers of a part are of the I/Os that
    were measured in it. quality: (n,) 0 (A) to 3 (D). excess_outstanding: (n,) I/Os."""

    value: Floats
    lower: Floats
    ops: Floats
    quality: Flags
    excess_outstanding: Floats


def detail_for(measures: Iterable[RuleMeasure]) -> Detail:
    """What of the rows has to be read."""
    fine = any(isinstance(one.part, Segment) or one.direction is not Direction.ALL for one in measures)
    return Detail.EVERYTHING if fine else Detail.LAYERS


def measured(series: LedgerSeries, scope: Flags, usual: Usual, measures: Sequence[RuleMeasure]) -> Measured:
    """scope: (n,) position of each row's thing in `usual`. Rows are within an hour of the day each."""
    ways = {
        one: _Way(series, scope, usual, one) for one in {*(measure.direction for measure in measures), Direction.ALL}
    }
    shape = (len(measures), len(series))
    value, lower, ops = (np.full(shape, np.nan) for _ in range(3))
    for row, measure in enumerate(measures):
        way = ways[measure.direction]
        value[row], lower[row] = _numbers(measure, way)
        ops[row] = np.nan_to_num(way.ops_of(measure.part)) / np.maximum(series.minutes, 1)
    letters = [_QUALITIES[letter] for letter in qualities(series.notes.quality_reasons).tolist()]
    return Measured(
        value=value,
        lower=lower,
        ops=ops,
        quality=np.array(letters, dtype=np.int64),
        excess_outstanding=ways[Direction.ALL].excess_outstanding[0],
    )


class _Way:
    """One direction of every row, in µs per I/O that was timed."""

    def __init__(self, series: LedgerSeries, scope: Flags, usual: Usual, direction: Direction) -> None:
        n = len(series)
        self.series, self.direction = series, direction
        writes = {Direction.READ: np.zeros(n), Direction.WRITE: np.ones(n)}.get(direction)
        share = write_share(series.rows) if writes is None else writes
        expected, _ = usual.at(scope, hours_at(series.starts_us), share, bytes_per_op(series.rows, direction))
        self.case: Case = case_of(series.rows, direction, expected, series.notes.reasons)
        self.ops, self.timed = series.rows.ops[:, direction], timed_ops(series.rows)[:, direction]

    @cached_property
    def is_measured(self) -> np.ndarray:
        return ~np.isnan(self.case.value)

    @cached_property
    def total(self) -> Pair:
        lower = np.maximum(np.nansum(self.case.lower, axis=1), self.case.outermost_lower)
        return self._where_any_measured(np.nansum(self.case.value, axis=1)), self._where_any_measured(lower)

    @cached_property
    def upper(self) -> Floats:
        return self._where_any_measured(np.nansum(self.case.upper, axis=1))

    @cached_property
    def expected(self) -> Floats:
        return self._where_any_measured(baseline_us_of(self.case))

    @cached_property
    def excess_by_span(self) -> Excess:
        return excess_of(self.case)

    @cached_property
    def excess(self) -> Pair:
        found = self.excess_by_span
        return self._where_any_measured(found.total), self._where_any_measured(np.maximum(found.least, 0.0))

    @cached_property
    def excess_outstanding(self) -> Pair:
        timed, wall_s = np.nan_to_num(self.timed), self.series.wall_s
        value, lower = (excess_outstanding(excess_us, timed, wall_s) for excess_us in self.excess)
        return value, lower

    def part(self, part: Layer | Segment) -> Pair:
        if isinstance(part, Layer):
            span = _ALONE[part]
            return self.case.value[:, span], self.case.lower[:, span]
        value = latency_us(self.series.rows.segment_time[:, self.direction, part], self.timed)
        value = np.where(self.series.rows.segment_ops[:, self.direction, part] > 0, value, np.nan)
        return value, np.maximum(value - self._open(SEGMENT_STYLES[part].layer), 0.0)

    def ops_of(self, part: Layer | Segment | None) -> Floats:
        """Of all I/Os those whose time in the part was measured."""
        if part is None:
            return self.ops
        rows = self.series.rows
        return (
            rows.span_ops[:, self.direction, _ALONE[part]]
            if isinstance(part, Layer)
            else rows.segment_ops[:, self.direction, part]
        )

    def where_measured(self, part: Layer | Segment) -> Floats:
        """What makes a number per timed I/O one per I/O that was measured in the part: a place may have some that were not."""
        return _ratio(self.timed, self.ops_of(part))

    def _open(self, layer: Layer) -> Floats:
        """What the bounds of the layer leave open; all of it may be of one segment. NaN where no span holds the layer."""
        gaps = np.maximum(self.case.value - self.case.lower, 0.0)[:, _HOLDING[layer]]
        found: Floats = np.where(np.isnan(gaps).all(axis=1), np.nan, np.nansum(gaps, axis=1))
        return found

    def _where_any_measured(self, numbers: Floats) -> Floats:
        return np.where(self.is_measured.any(axis=1), numbers, np.nan)


def _numbers(measure: RuleMeasure, way: _Way) -> Pair:
    match measure.quantity:
        case Quantity.LATENCY:
            return way.total if measure.part is None else _time(measure.part, way)
        case Quantity.SHARE:
            return _share(measure, way)
        case Quantity.EXCESS:
            return way.excess if measure.part is None else _excess(measure, way)
        case Quantity.BASELINE_RATIO:
            return _baseline_ratio(measure, way)
        case Quantity.EXCESS_OUTSTANDING:
            return way.excess_outstanding
        case Quantity.QUEUE_UTILIZATION:
            return _counted(_ratio(way.series.outstanding_ios, way.series.notes.queue_depth))
        case Quantity.DISAGREEMENT:
            return _counted(way.series.notes.disagreement_us)
        case _:
            nothing = np.full(len(way.series), np.nan)
            return nothing, nothing


def _time(part: Layer | Segment, way: _Way) -> Pair:
    value, lower = way.part(part)
    scale = way.where_measured(part)
    return value * scale, lower * scale


def _share(measure: RuleMeasure, way: _Way) -> Pair:
    """Surely at least: the part at its lowest while all the rest is at its highest."""
    part = measure.part
    if part is None:
        raise ValueError("a share is of a layer or a segment")
    value, lower = way.part(part)
    if isinstance(part, Layer):
        rest = way.upper - np.nan_to_num(way.case.upper[:, _ALONE[part]])
        return _ratio(value, way.total[0]), _ratio(lower, lower + rest)
    return _ratio(value, way.total[0]), _ratio(lower, way.upper)


def _excess(measure: RuleMeasure, way: _Way) -> Pair:
    """Of a layer, per I/O that was measured in it."""
    if not isinstance(measure.part, Layer):
        raise TypeError("only layers have a baseline")
    span, scale = _ALONE[measure.part], way.where_measured(measure.part)
    is_measured = way.is_measured[:, span]
    value, lower = (
        np.where(is_measured, excess[:, span], np.nan) * scale
        for excess in (way.excess_by_span.value, way.excess_by_span.lower)
    )
    return value, lower


def _baseline_ratio(measure: RuleMeasure, way: _Way) -> Pair:
    if measure.part is None:
        return _ratio(way.total[0], way.expected), _ratio(way.total[1], way.expected)
    value, lower, expected = _layer(measure, way)
    return _ratio(value, expected), _ratio(lower, expected)


def _layer(measure: RuleMeasure, way: _Way) -> tuple[Floats, Floats, Floats]:
    if not isinstance(measure.part, Layer):
        raise TypeError("only layers have a baseline")
    return *way.part(measure.part), way.case.expected[:, _ALONE[measure.part]]


def _counted(numbers: Floats) -> Pair:
    """What is counted, and so is its own bound."""
    return numbers, numbers


def _ratio(part: Floats, whole: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    found: Floats = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return found
