"""Writing samples: natural keys to ids, one binary COPY, idempotent; and the watermark that moves with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import psycopg
from sqlalchemy import Connection, func, select, text
from sqlalchemy.dialects.postgresql import insert

from gavel.db import copying
from gavel.db.copying import Field
from gavel.db.entities import STRANGER, entity_ids
from gavel.db.errors import NotFoundError, SampleRangeError
from gavel.db.room import instant, make_room, stamp_us
from gavel.db.series import SAMPLES, Mode, Raw
from gavel.db.tables.bookkeeping import dirty_window, source, storage_mode
from gavel.db.tables.bookkeeping import watermark as watermarks
from gavel.domain.samples import Int64Array, SampleBatch
from gavel.domain.source import Stream

# Tasks of `dirty_window` for the correlate step: this and the id of the source, with stamps by its clock.
CORRELATE = "correlate "


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a batch: `rows` had a known entity, `new_rows` of them were not there yet, `conflicting` were, with other values.

    `strangers`: keys that are not in the inventory; their rows were not stored.
    """

    rows: int
    new_rows: int
    conflicting: int
    strangers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Target:
    """What a write has to know of the store: where the stream stands and in which mode its table is."""

    raw: Raw
    mode: Mode
    revision: int
    until_us: int | None


_Columns = Mapping[str, Int64Array]
# No sample was taken before or will be taken after these; a stamp outside is not a time.
_STAMPS = tuple(stamp_us(datetime(year, 1, 1, tzinfo=UTC)) for year in (2000, 2200))


def write_samples(connection: Connection, source_id: int, batch: SampleBatch) -> Written:
    """Store a batch within the caller's transaction. Rows that are already there stay as they are, so any replay is harmless.

    Raises NotFoundError when the source is gone, SampleRangeError when a number fits no column.
    """
    target = _target(connection, source_id, batch.stream)
    ids = entity_ids(connection, source_id, batch.stream, batch.keys, target.revision)
    strangers = tuple(batch.keys[position] for position in np.flatnonzero(ids == STRANGER))
    columns = _known_rows(batch, ids)
    rows = len(columns["ts"])
    if rows == 0:
        return Written(0, 0, 0, strangers)
    fields = _fields(target.raw)
    _require_range(batch.stream, fields, columns)
    make_room(connection, target.mode, target.raw, columns["ts"])
    new, conflicting = _store(connection, source_id, target, fields, columns)
    return Written(rows, new, conflicting, strangers)


def watermark(connection: Connection, source_id: int, stream: Stream) -> datetime | None:
    """Samples are stored up to here, by the source's own clock; None before the first run."""
    mark = select(watermarks.c.until_at).where(watermarks.c.source_id == source_id, watermarks.c.stream == stream)
    return connection.scalar(mark)


def advance_watermark(connection: Connection, source_id: int, stream: Stream, until: datetime) -> datetime:
    """Move the watermark to `until` if that is forward; returns where it stands. Call it in the transaction of the samples."""
    row = insert(watermarks).values(source_id=source_id, stream=stream, until_at=until)
    forward = func.greatest(watermarks.c.until_at, row.excluded.until_at)
    upsert = row.on_conflict_do_update(index_elements=["source_id", "stream"], set_={"until_at": forward})
    stands: datetime = connection.execute(upsert.returning(watermarks.c.until_at)).scalar_one()
    return stands


def _target(connection: Connection, source_id: int, stream: Stream) -> _Target:
    marks = watermarks.c.source_id == source_id, watermarks.c.stream == stream
    until = select(watermarks.c.until_at).where(*marks).scalar_subquery()
    mode = select(storage_mode.c.mode).scalar_subquery()
    row = connection.execute(
        select(source.c.inventory_revision, until, mode).where(source.c.id == source_id)
    ).one_or_none()
    if row is None:
        raise NotFoundError(f"Source {source_id} does not exist any more; its {stream} samples were not stored.")
    revision, until_at, mode_name = row
    until_us = None if until_at is None else stamp_us(until_at)
    return _Target(SAMPLES[stream], Mode(mode_name), revision, until_us)


def _known_rows(batch: SampleBatch, ids: Int64Array) -> _Columns:
    entity = ids[batch.key_index] if len(batch) else batch.key_index
    columns = {"ts": batch.ended_at_us, "entity_id": entity, "interval_s": batch.interval_s, **batch.values}
    return _in_key_order(_rows(columns, entity != STRANGER))


