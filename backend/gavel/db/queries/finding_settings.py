"""What rules of findings ask of settings: SIOC, adaptive queue depth, preferred arrays; each by one statement for the whole environment."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.queries.finding_inventory import SERVING
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.samples import STEP_US, Precision
from gavel.domain.source import Stream
from gavel.findings.evidence_settings import FlashSioc, HostLeg, HostQueueFull, SiocDatastore
from gavel.findings.model import ObjectRef

_SIOC = """
    SELECT s.id, s.name, s.sioc_threshold_ms, c.id AS source_id, c.name AS source, c.inventory_at, (
        SELECT array_agg(DISTINCT h.version ORDER BY h.version) FROM datastore_host x JOIN esxi_host h ON h.id = x.host_id AND h.present
        WHERE x.datastore_id = s.id AND h.version IS NOT NULL) AS versions
    FROM datastore s JOIN source c ON c.id = s.source_id AND c.enabled AND c.inventory_at IS NOT NULL
    WHERE s.present AND s.sioc_enabled AND (
        SELECT bool_and(d.is_flash) FROM datastore_extent x
        JOIN host_device d ON d.canonical_name = x.canonical_name AND d.source_id = s.source_id AND d.present
        WHERE x.datastore_id = s.id)
    ORDER BY c.id, s.name, s.id
"""


def flash_datastores_with_sioc(connection: Connection) -> list[FlashSioc]:
    """By vCenter. A datastore counts as flash where every device below it says so that says anything."""
    found: Mapping[int, list[RowMapping]] = defaultdict(list)
    for row in connection.execute(text(_SIOC)).mappings():
        found[row["source_id"]].append(row)
    return [
        FlashSioc(
            source_id=source_id,
            vcenter=ObjectRef("source", source_id, rows[0]["source"]),
            datastores=tuple(
                SiocDatastore(
                    ObjectRef("datastore", row["id"], row["name"]),
                    row["sioc_threshold_ms"],
                    tuple(row["versions"] or ()),
                )
                for row in rows
            ),
            read_at=rows[0]["inventory_at"],
        )
        for source_id, rows in found.items()
    ]


_OPTION = "(h.options -> '{}' ->> '{}')::int"
_ANY_ADAPTIVE = f"""
    SELECT EXISTS (SELECT FROM esxi_host h WHERE h.present AND {_OPTION.format("Disk.QFullSampleSize", "value")} > 0)
        OR EXISTS (SELECT FROM host_device WHERE present AND queue_full_sample_size > 0)
"""
_PORTS = f"""
    WITH used AS (
        SELECT p.target, d.host_id, array_remove(array_agg(DISTINCT
            CASE WHEN d.queue_full_sample_size > 0 THEN d.canonical_name END), NULL) AS devices
        FROM path p JOIN host_device d ON d.id = p.host_device_id AND d.present
        WHERE p.present AND p.target IS NOT NULL GROUP BY 1, 2)
    SELECT u.target, u.devices, h.id, h.name, h.source_id, s.inventory_at, {_OPTION.format("Disk.QFullSampleSize", "value")} AS sample_size,
        {_OPTION.format("Disk.QFullSampleSize", "least")} AS least, {_OPTION.format("Disk.QFullSampleSize", "most")} AS most,
        {_OPTION.format("Disk.QFullThreshold", "value")} AS threshold, a.id AS array_id, a.name AS array_name
    FROM used u JOIN esxi_host h ON h.id = u.host_id AND {SERVING}
    JOIN source s ON s.id = h.source_id AND s.enabled AND s.inventory_at IS NOT NULL
    LEFT JOIN LATERAL (
        SELECT min(a.id) AS id FROM array_port r JOIN storage_array a ON a.source_id = r.source_id AND a.present
        WHERE r.present AND u.target IN (lower(r.wwn), r.iqn, r.nqn)) t ON true
    LEFT JOIN storage_array a ON a.id = t.id
    ORDER BY u.target, h.name, h.id
