"""What tables say of each device and each volume beside the sums of lists: of the same minute, and null where nobody knows."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import array_inventory, batch, every, host_inventory, naa, serials

from gavel.db.engine import reading
from gavel.db.queries.arrays import arrays
from gavel.db.queries.hosts import HostDetail, host
from gavel.db.queries.newest import DeviceNumbers, VolumeParts
from gavel.db.queries.object_filter import ObjectFilter
from gavel.db.queries.paging import ListQuery
from gavel.db.queries.sources import source_health
from gavel.db.queries.vms import vm
from gavel.db.queries.volumes import volumes
from gavel.domain.samples import Precision
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
END = NOW - timedelta(seconds=30)
_tags = itertools.count(0x5000)


class Environment:
    def __init__(self, store: Store) -> None:
        self.store, self.tag = store, next(_tags)
        self.array = store.with_environment(array_inventory(f"parts-array-{self.tag}", self.tag), NOW)
        self.vcenter = store.with_environment(host_inventory(f"parts-vc-{self.tag}", self.tag), NOW)
        self.device = naa(serials(self.tag)[0])

    def count(self, ends: list[datetime], interval_s: int = 20, **columns: int | list[int]) -> None:
        self.store.write(self.vcenter, batch(Stream.HOST_DEVICE, f"esx-1/{self.device}", ends, interval_s, **columns))
        self.store.advance(self.vcenter, Stream.HOST_DEVICE, END)

    def host(self) -> HostDetail:
        found = self.store.value("SELECT id FROM esxi_host WHERE source_id = :v AND key = 'esx-1'", v=self.vcenter)
        assert isinstance(found, int)
        with reading(self.store.engine) as connection:
            return host(connection, found, NOW)

    def numbers(self) -> dict[str, DeviceNumbers]:
        return {row.canonical_name: row.newest for row in self.host().host_devices}


@pytest.fixture
def environment(store: Store) -> Environment:
    """The only one that is read: the newest minute is one of all sources."""
    store.run("DELETE FROM watermark")
    return Environment(store)


def test_a_device_is_told_with_the_load_of_its_newest_minute_and_the_depth_in_force(environment: Environment) -> None:
    """4,000 operations per second at 0.5 ms are 2 in flight; what was before the minute is not in it."""
    ends = every(20, END - timedelta(seconds=80), 5)
    environment.count(
        ends,
        read_ops=[9, 9, 60_000, 60_000, 60_000],
        write_ops=20_000,
        read_gavg_us=600,
        write_gavg_us=1000,
        read_davg_us=400,
        write_davg_us=800,
        queue_depth=[128, 128, 32, 32, 64],
        precision=Precision.MICROSECOND,
    )
    numbers = environment.numbers()
    mine = numbers.pop(environment.device)
    assert (mine.iops, mine.gavg_us, mine.precision_us, mine.depth_in_force) == (4000.0, 700.0, 1, 64)
    assert mine.in_flight_ios == pytest.approx(2.0)
    assert set(numbers.values()) == {DeviceNumbers(None, None, None, None, None)}


@pytest.mark.parametrize(
    ("columns", "in_flight"),
    [
        ({"read_ops": 100, "write_ops": 0, "read_davg_us": 0, "precision": Precision.MILLISECOND}, None),
        ({"read_ops": 100, "write_ops": 0, "precision": Precision.MICROSECOND}, None),
        ({"read_ops": 0, "write_ops": 0, "precision": Precision.MILLISECOND}, 0.0),
        ({"read_davg_us": 500, "precision": Precision.MICROSECOND}, None),
    ],
)
def test_what_is_in_flight_is_told_only_where_it_is_known(
    environment: Environment, columns: dict[str, int], in_flight: float | None
) -> None:
    environment.count(every(20, END - timedelta(seconds=40), 3), **columns)
    mine = environment.numbers()[environment.device]
    assert (mine.in_flight_ios, mine.depth_in_force) == (in_flight, None)


def test_a_volume_is_told_with_the_parts_of_its_time_and_its_mirrored_writes(
    environment: Environment, store: Store
) -> None:
    """The parts add up to its whole time, over all of its operations."""
    ops = {"read_ops": 300, "write_ops": 100, "mirrored_write_ops": 100}
    times = {
        f"{d}_{part}_us": us
        for d, service in (("read", 200), ("write", 500), ("mirrored_write", 900))
        for part, us in (("service", service), ("queue", 20), ("qos", 3), ("qos_sched", 2))
    }
    store.write(environment.array, batch(Stream.ARRAY_VOLUME, "id-v0", every(30, END, 2), 30, **ops, **times))
    store.advance(environment.array, Stream.ARRAY_VOLUME, END + timedelta(seconds=30))
    with reading(store.engine) as connection:
        rows = {
            one.name: one
            for one in volumes(connection, ListQuery(filter=ObjectFilter(source_id=environment.array)), NOW).items
        }
    parts = rows["v0"].parts
    assert parts == VolumeParts(service_us=400.0, queue_us=20.0, qos_us=5.0, mirrored_write_us=925.0)
    assert rows["v0"].newest.array_internal_us == pytest.approx(425.0)
    assert rows["v1"].parts == VolumeParts(None, None, None, None)
    assert {name for name, row in rows.items() if row.is_protocol_endpoint} == {"pe"}


def test_an_array_its_source_and_the_list_of_volumes_count_one_number_of_them(
    environment: Environment, store: Store
) -> None:
    with reading(store.engine) as connection:
        of = ListQuery(filter=ObjectFilter(source_id=environment.array))
        listed = volumes(connection, of, NOW).total
        (row,) = arrays(connection, of, NOW).items
        (health,) = source_health(connection, NOW, environment.array)
    assert (row.volumes, health.entities["volume"]) == (listed, listed)


def test_a_virtual_disk_says_what_its_controller_takes_at_once_where_that_is_known(environment: Environment) -> None:
    inventory = host_inventory(f"parts-vc-{environment.tag}", environment.tag)
    kinds = {"scsi0:0": "PVSCSI", "scsi0:1": "LSI Logic SAS", "scsi0:2": "NVMe"}
    disks = tuple(
        replace(disk, controller_type=kinds.get(disk.instance, disk.controller_type)) for disk in inventory.disks
    )
    environment.store.take(environment.vcenter, replace(inventory, disks=disks), NOW + timedelta(minutes=5))
    vm_id = environment.store.value("SELECT id FROM vm WHERE source_id = :v AND key = 'vm-1'", v=environment.vcenter)
    assert isinstance(vm_id, int)
    with reading(environment.store.engine) as connection:
        limits = {disk.instance: disk.queue_limit for disk in vm(connection, vm_id, NOW).vm_disks}
    assert (limits["scsi0:0"], limits["scsi0:1"], limits["scsi0:2"]) == (64, 32, None)
