"""Things that have rows in the ledger: by name, and how far the ledger is."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select, text

from gavel.db.copying import int_array
from gavel.db.engine import Connection
from gavel.db.queries.expectations import backing_arrays_sql
from gavel.db.queries.filters import narrowed
from gavel.db.queries.members import MEMBERS, relation
from gavel.db.queries.object_filter import NO_FILTER, ObjectFilter
from gavel.db.queries.refs import TABLES, EntityRef, RefKind, linked, refs
from gavel.db.schema.ledger import correlated
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

SCOPES: Mapping[RefKind, ScopeKind] = {
    RefKind.DATASTORE: ScopeKind.DATASTORE,
    RefKind.VM: ScopeKind.VM,
    RefKind.HOST: ScopeKind.HOST,
    RefKind.CLUSTER: ScopeKind.CLUSTER,
    RefKind.VOLUME: ScopeKind.VOLUME,
    RefKind.ARRAY: ScopeKind.ARRAY,
}


def ledger_until(connection: Connection) -> datetime | None:
    """Minutes that begin before it have been attributed; None before the first one."""
    return connection.execute(select(correlated.c.until_at)).scalar_one_or_none()


def present_things(
    connection: Connection,
    kind: RefKind,
    search: str = "",
    wanted: ObjectFilter = NO_FILTER,
    *,
    with_endpoints: bool = False,
) -> Sequence[tuple[int, str]]:
    """Id and name of those that are there, whose name holds `search` and that fit the filter, by name. Protocol endpoints hold no data
    and are left out where they are not asked for."""
    table = TABLES[kind]
    query: Select[Any] = select(table.c.id, table.c.name).where(table.c.present)
    if search:
        query = query.where(table.c.name.icontains(search, autoescape=True))
    query = narrowed(query, kind, wanted)
    if kind is RefKind.VOLUME and not with_endpoints:
        query = query.where(~table.c.is_protocol_endpoint)
    rows = connection.execute(query.order_by(func.lower(table.c.name), table.c.id)).all()
    return [(thing_id, name) for thing_id, name in rows]


def arrays_behind(connection: Connection, kind: RefKind, ids: Sequence[int]) -> dict[int, tuple[EntityRef, ...]]:
    """The arrays that hold the volumes and directories of things, by name; what is on no known array is absent."""
    if kind is RefKind.ARRAY:
        return {thing_id: (array,) for thing_id, array in refs(connection, kind, ids).items()}
    holds = [
        f"SELECT m.subject_id AS subject, a.id, a.name FROM ({relation(kind, stream)}) m"
        f" JOIN {table} e ON e.id = m.entity_id JOIN storage_array a ON a.source_id = e.source_id AND a.present"
        for stream, table in ((Stream.ARRAY_VOLUME, "volume"), (Stream.ARRAY_DIRECTORY, "array_directory"))
        if (kind, stream) in MEMBERS
    ]
    return linked(connection, " UNION ALL ".join(holds), ids, RefKind.ARRAY)


def array_names(connection: Connection, kind: RefKind, thing_id: int) -> Sequence[str]:
    """Of the arrays that a thing is on, by name."""
    sources = f"ARRAY(SELECT source_id FROM ({backing_arrays_sql(kind)}) b)"
    query = text(f"SELECT DISTINCT name FROM storage_array WHERE source_id = ANY({sources}) AND present ORDER BY 1")
    return list(connection.scalars(query, {"ids": [thing_id]}))


def sources_behind(connection: Connection, kind: RefKind, ids: Sequence[int]) -> list[int]:
    """The vCenters that have things of a kind in their inventory, and the arrays that these are on, each once."""
    query = text(
        f"SELECT source_id FROM {TABLES[kind].name} WHERE id = ANY(CAST(:listed AS int[]))"
        f" UNION SELECT source_id FROM ({backing_arrays_sql(kind)}) b ORDER BY 1"
    )
    return list(connection.scalars(query, {"listed": int_array(ids), "ids": list(ids)}))
