"""Which devices, virtual disks and volumes a thing is made of: the one home of the mapping from hosts to arrays.

Each relation is SQL for (subject_id, entity_id) over what is present. A volume is tied to a host's device by its serial, which the
device's canonical name carries; to a vVol disk by the vVol's tag; a stretched volume is on two arrays under one serial, and both are
members. A pair may come more than once (`relation` drops repetitions): a UNION in here would be computed for the whole environment, where
UNION ALL is looked up for the subjects that are asked for.
"""

from collections.abc import Mapping, Sequence

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.refs import RefKind
from gavel.domain.source import Stream

# Behind a device of a host: the volumes with its serial. A protocol endpoint carries vVols; its own volume holds no data.
DEVICE_VOLUME = """
    SELECT d.id AS device_id, v.id AS volume_id FROM host_device d
    JOIN volume v ON v.serial = d.volume_serial AND v.present AND NOT v.is_protocol_endpoint
    WHERE d.present
"""
# Behind a virtual disk: its own volume (RDM, vVol), else those of its datastore's extents.
_DISK_VOLUME = """
    SELECT k.vm_id, k.id AS disk_id, v.id AS volume_id FROM vm_disk k
    JOIN volume v ON v.present AND v.serial = k.volume_serial WHERE k.present
    UNION ALL SELECT k.vm_id, k.id, v.id FROM vm_disk k
    JOIN volume v ON v.present AND v.vvol_id = k.vvol_id WHERE k.present
    UNION ALL SELECT k.vm_id, k.id, v.id FROM vm_disk k
    JOIN datastore_extent x ON x.datastore_id = k.datastore_id
    JOIN volume v ON v.present AND v.serial = x.volume_serial
    WHERE k.present AND k.device_name IS NULL AND k.vvol_id IS NULL
"""
# Behind a datastore, seen from its hosts: the devices of its extents; of a vVol datastore the protocol endpoints of its arrays.
DATASTORE_DEVICE = """
    SELECT x.datastore_id AS subject_id, d.id AS entity_id FROM datastore_extent x
    JOIN datastore_host h ON h.datastore_id = x.datastore_id
    JOIN host_device d ON d.host_id = h.host_id AND d.canonical_name = x.canonical_name AND d.present
    UNION ALL
    SELECT s.id, d.id FROM datastore s
    JOIN datastore_host h ON h.datastore_id = s.id
    JOIN host_device d ON d.host_id = h.host_id AND d.present
    JOIN volume v ON v.serial = d.volume_serial AND v.is_protocol_endpoint AND v.present
    JOIN storage_array a ON a.source_id = v.source_id AND a.present AND a.key = ANY(s.vvol_array_ids)
    WHERE s.type = 'vvol'
"""
_DATASTORE_VOLUME = """
    SELECT x.datastore_id AS subject_id, v.id AS entity_id FROM datastore_extent x
    JOIN volume v ON v.serial = x.volume_serial AND v.present
    UNION ALL SELECT k.datastore_id, v.id FROM vm_disk k
    JOIN volume v ON v.vvol_id = k.vvol_id AND v.present WHERE k.present AND k.datastore_id IS NOT NULL
"""
# Behind an NFS datastore: the directory whose export it mounts.
DATASTORE_DIRECTORY = """
    SELECT s.id AS subject_id, d.id AS entity_id FROM datastore s
    JOIN storage_array a ON a.present AND s.nfs_host = ANY(a.file_addresses)
    JOIN directory_export e ON e.source_id = a.source_id AND e.present AND e.enabled
        AND trim(BOTH '/' FROM s.nfs_path) = trim(BOTH '/' FROM e.export_name)
    JOIN array_directory d ON d.source_id = e.source_id AND d.present AND d.name = e.directory
"""
# The devices of a VM's own host that its disks are on.
_VM_DISK_DEVICE = f"""
    SELECT m.id AS vm_id, k.id AS disk_id, d.id AS device_id FROM vm m
    JOIN vm_disk k ON k.vm_id = m.id AND k.present AND k.device_name IS NULL
    JOIN ({DATASTORE_DEVICE}) s ON s.subject_id = k.datastore_id
    JOIN host_device d ON d.id = s.entity_id AND d.host_id = m.host_id
    UNION ALL SELECT m.id, k.id, d.id FROM vm m
    JOIN vm_disk k ON k.vm_id = m.id AND k.present
    JOIN host_device d ON d.host_id = m.host_id AND d.canonical_name = k.device_name AND d.present
"""
# The same of one VM, `:id`. A join makes PostgreSQL map the whole environment first; an array that it computes once does not.
DEVICES_OF_A_VM = f"""
    SELECT d.id AS entity_id FROM vm m JOIN host_device d ON d.host_id = m.host_id
    WHERE m.id = :id AND d.id = ANY(ARRAY(
        SELECT s.entity_id FROM ({DATASTORE_DEVICE}) s WHERE s.subject_id = ANY(ARRAY(
            SELECT k.datastore_id FROM vm_disk k WHERE k.vm_id = :id AND k.present AND k.device_name IS NULL))
        UNION ALL SELECT r.id FROM vm_disk k JOIN host_device r ON r.canonical_name = k.device_name AND r.present
        WHERE k.vm_id = :id AND k.present))
"""

