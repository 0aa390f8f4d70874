"""The store on both databases: what holds on plain PostgreSQL has to hold on TimescaleDB."""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine, text
from tests.conftest import NATIVE_TIMESCALE, native_timescale, timescale_bridge

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.migrate import migrate
from gavel.db.queries.sources import add_source
from gavel.db.series import maintenance, rollups
from gavel.db.series.catalog import ROLLS
from gavel.db.write.inventory import Stored, store_inventory
from gavel.db.write.samples import Written, advance_watermark, write_samples
from gavel.domain.inventory import ArrayInventory, Inventory, InventoryTaken
from gavel.domain.samples import SampleBatch
from gavel.domain.source import SourceKind, Stream

_numbers = itertools.count(1)


@dataclass
class Store:
    """A migrated database and the short words that tests use on it. Tests on TimescaleDB share one: each adds sources of its own."""

    engine: Engine
    timescale: bool

    def source(self, kind: SourceKind = SourceKind.FLASHARRAY, name: str | None = None) -> int:
        with transaction(self.engine) as connection:
            return add_source(
                connection,
                kind=kind,
                name=name or f"source {next(_numbers)}",
                address="192.0.2.1",
                settings={"poll_interval_s": 30},
                enabled=True,
                now=datetime.now(UTC),
            )

    def take(self, source_id: int, inventory: Inventory, at: datetime) -> Stored:
        with transaction(self.engine) as connection:
            return store_inventory(connection, source_id, InventoryTaken(inventory, at))

    def with_environment(self, inventory: Inventory, at: datetime) -> int:
        """A new source that holds `inventory`."""
        kind = SourceKind.FLASHARRAY if isinstance(inventory, ArrayInventory) else SourceKind.VCENTER
        source_id = self.source(kind)
        self.take(source_id, inventory, at)
        return source_id

    def write(self, source_id: int, batch: SampleBatch) -> Written:
        with transaction(self.engine) as connection:
            return write_samples(connection, source_id, batch)

    def advance(self, source_id: int, stream: Stream, until: datetime) -> datetime:
        with transaction(self.engine) as connection:
            return advance_watermark(connection, source_id, stream, until)

    def rows(self, query: str, **parameters: object) -> list[tuple[object, ...]]:
        with transaction(self.engine) as connection:
            return [tuple(row) for row in connection.execute(text(query), parameters)]

    def value(self, query: str, **parameters: object) -> object:
        ((value,),) = self.rows(query, **parameters)
        return value

    def run(self, statement: str, **parameters: object) -> None:
        with transaction(self.engine) as connection:
            connection.execute(text(statement), parameters)

    def roll(self, now: datetime) -> None:
        """What makes the roll-ups in this mode, as if it were `now`."""
        if not self.timescale:
            maintenance.roll_dirty(self.engine, now)
            return
        closed = (now - rollups.GRACE).isoformat()
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for roll in ROLLS.values():
                connection.exec_driver_sql(f"CALL refresh_continuous_aggregate('{roll.name}', NULL, '{closed}')")


@contextmanager
def put_in_order(store: Store, table: str, now: datetime) -> Iterator[None]:
    """What the store does to rows after some hours, and then a transaction may unpack next to nothing unless it asks for more.

    TimescaleDB unpacks what a change touches and refuses beyond a limit; a minute of a large environment is beyond the usual one.
    """
    if not store.timescale:
        maintenance.reorder_closed(store.engine, now)
        yield
        return
    setting = "timescaledb.max_tuples_decompressed_per_dml_transaction"
    chunks = f"show_chunks('{table}', older_than => now() - INTERVAL '6 hours')"
    assert store.rows(f"SELECT compress_chunk(c, if_not_compressed => true) FROM {chunks} c")
    store.run(f"SET {setting} = 5")
    try:
        yield
    finally:
        store.run(f"RESET {setting}")


def _opened(url: str, *, timescale: bool) -> Iterator[Store]:
    engine = open_engine(url, Role.WORKER, server_side_prepare=not timescale)
    yield Store(engine, timescale)
    engine.dispose()


@pytest.fixture
def plain(postgres_url: str) -> Iterator[Store]:
    """A store of its own on plain PostgreSQL."""
    yield from _opened(postgres_url, timescale=False)


@pytest.fixture(scope="session")
def shared_timescale_url() -> Iterator[str]:
    """One migrated TimescaleDB for all contract tests: starting the bridge takes longer than any of them."""
    native = os.environ.get(NATIVE_TIMESCALE)
    with native_timescale(native) if native else timescale_bridge() as url:
        migrate(url, server_side_prepare=False)
        yield url


@pytest.fixture(params=["plain", "timescale"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store in each mode, shared by the tests of a file: each adds sources of its own."""
    timescale = request.param == "timescale"
    url = request.getfixturevalue("shared_timescale_url" if timescale else "module_postgres_url")
    yield from _opened(url, timescale=timescale)
