"""Raw numbers of both sides over time: columnar, in shared buckets, null where nothing was measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.queries.buckets import Bucketed, BucketWindow, Columns, Entity, Resolution, bucketed, window
from gavel.db.queries.counters import counter_name, step_us
from gavel.db.queries.members import MEMBERS
from gavel.db.queries.refs import EntityRef, RefKind, require
from gavel.db.series import modes
from gavel.domain.samples import Precision
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, ColumnDirection, ColumnKind, ColumnUnit, SampleColumn

Side = Literal["array", "host"]
# Where on an I/O's path it was measured: hosts time their devices and, further out, the virtual disks; `cpu` is beside the path.
Level = Literal["array", "host", "disk", "cpu"]


@dataclass(frozen=True, slots=True)
class SeriesColumn:
    """One line of a chart: latencies are op-weighted means of the bucket, rates are means over the time that was measured.

    name: the quantity with its direction; words: the quantity in words.
    counter: the source's own name of it.
    precision: the coarsest step of the source's number in `unit`, over the range. values: as long as `times_ms`.
    """

    name: str
    quantity: str
    words: str
    unit: ColumnUnit
    direction: ColumnDirection | None
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
    source: EntityRef
    owner: EntityRef | None
    own_name: str

    @property
    def name(self) -> str:
        """What tells it from its like."""
        return self.own_name if self.owner is None else f"{self.owner.name} {self.own_name}"


_SIDES: Mapping[Stream, tuple[Side, Level, RefKind]] = {
    Stream.HOST_DEVICE: ("host", "host", RefKind.DEVICE),
    Stream.VM_DISK: ("host", "disk", RefKind.VM_DISK),
    Stream.HOST_CPU: ("host", "cpu", RefKind.HOST),
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
    Stream.HOST_CPU: "SELECT id, source_id, key AS subject, NULL::int AS owner_id, NULL::text AS owner, name FROM esxi_host",
    Stream.ARRAY_VOLUME: f"SELECT id, source_id, {_OF_ITSELF}, name FROM volume",
    Stream.ARRAY_DIRECTORY: f"SELECT id, source_id, {_OF_ITSELF}, name FROM array_directory",
}
# With the newest reading of its clock before the end of the range, else the first after it: of the host's own clock where that was read,
# else of the source's. Each is looked up by itself: two weeks of readings are kept.
_NEAREST = """
    SELECT x.*, coalesce((
            SELECT o.offset_s FROM clock_offset o
            WHERE o.source_id = x.source_id AND {subject} AND o.read_at <= :at ORDER BY o.read_at DESC LIMIT 1), (
            SELECT o.offset_s FROM clock_offset o
            WHERE o.source_id = x.source_id AND {subject} AND o.read_at > :at ORDER BY o.read_at LIMIT 1)) AS offset_s
    FROM (SELECT DISTINCT {columns} FROM entity) x
"""
_STAMPED = f"""
    WITH entity AS ({{entities}})
    SELECT e.*, s.name AS source, coalesce(host.offset_s, whole.offset_s, 0) AS shift_s
    FROM entity e JOIN source s ON s.id = e.source_id
    LEFT JOIN ({_NEAREST.format(columns="source_id, subject", subject="o.subject = x.subject")}) host
        ON host.source_id = e.source_id AND host.subject = e.subject
    LEFT JOIN ({_NEAREST.format(columns="source_id", subject="o.subject IS NULL")}) whole ON whole.source_id = e.source_id
    ORDER BY owner, name, id
