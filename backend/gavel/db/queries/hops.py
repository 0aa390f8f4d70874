"""What stands on the way of I/Os: virtual disks' controllers, a device's paths and how loaded they were, volumes' limits and arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.queries.members import DATASTORE_DIRECTORY
from gavel.db.queries.rows import EntityRef, RefKind
from gavel.domain.samples import STEP_US, Precision


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """`instance`: its address on the controller, "scsi0:1"."""

    instance: str
    controller_type: str


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
    array: EntityRef
    model: str | None
    qos_iops_limit: int | None


_PATHS = """
    SELECT p.host_device_id, b.device AS adapter, count(*) AS paths, count(*) FILTER (WHERE p.is_working) AS working,
        sum(s.iops) AS iops, sum(s.timed) / nullif(sum(s.timed_ops), 0) AS us, max(s.precision) AS precision
    FROM path p LEFT JOIN hba b ON b.id = p.hba_id
    LEFT JOIN LATERAL (
        SELECT (sum(read_ops) + sum(write_ops))::float8 / sum(interval_s) AS iops, max(precision) AS precision,
            sum(coalesce(read_latency_us::float8 * read_ops, 0) + coalesce(write_latency_us::float8 * write_ops, 0)) AS timed,
            sum(CASE WHEN read_latency_us IS NULL THEN 0 ELSE read_ops END
                + CASE WHEN write_latency_us IS NULL THEN 0 ELSE write_ops END) AS timed_ops
        FROM path_sample WHERE entity_id = p.id AND ts > :from_at AND ts < :to_at + interval '1 hour'
            AND ts - interval_s * interval '1 second' < :to_at
    ) s ON true
    WHERE p.present AND p.host_device_id = ANY(:ids)
    GROUP BY p.host_device_id, b.device ORDER BY p.host_device_id, b.device
"""
_DISK_ARRAYS = f"""
    SELECT k.id, min(a.id) AS array_id FROM vm_disk k JOIN ({DATASTORE_DIRECTORY}) s ON s.subject_id = k.datastore_id
    JOIN array_directory d ON d.id = s.entity_id JOIN storage_array a ON a.source_id = d.source_id AND a.present
    WHERE k.id = ANY(:ids) GROUP BY k.id
"""


def disk_facts(connection: Connection, ids: Sequence[int]) -> Mapping[int, DiskFacts]:
    """By id."""
    query = text("SELECT id, instance, controller_type FROM vm_disk WHERE id = ANY(:ids)")
    return {
        row.id: DiskFacts(row.instance, row.controller_type) for row in connection.execute(query, {"ids": list(ids)})
    }


def disk_arrays(connection: Connection, ids: Sequence[int]) -> Mapping[int, int]:
    """Ids of the arrays behind virtual disks on NFS, which no host device carries; others are absent."""
    return {row.id: row.array_id for row in connection.execute(text(_DISK_ARRAYS), {"ids": list(ids)})}


def path_groups(
    connection: Connection, device_ids: Sequence[int], from_at: datetime, to_at: datetime
) -> Sequence[PathGroup]:
    """By device, then by adapter."""
    rows = connection.execute(text(_PATHS), {"ids": list(device_ids), "from_at": from_at, "to_at": to_at}).mappings()
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


def volume_facts(connection: Connection, ids: Sequence[int]) -> Mapping[int, VolumeFacts]:
    """By id."""
    query = text(
        "SELECT v.id, v.qos_iops_limit, a.id AS array_id, a.name AS array_name, a.model FROM volume v"
        " JOIN storage_array a ON a.source_id = v.source_id AND a.present WHERE v.id = ANY(:ids)"
    )
    return {
        row.id: VolumeFacts(EntityRef(RefKind.ARRAY, row.array_id, row.array_name), row.model, row.qos_iops_limit)
        for row in connection.execute(query, {"ids": list(ids)})
    }
