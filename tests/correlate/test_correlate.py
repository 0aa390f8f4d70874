"""Correlation on a real database: minutes written once both sides have passed, again when something older arrives, and never twice."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from tests.alerting.use.alert_scene import KERNEL_SLOW
from tests.correlate.correlated import IOPS, START, STRETCHED, Environment
from tests.db.environments import batch, host_inventory

from gavel.alerting.use import rules
from gavel.alerting.use.evaluate import evaluate_rules
from gavel.analysis.version import RULES_VERSION
from gavel.correlate.counters import note_evidence
from gavel.correlate.run import GRACE, MINUTE, correlate
from gavel.correlate.topology import environment as mapped
from gavel.db.engine import Connection, transaction
from gavel.db.locks import only_one
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.correlation import directory_arrays, things
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.scope import ScopeKind
from gavel.domain.source import ClockReading, Stream


@pytest.mark.usefixtures("begun")
def test_a_minute_is_written_as_soon_as_both_sides_have_passed_it(environment: Environment) -> None:
    environment.both(START, 1)
    assert environment.correlate(START + timedelta(seconds=65)) > 0
    assert environment.rows(ScopeKind.DATASTORE)[-1] == (0, 60 * IOPS)


def _take_inventory(connection: Connection, environment: Environment) -> None:
    store_inventory(connection, environment.vcenter, InventoryTaken(host_inventory(), START + MINUTE))


def _lock_the_key(connection: Connection, environment: Environment) -> None:
    connection.execute(text("SELECT FROM source WHERE id = :id FOR UPDATE"), {"id": environment.vcenter})
    connection.execute(text("UPDATE source SET withheld = withheld WHERE id = :id"), {"id": environment.vcenter})


@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize(("change", "most_passes"), [(_take_inventory, 1), (_lock_the_key, 2)])
def test_a_source_that_changes_during_a_pass_costs_no_minute(
    environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Connection, Environment], None],
    most_passes: int,
) -> None:
    """Rows of the pass refer to the source: where its key was locked since, its snapshot cannot, and a newer one is taken."""
    environment.both(START, 1)
    passes: list[int] = []

    def change_source_before(connection: Connection, *arguments: Any) -> None:
        if not passes:
            with transaction(environment.engine) as other:
                change(other, environment)
        passes.append(1)
        # As a foreign key does it.
        connection.execute(text("SELECT FROM source FOR KEY SHARE"))
        note_evidence(connection, *arguments)

    monkeypatch.setattr("gavel.correlate.run.note_evidence", change_source_before)
    assert environment.correlate(START + timedelta(seconds=65)) > 0
    assert len(passes) == most_passes
    assert environment.rows(ScopeKind.DATASTORE)[-1] == (0, 60 * IOPS)


@pytest.mark.usefixtures("begun")
def test_where_the_time_went_adds_up_from_disk_to_environment(environment: Environment) -> None:
    columns = ("all_kernel_time", "all_san_time", "all_array_time")
    expected = tuple(pytest.approx(us * 60 * IOPS, rel=0.005) for us in (900, 200, 400))
    for kind in set(ScopeKind):
        busy = [times for _, ops, *times in environment.rows(kind, f"read_ops, {', '.join(columns)}") if ops]
        assert busy, kind
        assert {tuple(times) == expected for times in busy} == {True}, (kind, busy)


@pytest.mark.usefixtures("begun")
def test_a_late_source_is_waited_for_only_where_it_is_needed(environment: Environment) -> None:
    environment.hosts(START, 1)
    environment.arrays(START, 1, sources=(environment.array,))
    environment.correlate(START + MINUTE + timedelta(seconds=29))
    assert environment.rows(ScopeKind.DATASTORE)[-1][0] < 0
    environment.correlate(START + MINUTE + timedelta(seconds=30))
    assert environment.rows(ScopeKind.DATASTORE)[-1] == (0, 60 * IOPS)
    assert environment.rows(ScopeKind.ENVIRONMENT)[-1][0] < 0
    environment.correlate(START + MINUTE + GRACE + timedelta(seconds=1))
    assert environment.rows(ScopeKind.ENVIRONMENT)[-1] == (0, 60 * IOPS)


@pytest.mark.usefixtures("begun")
def test_a_minute_whose_array_never_came_is_written_after_the_grace_and_says_so(environment: Environment) -> None:
    environment.hosts(START, 1)
    environment.correlate(START + MINUTE + GRACE + timedelta(seconds=1))
    minute, array, quality = environment.rows(ScopeKind.DATASTORE, "all_array_time, quality_reasons")[-1]
    assert (minute, array) == (0, None)
    assert isinstance(quality, int)
    assert quality & 256


@pytest.mark.usefixtures("begun")
def test_what_arrives_late_rewrites_its_minute_and_those_beside_it(environment: Environment) -> None:
    environment.hosts(START, 3)
    environment.correlate(START + 3 * MINUTE + GRACE)
    before = environment.scalar("SELECT count(*) FROM ledger_leaf_1m")
    environment.arrays(START + MINUTE, 1)
    assert environment.correlate() == 3
    found = {
        minute: array for minute, array in environment.rows(ScopeKind.HOST_DEVICE, "all_array_time") if minute >= 0
    }
    assert [minute for minute, array in found.items() if array] == [1]
    assert environment.scalar("SELECT count(*) FROM ledger_leaf_1m") == before
    assert environment.scalar("SELECT count(*) FROM dirty_minute") == 0


@pytest.mark.usefixtures("begun")
def test_reading_the_same_again_leaves_nothing_to_do(environment: Environment) -> None:
    environment.both(START - 3 * MINUTE, 3)
    assert environment.correlate() == 0


@pytest.mark.usefixtures("begun")
def test_a_minute_recalculated_for_samples_that_were_filled_late_says_when(environment: Environment) -> None:
    for minute in range(3):
        environment.hosts(START + minute * MINUTE, 1, gavg_us=-1)
        environment.arrays(START + minute * MINUTE, 1)
        environment.correlate(START + (minute + 1) * MINUTE + timedelta(seconds=5))
    assert environment.scalar("SELECT count(*) FROM recalculated_minute") == 0
    later = START + 10 * MINUTE
    for _ in range(2):  # the second time it is known, and nothing follows from it
        environment.hosts(START + MINUTE, 1)
        environment.correlate(later)
        later += MINUTE
    assert [
        kernel is not None
        for minute, kernel in environment.rows(ScopeKind.HOST_DEVICE, "all_kernel_time")
        if minute >= 0
    ][1]
    number = f"(extract(epoch FROM minute) - {START.timestamp()})::int / 60"
    noted = (
        f"SELECT json_agg(json_build_array({number}, extract(epoch FROM recalculated_at)::int, times) ORDER BY minute)"
    )
    at = int((START + 10 * MINUTE).timestamp())
    assert environment.scalar(f"{noted} FROM recalculated_minute") == [[0, at, 1], [1, at, 1], [2, at, 1]]


@pytest.mark.usefixtures("begun")
def test_a_sample_that_is_filled_while_its_minute_is_new_is_no_recalculation(environment: Environment) -> None:
    environment.hosts(START, 1, gavg_us=-1)
    environment.arrays(START, 1)
    environment.correlate(START + timedelta(seconds=65))
    environment.hosts(START, 1)
    # More may come that has a say in it.
    assert environment.correlate(START + timedelta(seconds=85)) == 0
    environment.correlate(START + GRACE)
    assert environment.correlate(START + MINUTE + GRACE) == 1
    assert environment.rows(ScopeKind.HOST_DEVICE, "all_kernel_time")[-1][1]
    assert environment.scalar("SELECT count(*) FROM recalculated_minute") == 0


RULES = f"SELECT json_agg(DISTINCT rules) FROM ledger_minute WHERE minute >= '{START - 3 * MINUTE}'"


def written_by_earlier_rules(environment: Environment) -> None:
    """As after an upgrade."""
    with transaction(environment.engine) as connection:
        for statement in ("UPDATE ledger_minute SET rules = 1", "UPDATE correlated SET rules = 1"):
            connection.execute(text(statement))


@pytest.mark.usefixtures("begun")
def test_minutes_of_earlier_rules_are_written_again_once_where_their_samples_are_kept(environment: Environment) -> None:
    for minute in range(3):
        environment.both(START + minute * MINUTE, 1)
        environment.correlate(START + (minute + 1) * MINUTE + timedelta(seconds=5))
    assert environment.scalar(RULES) == [RULES_VERSION]
    written_by_earlier_rules(environment)
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE ledger_1m SET all_kernel_time = 1"))
        connection.execute(text("INSERT INTO ledger_minute VALUES (:at, 1)"), {"at": START - timedelta(days=20)})
    before = environment.scalar("SELECT count(*) FROM ledger_1m")
    # The newest but one waits for what may still come to it.
    assert environment.correlate(START + 3 * MINUTE + timedelta(seconds=8)) == 6
    assert environment.correlate(START + 3 * MINUTE + GRACE) == 1
    assert environment.scalar(RULES) == [RULES_VERSION]
    assert environment.scalar("SELECT count(*) FROM ledger_1m WHERE all_kernel_time = 1") == 0
    assert environment.scalar("SELECT count(*) FROM ledger_1m") == before
    assert environment.scalar("SELECT count(*) FROM ledger_minute WHERE rules = 1") == 1
    assert environment.correlate(START + 3 * MINUTE + GRACE + timedelta(seconds=3)) == 0


@pytest.mark.usefixtures("begun")
def test_new_minutes_come_before_those_of_earlier_rules(environment: Environment) -> None:
    environment.both(START, 1)
    environment.correlate(START + MINUTE + timedelta(seconds=5))
    written_by_earlier_rules(environment)
    environment.both(START + MINUTE, 1)
    environment.clock.now = START + 2 * MINUTE + timedelta(seconds=5)
    # So little time is one turn's.
    assert correlate(environment.place, budget_s=0) == 1
    assert environment.rows(ScopeKind.DATASTORE)[-1] == (1, 60 * IOPS)
    assert environment.scalar(RULES) == [1, RULES_VERSION]
    environment.correlate(START + 2 * MINUTE + GRACE)
    assert environment.scalar(RULES) == [RULES_VERSION]


@pytest.mark.usefixtures("begun")
def test_a_minute_written_again_by_newer_rules_sends_no_alert_again(environment: Environment) -> None:
    rules.add(environment.engine, KERNEL_SLOW, START)
    for minute in range(4):
        # The third minute is well: what fires and is over is not fired again either.
        environment.hosts(START + minute * MINUTE, 1, gavg_us=620 if minute == 2 else 1500)
        environment.arrays(START + minute * MINUTE, 1)
        environment.correlate(START + (minute + 1) * MINUTE + timedelta(seconds=5))
        evaluate_rules(environment.place, budget_s=10)
    tables = ("alert", "alert_transition", "alert_late", "notification")
    before = [environment.count(f"SELECT count(*) FROM {table}") for table in tables]
    assert before[1] >= 2
    written_by_earlier_rules(environment)
    assert environment.correlate(START + 4 * MINUTE + timedelta(seconds=10)) == 7
    # However long ago they were: the machine of alerts is not asked about them.
    assert environment.scalar("SELECT count(*) FROM written_minute") == 0
    # The newest but one had more samples since.
    assert environment.correlate(START + 4 * MINUTE + GRACE) == 1
    assert environment.scalar(RULES) == [RULES_VERSION]
    evaluate_rules(environment.place, budget_s=10)
    assert [environment.scalar(f"SELECT count(*) FROM {table}") for table in tables] == before


@pytest.mark.usefixtures("begun")
def test_samples_of_paths_and_adapters_make_no_minute_dirty(environment: Environment) -> None:
    """The ledger is not made of them."""
    environment.write(environment.vcenter, batch(Stream.ADAPTER, "esx-1/vmhba1", [START - MINUTE], read_ops=1))
    assert environment.scalar("SELECT count(*) FROM adapter_sample") == 1
    assert environment.correlate() == 0


@pytest.mark.usefixtures("begun")
def test_history_that_is_backfilled_is_written_newest_first(environment: Environment) -> None:
    environment.both(START - 63 * MINUTE, 60)
    assert environment.correlate() >= 60
    assert [minute for minute, *_ in environment.rows(ScopeKind.DATASTORE)] == list(range(-63, 0))


@pytest.mark.usefixtures("begun")
def test_after_a_long_rest_the_newest_minutes_come_first_and_the_others_after(environment: Environment) -> None:
    later = START + timedelta(hours=2)
    environment.both(later - 60 * MINUTE, 60)
    environment.clock.now = later
    correlate(environment.place, budget_s=0.001)  # one pass
    assert environment.rows(ScopeKind.DATASTORE)[-1] == (119, 60 * IOPS)
    assert environment.count("SELECT count(*) FROM dirty_minute") > 60
    environment.correlate()
    assert [minute for minute, *_ in environment.rows(ScopeKind.DATASTORE) if minute >= 0] == list(range(60, 120))
    assert environment.scalar("SELECT count(*) FROM dirty_minute") == 0


@pytest.mark.usefixtures("begun")
def test_order_of_arrival_changes_nothing(environment: Environment) -> None:
    columns = "read_ops, all_kernel_time, all_kernel_lower, all_san_upper, all_array_time, quality_reasons"
    environment.both(START, 2)
    environment.correlate(START + 3 * MINUTE)
    at_once = environment.rows(ScopeKind.HOST_DEVICE, columns)
    with environment.engine.begin() as connection:
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
    environment.arrays(START, 2)
    environment.correlate(START + MINUTE)
    environment.hosts(START, 2)
    environment.both(START - 3 * MINUTE, 3)
    environment.correlate(START + 3 * MINUTE + GRACE)
    assert environment.rows(ScopeKind.HOST_DEVICE, columns) == at_once


@pytest.mark.usefixtures("begun")
def test_a_minute_written_again_alone_or_among_others_says_the_same(environment: Environment) -> None:
    """A clock that was read just after the minute's end stamps the sample across that end, too."""
    with transaction(environment.engine) as connection:
        record_clocks(connection, environment.array, [ClockReading(None, 5.0, 0.1, START + timedelta(seconds=121))])
    environment.both(START, 6)
    environment.correlate(START + 7 * MINUTE + GRACE)

    def again(*minutes: int) -> list[tuple[object, ...]]:
        with environment.engine.begin() as connection:
            for minute in minutes:
                connection.execute(text("INSERT INTO dirty_minute VALUES (:at)"), {"at": START + minute * MINUTE})
        environment.correlate()
        found = environment.rows(
            ScopeKind.DATASTORE, "array_ops, all_array_lower, all_array_upper, offset_error_s, missing_s"
        )
        return [row for row in found if row[0] == 1]

    alone = again(1)
    assert alone == again(0, 1, 2, 3)
    assert alone[0][1]


