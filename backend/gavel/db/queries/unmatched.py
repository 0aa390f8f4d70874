"""What exists on one side only, and why: things of hosts without an array, volumes and exports of arrays without a host."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.datastores import datastore_matches
from gavel.db.queries.matching import (
    BY_SERIAL,
    ArrayMatch,
    device_match,
    disk_match,
    export_match,
    path_match,
    volume_match,
)
from gavel.db.queries.refs import EntityRef, RefKind, of_sources, refs


class UnmatchedKind(StrEnum):
    """Sides: datastores, devices, virtual disks and counters of paths are the hosts', volumes and exports the arrays'."""

    DATASTORE = "datastore"
    DEVICE = "device"
    VIRTUAL_DISK = "virtual_disk"
    PATH = "path"
    VOLUME = "volume"
    EXPORT = "export"


@dataclass(frozen=True, slots=True)
class UnmatchedRecord:
    """An object that is on one side only. `shown_at`: the object whose page has details; `hosts`: names of those that see it.

    `needs_action` is false where no polled array can be behind it, or no polled host in front of it.
    """

    kind: UnmatchedKind
    id: int
    name: str
    source: EntityRef
    shown_at: EntityRef
    hosts: tuple[str, ...]
    reason: str
    remedy: str
    needs_action: bool


@dataclass(frozen=True, slots=True)
class UnmatchedQuery:
    """`search` is a part of the name, the reason or a host's name, without regard to case. None is no filter."""

    search: str = ""
    kind: UnmatchedKind | None = None
    needs_action: bool | None = None
    source_id: int | None = None
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class UnmatchedTotal:
    """Of one kind, whatever was asked for."""

    kind: UnmatchedKind
    needs_action: int
    expected: int


@dataclass(frozen=True, slots=True)
class UnmatchedRecords:
    """`total` counts all that fit the question; `counts` has every kind."""

    items: tuple[UnmatchedRecord, ...]
    total: int
    counts: tuple[UnmatchedTotal, ...]


