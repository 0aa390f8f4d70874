"""Datastores: the list and a single one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.queries.devices import DeviceRow, device_rows
from gavel.db.queries.labels import labels_of
from gavel.db.queries.matching import (
    VOLUMES_BEHIND,
    ArrayMatch,
    device_match,
    extents_match,
    nfs_match,
    other_match,
    vvol_match,
)
from gavel.db.queries.members import DATASTORE_DIRECTORY, members, relation
from gavel.db.queries.newest import NewestMinute, NewestSides, newest_minute, newest_sides
from gavel.db.queries.owners import Owner, owners
from gavel.db.queries.paging import ListQuery, RecordPage, page_of
from gavel.db.queries.refs import EntityRef, RefKind, linked_by_kind, not_found, of_sources
from gavel.db.queries.volumes import VolumeRecord, volume_rows
from gavel.domain.inventory import DatastoreType
from gavel.domain.labels import Label
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class DatastoreRecord:
    id: int
    name: str
    type: str
    vcenter: EntityRef
    hosts: int
    vms: int
    volumes: tuple[EntityRef, ...]
    arrays: tuple[EntityRef, ...]
    match: ArrayMatch
    owner: Owner | None
    newest: NewestSides


@dataclass(frozen=True, slots=True, kw_only=True)
class DatastoreDetail:
    id: int
    name: str
    type: str
    uuid: str | None
    capacity_bytes: int | None
    vcenter: EntityRef
    match: ArrayMatch
    extents: tuple[str, ...]
    nfs_export: str | None
    volumes: tuple[VolumeRecord, ...]
    devices: tuple[DeviceRow, ...]
    vms: tuple[EntityRef, ...]
    owner: Owner | None
    labels: tuple[Label, ...]
    newest: NewestSides


_FACTS = f"""
    SELECT d.id, d.source_id, d.name, d.type, d.uuid, d.capacity_bytes, d.nfs_host, d.nfs_path, d.vvol_array_ids,
        (SELECT count(*) FROM datastore_host h WHERE h.datastore_id = d.id) AS hosts,
        (SELECT count(DISTINCT k.vm_id) FROM vm_disk k WHERE k.datastore_id = d.id AND k.present) AS vms,
        (SELECT count(*) FROM vm_disk k WHERE k.datastore_id = d.id AND k.present AND k.vvol_id IS NOT NULL) AS vvol_disks,
        (SELECT count(*) FROM vm_disk k WHERE k.datastore_id = d.id AND k.present
            AND EXISTS (SELECT FROM volume v WHERE v.vvol_id = k.vvol_id AND v.present)) AS matched_disks,
        (SELECT count(*) FROM storage_array a WHERE a.present AND a.key = ANY(d.vvol_array_ids)) AS vvol_arrays,
        (SELECT count(*) FROM storage_array a WHERE a.present AND d.nfs_host = ANY(a.file_addresses)) AS nfs_arrays,
        (SELECT count(*) FROM storage_array a JOIN directory_export e ON e.source_id = a.source_id AND e.present AND e.enabled
            WHERE a.present AND d.nfs_host = ANY(a.file_addresses)
              AND trim(BOTH '/' FROM d.nfs_path) = trim(BOTH '/' FROM e.export_name)) AS nfs_exports,
        (SELECT count(*) FROM ({DATASTORE_DIRECTORY}) x WHERE x.subject_id = d.id) AS nfs_directories
    FROM datastore d WHERE d.id = ANY(:ids)
"""
_EXTENTS = f"""
    SELECT x.datastore_id, x.canonical_name, ({VOLUMES_BEHIND.format(serial="x.volume_serial")}) AS volumes
    FROM datastore_extent x WHERE x.datastore_id = ANY(:ids) ORDER BY 1, x.position
"""
_VOLUMES = f"""
    SELECT m.subject_id AS subject, v.id, v.name
    FROM ({relation(RefKind.DATASTORE, Stream.ARRAY_VOLUME)}) m JOIN volume v ON v.id = m.entity_id
"""
_ARRAYS = f"""
    SELECT m.subject_id AS subject, a.id, a.name FROM ({relation(RefKind.DATASTORE, Stream.ARRAY_VOLUME)}) m
    JOIN volume v ON v.id = m.entity_id JOIN storage_array a ON a.source_id = v.source_id AND a.present
    UNION ALL SELECT d.id, a.id, a.name FROM datastore d
    JOIN storage_array a ON a.present AND (d.nfs_host = ANY(a.file_addresses) OR a.key = ANY(d.vvol_array_ids))
    WHERE d.id = ANY(:ids)
"""
_LINKS = {RefKind.VOLUME: _VOLUMES, RefKind.ARRAY: _ARRAYS}
# Where each kind has its samples.
_ON_DEVICES = (Stream.HOST_DEVICE, Stream.ARRAY_VOLUME)
_STREAMS = {
    # Of an NFS volume in a capture, as of a device.
    DatastoreType.NFS: (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ARRAY_DIRECTORY),
    DatastoreType.VVOL: (Stream.VM_DISK, Stream.ARRAY_VOLUME),
}
_VMS = """
    SELECT k.datastore_id AS subject, m.id, m.name FROM vm_disk k JOIN vm m ON m.id = k.vm_id AND m.present
    WHERE k.present AND k.datastore_id = ANY(:ids)
