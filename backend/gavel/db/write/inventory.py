"""Storing an inventory: what appeared, changed, vanished or came back as something else, and where VMs and disks have been."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Table, select, text, update

from gavel.db.errors import NotFoundError
from gavel.db.schema import host_side
from gavel.db.schema.bookkeeping import source
from gavel.db.schema.labels import label
from gavel.db.write import inventory_kinds as kinds
from gavel.db.write.inventory_labels import store_labels
from gavel.db.write.inventory_rows import rows_by_kind, source_identity
from gavel.db.write.inventory_sync import Counts, Taking, retire_everything, store_links, sync
from gavel.db.write.tasks import note_tasks_read, store_tasks
from gavel.domain.inventory import HostInventory, InventoryTaken

__all__ = ["Counts", "Stored", "store_inventory"]


@dataclass(frozen=True, slots=True)
class Stored:
    """Counts by table, and how many events were recorded. All zero when the same inventory is stored again, or an older one."""

    tables: Mapping[str, Counts]
    events: int


def store_inventory(connection: Connection, source_id: int, taken: InventoryTaken) -> Stored:
    """Make the stored environment of a source equal to `taken`, within the caller's transaction. Raises NotFoundError.

    One inventory of a source is stored at a time (others wait); one older than the newest stored is ignored.
    """
    # Not of the key: else rows that refer to the source wait, and a snapshot of attribution could not refer to it afterwards.
    alone = select(source).where(source.c.id == source_id).with_for_update(key_share=True)
    row = connection.execute(alone).one_or_none()
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
    keys_changed = replaced or any(count.added or count.retired for count in counts) or _names_changed(stored)
    keys_changed = keys_changed or stored.tables[label.name].vanished > 0
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


def _names_changed(stored: Stored) -> bool:
    """Whether samples may go by another name now: only those of paths are not named as the key is."""
    return kinds.PATH.table.name in stored.tables and stored.tables[kinds.PATH.table.name].changed > 0


def _store(connection: Connection, taking: Taking, taken: InventoryTaken) -> Stored:
    tables: dict[str, Counts] = {}
    events = 0
    for kind, rows in rows_by_kind(taken.inventory):
        tables[kind.table.name], recorded = sync(connection, taking, kind, rows)
        events += recorded
    store_links(connection, taking.source_id, taken.inventory)
    tables[label.name] = store_labels(connection, taking, taken.inventory)
    if isinstance(taken.inventory, HostInventory):
        _sync_placement(connection, taking, host_side.vm_placement, host_side.vm, "host_id")
        _sync_placement(connection, taking, host_side.vm_disk_placement, host_side.vm_disk, "datastore_id")
        events += store_tasks(connection, taking, taken.inventory.tasks)
        if taken.inventory.tasks_are_read:
            note_tasks_read(connection, taking)
    return Stored(tables, events)


def _sync_placement(connection: Connection, taking: Taking, placement: Table, thing: Table, column: str) -> None:
    """End the ranges of what moved or vanished, begin those of what is somewhere now."""
    thing_id = f"{thing.name}_id"
    moved = f"NOT t.present OR t.{column} IS DISTINCT FROM p.{column}"
    ending = (
        f"UPDATE {placement.name} p SET valid_to = :at FROM {thing.name} t"
        f" WHERE p.{thing_id} = t.id AND t.source_id = :source_id AND p.valid_to IS NULL AND ({moved})"
    )
    beginning = (
        f"INSERT INTO {placement.name} ({thing_id}, {column}, valid_from) SELECT t.id, t.{column}, :at FROM {thing.name} t"
        f" WHERE t.source_id = :source_id AND t.present AND t.{column} IS NOT NULL AND NOT EXISTS"
        f" (SELECT FROM {placement.name} p WHERE p.{thing_id} = t.id AND p.valid_to IS NULL)"
    )
    for statement in (ending, beginning):
        connection.execute(text(statement), {"source_id": taking.source_id, "at": taking.at})
