"""The newest numbers of things, as both sides tell them: sums over the last minute that is stored of each source."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.entities import ENTITY_TABLES
from gavel.db.queries.members import MEMBERS, relation
from gavel.db.queries.rows import RefKind, Sides
from gavel.domain.samples import Precision
from gavel.domain.source import Stream

# The minute before each source's watermark. What is older than this is not "newest" any more: the numbers are then null.
_STALE = timedelta(minutes=5)
_STEP_US = {Precision.MICROSECOND: 1, Precision.MILLISECOND: 1000, Precision.ESXTOP: 1}

_NOTHING = Sides(None, None, None, None, None, None, None, None, None)

# Per stream: the directions whose operations add up, and the latencies wanted, each as an expression in a direction `{d}`.
_DIRECTIONS: Mapping[Stream, tuple[str, ...]] = {
    Stream.HOST_DEVICE: ("read", "write"),
    Stream.VM_DISK: ("read", "write"),
    Stream.ARRAY_VOLUME: ("read", "write", "mirrored_write"),
    Stream.ARRAY_DIRECTORY: ("read", "write"),
}
# Before REST 2.49 there is no scheduling time, and its absence adds nothing.
_INTERNAL = "s.{d}_service_us + s.{d}_queue_us + s.{d}_qos_us + coalesce(s.{d}_qos_sched_us, 0)"
_LATENCIES: Mapping[Stream, Mapping[str, str]] = {
    Stream.HOST_DEVICE: {name: f"s.{{d}}_{name}_us" for name in ("gavg", "davg", "kavg")},
    Stream.VM_DISK: {"gavg": "coalesce(s.{d}_latency_us, s.{d}_total_latency_us)"},
    Stream.ARRAY_VOLUME: {"internal": _INTERNAL, "san": "s.{d}_san_us"},
    # A directory has one time and no SAN part.
    Stream.ARRAY_DIRECTORY: {"internal": "s.{d}_usec_us"},
}
_ARRAY = frozenset({Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY})
# NFS has no devices, and the devices of vVols are shared by all of them: these are told by their virtual disks.
_BY_DISKS = "SELECT id FROM datastore WHERE type IN ('nfs', 'vvol')"


def newest_sides(connection: Connection, subject: RefKind, ids: Sequence[int], now: datetime) -> dict[int, Sides]:
    """By id; every one of `ids` is there."""
    found = dict.fromkeys(ids, _NOTHING)
    for stream in _LATENCIES:
        if (subject, stream) not in MEMBERS or (subject is RefKind.VM and stream is Stream.HOST_DEVICE):
            continue
        for row in _sums(connection, subject, stream, ids, now):
            found[row["subject_id"]] = _with_side(found[row["subject_id"]], stream, row)
    return found


def _with_side(sides: Sides, stream: Stream, row: RowMapping) -> Sides:
    at = max(row["at"], sides.at) if sides.at else row["at"]
    if stream in _ARRAY:
        return replace(
            sides,
            at=at,
            array_iops=row["iops"],
            array_internal_us=row["internal"],
            array_san_us=row.get("san"),
        )
    step = None if row["precision"] is None else _STEP_US[Precision(row["precision"])]
    return replace(
        sides,
        at=at,
        host_iops=row["iops"],
        host_gavg_us=row["gavg"],
        host_davg_us=row.get("davg"),
        host_kavg_us=row.get("kavg"),
        host_precision_us=step,
    )


def _sums(
    connection: Connection, subject: RefKind, stream: Stream, ids: Sequence[int], now: datetime
) -> Sequence[RowMapping]:
    query = (
        f"WITH member AS ({_of_this_side(subject, stream)}), newest AS ({_newest(stream)})"
        f" SELECT m.subject_id, max(n.at) AS at, sum(n.iops) AS iops, max(n.precision) AS precision, {_means(stream)}"
        " FROM member m JOIN newest n USING (entity_id) GROUP BY 1"
    )
    parameters = {"ids": list(ids), "stream": stream, "floor": now - _STALE}
    return connection.execute(text(query), parameters).mappings().all()


def _of_this_side(subject: RefKind, stream: Stream) -> str:
    pairs = relation(subject, stream)
    if subject is not RefKind.DATASTORE or stream in _ARRAY:
        return pairs
    return f"{pairs} AND subject_id {'IN' if stream is Stream.VM_DISK else 'NOT IN'} ({_BY_DISKS})"


def _newest(stream: Stream) -> str:
    """Per entity: operations per second, and Σ µs·ops and Σ ops of every latency, over the last minute before its watermark."""
    ops = " + ".join(f"s.{direction}_ops" for direction in _DIRECTIONS[stream])
    precision = "NULL::int" if stream in _ARRAY else "max(s.precision)"
    sums = ", ".join(
        f"{_weighted(stream, latency)} AS {name}_sum, {_weights(stream, latency)} AS {name}_ops"
        for name, latency in _LATENCIES[stream].items()
    )
    return (
        f"SELECT s.entity_id, max(s.ts) AS at, {precision} AS precision,"
        f" sum({ops})::float8 / nullif(sum(s.interval_s) FILTER (WHERE {ops} IS NOT NULL), 0) AS iops, {sums}"
        f" FROM {stream}_sample s JOIN {ENTITY_TABLES[stream].name} e ON e.id = s.entity_id"
        " JOIN watermark w ON w.source_id = e.source_id AND w.stream = :stream"
        " WHERE s.entity_id IN (SELECT entity_id FROM member) AND s.ts > :floor AND s.ts > w.until_at - INTERVAL '1 minute'"
        " GROUP BY s.entity_id"
    )


def _weighted(stream: Stream, latency: str) -> str:
    terms = (f"coalesce(({latency.format(d=d)})::float8 * s.{d}_ops, 0)" for d in _DIRECTIONS[stream])
    return f"sum({' + '.join(terms)})"


def _weights(stream: Stream, latency: str) -> str:
    terms = (
        f"CASE WHEN ({latency.format(d=d)}) IS NULL THEN 0 ELSE coalesce(s.{d}_ops, 0) END" for d in _DIRECTIONS[stream]
    )
    return f"sum({' + '.join(terms)})"


def _means(stream: Stream) -> str:
    return ", ".join(
        f"sum(n.{name}_sum) / nullif(sum(n.{name}_ops), 0)::float8 AS {name}" for name in _LATENCIES[stream]
    )
