"""Correlation on a real database: minutes written once both sides have passed, again when something older arrives, and never twice."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import text
from tests.db.estates import batch, host_inventory
from tests.pipeline.correlated import IOPS, START, STRETCHED, Estate, begun

from gavel.db.engine import Connection, transaction
from gavel.db.inventory import store_inventory
from gavel.db.leases import only_one
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.correlation import directory_arrays, things
from gavel.domain.inventory import InventoryTaken
from gavel.domain.scope import ScopeKind
from gavel.domain.source import ClockReading, Stream
from gavel.pipeline.correlate import GRACE, MINUTE, correlate
from gavel.pipeline.mapping import estate as mapped


def test_a_minute_is_written_as_soon_as_both_sides_have_passed_it(estate: Estate) -> None:
    begun(estate)
    estate.both(START, 1)
    assert estate.correlate(START + timedelta(seconds=65)) > 0
    assert estate.rows(ScopeKind.DATASTORE)[-1] == (0, 60 * IOPS)


def test_where_the_time_went_adds_up_from_disk_to_estate(estate: Estate) -> None:
    begun(estate)
    columns = ("all_kernel_time", "all_san_time", "all_array_time")
    expected = tuple(pytest.approx(us * 60 * IOPS, rel=0.005) for us in (900, 200, 400))
    for kind in set(ScopeKind):
        busy = [times for _, ops, *times in estate.rows(kind, f"read_ops, {', '.join(columns)}") if ops]
        assert busy, kind
        assert {tuple(times) == expected for times in busy} == {True}, (kind, busy)


def test_a_late_source_is_waited_for_only_where_it_is_needed(estate: Estate) -> None:
    begun(estate)
    estate.hosts(START, 1)
    estate.arrays(START, 1, sources=(estate.array,))
    estate.correlate(START + timedelta(seconds=65))
    assert estate.rows(ScopeKind.DATASTORE)[-1] == (0, 60 * IOPS)
    assert estate.rows(ScopeKind.ESTATE)[-1][0] < 0
    estate.correlate(START + MINUTE + GRACE + timedelta(seconds=1))
    assert estate.rows(ScopeKind.ESTATE)[-1] == (0, 60 * IOPS)


def test_a_minute_whose_array_never_came_is_written_after_the_grace_and_says_so(estate: Estate) -> None:
    begun(estate)
    estate.hosts(START, 1)
    estate.correlate(START + MINUTE + GRACE + timedelta(seconds=1))
    minute, array, grade = estate.rows(ScopeKind.DATASTORE, "all_array_time, grade_reasons")[-1]
    assert (minute, array) == (0, None)
    assert isinstance(grade, int)
    assert grade & 256


def test_what_arrives_late_rewrites_its_minute_and_those_beside_it(estate: Estate) -> None:
    begun(estate)
    estate.hosts(START, 3)
    estate.correlate(START + 3 * MINUTE + GRACE)
    before = estate.scalar("SELECT count(*) FROM ledger_leaf_1m")
    estate.arrays(START + MINUTE, 1)
    assert estate.correlate() == 3
    found = {minute: array for minute, array in estate.rows(ScopeKind.HOST_DEVICE, "all_array_time") if minute >= 0}
    assert [minute for minute, array in found.items() if array] == [1]
    assert estate.scalar("SELECT count(*) FROM ledger_leaf_1m") == before
    assert estate.scalar("SELECT count(*) FROM dirty_minute") == 0


def test_reading_the_same_again_leaves_nothing_to_do(estate: Estate) -> None:
    begun(estate)
    estate.both(START - 3 * MINUTE, 3)
    assert estate.correlate() == 0


def test_history_that_is_backfilled_is_written_newest_first(estate: Estate) -> None:
    begun(estate)
    estate.both(START - 63 * MINUTE, 60)
    assert estate.correlate() >= 60
    assert [minute for minute, *_ in estate.rows(ScopeKind.DATASTORE)] == list(range(-63, 0))


def test_after_a_long_rest_the_newest_minutes_come_first_and_the_others_after(estate: Estate) -> None:
    begun(estate)
    later = START + timedelta(hours=2)
    estate.both(later - 60 * MINUTE, 60)
    estate.clock.now = later
    correlate(estate.place, budget_s=0.001)  # one pass
    assert estate.rows(ScopeKind.DATASTORE)[-1] == (119, 60 * IOPS)
    assert estate.scalar("SELECT count(*) FROM dirty_minute") > 60
    estate.correlate()
    assert [minute for minute, *_ in estate.rows(ScopeKind.DATASTORE) if minute >= 0] == list(range(60, 120))
    assert estate.scalar("SELECT count(*) FROM dirty_minute") == 0


def test_order_of_arrival_changes_nothing(estate: Estate) -> None:
    begun(estate)
    columns = "read_ops, all_kernel_time, all_kernel_lower, all_san_upper, all_array_time, grade_reasons"
    estate.both(START, 2)
    estate.correlate(START + 3 * MINUTE)
    at_once = estate.rows(ScopeKind.HOST_DEVICE, columns)
    with estate.engine.begin() as connection:
        for table in (
            "ledger_leaf_1m",
            "ledger_1m",
            "host_device_sample",
            "vm_disk_sample",
            "array_volume_sample",
            "watermark",
            "dirty_window",
            "correlated",
        ):
            connection.execute(text(f"DELETE FROM {table}"))
    estate.arrays(START, 2)
    estate.correlate(START + MINUTE)
    estate.hosts(START, 2)
    estate.both(START - 3 * MINUTE, 3)
    estate.correlate(START + 3 * MINUTE + GRACE)
    assert estate.rows(ScopeKind.HOST_DEVICE, columns) == at_once


def test_a_minute_written_again_alone_or_among_others_says_the_same(estate: Estate) -> None:
    """A clock that was read just after the minute's end stamps the sample across that end, too."""
    begun(estate)
    with transaction(estate.engine) as connection:
        record_clocks(connection, estate.array, [ClockReading(None, 5.0, 0.1, START + timedelta(seconds=121))])
    estate.both(START, 6)
    estate.correlate(START + 7 * MINUTE + GRACE)

    def again(*minutes: int) -> list[tuple[object, ...]]:
        with estate.engine.begin() as connection:
            for minute in minutes:
                connection.execute(text("INSERT INTO dirty_minute VALUES (:at)"), {"at": START + minute * MINUTE})
        estate.correlate()
        found = estate.rows(
            ScopeKind.DATASTORE, "array_ops, all_array_lower, all_array_upper, offset_error_s, missing_s"
        )
        return [row for row in found if row[0] == 1]

    alone = again(1)
    assert alone == again(0, 1, 2, 3)
    assert alone[0][1]


