"""VMs: the list and a single one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, select, text

from gavel.db.engine import Connection
from gavel.db.queries.datastores import datastore_matches
from gavel.db.queries.labels import labels_of
from gavel.db.queries.matching import ArrayMatch, disk_match
from gavel.db.queries.members import members
from gavel.db.queries.newest import NewestSides, newest_minute, newest_sides
from gavel.db.queries.owners import Owner, meant_values
from gavel.db.queries.paging import ListQuery, RecordPage, page_of
from gavel.db.queries.refs import EntityRef, RefKind, linked, not_found, of_sources, refs
from gavel.db.schema.host_side import vm_disk
from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.fields import fields_of
from gavel.domain.inventory import ToolsState
from gavel.domain.labels import Label, Meaning
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class GuestFacts:
    """Null and empty: not reported. Addresses and DNS name come from VMware Tools, the primary address first.

    `folder`: from the datacenter down. `resource_pool`: from below the cluster's own pool, which is "Resources".
    """

    dns_name: str | None
    ip_addresses: tuple[str, ...]
    tools_state: ToolsState | None
    folder: str | None
    resource_pool: str | None
    bios_uuid: str | None
    instance_uuid: str | None


@dataclass(frozen=True, slots=True)
class VmRecord:
    id: int
    name: str
    power_state: str
    vcenter: EntityRef
    host: EntityRef | None
    cluster: EntityRef | None
    datastores: tuple[EntityRef, ...]
    disks: int
    guest: GuestFacts
    labels: tuple[Label, ...]
    owner: Owner | None
    application: Owner | None
    newest: NewestSides


@dataclass(frozen=True, slots=True)
class VmDiskRow:
    """`queue_limit`: outstanding I/Os that its controller allows at the disk; null where the kind of controller has no known limit.
    `io_filters`: attached to it in the hypervisor, by name. `snapshot_depth`: null where it was not read, and neither were limit
    and filters.
    """

    id: int
    instance: str
    label: str
    controller_type: str
    capacity_bytes: int | None
    datastore: EntityRef | None
    device: str | None
    volume: EntityRef | None
    match: ArrayMatch
    iops_limit: int | None
    queue_limit: int | None
    snapshot_depth: int | None
    io_filters: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class VmDetail(VmRecord):
    vm_disks: tuple[VmDiskRow, ...]


_FACTS = """
    SELECT m.id, m.source_id, m.name, m.power_state, m.instance_uuid, m.bios_uuid, m.dns_name, m.ip_addresses, m.tools_state,
        m.folder, m.resource_pool, h.id AS host_id, h.name AS host_name,
        c.id AS cluster_id, c.name AS cluster_name,
        (SELECT count(*) FROM vm_disk k WHERE k.vm_id = m.id AND k.present) AS disks
    FROM vm m LEFT JOIN esxi_host h ON h.id = m.host_id LEFT JOIN cluster c ON c.id = h.cluster_id
    WHERE m.id = ANY(:ids)
"""
_DATASTORES = """
    SELECT k.vm_id AS subject, d.id, d.name FROM vm_disk k JOIN datastore d ON d.id = k.datastore_id
    WHERE k.present AND k.vm_id = ANY(:ids)
