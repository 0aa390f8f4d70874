"""Counters of one array as a whole and of its target ports over time, in shared buckets."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.buckets import Bucketed, BucketWindow, Columns, Entity, bucketed, window
from gavel.db.queries.refs import EntityRef, RefKind, require
from gavel.db.queries.series import BucketedSeries, SeriesGroup, series_columns
from gavel.db.series import modes
from gavel.domain.retention import Grain
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF

# The array first. `shift_s`: how far its clock was ahead of Gavel's, by the reading nearest before the end of the range, else the first
# after it.
_PARTS = """
    SELECT s.id AS source_id, s.name AS source, p.*, coalesce((
        SELECT o.offset_s FROM clock_offset o WHERE o.source_id = a.source_id AND o.subject IS NULL
        ORDER BY o.read_at > :at, abs(extract(epoch FROM o.read_at - :at)) LIMIT 1), 0) AS shift_s
    FROM storage_array a JOIN source s ON s.id = a.source_id, LATERAL (
        SELECT NULL::int AS port_id, NULL::text AS port, NULL::bigint AS line_rate
        UNION ALL SELECT r.id, r.key, r.line_rate_bytes_per_s FROM array_port r WHERE r.source_id = a.source_id AND r.present) p
    WHERE a.id = :id ORDER BY p.port_id IS NOT NULL, p.port, p.port_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortSeries:
    """A target port. line_rate_bytes_per_s: what its link carries one way at most; None: the array does not say.

    Bytes per second, means over the bucket; errors of the bucket, counted. As long as the times; None: not measured.
    """

    id: int
    name: str
    line_rate_bytes_per_s: int | None
    received_bytes_per_s: list[float | None]
    transmitted_bytes_per_s: list[float | None]
    crc_errors: list[float | None]
    errors: list[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySeries:
    """`whole`: one group, of all I/O of the array as it counts it. ports: by name.

    ports_kept_from_at: samples of ports from then on are all there; they are kept as they come and have no sums for longer ranges.
    ports_keep: how long they stay.
    """

    whole: BucketedSeries
    ports: tuple[PortSeries, ...]
    ports_kept_from_at: datetime
    ports_keep: timedelta


def array_series(
    connection: Connection, array_id: int, from_at: datetime, to_at: datetime, *, points: int
) -> ArraySeries:
    """Over [from_at, to_at), in at most `points` buckets. Raises NotFoundError, and ValueError for an empty or too long range."""
    array = require(connection, RefKind.ARRAY, array_id)
    storage = modes.storage(connection)
    grid = window(connection, from_at, to_at, points, storage)
    first, *ports = connection.execute(text(_PARTS), {"id": array_id, "at": grid.to_at}).all()
    entities = {Stream.ARRAY_WIDE: [Entity(array_id, first.shift_s)]}
    if ports:
        entities[Stream.ARRAY_PORT] = [Entity(row.port_id, row.shift_s) for row in ports]
    found = bucketed(connection, entities, grid, parts=True)
    source = EntityRef(RefKind.SOURCE, first.source_id, first.source)
    return ArraySeries(
        whole=_whole(array, source, found[Stream.ARRAY_WIDE], grid),
        ports=tuple(
            PortSeries(
                id=row.port_id,
                name=row.port,
                line_rate_bytes_per_s=row.line_rate,
                **_of_port(found[Stream.ARRAY_PORT].columns, row.port_id, grid),
            )
            for row in ports
        ),
        ports_kept_from_at=storage.since(Grain.SAMPLES),
        ports_keep=storage.keep(Grain.SAMPLES),
    )


def _whole(array: EntityRef, source: EntityRef, counters: Bucketed, grid: BucketWindow) -> BucketedSeries:
    columns = series_columns(Stream.ARRAY_WIDE, counters.columns.get(None, _empty(Stream.ARRAY_WIDE, grid)))
    return BucketedSeries(
        from_at=grid.from_at,
        to_at=grid.to_at,
        step_s=round(grid.step.total_seconds()),
        resolution=counters.resolution,
        times_ms=grid.times_ms,
        groups=(SeriesGroup("array", "array", "whole", array, None, array.name, (source,), columns),),
    )


def _of_port(
    counters: Mapping[int | None, Columns], port_id: int, grid: BucketWindow
) -> Mapping[str, list[float | None]]:
    columns = counters.get(port_id, _empty(Stream.ARRAY_PORT, grid))
    return {column.quantity: columns[column.name] for column in COLUMNS_OF[Stream.ARRAY_PORT]}


def _empty(stream: Stream, grid: BucketWindow) -> Columns:
    return {column.name: [None] * grid.buckets for column in COLUMNS_OF[stream]}
