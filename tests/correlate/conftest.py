"""An environment of both sides on a real database, to correlate."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from tests.conftest import FilledTemplate, database
from tests.correlate.correlated import START, Clock, Environment, begin
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

Preparation = Callable[[Environment], object]


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


@contextmanager
def opened(url: str) -> Iterator[Environment]:
    engine, clock = open_engine(url, Role.WORKER), Clock(START)
    with transaction(engine) as connection:
        ids = connection.execute(text("SELECT id FROM source ORDER BY id")).scalars().all()
    place = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: clock.now)
    yield Environment(engine, place, clock, *ids)
    engine.dispose()


@pytest.fixture
def begun() -> Preparation:
    """Ask for it to have the first minutes of the environment correlated."""
    return begin


@pytest.fixture
def environment(
    request: pytest.FixtureRequest, postgres_server: postgres.DataDirectory, filled_template: FilledTemplate
) -> Iterator[Environment]:
    """Of its own for each test. A test that asks for `begun`, or for `prepared` of its file, has it after that: done once for all."""
    name = next((one for one in ("begun", "prepared") if one in request.fixturenames), None)
    prepare: Preparation | None = request.getfixturevalue(name) if name else None

    def made(url: str) -> None:
        fill(url)
        if prepare is not None:
            with opened(url) as new:
                prepare(new)

    template = filled_template(f"correlated_{prepare.__name__}" if prepare else "to_correlate", made)
    with database(postgres_server, template) as url, opened(url) as found:
        yield found
