"""Reading what exists on a source, and storing it."""

from datetime import timedelta

from gavel.collectors.contract import Collector
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.estate_rows import source_identity
from gavel.db.inventory import store_inventory
from gavel.db.leases import only_one
from gavel.db.queries.sources import SourceRow, source, twins
from gavel.domain.errors import DuplicateError
from gavel.domain.inventory import InventoryTaken
from gavel.pipeline.runs import Account, Accounted, opened
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
        collector = opened(place, row, queue=INVENTORY) if row.enabled else None
        if collector is not None:
            take_inventory(place, row, collector)
    return True


def take_inventory(place: Workplace, row: SourceRow, collector: Collector) -> Account:
    """One inventory run; the account tells whether it failed."""
    with Accounted(place, row, collector, stream=INVENTORY, queue=INVENTORY) as account:
        taken_at = place.now()
        inventory = collector.inventory()
        with transaction(place.engine) as connection:
            _refuse_twin(connection, row, source_identity(inventory))
            stored = store_inventory(connection, row.id, InventoryTaken(inventory, taken_at))
            live.tell(connection, live.News(row.id, INVENTORY, None))
        account.samples = sum(counts.added + counts.changed + counts.vanished for counts in stored.tables.values())
        account.new_samples = sum(counts.added for counts in stored.tables.values())
    return account


def _refuse_twin(connection: Connection, row: SourceRow, identity: str) -> None:
    """Everything of an array that is read twice would count twice. One that is there under both names already is warned about instead."""
    same = twins(connection, row.kind, identity, but=row.id)
    if same and row.identity != identity:
        raise DuplicateError(
            f"{row.address} is what the source {same[0].name!r} ({same[0].address}) reads already: nothing of it is stored a second time."
            f" Remove {row.name!r}, or correct its address."
        )
