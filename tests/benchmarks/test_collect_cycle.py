"""What a cycle costs Gavel from the wire to the table, read over TLS from a lab of the size: CPU of this process only."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from tests.benchmarks.labs import running_lab

from gavel.collectors.arrays.flasharray import parse, wire
from gavel.collectors.arrays.flasharray.client import FlashArrayClient
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.collectors.contract import Collector
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.inventory import InventoryTaken
from gavel.domain.samples import COLUMNS, SampleBatch, joined
from gavel.domain.source import SourceKind, Stream, Watermark
from gavel.egress.tls import ssl_context
from gavel.ingest.connections import open_collector
from gavel.ingest.windows import live_window

# Added clusters are dealt over two vCenters: twice 100 hosts with 40 devices and 2,000 VMs with 3 disks.
_VCENTER_SCALE = "clusters=20,hosts_per_cluster=10,datastores_per_cluster=40,vms=4000,disks_per_vm=3,bare_volumes=4"
_VOLUMES = 5_000
_CYCLES = 3
GOAL_US_PER_VALUE = 0.8
GOAL_DECODE_S = 0.1


@dataclass
class Spent:
    """CPU and wall-clock seconds of a stretch of this process."""

    cpu_s: float = 0.0
    wall_s: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(self.cpu_s + other.cpu_s, self.wall_s + other.wall_s)

    @contextmanager
    def measured(self) -> Iterator[None]:
        cpu, wall = time.process_time(), time.monotonic()
        yield
        self.cpu_s += time.process_time() - cpu
        self.wall_s += time.monotonic() - wall


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    made = open_engine(postgres_url, Role.WORKER)
    yield made
    made.dispose()


def test_a_vcenter_of_100_hosts_and_2000_vms(tmp_path: Path, engine: Engine, tell: Callable[[str], None]) -> None:
    with (
        running_lab(tmp_path, "--scale", _VCENTER_SCALE) as sources,
        _added(engine, "vcenter-1", sources["vcenter-1"]) as (collector, source_id),
    ):
        _take_inventory(engine, collector, source_id, tell)
        best = [_cycles(engine, collector, source_id, stream, tell) for stream in (Stream.HOST_DEVICE, Stream.VM_DISK)]
    # Told, not asserted: what decoding alone may cost is asserted in test_decode_vcenter, without the noise of TLS and a lab beside it.
    tell(f"goal of {GOAL_US_PER_VALUE} us/value {'met' if max(best) <= GOAL_US_PER_VALUE else 'missed'}\n")


def test_an_array_of_5000_volumes(tmp_path: Path, engine: Engine, tell: Callable[[str], None]) -> None:
    with running_lab(tmp_path, "--scale", f"bare_volumes={2 * _VOLUMES}") as sources:
        described = sources["flasharray-1"]
        with _added(engine, "flasharray-1", described) as (collector, source_id):
            _take_inventory(engine, collector, source_id, tell)
            _cycles(engine, collector, source_id, Stream.ARRAY_VOLUME, tell)
        pages, rows, decoding = _decoded(FlashArraySettings(**described["settings"]))
    values = rows * len(COLUMNS[Stream.ARRAY_VOLUME])
    tell(
        f"decoding alone: {rows} rows in {pages} pages, {decoding.cpu_s:.3f} CPU s, "
        f"{decoding.cpu_s / values * 1e6:.2f} us/value\n"
    )
    assert rows >= _VOLUMES
    assert decoding.cpu_s <= GOAL_DECODE_S


@contextmanager
def _added(engine: Engine, name: str, described: dict[str, Any]) -> Iterator[tuple[Collector, int]]:
    kind = SourceKind(described["kind"])
    with transaction(engine) as connection:
        source_id = add_source(
            connection, kind=kind, name=name, address=described["settings"]["address"], settings={}, enabled=False,
            now=datetime.now(UTC),
        )  # fmt: skip
    collector = open_collector(kind, described["settings"])
    try:
        yield collector, source_id
    finally:
        collector.close()


def _take_inventory(engine: Engine, collector: Collector, source_id: int, tell: Callable[[str], None]) -> None:
    reading, writing = Spent(), Spent()
    with reading.measured():
        found = collector.inventory()
    with writing.measured(), transaction(engine) as connection:
        stored = store_inventory(connection, source_id, InventoryTaken(found, datetime.now(UTC)))
    things = sum(counts.added for counts in stored.tables.values())
    tell(
        f"first inventory: {things} things, read with {reading.cpu_s:.2f} CPU s ({reading.wall_s:.1f} s), "
        f"stored with {writing.cpu_s:.2f} CPU s ({writing.wall_s:.1f} s)"
    )


def _cycles(engine: Engine, collector: Collector, source_id: int, stream: Stream, tell: Callable[[str], None]) -> float:
    """As live reading does it: each cycle brings a new sample per thing and looks back as far as the last one left something open. Returns
    the best cycle's µs per value.

    The first cycle, which makes plans, opens connections and looks back as a whole, is not counted.
    """
    plan = collector.streams[stream]
    reading, writing, per_value = Spent(), Spent(), []
    rows = values = 0
    newest = datetime.now(UTC) - timedelta(minutes=5)
    known = Watermark(newest)
    for cycle in range(_CYCLES + 1):
        reads, writes = Spent(), Spent()
        window = live_window(known, newest + plan.interval, plan)
        newest += plan.interval
        with reads.measured():
            batches = list(collector.samples(stream, window.since, newest))
        with writes.measured():
            known = _write(engine, source_id, stream, batches, newest)
        if cycle:
            rows, values = sum(map(len, batches)), sum(map(_values_of, batches))
            per_value.append(reads.cpu_s / values * 1e6)
            reading, writing = reading + reads, writing + writes
    tell(
        f"{stream}: {rows} rows a cycle, {values} values; read {reading.cpu_s / _CYCLES:.3f} CPU s "
        f"({reading.wall_s / _CYCLES:.1f} s with the lab's own work), {min(per_value):.2f} us/value at best, "
        f"{values * _CYCLES / reading.cpu_s / 1e6:.2f} M values/s; written {writing.cpu_s / _CYCLES:.3f} CPU s, "
        f"{rows * _CYCLES / writing.wall_s:,.0f} rows/s"
    )
    assert rows > 0
    return min(per_value)


def _values_of(batch: SampleBatch) -> int:
    """Numbers that came over the wire; the precision is our own remark."""
    return len(batch) * len(batch.values.keys() - {"precision"})


def _write(engine: Engine, source_id: int, stream: Stream, batches: list[SampleBatch], until: datetime) -> Watermark:
    with transaction(engine) as connection:
        written = write_samples(connection, source_id, joined(batches))
        assert not written.unknown_keys
        advance_watermark(connection, source_id, stream, until)
    return Watermark(until, written.complete_until, looked_back_at=until)


def _decoded(settings: FlashArraySettings) -> tuple[int, int, Spent]:
    """Pages of one sample, fetched first and decoded afterwards: (pages, rows, what the decoding took)."""
    end = int(time.time() - 120) // 30 * 30_000
    with FlashArrayClient(settings.address, settings.api_token.get_secret_value(), ssl_context(settings)) as client:
        bodies = [
            client.get(
                "volumes/performance",
                {"resolution": 30_000, "start_time": end, "end_time": end, "limit": 1000, "offset": offset},
            )
            for offset in range(0, _VOLUMES + 1000, 1000)
        ]
    spent, rows = Spent(), 0
    with spent.measured():
        for body in bodies:
            found, rejected = parse.parse_items(parse.parse_page(body, "a page").items or [], wire.VolumePerformance)
            assert not rejected
            if found:
                rows += len(parse.performance_batch(found, stream=Stream.ARRAY_VOLUME, interval_s=30))
    return len(bodies), rows, spent