"""


@dataclass(frozen=True, slots=True)
class PortUse:
    """A host that uses a target port. array: whose port it is, where that is known."""

    target: str
    array: ObjectRef | None
    host: HostQueueFull
    source_id: int
    read_at: datetime


def ports_by_host(connection: Connection) -> list[PortUse]:
    """Of every connected host, by port; none where adaptive queue depth is on nowhere, which costs next to nothing."""
    if not connection.scalar(text(_ANY_ADAPTIVE)):
        return []
    return [
        PortUse(
            target=row["target"],
            array=None if row["array_id"] is None else ObjectRef("array", row["array_id"], row["array_name"]),
            host=HostQueueFull(
                host=ObjectRef("host", row["id"], row["name"]),
                sample_size=row["sample_size"],
                threshold=row["threshold"],
                least=row["least"],
                most=row["most"],
                devices=tuple(row["devices"]),
            ),
            source_id=row["source_id"],
            read_at=row["inventory_at"],
        )
        for row in connection.execute(text(_PORTS)).mappings()
    ]


# A stretched pod is listed by each of its arrays that is polled: by the one with the lowest id only.
_OF_PATH = packed.rows(
    SAMPLES[Stream.PATH],
    ("interval_s", "precision", "read_ops", "write_ops", "read_latency_us", "write_latency_us"),
    of="entity_id = p.id",
)
_LEGS = f"""
    WITH stretched AS (
        SELECT DISTINCT ON (v.serial) v.serial, p.id AS pod_id, p.name AS pod, v.source_id FROM volume v JOIN pod p ON p.id = v.pod_id
        WHERE v.present AND p.present AND p.array_count > 1 ORDER BY v.serial, v.source_id),
    device AS (
        SELECT d.id, d.canonical_name, d.source_id AS vcenter_id, d.host_id, h.name AS host, x.pod_id, x.pod, x.source_id
        FROM stretched x JOIN host_device d ON d.volume_serial = x.serial AND d.present JOIN esxi_host h ON h.id = d.host_id AND {SERVING}),
    port AS (
        SELECT r.name, min(a.id) AS array_id FROM array_port p JOIN storage_array a ON a.source_id = p.source_id AND a.present,
        LATERAL (VALUES (lower(p.wwn)), (p.iqn), (p.nqn)) r (name) WHERE p.present AND r.name IS NOT NULL GROUP BY 1),
    leg AS (
        SELECT d.source_id, d.pod_id, d.pod, d.host_id, d.host, t.array_id, sum(s.iops) AS iops, max(s.precision) AS precision,
            sum(s.timed) / nullif(sum(s.timed_ops), 0) AS us
        FROM device d JOIN path p ON p.host_device_id = d.id AND p.present JOIN port t ON t.name = p.target,
        LATERAL (
            SELECT (sum(read_ops) + sum(write_ops))::float8 / nullif(sum(interval_s), 0) AS iops, max(precision) AS precision,
                sum(coalesce(read_latency_us::float8 * read_ops, 0) + coalesce(write_latency_us::float8 * write_ops, 0)) AS timed,
                sum(CASE WHEN read_latency_us IS NULL THEN 0 ELSE read_ops END
                    + CASE WHEN write_latency_us IS NULL THEN 0 ELSE write_ops END) AS timed_ops
            FROM {_OF_PATH} r WHERE ts > :lo) s
        WHERE s.iops > 0 GROUP BY 1, 2, 3, 4, 5, 6)
    SELECT l.*, a.name AS array_name, o.id AS owner_id, o.name AS owner, (
        SELECT bool_or(cardinality(k.preferred_arrays) > 0) FROM hba b JOIN array_host k ON k.present AND k.is_local
            AND lower(b.address) IN (SELECT lower(i) FROM unnest(k.wwns || k.iqns || k.nqns) i)
        WHERE b.present AND b.host_id = l.host_id) AS has_preference
    FROM leg l JOIN storage_array a ON a.id = l.array_id JOIN storage_array o ON o.source_id = l.source_id AND o.present
    WHERE l.us IS NOT NULL ORDER BY l.source_id, l.pod, l.host, l.host_id, a.name
"""
_ON_PODS = """
    SELECT DISTINCT v.pod_id, s.id, s.name FROM volume v JOIN datastore_extent x ON x.volume_serial = v.serial
    JOIN datastore s ON s.id = x.datastore_id AND s.present
    WHERE v.present AND v.pod_id = ANY(CAST(:ids AS int[])) ORDER BY s.name, s.id
"""


@dataclass(frozen=True, slots=True)
class PodLeg:
    """array: the lowest by id of those that list the pod."""

    source_id: int
    pod_id: int
    pod: str
    array: ObjectRef
    host: ObjectRef
    has_preference: bool | None
    leg: HostLeg


def pod_legs(connection: Connection, from_at: datetime, to_at: datetime) -> list[PodLeg]:
    """Of hosts with I/O to volumes of stretched pods, by the array that their paths lead to: samples that end in (from_at, to_at]."""
    rows = connection.execute(text(_LEGS), {"lo": from_at, "hi": to_at}).mappings()
    return [
        PodLeg(
            source_id=row["source_id"],
            pod_id=row["pod_id"],
            pod=row["pod"],
            array=ObjectRef("array", row["owner_id"], row["owner"]),
            host=ObjectRef("host", row["host_id"], row["host"]),
            has_preference=row["has_preference"],
            leg=HostLeg(
                array=ObjectRef("array", row["array_id"], row["array_name"]),
                iops=row["iops"],
                us=row["us"],
                precision_us=float(STEP_US[Precision(row["precision"])]),
            ),
        )
        for row in rows
    ]


def datastores_on_pods(connection: Connection, pod_ids: Sequence[int]) -> Mapping[int, tuple[ObjectRef, ...]]:
    """By pod."""
    found: dict[int, list[ObjectRef]] = defaultdict(list)
    for row in connection.execute(text(_ON_PODS), {"ids": list(pod_ids)}):
        found[row.pod_id].append(ObjectRef("datastore", row.id, row.name))
    return {pod: tuple(stores) for pod, stores in found.items()}
