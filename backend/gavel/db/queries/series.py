"""Raw numbers of both sides over time: columnar, in shared buckets, null where nothing was measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.queries.buckets import Bucketed, BucketWindow, Columns, Entity, Resolution, bucketed, window
from gavel.db.queries.counters import counter_name, step_us
from gavel.db.queries.members import MEMBERS, members
from gavel.db.queries.refs import refs, require
from gavel.db.queries.rows import EntityRef, RefKind
from gavel.db.series.measures import ColumnKind, SampleColumn, measures
from gavel.domain.samples import Precision
from gavel.domain.source import Stream

Unit = Literal["µs", "ops/s", "bytes/s", "I/Os", "count"]
Side = Literal["array", "host"]
# Where on an I/O's path it was measured: hosts time their devices and, further out, the virtual disks.
Level = Literal["array", "host", "disk"]
Direction = Literal["read", "write", "mirrored_write"]


@dataclass(frozen=True, slots=True)
class SeriesColumn:
    """One line of a chart: latencies are op-weighted means of the bucket, rates are means over the time that was measured.

    name: as in `COLUMNS`, with `_iops` for `_ops` and `_bytes_per_s` for `_bytes`; quantity: the same without its direction.
    counter: the source's own name of it.
    precision: the coarsest step of the source's number in `unit`, over the range. values: as long as `times_ms`.
    """

    name: str
    quantity: str
    unit: Unit
    direction: Direction | None
    counter: str
    precision: float | None
    values: list[float | None]


@dataclass(frozen=True, slots=True)
class SeriesGroup:
    """Columns of one thing on one side. scope `whole`: all devices, disks or volumes behind `entity` together.

    owner: the host of a device, the VM of a disk, whose name stands before own_name in the entity's; None of what is told by its own alone.
    """

    side: Side
    level: Level
    scope: Literal["whole", "part"]
    entity: EntityRef
    owner: EntityRef | None
    own_name: str
    sources: tuple[EntityRef, ...]
    columns: tuple[SeriesColumn, ...]


@dataclass(frozen=True, slots=True)
class BucketedSeries:
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
    """An entity with its source, and whose it is: a device its host's, a disk its VM's."""

    entity: Entity
    source_id: int
    owner: EntityRef | None
    own_name: str

    @property
    def name(self) -> str:
        """What tells it from its like."""
        return self.own_name if self.owner is None else f"{self.owner.name} {self.own_name}"


_SIDES: Mapping[Stream, tuple[Side, Level, RefKind]] = {
    Stream.HOST_DEVICE: ("host", "host", RefKind.DEVICE),
    Stream.VM_DISK: ("host", "disk", RefKind.VM_DISK),
    Stream.ARRAY_VOLUME: ("array", "array", RefKind.VOLUME),
    Stream.ARRAY_DIRECTORY: ("array", "array", RefKind.DIRECTORY),
}
_OWNERS = {Stream.HOST_DEVICE: RefKind.HOST, Stream.VM_DISK: RefKind.VM}
_OF_ITSELF = "NULL::text AS subject, NULL::int AS owner_id, NULL::text AS owner"
# `subject`: the ESXi host whose clock stamps the samples; arrays stamp their own.
_ENTITIES = {
    Stream.HOST_DEVICE: (
        "SELECT d.id, d.source_id, h.key AS subject, h.id AS owner_id, h.name AS owner, d.canonical_name AS name"
        " FROM host_device d JOIN esxi_host h ON h.id = d.host_id"
    ),
    Stream.VM_DISK: (
        "SELECT k.id, k.source_id, h.key AS subject, m.id AS owner_id, m.name AS owner, k.label AS name"
        " FROM vm_disk k JOIN vm m ON m.id = k.vm_id LEFT JOIN esxi_host h ON h.id = m.host_id"
    ),
    Stream.ARRAY_VOLUME: f"SELECT id, source_id, {_OF_ITSELF}, name FROM volume",
    Stream.ARRAY_DIRECTORY: f"SELECT id, source_id, {_OF_ITSELF}, name FROM array_directory",
}
# The reading nearest before the end of the range, else the first after it.
_CLOCKS = """
    SELECT DISTINCT ON (source_id, subject) source_id, subject, offset_s FROM clock_offset
    WHERE source_id = ANY(:source_ids)
    ORDER BY source_id, subject, read_at > :at, abs(extract(epoch FROM read_at - :at))
