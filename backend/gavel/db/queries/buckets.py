"""Samples of many entities in shared buckets over a range: from raw rows where they are fine enough, else from roll-ups, merged exactly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.series import modes
from gavel.db.series.catalog import EPOCH, HOUR, ROLLED, ROLLS, SAMPLES, Roll
from gavel.db.series.measures import ColumnKind, SampleColumn, measures, partials
from gavel.domain.source import Stream

Resolution = Literal["raw", "5m", "1h"]
# Two array samples or three host samples to a minute: 30 s is the finest step that leaves no bucket without a sample of either.
_STEPS = tuple(
    timedelta(seconds=seconds)
    for seconds in (30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800)
)
_FIVE_MINUTES = timedelta(minutes=5)
# A sample's stamp may lie this far from its place on Gavel's clock: offset of the source, and half its length.
_REACH = timedelta(minutes=10)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class BucketWindow:
    """[from_at, to_at) in whole buckets of `step`."""

    from_at: datetime
    to_at: datetime
    step: timedelta

    @property
    def times_ms(self) -> list[int]:
        return list(range(_ms(self.from_at), _ms(self.to_at), self.step // timedelta(milliseconds=1)))

    @property
    def buckets(self) -> int:
        return (self.to_at - self.from_at) // self.step


@dataclass(frozen=True, slots=True)
class Entity:
    """A device, disk or volume; `shift_s` is how far the clock that stamps its samples is ahead of Gavel's."""

    id: int
    shift_s: float


@dataclass(frozen=True, slots=True)
class _Grain:
    """Rows of one table with stamps in (lo, hi]; `roll` is None for the samples themselves. `name`: of its own among all grains."""

    stream: Stream
    name: str
    roll: Roll | None
    lo: datetime
    hi: datetime

    @property
    def table(self) -> str:
        return f"{self.stream}_sample" if self.roll is None else self.roll.name


Columns: TypeAlias = dict[str, list[float | None]]


@dataclass(frozen=True, slots=True)
class Bucketed:
    """Columns by entity id; None is all of them together. `resolution`: the coarsest grain that was read."""

    columns: Mapping[int | None, Columns]
    resolution: Resolution


def window(
    connection: Connection, from_at: datetime, to_at: datetime, points: int, storage: modes.Storage | None = None
) -> BucketWindow:
    """At most `points` buckets around [from_at, to_at), no finer than what retention has left of it. ValueError for an empty range.

    storage: where it is known already.
    """
    if to_at <= from_at:
        raise ValueError(f"The range is empty: it ends at {to_at.isoformat()} and begins at {from_at.isoformat()}.")
    finest = _finest_kept(storage or modes.storage(connection), from_at)
    for step in _STEPS:
        found = BucketWindow(_floor(from_at, step), _floor(to_at - _MICROSECOND, step) + step, step)
        if step >= finest and found.buckets <= points:
            return found
    raise ValueError(f"The range from {from_at.isoformat()} to {to_at.isoformat()} is too long for {points} points.")


def bucketed(
    connection: Connection, entities: Mapping[Stream, Sequence[Entity]], window: BucketWindow, *, parts: bool
) -> Mapping[Stream, Bucketed]:
    """Of each stream every column, and `precision_min`, `precision_max` where it has that; None where nothing was measured."""
    if not entities:
        return {}
    grains = _grains(connection, entities, window)
    query = " UNION ALL ".join(_of_stream(stream, own, parts=parts) for stream, own in grains.items())
    every = [grain for own in grains.values() for grain in own]
    rows = connection.execute(text(query), _parameters(entities, window, every)).all()
    return {
        stream: Bucketed(_columns([row for row in rows if row.stream == stream], stream, window), _resolution(own))
        for stream, own in grains.items()
    }


def _of_stream(stream: Stream, grains: Sequence[_Grain], *, parts: bool) -> str:
    """One row per bucket, and per entity and bucket with `parts`: the columns of the stream in one array, as streams differ in them."""
    groups = "GROUPING SETS ((b), (entity_id, b))" if parts else "GROUPING SETS ((b))"
    entity = "entity_id" if parts else "NULL::int"
    parts_sql = " UNION ALL ".join(_part(grain) for grain in grains)
    merged = f"SELECT entity_id, b, {_merged(stream)} FROM ({parts_sql}) part GROUP BY 1, 2"
    return (
        f"SELECT '{stream}' AS stream, {entity} AS entity, extract(epoch FROM b)::bigint AS at,"
        f" ARRAY[{', '.join(_final(m) for m in measures(stream))}]::float8[] AS numbers"
        f" FROM ({parts_sql if grains[0].roll is None else merged}) merged GROUP BY {groups}"
    )


def _finest_kept(storage: modes.Storage, from_at: datetime) -> timedelta:
    age = storage.now - from_at
    if age <= min(raw.keep[storage.mode] for raw in SAMPLES.values()):
        return timedelta(0)
    return _FIVE_MINUTES if age <= min(ROLLS[f"{stream}_5m"].keep for stream in ROLLED) else HOUR


def _grains(
    connection: Connection, entities: Mapping[Stream, Sequence[Entity]], window: BucketWindow
) -> Mapping[Stream, Sequence[_Grain]]:
    """Coarse to fine: a roll-up as far as it has been made, then what it is made from."""
    usable = {
        stream: sorted(
            (roll for roll in ROLLS.values() if roll.name.startswith(f"{stream}_") and roll.width <= window.step),
            key=lambda roll: roll.width,
            reverse=True,
        )
        for stream in entities
    }
    newest = _newest(connection, usable, entities, window)
    return {stream: tuple(_grains_of(stream, rolls, newest, window)) for stream, rolls in usable.items()}


