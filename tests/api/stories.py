"""Stories of an excess: elevated minutes after normal ones, in the ledger and in the inventory, that a cause is to be found for."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Engine, text
from tests.api.ledgers import KERNEL, MINUTE, NOW, Environment, Interval, minute, span
from tests.db.environments import SERIALS, batch, naa

from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.io_path import Layer, Segment
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

Row = tuple[LedgerRows, Notes]
ELEVATED, NORMAL = range(1, 6), range(6, 26)
THROTTLED: Mapping[int, Interval] = {
    span(Layer.KERNEL): (4500, 4450, 4550),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (400, 398.5, 401.5),
}
# µs per I/O inside the array, of which 1,500 at the QoS limit.
LIMITED: Mapping[int, Interval] = {
    span(Layer.KERNEL): (10, 5, 15),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (1900, 1895, 1905),
}


SLOW_SAN: Mapping[int, Interval] = {
    span(Layer.KERNEL): (10, 5, 15),
    span(Layer.SAN): (1900, 1890, 1910),
    span(Layer.ARRAY): (400, 398.5, 401.5),
}
SLOW_ARRAY: Mapping[int, Interval] = {
    span(Layer.KERNEL): (10, 5, 15),
    span(Layer.SAN): (92, 82.5, 101.5),
    span(Layer.ARRAY): (3000, 2995, 3005),
}
DEVICE = f"esx-1/{naa(SERIALS[0])}"


def in_segment(row: Row, segment: Segment, share: float, *others: Segment) -> Row:
    """The row with `share` of the layer's time in one segment, the rest of it in the first of the others."""
    rows, notes = row
    time = rows.segment_time.copy()
    whole = time[..., [segment, *others]].sum(axis=-1)
    time[..., segment] = share * whole
    time[..., list(others)] = 0.0
    time[..., others[0]] = (1 - share) * whole
    return replace(rows, segment_time=time), notes


def throttled(iops: float, us: Mapping[int, Interval] = THROTTLED) -> Row:
    return in_segment(minute(iops * 60, 0, us), Segment.HYPERVISOR, 0.99, Segment.KERNEL_SERVICE, Segment.KERNEL_QUEUE)


class Story:
    """Elevated minutes after normal ones."""

    def __init__(self, engine: Engine, environment: Environment) -> None:
        self.engine, self.environment = engine, environment

    def set(self, table: str, key: str, column: str, value: object) -> None:
        with transaction(self.engine) as connection:
            changed = connection.execute(
                text(f"UPDATE {table} SET {column} = :value WHERE key = :key"), {"value": value, "key": key}
            )
        assert changed.rowcount == 1

    def run(self, statement: str, **values: object) -> None:
        with transaction(self.engine) as connection:
            connection.execute(text(statement), values)

    def paths_did(
        self, counters: list[str], minutes_ago: int, iops: list[float], us: list[int], precision: int = 1
    ) -> None:
        """One sample of 5 min of each of these paths, that ended then."""
        at: datetime = NOW - minutes_ago * MINUTE
        ops = [round(one * 300) for one in iops]
        sample = batch(
            Stream.PATH, counters, [at] * len(counters), 300,
            read_ops=ops, write_ops=0, read_latency_us=us, write_latency_us=us, precision=precision,
        )  # fmt: skip
        with transaction(self.engine) as connection:
            assert not write_samples(connection, self.environment.vcenter, sample).unknown_keys

    def array_waited(self, elevated_us: int, normal_us: int) -> None:
        """All I/O of the array in its own queue, mirrored writes too."""
        for minutes, us in ((ELEVATED, elevated_us), (NORMAL, normal_us)):
            ends = [NOW - n * MINUTE + part * MINUTE / 2 for n in minutes for part in (1, 2)]
            sample = batch(
                Stream.ARRAY_WIDE, "array-a", ends, 30,
                read_ops=3000, write_ops=0, mirrored_write_ops=3000, read_queue_us=us, mirrored_write_queue_us=us,
            )  # fmt: skip
            with transaction(self.engine) as connection:
                assert not write_samples(connection, self.environment.array, sample).unknown_keys

    def write(self, kind: ScopeKind, thing: int, elevated: Row, normal: Row | None) -> None:
        sides = [(ELEVATED, elevated), *([(NORMAL, normal)] if normal is not None else [])]
        self.environment.write([(kind, thing, NOW - n * MINUTE, row) for times, row in sides for n in times])


def limited_disk(story: Story, *, elevated_iops: float, normal: Row | None, limit: int = 1500) -> int:
    environment = story.environment
    vm, disk = environment.id("vm", "vm-1"), environment.id("vm_disk", "vm-1/scsi0:0")
    story.set("vm_disk", "vm-1/scsi0:0", "iops_limit", limit)
    for kind, thing in ((ScopeKind.VM, vm), (ScopeKind.VM_DISK, disk)):
        story.write(kind, thing, throttled(elevated_iops), normal)
    return vm


def full_queue(story: Story, *, dsnro: int, normal: Row) -> int:
    """A device queue of esx-1 with 32 I/Os in flight of two VMs, one of which issues nearly all."""
    environment = story.environment
    store = environment.id("datastore", "simple")
    device = environment.id("host_device", f"esx-1/{naa(SERIALS[0])}")
    story.set("host_device", f"esx-1/{naa(SERIALS[0])}", "dsnro", dsnro)
    row = minute(2_600_000, 1_300_000, KERNEL, queue_depth=32.0)
    disk = environment.id("vm_disk", "vm-1/scsi0:0")
    for kind, thing in ((ScopeKind.DATASTORE, store), (ScopeKind.HOST_DEVICE, device), (ScopeKind.VM_DISK, disk)):
        story.write(kind, thing, row, normal)
    return store
