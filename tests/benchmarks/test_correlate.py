"""CPU seconds to correlate a minute of a big site, from the samples in the store to its rows in the ledger."""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import Engine, text
from tests.db.environments import array_inventory, device, disk, esxi, host_inventory, naa, stamp_us, volume

from gavel.correlate.run import correlate
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.inventory import ArrayInventory, Datastore, DatastoreType, HostInventory, InventoryTaken, Vm
from gavel.domain.samples import COLUMNS, NOT_MEASURED, Int64Array, SampleBatch
from gavel.domain.source import ClockReading, SourceKind, Stream
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

DATASTORES, HOSTS, VMS, DISKS_PER_VM = 2_000, 100, 6_667, 3
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def serial(number: int) -> str:
    return f"{0x9714B5CB91634C47:016X}{number:08X}"


def hosts_of(store: int) -> tuple[str, str]:
    return f"esx-{store % HOSTS}", f"esx-{(store + 1) % HOSTS}"


def arrays() -> ArrayInventory:
    volumes = tuple(volume(f"v{n}", serial(n)) for n in range(DATASTORES))
    return replace(array_inventory(), volumes=volumes, pods=(), connections=(), directories=(), exports=())


def hosts(vms: int = VMS, disks_per_vm: int = DISKS_PER_VM) -> HostInventory:
    stores = range(DATASTORES)
    return replace(
        host_inventory(),
        hosts=tuple(esxi(f"esx-{n}") for n in range(HOSTS)),
        hbas=(),
        paths=(),
        devices=tuple(device(host, naa(serial(n))) for n in stores for host in hosts_of(n)),
        datastores=tuple(
            Datastore(f"ds-{n}", f"ds-{n}", DatastoreType.VMFS, None, 2**40, (naa(serial(n)),), hosts_of(n))
            for n in stores
        ),
        vms=tuple(Vm(f"vm-{n}", f"vm-{n}", None, "poweredOn", hosts_of(n % DATASTORES)[n % 2]) for n in range(vms)),
        disks=tuple(disk(f"vm-{n}", slot, f"ds-{n % DATASTORES}") for n in range(vms) for slot in range(disks_per_vm)),
    )


def batch(
    stream: Stream, keys: list[str], ends: list[datetime], interval_s: int, **columns: Int64Array | int
) -> SampleBatch:
    index = np.tile(np.arange(len(keys)), len(ends))
    stamps = np.repeat(np.array([stamp_us(end) for end in ends], dtype=np.int64), len(keys))
    values = {
        name: np.broadcast_to(np.asarray(columns.get(name, NOT_MEASURED), dtype=np.int64), stamps.shape).copy()
        for name in COLUMNS[stream]
    }
    return SampleBatch(
        stream=stream,
        keys=tuple(keys),
        key_index=index,
        ended_at_us=stamps,
        interval_s=np.full(len(stamps), interval_s, dtype=np.int64),
        values=values,
    )


