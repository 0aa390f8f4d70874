"""Volumes: the list and a single one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, select, text

from gavel.db.engine import Connection
from gavel.db.queries.devices import DeviceRow, device_rows
from gavel.db.queries.labels import labels_of
from gavel.db.queries.members import members
from gavel.db.queries.newest import (
    NO_PARTS,
    NewestMinute,
    NewestSides,
    VolumeParts,
    newest_minute,
    newest_sides,
    volume_parts,
)
from gavel.db.queries.owners import Owner, owners
from gavel.db.queries.paging import ListQuery, RecordPage, page_of
from gavel.db.queries.refs import EntityRef, RefKind, linked, not_found, of_sources
from gavel.db.schema.array_side import pod
from gavel.db.schema.array_side import volume as volume_table
from gavel.domain.fields import fields_of
from gavel.domain.labels import Label
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class VolumeRecord:
    """`stretched`: on two arrays under one serial; host counters include I/Os to both. `is_protocol_endpoint`: carries vVols,
    whose I/Os are counted on their own volumes."""

    id: int
    name: str
    serial: str
    array: EntityRef
    pod: EntityRef | None
    stretched: bool
    size_bytes: int | None
    qos_iops_limit: int | None
    qos_bytes_per_s_limit: int | None
    is_protocol_endpoint: bool
    datastores: tuple[EntityRef, ...]
    owner: Owner | None
    newest: NewestSides
    parts: VolumeParts


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeDetail(VolumeRecord):
    """`peers`: the same serial on the other array of its pod."""

    connected_hosts: tuple[str, ...]
    peers: tuple[VolumeRecord, ...]
    devices: tuple[DeviceRow, ...]
    labels: tuple[Label, ...]


_DATASTORES = """
    SELECT v.id AS subject, d.id, d.name FROM volume v
    JOIN datastore_extent x ON x.volume_serial = v.serial
    JOIN datastore d ON d.id = x.datastore_id AND d.present WHERE v.id = ANY(:ids)
    UNION ALL SELECT v.id, d.id, d.name FROM volume v
    JOIN vm_disk k ON k.vvol_id = v.vvol_id AND k.present
    JOIN datastore d ON d.id = k.datastore_id AND d.present WHERE v.id = ANY(:ids)
"""
_CONNECTED_HOSTS = """
    SELECT DISTINCT coalesce(h.name, c.host_group) FROM connection c
    LEFT JOIN array_host h ON h.id = c.array_host_id
    WHERE c.volume_id = :id AND c.present AND coalesce(h.name, c.host_group) IS NOT NULL ORDER BY 1
"""
# The volume itself comes first.
_WITH_PEERS = """
    SELECT p.id FROM volume v JOIN volume p ON p.id = v.id OR (p.serial = v.serial AND p.present)
    WHERE v.id = :id ORDER BY p.id <> v.id, p.id
"""


def volumes(connection: Connection, query: ListQuery, now: datetime) -> RecordPage[VolumeRecord]:
    """What is there now, with the newest numbers."""
    ids, total = page_of(connection, RefKind.VOLUME, query, now)
    return RecordPage(volume_rows(connection, ids, newest_minute(connection, now)), total)


def volume(connection: Connection, volume_id: int, now: datetime) -> VolumeDetail:
    """Raises NotFoundError."""
    ids = connection.scalars(text(_WITH_PEERS), {"id": volume_id}).all()
    if not ids:
        raise not_found(RefKind.VOLUME, volume_id)
    minute = newest_minute(connection, now)
    row, *peer_rows = volume_rows(connection, ids, minute)
    devices = members(connection, RefKind.VOLUME, Stream.HOST_DEVICE, [volume_id]).get(volume_id, [])
    return VolumeDetail(
        **fields_of(row),
        connected_hosts=tuple(connection.scalars(text(_CONNECTED_HOSTS), {"id": volume_id})),
        peers=tuple(peer_rows),
        devices=device_rows(connection, devices, minute),
        labels=labels_of(connection, RefKind.VOLUME, [volume_id]).get(volume_id, ()),
    )


def volume_rows(connection: Connection, ids: Sequence[int], minute: NewestMinute) -> tuple[VolumeRecord, ...]:
    """In the order of `ids`."""
    query = (
        select(volume_table, pod.c.name.label("pod_name"), pod.c.array_count)
        .outerjoin(pod, pod.c.id == volume_table.c.pod_id)
        .where(volume_table.c.id.in_(ids))
    )
    rows = {row["id"]: row for row in connection.execute(query).mappings()}
    newest = newest_sides(connection, RefKind.VOLUME, ids, minute)
    parts = volume_parts(connection, ids, minute)
    datastores = linked(connection, _DATASTORES, ids, RefKind.DATASTORE)
    arrays = of_sources(connection, RefKind.ARRAY)
    owned = owners(connection, RefKind.VOLUME, ids)
    return tuple(
        _row(
            rows[i],
            array=arrays[rows[i]["source_id"]],
            datastores=datastores.get(i, ()),
            owner=owned.get(i),
            newest=newest[i],
            parts=parts.get(i, NO_PARTS),
        )
        for i in ids
    )


def _row(
    row: RowMapping,
    *,
    array: EntityRef,
    datastores: tuple[EntityRef, ...],
    owner: Owner | None,
    newest: NewestSides,
    parts: VolumeParts,
) -> VolumeRecord:
    return VolumeRecord(
        id=row["id"],
        name=row["name"],
        serial=row["serial"],
        array=array,
        pod=None if row["pod_id"] is None else EntityRef(RefKind.POD, row["pod_id"], row["pod_name"]),
        stretched=(row["array_count"] or 1) > 1,
        size_bytes=row["size_bytes"],
        qos_iops_limit=row["qos_iops_limit"],
        qos_bytes_per_s_limit=row["qos_bytes_per_s_limit"],
        is_protocol_endpoint=row["is_protocol_endpoint"],
        datastores=datastores,
        owner=owner,
        newest=newest,
        parts=parts,
    )