def _in_key_order(columns: _Columns) -> _Columns:
    """Neighbours in the index side by side: both ways of writing are faster then."""
    entity, stamp = columns["entity_id"], columns["ts"]
    order = np.lexsort((stamp, entity))
    if (order[1:] > order[:-1]).all():
        return columns
    return {name: column[order] for name, column in columns.items()}


def _fields(raw: Raw) -> tuple[Field, ...]:
    return tuple(Field(name, sql_type.removesuffix(" NOT NULL")) for name, sql_type in raw.columns.items())


def _require_range(stream: Stream, fields: tuple[Field, ...], columns: _Columns) -> None:
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
    connection: Connection, source_id: int, target: _Target, fields: tuple[Field, ...], columns: _Columns
) -> tuple[int, int]:
    """Rows after the watermark are new, unless a run was killed between; those before it are mostly known: looked back at."""
    fresh = np.ones(len(columns["ts"]), dtype=np.bool_) if target.until_us is None else columns["ts"] > target.until_us
    new = conflicting = 0
    for rows, write in ((_rows(columns, fresh), _copy_or_merge), (_rows(columns, ~fresh), merge)):
        found, differing = write(connection, target.raw, fields, rows)
        if found:
            _note_for_ledger(connection, source_id, rows)
        new, conflicting = new + found, conflicting + differing
    return new, conflicting


def _note_for_ledger(connection: Connection, source_id: int, columns: _Columns) -> None:
    """The minutes of new rows are to be attributed (again), and those of the samples beside them: what comes before and after a sample
    at a minute's edge tells how sure its part in the minute is. Rows are only ever added here, so writers never wait for one another.
    """
    length_us = columns["interval_s"] * 1_000_000
    lo, hi = (columns["ts"] - 2 * length_us).min(), (columns["ts"] + length_us).max()
    note = {"task": f"{CORRELATE}{source_id}", "lo": instant(lo), "hi": instant(hi)}
    connection.execute(insert(dirty_window).values(note))


def _rows(columns: _Columns, where: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> _Columns:
    return columns if where.all() else {name: column[where] for name, column in columns.items()}


def _copy_or_merge(connection: Connection, raw: Raw, fields: tuple[Field, ...], columns: _Columns) -> tuple[int, int]:
    """COPY straight into the table, 2½ times as fast as merging, as long as no row is there yet."""
    rows = len(columns["ts"])
    if rows == 0:
        return 0, 0
    packed = copying.pack(fields, columns)
    try:
        with connection.begin_nested():
            copying.copy(connection, raw.name, fields, packed)
    except psycopg.errors.UniqueViolation:
        return _merge_packed(connection, raw, fields, columns, packed)
    return rows, 0


def merge(connection: Connection, raw: Raw, fields: tuple[Field, ...], columns: _Columns) -> tuple[int, int]:
    """(new, conflicting): COPY beside the table, then insert what is not there yet."""
    if len(columns["ts"]) == 0:
        return 0, 0
    return _merge_packed(connection, raw, fields, columns, copying.pack(fields, columns))


def _merge_packed(
    connection: Connection, raw: Raw, fields: tuple[Field, ...], columns: _Columns, packed: bytes
) -> tuple[int, int]:
    incoming = f"incoming_{raw.name}"
    create = f"CREATE TEMP TABLE IF NOT EXISTS {incoming} (LIKE {raw.name}) ON COMMIT DELETE ROWS"
    connection.exec_driver_sql(create)
    copying.copy(connection, incoming, fields, packed)
    names = ", ".join(field.name for field in fields)
    new = connection.exec_driver_sql(
        f"INSERT INTO {raw.name} ({names}) SELECT {names} FROM {incoming} ON CONFLICT (entity_id, ts) DO NOTHING"
    ).rowcount
    conflicting = 0 if new == len(columns["ts"]) else _conflicting(connection, raw, fields, columns)
    connection.exec_driver_sql(f"TRUNCATE {incoming}")
    return new, conflicting


def _conflicting(connection: Connection, raw: Raw, fields: tuple[Field, ...], columns: _Columns) -> int:
    """Incoming rows whose key is stored with other values. A source never changes a sample, so this is a fault worth knowing."""
    stored, incoming = (", ".join(f"{side}.{field.name}" for field in fields) for side in ("s", "i"))
    differing = text(
        f"SELECT count(*) FROM incoming_{raw.name} i JOIN {raw.name} s ON s.entity_id = i.entity_id AND s.ts = i.ts"
        f" WHERE s.ts BETWEEN :lo AND :hi AND ({stored}) IS DISTINCT FROM ({incoming})"
    )
    stamps = columns["ts"]
    return int(connection.execute(differing, {"lo": instant(stamps.min()), "hi": instant(stamps.max())}).scalar_one())
