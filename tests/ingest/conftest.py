"""A workplace with a real database: one scripted source on a clock that the test moves."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from tests.ingest.scripted import ScriptedArray, whole_seconds

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.sources import SourceRow, add_source, source
from gavel.domain.source import SourceKind
from gavel.egress import network
from gavel.ingest import backfill, lanes, runs
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault


class ScriptedConnections(Connections):
    """Hands out the scripted collector; everything else is the product's own."""

    def __init__(self, array: ScriptedArray) -> None:
        super().__init__(Vault(bytes(32)))
        self._array = array

    def collector(self, source: SourceRow) -> ScriptedArray:
        return self._array


@dataclass
class Scene:
    engine: Engine
    array: ScriptedArray
    place: WorkerContext
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
def scene(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    now = whole_seconds("2026-11-21T12:00:07")
    engine = open_engine(postgres_url, Role.WORKER)
    array = ScriptedArray(now)
    array.watch.hold(monkeypatch, network, backfill, lanes, runs)
    with transaction(engine) as connection:
        source_id = add_source(
            connection, kind=SourceKind.FLASHARRAY, name="array", address="array", settings={}, enabled=True, now=now
        )
    place = WorkerContext(engine, ScriptedConnections(array), now=lambda: array.now)
    yield Scene(engine, array, place, source_id)
    engine.dispose()