def _grains_of(
    stream: Stream, rolls: Sequence[Roll], newest: Mapping[str, datetime | None], window: BucketWindow
) -> Iterator[_Grain]:
    lo = window.from_at - _REACH
    for roll in rolls:
        made = newest[roll.name]
        if made is not None and made >= lo:
            made_until = made + roll.width - _MICROSECOND
            yield _Grain(stream, roll.name, roll, max(lo, window.from_at), made_until)
            lo = made_until
    yield _Grain(stream, stream.value, None, lo, window.to_at + _REACH)


def _newest(
    connection: Connection,
    rolls: Mapping[Stream, Sequence[Roll]],
    entities: Mapping[Stream, Sequence[Entity]],
    window: BucketWindow,
) -> Mapping[str, datetime | None]:
    """By roll-up: its newest bucket of the window."""
    newest = [
        f"(SELECT max(bucket) FROM {roll.name} WHERE entity_id = ANY(:{stream}_ids) AND bucket >= :lo AND bucket < :hi) AS {roll.name}"
        for stream, own in rolls.items()
        for roll in own
    ]
    if not newest:
        return {}
    ids = {f"{stream}_ids": [entity.id for entity in own] for stream, own in entities.items()}
    limits = {"lo": window.from_at, "hi": window.to_at}
    return dict(connection.execute(text(f"SELECT {', '.join(newest)}"), ids | limits).mappings().one())


def _part(grain: _Grain) -> str:
    """Partials with entity and bucket: of samples one row for each, of a roll-up its rows. A sample lies where its middle is."""
    stream, name = grain.stream, grain.name
    if grain.roll is None:
        place = "s.ts - (m.shift_s + s.interval_s / 2.0) * INTERVAL '1 second'"
        time, grouped = "ts", "GROUP BY 1, 2"
        sums = ", ".join(f"{partial.of_samples} AS {partial.name}" for partial in partials(stream))
    else:
        place, time, grouped = "s.bucket", "bucket", ""
        sums = ", ".join(partial.name for partial in partials(stream))
    return (
        f"SELECT m.entity AS entity_id, date_bin(:step, {place}, :epoch) AS b, {sums}"
        f" FROM unnest(CAST(:{stream}_ids AS int[]), CAST(:{stream}_shifts AS float8[])) AS m (entity, shift_s)"
        f" JOIN {grain.table} s ON s.entity_id = m.entity"
        f" WHERE s.{time} > :{name}_lo AND s.{time} <= :{name}_hi AND {place} >= :from_at AND {place} < :to_at {grouped}"
    )


def _merged(stream: Stream) -> str:
    return ", ".join(f"{partial.of_partials} AS {partial.name}" for partial in partials(stream))


def _final(m: SampleColumn) -> str:
    """What a chart shows, over all entities of a bucket: rates and levels add up but for depths, latencies are means over operations."""
    c = m.column
    if m.kind is ColumnKind.TIME:
        return f"(sum({c}_sum) / nullif(sum({c}_ops), 0))::float8"
    if c.endswith(("_ops", "_bytes")):
        return f"sum({c}::float8 / nullif({c}_s, 0))"
    if m.kind is ColumnKind.COUNT:
        return f"sum({c})::float8"
    if c == "queue_depth":
        # Each queue is one host's: depths are never added up. The deepest of those in use; all idle: the deepest.
        busy = "coalesce(read_ops, 0) + coalesce(write_ops, 0) > 0"
        in_use = f"max({c}_sum::float8 / nullif({c}_s, 0)) FILTER (WHERE {busy})"
        return f"coalesce({in_use}, max({c}_max))::float8"
    if m.kind is ColumnKind.LEVEL:
        return f"sum({c}_sum::float8 / nullif({c}_s, 0))"
    return f"max({c}_max)::float8"


def _parameters(
    entities: Mapping[Stream, Sequence[Entity]], window: BucketWindow, grains: Sequence[_Grain]
) -> dict[str, Any]:
    limits = {f"{grain.name}_{edge}": getattr(grain, edge) for grain in grains for edge in ("lo", "hi")}
    ids = {f"{stream}_ids": [entity.id for entity in own] for stream, own in entities.items()}
    shifts = {f"{stream}_shifts": [entity.shift_s for entity in own] for stream, own in entities.items()}
    bounds = {"step": window.step, "epoch": EPOCH, "from_at": window.from_at, "to_at": window.to_at}
    return limits | ids | shifts | bounds


def _columns(rows: Sequence[Row[Any]], stream: Stream, window: BucketWindow) -> dict[int | None, Columns]:
    start, step = _ms(window.from_at) // 1000, window.step // timedelta(seconds=1)
    names = [m.column for m in measures(stream)]
    found: dict[int | None, Columns] = {}
    for row in rows:
        columns = found.get(row.entity)
        if columns is None:
            columns = found[row.entity] = {name: [None] * window.buckets for name in names}
        position = (row.at - start) // step
        for column, value in zip(columns.values(), row.numbers, strict=True):
            column[position] = value
    return found


def _resolution(grains: Sequence[_Grain]) -> Resolution:
    widths = [grain.roll.width for grain in grains if grain.roll is not None]
    if not widths:
        return "raw"
    return "1h" if max(widths) == HOUR else "5m"


def _floor(at: datetime, step: timedelta) -> datetime:
    return EPOCH + (at - EPOCH) // step * step


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)
