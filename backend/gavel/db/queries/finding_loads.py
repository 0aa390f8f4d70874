"""What rules of findings ask of the newest minutes: the few objects that may have one, each kind by one statement.

Thresholds are given by the caller. These questions only narrow down, a little below them; rules decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, TextClause, text

from gavel.db.engine import Connection
from gavel.db.queries.queues import IN_FLIGHT
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES, SAMPLES, RawSeries
from gavel.domain.inventory import DOWN_STATES
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import Stream
from gavel.findings.evidence import VolumeMatch
from gavel.findings.evidence_rows import DiskRow, LimitedGroup, LimitedVolume, PathUseRow, QueueRow
from gavel.findings.model import ObjectRef

# The ledger's columns are single precision: what is as near as this to a threshold is for the rule to decide.
_NEAR = 0.99
_OPS = "(coalesce(read_ops, 0) + coalesce(write_ops, 0))"
_BYTES = "(coalesce(read_bytes, 0) + coalesce(write_bytes, 0))"
_HYPERVISOR = "(coalesce(read_hypervisor_time, 0) + coalesce(write_hypervisor_time, 0))"
_QOS = "(coalesce(read_array_qos_time, 0) + coalesce(write_array_qos_time, 0))"
_MICROSECONDS_A_MINUTE = 60e6


@dataclass(frozen=True, slots=True)
class LoadWindow:
    """Minutes that begin in [from_at, to_at). least: in so many of them at least a threshold has to be met."""

    from_at: datetime
    to_at: datetime
    least: int


def _base(kind: ScopeKind) -> int:
    return scope_key(kind, 0)


def _given(kind: ScopeKind, window: LoadWindow, **more: object) -> dict[str, object]:
    own = {"base": _base(kind), "end": _base(ScopeKind(kind + 1)), "lo": window.from_at, "hi": window.to_at}
    return own | {"least": window.least, "near": _NEAR} | more


def _minutes(series: RawSeries, condition: str) -> str:
    """FROM and WHERE of the minutes `l` of one kind of objects that meet a condition; with ops, whatever that looks at."""
    return f"FROM {_rows(series, condition)} l WHERE l.ts < :hi AND {condition}"


def _rows(series: RawSeries, condition: str) -> str:
    return packed.rows(series, packed.named_in(series, condition, _OPS), of="entity_id >= :base AND entity_id < :end")


_DISKS = """
    SELECT k.id, k.source_id, k.label, k.controller_type, k.iops_limit,
        coalesce(k.snapshot_depth, 0) AS snapshot_depth, m.id AS vm_id, m.name AS vm,
        h.id AS host_id, h.name AS host, s.id AS datastore_id, s.name AS datastore
    FROM vm_disk k JOIN vm m ON m.id = k.vm_id JOIN source c ON c.id = k.source_id AND c.enabled
    LEFT JOIN esxi_host h ON h.id = m.host_id LEFT JOIN datastore s ON s.id = k.datastore_id AND s.present AND k.device_name IS NULL
    WHERE k.present AND k.id IN (
        SELECT d.id FROM {rows} l JOIN vm_disk d ON d.id = l.entity_id - :base
        WHERE l.ts < :hi AND {condition} GROUP BY d.id HAVING count(*) >= :least)
    ORDER BY k.id