@pytest.mark.parametrize("read_s", [3, -3], ids=["after the sample's end", "before it, and stored late"])
def test_a_clock_read_meanwhile_changes_nothing_that_was_written(estate: Estate, read_s: int) -> None:
    """A clock that runs ahead stamps a sample later than it ended; a reading in between is not the one before that sample."""
    begun(estate)
    ahead = timedelta(seconds=5)

    def clock_read(offset: timedelta, at: datetime) -> None:
        with transaction(estate.engine) as connection:
            record_clocks(connection, estate.array, [ClockReading(None, offset.total_seconds(), 0.1, at)])

    def last_minute() -> tuple[object, ...]:
        return estate.rows(ScopeKind.DATASTORE, "array_ops, all_array_lower, all_array_upper, missing_s")[-1]

    clock_read(ahead, START - 3 * MINUTE)
    estate.hosts(START, 2)
    estate.arrays(START + ahead, 2, sources=(estate.array,))
    estate.arrays(START, 2, sources=(estate.peer,))
    estate.correlate(START + 2 * MINUTE + timedelta(seconds=1))
    written = last_minute()
    assert written[0] == 1

    clock_read(ahead + timedelta(seconds=0.5), START + 2 * MINUTE + timedelta(seconds=read_s))
    with estate.engine.begin() as connection:
        connection.execute(text("INSERT INTO dirty_minute VALUES (:at)"), {"at": START + MINUTE})
    assert estate.correlate(START + 2 * MINUTE + timedelta(seconds=10)) == 1
    assert last_minute() == written


def test_a_clock_that_was_set_back_is_corrected_by_what_was_read_since(estate: Estate) -> None:
    """Also once it shows again what it showed when it was read before."""
    begun(estate)
    set_back = timedelta(seconds=140)
    readings = [ClockReading(None, set_back.total_seconds(), 0.1, START - MINUTE)]
    readings += [ClockReading(None, 0.0, 0.1, START + n * MINUTE) for n in range(4)]
    with transaction(estate.engine) as connection:
        record_clocks(connection, estate.array, readings)
    estate.both(START, 5)
    estate.correlate(START + 5 * MINUTE + GRACE)
    found = estate.rows(ScopeKind.DATASTORE, "array_ops, missing_s")
    assert [row for row in found if row[0] in (1, 2, 3)] == [(n, 60_000.0, 0.0) for n in (1, 2, 3)]


