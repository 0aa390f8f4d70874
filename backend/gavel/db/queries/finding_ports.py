"""What rules of findings ask of target ports and host adapters: which are full, and whose I/O goes through them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.finding_inventory import SERVING
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.inventory import DOWN_STATES
from gavel.domain.samples import STEP_US, Precision
from gavel.domain.source import Stream
from gavel.findings.evidence_ports import AdapterLoad, PortHost
from gavel.findings.model import ObjectRef

_OF_PORT = packed.rows(
    SAMPLES[Stream.ARRAY_PORT], ("interval_s", "received_bytes", "transmitted_bytes"), of="entity_id = r.id"
)
_BUSY = f"""
    SELECT * FROM (
        SELECT r.id, r.key AS port, r.source_id, a.id AS array_id, a.name AS array_name, r.line_rate_bytes_per_s AS line_rate,
            sum(s.received_bytes)::float8 / sum(s.interval_s) AS received,
            sum(s.transmitted_bytes)::float8 / sum(s.interval_s) AS transmitted,
            sum(s.interval_s) FILTER (
                WHERE greatest(s.received_bytes, s.transmitted_bytes) >= :used * r.line_rate_bytes_per_s * s.interval_s) AS busy_s
        FROM array_port r JOIN source c ON c.id = r.source_id AND c.enabled
        JOIN storage_array a ON a.source_id = r.source_id AND a.present, LATERAL {_OF_PORT} s
        WHERE r.present AND r.line_rate_bytes_per_s > 0 AND s.ts > :lo AND s.interval_s > 0
            AND s.received_bytes IS NOT NULL AND s.transmitted_bytes IS NOT NULL
        GROUP BY r.id, a.id) b
    WHERE busy_s > 0 ORDER BY source_id, port
"""
# Ports of iSCSI and NVMe/TCP share one name on an array: which of them a path leads to is told of Fibre Channel only.
_OF_PATH = packed.rows(
    SAMPLES[Stream.PATH],
    ("interval_s", "precision", "read_ops", "write_ops", "read_bytes", "write_bytes", "read_latency_us", "write_latency_us"),
    of="entity_id = p.id",
)  # fmt: skip
_LOADS = f"""
    WITH used AS MATERIALIZED (
        SELECT r.id AS port_id, p.host_device_id FROM array_port r JOIN path p ON p.target = lower(r.wwn) AND p.present
        JOIN host_device d ON d.id = p.host_device_id AND d.present JOIN esxi_host h ON h.id = d.host_id AND {SERVING}
        WHERE r.id = ANY(CAST(:ids AS int[])) AND p.state <> ALL(:down) GROUP BY 1, 2)
    SELECT u.port_id, h.id, h.name, p.target = lower(r.wwn) AS is_own, count(DISTINCT p.hba_id) AS adapters,
        count(DISTINCT d.id) AS devices, sum(d.queue_depth) FILTER (WHERE p.nth = 1) AS depth, sum(s.iops) AS iops,
        sum(s.bytes_per_s) AS bytes_per_s, sum(s.timed) AS timed, sum(s.timed_ops)::float8 AS timed_ops, max(s.precision) AS precision
    FROM used u JOIN array_port r ON r.id = u.port_id JOIN host_device d ON d.id = u.host_device_id JOIN esxi_host h ON h.id = d.host_id,
    LATERAL (
        SELECT p.id, p.hba_id, p.target, row_number() OVER (PARTITION BY p.target = lower(r.wwn) ORDER BY p.id) AS nth FROM path p
        WHERE p.host_device_id = d.id AND p.present AND p.target IS NOT NULL AND p.state <> ALL(:down)) p,
    LATERAL (
        SELECT (sum(read_ops) + sum(write_ops))::float8 / nullif(sum(interval_s), 0) AS iops, max(precision) AS precision,
            (sum(read_bytes) + sum(write_bytes))::float8 / nullif(sum(interval_s), 0) AS bytes_per_s,
            sum(coalesce(read_latency_us::float8 * read_ops, 0) + coalesce(write_latency_us::float8 * write_ops, 0)) AS timed,
            sum(CASE WHEN read_latency_us IS NULL THEN 0 ELSE read_ops END
                + CASE WHEN write_latency_us IS NULL THEN 0 ELSE write_ops END) AS timed_ops
        FROM {_OF_PATH} s WHERE ts > :lo) s
    GROUP BY 1, 2, 3, 4 ORDER BY 1, bytes_per_s DESC NULLS LAST, h.name, h.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyPort:
    """Bytes per second one way; busy_s: seconds in which one way or the other was near the line rate."""

    id: int
    source_id: int
    array: ObjectRef
    port: str
    line_rate: float
    received: float
    transmitted: float
    busy_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PortHosts:
    """Hosts on a port, those with most traffic first; latency of their paths to it, and of the same devices' paths to other ports."""

    hosts: tuple[PortHost, ...] = ()
    us: float | None = None
    other_us: float | None = None
    precision_us: float = 0.0