"""
_AT_LIMIT = (
    f"d.iops_limit > 0 AND greatest({_OPS}, {_OPS} * ceil({_BYTES} / nullif({_OPS}, 0) / :unit))"
    " >= :near * :used * 60 * d.iops_limit"
)
_BUSY = (
    "(d.controller_type = ANY(:controllers) AND l.outstanding_s >= :near * 60 * :outstanding"
    f" OR d.snapshot_depth >= :snapshots AND {_HYPERVISOR} > :near * :wait * {_OPS})"
)


def _disks(condition: str) -> TextClause:
    return text(_DISKS.format(rows=_rows(LEDGER_LEAVES, condition), condition=condition))


def disks_at_limit(connection: Connection, window: LoadWindow, *, used: float, unit: float) -> list[DiskRow]:
    """Virtual disks that used so much of their IOPS limit, raw or by `unit` bytes."""
    query = _disks(_AT_LIMIT)
    rows = connection.execute(query, _given(ScopeKind.VM_DISK, window, used=used, unit=unit)).mappings()
    return [_disk(row) for row in rows]


def busy_disks(
    connection: Connection,
    window: LoadWindow,
    *,
    controllers: Sequence[str],
    outstanding: float,
    snapshots: int,
    wait_us: float,
) -> list[DiskRow]:
    """Virtual disks on these controllers with so many I/Os outstanding, or on so many snapshots with so much wait in the hypervisor."""
    query = _disks(_BUSY)
    given = _given(
        ScopeKind.VM_DISK,
        window,
        controllers=list(controllers),
        outstanding=outstanding,
        snapshots=snapshots,
        wait=wait_us,
    )
    return [_disk(row) for row in connection.execute(query, given).mappings()]


def _disk(row: RowMapping) -> DiskRow:
    return DiskRow(
        source_id=row["source_id"],
        disk=ObjectRef("vm_disk", row["id"], row["label"]),
        vm=ObjectRef("vm", row["vm_id"], row["vm"]),
        host=None if row["host_id"] is None else ObjectRef("host", row["host_id"], row["host"]),
        datastore=None
        if row["datastore_id"] is None
        else ObjectRef("datastore", row["datastore_id"], row["datastore"]),
        controller_type=row["controller_type"],
        iops_limit=row["iops_limit"],
        snapshot_depth=row["snapshot_depth"],
    )


_FULL = f"l.queue_depth > 0 AND {IN_FLIGHT} >= :near * :used * {_MICROSECONDS_A_MINUTE} * l.queue_depth"
_QUEUES = f"""
    SELECT d.id, d.source_id, d.canonical_name, EXISTS (
        SELECT FROM path p JOIN hba b ON b.id = p.hba_id WHERE p.host_device_id = d.id AND p.present AND b.protocol LIKE 'nvme%') AS is_nvme
    FROM host_device d JOIN source c ON c.id = d.source_id AND c.enabled
    WHERE d.present AND d.id IN (
        SELECT l.entity_id - :base {_minutes(LEDGER_LEAVES, _FULL)}
        GROUP BY 1 HAVING count(*) >= :least)
    ORDER BY d.id
"""


def full_queues(connection: Connection, window: LoadWindow, *, used: float) -> list[QueueRow]:
    """Devices of hosts with so much of their queue's depth in flight."""
    given = _given(ScopeKind.HOST_DEVICE, window, used=used)
    return [QueueRow(*row) for row in connection.execute(text(_QUEUES), given)]


_HELD_BACK = f"{_QOS} > :near * :wait * {_OPS}"
_VOLUMES = f"""
    SELECT v.id, v.source_id, v.name, a.id AS array_id, a.name AS array_name, v.qos_iops_limit, v.qos_bytes_per_s_limit
    FROM volume v JOIN source c ON c.id = v.source_id AND c.enabled JOIN storage_array a ON a.source_id = v.source_id AND a.present
    WHERE v.present AND (v.qos_iops_limit > 0 OR v.qos_bytes_per_s_limit > 0) AND v.id IN (
        SELECT l.entity_id - :base {_minutes(LEDGER, _HELD_BACK)}
        GROUP BY 1 HAVING count(*) >= :least)
    ORDER BY v.id
"""


def volumes_at_limit(connection: Connection, window: LoadWindow, *, wait_us: float) -> list[LimitedVolume]:
    """Volumes with a QoS limit and so much QoS time per I/O."""
    rows = connection.execute(text(_VOLUMES), _given(ScopeKind.VOLUME, window, wait=wait_us)).mappings()
    return [
        LimitedVolume(
            source_id=row["source_id"],
            volume=ObjectRef("volume", row["id"], row["name"]),
            array=ObjectRef("array", row["array_id"], row["array_name"]),
            iops_limit=row["qos_iops_limit"],
            bytes_per_s_limit=row["qos_bytes_per_s_limit"],
        )
        for row in rows
    ]


_GROUPS = f"""
    SELECT g.name, g.source_id, a.id AS array_id, a.name AS array_name, g.qos_iops_limit, g.qos_bytes_per_s_limit,
        array_agg(v.id ORDER BY v.name, v.id) AS ids, array_agg(v.name ORDER BY v.name, v.id) AS names
    FROM volume_group g JOIN source c ON c.id = g.source_id AND c.enabled JOIN storage_array a ON a.source_id = g.source_id AND a.present
    JOIN volume v ON v.source_id = g.source_id AND v.volume_group = g.name AND v.present
    WHERE g.present AND (g.qos_iops_limit > 0 OR g.qos_bytes_per_s_limit > 0)
    GROUP BY g.id, a.id HAVING bool_or(v.id IN (
        SELECT l.entity_id - :base {_minutes(LEDGER, _HELD_BACK)}
        GROUP BY 1 HAVING count(*) >= :least))
    ORDER BY g.id
"""