def test_history_from_before_a_vm_was_first_seen_is_of_the_host_where_that_was(estate: Estate) -> None:
    """Not of the one where it is now."""
    inventory = host_inventory()
    moved = replace(inventory, vms=(replace(inventory.vms[0], host_key="esx-2"), *inventory.vms[1:]))
    with transaction(estate.engine) as connection:
        store_inventory(connection, estate.vcenter, InventoryTaken(moved, START + 30 * MINUTE))
        later, newest = START + 20 * MINUTE, START + 50 * MINUTE
        spans = ((START - 60 * MINUTE, START - 59 * MINUTE), (later, later + MINUTE), (newest, newest + MINUTE))
        then = [_hosts_of_the_first_disk(connection, since, until) for since, until in spans]
    assert then == [["esx-1"], ["esx-1"], ["esx-2"]]


def _hosts_of_the_first_disk(connection: Connection, since: datetime, until: datetime) -> list[str]:
    found = mapped(things(connection, since, until), directory_arrays(connection), {})
    parts = found.topology.parts
    return [found.host_keys[host][1] for host in parts.host[parts.disk == 0].tolist()]


def test_two_correlators_never_write_at_once(estate: Estate) -> None:
    estate.both(START - 3 * MINUTE, 3)
    with only_one(estate.engine, "correlate") as held:
        assert held
        assert estate.correlate(START) == 0
    assert estate.correlate(START) > 0


def test_a_batch_that_dies_half_way_leaves_nothing_behind(estate: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(estate)
    estate.both(START, 1)
    rows = estate.scalar("SELECT count(*) FROM ledger_leaf_1m")

    def dies(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr("gavel.db.live.tell", dies)
        with pytest.raises(RuntimeError, match="killed"):
            estate.correlate(START + timedelta(seconds=65))
    assert estate.scalar("SELECT count(*) FROM ledger_leaf_1m") == rows
    assert estate.correlate() > 0
    assert estate.scalar("SELECT count(*) FROM ledger_leaf_1m") > rows


def test_a_clock_an_hour_ahead_is_set_right_and_its_minute_graded(estate: Estate) -> None:
    begun(estate)
    with transaction(estate.engine) as connection:
        record_clocks(connection, estate.array, [ClockReading(None, 3600.0, 2.0, START + timedelta(seconds=1))])
    estate.hosts(START, 1)
    estate.arrays(START, 1, sources=(estate.peer,))
    estate.arrays(START + timedelta(hours=1), 1, sources=(estate.array,))
    estate.correlate(START + MINUTE + GRACE)
    minute, array, grade = estate.rows(ScopeKind.DATASTORE, "round((all_array_time / 60000)::numeric), grade_reasons")[
        -1
    ]
    assert (minute, array) == (0, 400)
    assert isinstance(grade, int)
    assert grade & 4


def test_a_stretched_pod_that_counts_writes_on_both_arrays_is_found_out(estate: Estate) -> None:
    begun(estate)
    ends = [START + timedelta(seconds=20 * n) for n in range(1, 4)]
    writes = {"read_ops": 0, "write_ops": 20 * IOPS, "write_gavg_us": 3000, "write_davg_us": 2500, "write_kavg_us": 500}
    estate.write(estate.vcenter, batch(Stream.HOST_DEVICE, STRETCHED, ends, **writes, precision=1), ends[-1])
    halves = [START + timedelta(seconds=30 * n) for n in range(1, 3)]
    mirrored = {f"mirrored_write_{name}_us": 500 for name in ("service", "queue", "qos", "san")}
    ops = {"read_ops": 0, "write_ops": 0, "mirrored_write_ops": 30 * IOPS}
    for source_id, key in ((estate.array, "id-v5"), (estate.peer, "peer-5")):
        estate.write(source_id, batch(Stream.ARRAY_VOLUME, key, halves, 30, **ops, **mirrored), halves[-1])
    estate.correlate(START + MINUTE + GRACE)
    assert estate.scalar("SELECT counted_on_both FROM pod_mirroring WHERE pod_key = 'pod'") is True
    busy = [row for row in estate.rows(ScopeKind.HOST_DEVICE, "write_ops, array_ops, all_array_time") if row[1]]
    minute, host_ops, array_ops, array_time = busy[-1]
    assert (minute, host_ops) == (0, 60 * IOPS)
    assert array_ops == pytest.approx(60 * IOPS)
    assert array_time == pytest.approx(1500 * 60 * IOPS)
