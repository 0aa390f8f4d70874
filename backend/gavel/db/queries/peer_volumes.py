"""How all volumes of some arrays fared in a time and in a normal time before it, to tell an array's load from that of one volume."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER, SAMPLES
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import Stream
from gavel.domain.streams import directions_of


@dataclass(frozen=True, slots=True)
class ArrayTime:
    """An array in [from_at, to_at) and in the normal minutes [normal_from_at, normal_to_at) before; None: there are none."""

    subject_id: int
    array_id: int
    from_at: datetime
    to_at: datetime
    normal_from_at: datetime | None
    normal_to_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerVolume:
    """A volume of the array with I/O in the time. us: per I/O inside the array; None: not measured, or no I/O.

    array_queue_us: per I/O in the array's own queue, over all I/O of the array; the same for every volume of it.
    """

    subject_id: int
    array_id: int
    volume: EntityRef
    iops: float
    us: float | None
    normal_iops: float | None
    normal_us: float | None
    array_queue_us: float | None
    array_normal_queue_us: float | None


def _of(name: str, low: str, high: str) -> str:
    within = f"FILTER (WHERE l.ts >= {low} AND l.ts < {high})"
    ops = "coalesce(l.read_ops, 0) + coalesce(l.write_ops, 0)"
    return f"""
        sum({ops}) {within} / nullif(count(DISTINCT l.ts) {within} * 60.0, 0) AS {name}iops,
        sum(l.all_array_time) {within} / nullif(sum(coalesce(l.all_array_ops, {ops})) {within}, 0) AS {name}us
    """


_MINUTES = packed.rows(
    LEDGER,
    ("read_ops", "write_ops", "all_array_time", "all_array_ops"),
    of=f"entity_id = {scope_key(ScopeKind.VOLUME, 0)} + v.id",
)
_DIRECTIONS = directions_of(Stream.ARRAY_WIDE)
_WIDE = packed.rows(
    SAMPLES[Stream.ARRAY_WIDE],
    tuple(f"{direction}_{part}" for direction in _DIRECTIONS for part in ("ops", "queue_us")),
    of="entity_id = a.array_id",
)


def _queue(name: str, low: str, high: str) -> str:
    """Samples are stamped with their end. What was not measured weighs nothing."""
    within = f"FILTER (WHERE w.ts > {low} AND w.ts <= {high})"
    time, ops = (
        " + ".join(f"coalesce({part.format(d=direction)}, 0)" for direction in _DIRECTIONS)
        for part in ("w.{d}_queue_us::float8 * w.{d}_ops", "CASE WHEN w.{d}_queue_us IS NOT NULL THEN w.{d}_ops END")
    )
    return f"sum({time}) {within} / nullif(sum({ops}) {within}, 0) AS {name}"


_PEERS = f"""
    WITH asked AS (SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:arrays AS int[]), CAST(:los AS timestamptz[]),
        CAST(:his AS timestamptz[]), CAST(:normal_los AS timestamptz[]), CAST(:normal_his AS timestamptz[]))
        a (id, array_id, lo, hi, normal_lo, normal_hi)),
    wide AS (
        SELECT a.id AS subject_id, a.array_id, {_queue("array_queue_us", "a.lo", "a.hi")},
            {_queue("array_normal_queue_us", "a.normal_lo", "a.normal_hi")}
        FROM asked a JOIN LATERAL {_WIDE} w ON true GROUP BY 1, 2)
    SELECT * FROM (
        SELECT a.id AS subject_id, a.array_id, v.id AS volume_id, v.name, {_of("", "a.lo", "a.hi")},
            {_of("normal_", "a.normal_lo", "a.normal_hi")}
        FROM asked a JOIN storage_array s ON s.id = a.array_id
        JOIN volume v ON v.source_id = s.source_id AND v.present AND NOT v.is_protocol_endpoint
        JOIN LATERAL {_MINUTES} l ON l.ts < :hi
        GROUP BY 1, 2, 3, 4) q
    LEFT JOIN wide USING (subject_id, array_id)
    WHERE iops > 0 ORDER BY subject_id, array_id, iops DESC, volume_id
"""


def peer_volumes(connection: Connection, times: Sequence[ArrayTime]) -> list[PeerVolume]:
    """By object and array, the busiest first."""
    if not times:
        return []
    edges = [edge for one in times for edge in (one.from_at, one.normal_from_at) if edge is not None]
    parameters = {
        "ids": [one.subject_id for one in times],
        "arrays": [one.array_id for one in times],
        "los": [one.from_at for one in times],
        "his": [one.to_at for one in times],
        "normal_los": [one.normal_from_at for one in times],
        "normal_his": [one.normal_to_at for one in times],
        "lo": min(edges),
        "hi": max(one.to_at for one in times),
    }
    return [
        PeerVolume(
            subject_id=row.subject_id,
            array_id=row.array_id,
            volume=EntityRef(RefKind.VOLUME, row.volume_id, row.name),
            iops=row.iops,
            us=row.us,
            normal_iops=row.normal_iops,
            normal_us=row.normal_us,
            array_queue_us=row.array_queue_us,
            array_normal_queue_us=row.array_normal_queue_us,
        )
        for row in connection.execute(text(_PEERS), parameters)
    ]