def busy_ports(connection: Connection, from_at: datetime, to_at: datetime, *, used: float) -> list[BusyPort]:
    """Ports with any sample, of those that end in (from_at, to_at], in which so much of the line rate was used."""
    return [
        BusyPort(
            id=row.id,
            source_id=row.source_id,
            array=ObjectRef("array", row.array_id, row.array_name),
            port=row.port,
            line_rate=float(row.line_rate),
            received=row.received,
            transmitted=row.transmitted,
            busy_s=row.busy_s,
        )
        for row in connection.execute(text(_BUSY), {"lo": from_at, "hi": to_at, "used": used})
    ]


def port_hosts(
    connection: Connection, port_ids: Sequence[int], from_at: datetime, to_at: datetime
) -> dict[int, PortHosts]:
    """By port. Path samples that end in (from_at, to_at]."""
    given = {"ids": list(port_ids), "down": list(DOWN_STATES), "lo": from_at, "hi": to_at}
    rows = connection.execute(text(_LOADS), given).all()
    found = {}
    for port_id in port_ids:
        own = [row for row in rows if row.port_id == port_id and row.is_own]
        others = [row for row in rows if row.port_id == port_id and not row.is_own]
        steps = [STEP_US[Precision(row.precision)] for row in (*own, *others) if row.precision is not None]
        found[port_id] = PortHosts(
            hosts=tuple(
                PortHost(
                    host=ObjectRef("host", row.id, row.name),
                    adapters=row.adapters,
                    devices=row.devices,
                    depth=row.depth,
                    iops=row.iops,
                    bytes_per_s=row.bytes_per_s,
                )
                for row in own
            ),
            us=_mean_us([(row.timed, row.timed_ops) for row in own]),
            other_us=_mean_us([(row.timed, row.timed_ops) for row in others]),
            precision_us=float(max(steps, default=0)),
        )
    return found


def _mean_us(sums: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Of (µs of all timed operations, their number)."""
    ops = sum(ops or 0 for _, ops in sums)
    return sum(timed or 0.0 for timed, _ in sums) / ops if ops else None


_OF_ADAPTER = packed.rows(
    SAMPLES[Stream.ADAPTER], ("interval_s", "queue_depth", "queued", "outstanding"), of="entity_id = b.id"
)
_FULL_ADAPTERS = f"""
    SELECT * FROM (
        SELECT b.id, b.source_id, b.device AS adapter, h.id AS host_id, h.name AS host,
            sum(s.outstanding::float8 * s.interval_s) / sum(s.interval_s) AS active,
            sum(s.queued::float8 * s.interval_s) / sum(s.interval_s) AS queued,
            sum(s.queue_depth::float8 * s.interval_s) / sum(s.interval_s) AS depth,
            sum(s.interval_s) FILTER (WHERE s.queued > 0 AND s.outstanding >= :used * s.queue_depth) AS full_s
        FROM hba b JOIN esxi_host h ON h.id = b.host_id AND {SERVING} JOIN source c ON c.id = b.source_id AND c.enabled,
        LATERAL {_OF_ADAPTER} s
        WHERE b.present AND s.ts > :lo AND s.interval_s > 0 AND s.queue_depth > 0 AND s.queued IS NOT NULL AND s.outstanding IS NOT NULL
        GROUP BY b.id, h.id) a
    WHERE full_s > 0 ORDER BY source_id, host, adapter
"""
_DEVICES_OF_ADAPTERS = """
    SELECT DISTINCT p.hba_id, d.id, d.canonical_name, d.queue_depth FROM path p
    JOIN host_device d ON d.id = p.host_device_id AND d.present
    WHERE p.present AND p.state <> ALL(:down) AND p.hba_id = ANY(CAST(:ids AS int[])) ORDER BY p.hba_id, d.canonical_name, d.id
"""


def full_adapters(connection: Connection, from_at: datetime, to_at: datetime, *, used: float) -> list[AdapterLoad]:
    """Adapters with any sample, of those that end in (from_at, to_at], in which I/Os waited while so much of the queue was used."""
    given = {"lo": from_at, "hi": to_at, "used": used}
    adapters = connection.execute(text(_FULL_ADAPTERS), given).all()
    if not adapters:
        return []
    devices: dict[int, list[tuple[ObjectRef, int | None]]] = {}
    ids = {"ids": [row.id for row in adapters], "down": list(DOWN_STATES)}
    for row in connection.execute(text(_DEVICES_OF_ADAPTERS), ids):
        devices.setdefault(row.hba_id, []).append((ObjectRef("device", row.id, row.canonical_name), row.queue_depth))
    return [
        AdapterLoad(
            source_id=row.source_id,
            host=ObjectRef("host", row.host_id, row.host),
            adapter=row.adapter,
            active=row.active,
            queued=row.queued,
            depth=row.depth,
            full_s=row.full_s,
            devices=tuple(devices.get(row.id, ())),
            from_at=from_at,
            to_at=to_at,
        )
        for row in adapters
    ]
