"""Findings about clocks, counters, gaps, neighbors and paths, from a real database: each with its quiet twin."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Entry, Environment, minute
from tests.correlate.test_findings import with_paths
from tests.correlate.test_findings_of_minutes import raised, together
from tests.db.environments import SERIALS, batch, naa

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.gaps import GapState, note_gap
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import write_samples
from gavel.domain.inventory import InventoryTaken
from gavel.domain.samples import Precision
from gavel.domain.scope import ScopeKind
from gavel.domain.source import ClockReading, Stream

DEVICE = f"esx-1/{naa(SERIALS[0])}"


@pytest.fixture
def environment(environment_url: str) -> Iterator[Environment]:
    engine = open_engine(environment_url, Role.WORKER)
    yield Environment.stored(engine)
    engine.dispose()


def read_clocks(environment: Environment, subject: str | None, offsets: dict[int, float], error_s: float = 0.1) -> None:
    """offsets: in seconds, by minutes ago."""
    readings = [
        ClockReading(subject=subject, offset_s=offset, error_s=error_s, read_at=NOW - ago * MINUTE)
        for ago, offset in offsets.items()
    ]
    with transaction(environment.engine) as connection:
        record_clocks(connection, environment.vcenter, readings)


@pytest.mark.parametrize(("moved", "is_raised"), [(1.5, True), (0.5, False)])
@pytest.mark.parametrize("subject", [None, "esx-1"])
def test_findings_of_sources_a_clock_that_moved_within_the_hour_is_raised_and_a_steady_one_is_not(
    environment: Environment, subject: str | None, moved: float, is_raised: bool
) -> None:
    read_clocks(environment, subject, {60: 40.0, 30: 40.0, 1: 40.0 + moved})
    found = raised(environment)
    assert set(found) == ({"clock-skew"} if is_raised else set())
    if is_raised:
        assert found["clock-skew"].title.startswith(f"Clock of {'source of vcenter' if subject is None else 'esx-1'}")


@pytest.mark.parametrize(("errors", "is_raised"), [((1.4, 1.2), True), ((1.4, 0.3), False)])
def test_findings_of_sources_a_clock_is_uncertain_by_its_best_reading(
    environment: Environment, errors: Sequence[float], is_raised: bool
) -> None:
    for ago, error in enumerate(errors, 1):
        read_clocks(environment, None, {ago: 0.0}, error)
    assert set(raised(environment)) == ({"clock-skew"} if is_raised else set())


@pytest.mark.parametrize(("precision", "is_raised"), [(Precision.MILLISECOND, True), (Precision.MICROSECOND, False)])
def test_findings_of_sources_a_host_with_counters_of_milliseconds_is_raised(
    environment: Environment, precision: Precision, is_raised: bool
) -> None:
    samples = batch(Stream.HOST_DEVICE, DEVICE, [NOW - MINUTE], read_ops=100, precision=int(precision))
    with transaction(environment.engine) as connection:
        write_samples(connection, environment.vcenter, samples)
    found = raised(environment)
    assert set(found) == ({"coarse-counters"} if is_raised else set())
    assert not is_raised or found["coarse-counters"].affected[0].name == "esx-1"


def note(environment: Environment, minutes: int, state: GapState, *, noticed: int = 60, key: str | None = None) -> None:
    """Two overlapping gaps that together take so many minutes of three hours ago."""
    start = NOW - timedelta(hours=3)
    with transaction(environment.engine) as connection:
        for first, last in ((0, minutes - 2), (2, minutes)):
            note_gap(
                connection, environment.vcenter, Stream.HOST_DEVICE, start + first * MINUTE, start + last * MINUTE,
                reason="connection refused", now=NOW - noticed * MINUTE, state=state, entity_key=key,
            )  # fmt: skip
        connection.execute(text("UPDATE source SET created_at = :at"), {"at": NOW - timedelta(days=2)})


@pytest.mark.parametrize(
    ("minutes", "state", "noticed", "is_raised"),
    [
        (15, GapState.EXPLAINED, 60, True),
        (14, GapState.EXPLAINED, 60, False),
        (15, GapState.PENDING_BACKFILL, 60, True),
        (15, GapState.PENDING_BACKFILL, 10, False),
        (15, GapState.RECOVERED, 60, False),
    ],
)
def test_findings_of_sources_more_than_a_hundredth_of_a_day_that_backfill_did_not_bring_is_raised(
    environment: Environment, minutes: int, state: GapState, noticed: int, is_raised: bool
) -> None:
    note(environment, minutes, state, noticed=noticed)
    assert set(raised(environment)) == ({"source-gaps"} if is_raised else set())


@pytest.mark.parametrize(("key", "name"), [("esx-2", "esx-2"), ("vm-1", "db01")])
def test_findings_of_sources_gaps_of_a_host_or_vm_name_it(environment: Environment, key: str, name: str) -> None:
    note(environment, 30, GapState.EXPLAINED, key=key)
    assert [one.name for one in raised(environment)["source-gaps"].affected] == [name]


def test_findings_of_sources_time_before_a_source_was_added_is_not_missing(environment: Environment) -> None:
    note(environment, 30, GapState.EXPLAINED)
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE source SET created_at = :at"), {"at": NOW - timedelta(hours=2, minutes=40)})
    assert raised(environment) == {}


def queue_of_two(environment: Environment, *, culprit: float, victim_us: bool) -> list[Entry]:
    """esx-1's queue of "simple": quiet an hour ago; in the last ten minutes vm-1 with so many IOPS, and vm-2 as before."""
    together(environment)
    device = environment.id("host_device", DEVICE)
    first, second = (environment.id("vm_disk", f"vm-{n}/scsi0:0") for n in (1, 2))
    entries: list[Entry] = []
    for minutes, iops, us in ((range(61, 71), 100.0, HEALTHY), (range(1, 11), culprit, KERNEL)):
        for n in minutes:
            at = NOW - n * MINUTE
            own = us if victim_us else HEALTHY
            entries.append((ScopeKind.HOST_DEVICE, device, at, minute(60 * (iops + 200), 0, us, queue_depth=64.0)))
            entries.append((ScopeKind.VM_DISK, first, at, minute(60 * iops, 0, us, outstanding_s=60)))
            entries.append((ScopeKind.VM_DISK, second, at, minute(60 * 200, 0, own, outstanding_s=60)))
    return entries


