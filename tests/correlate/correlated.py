"""An environment of three sources on a real database, whose samples a test writes and whose clock it moves."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, text
from tests.db.environments import batch, naa, serials

from gavel.correlate.run import MINUTE, correlate
from gavel.db.engine import transaction
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.samples import SampleBatch
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import Stream
from gavel.ingest.worker import WorkerContext

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SERIAL = serials(0x9714)
DEVICE = f"esx-1/{naa(SERIAL[0])}"
STRETCHED = f"esx-1/{naa(SERIAL[5])}"
IOPS = 1000


@dataclass
class Clock:
    now: datetime


@dataclass
class Environment:
    engine: Engine
    place: WorkerContext
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
        """One busy device and its disk, in µs, from `since` on; without its latencies for -1."""
        ends = [since + timedelta(seconds=20 * n) for n in range(1, 3 * minutes + 1)]
        ops = {"read_ops": 20 * IOPS, "write_ops": 0, "read_bytes": 20 * IOPS * 4096, "write_bytes": 0}
        times = {"read_gavg_us": gavg_us, "read_davg_us": 600, "read_kavg_us": gavg_us - 600, "read_qavg_us": 0}
        times = times if gavg_us >= 0 else {}
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

    def rows(self, kind: ScopeKind, columns: str = "read_ops") -> list[tuple[Any, ...]]:
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

    def count(self, sql: str) -> int:
        found = self.scalar(sql)
        assert isinstance(found, int)
        return found


def begin(environment: Environment) -> Environment:
    """The first minute sets the stand two minutes back; from there on minutes are written as they come."""
    environment.both(START - 3 * MINUTE, 3)
    environment.correlate(START)
    return environment
