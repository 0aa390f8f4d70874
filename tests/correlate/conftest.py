"""An environment of both sides on a real database, to correlate."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text
from tests.conftest import FilledTemplate, database
from tests.correlate.correlated import START, Clock, Environment
from tests.db.environments import array_inventory, host_inventory, stretched_peer

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import ClockReading, SourceKind
from gavel.embedded import postgres
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault


def fill(url: str) -> None:
    """With a vCenter and two arrays that share a stretched volume, read at START."""
    engine = open_engine(url, Role.WORKER)
    with transaction(engine) as connection:
        for kind, name, inventory in (
            (SourceKind.VCENTER, "vc", host_inventory()),
            (SourceKind.FLASHARRAY, "a", array_inventory()),
            (SourceKind.FLASHARRAY, "b", stretched_peer()),
        ):
            source_id = add_source(connection, kind=kind, name=name, address=name, settings={}, enabled=True, now=START)
            store_inventory(connection, source_id, InventoryTaken(inventory, START))
            record_clocks(connection, source_id, [ClockReading(None, 0.0, 0.1, START)])
    engine.dispose()


@pytest.fixture
def environment(postgres_server: postgres.DataDirectory, filled_template: FilledTemplate) -> Iterator[Environment]:
    with database(postgres_server, filled_template("correlated", fill)) as url:
        engine, clock = open_engine(url, Role.WORKER), Clock(START)
        with transaction(engine) as connection:
            ids = connection.execute(text("SELECT id FROM source ORDER BY id")).scalars().all()
        place = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: clock.now)
        yield Environment(engine, place, clock, *ids)
        engine.dispose()
