"""Storing an inventory: what appeared, changed, vanished or came back as something else, and where VMs and disks have been."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Table, select, text, update

from gavel.db import estate_kinds as kinds
from gavel.db.errors import NotFoundError
from gavel.db.estate_links import store_links
from gavel.db.estate_rows import rows_by_kind, source_identity
from gavel.db.estate_sync import Counts, Taking, retire_everything, sync
from gavel.db.tables import host_side
from gavel.db.tables.bookkeeping import source
from gavel.domain.inventory import HostInventory, InventoryTaken

__all__ = ["Counts", "Stored", "store_inventory"]


@dataclass(frozen=True, slots=True)
class Stored:
    """Counts by table, and how many events were recorded. All zero when the same inventory is stored again, or an older one."""

    tables: Mapping[str, Counts]
    events: int


def store_inventory(connection: Connection, source_id: int, taken: InventoryTaken) -> Stored:
    """Make the stored estate of a source equal to `taken`, within the caller's transaction. Raises NotFoundError.

    One inventory of a source is stored at a time (others wait); one older than the newest stored is ignored.
    """
    row = connection.execute(select(source).where(source.c.id == source_id).with_for_update()).one_or_none()
    if row is None:
        raise NotFoundError(f"Source {source_id} does not exist any more; its inventory was not stored.")
    if row.inventory_at is not None and taken.taken_at < row.inventory_at:
        return Stored({}, 0)
    taking = Taking(source_id, taken.taken_at, row.inventory_at)
    identity = source_identity(taken.inventory)
    replaced = row.identity is not None and row.identity != identity
    if replaced:
        retire_everything(connection, taking, kinds.ARRAY_KINDS + kinds.HOST_KINDS)
    stored = _store(connection, taking, taken)
    counts = stored.tables.values()
    keys_changed = replaced or any(count.added or count.retired for count in counts)
    connection.execute(
        update(source)
        .where(source.c.id == source_id)
        .values(
            identity=identity,
            inventory_at=taken.taken_at,
            withheld=list(taken.inventory.withheld) if isinstance(taken.inventory, HostInventory) else [],
            inventory_revision=source.c.inventory_revision + int(keys_changed),
        )
    )
    return stored


def _store(connection: Connection, taking: Taking, taken: InventoryTaken) -> Stored:
    tables: dict[str, Counts] = {}
    events = 0
    for kind, rows in rows_by_kind(taken.inventory):
        tables[kind.table.name], recorded = sync(connection, taking, kind, rows)
        events += recorded
    store_links(connection, taking.source_id, taken.inventory)
    if isinstance(taken.inventory, HostInventory):
        _place(connection, taking, host_side.vm_placement, host_side.vm, "host_id")
        _place(connection, taking, host_side.vm_disk_placement, host_side.vm_disk, "datastore_id")
    return Stored(tables, events)


def _place(connection: Connection, taking: Taking, placement: Table, thing: Table, place: str) -> None:
    """End the ranges of what moved or vanished, begin those of what is somewhere now."""
    thing_id = f"{thing.name}_id"
    moved = f"NOT t.present OR t.{place} IS DISTINCT FROM p.{place}"
    ending = (
        f"UPDATE {placement.name} p SET valid_to = :at FROM {thing.name} t"
        f" WHERE p.{thing_id} = t.id AND t.source_id = :source_id AND p.valid_to IS NULL AND ({moved})"
    )
    beginning = (
        f"INSERT INTO {placement.name} ({thing_id}, {place}, valid_from) SELECT t.id, t.{place}, :at FROM {thing.name} t"
        f" WHERE t.source_id = :source_id AND t.present AND t.{place} IS NOT NULL AND NOT EXISTS"
        f" (SELECT FROM {placement.name} p WHERE p.{thing_id} = t.id AND p.valid_to IS NULL)"
    )
    for statement in (ending, beginning):
        connection.execute(text(statement), {"source_id": taking.source_id, "at": taking.at})