@pytest.mark.parametrize("read_s", [3, -3], ids=["after the sample's end", "before it, and stored late"])
@pytest.mark.usefixtures("begun")
def test_a_clock_read_meanwhile_changes_nothing_that_was_written(environment: Environment, read_s: int) -> None:
    """A clock that runs ahead stamps a sample later than it ended; a reading in between is not the one before that sample."""
    ahead = timedelta(seconds=5)

    def clock_read(offset: timedelta, at: datetime) -> None:
        with transaction(environment.engine) as connection:
            record_clocks(connection, environment.array, [ClockReading(None, offset.total_seconds(), 0.1, at)])

    def last_minute() -> tuple[object, ...]:
        return environment.rows(ScopeKind.DATASTORE, "array_ops, all_array_lower, all_array_upper, missing_s")[-1]

    clock_read(ahead, START - 3 * MINUTE)
    environment.hosts(START, 2)
    environment.arrays(START + ahead, 2, sources=(environment.array,))
    environment.arrays(START, 2, sources=(environment.peer,))
    environment.correlate(START + 2 * MINUTE + timedelta(seconds=1))
    written = last_minute()
    assert written[0] == 1

    clock_read(ahead + timedelta(seconds=0.5), START + 2 * MINUTE + timedelta(seconds=read_s))
    with environment.engine.begin() as connection:
        connection.execute(text("INSERT INTO dirty_minute VALUES (:at)"), {"at": START + MINUTE})
    assert environment.correlate(START + 2 * MINUTE + timedelta(seconds=10)) == 1
    assert last_minute() == written


