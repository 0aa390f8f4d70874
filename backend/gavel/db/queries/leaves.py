"""Which leaves of the ledger a thing is made of, and whose they are: virtual disks with their VM and host, devices with their host."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.members import DATASTORE_DEVICE, DEVICE_VOLUME, DISKS_THROUGH
from gavel.db.queries.queues import Queue, devices_behind
from gavel.db.queries.refs import EntityRef, RefKind

# Of the device `:id`.
CARRIED = f"""
    coalesce(
        (SELECT min(s.name) FROM ({DATASTORE_DEVICE}) e JOIN datastore s ON s.id = e.subject_id
            WHERE e.entity_id = :id HAVING count(DISTINCT s.id) = 1),
        (SELECT min(v.name) FROM ({DEVICE_VOLUME}) e JOIN volume v ON v.id = e.volume_id
            WHERE e.device_id = :id HAVING count(DISTINCT v.name) = 1))
"""
# Few volumes are stretched: disks are looked up from them, not the other way round, which would map the whole environment.
_STRETCHED = """
    WITH stretched AS MATERIALIZED (
        SELECT DISTINCT v.serial, v.vvol_id FROM storage_array a JOIN volume v ON v.source_id = a.source_id AND v.present
        JOIN volume o ON o.serial = v.serial AND o.source_id <> v.source_id AND o.present WHERE a.id = :id)
    SELECT d.id, false AS is_disk FROM stretched s JOIN host_device d ON d.volume_serial = s.serial
    UNION SELECT k.id, true FROM stretched s JOIN vm_disk k ON k.volume_serial = s.serial AND k.present
    UNION SELECT k.id, true FROM stretched s JOIN vm_disk k ON k.vvol_id = s.vvol_id AND k.present
    UNION SELECT k.id, true FROM stretched s JOIN datastore_extent x ON x.volume_serial = s.serial
        JOIN vm_disk k ON k.datastore_id = x.datastore_id
        AND k.present AND k.device_name IS NULL AND k.vvol_id IS NULL
"""


@dataclass(frozen=True, slots=True)
class DiskLeaf:
    """A virtual disk; `host` is where its VM runs now, None for one that is off.

    is_alone: no device of the thing tells its I/Os (NFS, but for volumes of captures; vVols, but to their host, where the protocol endpoint
    is a device).
    """

    disk: EntityRef
    vm: EntityRef
    host: EntityRef | None
    is_alone: bool


def disk_leaves(connection: Connection, kind: RefKind, thing_id: int) -> Sequence[DiskLeaf]:
    """In order of id; none for a kind that has no disks."""
    if kind not in DISKS_THROUGH:
        return ()
    members = f"SELECT DISTINCT entity_id FROM ({DISKS_THROUGH[kind]}) m WHERE subject_id = :id"
    rows = connection.execute(
        text(
            "SELECT k.id, k.label, m.id AS vm_id, m.name AS vm_name, h.id AS host_id, h.name AS host_name,"
            " k.device_name IS NULL AND ((k.vvol_id IS NOT NULL AND NOT :endpoints) OR (s.type IS NOT DISTINCT FROM 'nfs'"
            " AND NOT EXISTS (SELECT FROM datastore_extent x WHERE x.datastore_id = s.id))) AS alone"
            f" FROM ({members}) d JOIN vm_disk k ON k.id = d.entity_id JOIN vm m ON m.id = k.vm_id"
            " LEFT JOIN esxi_host h ON h.id = m.host_id LEFT JOIN datastore s ON s.id = k.datastore_id ORDER BY k.id"
        ),
        {"id": thing_id, "endpoints": kind is RefKind.HOST},
    )
    return [
        DiskLeaf(
            EntityRef(RefKind.VM_DISK, row.id, row.label),
            EntityRef(RefKind.VM, row.vm_id, row.vm_name),
            None if row.host_id is None else EntityRef(RefKind.HOST, row.host_id, row.host_name),
            row.alone,
        )
        for row in rows
    ]


def device_leaves(connection: Connection, kind: RefKind, thing_id: int) -> Sequence[Queue]:
    """In order of id. Protocol endpoints belong to a host only: others share them."""
    return () if kind is RefKind.VM else devices_behind(connection, kind, thing_id).leaves


def stretched_leaves(connection: Connection, array_id: int) -> tuple[frozenset[int], frozenset[int]]:
    """Virtual disks and devices on volumes that another array has, too: the array did a part of their I/Os only."""
    found = connection.execute(text(_STRETCHED), {"id": array_id}).all()
    disks, devices = (frozenset(row.id for row in found if row.is_disk is wanted) for wanted in (True, False))
    return disks, devices


def carried_name(connection: Connection, device_id: int) -> str | None:
    """What people call that which a device carries: its one datastore, else its one volume; None where there is neither."""
    name: str | None = connection.execute(text(f"SELECT {CARRIED}"), {"id": device_id}).scalar_one()
    return name
