"""What stands on the way of I/Os: virtual disks' controllers, a device's paths and how loaded they were, volumes' limits and arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, RowMapping, text

from gavel.db.engine import Connection
from gavel.db.queries.members import DATASTORE_DIRECTORY, MEMBERS, relation
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.inventory import DOWN_STATES
from gavel.domain.samples import STEP_US, Precision
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """`instance`: its address on the controller, "scsi0:1". array: of a disk on NFS, which no host device carries."""

    instance: str
    controller_type: str
    array: EntityRef | None


@dataclass(frozen=True, slots=True)
class PathGroup:
    """A device's paths through one adapter (None: not read which). Rates and latency are means of whole five-minute samples that
    touch the window; None where no such sample is stored. `us` comes in steps of `precision_us`."""

    device_id: int
    adapter: str | None
    paths: int
    working: int
    iops: float | None
    us: float | None
    precision_us: float | None


@dataclass(frozen=True, slots=True)
class VolumeFacts:
    """array: None where the array is no longer present; `model` is the array's."""

    volume: EntityRef
    array: EntityRef | None
    model: str | None
    qos_iops_limit: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HopPairs:
    """Ids by id, each in order; those without any are absent."""

    disk_queues: Mapping[int, Sequence[int]]
    queue_volumes: Mapping[int, Sequence[int]]
    disk_volumes: Mapping[int, Sequence[int]]


_OF_PATH = packed.rows(
    SAMPLES[Stream.PATH],
    ("interval_s", "precision", "read_ops", "write_ops", "read_latency_us", "write_latency_us"),
    of="entity_id = p.id",
    lo="CAST(:from_at AS timestamptz)",
    hi="CAST(:to_at AS timestamptz) + INTERVAL '1 hour'",
)
_PATHS = f"""
    SELECT p.host_device_id, b.device AS adapter, count(*) AS paths, count(*) FILTER (WHERE p.state <> ALL(:down)) AS working,
        sum(s.iops) AS iops, sum(s.timed) / nullif(sum(s.timed_ops), 0) AS us, max(s.precision) AS precision
    FROM path p LEFT JOIN hba b ON b.id = p.hba_id
    LEFT JOIN LATERAL (
        SELECT (sum(read_ops) + sum(write_ops))::float8 / sum(interval_s) AS iops, max(precision) AS precision,
            sum(coalesce(read_latency_us::float8 * read_ops, 0) + coalesce(write_latency_us::float8 * write_ops, 0)) AS timed,
            sum(CASE WHEN read_latency_us IS NULL THEN 0 ELSE read_ops END
                + CASE WHEN write_latency_us IS NULL THEN 0 ELSE write_ops END) AS timed_ops
        FROM {_OF_PATH} r WHERE ts > :from_at AND ts < :to_at + interval '1 hour' AND ts - interval_s * interval '1 second' < :to_at
    ) s ON true
    WHERE p.present AND p.host_device_id = ANY(:ids)
    GROUP BY p.host_device_id, b.device ORDER BY p.host_device_id, b.device
"""
_DISKS = f"""
    SELECT k.id, k.instance, k.controller_type, a.id AS array_id, a.name AS array_name FROM vm_disk k
    LEFT JOIN (
        SELECT n.id, min(b.id) AS array_id FROM vm_disk n JOIN ({DATASTORE_DIRECTORY}) s ON s.subject_id = n.datastore_id
        JOIN array_directory d ON d.id = s.entity_id JOIN storage_array b ON b.source_id = d.source_id AND b.present
        WHERE n.id = ANY(:ids) GROUP BY n.id
    ) f ON f.id = k.id LEFT JOIN storage_array a ON a.id = f.array_id
    WHERE k.id = ANY(:ids)
"""
_VOLUMES = """
    SELECT v.id, v.name, v.qos_iops_limit, a.id AS array_id, a.name AS array_name, a.model
    FROM ({members}) m JOIN volume v ON v.id = m.entity_id
    LEFT JOIN storage_array a ON a.source_id = v.source_id AND a.present ORDER BY v.id
"""
# Each relation of `HopPairs` with the parameter that its subjects are in.
_PAIRS: Mapping[str, tuple[str, str]] = {
    "disk_queues": (MEMBERS[RefKind.VM_DISK, Stream.HOST_DEVICE], "disks"),
    "queue_volumes": (MEMBERS[RefKind.DEVICE, Stream.ARRAY_VOLUME], "devices"),
    "disk_volumes": (MEMBERS[RefKind.VM_DISK, Stream.ARRAY_VOLUME], "disks"),
}
_ALL_PAIRS = " UNION ALL ".join(
    f"(SELECT DISTINCT '{name}' AS relation, subject_id, entity_id FROM ({pairs}) m WHERE subject_id = ANY(:{ids}))"
    for name, (pairs, ids) in _PAIRS.items()
)


def disk_facts(connection: Connection, ids: Sequence[int]) -> Mapping[int, DiskFacts]:
    """By id."""
    return {
        row.id: DiskFacts(row.instance, row.controller_type, _array(row))
        for row in connection.execute(text(_DISKS), {"ids": list(ids)})
    }


def hop_pairs(connection: Connection, disk_ids: Sequence[int], device_ids: Sequence[int]) -> HopPairs:
    """What these disks and devices are on."""
    found: dict[str, dict[int, list[int]]] = {name: {} for name in _PAIRS}
    query = text(f"{_ALL_PAIRS} ORDER BY 1, 2, 3")
    for name, subject, entity in connection.execute(query, {"disks": list(disk_ids), "devices": list(device_ids)}):
        found[name].setdefault(subject, []).append(entity)
    return HopPairs(**found)


def path_groups(
    connection: Connection, device_ids: Sequence[int], from_at: datetime, to_at: datetime
) -> Sequence[PathGroup]:
    """By device, then by adapter."""
    rows = connection.execute(
        text(_PATHS), {"ids": list(device_ids), "from_at": from_at, "to_at": to_at, "down": list(DOWN_STATES)}
    ).mappings()
    return [_group(row) for row in rows]


def _group(row: RowMapping) -> PathGroup:
    return PathGroup(
        device_id=row["host_device_id"],
        adapter=row["adapter"],
        paths=row["paths"],
        working=row["working"],
        iops=row["iops"],
        us=row["us"],
        precision_us=None if row["us"] is None else float(STEP_US[Precision(row["precision"])]),
    )


def volume_facts(connection: Connection, kind: RefKind, thing_id: int) -> Mapping[int, VolumeFacts]:
    """Of all volumes behind a thing, by id, in order of id."""
    query = text(_VOLUMES.format(members=relation(kind, Stream.ARRAY_VOLUME)))
    return {
        row.id: VolumeFacts(EntityRef(RefKind.VOLUME, row.id, row.name), _array(row), row.model, row.qos_iops_limit)
        for row in connection.execute(query, {"ids": [thing_id]})
    }


def _array(row: Row[Any]) -> EntityRef | None:
    return None if row.array_id is None else EntityRef(RefKind.ARRAY, row.array_id, row.array_name)