@pytest.mark.usefixtures("begun")
def test_a_clock_that_was_set_back_is_corrected_by_what_was_read_since(environment: Environment) -> None:
    """Also once it shows again what it showed when it was read before."""
    set_back = timedelta(seconds=140)
    readings = [ClockReading(None, set_back.total_seconds(), 0.1, START - MINUTE)]
    readings += [ClockReading(None, 0.0, 0.1, START + n * MINUTE) for n in range(4)]
    with transaction(environment.engine) as connection:
        record_clocks(connection, environment.array, readings)
    environment.both(START, 5)
    environment.correlate(START + 5 * MINUTE + GRACE)
    found = environment.rows(ScopeKind.DATASTORE, "array_ops, missing_s")
    assert [row for row in found if row[0] in (1, 2, 3)] == [(n, 60_000.0, 0.0) for n in (1, 2, 3)]


def test_history_from_before_a_vm_was_first_seen_is_of_the_host_where_that_was(environment: Environment) -> None:
    """Not of the one where it is now."""
    inventory = host_inventory()
    moved = replace(inventory, vms=(replace(inventory.vms[0], host_key="esx-2"), *inventory.vms[1:]))
    with transaction(environment.engine) as connection:
        store_inventory(connection, environment.vcenter, InventoryTaken(moved, START + 30 * MINUTE))
        later, newest = START + 20 * MINUTE, START + 50 * MINUTE
        spans = ((START - 60 * MINUTE, START - 59 * MINUTE), (later, later + MINUTE), (newest, newest + MINUTE))
        then = [_hosts_of_the_first_disk(connection, since, until) for since, until in spans]
    assert then == [["esx-1"], ["esx-1"], ["esx-2"]]


