"""Storing an inventory: what appeared, changed, vanished or came back as something else, and where VMs and disks have been."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from gavel.domain.inventory import InventoryTaken


@dataclass(frozen=True, slots=True)
class Counts:
    """`orphans` named a parent that the same inventory does not hold, and were left out until a later one does."""

    added: int = 0
    changed: int = 0
    vanished: int = 0
    retired: int = 0
    orphans: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """Counts by table, and how many events were recorded. All zero when the same inventory is stored again, or an older one."""

    tables: Mapping[str, Counts]
    events: int


def store_inventory(connection: Connection, source_id: int, taken: InventoryTaken) -> Stored:
    """Make the stored estate of a source equal to `taken`, within the caller's transaction.

    One inventory of a source is stored at a time (others wait); one older than the newest stored is ignored.
    """
    raise NotImplementedError
