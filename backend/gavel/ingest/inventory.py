"""Reading what exists on a source, and storing it."""

from datetime import timedelta

from gavel.collectors.contract import Collector
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.locks import only_one
from gavel.db.queries.sources import SourceRow, source, twins
from gavel.db.write.inventory import store_inventory
from gavel.db.write.inventory_rows import source_identity
from gavel.domain.errors import DuplicateError
from gavel.domain.inventory import InventoryTaken
from gavel.egress.network import total_deadline
from gavel.ingest.lanes import Lane, slot_in
from gavel.ingest.runs import RecordedRun, RunOutcome, opened
from gavel.ingest.worker import WorkerContext

INVENTORY = live.INVENTORY
INVENTORY_INTERVAL = timedelta(minutes=5)
_READ_S = 60.0


def refresh_inventory(context: WorkerContext, source_id: int, lane: Lane = Lane.SLOW) -> bool:
    """Read and store the inventory of a source. False when another worker is at it, or the lane has no room now."""
    with slot_in(context.engine, lane) as has_room, only_one(context.engine, f"inventory/{source_id}") as held:
        if not (has_room and held):
            return False
        with reading(context.engine) as connection:
            row = source(connection, source_id)
        collector = opened(context, row, queue=INVENTORY) if row.enabled else None
        if collector is not None:
            take_inventory(context, row, collector)
    return True


def take_inventory(context: WorkerContext, row: SourceRow, collector: Collector) -> RunOutcome:
    """One inventory run; the account has its error, if any."""
    with RecordedRun(context, row, collector, stream=INVENTORY, queue=INVENTORY) as account:
        taken_at = context.now()
        with total_deadline(_READ_S):
            taken = InventoryTaken(collector.inventory(), taken_at)
        with transaction(context.engine) as connection:
            _refuse_twin(connection, row, source_identity(taken.inventory))
            stored = store_inventory(connection, row.id, taken)
            live.announce(connection, live.News(row.id, INVENTORY, None))
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
