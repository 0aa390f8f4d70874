"""The newest values of objects, as both sides report them: sums over the last minute that is stored of all sources."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.queries.members import DATASTORE_DIRECTORY, MEMBERS, relation
from gavel.db.queries.refs import RefKind
from gavel.db.write.entities import ENTITY_TABLES
from gavel.domain.samples import STEP_US, Precision
from gavel.domain.source import OF_ARRAYS, Stream
from gavel.domain.streams import directions_of


@dataclass(frozen=True, slots=True)
class NewestSides:
    """The newest complete minute as both sides report it. Null is "not measured"; latencies are op-weighted means in µs.

    `array_*`: volumes and files together (files have no SAN part); `host_*` of an array: devices, and the virtual disks on its files.
    Those of a VM are its virtual disks': `host_gavg_us` is then their latency, and DAVG and KAVG are null.
    `array_read_us`, `array_write_us`: `array_internal_us` of reads and of writes by hosts alone.
    """

    at: datetime | None
    host_iops: float | None
    host_gavg_us: float | None
    host_davg_us: float | None
    host_kavg_us: float | None
    host_precision_us: int | None
    array_iops: float | None
    array_internal_us: float | None
    array_san_us: float | None
    array_read_us: float | None
    array_write_us: float | None


@dataclass(frozen=True, slots=True)
class VolumeParts:
    """What `array_internal_us` consists of, over all operations of the newest minute; `mirrored_write_us`: all of it of mirrored writes."""

    service_us: float | None
    queue_us: float | None
    qos_us: float | None
    mirrored_write_us: float | None


@dataclass(frozen=True, slots=True)
class DeviceNumbers:
    """The newest minute of a device, as its host counts it.

    `in_flight_ios`: operations per second × DAVG, null where that is counted in whole ms.
    `depth_in_force`: the largest that the host reported in that minute; null where it reports none.
    """

    iops: float | None
    gavg_us: float | None
    precision_us: int | None
    in_flight_ios: float | None
    depth_in_force: int | None


# What is older than this is not "newest" any more: the numbers are then null.
STALE = timedelta(minutes=5)
# Both sides are told of the same minute, the last one that every source has been read to; a source that is later than the others by
# more than this is told of a minute of its own, and holds nobody back.
_TOGETHER = timedelta(minutes=2)
_COMMON = """
    SELECT min(until_at) FROM watermark WHERE stream = ANY(:streams) AND until_at >
        (SELECT max(until_at) FROM watermark WHERE stream = ANY(:streams)) - CAST(:together AS interval)
"""

# The latencies wanted of each stream, each as an expression in a direction `{d}`.
# Before REST 2.49 there is no scheduling time, and its absence adds nothing.
_INTERNAL = "s.{d}_service_us + s.{d}_queue_us + s.{d}_qos_us + coalesce(s.{d}_qos_sched_us, 0)"
_DIRECTORY = "s.{d}_usec_us"


def _split(latency: str) -> dict[str, str]:
    """The same time of reads and of writes alone: of the other directions it is NULL, and NULL weighs nothing."""
    return {f"internal_{one}": f"CASE WHEN '{{d}}' = '{one}' THEN {latency} END" for one in ("read", "write")}


_LATENCIES: Mapping[Stream, Mapping[str, str]] = {
    Stream.HOST_DEVICE: {name: f"s.{{d}}_{name}_us" for name in ("gavg", "davg", "kavg")},
    Stream.VM_DISK: {"gavg": "coalesce(s.{d}_latency_us, s.{d}_total_latency_us)"},
    Stream.ARRAY_VOLUME: {"internal": _INTERNAL, "san": "s.{d}_san_us"} | _split(_INTERNAL),
    # A directory has one time and no SAN part.
    Stream.ARRAY_DIRECTORY: {"internal": _DIRECTORY} | _split(_DIRECTORY),
}
# NFS has no devices (but for the volumes of captures), and the devices of vVols are shared by all of them: these are told by their virtual
# disks.
_BY_DISKS = (
    "SELECT id FROM datastore n WHERE type IN ('nfs', 'vvol')"
    " AND NOT EXISTS (SELECT FROM datastore_extent x WHERE x.datastore_id = n.id)"
)
# What hosts do on an array's files: it is on no device of theirs.
_FILES_OF_ARRAY = f"""
    SELECT DISTINCT a.id AS subject_id, k.id AS entity_id FROM storage_array a
    JOIN array_directory d ON d.source_id = a.source_id AND d.present
    JOIN ({DATASTORE_DIRECTORY}) s ON s.entity_id = d.id
    JOIN vm_disk k ON k.datastore_id = s.subject_id AND k.present AND k.device_name IS NULL
    WHERE a.id = ANY(:ids)