@pytest.mark.parametrize(
    ("culprit", "victim_us", "is_raised"), [(5000, True, True), (140, True, False), (5000, False, False)]
)
def test_findings_of_sources_a_vm_whose_added_io_makes_others_wait_is_a_noisy_neighbor(
    environment: Environment, culprit: float, victim_us: bool, is_raised: bool
) -> None:
    environment.write(queue_of_two(environment, culprit=culprit, victim_us=victim_us))
    found = raised(environment)
    assert set(found) == ({"noisy-neighbor"} if is_raised else set())
    if is_raised:
        one = found["noisy-neighbor"]
        assert one.title == "db01 makes 1 other VM wait 0.42 ms longer on the queue of simple on esx-1"
        assert {ref.kind for ref in one.affected} == {"device", "host", "datastore", "vm"}


def test_findings_of_sources_a_neighbor_that_came_by_migration_was_not_there_before(environment: Environment) -> None:
    """vm-1 did the same I/O an hour ago, from the other host: here it is new."""
    entries = queue_of_two(environment, culprit=5000, victim_us=True)
    first = environment.id("vm_disk", "vm-1/scsi0:0")
    entries = [
        (kind, thing, at, minute(60 * 5000, 0, HEALTHY)) if (thing, kind) == (first, ScopeKind.VM_DISK) and at < NOW - 20 * MINUTE
        else (kind, thing, at, row)
        for kind, thing, at, row in entries
    ]  # fmt: skip
    environment.write(entries)
    assert raised(environment) == {}
    with transaction(environment.engine) as connection:
        connection.execute(
            text(
                "WITH moved AS (UPDATE vm_placement SET valid_from = :at - interval '1 day', valid_to = :at,"
                " host_id = (SELECT id FROM esxi_host WHERE key = 'esx-2')"
                " WHERE vm_id = :vm RETURNING *) INSERT INTO vm_placement (vm_id, host_id, valid_from)"
                " SELECT vm_id, (SELECT id FROM esxi_host WHERE key = 'esx-1'), :at FROM moved"
            ),
            {"at": NOW - 15 * MINUTE, "vm": environment.id("vm", "vm-1")},
        )
    assert set(raised(environment)) == {"noisy-neighbor"}


@pytest.mark.parametrize(("us", "is_raised"), [(KERNEL, False), ("slow", True)])
def test_findings_of_sources_a_volume_is_shared_by_vms_of_all_hosts(
    environment: Environment, us: object, is_raised: bool
) -> None:
    """The array's time is looked at, and not the kernel's."""
    slow = {span: (3 * value, 3 * low, 3 * high) for span, (value, low, high) in HEALTHY.items()}
    now = slow if us == "slow" else KERNEL
    volume = environment.id("volume", "id-v0")
    first, second = (environment.id("vm_disk", f"vm-{n}/scsi0:0") for n in (1, 2))
    entries: list[Entry] = []
    for minutes, iops, times in ((range(61, 71), 100.0, HEALTHY), (range(1, 11), 5000.0, now)):
        for n in minutes:
            row = minute(60 * (iops + 200), 0, times)
            entries.append((ScopeKind.VOLUME, volume, NOW - n * MINUTE, row))
            entries.append((ScopeKind.VM_DISK, first, NOW - n * MINUTE, minute(60 * iops, 0, times)))
            entries.append((ScopeKind.VM_DISK, second, NOW - n * MINUTE, minute(60 * 200, 0, times)))
    environment.write(entries)
    found = raised(environment)
    assert set(found) == ({"noisy-neighbor"} if is_raised else set())
    assert not is_raised or found["noisy-neighbor"].title.endswith("on volume v0")


@pytest.mark.parametrize(("first", "is_raised"), [(900, True), (200, False)])
def test_findings_of_sources_a_path_with_more_than_twice_the_mean_is_raised(
    environment: Environment, first: int, is_raised: bool
) -> None:
    device = environment.id("host_device", DEVICE)
    keys = [f"esx-1/p{n}" for n in range(4)]
    with transaction(environment.engine) as connection:
        inventory = with_paths(4, dead={})
        paths = tuple(replace(path, is_optimized=True, counter=path.key.split("/")[1]) for path in inventory.paths)
        store_inventory(connection, environment.vcenter, InventoryTaken(replace(inventory, paths=paths), NOW))
    with transaction(environment.engine) as connection:
        for n, key in enumerate(keys):
            ends = [NOW - 5 * k * MINUTE for k in range(11, -1, -1)]
            iops = first if n == 0 else 200
            samples = batch(Stream.PATH, key, ends, 300, read_ops=300 * iops, write_ops=0)
            write_samples(connection, environment.vcenter, samples)
    environment.last_minutes(ScopeKind.HOST_DEVICE, device, 10, minute(60 * 1500, 0, HEALTHY))
    found = raised(environment)
    assert set(found) == ({"paths-unbalanced"} if is_raised else set())
    assert not is_raised or found["paths-unbalanced"].title == "60 % of the I/O of simple on esx-1 uses one of 4 paths"
