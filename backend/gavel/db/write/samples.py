"""Writing samples: natural keys to ids, one binary COPY, idempotent; and the watermark that moves with them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import psycopg
from sqlalchemy import Connection, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from gavel.db import copying
from gavel.db.copying import Field
from gavel.db.errors import NotFoundError, SampleRangeError
from gavel.db.schema.bookkeeping import source, storage_mode
from gavel.db.schema.bookkeeping import watermark as watermarks
from gavel.db.schema.work import correlating, dirty_window
from gavel.db.series.catalog import SAMPLES, Mode, RawSeries
from gavel.db.series.room import instant, make_room, note_rows, stamp_us
from gavel.db.write.entities import UNKNOWN_ID, entity_ids
from gavel.db.write.recent import Columns, RecentRows, digests, recent_rows, remember
from gavel.domain.samples import SLIT_S, Int64Array, SampleBatch, neighbors
from gavel.domain.source import ATTRIBUTED, Stream, Watermark

_KEY = ("ts", "entity_id")
# Latencies of a row have one precision, or their differences would mean nothing; which is whose is told by the ending.
_FAMILY = ("avg_us", "read_latency_us", "write_latency_us")
# There the µs and the ms of a latency are columns of their own.
_BOTH_FAMILIES = "read_total_latency_us"


@dataclass(frozen=True, slots=True)
class Merged:
    """How many rows became what; those that were equal count nowhere.

    touched_us: first and last stamp of those that are new or not as they were, µs since 1970; None when there are none.
    """

    new: int = 0
    completed: int = 0
    corrected: int = 0
    touched_us: tuple[int, int] | None = None


def merge(connection: Connection, raw: RawSeries, fields: Sequence[Field], columns: Mapping[str, Int64Array]) -> Merged:
    """COPY beside the table, insert what is not there yet, and compare the rest. Each key at most once in `columns`."""
    if len(columns["ts"]) == 0:
        return Merged()
    return merge_packed(connection, raw, fields, columns, copying.pack(fields, columns))


def merge_packed(
    connection: Connection, raw: RawSeries, fields: Sequence[Field], columns: Mapping[str, Int64Array], packed: bytes
) -> Merged:
    """`merge` of columns that are packed already."""
    incoming = f"incoming_{raw.name}"
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS {incoming} (LIKE {raw.name}) ON COMMIT DELETE ROWS")
    copying.copy(connection, incoming, fields, packed)
    names = ", ".join(field.name for field in fields)
    new = connection.exec_driver_sql(
        f"INSERT INTO {raw.name} ({names}) SELECT {names} FROM {incoming} ON CONFLICT (entity_id, ts) DO NOTHING"
    ).rowcount
    stamps = columns["ts"]
    every = int(stamps.min()), int(stamps.max())
    found = Merged(new, touched_us=every) if new == len(stamps) else _change(connection, raw, fields, new, every)
    connection.exec_driver_sql(f"TRUNCATE {incoming}")
    return found


def _change(
    connection: Connection, raw: RawSeries, fields: Sequence[Field], new: int, every: tuple[int, int]
) -> Merged:
    """Complete and correct rows that were there before, if any differ: a look first, since mostly none does."""
    limits = {"lo": instant(every[0]), "hi": instant(every[1])}
    names = [field.name for field in fields if field.name not in _KEY]
    later = dict(_later(names))
    stored, sent = _row("s", names), _row("i", names)
    meet = (
        "i.entity_id = s.entity_id AND i.ts = s.ts AND s.ts BETWEEN :lo AND :hi"
        # Several samples in one: an answer with fewer of them than before is worth less.
        " AND i.interval_s >= s.interval_s"
    )
    differs = f"({stored}) IS DISTINCT FROM ({sent}) AND ({stored}) IS DISTINCT FROM ({', '.join(later.values())})"
    replaced = " OR ".join(_replaced(name, value, names) for name, value in later.items())
    look = text(
        "SELECT count(*) AS rows, count(*) FILTER (WHERE replaced) AS corrected, array_agg(DISTINCT entity_id) AS entities,"
        " extract(epoch FROM min(ts)) AS lo, extract(epoch FROM max(ts)) AS hi FROM ("
        f"SELECT s.entity_id, s.ts, i.interval_s = s.interval_s AND coalesce({replaced}, false) AS replaced"
        f" FROM incoming_{raw.name} i, {raw.name} s WHERE {meet} AND {differs}) c"
    )
    found = connection.execute(look, limits).one()
    if not found.rows:
        return Merged(new, touched_us=every if new else None)
    changes = ", ".join(f"{name} = {value}" for name, value in later.items())
    # By name of their entities, so that TimescaleDB unpacks those alone.
    change = text(
        f"UPDATE {raw.name} s SET {changes} FROM incoming_{raw.name} i"
        f" WHERE {meet} AND s.entity_id = ANY(CAST(:entities AS int[])) AND {differs}"
    )
    connection.execute(change, limits | {"entities": found.entities})
    touched = every if new else (round(found.lo * 1_000_000), round(found.hi * 1_000_000))
    return Merged(new, found.rows - found.corrected, found.corrected, touched)


def _row(side: str, names: Sequence[str]) -> str:
    return ", ".join(f"{side}.{name}" for name in names)


def _replaced(name: str, value: str, names: Sequence[str]) -> str:
    """Whether a stored value was another one. Finer counters that a source filled later complete a sample, and replace nothing."""
    differs = f"s.{name} <> {value}"
    if _has_families(names) and (name == "precision" or name.endswith(_FAMILY)):
        return f"((i.precision < s.precision) IS NOT TRUE AND {differs})"
    return differs


def _has_families(names: Sequence[str]) -> bool:
    return "precision" in names and _BOTH_FAMILIES not in names


def _later(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Column → its value once the incoming row `i` has met the stored row `s`."""
    has_families = _has_families(names)
    for name in names:
        plain = f"coalesce(i.{name}, s.{name})"
        if name == "precision":
            yield name, "least(i.precision, s.precision)"
        elif has_families and name.endswith(_FAMILY):
            # The finer one as a whole; both NULL or equal: the same family.
            finer = f"WHEN i.precision < s.precision THEN i.{name} WHEN i.precision > s.precision THEN s.{name}"
            yield name, f"CASE {finer} ELSE {plain} END"
        else:
            yield name, plain


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a batch: `rows` had a known entity, `new_rows` of them were not there yet.

    Of those that were, `completed` had lacked values and were filled, `corrected` had other values, which were replaced; the rest is equal.
    `unknown_keys`: keys that are not in the inventory; their rows were not stored. `complete_until`: all that was to be expected up to here
    has come, by the last samples that are known; None when that is not known.
    """

    rows: int
    new_rows: int
    completed: int
    corrected: int
    unknown_keys: tuple[str, ...]
    complete_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Target:
    """What a write has to know of the store: where the stream stands, and in which mode its table is."""

    stream: Stream
    raw: RawSeries
    mode: Mode
    revision: int
    until_us: int | None


# No sample was taken before or will be taken after these; a stamp outside is not a time.
_STAMPS = tuple(stamp_us(datetime(year, 1, 1, tzinfo=UTC)) for year in (2000, 2200))


def write_samples(connection: Connection, source_id: int, batch: SampleBatch) -> Written:
    """Store a batch within the caller's transaction. A row that is there already is completed and corrected by a later one; a replay
    changes nothing. Until the transaction ends, no other one writes samples of the same source and stream.

    Raises NotFoundError when the source is gone, SampleRangeError when a number fits no column.
    """
    target = _target(connection, source_id, batch.stream)
    ids = entity_ids(connection, source_id, batch.stream, batch.keys, target.revision)
    unknown_keys = tuple(batch.keys[position] for position in np.flatnonzero(ids == UNKNOWN_ID))
    columns = _known_rows(batch, ids)
    rows = len(columns["ts"])
    if rows == 0:
        return Written(0, 0, 0, 0, unknown_keys)
    fields = _fields(target.raw)
    _require_range(batch.stream, fields, columns)
    make_room(connection, target.mode, target.raw, columns["ts"])
    before = recent_rows(connection, source_id, batch.stream)
    digest = digests(columns)
    unchanged = before.holds(columns, digest)
    merged = list(_store(connection, source_id, target, fields, columns, unchanged))
    new, completed, corrected = (
        sum(counts) for counts in zip(*((one.new, one.completed, one.corrected) for one in merged), strict=True)
    )
    recent = before.followed_by(RecentRows.of(columns, digest))
    remember(connection, source_id, batch.stream, recent)
    # Where nothing was remembered of the last samples, who is missing from this read is not known either.
    is_known = len(before.since(recent.base_us)) > 0
    complete_us = recent.complete_until_us(int(columns["interval_s"].max()) * 1_000_000) if is_known else None
    complete_until = None if complete_us is None else datetime.fromtimestamp(complete_us / 1e6, UTC)
    return Written(rows, new, completed, corrected, unknown_keys, complete_until)


def watermark(connection: Connection, source_id: int, stream: Stream) -> Watermark | None:
    """How far the stream is stored; None before the first run."""
    mine = watermarks.c.source_id == source_id, watermarks.c.stream == stream
    mark = watermarks.c
    columns = mark.until_at, mark.complete_until, mark.looked_back_at, mark.settle_s, mark.earlier_at
    row = connection.execute(select(*columns).where(*mine)).one_or_none()
    return None if row is None else Watermark(*row)


def advance_watermark(
    connection: Connection,
    source_id: int,
    stream: Stream,
    until: datetime,
    *,
    complete_until: datetime | None = None,
    is_whole_look: bool = False,
) -> datetime:
    """Move the watermark to `until` if that is forward; returns where it stands. Call it in the transaction of the samples.

    complete_until: as `Watermark` has it, of the newest read. is_whole_look: that read asked for all that may still change.
    """
    row = insert(watermarks).values(
        source_id=source_id,
        stream=stream,
        until_at=until,
        complete_until=complete_until,
        looked_back_at=until if is_whole_look else None,
    )
    forward = {
        "until_at": func.greatest(watermarks.c.until_at, row.excluded.until_at),
        "complete_until": row.excluded.complete_until,
        "looked_back_at": func.coalesce(row.excluded.looked_back_at, watermarks.c.looked_back_at),
    }
    upsert = row.on_conflict_do_update(index_elements=["source_id", "stream"], set_=forward)
    stands: datetime = connection.execute(upsert.returning(watermarks.c.until_at)).scalar_one()
    return stands


def keep_settling(
    connection: Connection, source_id: int, stream: Stream, settle_s: float, earlier_at: datetime | None
) -> None:
    """What was learned of how long after their end samples are whole, as `Watermark` has it."""
    mine = watermarks.c.source_id == source_id, watermarks.c.stream == stream
    connection.execute(update(watermarks).where(*mine).values(settle_s=settle_s, earlier_at=earlier_at))


def _target(connection: Connection, source_id: int, stream: Stream) -> _Target:
    marks = watermarks.c.source_id == source_id, watermarks.c.stream == stream
    until = select(watermarks.c.until_at).where(*marks).scalar_subquery()
    mode = select(storage_mode.c.mode).scalar_subquery()
    # Live collection and backfill may hold the same rows, in another order: one after the other, or they could wait for each other.
    alone = func.pg_advisory_xact_lock(func.hashtextextended(f"samples {source_id} {stream}", 0))
    row = connection.execute(
        select(source.c.inventory_revision, until, mode, alone).where(source.c.id == source_id)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"Source {source_id} does not exist any more; its {stream} samples were not stored.")
    revision, until_at, mode_name, _ = row
    until_us = None if until_at is None else stamp_us(until_at)
    return _Target(stream, SAMPLES[stream], Mode(mode_name), revision, until_us)


def _known_rows(batch: SampleBatch, ids: Int64Array) -> Columns:
    entity = ids[batch.key_index] if len(batch) else batch.key_index
    columns = {"ts": batch.ended_at_us, "entity_id": entity, "interval_s": batch.interval_s, **batch.values}
    return _in_key_order(_rows(columns, entity != UNKNOWN_ID))


def _in_key_order(columns: Columns) -> Columns:
    """Neighbours in the index side by side: both ways of writing are faster then. Of two rows of one key the later one stays."""
    entity, stamp = columns["entity_id"], columns["ts"]
    order = np.lexsort((stamp, entity))
    again = (np.diff(entity[order]) == 0) & (np.diff(stamp[order]) == 0)
    if again.any():
        order = order[np.append(~again, True)]
    elif (order[1:] > order[:-1]).all():
        return columns
    return {name: column[order] for name, column in columns.items()}


def _fields(raw: RawSeries) -> tuple[Field, ...]:
    return tuple(Field(name, sql_type.removesuffix(" NOT NULL")) for name, sql_type in raw.columns.items())


def _require_range(stream: Stream, fields: tuple[Field, ...], columns: Columns) -> None:
    earliest, latest = columns["ts"].min(), columns["ts"].max()
    if earliest < _STAMPS[0] or latest > _STAMPS[1]:
        raise SampleRangeError(
            f"{stream}: stamps from {earliest} to {latest} µs since 1970 are no times. Nothing was stored."
        )
    for field in fields:
        values = columns[field.name]
        if not field.fits(values):
            worst = values.min() if values.min() < -1 else values.max()
            raise SampleRangeError(
                f"{stream}: {field.name} = {worst} fits no column of type {field.sql_type}. Nothing was stored."
            )


def _store(
    connection: Connection,
    source_id: int,
    target: _Target,
    fields: tuple[Field, ...],
    columns: Columns,
    unchanged: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
) -> Iterator[Merged]:
    """Rows after the watermark are new, unless a run was killed between; those before it were looked back at.

    unchanged: (n,) which rows are there already as they are.
    """
    fresh = np.ones(len(columns["ts"]), dtype=np.bool_) if target.until_us is None else columns["ts"] > target.until_us
    longest_us = int(columns["interval_s"].max()) * 1_000_000
    for rows, write in (
        (_rows(columns, fresh), _copy_or_merge),
        (_rows(columns, ~(fresh | unchanged)), merge),
    ):
        found = write(connection, target.raw, fields, rows)
        if found.touched_us:
            note_rows(connection, target.mode, target.raw, *found.touched_us)
            if target.stream in ATTRIBUTED:
                _note_for_ledger(connection, source_id, target.stream, found.touched_us, longest_us)
        yield found


def _note_for_ledger(
    connection: Connection, source_id: int, stream: Stream, touched_us: tuple[int, int], longest_us: int
) -> None:
    """The minutes of new or changed rows are to be attributed (again), and those of the samples beside them: what comes before and after
    a sample at a minute's edge tells how sure its part in the minute is. Notes are only ever added: writers never wait for one another.
    """
    beside = neighbors(stream) * (longest_us + SLIT_S * 1_000_000)
    lo, hi = touched_us[0] - longest_us - beside, touched_us[1] + beside
    connection.execute(insert(dirty_window), correlating(source_id).of(instant(lo), instant(hi)))


def _rows(columns: Columns, where: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Columns:
    return columns if where.all() else {name: column[where] for name, column in columns.items()}


def _copy_or_merge(connection: Connection, raw: RawSeries, fields: tuple[Field, ...], columns: Columns) -> Merged:
    """COPY straight into the table, 2½ times as fast as merging, as long as no row is there yet."""
    stamps = columns["ts"]
    if len(stamps) == 0:
        return Merged()
    packed = copying.pack(fields, columns)
    try:
        with connection.begin_nested():
            copying.copy(connection, raw.name, fields, packed)
    except psycopg.errors.UniqueViolation:
        return merge_packed(connection, raw, fields, columns, packed)
    return Merged(len(stamps), touched_us=(int(stamps.min()), int(stamps.max())))
