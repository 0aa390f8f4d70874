"""Raw numbers of both sides over time: columnar, in shared buckets, null where nothing was measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.measures import Kind, Measure, measures
from gavel.db.queries.buckets import Bucketed, Columns, Entity, Resolution, Window, bucketed, window
from gavel.db.queries.counters import counter_name, step_us
from gavel.db.queries.members import MEMBERS, members
from gavel.db.queries.refs import refs, require
from gavel.db.queries.rows import Ref, RefKind
from gavel.domain.samples import Precision
from gavel.domain.source import Stream

Unit = Literal["µs", "ops/s", "bytes/s", "I/Os", "count"]
Side = Literal["array", "host"]
Direction = Literal["read", "write", "mirrored_write"]


@dataclass(frozen=True, slots=True)
class SeriesColumn:
    """One line of a chart: latencies are op-weighted means of the bucket, rates are means over the time that was measured.

    name: as in `COLUMNS`, with `_iops` for `_ops` and `_bytes_per_s` for `_bytes`. counter: the source's own name of it.
    precision: the coarsest step of the source's number in `unit`, over the range. values: as long as `times_ms`.
    """

    name: str
    unit: Unit
    direction: Direction | None
    counter: str
    precision: float | None
    values: list[float | None]


@dataclass(frozen=True, slots=True)
class SeriesGroup:
    """Columns of one thing on one side. scope `whole`: all devices, disks or volumes behind `entity` together."""

    side: Side
    scope: Literal["whole", "part"]
    entity: Ref
    sources: tuple[Ref, ...]
    columns: tuple[SeriesColumn, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """`times_ms`: start of each bucket, ms since 1970 UTC by Gavel's clock (offsets of the sources taken out), `step_s` apart.

    `resolution`: the coarsest grain the buckets were made from.
    """

    from_at: datetime
    to_at: datetime
    step_s: int
    resolution: Resolution
    times_ms: list[int]
    groups: tuple[SeriesGroup, ...]


@dataclass(frozen=True, slots=True)
class _Stamped:
    """An entity with its source, and a name that tells it from its like: a device with its host, a disk with its VM."""

    entity: Entity
    source_id: int
    name: str


_SIDES: Mapping[Stream, tuple[Side, RefKind]] = {
    Stream.HOST_DEVICE: ("host", RefKind.DEVICE),
    Stream.VM_DISK: ("host", RefKind.VM_DISK),
    Stream.ARRAY_VOLUME: ("array", RefKind.VOLUME),
    Stream.ARRAY_DIRECTORY: ("array", RefKind.DIRECTORY),
}
# `subject`: the ESXi host whose clock stamps the samples; arrays stamp their own.
_ENTITIES = {
    Stream.HOST_DEVICE: (
        "SELECT d.id, d.source_id, h.key AS subject, h.name || ' ' || d.canonical_name AS name"
        " FROM host_device d JOIN esxi_host h ON h.id = d.host_id"
    ),
    Stream.VM_DISK: (
        "SELECT k.id, k.source_id, h.key AS subject, m.name || ' ' || k.label AS name"
        " FROM vm_disk k JOIN vm m ON m.id = k.vm_id LEFT JOIN esxi_host h ON h.id = m.host_id"
    ),
    Stream.ARRAY_VOLUME: "SELECT id, source_id, NULL::text AS subject, name FROM volume",
    Stream.ARRAY_DIRECTORY: "SELECT id, source_id, NULL::text AS subject, name FROM array_directory",
}
# The reading nearest before the end of the range, else the first after it.
_CLOCKS = """
    SELECT DISTINCT ON (source_id, subject) source_id, subject, offset_s FROM clock_offset
    WHERE source_id = ANY(:source_ids)
    ORDER BY source_id, subject, read_at > :at, abs(extract(epoch FROM read_at - :at))