"""


@dataclass(frozen=True, slots=True)
class NewestMinute:
    """Which samples are the newest: after `floor` and up to `common`, the end of the last minute that both sides have, None before anything
    was read."""

    floor: datetime
    common: datetime | None


def newest_minute(connection: Connection, now: datetime) -> NewestMinute:
    """Looked up once for all that is shown beside each other."""
    common: datetime | None = connection.scalar(text(_COMMON), {"streams": list(_LATENCIES), "together": _TOGETHER})
    return NewestMinute(now - STALE, common)


def newest_sides(
    connection: Connection,
    subject: RefKind,
    ids: Sequence[int],
    minute: NewestMinute,
    streams: Iterable[Stream] = tuple(_LATENCIES),
) -> dict[int, NewestSides]:
    """By id; every one of `ids` is there. A thing with volumes and files, or with devices and NFS disks, has both in one number.

    streams: those that the things may have objects in.
    """
    found: dict[int, tuple[_Side, _Side]] = {one: (_Side(), _Side()) for one in ids}
    for stream in streams:
        members = _of_this_side(subject, stream)
        if members is None:
            continue
        for row in _sums(connection, members, stream, ids, minute):
            host, array = found[row["subject_id"]]
            (array if stream in OF_ARRAYS else host).add(stream, row)
    return {one: _sides(host, array) for one, (host, array) in found.items()}


@dataclass(slots=True)
class _Side:
    """Sums of all streams of one side. times: Σ µs·ops and Σ ops of each latency; None and absent where nothing was measured."""

    at: datetime | None = None
    iops: float | None = None
    precision_us: int | None = None
    times: dict[str, tuple[float, float]] = field(default_factory=dict)

    def add(self, stream: Stream, row: RowMapping) -> None:
        self.at = row["at"] if self.at is None else max(self.at, row["at"])
        if row["iops"] is not None:
            self.iops = (self.iops or 0.0) + row["iops"]
        if row["precision"] is not None:
            self.precision_us = max(self.precision_us or 0, STEP_US[Precision(row["precision"])])
        for name in _LATENCIES[stream]:
            time, ops = self.times.get(name, (0.0, 0.0))
            self.times[name] = time + float(row[f"{name}_sum"] or 0), ops + float(row[f"{name}_ops"] or 0)

    def mean(self, name: str) -> float | None:
        time, ops = self.times.get(name, (0.0, 0.0))
        return time / ops if ops > 0 else None


def _sides(host: _Side, array: _Side) -> NewestSides:
    return NewestSides(
        at=max((side.at for side in (host, array) if side.at is not None), default=None),
        host_iops=host.iops,
        host_gavg_us=host.mean("gavg"),
        host_davg_us=host.mean("davg"),
        host_kavg_us=host.mean("kavg"),
        host_precision_us=host.precision_us,
        array_iops=array.iops,
        array_internal_us=array.mean("internal"),
        array_san_us=array.mean("san"),
        array_read_us=array.mean("internal_read"),
        array_write_us=array.mean("internal_write"),
    )


def _sums(
    connection: Connection, members: str, stream: Stream, ids: Sequence[int], minute: NewestMinute
) -> Sequence[RowMapping]:
    query = (
        f"WITH member AS ({members}), newest AS ({_newest(stream)})"
        f" SELECT m.subject_id, max(n.at) AS at, sum(n.iops) AS iops, max(n.precision) AS precision, {_totals(stream)}"
        " FROM member m JOIN newest n USING (entity_id) GROUP BY 1"
    )
    parameters = {"ids": list(ids), "stream": stream, "floor": minute.floor, "common": minute.common}
    return connection.execute(text(query), parameters).mappings().all()


def _of_this_side(subject: RefKind, stream: Stream) -> str | None:
    """(subject_id, entity_id) in SQL; None where the stream has no such objects, or another stream has them."""
    if subject is RefKind.ARRAY and stream is Stream.VM_DISK:
        return _FILES_OF_ARRAY
    if (subject, stream) not in MEMBERS or (subject is RefKind.VM and stream is Stream.HOST_DEVICE):
        return None
    pairs = relation(subject, stream)
    if subject is not RefKind.DATASTORE or stream in OF_ARRAYS:
        return pairs
    return f"{pairs} AND subject_id {'IN' if stream is Stream.VM_DISK else 'NOT IN'} ({_BY_DISKS})"


def _newest(stream: Stream) -> str:
    """Per entity: operations per second, and Σ µs·ops and Σ ops of every latency, over the last minute before `common` or its watermark."""
    ops = " + ".join(f"s.{direction}_ops" for direction in directions_of(stream))
    precision = "NULL::int" if stream in OF_ARRAYS else "max(s.precision)"
    sums = ", ".join(
        f"{weighted(latency, directions_of(stream))} AS {name}_sum, {weights(latency, directions_of(stream))} AS {name}_ops"
        for name, latency in _LATENCIES[stream].items()
    )
    return (
        f"SELECT s.entity_id, max(s.ts) AS at, {precision} AS precision,"
        f" sum({ops})::float8 / nullif(sum(s.interval_s) FILTER (WHERE {ops} IS NOT NULL), 0) AS iops, {sums}"
        f" FROM {stream}_sample s JOIN {ENTITY_TABLES[stream].name} e ON e.id = s.entity_id"
        " JOIN watermark w ON w.source_id = e.source_id AND w.stream = :stream"
        " WHERE s.entity_id IN (SELECT entity_id FROM member) AND s.ts > :floor AND s.ts <= :common"
        " AND s.ts > least(w.until_at, :common) - INTERVAL '1 minute'"
        " GROUP BY s.entity_id"
    )


def weighted(latency: str, directions: Sequence[str]) -> str:
    """Σ µs·ops in SQL, of an expression in a direction `{d}`."""
    terms = (f"coalesce(({latency.format(d=d)})::float8 * s.{d}_ops, 0)" for d in directions)
    return f"sum({' + '.join(terms)})"


def weights(latency: str, directions: Sequence[str]) -> str:
    """Σ ops in SQL: those of which the latency was measured."""
    terms = (f"CASE WHEN ({latency.format(d=d)}) IS NULL THEN 0 ELSE coalesce(s.{d}_ops, 0) END" for d in directions)
    return f"sum({' + '.join(terms)})"


def _totals(stream: Stream) -> str:
    return ", ".join(f"sum(n.{name}_{part}) AS {name}_{part}" for name in _LATENCIES[stream] for part in ("sum", "ops"))


# Each of `:ids` over its last minute before `:common` or its source's watermark.
_FROM = """
    FROM {stream}_sample s JOIN {table} e ON e.id = s.entity_id
    JOIN watermark w ON w.source_id = e.source_id AND w.stream = '{stream}'
    WHERE s.entity_id = ANY(CAST(:ids AS int[])) AND s.ts > :floor AND s.ts <= :common
        AND s.ts > least(w.until_at, :common) - INTERVAL '1 minute'
    GROUP BY s.entity_id