MEMBERS: Mapping[tuple[RefKind, Stream], str] = {
    (RefKind.DATASTORE, Stream.HOST_DEVICE): DATASTORE_DEVICE,
    (RefKind.DATASTORE, Stream.VM_DISK): (
        "SELECT datastore_id AS subject_id, id AS entity_id FROM vm_disk WHERE present AND device_name IS NULL"
    ),
    (RefKind.DATASTORE, Stream.ARRAY_VOLUME): _DATASTORE_VOLUME,
    (RefKind.DATASTORE, Stream.ARRAY_DIRECTORY): DATASTORE_DIRECTORY,
    (RefKind.VM, Stream.ARRAY_DIRECTORY): (
        "SELECT k.vm_id AS subject_id, s.entity_id FROM vm_disk k"
        f" JOIN ({DATASTORE_DIRECTORY}) s ON s.subject_id = k.datastore_id WHERE k.present"
    ),
    (RefKind.VM, Stream.HOST_DEVICE): f"SELECT vm_id AS subject_id, device_id AS entity_id FROM ({_VM_DISK_DEVICE}) k",
    (RefKind.VM, Stream.VM_DISK): "SELECT vm_id AS subject_id, id AS entity_id FROM vm_disk WHERE present",
    (RefKind.VM, Stream.ARRAY_VOLUME): f"SELECT vm_id AS subject_id, volume_id AS entity_id FROM ({_DISK_VOLUME}) k",
    (RefKind.HOST, Stream.HOST_DEVICE): "SELECT host_id AS subject_id, id AS entity_id FROM host_device WHERE present",
    (RefKind.HOST, Stream.HOST_CPU): "SELECT id AS subject_id, id AS entity_id FROM esxi_host",
    (RefKind.HOST, Stream.ARRAY_VOLUME): (
        "SELECT d.host_id AS subject_id, s.volume_id AS entity_id FROM host_device d"
        f" JOIN ({DEVICE_VOLUME}) s ON s.device_id = d.id"
    ),
    (RefKind.CLUSTER, Stream.ARRAY_VOLUME): (
        "SELECT h.cluster_id AS subject_id, s.volume_id AS entity_id FROM esxi_host h"
        f" JOIN host_device d ON d.host_id = h.id JOIN ({DEVICE_VOLUME}) s ON s.device_id = d.id WHERE h.cluster_id IS NOT NULL"
    ),
    (RefKind.ARRAY, Stream.HOST_DEVICE): (
        "SELECT a.id AS subject_id, d.id AS entity_id FROM storage_array a JOIN volume v ON v.source_id = a.source_id AND v.present"
        " JOIN host_device d ON d.volume_serial = v.serial AND d.present"
    ),
    (RefKind.ARRAY, Stream.ARRAY_VOLUME): (
        "SELECT a.id AS subject_id, v.id AS entity_id FROM storage_array a JOIN volume v ON v.source_id = a.source_id AND v.present"
    ),
    (RefKind.ARRAY, Stream.ARRAY_DIRECTORY): (
        "SELECT a.id AS subject_id, d.id AS entity_id FROM storage_array a"
        " JOIN array_directory d ON d.source_id = a.source_id AND d.present"
    ),
    (RefKind.VOLUME, Stream.HOST_DEVICE): (
        "SELECT v.id AS subject_id, d.id AS entity_id FROM volume v"
        " JOIN host_device d ON d.volume_serial = v.serial AND d.present"
    ),
    (RefKind.VOLUME, Stream.ARRAY_VOLUME): "SELECT id AS subject_id, id AS entity_id FROM volume",
    (
        RefKind.VM_DISK,
        Stream.ARRAY_VOLUME,
    ): f"SELECT disk_id AS subject_id, volume_id AS entity_id FROM ({_DISK_VOLUME}) k",
    (
        RefKind.VM_DISK,
        Stream.HOST_DEVICE,
    ): f"SELECT disk_id AS subject_id, device_id AS entity_id FROM ({_VM_DISK_DEVICE}) k",
    (
        RefKind.DEVICE,
        Stream.ARRAY_VOLUME,
    ): f"SELECT device_id AS subject_id, volume_id AS entity_id FROM ({DEVICE_VOLUME}) d",
}