"""
_RANGES: Mapping[ColumnKind, Unit] = {ColumnKind.TIME: "µs", ColumnKind.LEVEL: "I/Os", ColumnKind.COUNT: "count"}


def series(
    connection: Connection,
    subject: RefKind,
    subject_id: int,
    from_at: datetime,
    to_at: datetime,
    *,
    points: int = 700,
    parts: bool = False,
) -> BucketedSeries:
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
    return BucketedSeries(
        from_at=over.from_at,
        to_at=over.to_at,
        step_s=round(over.step.total_seconds()),
        resolution=next((r for r in ("1h", "5m") if r in resolutions), "raw"),
        times_ms=over.times_ms,
        groups=tuple(groups),
    )


def _stamped(
    connection: Connection, subject: RefKind, subject_id: int, window: BucketWindow
) -> Mapping[Stream, Sequence[_Stamped]]:
    """Of the streams that it has any entity in."""
    found = {stream: rows for stream in _SIDES if (rows := _entities(connection, subject, subject_id, stream))}
    offsets = _offsets(connection, {row.source_id for rows in found.values() for row in rows}, window.to_at)

    def stamp(stream: Stream, row: Row[Any]) -> _Stamped:
        owner = None if row.owner_id is None else EntityRef(_OWNERS[stream], row.owner_id, row.owner)
        return _Stamped(Entity(row.id, _shift(offsets, row.source_id, row.subject)), row.source_id, owner, row.name)

    return {stream: [stamp(stream, row) for row in rows] for stream, rows in found.items()}


def _entities(connection: Connection, subject: RefKind, subject_id: int, stream: Stream) -> Sequence[Row[Any]]:
    if (subject, stream) not in MEMBERS:
        return ()
    ids = members(connection, subject, stream, [subject_id]).get(subject_id, [])
    if not ids:
        return ()
    query = f"SELECT * FROM ({_ENTITIES[stream]}) e WHERE id = ANY(:ids) ORDER BY owner, name, id"
    return connection.execute(text(query), {"ids": ids}).all()


_Offsets: TypeAlias = Mapping[tuple[int, str | None], float]


def _shift(offsets: _Offsets, source_id: int, subject: str | None) -> float:
    """Of the host's own clock where it was read, else of the source's."""
    return offsets.get((source_id, subject), offsets.get((source_id, None), 0.0))


def _offsets(connection: Connection, source_ids: set[int], at: datetime) -> _Offsets:
    rows = connection.execute(text(_CLOCKS), {"source_ids": sorted(source_ids), "at": at})
    return {(row.source_id, row.subject): row.offset_s for row in rows}


def _groups(
    sources: Mapping[int, EntityRef],
    stream: Stream,
    whole: EntityRef,
    stamped: Sequence[_Stamped],
    bucketed_rows: Bucketed,
    window: BucketWindow,
) -> Iterator[SeriesGroup]:
    """The whole first, with empty columns where nothing was measured; then the parts that have any value."""
    side, level, kind = _SIDES[stream]
    empty: Columns = {m.column: [None] * window.buckets for m in measures(stream)}
    everything = tuple(sources[source_id] for source_id in sorted({one.source_id for one in stamped}))
    together = _columns(stream, bucketed_rows.columns.get(None, empty))
    yield SeriesGroup(side, level, "whole", whole, None, whole.name, everything, together)
    for one in stamped:
        if one.entity.id in bucketed_rows.columns:
            columns = _columns(stream, bucketed_rows.columns[one.entity.id])
            part = EntityRef(kind, one.entity.id, one.name)
            yield SeriesGroup(side, level, "part", part, one.owner, one.own_name, (sources[one.source_id],), columns)


def _columns(stream: Stream, columns: Columns) -> tuple[SeriesColumn, ...]:
    codes = [code for code in columns.get("precision", ()) if code is not None]
    precision = Precision(int(max(codes))) if codes else None
    shown = (m for m in measures(stream) if m.kind is not ColumnKind.CODE)
    return tuple(_column(stream, m, precision, columns[m.column]) for m in shown)


def _column(stream: Stream, m: SampleColumn, precision: Precision | None, values: list[float | None]) -> SeriesColumn:
    name, unit = _name_and_unit(m)
    direction = _direction(m.column)
    return SeriesColumn(
        name=name,
        quantity=name if direction is None else name.removeprefix(f"{direction}_"),
        unit=unit,
        direction=direction,
        counter=counter_name(stream, m.column, precision),
        precision=step_us(stream, m.column, precision),
        values=values,
    )


def _name_and_unit(m: SampleColumn) -> tuple[str, Unit]:
    if m.column.endswith("_ops"):
        return f"{m.column.removesuffix('_ops')}_iops", "ops/s"
    if m.column.endswith("_bytes"):
        return f"{m.column}_per_s", "bytes/s"
    return m.column, _RANGES[m.kind]


def _direction(column: str) -> Direction | None:
    directions: tuple[Direction, ...] = ("mirrored_write", "read", "write")
    return next((direction for direction in directions if column.startswith(f"{direction}_")), None)