"""
_RANGES: Mapping[Kind, Unit] = {Kind.TIME: "µs", Kind.LEVEL: "I/Os", Kind.COUNT: "count"}


def series(
    connection: Connection,
    subject: RefKind,
    subject_id: int,
    from_at: datetime,
    to_at: datetime,
    *,
    points: int = 700,
    parts: bool = False,
) -> Series:
    """Both sides of a datastore, VM, host, volume or array over [from_at, to_at), in at most `points` buckets.

    `parts` adds a group per device, disk and volume. Raises NotFoundError, and ValueError for an empty or too long range.
    """
    whole = require(connection, subject, subject_id)
    over = window(connection, from_at, to_at, points)
    groups: list[SeriesGroup] = []
    resolutions: set[Resolution] = set()
    by_stream = _stamped(connection, subject, subject_id, over)
    sources = refs(connection, RefKind.SOURCE, {one.source_id for stamped in by_stream.values() for one in stamped})
    for stream, stamped in by_stream.items():
        found = bucketed(connection, stream, [one.entity for one in stamped], over, parts=parts)
        groups.extend(_groups(sources, stream, whole, stamped, found, over))
        resolutions.add(found.resolution)
    return Series(
        from_at=over.from_at,
        to_at=over.to_at,
        step_s=round(over.step.total_seconds()),
        resolution=next((r for r in ("1h", "5m") if r in resolutions), "raw"),
        times_ms=over.times_ms,
        groups=tuple(groups),
    )


def _stamped(
    connection: Connection, subject: RefKind, subject_id: int, over: Window
) -> Mapping[Stream, Sequence[_Stamped]]:
    """Of the streams that it has any entity in."""
    found = {stream: rows for stream in _SIDES if (rows := _entities(connection, subject, subject_id, stream))}
    offsets = _offsets(connection, {row.source_id for rows in found.values() for row in rows}, over.to_at)

    def one(row: Row[Any]) -> _Stamped:
        return _Stamped(Entity(row.id, _shift(offsets, row.source_id, row.subject)), row.source_id, row.name)

    return {stream: [one(row) for row in rows] for stream, rows in found.items()}


def _entities(connection: Connection, subject: RefKind, subject_id: int, stream: Stream) -> Sequence[Row[Any]]:
    if (subject, stream) not in MEMBERS:
        return ()
    ids = members(connection, subject, stream, [subject_id]).get(subject_id, [])
    if not ids:
        return ()
    query = f"SELECT * FROM ({_ENTITIES[stream]}) e WHERE id = ANY(:ids) ORDER BY name, id"
    return connection.execute(text(query), {"ids": ids}).all()


_Offsets: TypeAlias = Mapping[tuple[int, str | None], float]


def _shift(offsets: _Offsets, source_id: int, subject: str | None) -> float:
    """Of the host's own clock where it was read, else of the source's."""
    return offsets.get((source_id, subject), offsets.get((source_id, None), 0.0))


def _offsets(connection: Connection, source_ids: set[int], at: datetime) -> _Offsets:
    rows = connection.execute(text(_CLOCKS), {"source_ids": sorted(source_ids), "at": at})
    return {(row.source_id, row.subject): row.offset_s for row in rows}


def _groups(
    sources: Mapping[int, Ref],
    stream: Stream,
    whole: Ref,
    stamped: Sequence[_Stamped],
    found: Bucketed,
    over: Window,
) -> Iterator[SeriesGroup]:
    """The whole first, with empty columns where nothing was measured; then the parts that have any value."""
    side, kind = _SIDES[stream]
    empty: Columns = {m.column: [None] * over.buckets for m in measures(stream)}
    everything = tuple(sources[source_id] for source_id in sorted({one.source_id for one in stamped}))
    yield SeriesGroup(side, "whole", whole, everything, _columns(stream, found.columns.get(None, empty)))
    for one in stamped:
        if one.entity.id in found.columns:
            columns = _columns(stream, found.columns[one.entity.id])
            part = Ref(kind, one.entity.id, one.name)
            yield SeriesGroup(side, "part", part, (sources[one.source_id],), columns)


def _columns(stream: Stream, columns: Columns) -> tuple[SeriesColumn, ...]:
    codes = [code for code in columns.get("precision", ()) if code is not None]
    precision = Precision(int(max(codes))) if codes else None
    shown = (m for m in measures(stream) if m.kind is not Kind.CODE)
    return tuple(_column(stream, m, precision, columns[m.column]) for m in shown)


def _column(stream: Stream, m: Measure, precision: Precision | None, values: list[float | None]) -> SeriesColumn:
    name, unit = _name_and_unit(m)
    return SeriesColumn(
        name=name,
        unit=unit,
        direction=_direction(m.column),
        counter=counter_name(stream, m.column, precision),
        precision=step_us(stream, m.column, precision),
        values=values,
    )


def _name_and_unit(m: Measure) -> tuple[str, Unit]:
    if m.column.endswith("_ops"):
        return f"{m.column.removesuffix('_ops')}_iops", "ops/s"
    if m.column.endswith("_bytes"):
        return f"{m.column}_per_s", "bytes/s"
    return m.column, _RANGES[m.kind]


def _direction(column: str) -> Direction | None:
    directions: tuple[Direction, ...] = ("mirrored_write", "read", "write")
    return next((direction for direction in directions if column.startswith(f"{direction}_")), None)
