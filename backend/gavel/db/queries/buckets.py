"""Samples of many entities in shared buckets over a range: from raw rows where they are fine enough, else from roll-ups, merged exactly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.series import modes, packed
from gavel.db.series.catalog import EPOCH, HOUR, SAMPLE_ROLLS, SAMPLES, Roll
from gavel.db.series.measures import Partial, partials
from gavel.domain.retention import Grain
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, ColumnKind, SampleColumn

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
_LO, _HI = "CAST(:lo AS timestamptz)", "CAST(:hi AS timestamptz)"


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
    """Rows with stamps in (lo, hi]: of the first of `rolls`, with what the others keep of its buckets; samples where there is none.

    `name`: of its own among all grains.
    """

    stream: Stream
    name: str
    rolls: tuple[Roll, ...]
    lo: datetime
    hi: datetime


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
        f" ARRAY[{', '.join(_final(column) for column in COLUMNS_OF[stream])}]::float8[] AS numbers"
        f" FROM ({merged if grains[0].rolls else parts_sql}) merged GROUP BY {groups}"
    )


def _finest_kept(storage: modes.Storage, from_at: datetime) -> timedelta:
    if from_at >= storage.since(Grain.SAMPLES):
        return timedelta(0)
    return _FIVE_MINUTES if from_at >= storage.since(Grain.FIVE_MINUTES) else HOUR


def _grains(
    connection: Connection, entities: Mapping[Stream, Sequence[Entity]], window: BucketWindow
) -> Mapping[Stream, Sequence[_Grain]]:
    """Coarse to fine: a roll-up as far as it has been made, then what it is made from."""
    usable = {stream: _usable(stream, window.step) for stream in entities}
    newest = _newest(connection, usable, entities, window)
    return {stream: tuple(_grains_of(stream, widths, newest, window)) for stream, widths in usable.items()}


def _usable(stream: Stream, step: timedelta) -> Sequence[tuple[Roll, ...]]:
    """The roll-ups that are fine enough, by width, the widest first."""
    widths = (
        tuple(roll for roll in SAMPLE_ROLLS.get(stream, ()) if roll.width == width) for width in (HOUR, _FIVE_MINUTES)
    )
    return [rolls for rolls in widths if rolls and rolls[0].width <= step]


def _grains_of(
    stream: Stream, widths: Sequence[tuple[Roll, ...]], newest: Mapping[str, datetime | None], window: BucketWindow
) -> Iterator[_Grain]:
    lo = window.from_at - _REACH
    for rolls in widths:
        first = rolls[0]
        made = newest[first.name]
        if made is not None and made >= lo:
            made_until = made + first.width - _MICROSECOND
            yield _Grain(stream, first.name, rolls, max(lo, window.from_at), made_until)
            lo = made_until
    yield _Grain(stream, stream.value, (), lo, window.to_at + _REACH)


def _newest(
    connection: Connection,
    usable: Mapping[Stream, Sequence[tuple[Roll, ...]]],
    entities: Mapping[Stream, Sequence[Entity]],
    window: BucketWindow,
) -> Mapping[str, datetime | None]:
    """By the first roll-up of each width: its newest bucket of the window."""
    newest = [
        f"{packed.newest(first, keys=_ids(stream), lo=_LO, hi=_HI)} AS {first.name}"
        for stream, widths in usable.items()
        for first, *_ in widths
    ]
    if not newest:
        return {}
    ids = {f"{stream}_ids": [entity.id for entity in own] for stream, own in entities.items()}
    limits = {"lo": window.from_at, "hi": window.to_at}
    return dict(connection.execute(text(f"SELECT {', '.join(newest)}"), ids | limits).mappings().one())


def _part(grain: _Grain) -> str:
    """Partials with entity and bucket: of samples one row for each, of a roll-up its rows. A sample lies where its middle is."""
    stream, name = grain.stream, grain.name
    kept = _shown(COLUMNS_OF[stream])
    if grain.rolls:
        place, time, grouped = "s.bucket", "bucket", ""
        rows = f"{_rows(grain, grain.rolls[0])} s ON s.entity_id = m.entity {_beside(grain)}"
        sums = ", ".join(partial.name for partial in kept)
    else:
        place = "s.ts - (m.shift_s + s.interval_s / 2.0) * INTERVAL '1 second'"
        time, grouped = "ts", "GROUP BY 1, 2"
        rows = f"{_samples(grain, kept)} s ON s.entity_id = m.entity"
        sums = ", ".join(f"{partial.of_samples} AS {partial.name}" for partial in kept)
    return (
        f"SELECT m.entity AS entity_id, date_bin(:step, {place}, :epoch) AS b, {sums}"
        f" FROM unnest(CAST(:{stream}_ids AS int[]), CAST(:{stream}_shifts AS float8[])) AS m (entity, shift_s) JOIN {rows}"
        f" WHERE s.{time} > :{name}_lo AND s.{time} <= :{name}_hi AND {place} >= :from_at AND {place} < :to_at {grouped}"
    )


def _beside(grain: _Grain) -> str:
    """What other roll-ups keep of the same buckets.

    A bucket that one of them does not have, because it is older than the roll-up or only just over, is not measured.
    """
    return " ".join(
        f"LEFT JOIN {_rows(grain, roll)} r{n} ON r{n}.entity_id = s.entity_id AND r{n}.bucket = s.bucket"
        for n, roll in enumerate(grain.rolls[1:])
    )


def _samples(grain: _Grain, kept: Sequence[Partial]) -> str:
    names = packed.named_in(SAMPLES[grain.stream], "interval_s", *(partial.of_samples for partial in kept))
    return packed.rows(SAMPLES[grain.stream], names, **_limits(grain))


def _rows(grain: _Grain, roll: Roll) -> str:
    """Limited by themselves: neither an outer join nor what is packed has limits handed on."""
    shown = {partial.name for partial in _shown(COLUMNS_OF[grain.stream])}
    names = [partial.name for partial in roll.partials if partial.name in shown]
    return packed.rows(roll, names, **_limits(grain))


def _limits(grain: _Grain) -> dict[str, str]:
    edges = {edge: f"CAST(:{grain.name}_{edge} AS timestamptz)" for edge in ("lo", "hi")}
    return {"of": packed.of_any(_ids(grain.stream)), **edges}


def _ids(stream: Stream) -> str:
    return f"CAST(:{stream}_ids AS int[])"


def _merged(stream: Stream) -> str:
    return ", ".join(f"{partial.of_partials} AS {partial.name}" for partial in _shown(COLUMNS_OF[stream]))


def _shown(columns: Sequence[SampleColumn]) -> Sequence[Partial]:
    """What charts are made from; unpacking a number is not free. Of extremes, they show only the largest depth and coarsest precision."""
    return [partial for partial in partials(columns) if not partial.name.endswith(("_us_max", "_min"))]


def _final(column: SampleColumn) -> str:
    """What a chart shows, over all entities of a bucket: rates and levels add up but for depths and shares, latencies are means
    over operations."""
    c = column.name
    if column.kind is ColumnKind.TIME:
        return f"(sum({c}_sum) / nullif(sum({c}_ops), 0))::float8"
    if column.is_rate:
        return f"sum({c}::float8 / nullif({c}_s, 0))"
    if column.kind is ColumnKind.COUNT:
        return f"sum({c})::float8"
    if c == "queue_depth":
        # Each queue is one host's: depths are never added up. The deepest of those in use; all idle: the deepest.
        busy = "coalesce(read_ops, 0) + coalesce(write_ops, 0) > 0"
        in_use = f"max({c}_sum::float8 / nullif({c}_s, 0)) FILTER (WHERE {busy})"
        return f"coalesce({in_use}, max({c}_max))::float8"
    if column.unit == "%":
        return f"(avg({c}_sum::float8 / nullif({c}_s, 0)) / 100)::float8"
    if column.kind is ColumnKind.LEVEL:
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
    names = [column.name for column in COLUMNS_OF[stream]]
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
    widths = [grain.rolls[0].width for grain in grains if grain.rolls]
    if not widths:
        return "raw"
    return "1h" if max(widths) == HOUR else "5m"


def _floor(at: datetime, step: timedelta) -> datetime:
    return EPOCH + (at - EPOCH) // step * step


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)
