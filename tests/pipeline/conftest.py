"""Workplaces with a real database: one scripted source on a clock that the test moves, and an estate of both sides to correlate."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.db.estates import array_inventory, host_inventory, stretched_peer
from tests.pipeline.correlated import START, Clock, Estate
from tests.pipeline.scripted import ScriptedArray, whole_seconds

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.inventory import store_inventory
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.sources import SourceRow, add_source, source
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import ClockReading, SourceKind
from gavel.pipeline.connections import Connections
from gavel.pipeline.secrets import Vault
from gavel.pipeline.workplace import Workplace


class ScriptedConnections(Connections):
    """Hands out the scripted collector; everything else is the product's own."""

    def __init__(self, array: ScriptedArray) -> None:
        super().__init__(Vault(bytes(32)))
        self._array = array

    def collector(self, source: SourceRow) -> ScriptedArray:  # type: ignore[override]
        return self._array


@dataclass
class Scene:
    engine: Engine
    array: ScriptedArray
    place: Workplace
    source_id: int

    def pass_time(self, **span: float) -> datetime:
        self.array.now += timedelta(**span)
        return self.array.now

    def rows(self) -> dict[tuple[str, int], int]:
        """(volume key, stamp) → the stored number."""
        with self.engine.connect() as connection:
            found = connection.execute(
                text("SELECT v.key, extract(epoch FROM s.ts)::bigint, s.read_service_us "
                     "FROM array_volume_sample s JOIN volume v ON v.id = s.entity_id")
            )  # fmt: skip
            return {(key, stamp): value for key, stamp, value in found}

    def gaps(self) -> list[tuple[str, str]]:
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text("SELECT state, reason FROM gap ORDER BY from_at"))]

    def source(self) -> SourceRow:
        with self.engine.connect() as connection:
            return source(connection, self.source_id)


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as found:
        yield found


@pytest.fixture
def scene(postgres_url: str) -> Iterator[Scene]:
    now = whole_seconds("2026-11-21T12:00:07")
    engine = open_engine(postgres_url, Role.WORKER)
    array = ScriptedArray(now)
    with transaction(engine) as connection:
        source_id = add_source(
            connection, kind=SourceKind.FLASHARRAY, name="array", address="array", settings={}, enabled=True, now=now
        )
    place = Workplace(engine, ScriptedConnections(array), now=lambda: array.now)
    yield Scene(engine, array, place, source_id)
    engine.dispose()


@pytest.fixture
def estate(postgres_url: str) -> Iterator[Estate]:
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
    place = Workplace(engine, Connections(Vault(bytes(32))), now=lambda: clock.now)
    yield Estate(engine, place, clock, *ids)
    engine.dispose()
