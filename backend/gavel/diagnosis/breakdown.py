"""One window of one scope in pictures: the waterfall of each direction, and how many I/Os are where."""

from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from gavel.analysis.attribution import QualityReason
from gavel.analysis.diagnosis import Case
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import LAYER_SEGMENTS, LEAST_OPS, Stack, stacked, timed_ops
from gavel.db.engine import Connection
from gavel.db.queries.ledger import LedgerSeries
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.baselines import BaselineFrom
from gavel.diagnosis.diagnose import (
    DiagnosisState,
    LayerNumbers,
    OccupancyNumbers,
    baseline_from,
    layer_numbers,
    none_if_nan,
    not_measured,
    span_key,
    span_label,
    span_layers,
)
from gavel.diagnosis.excess import occupancy_of_one
from gavel.diagnosis.window import EVERY_LAYER, DiagnosisWindow, WindowSum, summed
from gavel.domain.io_path import SEGMENT_STYLES, SPANS, Direction, DirectionName, Layer, LayerName, Segment
from gavel.domain.ledger import Flags, LedgerRows


@dataclass(frozen=True, slots=True)
class Part:
    """A segment of layer `layer`, or (`is_rest`) what is left of a layer, or of several that were not separable."""

    name: str
    label: str
    layer: str
    layers: tuple[LayerName, ...]
    is_rest: bool
    position: int

    def times(self, stack: Stack) -> Floats:
        """(n, 3) I/O-time by direction; NaN where not measured."""
        column: Floats = (stack.rests if self.is_rest else stack.segments)[:, :, self.position]
        return column


def _every_part() -> tuple[Part, ...]:
    found: list[Part] = []
    for first in Layer:
        own = SPANS.index((first, first))
        found += [
            Part(
                segment.name.lower(),
                SEGMENT_STYLES[segment].label,
                span_key(own),
                span_layers(own),
                is_rest=False,
                position=int(segment),
            )
            for segment in LAYER_SEGMENTS[first]
        ]
        for last in Layer:
            if first <= last:
                span = SPANS.index((first, last))
                words = "not split" if first is last is not Layer.KERNEL else "not separable"
                label = f"{span_label(span)}, {words}"
                name, layers = span_key(span), span_layers(span)
                found.append(Part(f"{name}_rest", label, name, layers, is_rest=True, position=span))
    return tuple(found)


# Outermost first.
PARTS = _every_part()
_KERNEL, _KERNEL_PARTS = SPANS.index((Layer.KERNEL, Layer.KERNEL)), list(LAYER_SEGMENTS[Layer.KERNEL])


# A host, or a segment, is named when it has more than this of the layer's time.
MOST = 0.5


def are_coarse(quality_reasons: Flags) -> Bools:
    """(n,) whether whole milliseconds leave open which of the kernel's segments the time is in."""
    coarse: Bools = (quality_reasons & int(QualityReason.MILLISECONDS)) != 0
    return coarse


def main_segment(series: LedgerSeries, named: int) -> tuple[Segment, float] | None:
    """The segment that most of a layer's time is in, and which part of it that is.

    Not of the kernel where whole milliseconds cannot tell its segments apart.
    """
    first, last = SPANS[named]
    coarse = bool(are_coarse(series.notes.quality_reasons)[0])
    if first is not last or first is Layer.SAN or (first is Layer.KERNEL and coarse):
        return None
    rows = series.rows
    whole = float(rows.span_time[0, Direction.ALL, named])
    times = {segment: float(rows.segment_time[0, Direction.ALL, segment]) for segment in LAYER_SEGMENTS[first]}
    largest = max(times, key=lambda segment: times[segment])
    return (largest, min(1.0, times[largest] / whole)) if times[largest] > MOST * whole else None


