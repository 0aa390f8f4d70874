"""A scope's latency over time, columnar: bands of the stack that add up, layers with their bounds, reads and writes apart and together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np

from gavel.analysis.grade import grades
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import LedgerRows, timed_ops, too_few
from gavel.analysis.notes import Flags
from gavel.analysis.segments import SPANS
from gavel.analysis.stack import Stack
from gavel.db.engine import Connection
from gavel.db.queries.ledger import LedgerSeries, ledger
from gavel.db.queries.queues import Queue
from gavel.db.queries.refs import require
from gavel.db.queries.rows import Ref, RefKind
from gavel.db.queries.scopes import SCOPES, ledger_until
from gavel.domain.errors import GavelError
from gavel.domain.io_path import Direction
from gavel.domain.scope import ESTATE_ID, ScopeKind, scope_key
from gavel.pipeline.judging import span_key, span_label, span_layers
from gavel.pipeline.parts import PARTS, told_stack
from gavel.pipeline.queueing import FullestQueue, QueueNumbers, fullest_queue, queue_numbers
from gavel.pipeline.summing import Window

MOST_BUCKETS = 1000
_WANTED_BUCKETS = 720
# Widths that whole roll-ups fit into: a day by 5 minutes comes from 288 rows, 30 days by the hour from 720.
STEPS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080))


class UnusableStepError(GavelError):
    """A step that makes more buckets of the range than an answer holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerColumns:
    """Lists as long as the buckets, µs per timed I/O of the scope, so that layers add up; NaN where not measured."""

    name: str
    label: str
    layers: tuple[str, ...]
    us: list[float]
    lower_us: list[float]
    upper_us: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartColumns:
    name: str
    label: str
    layer: str
    is_rest: bool
    us: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionColumns:
    direction: str
    ops: list[float]
    bytes: list[float]
    total_us: list[float]
    too_few: list[bool]
    layers: tuple[LayerColumns, ...]
    parts: tuple[PartColumns, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FullestColumns:
    """The fullest of `queues` in each bucket: which one (its position; None: not known), and how full it was."""

    queues: tuple[Queue, ...]
    queue: list[int | None]
    in_flight_ios: list[float]
    waiting_ios: list[float]
    depth: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueColumns:
    """I/Os against what queues hold, as in `QueueNumbers`; `fullest` is None where `fullest_queue` says so."""

    outstanding_ios: list[float]
    in_flight_ios: list[float]
    waiting_ios: list[float]
    depth: list[float]
    fullest: FullestColumns | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(Window):
    """`times_ms`: start of each bucket; a bucket without a minute of the ledger is NaN everywhere and has no grade."""

    step_s: int
    times_ms: list[int]
    minutes_there: list[int]
    grades: list[str | None]
    directions: tuple[DirectionColumns, ...]
    queues: QueueColumns


def latency(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime, step: timedelta | None
) -> Latency:
    """In buckets of `step`, or of a sensible width. Only parts and layers that were measured anywhere are there.

    Raises NotFoundError, UnusableStepError, and ValueError for an empty range or a step that is not of whole minutes.
    """
    return _over_time(connection, require(connection, kind, thing_id), SCOPES[kind], from_at, to_at, step)


def estate_latency(connection: Connection, from_at: datetime, to_at: datetime, step: timedelta | None) -> Latency:
    """The same of everything together. Its queues are told as a sum only. Raises as `latency` does."""
    everything = Ref(RefKind.ESTATE, ESTATE_ID, "Estate")
    return _over_time(connection, everything, ScopeKind.ESTATE, from_at, to_at, step)


def _over_time(
    connection: Connection, subject: Ref, scope: ScopeKind, from_at: datetime, to_at: datetime, step: timedelta | None
) -> Latency:
    width = step or _sensible(from_at, to_at)
    _limit((to_at - from_at) / width, from_at, to_at)
    found = ledger(connection, [scope_key(scope, subject.id)], from_at, to_at, width)
    grid = _Grid.of(found)
    _limit(grid.buckets, from_at, to_at)
    stack = told_stack(found.rows, found.notes.grade_reasons)
    return Latency(
        subject=subject,
        from_at=found.from_at,
        to_at=found.to_at,
        minutes=int(found.minutes.sum()),
        ledger_until_at=ledger_until(connection),
        resolution=found.resolution,
        step_s=round(found.step.total_seconds()),
        times_ms=grid.times_ms,
        minutes_there=grid.counts(found.minutes),
        grades=grid.letters([str(letter) for letter in grades(found.notes.grade_reasons)]),
        directions=tuple(_direction(found.rows, stack, direction, grid) for direction in Direction),
        queues=_queues(queue_numbers(found), fullest_queue(connection, subject.kind, subject.id, found), grid),
    )


def _limit(buckets: float, from_at: datetime, to_at: datetime) -> None:
    if buckets > MOST_BUCKETS:
        least = next((step for step in STEPS if (to_at - from_at) / step <= MOST_BUCKETS - 2), STEPS[-1])
        raise UnusableStepError(
            f"That step makes {buckets:.0f} buckets of the range, more than {MOST_BUCKETS}; {least.total_seconds():.0f} s would do."
        )


def _sensible(from_at: datetime, to_at: datetime) -> timedelta:
    return next((step for step in STEPS if (to_at - from_at) / step <= _WANTED_BUCKETS), STEPS[-1])


@dataclass(frozen=True, slots=True)
class _Grid:
    """Every bucket of the range, and which of them each row is."""

    times_ms: list[int]
    position: Flags
    start_us: int
    step_us: int

    @classmethod
    def of(cls, found: LedgerSeries) -> "_Grid":
        start, step = (round(part) for part in (found.from_at.timestamp() * 1e6, found.step.total_seconds() * 1e6))
        end = round(found.to_at.timestamp() * 1e6)
        return cls([at // 1000 for at in range(start, end, step)], (found.starts_us - start) // step, start, step)

    def at(self, starts_us: Flags) -> "_Grid":
        """The same buckets for other rows."""
        return replace(self, position=(starts_us - self.start_us) // self.step_us)

    @property
    def buckets(self) -> int:
        return len(self.times_ms)

    def column(self, numbers: Floats) -> list[float]:
        """Nanoseconds are noise."""
        whole = np.full(self.buckets, np.nan)
        whole[self.position] = numbers
        listed: list[float] = np.round(whole, 3).tolist()
        return listed

    def flags(self, flags: Bools) -> list[bool]:
        whole = np.zeros(self.buckets, dtype=np.bool_)
        whole[self.position] = flags
        listed: list[bool] = whole.tolist()
        return listed

    def counts(self, numbers: Flags) -> list[int]:
        whole = np.zeros(self.buckets, dtype=np.int64)
        whole[self.position] = numbers
        listed: list[int] = whole.tolist()
        return listed

    def letters(self, letters: Sequence[str]) -> list[str | None]:
        whole: list[str | None] = [None] * self.buckets
        for bucket, letter in zip(self.position.tolist(), letters, strict=True):
            whole[bucket] = letter
        return whole


def _direction(rows: LedgerRows, stack: Stack, direction: Direction, grid: _Grid) -> DirectionColumns:
    ops, timed = rows.ops[:, direction], timed_ops(rows)[:, direction]
    return DirectionColumns(
        direction=direction.name.lower(),
        ops=grid.column(ops),
        bytes=grid.column(rows.bytes[:, direction]),
        total_us=grid.column(_per_io(stack.total[:, direction], timed)),
        too_few=grid.flags(too_few(rows)[:, direction] & ~np.isnan(ops)),
        layers=tuple(_layers(rows, direction, timed, grid)),
        parts=tuple(_parts(stack, direction, timed, grid)),
    )


def _layers(rows: LedgerRows, direction: Direction, timed: Floats, grid: _Grid) -> Iterator[LayerColumns]:
    measured = rows.span_ops[:, direction] > 0
    for span in sorted(np.flatnonzero(measured.any(axis=0)).tolist(), key=lambda span: SPANS[span]):
        us, lower, upper = (
            grid.column(_per_io(np.where(measured[:, span], times[:, direction, span], np.nan), timed))
            for times in (rows.span_time, rows.span_lower, rows.span_upper)
        )
        yield LayerColumns(
            name=span_key(span), label=span_label(span), layers=span_layers(span), us=us, lower_us=lower, upper_us=upper
        )


def _parts(stack: Stack, direction: Direction, timed: Floats, grid: _Grid) -> Iterator[PartColumns]:
    for part in PARTS:
        times = part.times(stack)[:, direction]
        if not np.isnan(times).all():
            yield PartColumns(
                name=part.name,
                label=part.label,
                layer=part.layer,
                is_rest=part.is_rest,
                us=grid.column(_per_io(times, timed)),
            )


def _queues(numbers: QueueNumbers, fullest: FullestQueue | None, grid: _Grid) -> QueueColumns:
    return QueueColumns(
        outstanding_ios=grid.column(numbers.outstanding_ios),
        in_flight_ios=grid.column(numbers.in_flight_ios),
        waiting_ios=grid.column(numbers.waiting_ios),
        depth=grid.column(numbers.depth),
        fullest=None if fullest is None else _fullest(fullest, grid),
    )


def _fullest(found: FullestQueue, grid: _Grid) -> FullestColumns:
    there = grid.at(found.numbers.starts_us)
    position = {queue.device.id: n for n, queue in enumerate(found.queues)}
    named: list[int | None] = [None] * grid.buckets
    for bucket, device in zip(there.position.tolist(), found.numbers.device_id.tolist(), strict=True):
        named[bucket] = position[device]
    return FullestColumns(
        queues=found.queues,
        queue=named,
        in_flight_ios=there.column(found.numbers.in_flight_ios),
        waiting_ios=there.column(found.numbers.waiting_ios),
        depth=there.column(found.numbers.depth),
    )


def _per_io(times: Floats, ops: Floats) -> Floats:
    return np.divide(times, ops, out=np.full_like(times, np.nan), where=ops > 0)
