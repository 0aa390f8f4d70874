"""Reading what exists on a source, and storing it."""

from datetime import timedelta

from gavel.collectors.contract import Collector
from gavel.db import live
from gavel.db.engine import reading, transaction
from gavel.db.inventory import store_inventory
from gavel.db.leases import only_one
from gavel.db.queries.sources import SourceRow, source
from gavel.domain.inventory import InventoryTaken
from gavel.pipeline.runs import Account, Accounted
from gavel.pipeline.workplace import Workplace

INVENTORY = "inventory"
INVENTORY_INTERVAL = timedelta(minutes=5)


def refresh_inventory(place: Workplace, source_id: int) -> bool:
    """Read and store the inventory of a source. False when another worker is at it."""
    with only_one(place.engine, f"inventory/{source_id}") as held:
        if not held:
            return False
        with reading(place.engine) as connection:
            row = source(connection, source_id)
        if row.enabled:
            take_inventory(place, row, place.connections.collector(row))
    return True


def take_inventory(place: Workplace, row: SourceRow, collector: Collector) -> Account:
    """One inventory run; the account tells whether it failed."""
    with Accounted(place, row, collector, stream=INVENTORY, queue=INVENTORY) as account:
        taken_at = place.now()
        inventory = collector.inventory()
        with transaction(place.engine) as connection:
            stored = store_inventory(connection, row.id, InventoryTaken(inventory, taken_at))
            live.tell(connection, live.News(row.id, INVENTORY, None))
        account.samples = sum(counts.added + counts.changed + counts.vanished for counts in stored.tables.values())
        account.new_samples = sum(counts.added for counts in stored.tables.values())
    return account