_DATASTORES = """
    SELECT d.id, d.source_id, d.name, array(
        SELECT h.name FROM datastore_host m JOIN esxi_host h ON h.id = m.host_id WHERE m.datastore_id = d.id ORDER BY 1) AS hosts
    FROM datastore d WHERE d.present
"""
# One row for a device, however many hosts see it.
_DEVICES = f"""
    WITH behind AS ({BY_SERIAL})
    SELECT min(d.id) AS id, d.source_id, d.canonical_name, min(d.vendor) AS vendor, coalesce(min(b.volumes), 0) AS volumes,
        array_agg(h.name ORDER BY h.name) AS hosts, min(h.id) AS host_id
    FROM host_device d JOIN esxi_host h ON h.id = d.host_id LEFT JOIN behind b ON b.serial = d.volume_serial
    WHERE d.present AND coalesce(b.volumes, 0) <> 1 GROUP BY d.source_id, d.canonical_name
"""
# Those with a volume of their own: raw device mappings and vVols. Others are as their datastore.
_DISKS = """
    SELECT k.id, k.source_id, k.label, k.device_name, k.vvol_id, m.id AS vm_id, m.name AS vm, h.name AS host
    FROM vm_disk k JOIN vm m ON m.id = k.vm_id AND m.present LEFT JOIN esxi_host h ON h.id = m.host_id
    WHERE k.present AND CASE
        WHEN k.device_name IS NOT NULL THEN NOT EXISTS (SELECT FROM volume v WHERE v.present AND v.serial = k.volume_serial)
        ELSE k.vvol_id IS NOT NULL AND NOT EXISTS (SELECT FROM volume v WHERE v.present AND v.vvol_id = k.vvol_id) END
"""
# An array's host is known by an initiator that a vCenter tells of, or by a volume that it is connected to and a polled host sees.
_VOLUMES = f"""
    WITH behind AS ({BY_SERIAL}),
    seen AS (SELECT DISTINCT volume_serial AS serial FROM host_device WHERE present AND volume_serial IS NOT NULL),
    address AS (SELECT DISTINCT lower(address) AS name FROM hba WHERE present AND address IS NOT NULL),
    known AS (
        SELECT h.id FROM array_host h CROSS JOIN LATERAL unnest(h.wwns || h.iqns || h.nqns) AS initiator
        JOIN address a ON a.name = lower(initiator)
        UNION SELECT c.array_host_id FROM connection c JOIN volume v ON v.id = c.volume_id JOIN seen s ON s.serial = v.serial
        WHERE c.present)
    SELECT v.id, v.source_id, v.name, v.serial, v.vvol_id IS NOT NULL AS is_vvol, b.volumes,
        array_agg(DISTINCT h.name) AS hosts,
        array_remove(array_agg(DISTINCT CASE WHEN k.id IS NOT NULL THEN h.name END), NULL) AS polled_hosts,
        array_remove(array_agg(DISTINCT CASE WHEN h.personality = 'esxi' THEN h.name END), NULL) AS esxi
    FROM volume v JOIN behind b ON b.serial = v.serial
    JOIN connection c ON c.volume_id = v.id AND c.present
    JOIN array_host h ON h.id = c.array_host_id AND h.present AND h.is_local
    LEFT JOIN known k ON k.id = h.id
    WHERE v.present AND (b.volumes > 1 OR (
        NOT EXISTS (SELECT FROM seen s WHERE s.serial = v.serial)
        AND NOT EXISTS (SELECT FROM vm_disk d WHERE d.present AND d.vvol_id = v.vvol_id)))
    GROUP BY v.id, b.volumes
"""
_UNKNOWN_PATHS = """
    SELECT u.id, u.source_id, u.counter, u.path_names, h.id AS host_id, h.name AS host
    FROM unknown_path u JOIN esxi_host h ON h.id = u.host_id WHERE u.present AND h.present
"""
_EXPORTS = """
    SELECT e.id, e.source_id, e.export_name AS name,
        (SELECT count(*) FROM array_directory d WHERE d.source_id = e.source_id AND d.present AND d.name = e.directory) AS directories
    FROM directory_export e WHERE e.present AND e.enabled AND NOT EXISTS (
        SELECT FROM storage_array a JOIN datastore s ON s.present AND s.nfs_host = ANY(a.file_addresses)
        WHERE a.source_id = e.source_id AND a.present AND trim(BOTH '/' FROM s.nfs_path) = trim(BOTH '/' FROM e.export_name))
"""


def unmatched(connection: Connection, query: UnmatchedQuery) -> UnmatchedRecords:
    """What needs somebody's action first, then by kind and name."""
    everything = sorted(_everything(connection), key=_sort_key)
    fitting = [row for row in everything if _fits(row, query)]
    return UnmatchedRecords(
        tuple(fitting[query.offset : query.offset + query.limit]), len(fitting), tuple(_counts(everything))
    )


def _everything(connection: Connection) -> Iterator[UnmatchedRecord]:
    sources = refs(connection, RefKind.SOURCE, connection.scalars(text("SELECT id FROM source")))
    for find in (_datastores, _devices, _disks, _paths, _volumes, _exports):
        yield from find(connection, sources)


def _sort_key(row: UnmatchedRecord) -> tuple[bool, int, str, int]:
    return not row.needs_action, list(UnmatchedKind).index(row.kind), row.name.lower(), row.id


def _fits(row: UnmatchedRecord, query: UnmatchedQuery) -> bool:
    return (
        (query.kind is None or row.kind is query.kind)
        and (query.needs_action is None or row.needs_action == query.needs_action)
        and (query.source_id is None or row.source.id == query.source_id)
        and any(query.search.lower() in words.lower() for words in (row.name, row.reason, *row.hosts))
    )


