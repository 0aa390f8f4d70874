"""Who is due by the clock that stamps its samples: that of its host, as it was read last."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine
from tests.db.environments import batch, host_inventory

from gavel.collectors.contract import StreamPlan
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.sources import add_source, source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import ClockReading, SourceKind, Stream
from gavel.ingest.connections import Connections
from gavel.ingest.due import Look
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
PLAN = StreamPlan(
    interval=timedelta(seconds=20), live_window=timedelta(minutes=5), retention=timedelta(hours=1),
    slice=timedelta(minutes=10), by_owner=True,
)  # fmt: skip
DEVICE = host_inventory().devices[0].key
HOST = DEVICE.partition("/")[0]


@pytest.fixture
def source_id(postgres_url: str) -> int:
    engine = open_engine(postgres_url, Role.WORKER)
    with transaction(engine) as connection:
        made = add_source(
            connection, kind=SourceKind.VCENTER, name="vcenter", address="vcenter", settings={}, enabled=True, now=NOW
        )
        store_inventory(connection, made, InventoryTaken(host_inventory(), NOW))
        write_samples(connection, made, batch(Stream.HOST_DEVICE, DEVICE, [NOW], read_ops=7))
        advance_watermark(connection, made, Stream.HOST_DEVICE, NOW)
    engine.dispose()
    return made


def test_a_hosts_clock_that_was_read_anew_counts_from_then_on(postgres_url: str, source_id: int) -> None:
    engine = open_engine(postgres_url, Role.WORKER)
    context = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: NOW + timedelta(seconds=27))
    own = ClockReading(None, 1.0, 0.5, NOW)
    assert offset_s(context, source_id, own) == 1.0
    read(engine, source_id, 3.0, NOW)
    assert offset_s(context, source_id, own) == 1.0, "until its clocks are read again, nobody looks"
    later = NOW + timedelta(seconds=20)
    read(engine, source_id, 4.0, later)
    assert offset_s(context, source_id, ClockReading(None, 1.0, 0.5, later)) == 4.0
    engine.dispose()


def read(engine: Engine, source_id: int, host_s: float, at: datetime) -> None:
    with transaction(engine) as connection:
        record_clocks(connection, source_id, [ClockReading(None, 1.0, 0.5, at), ClockReading(HOST, host_s, 0.5, at)])


def offset_s(context: WorkerContext, source_id: int, own: ClockReading) -> float:
    with context.engine.connect() as connection:
        row = source(connection, source_id)
    due = Look(context, row, own).due(Stream.HOST_DEVICE, PLAN)
    assert due is not None
    assert due.newest is not None
    return float(due.newest.offset_s[due.newest.names.index(HOST)])