"""


def _mean(latency: str, directions: Sequence[str]) -> str:
    """Over the operations of which it was measured."""
    return f"{weighted(latency, directions)} / nullif({weights(latency, directions)}, 0)"


_HOST = ("read", "write")
_DEVICES = f"""
    SELECT s.entity_id, max(s.precision) AS precision, max(nullif(s.queue_depth, 0)) AS depth,
        sum(s.read_ops + s.write_ops)::float8 / nullif(sum(s.interval_s) FILTER (WHERE s.read_ops + s.write_ops IS NOT NULL), 0) AS iops,
        {_mean("s.{d}_gavg_us", _HOST)} AS gavg_us, {_mean("s.{d}_davg_us", _HOST)} AS davg_us
    {_FROM.format(stream="host_device", table="host_device")}
"""
_ALL = ("read", "write", "mirrored_write")
_QOS = "s.{d}_qos_us + coalesce(s.{d}_qos_sched_us, 0)"
_VOLUMES = f"""
    SELECT s.entity_id, {_mean("s.{d}_service_us", _ALL)} AS service_us, {_mean("s.{d}_queue_us", _ALL)} AS queue_us,
        {_mean(_QOS, _ALL)} AS qos_us,
        {_mean("s.{d}_service_us + s.{d}_queue_us + " + _QOS, ("mirrored_write",))} AS mirrored_us
    {_FROM.format(stream="array_volume", table="volume")}
"""
NO_NUMBERS = DeviceNumbers(None, None, None, None, None)
NO_PARTS = VolumeParts(None, None, None, None)


def device_numbers(connection: Connection, ids: Sequence[int], minute: NewestMinute) -> Mapping[int, DeviceNumbers]:
    """By id; devices without a sample are absent."""
    return {
        row.entity_id: DeviceNumbers(
            iops=row.iops,
            gavg_us=row.gavg_us,
            precision_us=None if row.precision is None else STEP_US[Precision(row.precision)],
            in_flight_ios=_in_flight(row.iops, row.davg_us, row.precision),
            depth_in_force=row.depth,
        )
        for row in connection.execute(text(_DEVICES), _parameters(ids, minute))
    }


def volume_parts(connection: Connection, ids: Sequence[int], minute: NewestMinute) -> Mapping[int, VolumeParts]:
    """By id; volumes without a sample are absent."""
    return {
        row.entity_id: VolumeParts(
            service_us=row.service_us, queue_us=row.queue_us, qos_us=row.qos_us, mirrored_write_us=row.mirrored_us
        )
        for row in connection.execute(text(_VOLUMES), _parameters(ids, minute))
    }


def _parameters(ids: Sequence[int], minute: NewestMinute) -> Mapping[str, object]:
    return {"ids": list(ids), "floor": minute.floor, "common": minute.common}


def _in_flight(iops: float | None, davg_us: float | None, precision: int | None) -> float | None:
    """Mean number of active I/Os of the device; None where times are in whole ms, which is too coarse."""
    if iops == 0:
        return 0.0
    if iops is None or davg_us is None or precision == Precision.MILLISECOND:
        return None
    return iops * davg_us / 1e6
