"""Partitions, order and retention of plain PostgreSQL, and pruning."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event

from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory

from gavel.db.engine import transaction
from gavel.db.queries.runs import SourceRun, record_run
from gavel.db.series import maintenance
from gavel.db.series.catalog import RAWS, ROLLS
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=3)
KEYS = [device.key for device in host_inventory().devices]
PARTITIONS = "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE inhparent = 'host_device_sample'::regclass"


def filled(store: Store, hour: datetime = HOUR) -> int:
    """A source with an hour of samples of three devices, written time by time as a poller does."""
    source_id = store.with_environment(host_inventory(), NOW)
    for end in every(20, hour + timedelta(seconds=20), 30):
        store.write(source_id, batch(Stream.HOST_DEVICE, KEYS[:3], [end], read_ops=5, read_gavg_us=100))
    return source_id


def physical_order(store: Store, partition: str) -> list[tuple[object, ...]]:
    return store.rows(f"SELECT entity_id, ts FROM {partition} ORDER BY ctid")


def name_of(hour: datetime) -> str:
    return f"host_device_sample_{hour:%Y%m%dt%H}"


def test_partitions_of_the_coming_hours_are_made_once(plain: Store) -> None:
    later = NOW + timedelta(days=10)
    assert maintenance.ensure_partitions(plain.engine, later) > 0
    assert maintenance.ensure_partitions(plain.engine, later) == 0
    assert {name_of(later + timedelta(hours=n)) for n in range(4)} <= {str(row[0]) for row in plain.rows(PARTITIONS)}


def test_two_callers_make_every_partition_once(plain: Store) -> None:
    later = NOW + timedelta(weeks=3)
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: maintenance.ensure_partitions(plain.engine, later), range(2)))
    assert maintenance.ensure_partitions(plain.engine, later) == 0
    # The same hour of the same weekday, so that as many partitions begin in the hours after it.
    assert sum(made) == maintenance.ensure_partitions(plain.engine, later + timedelta(weeks=4))


def test_a_closed_hour_is_rewritten_in_key_order_and_keeps_every_row(plain: Store) -> None:
    filled(plain)
    before = physical_order(plain, name_of(HOUR))
    assert before != sorted(before)
    assert maintenance.reorder_closed(plain.engine, HOUR + timedelta(hours=1, minutes=14)) == 0
    assert maintenance.reorder_closed(plain.engine, HOUR + timedelta(hours=1, minutes=15), budget_s=0) == 0
    assert maintenance.reorder_closed(plain.engine, HOUR + timedelta(hours=1, minutes=15)) > 0
    assert physical_order(plain, name_of(HOUR)) == sorted(before)
    assert maintenance.reorder_closed(plain.engine, HOUR + timedelta(hours=1, minutes=16)) == 0


def test_late_rows_disturb_the_order_only_until_the_next_run(plain: Store) -> None:
    source_id = filled(plain)
    maintenance.reorder_closed(plain.engine, NOW)
    late = HOUR + timedelta(minutes=30)
    plain.write(source_id, batch(Stream.HOST_DEVICE, KEYS[0], [late], read_ops=1))
    disturbed = physical_order(plain, name_of(HOUR))
    assert disturbed != sorted(disturbed)
    assert maintenance.reorder_closed(plain.engine, NOW) == 1
    assert physical_order(plain, name_of(HOUR)) == sorted(disturbed)


def test_an_ordered_hour_can_still_be_written_to_and_read_by_key(plain: Store) -> None:
    source_id = filled(plain)
    maintenance.reorder_closed(plain.engine, NOW)
    again = batch(Stream.HOST_DEVICE, KEYS[:3], [HOUR + timedelta(seconds=20)], read_ops=5, read_gavg_us=100)
    written = plain.write(source_id, again)
    assert (written.new_rows, written.completed, written.corrected) == (0, 0, 0)


def test_maintenance_steps_back_from_a_partition_in_use_and_comes_again(plain: Store) -> None:
    filled(plain)
    reading, done = Event(), Event()

    def reader() -> None:
        with transaction(plain.engine) as connection:
            connection.exec_driver_sql("SELECT count(*) FROM host_device_sample")
            reading.set()
            done.wait(30)

    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(reader)
        reading.wait(30)
        before = plain.rows(PARTITIONS)
        assert maintenance.reorder_closed(plain.engine, HOUR + timedelta(hours=1, minutes=20)) == 0
        maintenance.drop_expired(plain.engine, NOW + timedelta(days=9))
        assert plain.rows(PARTITIONS) == before
        done.set()
        busy.result(30)
    assert maintenance.reorder_closed(plain.engine, HOUR + timedelta(hours=1, minutes=20)) > 0


def test_expired_partitions_go_and_their_roll_ups_stay(plain: Store) -> None:
    filled(plain)
    later = HOUR + timedelta(hours=49, minutes=1)
    assert maintenance.drop_expired(plain.engine, later) == 0, "the hour is not rolled yet"
    maintenance.roll_dirty(plain.engine, NOW)
    maintenance.drop_expired(plain.engine, later)
    assert plain.value("SELECT count(*) FROM host_device_sample") == 0
    assert plain.value("SELECT sum(n) FROM host_device_5m") == 90
    maintenance.roll_dirty(plain.engine, later)
    assert plain.value("SELECT sum(n) FROM host_device_1h") == 90


def test_rows_older_than_retention_never_overwrite_a_roll_up(plain: Store) -> None:
    source_id = filled(plain)
    maintenance.roll_dirty(plain.engine, NOW)
    later = HOUR + timedelta(days=3)
    maintenance.drop_expired(plain.engine, later)
    plain.write(source_id, batch(Stream.HOST_DEVICE, KEYS[0], [HOUR + timedelta(minutes=1)], read_ops=999))
    maintenance.maintain(plain.engine, later)
    assert plain.value("SELECT sum(n) FROM host_device_5m") == 90


def test_two_callers_roll_nothing_twice(plain: Store) -> None:
    filled(plain)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: maintenance.maintain(plain.engine, NOW), range(2)))
    assert plain.value("SELECT sum(n) FROM host_device_5m") == plain.value("SELECT sum(n) FROM host_device_1h") == 90


def test_runs_are_pruned_after_two_weeks(store: Store) -> None:
    source_id = store.source()
    with transaction(store.engine) as connection:
        for days in (0, 13, 15):
            record_run(connection, SourceRun(source_id, "path", "live", NOW - timedelta(days=days), 0.1))
    maintenance.prune(store.engine, NOW)
    assert store.value("SELECT count(*) FROM collection_run WHERE source_id = :id", id=source_id) == 2


def test_on_timescale_maintenance_leaves_the_work_to_the_policies(store: Store) -> None:
    done = maintenance.maintain(store.engine, NOW)
    if store.timescale:
        assert (done.partitions_made, done.windows_rolled, done.partitions_ordered, done.partitions_dropped) == (
            0,
            0,
            0,
            0,
        )
        hypertables = "SELECT count(*) FROM timescaledb_information.jobs WHERE proc_name = 'policy_retention'"
        assert store.value(hypertables) == len(RAWS) + len(ROLLS)