def displayable_stack(rows: LedgerRows, quality_reasons: Flags) -> Stack:
    """`stacked`, with the kernel's segments of coarse rows in one rest: what is not known is not drawn. The total stays."""
    stack = stacked(rows)
    own = stack.segments[:, :, _KERNEL_PARTS]
    merged = are_coarse(quality_reasons)[:, None] & ~np.isnan(own).all(axis=2)
    segments, rests = stack.segments.copy(), stack.rests.copy()
    rests[:, :, _KERNEL] = np.where(
        merged, np.nansum(own, axis=2) + np.nan_to_num(rests[:, :, _KERNEL]), rests[:, :, _KERNEL]
    )
    segments[:, :, _KERNEL_PARTS] = np.where(merged[:, :, None], np.nan, own)
    return replace(stack, segments=segments, rests=rests)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartNumbers:
    """A segment, or (`is_rest`) the time of layer `layer` that no segment explains. Parts add up to `total_us`.

    `layers`: those that `layer` stands for, as in `LayerNumbers`.
    """

    name: str
    label: str
    layer: str
    layers: tuple[LayerName, ...]
    is_rest: bool
    us: float
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionNumbers:
    """One direction of a window, outermost first. `baseline_us`: of everything measured. `not_measured`: layers without a counter."""

    direction: DirectionName
    state: DiagnosisState
    ops: float | None
    iops: float | None
    bytes_per_s: float | None
    total_us: float | None
    baseline_us: float | None
    layers: tuple[LayerNumbers, ...]
    parts: tuple[PartNumbers, ...]
    not_measured: tuple[LayerName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall(DiagnosisWindow):
    """One window, read, write and all. `baseline_from`: what `baseline_us` rests on, over reads and writes together."""

    baseline_from: BaselineFrom | None
    directions: tuple[DirectionNumbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy(DiagnosisWindow):
    """Where the I/Os are, reads and writes together. `total_ios`: inside anything measured.

    `layers`: the two between which an inconclusive diagnosis leaves it open are one, "kernel_or_san".
    `outstanding_ios`: what the virtual disks themselves counted, as a cross-check (Little's law); null where they were not asked.
    """

    state: DiagnosisState
    total_ios: float | None
    layers: tuple[OccupancyNumbers, ...]
    outstanding_ios: float | None
    not_measured: tuple[LayerName, ...]


def waterfall(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime | None, to_at: datetime | None
) -> Waterfall:
    """Raises NotFoundError, and ValueError for an empty range."""
    return waterfall_of(summed(connection, kind, thing_id, from_at, to_at))


def waterfall_of(whole: WindowSum) -> Waterfall:
    """Without another look at the database."""
    if whole.is_empty:
        basis, directions = None, tuple(_nothing(direction) for direction in Direction)
    else:
        stack = displayable_stack(whole.series.rows, whole.series.notes.quality_reasons)
        basis = baseline_from(whole.diagnosed, 0)
        directions = tuple(_direction(whole, direction, stack) for direction in Direction)
    return Waterfall(**whole.window.fields, baseline_from=basis, directions=directions)


def occupancy(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime | None, to_at: datetime | None
) -> Occupancy:
    """Raises NotFoundError, and ValueError for an empty range."""
    found = summed(connection, kind, thing_id, from_at, to_at)
    layers = () if found.is_empty else tuple(occupancy_of_one(found.diagnosed, 0))
    return Occupancy(
        **found.window.fields,
        state=found.state,
        total_ios=_total(found, layers),
        layers=layers,
        outstanding_ios=found.outstanding,
        not_measured=EVERY_LAYER if found.is_empty else not_measured(found.diagnosed.case, 0),
    )


def _total(window_sum: WindowSum, layers: tuple[OccupancyNumbers, ...]) -> float | None:
    """An idle object has no outstanding I/O; of one without latency counters the number is not measured."""
    if window_sum.state is DiagnosisState.IDLE:
        return 0.0
    return sum(layer.ios for layer in layers) if layers else None


def _nothing(direction: Direction) -> DirectionNumbers:
    return DirectionNumbers(
        direction=direction.key,
        state=DiagnosisState.NO_DATA,
        ops=None,
        iops=None,
        bytes_per_s=None,
        total_us=None,
        baseline_us=None,
        layers=(),
        parts=(),
        not_measured=EVERY_LAYER,
    )


def _direction(window_sum: WindowSum, direction: Direction, stack: Stack) -> DirectionNumbers:
    rows, wall_s, case = window_sum.series.rows, float(window_sum.diagnosed.wall_s[0]), window_sum.case(direction)
    ops, timed = float(rows.ops[0, direction]), float(timed_ops(rows)[0, direction])
    total = float(stack.total[0, direction]) / timed if timed > 0 else np.nan
    measured = ~np.isnan(case.value[0])
    return DirectionNumbers(
        direction=direction.key,
        state=_state(ops, is_measured=bool(measured.any())),
        ops=none_if_nan(ops),
        iops=none_if_nan(ops / wall_s),
        bytes_per_s=none_if_nan(rows.bytes[0, direction] / wall_s),
        total_us=none_if_nan(total),
        baseline_us=float(case.expected[0][measured].sum()) if measured.any() else None,
        layers=layers_of(window_sum, direction, case, total),
        parts=_parts(stack, direction, timed, total),
        not_measured=not_measured(case, 0),
    )


def layers_of(window_sum: WindowSum, direction: Direction, case: Case, total_us: float) -> tuple[LayerNumbers, ...]:
    """Of the one row, outermost first."""
    return tuple(layer_numbers(case, 0, window_sum.series.rows, direction, total_us))


def _state(ops: float, *, is_measured: bool) -> DiagnosisState:
    if np.isnan(ops):
        return DiagnosisState.NOT_MEASURED
    if ops <= 0:
        return DiagnosisState.IDLE
    if not is_measured:
        return DiagnosisState.NOT_MEASURED
    return DiagnosisState.TOO_FEW if ops < LEAST_OPS else DiagnosisState.JUDGED


def _parts(stack: Stack, direction: Direction, timed: float, total_us: float) -> tuple[PartNumbers, ...]:
    times = [(part, float(part.times(stack)[0, direction])) for part in PARTS]
    return tuple(
        PartNumbers(
            name=part.name,
            label=part.label,
            layer=part.layer,
            layers=part.layers,
            is_rest=part.is_rest,
            us=time / timed,
            share=time / timed / total_us if total_us > 0 else None,
        )
        for part, time in times
        if timed > 0 and not np.isnan(time)
    )
