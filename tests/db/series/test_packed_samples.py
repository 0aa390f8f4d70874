"""Samples and minutes in short: exactly as they came, written to again when they are late, and seen once by whoever reads meanwhile."""

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import event, text
from tests.db.clock import last_afternoon
from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory
from tests.db.ledgers import ledger_rows
from tests.db.write.test_ledger import grid, keys_of, minutes_from, read, write

import gavel.db.queries
from gavel.db.engine import reading, snapshot, transaction
from gavel.db.errors import LockedError, LostError
from gavel.db.locks import only_one
from gavel.db.queries import correlation
from gavel.db.series import codes, maintenance, packed, partitions, plain
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES, RAWS, SAMPLES, RawSeries
from gavel.db.series.modes import storage
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

NOW = last_afternoon()
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=6)
MINUTE = timedelta(minutes=1)
DEVICES = SAMPLES[Stream.HOST_DEVICE]
KEYS = [device.key for device in host_inventory().devices]
STEP = float(np.expm1(1 / codes.STEPS))


def pack(store: Store, now: datetime = NOW) -> int:
    """As maintenance does, a quarter of an hour after it put hours in order."""
    maintenance.reorder_closed(store.engine, now)
    return maintenance.pack_closed(store.engine, now + maintenance.REORDER_GRACE)


def all_rows(store: Store, series: RawSeries) -> Sequence[tuple[Any, ...]]:
    """By the one question that reads both, in the order of the key."""
    names = list(packed.columns(series))
    rows = packed.rows(series, names, of="true")
    query = text(f"SELECT entity_id, ts, {', '.join(names)} FROM {rows} r ORDER BY 1, 2")
    with reading(store.engine) as connection:
        limits = {"lo": NOW - timedelta(days=2), "hi": NOW}
        return [tuple(row) for row in connection.execute(query, limits)]


def filled(store: Store, keys: Sequence[str] = KEYS[:3], samples: int = 540) -> int:
    source_id = store.with_environment(host_inventory(), NOW)
    for number, key in enumerate(keys):
        ends = [end + timedelta(microseconds=number) for end in every(20, HOUR + timedelta(seconds=20), samples)]
        values = {"read_ops": 7 + number, "read_bytes": 5_000_000_000, "queue_depth": 32, "read_gavg_us": 16_385}
        store.write(source_id, batch(Stream.HOST_DEVICE, key, ends, **values))
    store.roll(NOW)
    return source_id


def test_samples_read_exactly_as_they_came_when_they_are_packed(plain: Store) -> None:
    filled(plain)
    before = all_rows(plain, DEVICES)
    assert pack(plain) >= 3
    assert plain.value("SELECT count(*) FROM host_device_sample_packed") == 4 * 3, "the last is stamped on the hour"
    assert plain.value("SELECT count(*) FROM host_device_sample") == 0
    assert all_rows(plain, DEVICES) == before
    assert len(before) == 3 * 540


@pytest.mark.parametrize(("kind", "series"), [(ScopeKind.VM, LEDGER), (ScopeKind.VM_DISK, LEDGER_LEAVES)])
def test_minutes_read_the_same_when_they_are_packed(plain: Store, kind: ScopeKind, series: RawSeries) -> None:
    keys = keys_of(kind, 3)
    where = grid(keys, minutes_from(HOUR, 170))
    write(plain, where, *ledger_rows(len(where[0])))
    plain.roll(NOW)
    names = ["entity_id", "ts", *packed.columns(series)]
    before = all_rows(plain, series)
    asked = read(plain, keys, HOUR, HOUR + timedelta(hours=3), MINUTE)
    assert pack(plain) >= 3
    assert plain.value(f"SELECT count(*) FROM {series.name}") == 0
    after = all_rows(plain, series)
    assert [row[:2] for row in after] == [row[:2] for row in before]
    for name, was, now in zip(
        names[2:], list(zip(*before, strict=True))[2:], list(zip(*after, strict=True))[2:], strict=True
    ):
        assert [number is None for number in now] == [number is None for number in was], name
        numbers, olds = (np.array([n for n in some if n is not None], dtype=np.float64) for some in (now, was))
        np.testing.assert_allclose(numbers, olds, rtol=STEP, atol=1 / 16, err_msg=name)
    found = read(plain, keys, HOUR, HOUR + timedelta(hours=3), MINUTE)
    assert (found.keys.tolist(), found.starts_us.tolist()) == (asked.keys.tolist(), asked.starts_us.tolist())
    np.testing.assert_allclose(found.rows.ops, asked.rows.ops, rtol=STEP)
    assert (found.rows.span_lower <= found.rows.span_time).all()
    assert (found.rows.span_time <= found.rows.span_upper).all()


