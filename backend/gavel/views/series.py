"""A scope's latency over time, columnar: bands of the stack that add up, layers with their bounds, reads and writes apart and together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from gavel.analysis.attribution import qualities
from gavel.analysis.intervals import Floats
from gavel.analysis.ledger import Stack, timed_ops, too_few
from gavel.db.engine import Connection
from gavel.db.queries.ledger import LedgerSeries, ledger
from gavel.db.queries.ledger_objects import ledger_object
from gavel.db.queries.queues import Queue, queues
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.scopes import SCOPES, ledger_until
from gavel.db.series import modes
from gavel.diagnosis.breakdown import PARTS, displayable_stack
from gavel.diagnosis.diagnose import span_key, span_label, span_layers
from gavel.diagnosis.window import DiagnosisWindow, WindowSum
from gavel.domain.io_path import SPANS, Direction, DirectionName, LayerName, Quality
from gavel.domain.ledger import LedgerRows
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key
from gavel.views.queues import FullestQueue, fullest_queue, queue_numbers
from gavel.views.time_grid import TimeGrid, check_buckets, sensible_step


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSeries:
    """A layer over time; each list is as long as `times_ms`."""

    name: str
    label: str
    layers: tuple[LayerName, ...]
    us: list[float]
    lower_us: list[float]
    upper_us: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSeries:
    """One band of the stack: a segment, or (`is_rest`) what of layer `layer` no segment explains. Bands add up to `total_us`.

    `layers`: those that `layer` stands for, as in `LayerNumbers`.
    """

    name: str
    label: str
    layer: str
    layers: tuple[LayerName, ...]
    is_rest: bool
    us: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionSeries:
    """One direction over time. `too_few`: under 30 I/Os in the bucket, to be greyed."""

    direction: DirectionName
    ops: list[float]
    bytes: list[float]
    total_us: list[float]
    too_few: list[bool]
    layers: tuple[LayerSeries, ...]
    parts: tuple[PartSeries, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FullestQueueSeries:
    """The fullest queue over time: of `queues`, the one whose active I/Os come nearest to its depth in the bucket.

    `queue`: its position in `queues`; null: not measured (no depth, no latency, or past retention). All I/Os of that queue count.
    """

    queues: tuple[Queue, ...]
    queue: list[int | None]
    in_flight_ios: list[float]
    waiting_ios: list[float]
    depth: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSeries:
    """I/Os against queues over time, reads and writes together; each list is as long as `times_ms`, null is "not measured".

    `outstanding_ios`: as reported by the virtual disks. `in_flight_ios`: active in the device queues (ACTV). `waiting_ios`: queued in the
    kernel for a slot (QUED). `depth`: effective depth (DQLEN) of the only queue there is, the largest of the bucket; null where there are
    several, for depths are never added up. `fullest`: one full queue of many does not show in sums; null without any, with too many, or
    where minutes of devices are kept of too little of the range.
    """

    outstanding_ios: list[float]
    in_flight_ios: list[float]
    waiting_ios: list[float]
    depth: list[float]
    fullest: FullestQueueSeries | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(DiagnosisWindow):
    """Over time, columnar. `times_ms`: start of each bucket, ms since 1970, `step_s` apart; a bucket without a minute is all null."""

    step_s: int
    times_ms: list[int]
    minutes_there: list[int]
    qualities: list[Quality | None]
    directions: tuple[DirectionSeries, ...]
    queues: QueueSeries


def latency(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime, step: timedelta | None
) -> Latency:
    """In buckets of `step`, or of a sensible width. Only parts and layers that were measured anywhere are there.

    Raises NotFoundError, UnusableStepError, and ValueError for an empty range or a step that is not of whole minutes.
    """
    known = ledger_object(connection, kind, thing_id)
    of = _Of(known.subject, SCOPES[kind], known.until_at, known.storage)
    return _over_time(connection, of, queues(connection, kind, thing_id), from_at, to_at, step)


def latency_of(
    connection: Connection, whole: WindowSum, devices: Sequence[Queue], from_at: datetime, to_at: datetime
) -> Latency:
    """The same of an object of which a window was read before, in buckets of a sensible width. devices: all that its I/Os pass."""
    of = _Of(whole.window.subject, whole.scope, whole.window.ledger_until_at, whole.storage)
    return _over_time(connection, of, devices, from_at, to_at, None)


def disk_latency(connection: Connection, disk: EntityRef, from_at: datetime, to_at: datetime) -> Latency:
    """The same of one virtual disk, without queues, in buckets of a sensible width; as long as minutes of disks are kept."""
    of = _Of(disk, ScopeKind.VM_DISK, ledger_until(connection), modes.storage(connection))
    return _over_time(connection, of, (), from_at, to_at, None)


def environment_latency(connection: Connection, from_at: datetime, to_at: datetime, step: timedelta | None) -> Latency:
    """The same for the whole environment, its queues as a sum only. Raises as `latency` does."""
    everything = EntityRef(RefKind.ENVIRONMENT, ENVIRONMENT_ID, "Environment")
    of = _Of(everything, ScopeKind.ENVIRONMENT, ledger_until(connection), modes.storage(connection))
    return _over_time(connection, of, (), from_at, to_at, step)


@dataclass(frozen=True, slots=True)
class _Of:
    """What is shown over time. until_at: how far the ledger is."""

    subject: EntityRef
    scope: ScopeKind
    until_at: datetime | None
    storage: modes.Storage


def _over_time(
    connection: Connection,
    of: _Of,
    devices: Sequence[Queue],
    from_at: datetime,
    to_at: datetime,
    step: timedelta | None,
) -> Latency:
    width = step or sensible_step(from_at, to_at)
    check_buckets((to_at - from_at) / width, from_at, to_at)
    found = ledger(connection, [scope_key(of.scope, of.subject.id)], from_at, to_at, width, storage=of.storage)
    grid = TimeGrid.of(found)
    check_buckets(grid.buckets, from_at, to_at)
    stack = displayable_stack(found.rows, found.notes.quality_reasons)
    return Latency(
        subject=of.subject,
        from_at=found.from_at,
        to_at=found.to_at,
        minutes=int(found.minutes.sum()),
        ledger_until_at=of.until_at,
        resolution=found.resolution,
        step_s=round(found.step.total_seconds()),
        times_ms=grid.times_ms,
        minutes_there=grid.counts(found.minutes),
        qualities=grid.letters([Quality(letter) for letter in qualities(found.notes.quality_reasons)]),
        directions=tuple(_direction(found.rows, stack, direction, grid) for direction in Direction),
        queues=_queues_over_time(connection, of, devices, found, grid),
    )


def _direction(rows: LedgerRows, stack: Stack, direction: Direction, grid: TimeGrid) -> DirectionSeries:
    ops, timed = rows.ops[:, direction], timed_ops(rows)[:, direction]
    return DirectionSeries(
        direction=direction.key,
        ops=grid.column(ops),
        bytes=grid.column(rows.bytes[:, direction]),
        total_us=grid.column(_per_io(stack.total[:, direction], timed)),
        too_few=grid.flags(too_few(rows)[:, direction] & ~np.isnan(ops)),
        layers=tuple(_layers(rows, direction, timed, grid)),
        parts=tuple(_parts(stack, direction, timed, grid)),
    )


def _layers(rows: LedgerRows, direction: Direction, timed: Floats, grid: TimeGrid) -> Iterator[LayerSeries]:
    measured = rows.span_ops[:, direction] > 0
    for span in sorted(np.flatnonzero(measured.any(axis=0)).tolist(), key=lambda span: SPANS[span]):
        us, lower, upper = (
            grid.column(_per_io(np.where(measured[:, span], times[:, direction, span], np.nan), timed))
            for times in (rows.span_time, rows.span_lower, rows.span_upper)
        )
        yield LayerSeries(
            name=span_key(span), label=span_label(span), layers=span_layers(span), us=us, lower_us=lower, upper_us=upper
        )


def _parts(stack: Stack, direction: Direction, timed: Floats, grid: TimeGrid) -> Iterator[PartSeries]:
    for part in PARTS:
        times = part.times(stack)[:, direction]
        if not np.isnan(times).all():
            yield PartSeries(
                name=part.name,
                label=part.label,
                layer=part.layer,
                layers=part.layers,
                is_rest=part.is_rest,
                us=grid.column(_per_io(times, timed)),
            )


def _queues_over_time(
    connection: Connection, of: _Of, devices: Sequence[Queue], series: LedgerSeries, grid: TimeGrid
) -> QueueSeries:
    numbers, fullest = queue_numbers(series), fullest_queue(connection, devices, series, of.storage)
    nobody = np.full(len(series), np.nan)
    return QueueSeries(
        outstanding_ios=grid.column(numbers.outstanding_ios),
        in_flight_ios=grid.column(numbers.in_flight_ios),
        waiting_ios=grid.column(numbers.waiting_ios),
        depth=grid.column(numbers.depth if len(devices) == 1 else nobody),
        fullest=None if fullest is None else _fullest(fullest, grid),
    )


def _fullest(fullest: FullestQueue, grid: TimeGrid) -> FullestQueueSeries:
    there = grid.at(fullest.numbers.starts_us)
    position = {queue.device.id: n for n, queue in enumerate(fullest.queues)}
    named: list[int | None] = [None] * grid.buckets
    for bucket, device in zip(there.position.tolist(), fullest.numbers.device_id.tolist(), strict=True):
        named[bucket] = position[device]
    return FullestQueueSeries(
        queues=fullest.queues,
        queue=named,
        in_flight_ios=there.column(fullest.numbers.in_flight_ios),
        waiting_ios=there.column(fullest.numbers.waiting_ios),
        depth=there.column(fullest.numbers.depth),
    )


def _per_io(times: Floats, ops: Floats) -> Floats:
    return np.divide(times, ops, out=np.full_like(times, np.nan), where=ops > 0)
