"""An environment of both sides on a real database, to correlate."""

from collections.abc import Iterator

import pytest
from tests.correlate.correlated import START, Clock, Environment
from tests.db.environments import array_inventory, host_inventory, stretched_peer

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import ClockReading, SourceKind
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault


@pytest.fixture
def environment(postgres_url: str) -> Iterator[Environment]:
    engine = open_engine(postgres_url, Role.WORKER)
    clock = Clock(START)
    ids = []
    with transaction(engine) as connection:
        for kind, name, inventory in (
            (SourceKind.VCENTER, "vc", host_inventory()),
            (SourceKind.FLASHARRAY, "a", array_inventory()),
            (SourceKind.FLASHARRAY, "b", stretched_peer()),
        ):
            source_id = add_source(connection, kind=kind, name=name, address=name, settings={}, enabled=True, now=START)
            store_inventory(connection, source_id, InventoryTaken(inventory, START))
            record_clocks(connection, source_id, [ClockReading(None, 0.0, 0.1, START)])
            ids.append(source_id)
    place = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: clock.now)
    yield Environment(engine, place, clock, *ids)
    engine.dispose()
