"""Hosts: the list and a single one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, select, text

from gavel.db.engine import Connection
from gavel.db.queries.devices import DeviceRow, device_rows
from gavel.db.queries.labels import labels_of
from gavel.db.queries.members import members
from gavel.db.queries.newest import NewestMinute, NewestSides, newest_minute, newest_sides
from gavel.db.queries.owners import Owner, owners
from gavel.db.queries.paging import ListQuery, RecordPage, page_of
from gavel.db.queries.refs import EntityRef, RefKind, not_found, of_sources
from gavel.db.schema.host_side import hba
from gavel.domain.fields import fields_of
from gavel.domain.labels import Label
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class HostRecord:
    id: int
    name: str
    vcenter: EntityRef
    cluster: EntityRef | None
    version: str | None
    build: str | None
    connection_state: str
    in_maintenance: bool
    devices: int
    vms: int
    owner: Owner | None
    newest: NewestSides


@dataclass(frozen=True, slots=True)
class HbaRow:
    id: int
    device: str
    driver: str | None
    model: str | None
    protocol: str
    address: str | None
    queue_depth: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDetail(HostRecord):
    hbas: tuple[HbaRow, ...]
    host_devices: tuple[DeviceRow, ...]
    first_seen: datetime
    last_seen: datetime
    labels: tuple[Label, ...]


_FACTS = """
    SELECT h.*, c.name AS cluster_name, CASE WHEN h.present THEN s.inventory_at ELSE h.last_seen_at END AS seen_until_at,
        (SELECT count(*) FROM host_device d WHERE d.host_id = h.id AND d.present) AS devices,
        (SELECT count(*) FROM vm m WHERE m.host_id = h.id AND m.present) AS vms
    FROM esxi_host h JOIN source s ON s.id = h.source_id LEFT JOIN cluster c ON c.id = h.cluster_id
    WHERE h.id = ANY(:ids)
"""


def hosts(connection: Connection, query: ListQuery, now: datetime) -> RecordPage[HostRecord]:
    """What is there now, with the newest numbers."""
    ids, total = page_of(connection, RefKind.HOST, query, now)
    return RecordPage(host_rows(connection, ids, now), total)


def host(connection: Connection, host_id: int, now: datetime) -> HostDetail:
    """Raises NotFoundError."""
    minute = newest_minute(connection, now)
    facts = _facts(connection, [host_id])
    if not facts:
        raise not_found(RefKind.HOST, host_id)
    (row,) = _rows(connection, [host_id], facts, minute)
    devices = members(connection, RefKind.HOST, Stream.HOST_DEVICE, [host_id]).get(host_id, [])
    return HostDetail(
        **fields_of(row),
        hbas=_hba_rows(connection, host_id),
        host_devices=device_rows(connection, devices, minute),
        first_seen=facts[host_id]["first_seen_at"],
        last_seen=facts[host_id]["seen_until_at"],
        labels=labels_of(connection, RefKind.HOST, [host_id]).get(host_id, ()),
    )


def host_rows(connection: Connection, ids: Sequence[int], now: datetime) -> tuple[HostRecord, ...]:
    """In the order of `ids`; what does not exist is absent."""
    return _rows(connection, ids, _facts(connection, ids), newest_minute(connection, now))


def _facts(connection: Connection, ids: Sequence[int]) -> Mapping[int, RowMapping]:
    return {row["id"]: row for row in connection.execute(text(_FACTS), {"ids": list(ids)}).mappings()}


def _rows(
    connection: Connection, ids: Sequence[int], facts: Mapping[int, RowMapping], minute: NewestMinute
) -> tuple[HostRecord, ...]:
    vcenters = of_sources(connection, RefKind.VCENTER)
    owned = owners(connection, RefKind.HOST, ids)
    newest = newest_sides(connection, RefKind.HOST, ids, minute)
    return tuple(
        HostRecord(
            id=i,
            name=facts[i]["name"],
            vcenter=vcenters[facts[i]["source_id"]],
            cluster=(
                EntityRef(RefKind.CLUSTER, facts[i]["cluster_id"], facts[i]["cluster_name"])
                if facts[i]["cluster_id"]
                else None
            ),
            version=facts[i]["version"],
            build=facts[i]["build"],
            connection_state=facts[i]["connection_state"],
            in_maintenance=facts[i]["in_maintenance"],
            devices=facts[i]["devices"],
            vms=facts[i]["vms"],
            owner=owned.get(i),
            newest=newest[i],
        )
        for i in ids
        if i in facts
    )


def _hba_rows(connection: Connection, host_id: int) -> tuple[HbaRow, ...]:
    columns = (hba.c.id, hba.c.device, hba.c.driver, hba.c.model, hba.c.protocol, hba.c.address, hba.c.queue_depth)
    present = select(*columns).where(hba.c.host_id == host_id, hba.c.present).order_by(hba.c.device)
    return tuple(HbaRow(**row) for row in connection.execute(present).mappings())