def groups_at_limit(connection: Connection, window: LoadWindow, *, wait_us: float) -> list[LimitedGroup]:
    """Volume groups with a QoS limit, of which a volume has so much QoS time per I/O."""
    rows = connection.execute(text(_GROUPS), _given(ScopeKind.VOLUME, window, wait=wait_us)).mappings()
    return [
        LimitedGroup(
            source_id=row["source_id"],
            name=row["name"],
            array=ObjectRef("array", row["array_id"], row["array_name"]),
            volumes=tuple(ObjectRef("volume", *pair) for pair in zip(row["ids"], row["names"], strict=True)),
            iops_limit=row["qos_iops_limit"],
            bytes_per_s_limit=row["qos_bytes_per_s_limit"],
        )
        for row in rows
    ]


# A minute in which a sample of a host is missing would look like I/O of someone else.
_MATCHES = f"""
    SELECT v.id, v.source_id, v.name, a.id AS array_id, a.name AS array_name, t.host_ops, t.array_ops, t.minutes
    FROM (
        SELECT l.entity_id - :base AS id, sum({_OPS})::float8 AS host_ops, sum(l.array_ops)::float8 AS array_ops, count(*) AS minutes
        {_minutes(LEDGER, "l.array_ops > 0 AND coalesce(l.missing_s, 0) = 0")}
        GROUP BY 1 HAVING count(*) >= :least AND sum({_OPS}) < :match * sum(l.array_ops)) t
    JOIN volume v ON v.id = t.id AND v.present JOIN source c ON c.id = v.source_id AND c.enabled
    JOIN storage_array a ON a.source_id = v.source_id AND a.present ORDER BY v.id
"""


def unmatched_volumes(connection: Connection, window: LoadWindow, *, match: float) -> list[VolumeMatch]:
    """Volumes whose hosts issued less than this share of what the array counted, over minutes in which no sample is missing."""
    rows = connection.execute(text(_MATCHES), _given(ScopeKind.VOLUME, window, match=match)).mappings()
    return [
        VolumeMatch(
            source_id=row["source_id"],
            volume=ObjectRef("volume", row["id"], row["name"]),
            array=ObjectRef("array", row["array_id"], row["array_name"]),
            host_iops=row["host_ops"] / (60 * row["minutes"]),
            array_iops=row["array_ops"] / (60 * row["minutes"]),
            minutes=row["minutes"],
            from_at=window.from_at,
            to_at=window.to_at,
        )
        for row in rows
    ]


_OF_PATH = packed.rows(SAMPLES[Stream.PATH], ("interval_s", "read_ops", "write_ops"), of="entity_id = p.id")
_PATH_USE = f"""
    WITH mixed AS (
        SELECT host_device_id, count(*) FILTER (WHERE is_optimized AND state <> ALL(:down)) AS optimized
        FROM path WHERE present GROUP BY 1 HAVING bool_or(is_optimized) AND bool_or(NOT is_optimized))
    SELECT d.id, d.source_id, d.canonical_name, h.id AS host_id, h.name AS host, d.path_policy, x.optimized, u.iops, u.other_iops
    FROM mixed x JOIN host_device d ON d.id = x.host_device_id AND d.present
    JOIN source c ON c.id = d.source_id AND c.enabled
    JOIN esxi_host h ON h.id = d.host_id AND h.present,
    LATERAL (
        SELECT sum(o.iops) AS iops, coalesce(sum(o.iops) FILTER (WHERE NOT p.is_optimized), 0) AS other_iops
        FROM path p, LATERAL (
            SELECT (sum(s.read_ops) + sum(s.write_ops))::float8 / nullif(sum(s.interval_s), 0) AS iops FROM {_OF_PATH} s
            WHERE s.ts > :lo) o
        WHERE p.host_device_id = d.id AND p.present) u
    WHERE x.optimized > 0 AND u.iops > 0 ORDER BY d.source_id, d.canonical_name, h.name, d.id
"""


def path_use(connection: Connection, from_at: datetime, to_at: datetime) -> list[PathUseRow]:
    """Of devices with optimized paths that work and others: their I/O in samples that end in (from_at, to_at]."""
    given = {"lo": from_at, "hi": to_at, "down": list(DOWN_STATES)}
    return [
        PathUseRow(
            row.id,
            row.source_id,
            row.canonical_name,
            ObjectRef("host", row.host_id, row.host),
            row.path_policy,
            row.optimized,
            row.iops,
            row.other_iops,
        )
        for row in connection.execute(text(_PATH_USE), given)
    ]
