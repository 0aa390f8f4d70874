"""What a what-if needs of the inventory: the virtual disks in a device queue with their settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.refs import EntityRef, RefKind


@dataclass(frozen=True, slots=True)
class QueueDisk:
    """A virtual disk of a VM that runs on the queue's host. iops_limit None: none is set, or none was read."""

    id: int
    label: str
    vm: EntityRef
    controller_type: str
    iops_limit: int | None
    is_limit_read: bool


# What a capture says of a disk has neither snapshots nor limits.
_DISKS = """
    SELECT k.id, k.label, k.controller_type, k.iops_limit, k.snapshot_depth IS NOT NULL AS is_read, m.id AS vm_id, m.name AS vm_name
    FROM vm_disk k JOIN vm m ON m.id = k.vm_id
    WHERE k.id = ANY(CAST(:ids AS int[])) AND k.present AND m.host_id = (SELECT host_id FROM host_device WHERE id = :device_id)
    ORDER BY m.name, k.id
"""


def disks_in_queue(connection: Connection, device_id: int, disk_ids: Sequence[int]) -> list[QueueDisk]:
    """Those of `disk_ids` whose VMs run on the device's host now, by VM."""
    rows = connection.execute(text(_DISKS), {"device_id": device_id, "ids": list(disk_ids)})
    return [
        QueueDisk(
            row.id,
            row.label,
            EntityRef(RefKind.VM, row.vm_id, row.vm_name),
            row.controller_type,
            row.iops_limit if row.iops_limit and row.iops_limit > 0 else None,
            row.is_read,
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class DeviceStorage:
    """What holds a device's volume. array: of a stretched volume the one with the lower id; volume_id: None for a stretched one."""

    array: EntityRef
    volume_id: int | None


_STORAGE = """
    SELECT a.id, a.name, v.id AS volume_id, count(*) OVER () AS volumes
    FROM host_device d JOIN volume v ON v.serial = d.volume_serial AND v.present
    JOIN storage_array a ON a.source_id = v.source_id AND a.present WHERE d.id = :device_id ORDER BY a.id LIMIT 1
"""


def storage_behind(connection: Connection, device_id: int) -> DeviceStorage | None:
    """None where it is not known."""
    row = connection.execute(text(_STORAGE), {"device_id": device_id}).one_or_none()
    if row is None:
        return None
    return DeviceStorage(EntityRef(RefKind.ARRAY, row.id, row.name), row.volume_id if row.volumes == 1 else None)
