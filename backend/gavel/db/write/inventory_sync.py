"""Makes one inventory table equal to what was staged, by sets: retire, update, add, mark as gone; and records events."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from psycopg.types.json import Jsonb
from sqlalchemy import Connection, Table, delete, insert, select, text, tuple_
from sqlalchemy.dialects.postgresql import JSONB

from gavel.db import copying
from gavel.db.schema import array_side, host_side
from gavel.db.write.inventory_kinds import EventColumn, InventoryTable
from gavel.db.write.inventory_rows import Row
from gavel.domain.inventory import ArrayInventory, HostInventory, Inventory
from gavel.domain.naming import volume_serial


@dataclass(frozen=True, slots=True)
class Counts:
    """`orphans` named a parent that the same inventory does not hold, and were left out until a later one does."""

    added: int = 0
    changed: int = 0
    vanished: int = 0
    retired: int = 0
    orphans: int = 0


@dataclass(frozen=True, slots=True)
class Taking:
    """Of which source, when, and when the one before was taken (None for the first)."""

    source_id: int
    at: datetime
    previous_at: datetime | None

    @property
    def parameters(self) -> dict[str, Any]:
        return {"source_id": self.source_id, "at": self.at, "seen": self.previous_at or self.at}


def sync(connection: Connection, taking: Taking, kind: InventoryTable, rows: Iterable[Row]) -> tuple[Counts, int]:
    """Counts, and the number of events. `rows` hold every column of the kind and `key`."""
    staged, orphans = _with_ids(connection, taking, kind, {row["key"]: row for row in rows}.values())
    _stage(connection, kind, staged)
    run = _Run(connection, kind, taking)
    retired = run.retire_others()
    events = run.record_events()
    changed, added, vanished = run.update(), run.add(), run.mark_gone()
    return Counts(added, changed, vanished, retired, orphans), events + retired


def retire_everything(connection: Connection, taking: Taking, kinds: Sequence[InventoryTable]) -> None:
    """Another array or vCenter answers under this source: nothing that was known may be mixed with what it holds."""
    for kind in kinds:
        connection.execute(
            text(
                f"UPDATE {kind.table.name} SET key = key || '~' || id, present = false"
                " WHERE source_id = :source_id AND key NOT LIKE '%~' || id"
            ),
            taking.parameters,
        )


def _with_ids(
    connection: Connection, taking: Taking, kind: InventoryTable, rows: Iterable[Row]
) -> tuple[list[Row], int]:
    """Rows with ids instead of the parents' keys, and how many lack a parent they cannot be without."""
    ids = {column: ids_by_key(connection, taking.source_id, parent) for column, parent in kind.references.items()}
    resolved = [row | {column: known.get(row[column]) for column, known in ids.items()} for row in rows]
    complete = [row for row in resolved if all(row[column] is not None for column in kind.required)]
    return complete, len(resolved) - len(complete)


def ids_by_key(connection: Connection, source_id: int, table: Table) -> Mapping[str, int]:
    rows = connection.execute(select(table.c.key, table.c.id).where(table.c.source_id == source_id))
    return {row.key: row.id for row in rows}


def _stage(connection: Connection, kind: InventoryTable, rows: Sequence[Row]) -> None:
    """COPY the rows into a temporary table `staged_<table>` that is empty again after the transaction."""
    staged = f"staged_{kind.table.name}"
    names = ("key", *kind.columns)
    types = ", ".join(f"{name} {kind.table.c[name].type.compile(connection.dialect)}" for name in names)
    connection.exec_driver_sql(f"CREATE TEMP TABLE IF NOT EXISTS {staged} ({types}) ON COMMIT DELETE ROWS")
    connection.exec_driver_sql(f"TRUNCATE {staged}")
    as_json = {name for name in names if isinstance(kind.table.c[name].type, JSONB)}
    with copying.copying(connection, staged, names) as stream:
        for row in rows:
            stream.write_row([Jsonb(row[name]) if name in as_json else row[name] for name in names])
    connection.exec_driver_sql(f"ANALYZE {staged}")