# The virtual disks whose I/O goes through a thing, also where its own numbers are told by its devices or volumes.
DISKS_THROUGH: Mapping[RefKind, str] = {
    RefKind.DATASTORE: MEMBERS[RefKind.DATASTORE, Stream.VM_DISK],
    RefKind.VM: MEMBERS[RefKind.VM, Stream.VM_DISK],
    RefKind.HOST: (
        "SELECT m.host_id AS subject_id, k.id AS entity_id FROM vm_disk k JOIN vm m ON m.id = k.vm_id"
        " WHERE k.present AND m.host_id IS NOT NULL"
    ),
    RefKind.VOLUME: f"SELECT volume_id AS subject_id, disk_id AS entity_id FROM ({_DISK_VOLUME}) k",
    RefKind.ARRAY: (
        f"SELECT a.id AS subject_id, k.disk_id AS entity_id FROM ({_DISK_VOLUME}) k"
        " JOIN volume v ON v.id = k.volume_id JOIN storage_array a ON a.source_id = v.source_id AND a.present"
        f" UNION ALL SELECT a.id, k.id FROM vm_disk k JOIN ({DATASTORE_DIRECTORY}) s ON s.subject_id = k.datastore_id"
        " JOIN array_directory d ON d.id = s.entity_id JOIN storage_array a ON a.source_id = d.source_id AND a.present"
        " WHERE k.present AND k.device_name IS NULL"
    ),
}


def relation(subject: RefKind, stream: Stream) -> str:
    """(subject_id, entity_id) of the things in `:ids`, each pair once."""
    return f"SELECT DISTINCT subject_id, entity_id FROM ({MEMBERS[subject, stream]}) m WHERE subject_id = ANY(:ids)"


def members(connection: Connection, subject: RefKind, stream: Stream, ids: Sequence[int]) -> dict[int, list[int]]:
    """Entity ids by subject, in order of id; subjects without any are absent."""
    pairs = connection.execute(text(f"{relation(subject, stream)} ORDER BY 1, 2"), {"ids": list(ids)})
    found: dict[int, list[int]] = {}
    for subject_id, entity_id in pairs:
        found.setdefault(subject_id, []).append(entity_id)
    return found
