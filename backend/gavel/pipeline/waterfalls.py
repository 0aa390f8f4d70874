"""One window of one scope in pictures: the waterfall of each direction, and how many I/Os are where."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.ledger import LEAST_OPS, timed_ops
from gavel.analysis.stack import Stack
from gavel.analysis.verdict import Case
from gavel.db.engine import Connection
from gavel.db.queries.rows import RefKind
from gavel.domain.io_path import Direction
from gavel.pipeline.expecting import ExpectedFrom
from gavel.pipeline.judging import (
    LayerNumbers,
    OccupancyNumbers,
    State,
    expected_from,
    known,
    layer_numbers,
    not_measured,
)
from gavel.pipeline.parts import PARTS, told_stack
from gavel.pipeline.summing import EVERY_LAYER, Sum, Window, summed
from gavel.pipeline.undecided import occupancy_of_one


@dataclass(frozen=True, slots=True, kw_only=True)
class PartNumbers:
    """A segment, or the rest of layer `layer` that no segment explains. Parts add up to the total."""

    name: str
    label: str
    layer: str
    is_rest: bool
    us: float
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionNumbers:
    """Reads, writes or both, outermost first."""

    direction: str
    state: State
    ops: float | None
    iops: float | None
    bytes_per_s: float | None
    total_us: float | None
    expected_us: float | None
    layers: tuple[LayerNumbers, ...]
    parts: tuple[PartNumbers, ...]
    not_measured: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall(Window):
    """expected_from: of what was measured in reads and writes together; None where nothing of it has an expectation."""

    expected_from: ExpectedFrom | None
    directions: tuple[DirectionNumbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy(Window):
    """I/Os inside each layer on average; `outstanding_ios` as the virtual disks counted them themselves."""

    state: State
    total_ios: float | None
    layers: tuple[OccupancyNumbers, ...]
    outstanding_ios: float | None
    not_measured: tuple[str, ...]


def waterfall(connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime) -> Waterfall:
    """Raises NotFoundError, and ValueError for an empty range."""
    found = summed(connection, kind, thing_id, from_at, to_at)
    if found.is_empty:
        basis, directions = None, tuple(_nothing(direction) for direction in Direction)
    else:
        stack = told_stack(found.found.rows, found.found.notes.grade_reasons)
        basis = expected_from(found.judged, 0)
        directions = tuple(_direction(found, direction, stack) for direction in Direction)
    return Waterfall(**found.window.fields, expected_from=basis, directions=directions)


def occupancy(connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime) -> Occupancy:
    """Raises NotFoundError, and ValueError for an empty range."""
    found = summed(connection, kind, thing_id, from_at, to_at)
    layers = () if found.is_empty else tuple(occupancy_of_one(found.judged, 0))
    return Occupancy(
        **found.window.fields,
        state=found.state,
        total_ios=_total(found, layers),
        layers=layers,
        outstanding_ios=found.outstanding,
        not_measured=EVERY_LAYER if found.is_empty else not_measured(found.judged.case, 0),
    )


def _total(found: Sum, layers: tuple[OccupancyNumbers, ...]) -> float | None:
    """An idle thing holds no I/O; one that nobody timed holds who knows how many."""
    if found.state is State.IDLE:
        return 0.0
    return sum(layer.ios for layer in layers) if layers else None


def _nothing(direction: Direction) -> DirectionNumbers:
    return DirectionNumbers(
        direction=direction.name.lower(),
        state=State.NO_DATA,
        ops=None,
        iops=None,
        bytes_per_s=None,
        total_us=None,
        expected_us=None,
        layers=(),
        parts=(),
        not_measured=EVERY_LAYER,
    )


def _direction(found: Sum, direction: Direction, stack: Stack) -> DirectionNumbers:
    rows, wall_s, case = found.found.rows, float(found.judged.wall_s[0]), found.case(direction)
    ops, timed = float(rows.ops[0, direction]), float(timed_ops(rows)[0, direction])
    total = float(stack.total[0, direction]) / timed if timed > 0 else np.nan
    measured = ~np.isnan(case.value[0])
    return DirectionNumbers(
        direction=direction.name.lower(),
        state=_state(ops, is_measured=bool(measured.any())),
        ops=known(ops),
        iops=known(ops / wall_s),
        bytes_per_s=known(rows.bytes[0, direction] / wall_s),
        total_us=known(total),
        expected_us=float(case.expected[0][measured].sum()) if measured.any() else None,
        layers=layers_of(found, direction, case, total),
        parts=_parts(stack, direction, timed, total),
        not_measured=not_measured(case, 0),
    )


def layers_of(found: Sum, direction: Direction, case: Case, total_us: float) -> tuple[LayerNumbers, ...]:
    """Of the one row, outermost first."""
    return tuple(layer_numbers(case, 0, found.found.rows, direction, total_us))


def _state(ops: float, *, is_measured: bool) -> State:
    if np.isnan(ops):
        return State.NOT_MEASURED
    if ops <= 0:
        return State.IDLE
    if not is_measured:
        return State.NOT_MEASURED
    return State.TOO_FEW if ops < LEAST_OPS else State.JUDGED


def _parts(stack: Stack, direction: Direction, timed: float, total_us: float) -> tuple[PartNumbers, ...]:
    times = [(part, float(part.times(stack)[0, direction])) for part in PARTS]
    return tuple(
        PartNumbers(
            name=part.name,
            label=part.label,
            layer=part.layer,
            is_rest=part.is_rest,
            us=time / timed,
            share=time / timed / total_us if total_us > 0 else None,
        )
        for part, time in times
        if timed > 0 and not np.isnan(time)
    )
