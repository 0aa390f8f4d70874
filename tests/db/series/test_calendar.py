"""The store at edges of the calendar: partitions are there, rows on both sides stay, and roll-ups belong to one bucket each."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory
from tests.edges import AT_EDGES, hold_clock

from gavel.db import migrate
from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.series import maintenance, modes
from gavel.db.write import alert_memory
from gavel.domain.retention import Grain
from gavel.domain.source import Stream

_SECOND, _MINUTE, _HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
_KEY = host_inventory().devices[0].key
_PARTITIONS = "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE inhparent = 'host_device_sample'::regclass"


@pytest.fixture
def store(module_postgres_url: str) -> Iterator[Store]:
    engine = open_engine(module_postgres_url, Role.WORKER)
    yield Store(engine, timescale=False)
    engine.dispose()


@AT_EDGES
def test_partitions_made_before_an_edge_last_beyond_it(store: Store, edge: datetime) -> None:
    maintenance.ensure_partitions(store.engine, edge - _SECOND)
    with reading(store.engine) as connection:
        for now in (edge - _SECOND, edge, edge + _SECOND, edge + _HOUR):
            assert maintenance.missing_partitions(connection, now) == []
    assert maintenance.ensure_partitions(store.engine, edge - _SECOND) == 0


@AT_EDGES
def test_a_program_that_starts_at_an_edge_finds_its_partitions(
    empty_postgres_url: str, edge: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_clock(monkeypatch, edge - _SECOND)
    migrate.migrate(empty_postgres_url)
    hold_clock(monkeypatch, edge + _SECOND)
    report = migrate.check(empty_postgres_url)
    assert (report.ok, report.warnings) == (True, ())


@AT_EDGES
def test_samples_on_both_sides_of_an_edge_are_rolled_up_once(store: Store, edge: datetime) -> None:
    source_id = store.with_environment(host_inventory(), edge)
    maintenance.ensure_partitions(store.engine, edge - _HOUR)
    begin = edge - 10 * _MINUTE
    ends = every(20, begin + timedelta(seconds=20), 60)
    written = store.write(source_id, batch(Stream.HOST_DEVICE, _KEY, ends, read_ops=5, read_gavg_us=100))
    assert written.new_rows == 60
    store.roll(edge + 2 * _HOUR)
    mine = "FROM {} r JOIN host_device e ON e.id = r.entity_id WHERE e.source_id = :source"
    fives = store.rows(
        f"SELECT r.bucket, r.read_ops {mine.format('host_device_5m')} ORDER BY r.bucket", source=source_id
    )
    assert sum(int(str(ops)) for _, ops in fives) == 60 * 5
    assert all(isinstance(bucket, datetime) and bucket.minute % 5 == 0 for bucket, _ in fives)
    hours = store.value(f"SELECT sum(r.read_ops) {mine.format('host_device_1h')}", source=source_id)
    assert int(str(hours)) == 60 * 5


@AT_EDGES
def test_retention_drops_what_ended_at_an_edge_and_keeps_what_began_there(store: Store, edge: datetime) -> None:
    maintenance.ensure_partitions(store.engine, edge - _HOUR)
    with reading(store.engine) as connection:
        kept = modes.storage(connection).keep(Grain.SAMPLES)
    maintenance.drop_expired(store.engine, edge + kept)
    names = {str(row[0]) for row in store.rows(_PARTITIONS)}
    assert f"host_device_sample_{edge:%Y%m%dt%H}" in names
    assert f"host_device_sample_{edge - _HOUR:%Y%m%dt%H}" not in names


@AT_EDGES
def test_storage_reads_the_instant_of_the_clock_and_not_of_the_database(
    store: Store, edge: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_clock(monkeypatch, edge)
    with reading(store.engine) as connection:
        found = modes.storage(connection)
    assert found.now == edge
    assert found.since(Grain.MINUTES) == edge - found.keep(Grain.MINUTES)
    # An hour two hours before the current one is the oldest that may hold unpacked minutes.
    assert found.unpacked_since == edge.replace(minute=0) - 2 * _HOUR


@AT_EDGES
def test_a_minute_before_an_edge_is_due_for_a_quarter_of_an_hour(store: Store, edge: datetime) -> None:
    """In a store held in the past, too: the database's own clock is somewhere else."""
    minute = int((edge - _MINUTE).timestamp()) // 60
    store.run("DELETE FROM written_minute")
    with transaction(store.engine) as connection:
        alert_memory.minutes_written(connection, [minute], is_whole=True)
    with reading(store.engine) as connection:
        for now in (edge - _MINUTE, edge, edge + 13 * _MINUTE + 59 * _SECOND):
            assert alert_memory.first_due_minute(connection, now) == minute
        assert alert_memory.first_due_minute(connection, edge + 14 * _MINUTE) is None