def _hosts_of_the_first_disk(connection: Connection, since: datetime, until: datetime) -> list[str]:
    found = mapped(things(connection, since, until), directory_arrays(connection), {})
    parts = found.topology.parts
    return [found.host_keys[host][1] for host in parts.host[parts.disk == 0].tolist()]


def test_two_correlators_never_write_at_once(environment: Environment) -> None:
    environment.both(START - 3 * MINUTE, 3)
    with only_one(environment.engine, "correlate") as held:
        assert held
        assert environment.correlate(START) == 0
    assert environment.correlate(START) > 0


@pytest.mark.usefixtures("begun")
def test_a_batch_that_dies_half_way_leaves_nothing_behind(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.both(START, 1)
    rows = environment.count("SELECT count(*) FROM ledger_leaf_1m")

    def dies(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr("gavel.db.live.announce", dies)
        with pytest.raises(RuntimeError, match="killed"):
            environment.correlate(START + timedelta(seconds=65))
    assert environment.scalar("SELECT count(*) FROM ledger_leaf_1m") == rows
    assert environment.correlate() > 0
    assert environment.count("SELECT count(*) FROM ledger_leaf_1m") > rows


@pytest.mark.usefixtures("begun")
def test_a_clock_an_hour_ahead_is_set_right_and_its_minute_graded(environment: Environment) -> None:
    with transaction(environment.engine) as connection:
        record_clocks(connection, environment.array, [ClockReading(None, 3600.0, 2.0, START + timedelta(seconds=1))])
    environment.hosts(START, 1)
    environment.arrays(START, 1, sources=(environment.peer,))
    environment.arrays(START + timedelta(hours=1), 1, sources=(environment.array,))
    environment.correlate(START + MINUTE + GRACE)
    minute, array, quality = environment.rows(
        ScopeKind.DATASTORE, "round((all_array_time / 60000)::numeric), quality_reasons"
    )[-1]
    assert (minute, array) == (0, 400)
    assert isinstance(quality, int)
    assert quality & 4


@pytest.mark.usefixtures("begun")
def test_a_stretched_pod_that_counts_writes_on_both_arrays_is_found_out(environment: Environment) -> None:
    ends = [START + timedelta(seconds=20 * n) for n in range(1, 4)]
    writes = {"read_ops": 0, "write_ops": 20 * IOPS, "write_gavg_us": 3000, "write_davg_us": 2500, "write_kavg_us": 500}
    environment.write(environment.vcenter, batch(Stream.HOST_DEVICE, STRETCHED, ends, **writes, precision=1), ends[-1])
    halves = [START + timedelta(seconds=30 * n) for n in range(1, 3)]
    mirrored = {f"mirrored_write_{name}_us": 500 for name in ("service", "queue", "qos", "san")}
    ops = {"read_ops": 0, "write_ops": 0, "mirrored_write_ops": 30 * IOPS}
    for source_id, key in ((environment.array, "id-v5"), (environment.peer, "peer-5")):
        environment.write(source_id, batch(Stream.ARRAY_VOLUME, key, halves, 30, **ops, **mirrored), halves[-1])
    environment.correlate(START + MINUTE + GRACE)
    assert environment.scalar("SELECT counted_on_both FROM pod_mirroring WHERE pod_key = 'pod'") is True
    busy = [row for row in environment.rows(ScopeKind.HOST_DEVICE, "write_ops, array_ops, all_array_time") if row[1]]
    minute, host_ops, array_ops, array_time = busy[-1]
    assert (minute, host_ops) == (0, 60 * IOPS)
    assert array_ops == pytest.approx(60 * IOPS)
    assert array_time == pytest.approx(1500 * 60 * IOPS)