"""


def vms(connection: Connection, query: ListQuery, now: datetime) -> RecordPage[VmRecord]:
    """What is there now, with the newest numbers."""
    ids, total = page_of(connection, RefKind.VM, query, now)
    return RecordPage(vm_rows(connection, ids, now), total)


def vm(connection: Connection, vm_id: int, now: datetime) -> VmDetail:
    """Raises NotFoundError."""
    rows = vm_rows(connection, [vm_id], now)
    if not rows:
        raise not_found(RefKind.VM, vm_id)
    (row,) = rows
    return VmDetail(**fields_of(row), vm_disks=_disk_rows(connection, vm_id))


def vm_rows(connection: Connection, ids: Sequence[int], now: datetime) -> tuple[VmRecord, ...]:
    """In the order of `ids`; what does not exist is absent."""
    facts = {row["id"]: row for row in connection.execute(text(_FACTS), {"ids": list(ids)}).mappings()}
    vcenters = of_sources(connection, RefKind.VCENTER)
    datastores = linked(connection, _DATASTORES, ids, RefKind.DATASTORE)
    labels = labels_of(connection, RefKind.VM, ids)
    meant = meant_values(connection, RefKind.VM, ids)
    newest = newest_sides(connection, RefKind.VM, ids, newest_minute(connection, now))
    return tuple(
        VmRecord(
            id=i,
            name=facts[i]["name"],
            power_state=facts[i]["power_state"],
            vcenter=vcenters[facts[i]["source_id"]],
            host=_ref(RefKind.HOST, facts[i]["host_id"], facts[i]["host_name"]),
            cluster=_ref(RefKind.CLUSTER, facts[i]["cluster_id"], facts[i]["cluster_name"]),
            datastores=datastores.get(i, ()),
            disks=facts[i]["disks"],
            guest=_guest(facts[i]),
            labels=labels.get(i, ()),
            owner=meant[Meaning.OWNER].get(i),
            application=meant[Meaning.APPLICATION].get(i),
            newest=newest[i],
        )
        for i in ids
        if i in facts
    )


def _guest(facts: RowMapping) -> GuestFacts:
    state = facts["tools_state"]
    return GuestFacts(
        dns_name=facts["dns_name"],
        ip_addresses=tuple(facts["ip_addresses"]),
        tools_state=None if state is None else ToolsState(state),
        folder=facts["folder"],
        resource_pool=facts["resource_pool"],
        bios_uuid=facts["bios_uuid"],
        instance_uuid=facts["instance_uuid"],
    )


def _disk_rows(connection: Connection, vm_id: int) -> tuple[VmDiskRow, ...]:
    present = select(vm_disk).where(vm_disk.c.vm_id == vm_id, vm_disk.c.present).order_by(vm_disk.c.instance)
    disks = connection.execute(present).mappings().all()
    behind = members(connection, RefKind.VM_DISK, Stream.ARRAY_VOLUME, [disk["id"] for disk in disks])
    volumes = refs(connection, RefKind.VOLUME, (volume for found in behind.values() for volume in found))
    places = {disk["datastore_id"] for disk in disks if disk["datastore_id"] is not None}
    datastores = refs(connection, RefKind.DATASTORE, places)
    matches = datastore_matches(connection, sorted(places))
    return tuple(
        _disk_row(
            disk,
            datastores.get(disk["datastore_id"]),
            matches.get(disk["datastore_id"]),
            tuple(volumes[volume] for volume in behind.get(disk["id"], [])),
        )
        for disk in disks
    )


def _disk_row(
    disk: RowMapping, datastore: EntityRef | None, match: ArrayMatch | None, volumes: Sequence[EntityRef]
) -> VmDiskRow:
    own = {"device_name": disk["device_name"], "vvol_id": disk["vvol_id"]}
    return VmDiskRow(
        id=disk["id"],
        instance=disk["instance"],
        label=disk["label"],
        controller_type=disk["controller_type"],
        capacity_bytes=disk["capacity_bytes"],
        datastore=datastore,
        device=disk["device_name"],
        volume=volumes[0] if volumes else None,
        match=disk_match(match, volumes=len(volumes), **own),
        iops_limit=disk["iops_limit"],
        queue_limit=QUEUE_LIMITS.get(disk["controller_type"]),
        snapshot_depth=disk["snapshot_depth"],
        io_filters=disk["io_filters"],
    )


def _ref(kind: RefKind, thing_id: int | None, name: str | None) -> EntityRef | None:
    return None if thing_id is None or name is None else EntityRef(kind, thing_id, name)