@dataclass(frozen=True, slots=True)
class _Run:
    """The statements for one kind. `t` is the table, `s` what was staged."""

    connection: Connection
    kind: InventoryTable
    taking: Taking

    def retire_others(self) -> int:
        """Rows whose key now belongs to something else leave it; what is staged becomes a new row."""
        different = " OR ".join(f"t.{column} <> s.{column}" for column in self.kind.identity)
        if not different:
            return 0
        retired = (
            f"UPDATE {self._table} t SET key = t.key || '~' || t.id, present = false, last_seen_at = :seen"
            f" FROM {self._staged} s WHERE {self._same} AND ({different}) RETURNING t.id, t.{self.kind.label} AS label"
        )
        return self._execute(
            f"WITH retired AS ({retired}) INSERT INTO event"
            " (source_id, happened_at, kind, subject_table, subject_id, subject_name)"
            f" SELECT :source_id, :at, 'replaced', '{self._table}', id, label FROM retired"
        )

    def record_events(self) -> int:
        return sum(self._record(watched) for watched in self.kind.watched)

    def update(self) -> int:
        values = ", ".join(f"{column} = s.{column}" for column in self.kind.columns)
        stored, staged = (", ".join(f"{side}.{column}" for column in self.kind.columns) for side in ("t", "s"))
        return self._execute(
            f"UPDATE {self._table} t SET {values}, present = true, last_seen_at = :at FROM {self._staged} s"
            f" WHERE {self._same} AND (t.present, {stored}) IS DISTINCT FROM (true, {staged})"
        )

    def add(self) -> int:
        columns = ", ".join(self.kind.columns)
        return self._execute(
            f"INSERT INTO {self._table} (source_id, key, first_seen_at, last_seen_at, present, {columns})"
            f" SELECT :source_id, key, :at, :at, true, {columns} FROM {self._staged} s"
            f" WHERE NOT EXISTS (SELECT FROM {self._table} t WHERE {self._same}) ORDER BY key"
        )

    def mark_gone(self) -> int:
        return self._execute(
            f"UPDATE {self._table} t SET present = false, last_seen_at = :seen WHERE t.source_id = :source_id"
            f" AND t.present AND NOT EXISTS (SELECT FROM {self._staged} s WHERE s.key = t.key)"
        )

    def _record(self, watched: EventColumn) -> int:
        before, after = (self._shown(side, watched) for side in ("t", "s"))
        return self._execute(
            "INSERT INTO event (source_id, happened_at, kind, subject_table, subject_id, subject_name, before, after)"
            f" SELECT :source_id, :at, '{watched.event}', '{self._table}', t.id, s.{self.kind.label}, {before}, {after}"
            f" FROM {self._table} t JOIN {self._staged} s ON {self._same}"
            f" WHERE t.present AND t.{watched.column} IS DISTINCT FROM s.{watched.column}"
        )

    def _shown(self, side: str, watched: EventColumn) -> str:
        value = f"{side}.{watched.column}"
        return (
            f"{value}::text" if watched.names is None else f"(SELECT name FROM {watched.names.name} WHERE id = {value})"
        )

    def _execute(self, statement: str) -> int:
        return self.connection.execute(text(statement), self.taking.parameters).rowcount

    @property
    def _table(self) -> str:
        return self.kind.table.name

    @property
    def _staged(self) -> str:
        return f"staged_{self.kind.table.name}"

    @property
    def _same(self) -> str:
        return "t.source_id = :source_id AND t.key = s.key"


_Link: TypeAlias = tuple[Any, ...]


def store_links(connection: Connection, source_id: int, inventory: Inventory) -> None:
    if isinstance(inventory, ArrayInventory):
        _store_pods(connection, source_id, inventory)
    else:
        _store_datastores(connection, source_id, inventory)


def _store_pods(connection: Connection, source_id: int, inventory: ArrayInventory) -> None:
    ids = ids_by_key(connection, source_id, array_side.pod)
    links = {(ids[pod.key], array_key) for pod in inventory.pods for array_key in pod.array_keys}
    _replace(connection, array_side.pod_array, [ids[pod.key] for pod in inventory.pods], links)


def _store_datastores(connection: Connection, source_id: int, inventory: HostInventory) -> None:
    ids = ids_by_key(connection, source_id, host_side.datastore)
    owners = [ids[datastore.key] for datastore in inventory.datastores]
    _replace(connection, host_side.datastore_extent, owners, set(_extents(inventory, ids)))
    hosts = ids_by_key(connection, source_id, host_side.esxi_host)
    links = {
        (ids[datastore.key], hosts[key])
        for datastore in inventory.datastores
        for key in datastore.host_keys
        if key in hosts
    }
    _replace(connection, host_side.datastore_host, owners, links)


def _extents(inventory: HostInventory, ids: Mapping[str, int]) -> Iterator[_Link]:
    for datastore in inventory.datastores:
        for position, name in enumerate(datastore.extents):
            yield ids[datastore.key], position, name, volume_serial(name)


def _replace(connection: Connection, table: Table, owners: Collection[int], wanted: set[_Link]) -> None:
    """Make the links of `owners` (the first column) equal to `wanted`, touching only what differs."""
    owner, *_ = table.c
    stored = {tuple(row) for row in connection.execute(select(table).where(owner.in_(owners)))}
    names = [column.name for column in table.c]
    gone, new = stored - wanted, wanted - stored
    if gone:
        key = list(table.primary_key)
        positions = [names.index(column.name) for column in key]
        keys = [tuple(link[position] for position in positions) for link in gone]
        connection.execute(delete(table).where(tuple_(*key).in_(keys)))
    if new:
        connection.execute(insert(table), [dict(zip(names, link, strict=True)) for link in sorted(new)])
