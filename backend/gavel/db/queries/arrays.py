"""Arrays: the list and a single one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, text

from gavel.db.engine import Connection
from gavel.db.queries.array_ports import ArrayPortRow, array_ports
from gavel.db.queries.newest import NewestSides, newest_minute, newest_sides
from gavel.db.queries.paging import ListQuery, RecordPage, page_of
from gavel.db.queries.refs import EntityRef, RefKind, linked, not_found
from gavel.domain.fields import fields_of
from gavel.domain.inventory import Fact, PortHealth


@dataclass(frozen=True, slots=True)
class ArrayRecord:
    """`version`: of the array's software. `facts`: what else the array says of itself, in its vendor's words."""

    id: int
    name: str
    source: EntityRef
    model: str | None
    version: str
    facts: tuple[Fact, ...]
    volumes: int
    hosts: int
    pods: int
    newest: NewestSides


@dataclass(frozen=True, slots=True)
class PodRow:
    """`arrays`: those of its arrays that Gavel polls."""

    id: int
    name: str
    stretched: bool
    volumes: int
    arrays: tuple[EntityRef, ...]


@dataclass(frozen=True, slots=True)
class ArrayHostRow:
    """A host object of the array. The ports of a host that is not its own (`is_local` false) are not known to it; `managed_by`: the array
    whose host it is, where it is named.
    """

    name: str
    personality: str | None
    is_local: bool
    port_health: PortHealth | None
    managed_by: str | None
    preferred_arrays: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayDetail(ArrayRecord):
    pod_list: tuple[PodRow, ...]
    array_hosts: tuple[ArrayHostRow, ...]
    ports: tuple[ArrayPortRow, ...]


_FACTS = """
    SELECT a.*, c.name AS source_name,
        (SELECT count(*) FROM volume v WHERE v.source_id = a.source_id AND v.present) AS volumes,
        (SELECT count(*) FROM array_host h WHERE h.source_id = a.source_id AND h.present) AS hosts,
        (SELECT count(*) FROM pod p WHERE p.source_id = a.source_id AND p.present) AS pods
    FROM storage_array a JOIN source c ON c.id = a.source_id WHERE a.id = ANY(:ids)
"""
# An array of a pod that is no source of Gavel has no id here.
_PODS = """
    SELECT p.id, p.name, p.array_count > 1 AS stretched,
        (SELECT count(*) FROM volume v WHERE v.pod_id = p.id AND v.present) AS volumes
    FROM pod p JOIN storage_array a ON a.source_id = p.source_id WHERE a.id = :id AND p.present ORDER BY lower(p.name), p.id
"""
_POD_ARRAYS = """
    SELECT k.pod_id AS subject, b.id, b.name FROM pod_array k JOIN storage_array b ON b.key = k.array_key AND b.present
    WHERE k.pod_id = ANY(:ids)
"""
# Preferred arrays are told by name; one that is no source of Gavel by its id.
_HOSTS = """
    SELECT h.name, h.personality, h.is_local, h.port_health, h.port_health_detail, h.managed_by, ARRAY(
        SELECT coalesce((SELECT min(b.name) FROM storage_array b WHERE b.key = k.array_key AND b.present), k.array_key)
        FROM unnest(h.preferred_arrays) WITH ORDINALITY AS k (array_key, n) ORDER BY k.n) AS preferred_arrays
    FROM array_host h JOIN storage_array a ON a.source_id = h.source_id WHERE a.id = :id AND h.present ORDER BY lower(h.name), h.id
"""


def arrays(connection: Connection, query: ListQuery, now: datetime) -> RecordPage[ArrayRecord]:
    """What is there now, with the newest numbers."""
    ids, total = page_of(connection, RefKind.ARRAY, query, now)
    return RecordPage(array_rows(connection, ids, now), total)


def array(connection: Connection, array_id: int, now: datetime) -> ArrayDetail:
    """Raises NotFoundError."""
    rows = array_rows(connection, [array_id], now)
    if not rows:
        raise not_found(RefKind.ARRAY, array_id)
    (row,) = rows
    pods = connection.execute(text(_PODS), {"id": array_id}).all()
    partners = linked(connection, _POD_ARRAYS, [pod.id for pod in pods], RefKind.ARRAY)
    hosts = connection.execute(text(_HOSTS), {"id": array_id}).all()
    return ArrayDetail(
        **fields_of(row),
        pod_list=tuple(PodRow(pod.id, pod.name, pod.stretched, pod.volumes, partners.get(pod.id, ())) for pod in pods),
        array_hosts=tuple(map(_array_host, hosts)),
        ports=array_ports(connection, array_id, now),
    )


def _array_host(row: Row[Any]) -> ArrayHostRow:
    return ArrayHostRow(
        name=row.name,
        personality=row.personality,
        is_local=row.is_local,
        port_health=None if row.port_health is None else PortHealth(row.port_health, row.port_health_detail),
        managed_by=row.managed_by,
        preferred_arrays=tuple(row.preferred_arrays),
    )


def array_rows(connection: Connection, ids: Sequence[int], now: datetime) -> tuple[ArrayRecord, ...]:
    """In the order of `ids`; what does not exist is absent."""
    facts = {row["id"]: row for row in connection.execute(text(_FACTS), {"ids": list(ids)}).mappings()}
    newest = newest_sides(connection, RefKind.ARRAY, ids, newest_minute(connection, now))
    return tuple(
        ArrayRecord(
            id=i,
            name=facts[i]["name"],
            source=EntityRef(RefKind.SOURCE, facts[i]["source_id"], facts[i]["source_name"]),
            model=facts[i]["model"],
            version=facts[i]["version"],
            facts=tuple(Fact(**fact) for fact in facts[i]["facts"]),
            volumes=facts[i]["volumes"],
            hosts=facts[i]["hosts"],
            pods=facts[i]["pods"],
            newest=newest[i],
        )
        for i in ids
        if i in facts
    )
