"""Changes of settings that a what-if can be asked about afterwards: of device queues and of virtual disks with I/O before them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER_LEAVES
from gavel.domain.scope import ScopeKind, scope_key

SettingName = Literal["queue_depth", "dsnro", "path_policy", "iops_limit", "moved"]


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting of one device queue or virtual disk, as the inventory had it before and at `read_at`; None: none, or not read.

    name: queue_depth, dsnro, path_policy, iops_limit or moved. device_id: the queue; disk_id: the virtual disk, with vm_id, its VM.
    """

    read_at: datetime
    name: SettingName
    device_id: int | None
    disk_id: int | None
    vm_id: int | None
    subject: str
    before: str | None
    after: str | None


def _did_io(key: str) -> str:
    """Whether the thing of an event did I/O within `reach` before it."""
    lo, hi = "e.happened_at - CAST(:reach AS interval)", "e.happened_at"
    minutes = packed.rows(
        LEDGER_LEAVES, ("read_ops", "write_ops"), of=f"entity_id = :{key} + e.subject_id", lo=lo, hi=hi
    )
    return (
        f"EXISTS (SELECT FROM {minutes} l WHERE l.ts < {hi} AND coalesce(l.read_ops, 0) + coalesce(l.write_ops, 0) > 0)"
    )


_CHANGES = f"""
    SELECT e.happened_at, e.kind, CASE e.subject_table WHEN 'host_device' THEN e.subject_id END AS device_id, k.id AS disk_id,
        CASE e.subject_table WHEN 'vm_disk' THEN k.vm_id WHEN 'vm' THEN e.subject_id END AS vm_id, e.subject_name, e.before, e.after
    FROM event e LEFT JOIN vm_disk k ON e.subject_table = 'vm_disk' AND k.id = e.subject_id
    WHERE e.happened_at >= :from_at AND e.happened_at < :to_at AND (
        (e.subject_table = 'host_device' AND e.kind IN ('queue_depth', 'dsnro', 'path_policy')
            AND (CAST(:devices AS int[]) IS NULL OR e.subject_id = ANY(:devices))
            AND {_did_io("device_key")})
        OR (e.subject_table = 'vm_disk' AND e.kind IN ('iops_limit', 'moved')
            AND (CAST(:vms AS int[]) IS NULL OR k.vm_id = ANY(:vms))
            AND {_did_io("disk_key")})
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