"""


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
    storage = modes.storage(connection)
    return series_of(connection, whole, from_at, to_at, storage, points=points, parts=parts)


def series_of(
    connection: Connection,
    whole: EntityRef,
    from_at: datetime,
    to_at: datetime,
    storage: modes.Storage,
    *,
    points: int,
    parts: bool = False,
) -> BucketedSeries:
    """The same of an object that was looked up before. Raises ValueError as `series` does."""
    over = window(connection, from_at, to_at, points, storage)
    by_stream = _stamped(connection, whole, over.to_at)
    entities = {stream: [one.entity for one in stamped] for stream, stamped in by_stream.items()}
    found = bucketed(connection, entities, over, parts=parts)
    resolutions = {one.resolution for one in found.values()}
    return BucketedSeries(
        from_at=over.from_at,
        to_at=over.to_at,
        step_s=round(over.step.total_seconds()),
        resolution=next((r for r in ("1h", "5m") if r in resolutions), "raw"),
        times_ms=over.times_ms,
        groups=tuple(
            group
            for stream, stamped in by_stream.items()
            for group in _groups(stream, whole, stamped, found[stream], over)
        ),
    )


def _stamped(connection: Connection, whole: EntityRef, at: datetime) -> Mapping[Stream, Sequence[_Stamped]]:
    """Of the streams that it has any entity in."""
    streams = [stream for stream in _SIDES if (whole.kind, stream) in MEMBERS]
    # Ids first, as an array that is computed once: a join would map the whole environment.
    entities = " UNION ALL ".join(
        f"SELECT '{stream}' AS stream, e.* FROM ({_ENTITIES[stream]}) e"
        f" WHERE e.id = ANY(ARRAY(SELECT entity_id FROM ({MEMBERS[whole.kind, stream]}) m WHERE subject_id = :id))"
        for stream in streams
    )
    rows = connection.execute(text(_STAMPED.format(entities=entities)), {"id": whole.id, "at": at}).all()
    found = {stream: [_of_row(stream, row) for row in rows if row.stream == stream] for stream in streams}
    return {stream: stamped for stream, stamped in found.items() if stamped}


def _of_row(stream: Stream, row: Row[Any]) -> _Stamped:
    owner = None if row.owner_id is None else EntityRef(_OWNERS[stream], row.owner_id, row.owner)
    source = EntityRef(RefKind.SOURCE, row.source_id, row.source)
    return _Stamped(Entity(row.id, row.shift_s), source, owner, row.name)


def _groups(
    stream: Stream,
    whole: EntityRef,
    stamped: Sequence[_Stamped],
    bucketed_rows: Bucketed,
    window: BucketWindow,
) -> Iterator[SeriesGroup]:
    """The whole first, with empty columns where nothing was measured; then the parts that have any value."""
    side, level, kind = _SIDES[stream]
    empty: Columns = {column.name: [None] * window.buckets for column in COLUMNS_OF[stream]}
    everything = tuple(sorted({one.source for one in stamped}, key=lambda source: source.id))
    together = series_columns(stream, bucketed_rows.columns.get(None, empty))
    yield SeriesGroup(side, level, "whole", whole, None, whole.name, everything, together)
    for one in () if level == "cpu" else stamped:
        if one.entity.id in bucketed_rows.columns:
            columns = series_columns(stream, bucketed_rows.columns[one.entity.id])
            part = EntityRef(kind, one.entity.id, one.name)
            yield SeriesGroup(side, level, "part", part, one.owner, one.own_name, (one.source,), columns)


def series_columns(stream: Stream, columns: Columns) -> tuple[SeriesColumn, ...]:
    """All columns of a stream but for codes, as charts show them."""
    codes = [code for code in columns.get("precision", ()) if code is not None]
    precision = Precision(int(max(codes))) if codes else None
    shown = (column for column in COLUMNS_OF[stream] if column.kind is not ColumnKind.CODE)
    return tuple(_column(stream, column, precision, columns[column.name]) for column in shown)


def _column(
    stream: Stream, column: SampleColumn, precision: Precision | None, values: list[float | None]
) -> SeriesColumn:
    return SeriesColumn(
        name=column.shown_name,
        quantity=column.quantity,
        words=column.label,
        unit=column.unit,
        direction=column.direction,
        counter=counter_name(column, precision),
        precision=step_us(stream, column, precision),
        values=values,
    )
