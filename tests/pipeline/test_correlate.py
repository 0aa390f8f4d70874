"""Correlation on a real database: minutes written once both sides have passed, again when something older arrives, and never twice."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from tests.db.estates import array_inventory, batch, host_inventory, naa, serials, stretched_peer

from gavel.db.engine import Connection, Role, open_engine, transaction
from gavel.db.inventory import store_inventory
from gavel.db.leases import only_one
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.correlation import directory_arrays, things
from gavel.db.queries.sources import add_source
from gavel.db.samples import advance_watermark, write_samples
from gavel.domain.inventory import InventoryTaken
from gavel.domain.samples import SampleBatch
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import ClockReading, SourceKind, Stream
from gavel.pipeline.connections import Connections
from gavel.pipeline.correlate import GRACE, MINUTE, correlate
from gavel.pipeline.mapping import estate as mapped
from gavel.pipeline.secrets import Vault
from gavel.pipeline.workplace import Workplace

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SERIAL = serials(0x9714)
DEVICE = f"esx-1/{naa(SERIAL[0])}"
STRETCHED = f"esx-1/{naa(SERIAL[5])}"
IOPS = 1000


@dataclass
class Clock:
    now: datetime


@dataclass
class Estate:
    engine: Engine
    place: Workplace
    clock: Clock
    vcenter: int
    array: int
    peer: int

    def write(self, source_id: int, samples: SampleBatch, until: datetime | None = None) -> None:
        with transaction(self.engine) as connection:
            write_samples(connection, source_id, samples)
            if until is not None:
                advance_watermark(connection, source_id, samples.stream, until)

    def hosts(self, since: datetime, minutes: int, *, gavg_us: int = 1500, device: str = DEVICE) -> None:
        """One busy device and its disk, in µs, from `since` on."""
        ends = [since + timedelta(seconds=20 * n) for n in range(1, 3 * minutes + 1)]
        ops = {"read_ops": 20 * IOPS, "write_ops": 0, "read_bytes": 20 * IOPS * 4096, "write_bytes": 0}
        times = {"read_gavg_us": gavg_us, "read_davg_us": 600, "read_kavg_us": gavg_us - 600, "read_qavg_us": 0}
        self.write(
            self.vcenter,
            batch(Stream.HOST_DEVICE, device, ends, **ops, **times, queue_depth=32, precision=1),
            ends[-1],
        )
        disk = {"read_latency_us": gavg_us}
        self.write(self.vcenter, batch(Stream.VM_DISK, "vm-1/scsi0:0", ends, **ops, **disk, precision=1), ends[-1])

    def arrays(self, since: datetime, minutes: int, *, sources: tuple[int, ...] | None = None) -> None:
        """The same reads on the array, 400 µs inside it."""
        ends = [since + timedelta(seconds=30 * n) for n in range(1, 2 * minutes + 1)]
        for source_id in sources or (self.array, self.peer):
            key = "id-v0" if source_id == self.array else "peer-5"
            numbers = {"read_ops": 30 * IOPS if source_id == self.array else 0, "write_ops": 0, "mirrored_write_ops": 0}
            times = {"read_service_us": 300, "read_queue_us": 60, "read_qos_us": 40, "read_san_us": 50}
            self.write(source_id, batch(Stream.ARRAY_VOLUME, key, ends, 30, **numbers, **times), ends[-1])
        if self.array in (sources or (self.array,)):
            self.write(self.array, batch(Stream.ARRAY_DIRECTORY, "dir-1", ends, 30, read_ops=0, write_ops=0), ends[-1])

    def both(self, since: datetime, minutes: int) -> None:
        self.hosts(since, minutes)
        self.arrays(since, minutes)

    def correlate(self, at: datetime | None = None) -> int:
        self.clock.now = at or self.clock.now
        return correlate(self.place, budget_s=30)

    def rows(self, kind: ScopeKind, columns: str = "read_ops") -> list[tuple[object, ...]]:
        """(minute after START, …) of every row of a kind, in order of thing and time."""
        table = "ledger_leaf_1m" if kind <= ScopeKind.HOST_DEVICE else "ledger_1m"
        low, high = scope_key(kind, 0), scope_key(kind, 0) + 2**27
        sql = (
            f"SELECT (extract(epoch FROM ts - :start) / 60)::int, {columns} FROM {table}"
            " WHERE entity_id >= :low AND entity_id < :high ORDER BY entity_id, ts"
        )
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(sql), {"start": START, "low": low, "high": high})]

    def scalar(self, sql: str) -> object:
        with self.engine.connect() as connection:
            return connection.execute(text(sql)).scalar()


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


def begun(estate: Estate) -> Estate:
    """The first minute sets the stand two minutes back; from there on minutes are written as they come."""
    estate.both(START - 3 * MINUTE, 3)
    estate.correlate(START)
    return estate


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