class Site:
    """Both sides of the site in a store of their own."""

    def __init__(self, engine: Engine, found: HostInventory | None = None) -> None:
        self.engine = engine
        self.now = START
        self.place = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: self.now)
        self._rng = np.random.default_rng(1)
        self._inventories: dict[SourceKind, HostInventory | ArrayInventory] = {
            SourceKind.VCENTER: found or hosts(),
            SourceKind.FLASHARRAY: arrays(),
        }
        self._ids = {kind: self._add(kind) for kind in self._inventories}

    def _add(self, kind: SourceKind) -> int:
        with transaction(self.engine) as connection:
            source_id = add_source(connection, kind=kind, name=kind, address=kind, settings={}, enabled=True, now=START)
            store_inventory(connection, source_id, InventoryTaken(self._inventories[kind], START))
            record_clocks(connection, source_id, [ClockReading(None, 2.0, 0.1, START - timedelta(hours=1))])
        return source_id

    def write(self, since: datetime, minutes: int) -> None:
        inventory = self._inventories[SourceKind.VCENTER]
        assert isinstance(inventory, HostInventory)
        fast = [since + timedelta(seconds=2 + 20 * n) for n in range(1, 3 * minutes + 1)]
        slow = [since + timedelta(seconds=2 + 30 * n) for n in range(1, 2 * minutes + 1)]
        devices, disks = [one.key for one in inventory.devices], [one.key for one in inventory.disks]
        us = {
            f"{way}_{name}_us": self._us(len(devices) * len(fast))
            for way in ("read", "write")
            for name in ("gavg", "davg", "kavg", "qavg")
        }
        self._write(
            SourceKind.VCENTER,
            batch(
                Stream.HOST_DEVICE,
                devices,
                fast,
                20,
                **self._ops(len(devices) * len(fast)),
                **us,
                queue_depth=32,
                precision=2,
            ),
            fast[-1],
        )
        us = {f"{way}_latency_us": self._us(len(disks) * len(fast)) for way in ("read", "write")}
        self._write(
            SourceKind.VCENTER,
            batch(Stream.VM_DISK, disks, fast, 20, **self._ops(len(disks) * len(fast)), **us, precision=1),
            fast[-1],
        )
        volumes = [f"id-v{n}" for n in range(DATASTORES)]
        us = {
            f"{way}_{name}_us": self._us(len(volumes) * len(slow)) // 4
            for way in ("read", "write")
            for name in ("service", "queue", "qos", "san")
        }
        self._write(
            SourceKind.FLASHARRAY,
            batch(Stream.ARRAY_VOLUME, volumes, slow, 30, **self._ops(len(volumes) * len(slow)), **us),
            slow[-1],
        )

    def live(self, for_minutes: int, looks_s: int = 3) -> Iterator[tuple[int, int, float]]:
        """As time goes by from START on: the hosts' samples come in two passes, half of the hosts with each, the array's on their own. Each
        look at it: s after START, minutes written, CPU seconds."""
        inventory = self._inventories[SourceKind.VCENTER]
        assert isinstance(inventory, HostInventory)
        half = {host.key for host in inventory.hosts[::2]}
        at_host = {vm.key: vm.host_key for vm in inventory.vms}
        passes = [
            (
                [one.key for one in inventory.devices if (one.host_key in half) is is_first],
                [one.key for one in inventory.disks if (at_host[one.vm_key] in half) is is_first],
            )
            for is_first in (True, False)
        ]
        for at_s in range(1, 60 * for_minutes + 1):
            for delay_s, (devices, disks) in zip((4, 14), passes, strict=True):
                if at_s > delay_s and (at_s - delay_s) % 20 == 0:
                    self._live_hosts(devices, disks, START + timedelta(seconds=at_s - delay_s + 2))
            if at_s > 8 and (at_s - 8) % 30 == 0:
                self._live_array(START + timedelta(seconds=at_s - 8 + 2))
            if at_s % looks_s == 0:
                minutes, cpu_s, _ = self.correlate(START + timedelta(seconds=at_s))
                yield at_s, minutes, cpu_s

    def _live_hosts(self, devices: list[str], disks: list[str], end: datetime) -> None:
        layers = {
            f"{w}_{n}_us": self._us(len(devices)) for w in ("read", "write") for n in ("gavg", "davg", "kavg", "qavg")
        }
        ops = self._ops(len(devices))
        self._write(
            SourceKind.VCENTER,
            batch(Stream.HOST_DEVICE, devices, [end], 20, **ops, **layers, queue_depth=32, precision=2),
            end,
        )
        us = {f"{way}_latency_us": self._us(len(disks)) for way in ("read", "write")}
        self._write(
            SourceKind.VCENTER,
            batch(Stream.VM_DISK, disks, [end], 20, **self._ops(len(disks)), **us, precision=1),
            end,
        )

    def _live_array(self, end: datetime) -> None:
        volumes = [f"id-v{n}" for n in range(DATASTORES)]
        parts = ("service", "queue", "qos", "san")
        us = {f"{way}_{name}_us": self._us(len(volumes)) // 4 for way in ("read", "write") for name in parts}
        self._write(
            SourceKind.FLASHARRAY,
            batch(Stream.ARRAY_VOLUME, volumes, [end], 30, **self._ops(len(volumes)), **us),
            end,
        )

    def _us(self, rows: int) -> Int64Array:
        return self._rng.integers(100, 2_000, rows)

    def _ops(self, rows: int) -> dict[str, Int64Array]:
        return {name: self._rng.integers(0, 5_000, rows) for name in ("read_ops", "write_ops")}

    def _write(self, kind: SourceKind, samples: SampleBatch, until: datetime) -> None:
        with transaction(self.engine) as connection:
            found = write_samples(connection, self._ids[kind], samples)
            source_id, complete = self._ids[kind], found.complete_until
            advance_watermark(connection, source_id, samples.stream, until, complete_until=complete)

    def correlate(self, at: datetime) -> tuple[int, float, float]:
        """Minutes, CPU seconds of this process, seconds."""
        self.now = at
        cpu, wall = time.process_time(), time.monotonic()
        minutes = correlate(self.place, budget_s=600)
        return minutes, time.process_time() - cpu, time.monotonic() - wall


@pytest.fixture
def site(postgres_url: str) -> Iterator[Site]:
    engine = open_engine(postgres_url, Role.WORKER)
    yield Site(engine)
    engine.dispose()


def test_a_minute_of_a_big_site(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    site.write(START - 3 * MINUTE, 3)
    first = site.correlate(START + timedelta(seconds=30))
    spent = []
    for number in range(3):
        site.write(START + number * MINUTE, 1)
        spent.append(site.correlate(START + (number + 1) * MINUTE + timedelta(seconds=30)))
    with site.engine.connect() as connection:
        leaves, parents = (
            connection.execute(text(f"SELECT count(*) FROM {t} WHERE ts = :at"), {"at": START}).scalar_one()
            for t in ("ledger_leaf_1m", "ledger_1m")
        )
    with capsys.disabled():
        say(f"\n  {DATASTORES} datastores, {HOSTS} hosts, {VMS} VMs: {leaves} leaves and {parents} sums a minute")
        say(f"  first {first[0]} minutes, the environment included: {first[1]:.2f} s CPU, {first[2]:.2f} s")
        for minutes, cpu, wall in spent:
            say(f"  {minutes} minutes, {cpu / minutes:.2f} s CPU and {wall / minutes:.2f} s each with the database")
    assert leaves == 2 * DATASTORES + VMS * DISKS_PER_VM


def test_minutes_of_a_big_site_as_their_samples_come(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the last minutes, when what the start left is done."""
    site.write(START - 3 * MINUTE, 3)
    site.correlate(START)
    begins_s, ends_s = 120, 300
    looks = [one for one in site.live(ends_s // 60) if one[0] > begins_s]
    minutes = (ends_s - begins_s) / 60
    written, cpu_s = sum(one[1] for one in looks), sum(one[2] for one in looks)
    idle = [one[2] for one in looks if not one[1]]
    with capsys.disabled():
        sys.stdout.write(
            f"\n  {written / minutes:.2f} writes and {cpu_s / minutes:.2f} s CPU a minute, of these"
            f" {sum(idle) / minutes:.2f} s in {len(idle) / minutes:.0f} looks that found nothing to do\n"
        )
    assert written
