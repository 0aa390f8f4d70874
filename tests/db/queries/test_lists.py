"""Lists and single things: how hosts and arrays are tied, and why not; order, pages and search."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from tests.db.conftest import Store
from tests.db.environments import array_inventory, batch, every, host_inventory, naa, serials, stretched_peer
from tests.db.small_environment import NOW, Environment

from gavel.db.engine import Connection, reading
from gavel.db.errors import NotFoundError
from gavel.db.queries.datastores import datastore, datastores
from gavel.db.queries.events import events_of
from gavel.db.queries.hosts import host, hosts
from gavel.db.queries.matching import MatchBy
from gavel.db.queries.newest import NewestSides, newest_minute, newest_sides
from gavel.db.queries.object_filter import ObjectFilter
from gavel.db.queries.paging import ListQuery, Sort
from gavel.db.queries.refs import RefKind
from gavel.db.queries.vms import vm, vms
from gavel.db.queries.volumes import volume, volumes
from gavel.domain.source import Stream

Columns = Mapping[str, int | Sequence[int]]


@pytest.fixture
def environment(store: Store) -> Environment:
    """The only one that is read: the newest minute is one of all sources."""
    store.run("DELETE FROM watermark")
    return Environment(store)


def test_every_kind_of_datastore_is_tied_to_its_array_or_says_why_not(environment: Environment) -> None:
    found = environment.datastores()
    ties = {
        name: (row.match.by, tuple(ref.name for ref in row.volumes)) for name, row in found.items() if row.match.matched
    }
    assert ties == {
        "simple": (MatchBy.NAA, ("v0",)),
        "spanned": (MatchBy.NAA, ("v1", "v2")),
        "nvme": (MatchBy.EUI, ("v3",)),
        "stretched": (MatchBy.NAA, ("v5",)),
        "nfs": (MatchBy.NFS_EXPORT, ()),
        "vvol": (MatchBy.VVOL_TAG, ("vvol-1",)),
    }
    assert all(row.arrays[0].name == f"name of array-{environment.tag}" for row in found.values() if row.match.matched)
    reasons = {name: row.match.reason or "" for name, row in found.items() if not row.match.matched}
    assert set(reasons) == {"local", "unknown", "nfs-elsewhere"}
    assert "naa.5000c500a1b2c3d4 is not named as a volume of an array that Gavel can read" in reasons["local"]
    assert f"No polled array has a volume with serial {serials(environment.tag)[14]}" in reasons["unknown"]
    assert "No polled array serves files at 10.0.0.77" in reasons["nfs-elsewhere"]


def test_a_spanned_datastore_with_one_extent_unknown_is_not_matched(environment: Environment, store: Store) -> None:
    hosts = host_inventory(f"vc-{environment.tag}", environment.tag)
    half = tuple(
        replace(d, extents=(d.extents[0], "naa.600508b1")) if d.name == "spanned" else d for d in hosts.datastores
    )
    store.take(environment.vcenter, replace(hosts, datastores=half), NOW + timedelta(minutes=5))
    match = environment.datastores()["spanned"].match
    assert not match.matched
    assert (match.reason or "").startswith("1 of 2 extents: naa.600508b1")


def test_a_stretched_volume_is_on_two_arrays(environment: Environment, store: Store) -> None:
    peer = store.with_environment(stretched_peer(environment.tag), NOW)
    assert len(environment.datastores()["stretched"].arrays) == 2
    volume_id = environment.id("volume", "id-v5")
    with reading(store.engine) as connection:
        detail = volume(connection, volume_id, NOW)
    assert (detail.stretched, [row.serial for row in detail.peers]) == (True, [serials(environment.tag)[5]])
    assert store.value("SELECT source_id FROM volume WHERE id = :id", id=detail.peers[0].id) == peer
    assert {row.host.name for row in detail.devices} == {"esx-1", "esx-2"}


def test_a_serial_of_two_volumes_that_are_not_one_ties_nothing(environment: Environment, store: Store) -> None:
    other = array_inventory(f"other-{environment.tag}", environment.tag)
    store.with_environment(replace(other, volumes=tuple(each for each in other.volumes if each.name == "v0")), NOW)
    match = environment.datastores()["simple"].match
    assert not match.matched
    assert "2 volumes have the serial" in str(match.reason)
    assert environment.datastores()["spanned"].match.matched


def test_newest_numbers_are_the_last_minute_of_both_sides(environment: Environment, store: Store) -> None:
    end = NOW - timedelta(seconds=30)
    keys = [f"{host}/{naa(serials(environment.tag)[0])}" for host in ("esx-1", "esx-2")]
    for key, gavg in zip(keys, (1000, 3000), strict=True):
        ends = every(20, end - timedelta(seconds=80), 5)
        values: Columns = {
            "read_ops": [9999, 9999, 20, 20, 20],
            "write_ops": 20,
            "read_gavg_us": gavg,
            "write_gavg_us": gavg,
        }
        store.write(environment.vcenter, batch(Stream.HOST_DEVICE, key, ends, precision=2, **values))
    times = {f"read_{time}_us": 100 for time in ("service", "queue", "qos", "san")}
    none = {f"{d}_ops": 0 for d in ("write", "mirrored_write")}
    store.write(
        environment.array,
        batch(
            Stream.ARRAY_VOLUME, "id-v0", every(30, end - timedelta(seconds=30), 2), 30, read_ops=60, **times, **none
        ),
    )
    store.advance(environment.vcenter, Stream.HOST_DEVICE, end)
    store.advance(environment.array, Stream.ARRAY_VOLUME, end)
    newest = environment.datastores()["simple"].newest
    assert (newest.at, newest.host_iops, newest.host_gavg_us, newest.host_davg_us) == (end, 4.0, 2000.0, None)
    assert (newest.host_precision_us, newest.array_iops, newest.array_internal_us, newest.array_san_us) == (
        1000,
        2.0,
        300.0,
        100.0,
    )
    assert (newest.array_read_us, newest.array_write_us) == (300.0, None)
    with reading(store.engine) as connection:
        (busy, *_) = hosts(connection, environment.asking(sort=Sort.LATENCY, descending=True), NOW).items
        (loaded, *_) = datastores(connection, environment.asking(sort=Sort.IOPS, descending=True), NOW).items
        stale = datastores(connection, environment.asking(sort=Sort.IOPS), NOW + timedelta(minutes=10)).items
    assert (busy.name, busy.newest.host_gavg_us, loaded.name) == ("esx-2", 3000.0, "simple")
    assert all(row.newest.at is None for row in stale)


def test_both_sides_are_told_of_the_same_minute_however_far_each_was_read(
    environment: Environment, store: Store
) -> None:
    """The vCenter was read 40 s farther than the array, and in these 40 s its hosts did ten times as much."""
    end = NOW - timedelta(seconds=60)
    key = f"esx-1/{naa(serials(environment.tag)[0])}"
    ops: Columns = {"read_ops": [20, 20, 20, 200, 200], "write_ops": 0, "read_gavg_us": [500, 500, 500, 9000, 9000]}
    store.write(environment.vcenter, batch(Stream.HOST_DEVICE, key, every(20, end - timedelta(seconds=40), 5), **ops))
    none = {f"{d}_ops": 0 for d in ("write", "mirrored_write")} | {f"read_{time}_us": 0 for time in ("queue", "qos")}
    store.write(
        environment.array,
        batch(
            Stream.ARRAY_VOLUME,
            "id-v0",
            every(30, end - timedelta(seconds=30), 2),
            30,
            read_ops=30,
            read_service_us=400,
            **none,
        ),
    )
    store.advance(environment.vcenter, Stream.HOST_DEVICE, end + timedelta(seconds=40))
    store.advance(environment.array, Stream.ARRAY_VOLUME, end)
    newest = environment.datastores()["simple"].newest
    assert (newest.at, newest.host_iops, newest.array_iops, newest.host_gavg_us) == (end, 1.0, 1.0, 500.0)
    # An array that is not read any more holds nobody back.
    store.advance(environment.vcenter, Stream.HOST_DEVICE, end + timedelta(minutes=3))
    store.write(
        environment.vcenter,
        batch(
            Stream.HOST_DEVICE,
            key,
            every(20, end + timedelta(seconds=140), 3),
            read_ops=400,
            write_ops=0,
            read_gavg_us=800,
        ),
    )
    with reading(store.engine) as connection:
        rows = datastores(connection, environment.asking(), NOW + timedelta(minutes=2)).items
    later = next(row.newest for row in rows if row.name == "simple")
    assert (later.host_iops, later.host_gavg_us, later.array_iops) == (20.0, 800.0, 1.0)


def test_the_arrays_own_time_is_told_of_reads_and_of_writes_alone(environment: Environment, store: Store) -> None:
    """What mirrored writes take is in neither, but in the time of all."""
    end = NOW - timedelta(seconds=30)
    ops = {"read_ops": 300, "write_ops": 100, "mirrored_write_ops": 100}
    times = {
        f"{d}_{part}_us": us
        for d, service in (("read", 200), ("write", 500), ("mirrored_write", 900))
        for part, us in (("service", service), ("queue", 20), ("qos", 0), ("san", 50))
    }
    store.write(environment.array, batch(Stream.ARRAY_VOLUME, "id-v0", every(30, end, 2), 30, **ops, **times))
    store.advance(environment.array, Stream.ARRAY_VOLUME, end + timedelta(seconds=30))
    with reading(store.engine) as connection:
        (row,) = (
            one
            for one in volumes(connection, ListQuery(filter=ObjectFilter(source_id=environment.array)), NOW).items
            if one.name == "v0"
        )
    assert (row.newest.array_read_us, row.newest.array_write_us) == (220.0, 520.0)
    assert row.newest.array_internal_us == pytest.approx((3 * 220 + 520 + 920) / 5)


def test_volumes_are_sorted_by_the_arrays_own_time_whatever_hosts_see(environment: Environment, store: Store) -> None:
    end = NOW - timedelta(seconds=30)
    slow_host = {"read_ops": 20, "write_ops": 0, "read_gavg_us": 9000}
    store.write(
        environment.vcenter, batch(Stream.HOST_DEVICE, f"esx-1/{naa(serials(environment.tag)[0])}", [end], **slow_host)
    )
    none = {f"{d}_ops": 0 for d in ("write", "mirrored_write")} | {f"read_{time}_us": 0 for time in ("queue", "qos")}
    for key, inside_us in (("id-v0", 300), ("id-v1", 900)):
        values = {"read_ops": 60, "read_service_us": inside_us, **none}
        store.write(environment.array, batch(Stream.ARRAY_VOLUME, key, [end], 30, **values))
    store.advance(environment.vcenter, Stream.HOST_DEVICE, end)
    store.advance(environment.array, Stream.ARRAY_VOLUME, end)
    assert slowest_volumes(environment, 2) == [("v1", 900.0, None), ("v0", 300.0, 9000.0)]


def test_volumes_that_the_array_did_not_time_come_last_however_slow_hosts_see_them(
    environment: Environment, store: Store
) -> None:
    end = NOW - timedelta(seconds=30)
    slow_host = {"read_ops": 20, "write_ops": 0, "read_gavg_us": 9000}
    store.write(
        environment.vcenter, batch(Stream.HOST_DEVICE, f"esx-1/{naa(serials(environment.tag)[0])}", [end], **slow_host)
    )
    none = {f"{d}_ops": 0 for d in ("write", "mirrored_write")} | {f"read_{time}_us": 0 for time in ("queue", "qos")}
    for key, values in (("id-v0", {"read_ops": 0}), ("id-v1", {"read_ops": 60, "read_service_us": 300})):
        store.write(environment.array, batch(Stream.ARRAY_VOLUME, key, [end], 30, **values, **none))
    store.advance(environment.vcenter, Stream.HOST_DEVICE, end)
    store.advance(environment.array, Stream.ARRAY_VOLUME, end)
    slowest = slowest_volumes(environment, 500)
    assert slowest[0] == ("v1", 300.0, None)
    assert ("v0", None, 9000.0) in slowest[1:]


def slowest_volumes(environment: Environment, limit: int) -> list[tuple[str, float | None, float | None]]:
    query = ListQuery(filter=ObjectFilter(source_id=environment.array), sort=Sort.LATENCY, descending=True, limit=limit)
    with reading(environment.store.engine) as connection:
        page = volumes(connection, query, NOW)
    return [(row.name, row.newest.array_internal_us, row.newest.host_gavg_us) for row in page.items]


def test_things_without_numbers_come_last_whichever_way_is_sorted(environment: Environment, store: Store) -> None:
    end = NOW - timedelta(seconds=20)
    store.write(
        environment.vcenter, batch(Stream.VM_DISK, "vm-2/scsi0:0", [end], read_ops=20, write_ops=0, read_latency_us=700)
    )
    store.advance(environment.vcenter, Stream.VM_DISK, end)
    for descending in (False, True):
        with reading(store.engine) as connection:
            page = vms(connection, environment.asking(sort=Sort.LATENCY, descending=descending), NOW)
        assert [(row.name, row.newest.host_gavg_us) for row in page.items] == [("web_02%", 700.0), ("db01", None)]


def test_pages_follow_one_another_and_count_everything(environment: Environment) -> None:
    with reading(environment.store.engine) as connection:
        everything = [row.name for row in datastores(connection, environment.asking(), NOW).items]
        paged = [datastores(connection, environment.asking(limit=4, offset=offset), NOW) for offset in (0, 4, 8, 12)]
        backwards = datastores(connection, environment.asking(descending=True), NOW).items
    assert everything == sorted(everything)
    assert [row.name for page in paged for row in page.items] == everything
    assert {page.total for page in paged} == {9}
    assert [row.name for row in backwards] == everything[::-1]


def test_paths_of_a_device_that_are_down_do_not_work(environment: Environment) -> None:
    simple = environment.id("datastore", "simple")
    with environment.store.engine.connect() as connection:
        connection.execute(text("UPDATE path SET state = 'dead' WHERE key = 'esx-1/p1'"))
        devices = datastore(connection, simple, NOW).devices
        connection.rollback()
    assert [(d.host.name, d.paths_total, d.paths_working) for d in devices] == [("esx-1", 2, 1), ("esx-2", 2, 2)]


def test_one_of_each_with_its_parts(environment: Environment) -> None:
    datastore_id, vm_id, host_id = (
        environment.id(*thing) for thing in (("datastore", "simple"), ("vm", "vm-1"), ("esxi_host", "esx-1"))
    )
    with reading(environment.store.engine) as connection:
        simple = datastore(connection, datastore_id, NOW)
        db01 = vm(connection, vm_id, NOW)
        esx = host(connection, host_id, NOW)
        page = volumes(connection, ListQuery(filter=ObjectFilter(source_id=environment.array)), NOW)
    # One of each two is not used just now, and down is neither.
    assert [(d.host.name, d.paths_total, d.paths_working, d.volume.name if d.volume else None) for d in simple.devices] == [
        ("esx-1", 2, 2, "v0"), ("esx-2", 2, 2, "v0"),
    ]  # fmt: skip
    assert [ref.name for ref in simple.vms] == ["db01", "web_02%"]
    listed = environment.datastores()["simple"]
    assert (listed.vms, listed.hosts) == (2, 2)
    ties = {disk.instance: (disk.match.by, disk.volume.name if disk.volume else None) for disk in db01.vm_disks}
    assert ties == {
        "scsi0:0": (MatchBy.NAA, "v0"), "scsi0:1": (MatchBy.NAA, "v1"), "scsi0:2": (MatchBy.EUI, "v3"),
        "scsi0:3": (MatchBy.NAA, "v5"), "scsi0:4": (MatchBy.NFS_EXPORT, None), "scsi0:5": (MatchBy.VVOL_TAG, "vvol-1"),
        "scsi0:6": (MatchBy.RDM, "v4"),
    }  # fmt: skip
    assert [(one.name, one.value) for one in db01.labels] == [("owner", "ada")]
    assert db01.host is not None
    assert db01.host.name == "esx-1"
    assert (len(esx.host_devices), len(esx.hbas), esx.vms, esx.last_seen) == (8, 1, 1, NOW)
    assert (page.total, {row.name: [ref.name for ref in row.datastores] for row in page.items}["v2"]) == (
        8,
        ["spanned"],
    )


def one_of(kind: str, connection: Connection) -> object:
    return {"datastore": datastore, "vm": vm, "host": host, "volume": volume}[kind](connection, 2**31 - 1, NOW)


@pytest.mark.parametrize("kind", ["datastore", "vm", "host", "volume"])
def test_what_is_not_there_is_not_found(store: Store, kind: str) -> None:
    with reading(store.engine) as connection, pytest.raises(NotFoundError, match=f"(?i)no {kind} 2147483647"):
        one_of(kind, connection)


def test_events_of_a_thing_are_its_own_and_its_parts(environment: Environment, store: Store) -> None:
    hosts = host_inventory(f"vc-{environment.tag}", environment.tag)
    at = NOW + timedelta(minutes=5)
    dead = (replace(hosts.paths[0], state="dead"), *hosts.paths[1:])
    store.take(
        environment.vcenter, replace(hosts, paths=dead, vms=(replace(hosts.vms[0], name="db02"), hosts.vms[1])), at
    )
    until = at + timedelta(minutes=1)
    simple, other, vm_id = (
        environment.id("datastore", "simple"),
        environment.id("datastore", "nvme"),
        environment.id("vm", "vm-1"),
    )
    with reading(store.engine) as connection:
        on_datastore = events_of(connection, RefKind.DATASTORE, simple, NOW, until)
        on_vm = events_of(connection, RefKind.VM, vm_id, NOW, until)
        on_other = events_of(connection, RefKind.DATASTORE, other, NOW, until)
    assert [(e.kind, e.before, e.after) for e in on_datastore] == [("path_state", "active", "dead")]
    assert [(e.kind, e.subject.name if e.subject else None) for e in on_vm] == [("renamed", "db02")]
    assert on_other == ()


def test_a_thing_on_volumes_and_files_has_both_in_its_newest_numbers(environment: Environment, store: Store) -> None:
    """Operations add up, latencies are weighted by them, and what only one of the two has is told of that one."""
    end = NOW - timedelta(seconds=30)
    ends = every(30, end - timedelta(seconds=30), 2)
    none = {"write_ops": 0}
    times = {"read_service_us": 200, "read_queue_us": 0, "read_qos_us": 0, "read_san_us": 100}
    volume_rows = batch(Stream.ARRAY_VOLUME, "id-v0", ends, 30, read_ops=900, mirrored_write_ops=0, **none, **times)
    store.write(environment.array, volume_rows)
    store.write(
        environment.array, batch(Stream.ARRAY_DIRECTORY, "dir-1", ends, 30, read_ops=300, read_usec_us=1000, **none)
    )
    host_ends = every(20, end - timedelta(seconds=40), 3)
    device = f"esx-1/{naa(serials(environment.tag)[0])}"
    latencies = {"read_gavg_us": 400, "read_davg_us": 300, "read_kavg_us": 100}
    store.write(
        environment.vcenter,
        batch(Stream.HOST_DEVICE, device, host_ends, precision=1, read_ops=600, **none, **latencies),
    )
    for slot, ops, us in ((0, 600, 500), (4, 200, 1300)):
        disk = batch(Stream.VM_DISK, f"vm-1/scsi0:{slot}", host_ends, read_ops=ops, read_latency_us=us, **none)
        store.write(environment.vcenter, disk)
    for source, stream in (
        (environment.array, Stream.ARRAY_VOLUME),
        (environment.array, Stream.ARRAY_DIRECTORY),
        (environment.vcenter, Stream.HOST_DEVICE),
        (environment.vcenter, Stream.VM_DISK),
    ):
        store.advance(source, stream, end)
    array_id, vm_id = environment.id("storage_array", f"array-{environment.tag}"), environment.id("vm", "vm-1")
    with reading(store.engine) as connection:
        minute = newest_minute(connection, NOW)
        of_array = newest_sides(connection, RefKind.ARRAY, [array_id], minute)[array_id]
        of_vm = newest_sides(connection, RefKind.VM, [vm_id], minute)[vm_id]
    for newest in (of_array, of_vm):
        assert newest.array_iops == pytest.approx(40)
        assert newest.array_internal_us == pytest.approx((200 * 30 + 1000 * 10) / 40)
        # Files have no SAN part: that of the volumes stands alone, and is not made smaller by them.
        assert newest.array_san_us == pytest.approx(100)
        assert newest.host_iops == pytest.approx(40)
    # The host side of an array: its devices, and the virtual disks on its files, which are on no device.
    assert of_array.host_gavg_us == pytest.approx((400 * 30 + 1300 * 10) / 40)
    assert (of_array.host_davg_us, of_array.host_kavg_us) == (300, 100)
    assert of_vm.host_gavg_us == pytest.approx((500 * 30 + 1300 * 10) / 40)
    assert of_vm.host_davg_us is None


def test_what_neither_side_measured_stays_unknown(environment: Environment, store: Store) -> None:
    array_id = environment.id("storage_array", f"array-{environment.tag}")
    with reading(store.engine) as connection:
        assert newest_sides(connection, RefKind.ARRAY, [array_id], newest_minute(connection, NOW)) == {
            array_id: NewestSides(*[None] * 11)
        }