@pytest.mark.parametrize("kind", [ScopeKind.VM, ScopeKind.VM_DISK])
@pytest.mark.parametrize("hours_ago", [0, 1, 2])
def test_minutes_of_the_last_hours_are_asked_of_rows_alone_unless_one_was_packed(
    plain: Store, kind: ScopeKind, hours_ago: int
) -> None:
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours_ago)
    keys = keys_of(kind, 2)
    where = grid(keys, minutes_from(hour, 30))
    write(plain, where, *ledger_rows(len(where[0])))
    later = hour + timedelta(hours=4)
    plain.roll(later)

    def found() -> list[int]:
        starts: list[int] = read(plain, keys, hour, hour + timedelta(minutes=30), MINUTE).starts_us.tolist()
        return starts

    with reading(plain.engine) as connection:
        assert storage(connection).pruned(f"a{packed.rows(LEDGER, (), of='true')}z", hour).count("_packed") == 0
    assert len(before := found()) == 60
    # As by a clock that was hours ahead.
    while maintenance.reorder_closed(plain.engine, later):
        pass
    assert pack(plain, later) >= 1
    with reading(plain.engine) as connection:
        known = storage(connection)
    assert known.unpacked_since is None
    assert known.pruned("as it was", hour) == "as it was"
    assert found() == before


@pytest.mark.parametrize("store", ["timescale"], indirect=True)
def test_minutes_of_the_last_hours_are_asked_of_rows_alone_on_timescaledb(store: Store) -> None:
    with reading(store.engine) as connection:
        known = storage(connection)
    assert known.unpacked_since is not None
    assert known.now - known.unpacked_since >= timedelta(hours=2)


def test_a_late_sample_completes_one_that_is_packed_and_others_stay_as_they_are(plain: Store) -> None:
    source_id = filled(plain)
    before = all_rows(plain, DEVICES)
    pack(plain)
    late = HOUR + timedelta(seconds=40)
    written = plain.write(source_id, batch(Stream.HOST_DEVICE, KEYS[0], [late], read_ops=7, write_ops=3))
    assert (written.new_rows, written.completed) == (0, 1)
    by_hour = plain.rows("SELECT date_trunc('hour', ts), count(*) FROM host_device_sample GROUP BY 1")
    assert by_hour == [(HOUR, 3 * 179)], "only the hour of the sample is unpacked"
    at = list(packed.columns(DEVICES)).index("write_ops") + 2
    changed = [(was, now) for was, now in zip(before, all_rows(plain, DEVICES), strict=True) if was != now]
    assert [(was[1], was[at], now[at]) for was, now in changed] == [(late, None, 3)]
    maintenance.reorder_closed(plain.engine, NOW)
    plain.roll(NOW)
    after = all_rows(plain, DEVICES)
    assert pack(plain, NOW + timedelta(hours=1)) >= 1
    assert plain.value("SELECT count(*) FROM host_device_sample") == 0
    assert all_rows(plain, DEVICES) == after


def test_a_minute_that_is_written_again_replaces_the_packed_one(plain: Store) -> None:
    keys = keys_of(ScopeKind.VM, 2)
    where = grid(keys, minutes_from(HOUR, 60))
    rows, notes = ledger_rows(len(where[0]))
    write(plain, where, rows, notes)
    plain.roll(NOW)
    pack(plain)
    again = grid(keys, minutes_from(HOUR + 7 * MINUTE, 1))
    before = all_rows(plain, LEDGER)
    write(plain, again, *ledger_rows(len(again[0]), seed=2), (HOUR + 7 * MINUTE,))
    changed = [now[1] for was, now in zip(before, all_rows(plain, LEDGER), strict=True) if was != now]
    assert changed == [HOUR + 7 * MINUTE] * 2


def test_a_sample_on_the_hour_is_rolled_with_those_of_the_hour_before_that_are_packed(plain: Store) -> None:
    """Its bucket began in the partition before."""
    source_id = filled(plain, KEYS[:1])
    sums = "SELECT bucket, n, read_ops, read_gavg_us_sum FROM host_device_5m ORDER BY 1"
    whole = plain.rows(sums)
    pack(plain)
    edge = HOUR + timedelta(hours=1)
    plain.write(source_id, batch(Stream.HOST_DEVICE, KEYS[0], [edge], read_ops=7, write_ops=1))
    assert plain.value("SELECT count(*) FROM host_device_sample WHERE ts < :edge", edge=edge) == 0, (
        "the hour before stays packed"
    )
    plain.roll(NOW)
    assert plain.rows(sums) == whole


def test_the_correlate_step_finds_packed_samples(plain: Store) -> None:
    filled(plain)
    ends = HOUR + timedelta(minutes=50), HOUR + timedelta(minutes=70)

    def asked() -> dict[str, Any]:
        with snapshot(plain.engine) as connection:
            correlation.hold_samples(connection)
            return correlation.samples(connection, Stream.HOST_DEVICE, *ends)

    before = asked()
    pack(plain)
    after = asked()
    assert len(before["ts"]) == 3 * 60
    assert {name: column.tolist() for name, column in after.items()} == {
        name: column.tolist() for name, column in before.items()
    }


