"""Changes of settings that a what-if can be asked about afterwards: of device queues and of virtual disks with I/O before them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.series.catalog import LEDGER_LEAVES
from gavel.domain.scope import ScopeKind, scope_key


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting of one device queue or virtual disk, as the inventory had it before and at `read_at`; None: none, or not read.

    name: queue_depth, dsnro, path_policy, iops_limit or moved. device_id: the queue; disk_id: the virtual disk, with vm_id, its VM.
    """

    read_at: datetime
    name: str
    device_id: int | None
    disk_id: int | None
    vm_id: int | None
    subject: str
    before: str | None
    after: str | None


_CHANGES = f"""
    SELECT e.happened_at, e.kind, CASE e.subject_table WHEN 'host_device' THEN e.subject_id END AS device_id, k.id AS disk_id,
        CASE e.subject_table WHEN 'vm_disk' THEN k.vm_id WHEN 'vm' THEN e.subject_id END AS vm_id, e.subject_name, e.before, e.after
    FROM event e LEFT JOIN vm_disk k ON e.subject_table = 'vm_disk' AND k.id = e.subject_id
    WHERE e.happened_at >= :from_at AND e.happened_at < :to_at AND (
        (e.subject_table = 'host_device' AND e.kind IN ('queue_depth', 'dsnro', 'path_policy')
            AND (CAST(:devices AS int[]) IS NULL OR e.subject_id = ANY(:devices))
            AND EXISTS (SELECT FROM {LEDGER_LEAVES.name} l WHERE l.entity_id = :device_key + e.subject_id AND l.ts >= e.happened_at - :reach
                AND l.ts < e.happened_at AND coalesce(l.read_ops, 0) + coalesce(l.write_ops, 0) > 0))
        OR (e.subject_table = 'vm_disk' AND e.kind IN ('iops_limit', 'moved')
            AND (CAST(:vms AS int[]) IS NULL OR k.vm_id = ANY(:vms))
            AND EXISTS (SELECT FROM {LEDGER_LEAVES.name} l WHERE l.entity_id = :disk_key + e.subject_id AND l.ts >= e.happened_at - :reach
                AND l.ts < e.happened_at AND coalesce(l.read_ops, 0) + coalesce(l.write_ops, 0) > 0))
        OR (e.subject_table = 'vm' AND e.kind = 'moved' AND (CAST(:vms AS int[]) IS NULL OR e.subject_id = ANY(:vms)))
    ) ORDER BY e.happened_at DESC, e.id LIMIT :limit
"""


def setting_changes(
    connection: Connection,
    from_at: datetime,
    to_at: datetime,
    *,
    reach: timedelta,
    limit: int,
    devices: Sequence[int] | None = None,
    vms: Sequence[int] | None = None,
) -> tuple[SettingChange, ...]:
    """Newest first, of things that did I/O within `reach` before. devices, vms: of these only; None: of all."""
    given = {
        "from_at": from_at,
        "to_at": to_at,
        "reach": reach,
        "limit": limit,
        "devices": None if devices is None else list(devices),
        "vms": None if vms is None else list(vms),
        "device_key": scope_key(ScopeKind.HOST_DEVICE, 0),
        "disk_key": scope_key(ScopeKind.VM_DISK, 0),
    }
    return tuple(SettingChange(*row) for row in connection.execute(text(_CHANGES), given))
