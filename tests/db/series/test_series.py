"""Raw series: both sides in shared buckets, weighted by operations, gaps left open, clocks taken out."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import SERIALS, array_inventory, batch, every, host_inventory, naa

from gavel.db.engine import reading, transaction
from gavel.db.errors import NotFoundError
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.refs import RefKind
from gavel.db.queries.series import BucketedSeries, SeriesColumn, SeriesGroup, series
from gavel.domain.source import ClockReading, Stream

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=3)
MINUTE = timedelta(minutes=1)
DEVICES = [f"{host}/{naa(SERIALS[0])}" for host in ("esx-1", "esx-2")]


def thing(store: Store, table: str, key: str, source_id: int) -> int:
    found = store.value(f"SELECT id FROM {table} WHERE source_id = :id AND key = :key", id=source_id, key=key)
    assert isinstance(found, int)
    return found


def asked(store: Store, kind: RefKind, thing_id: int, start: datetime, end: datetime, **more: object) -> BucketedSeries:
    with reading(store.engine) as connection:
        return series(connection, kind, thing_id, start, end, **more)  # type: ignore[arg-type]


def group(found: BucketedSeries, stream_column: str, name: str | None = None) -> SeriesGroup:
    """The group that has the column: of the whole, or of the part called `name`."""
    (one,) = [
        g for g in found.groups
        if any(c.name == stream_column for c in g.columns) and (g.scope == "whole" if name is None else g.entity.name == name)
    ]  # fmt: skip
    return one


def column(of: SeriesGroup, name: str) -> SeriesColumn:
    (one,) = [c for c in of.columns if c.name == name]
    return one


def environment(store: Store) -> tuple[int, int]:
    return store.with_environment(array_inventory(), NOW), store.with_environment(host_inventory(), NOW)


def test_hosts_add_up_and_latencies_are_weighted_by_their_operations(store: Store) -> None:
    _, vcenter = environment(store)
    ends = every(20, HOUR + timedelta(seconds=20), 6)
    store.write(
        vcenter,
        batch(Stream.HOST_DEVICE, DEVICES[0], ends, read_ops=100, read_gavg_us=1000, read_bytes=4096, precision=1),
    )
    store.write(
        vcenter,
        batch(Stream.HOST_DEVICE, DEVICES[1], ends[:3], read_ops=300, read_gavg_us=2000, read_bytes=8192, precision=2),
    )
    found = asked(
        store,
        RefKind.DATASTORE,
        thing(store, "datastore", "simple", vcenter),
        HOUR,
        HOUR + 2 * MINUTE,
        points=2,
        parts=True,
    )
    whole = group(found, "read_gavg_us")
    assert found.times_ms == [round((HOUR + n * MINUTE).timestamp() * 1000) for n in range(2)]
    assert column(whole, "read_iops").values == [20.0, 5.0]
    assert column(whole, "read_bytes_per_s").values == [pytest.approx(614.4), pytest.approx(204.8)]
    assert column(whole, "read_gavg_us").values == [1750.0, 1000.0]
    assert column(whole, "write_gavg_us").values == [None, None]
    part = group(found, "read_gavg_us", f"esx-2 {naa(SERIALS[0])}")
    assert column(part, "read_gavg_us").values == [2000.0, None]
    assert column(part, "read_gavg_us").counter == "disk.totalReadLatency.average"
    assert column(part, "read_gavg_us").precision == 1000
    fine = column(group(found, "read_gavg_us", f"esx-1 {naa(SERIALS[0])}"), "read_gavg_us")
    assert (fine.counter, fine.precision, fine.unit, fine.direction) == (
        "storage.latency.readGavg.average",
        1,
        "µs",
        "read",
    )


def test_a_gap_stays_a_gap(store: Store) -> None:
    _, vcenter = environment(store)
    ends = [
        end for end in every(20, HOUR + timedelta(seconds=20), 30) if not HOUR + 3 * MINUTE < end <= HOUR + 6 * MINUTE
    ]
    store.write(vcenter, batch(Stream.HOST_DEVICE, DEVICES[0], ends, read_ops=20, read_gavg_us=500))
    found = asked(
        store, RefKind.DATASTORE, thing(store, "datastore", "simple", vcenter), HOUR, HOUR + 10 * MINUTE, points=10
    )
    wanted = [1.0, 1.0, 1.0, None, None, None, 1.0, 1.0, 1.0, 1.0]
    assert column(group(found, "read_gavg_us"), "read_iops").values == wanted


def test_no_operations_means_no_latency_but_a_rate_of_zero(store: Store) -> None:
    array, _ = environment(store)
    store.write(
        array,
        batch(
            Stream.ARRAY_VOLUME, "id-v0", every(30, HOUR + timedelta(seconds=30), 2), 30, read_ops=0, read_service_us=0
        ),
    )
    found = asked(store, RefKind.VOLUME, thing(store, "volume", "id-v0", array), HOUR, HOUR + MINUTE, points=1)
    whole = group(found, "read_service_us")
    assert (column(whole, "read_iops").values, column(whole, "read_service_us").values) == ([0.0], [None])


def test_the_depth_of_several_queues_is_that_of_the_deepest_and_never_their_sum(store: Store) -> None:
    _, vcenter = environment(store)
    ends = every(20, HOUR + timedelta(seconds=20), 3)
    for device, depth in zip(DEVICES[:2], (32, 64), strict=True):
        store.write(vcenter, batch(Stream.HOST_DEVICE, device, ends, read_ops=100, queue_depth=depth))
    datastore = thing(store, "datastore", "simple", vcenter)
    found = asked(store, RefKind.DATASTORE, datastore, HOUR, HOUR + MINUTE, points=1)
    assert column(group(found, "queue_depth"), "queue_depth").values == [64.0]


def test_the_room_of_idle_devices_is_no_room_for_the_busy_one(store: Store) -> None:
    _, vcenter = environment(store)
    ends = every(20, HOUR + timedelta(seconds=20), 6)
    store.write(vcenter, batch(Stream.HOST_DEVICE, DEVICES[0], ends[:3], read_ops=100, queue_depth=32))
    store.write(vcenter, batch(Stream.HOST_DEVICE, DEVICES[0], ends[3:], read_ops=0, queue_depth=32))
    store.write(vcenter, batch(Stream.HOST_DEVICE, DEVICES[1], ends, read_ops=0, queue_depth=64))
    found = asked(
        store,
        RefKind.DATASTORE,
        thing(store, "datastore", "simple", vcenter),
        HOUR,
        HOUR + 2 * MINUTE,
        points=2,
        parts=True,
    )
    assert column(group(found, "queue_depth"), "queue_depth").values == [32.0, 64.0]
    part = group(found, "queue_depth", f"esx-2 {naa(SERIALS[0])}")
    assert column(part, "queue_depth").values == [64.0, 64.0]


def test_a_column_with_roll_ups_of_its_own_is_read_beside_the_others(store: Store) -> None:
    _, vcenter = environment(store)
    ends = every(20, HOUR + timedelta(seconds=20), 90)
    store.write(vcenter, batch(Stream.VM_DISK, "vm-1/scsi0:0", ends, read_ops=200, aborts=1))
    store.roll(NOW)
    vm = thing(store, "vm", "vm-1", vcenter)
    raw, rolled = (asked(store, RefKind.VM, vm, HOUR, HOUR + 30 * MINUTE, points=points) for points in (30, 6))
    assert (raw.resolution, rolled.resolution) == ("raw", "5m")
    for found, aborts in ((raw, [3.0] * 30), (rolled, [15.0] * 6)):
        disks = group(found, "read_latency_us")
        assert set(column(disks, "read_iops").values) == {10.0}
        shown = column(disks, "aborts")
        assert shown.values == aborts
        assert (shown.unit, shown.words, shown.counter, shown.direction, shown.precision) == (
            "count",
            "aborted commands",
            "virtualDisk.commandsAborted.summation",
            None,
            None,
        )


def test_what_was_rolled_up_before_a_column_came_has_its_other_columns_and_not_this(plain: Store) -> None:
    _, vcenter = environment(plain)
    ends = every(20, HOUR + timedelta(seconds=20), 90)
    plain.write(vcenter, batch(Stream.VM_DISK, "vm-1/scsi0:0", ends, read_ops=200, aborts=1))
    plain.roll(NOW)
    plain.run("DELETE FROM vm_disk_aborts_5m WHERE bucket < :at", at=HOUR + 14 * MINUTE)
    vm = thing(plain, "vm", "vm-1", vcenter)
    disks = group(asked(plain, RefKind.VM, vm, HOUR, HOUR + 30 * MINUTE, points=6), "read_latency_us")
    assert column(disks, "read_iops").values == [10.0] * 6
    assert column(disks, "aborts").values == [None] * 3 + [15.0] * 3


def test_samples_lie_where_gavels_clock_says_they_were(store: Store) -> None:
    """The array is a minute ahead, one host half a minute behind; both saw the same minute."""
    array, vcenter = environment(store)
    with transaction(store.engine) as connection:
        record_clocks(connection, array, [ClockReading(None, 60.0, 0.1, NOW)])
        record_clocks(connection, vcenter, [ClockReading(None, 5.0, 0.1, NOW), ClockReading("esx-1", -30.0, 0.1, NOW)])
    same_minute = HOUR + MINUTE
    store.write(
        array, batch(Stream.ARRAY_VOLUME, "id-v0", every(30, same_minute + timedelta(seconds=90), 2), 30, read_ops=60)
    )
    store.write(
        vcenter, batch(Stream.HOST_DEVICE, DEVICES[0], every(20, same_minute - timedelta(seconds=10), 3), read_ops=40)
    )
    found = asked(
        store, RefKind.DATASTORE, thing(store, "datastore", "simple", vcenter), HOUR, HOUR + 3 * MINUTE, points=3
    )
    assert column(group(found, "read_gavg_us"), "read_iops").values == [None, 2.0, None]
    shown = asked(store, RefKind.VOLUME, thing(store, "volume", "id-v0", array), HOUR, HOUR + 3 * MINUTE, points=3)
    assert column(group(shown, "read_service_us"), "read_iops").values == [None, 2.0, None]


@pytest.mark.parametrize("minutes", [1, 5, 60])
def test_roll_ups_and_samples_tell_the_same_and_join_without_a_seam(store: Store, minutes: int) -> None:
    """Two hours are rolled, the third is not yet: a chart over all three shows one truth at every step."""
    array, _ = environment(store)
    ends = every(30, HOUR - timedelta(hours=2) + timedelta(seconds=30), 360)
    values = {"read_ops": [30 + n % 7 for n in range(360)], "read_service_us": [200 + n for n in range(360)]}
    store.write(array, batch(Stream.ARRAY_VOLUME, "id-v0", ends[:250], 30, **{k: v[:250] for k, v in values.items()}))
    store.roll(HOUR)
    store.write(array, batch(Stream.ARRAY_VOLUME, "id-v0", ends[250:], 30, **{k: v[250:] for k, v in values.items()}))
    points = 180 // minutes
    volume_id = thing(store, "volume", "id-v0", array)
    found = asked(store, RefKind.VOLUME, volume_id, HOUR - timedelta(hours=2), HOUR + timedelta(hours=1), points=points)
    per_bucket = 2 * minutes
    ops = [values["read_ops"][n : n + per_bucket] for n in range(0, 360, per_bucket)]
    times = [values["read_service_us"][n : n + per_bucket] for n in range(0, 360, per_bucket)]
    whole = group(found, "read_service_us")
    assert (found.step_s, found.resolution) == (60 * minutes, {1: "raw", 5: "5m", 60: "1h"}[minutes])
    assert column(whole, "read_iops").values == pytest.approx([sum(o) / (60 * minutes) for o in ops])
    weighted = [sum(t * n for t, n in zip(ts, os, strict=True)) / sum(os) for ts, os in zip(times, ops, strict=True)]
    assert column(whole, "read_service_us").values == pytest.approx(weighted)


def test_both_arrays_of_a_stretched_volume_are_on_the_array_side(store: Store) -> None:
    array, vcenter = environment(store)
    from_peer = store.with_environment(array_inventory("array-b"), NOW)
    for source_id in (array, from_peer):
        store.write(
            source_id, batch(Stream.ARRAY_VOLUME, "id-v5", every(30, HOUR + timedelta(seconds=30), 2), 30, read_ops=30)
        )
    found = asked(
        store, RefKind.DATASTORE, thing(store, "datastore", "stretched", vcenter), HOUR, HOUR + MINUTE, points=1
    )
    side = group(found, "read_service_us")
    assert {array, from_peer} <= {ref.id for ref in side.sources}


def test_an_nfs_datastore_is_shown_by_its_virtual_disks_and_the_arrays_directory(store: Store) -> None:
    tag = 0x0F5
    array, vcenter = (
        store.with_environment(array_inventory(tag=tag), NOW),
        store.with_environment(host_inventory(tag=tag), NOW),
    )
    store.write(
        array,
        batch(
            Stream.ARRAY_DIRECTORY,
            "dir-1",
            every(30, HOUR + timedelta(seconds=30), 2),
            30,
            read_ops=30,
            read_usec_us=900,
        ),
    )
    store.write(
        vcenter,
        batch(
            Stream.VM_DISK,
            "vm-1/scsi0:4",
            every(20, HOUR + timedelta(seconds=20), 3),
            read_ops=20,
            read_latency_us=1100,
        ),
    )
    found = asked(store, RefKind.DATASTORE, thing(store, "datastore", "nfs", vcenter), HOUR, HOUR + MINUTE, points=1)
    assert column(group(found, "read_usec_us"), "read_usec_us").values == [900.0]
    assert column(group(found, "read_latency_us"), "read_latency_us").values == [1100.0]


def test_a_vm_is_shown_by_its_disks_its_hosts_devices_and_the_volumes_behind(store: Store) -> None:
    _, vcenter = environment(store)
    ends = every(20, HOUR + timedelta(seconds=20), 3)
    for slot in (0, 1):
        store.write(
            vcenter,
            batch(Stream.VM_DISK, f"vm-1/scsi0:{slot}", ends, read_ops=20, read_latency_us=100, read_outstanding=2),
        )
    store.write(vcenter, batch(Stream.HOST_DEVICE, DEVICES[1], ends, read_ops=99))
    found = asked(store, RefKind.VM, thing(store, "vm", "vm-1", vcenter), HOUR, HOUR + MINUTE, points=1)
    disks = group(found, "read_latency_us")
    assert (column(disks, "read_iops").values, column(disks, "read_outstanding").values) == ([2.0], [4.0])
    assert column(group(found, "read_gavg_us"), "read_iops").values == [None], (
        "the other host's device is not this VM's"
    )
    assert group(found, "read_service_us").side == "array"


@pytest.mark.parametrize(
    ("hours", "points"), [(1, 700), (6, 700), (24, 700), (24 * 30, 700), (24 * 365, 1000), (1, 10)]
)
def test_there_are_never_more_points_than_asked_for(store: Store, hours: int, points: int) -> None:
    array, _ = environment(store)
    volume_id = thing(store, "volume", "id-v0", array)
    found = asked(store, RefKind.VOLUME, volume_id, NOW - timedelta(hours=hours), NOW, points=points)
    assert points / 4 < len(found.times_ms) <= points or found.step_s == 30
    assert all(len(c.values) == len(found.times_ms) for g in found.groups for c in g.columns)
    assert found.from_at <= NOW - timedelta(hours=hours)
    assert found.to_at >= NOW


def test_what_does_not_exist_is_not_found_and_an_empty_range_is_refused(store: Store) -> None:
    array, _ = environment(store)
    with pytest.raises(NotFoundError, match="no datastore 2147483647"):
        asked(store, RefKind.DATASTORE, 2**31 - 1, HOUR, NOW)
    with pytest.raises(ValueError, match="range is empty"):
        asked(store, RefKind.VOLUME, thing(store, "volume", "id-v0", array), NOW, NOW)