def test_readers_see_every_sample_once_while_hours_are_packed_and_unpacked(plain: Store) -> None:
    source_id = filled(plain, KEYS[:2], 170)
    rows = packed.rows(DEVICES, ("read_ops",), of=packed.of_any("CAST(:keys AS int[])"))
    query = text(f"SELECT count(*), count(DISTINCT (entity_id, ts)), sum(read_ops) FROM {rows} r")
    (ids,) = plain.rows("SELECT array_agg(DISTINCT entity_id) FROM host_device_sample")[0]
    seen: set[tuple[int, int, int]] = set()
    asked, over = 0, threading.Event()

    def ask() -> None:
        nonlocal asked
        while not over.is_set():
            with reading(plain.engine) as connection:
                found = connection.execute(query, {"keys": ids, "lo": HOUR, "hi": HOUR + timedelta(hours=1)}).one()
                seen.add(tuple(found))
                asked += 1

    reader = threading.Thread(target=ask)
    reader.start()
    partition = plain_partition()
    moved = 0
    try:
        for _ in range(25):
            moved += packed_now(plain)
            plain.write(source_id, batch(Stream.HOST_DEVICE, KEYS[0], [HOUR + timedelta(seconds=20)], read_ops=7))
            with transaction(plain.engine) as connection:
                partitions.open_for_writing(connection, DEVICES, [partition])
    finally:
        over.set()
        reader.join(30)
    assert moved >= 20, "hours were packed under the eyes of the reader"
    assert asked > 25
    assert seen == {(2 * 170, 2 * 170, 170 * 7 + 170 * 8)}


def plain_partition() -> plain.Partition:
    return plain.partition_at(DEVICES, HOUR)


def packed_now(store: Store) -> bool:
    """As maintenance does, without its waiting; False where somebody reads."""
    try:
        with transaction(store.engine) as connection:
            connection.execute(text("SET LOCAL lock_timeout = '500ms'"))
            return partitions.pack(connection, DEVICES, plain_partition())
    except LockedError:
        return False


@contextmanager
def killed_before(store: Store, statement: str) -> Iterator[list[str]]:
    """The process that is about to execute it is ended, as by kill -9: the database ends its session."""
    killed: list[str] = []

    def kill(connection: Any, _cursor: Any, sql: str, *_: object) -> None:
        if sql.startswith(statement) and not killed:
            killed.append(sql)
            pid = connection.connection.driver_connection.info.backend_pid
            with transaction(store.engine) as other:
                other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})

    event.listen(store.engine, "before_cursor_execute", kill)
    try:
        yield killed
    finally:
        event.remove(store.engine, "before_cursor_execute", kill)


@pytest.mark.parametrize("statement", ["LOCK", "CREATE", "ALTER", "INSERT", "TRUNCATE", "ANALYZE"])
def test_an_hour_whose_packing_was_killed_is_as_it_was(plain: Store, statement: str) -> None:
    filled(plain, KEYS[:1], 170)
    before = all_rows(plain, DEVICES)
    with killed_before(plain, statement) as killed, pytest.raises(LostError):
        packed_now(plain)
    assert killed
    assert all_rows(plain, DEVICES) == before
    assert packed_now(plain)
    assert all_rows(plain, DEVICES) == before


@pytest.mark.parametrize("statement", ["INSERT INTO host_device_sample_2", "DELETE"])
def test_an_hour_whose_unpacking_was_killed_is_as_it_was(plain: Store, statement: str) -> None:
    source_id = filled(plain, KEYS[:1], 170)
    before = all_rows(plain, DEVICES)
    assert packed_now(plain)
    again = batch(Stream.HOST_DEVICE, KEYS[0], [HOUR + timedelta(seconds=20)], read_ops=7)
    with killed_before(plain, statement) as killed, pytest.raises(LostError):
        plain.write(source_id, again)
    assert killed
    assert all_rows(plain, DEVICES) == before
    plain.write(source_id, again)
    assert all_rows(plain, DEVICES) == before


def test_nothing_is_packed_or_put_in_order_while_the_database_is_dumped(plain: Store) -> None:
    for work in (maintenance.PACKING, maintenance.MAINTAINING):
        with maintenance.paused(plain.engine), only_one(plain.engine, work) as held:
            assert not held
        with only_one(plain.engine, work) as held:
            assert held


_DIRECT = re.compile(
    r"\b(FROM|JOIN)\s+(\{(LEDGER|LEDGER_LEAVES|series|raw|RAWS\[[^}]*\]|SAMPLES\[[^}]*\])\.name\}|\{stream\}_sample\b"
    rf"|({'|'.join(RAWS)})\b)"
)
# What is younger than five minutes is never packed.
_NEWEST = "newest.py"


def test_every_question_but_that_for_the_newest_minute_reads_packed_rows_as_well() -> None:
    folder = Path(str(gavel.db.queries.__file__)).parent
    texts = {path.name: path.read_text() for path in folder.glob("*.py")}
    assert {name for name, source in texts.items() if _DIRECT.search(source)} == {_NEWEST}