"""


def datastores(connection: Connection, query: ListQuery, now: datetime) -> RecordPage[DatastoreRecord]:
    """What is there now, with the newest numbers."""
    ids, total = page_of(connection, RefKind.DATASTORE, query, now)
    return RecordPage(datastore_rows(connection, ids, now), total)


def datastore(connection: Connection, datastore_id: int, now: datetime) -> DatastoreDetail:
    """Raises NotFoundError."""
    ids = [datastore_id]
    known, extents = _facts(connection, ids), _extents(connection, ids)
    if not known:
        raise not_found(RefKind.DATASTORE, datastore_id)
    minute = newest_minute(connection, now)
    facts, links = known[datastore_id], linked_by_kind(connection, _LINKS | {RefKind.VM: _VMS}, ids)
    (row,) = _rows(connection, ids, known, extents, links, minute)
    devices = members(connection, RefKind.DATASTORE, Stream.HOST_DEVICE, ids).get(datastore_id, [])
    return DatastoreDetail(
        id=row.id,
        name=row.name,
        type=row.type,
        uuid=facts["uuid"],
        capacity_bytes=facts["capacity_bytes"],
        vcenter=row.vcenter,
        match=row.match,
        extents=tuple(extent["canonical_name"] for extent in extents.get(datastore_id, [])),
        nfs_export=f"{facts['nfs_host']}:{facts['nfs_path']}" if facts["nfs_host"] else None,
        volumes=volume_rows(connection, sorted(volume.id for volume in row.volumes), minute),
        devices=device_rows(connection, devices, minute),
        vms=links[RefKind.VM].get(datastore_id, ()),
        owner=row.owner,
        labels=labels_of(connection, RefKind.DATASTORE, ids).get(datastore_id, ()),
        newest=row.newest,
    )


def datastore_rows(connection: Connection, ids: Sequence[int], now: datetime) -> tuple[DatastoreRecord, ...]:
    """In the order of `ids`."""
    links, minute = linked_by_kind(connection, _LINKS, ids), newest_minute(connection, now)
    return _rows(connection, ids, _facts(connection, ids), _extents(connection, ids), links, minute)


def _rows(
    connection: Connection,
    ids: Sequence[int],
    facts: Mapping[int, RowMapping],
    extents: Mapping[int, Sequence[RowMapping]],
    links: Mapping[RefKind, Mapping[int, tuple[EntityRef, ...]]],
    minute: NewestMinute,
) -> tuple[DatastoreRecord, ...]:
    vcenters = of_sources(connection, RefKind.VCENTER)
    volumes, arrays = links[RefKind.VOLUME], links[RefKind.ARRAY]
    owned = owners(connection, RefKind.DATASTORE, ids)
    streams = {stream for i in ids for stream in _STREAMS.get(facts[i]["type"], _ON_DEVICES)}
    newest = newest_sides(connection, RefKind.DATASTORE, ids, minute, sorted(streams))
    return tuple(
        DatastoreRecord(
            id=i,
            name=facts[i]["name"],
            type=facts[i]["type"],
            vcenter=vcenters[facts[i]["source_id"]],
            hosts=facts[i]["hosts"],
            vms=facts[i]["vms"],
            volumes=volumes.get(i, ()),
            arrays=arrays.get(i, ()),
            match=_match(facts[i], extents.get(i, ())),
            owner=owned.get(i),
            newest=newest[i],
        )
        for i in ids
    )


def datastore_matches(connection: Connection, ids: Sequence[int]) -> dict[int, ArrayMatch]:
    """How each is tied to an array, or why not."""
    facts, extents = _facts(connection, ids), _extents(connection, ids)
    return {i: _match(facts[i], extents.get(i, ())) for i in ids}


def _match(facts: RowMapping, extents: Sequence[RowMapping]) -> ArrayMatch:
    match facts["type"]:
        case DatastoreType.VMFS:
            found = (device_match(x["canonical_name"], vendor=None, volumes=x["volumes"]) for x in extents)
            return extents_match(tuple(found))
        case DatastoreType.NFS:
            counts = {name: facts[f"nfs_{name}"] for name in ("exports", "directories", "arrays")}
            return nfs_match(facts["nfs_host"], facts["nfs_path"], **counts)
        case DatastoreType.VVOL:
            disks, matched = facts["vvol_disks"], facts["matched_disks"]
            return vvol_match(disks=disks, matched_disks=matched, arrays=facts["vvol_arrays"])
        case kind:
            return other_match(kind)


def _facts(connection: Connection, ids: Sequence[int]) -> dict[int, RowMapping]:
    return {row["id"]: row for row in connection.execute(text(_FACTS), {"ids": list(ids)}).mappings()}


def _extents(connection: Connection, ids: Sequence[int]) -> dict[int, list[RowMapping]]:
    found: dict[int, list[RowMapping]] = {}
    for row in connection.execute(text(_EXTENTS), {"ids": list(ids)}).mappings():
        found.setdefault(row["datastore_id"], []).append(row)
    return found