def _counts(rows: Iterable[UnmatchedRecord]) -> Iterator[UnmatchedTotal]:
    found = [(row.kind, row.needs_action) for row in rows]
    for kind in UnmatchedKind:
        yield UnmatchedTotal(kind, found.count((kind, True)), found.count((kind, False)))


def _datastores(connection: Connection, sources: dict[int, EntityRef]) -> Iterator[UnmatchedRecord]:
    rows = {row["id"]: row for row in connection.execute(text(_DATASTORES)).mappings()}
    for i, match in datastore_matches(connection, list(rows)).items():
        if not match.matched:
            here = EntityRef(RefKind.DATASTORE, i, rows[i]["name"])
            source = sources[rows[i]["source_id"]]
            yield _row(UnmatchedKind.DATASTORE, i, here.name, source, here, rows[i]["hosts"], match)


def _devices(connection: Connection, sources: dict[int, EntityRef]) -> Iterator[UnmatchedRecord]:
    rows = connection.execute(text(_DEVICES)).mappings().all()
    hosts = refs(connection, RefKind.HOST, (row["host_id"] for row in rows))
    for row in rows:
        match = device_match(row["canonical_name"], vendor=row["vendor"], volumes=row["volumes"])
        here, source = hosts[row["host_id"]], sources[row["source_id"]]
        yield _row(UnmatchedKind.DEVICE, row["id"], row["canonical_name"], source, here, row["hosts"], match)


def _disks(connection: Connection, sources: dict[int, EntityRef]) -> Iterator[UnmatchedRecord]:
    for row in connection.execute(text(_DISKS)).mappings():
        match = disk_match(None, device_name=row["device_name"], vvol_id=row["vvol_id"], volumes=0)
        name, here = f"{row['vm']}: {row['label']}", EntityRef(RefKind.VM, row["vm_id"], row["vm"])
        hosts = [] if row["host"] is None else [row["host"]]
        yield _row(UnmatchedKind.VIRTUAL_DISK, row["id"], name, sources[row["source_id"]], here, hosts, match)


def _paths(connection: Connection, sources: dict[int, EntityRef]) -> Iterator[UnmatchedRecord]:
    for row in connection.execute(text(_UNKNOWN_PATHS)).mappings():
        match = path_match(row["host"], row["path_names"])
        where = EntityRef(RefKind.HOST, row["host_id"], row["host"])
        yield _row(
            UnmatchedKind.PATH, row["id"], row["counter"], sources[row["source_id"]], where, [row["host"]], match
        )


def _volumes(connection: Connection, sources: dict[int, EntityRef]) -> Iterator[UnmatchedRecord]:
    for row in connection.execute(text(_VOLUMES)).mappings():
        told = {name: row[name] for name in ("is_vvol", "volumes", "hosts", "polled_hosts", "esxi")}
        here = EntityRef(RefKind.VOLUME, row["id"], row["name"])
        match = volume_match(row["serial"], **told)
        yield _row(UnmatchedKind.VOLUME, row["id"], here.name, sources[row["source_id"]], here, row["hosts"], match)


def _exports(connection: Connection, sources: dict[int, EntityRef]) -> Iterator[UnmatchedRecord]:
    arrays = of_sources(connection, RefKind.ARRAY)
    for row in connection.execute(text(_EXPORTS)).mappings():
        match = export_match(row["name"], directories=row["directories"])
        source = sources[row["source_id"]]
        here = arrays.get(source.id, source)
        yield _row(UnmatchedKind.EXPORT, row["id"], row["name"], source, here, (), match)


def _row(
    kind: UnmatchedKind,
    thing_id: int,
    name: str,
    source: EntityRef,
    shown_at: EntityRef,
    hosts: Iterable[str],
    match: ArrayMatch,
) -> UnmatchedRecord:
    return UnmatchedRecord(
        kind, thing_id, name, source, shown_at, tuple(hosts), match.reason or "", match.remedy or "", match.needs_action
    )
