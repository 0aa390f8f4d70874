"""What a row takes on disk, and what 30 days of an environment come to: 100 hosts × 40 devices, 2,000 VMs × 3 disks, 5,400 volumes.

Measured on what `tests.benchmarks.fill` fills (plain PostgreSQL), as maintenance leaves it: heap, indexes and TOAST, in key order, what is
over packed. GAVEL_BENCH_DATA_DIR=DIR, a data directory that was filled and that nothing else runs on; what is in it gets packed.
"""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from tests.benchmarks.fill.__main__ import main as fill

from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.migrate import migrate
from gavel.db.series import maintenance, packed
from gavel.db.series.catalog import DAY, DEFAULT_KEEP, HOUR, RAWS, ROLLS, Mode, RawSeries, Roll
from gavel.domain.source import Stream
from gavel.embedded import postgres

FILLED = os.environ.get("GAVEL_BENCH_DATA_DIR")
OVER = 30 * DAY
# Rows a minute: samples of 20, 30 and 300 s, and the ledger of the same environment.
_DEVICES, _DISKS, _VOLUMES, _PATHS = 4_000, 6_000, 5_400, 16_000
_A_MINUTE = {
    f"{Stream.HOST_DEVICE}_sample": _DEVICES * 3.0,
    f"{Stream.VM_DISK}_sample": _DISKS * 3.0,
    f"{Stream.ARRAY_VOLUME}_sample": _VOLUMES * 2.0,
    f"{Stream.PATH}_sample": _PATHS / 5,
    "ledger_leaf_1m": 10_000.0,
    "ledger_1m": 2_950.0,
}
_ENTITIES = {"host_device": _DEVICES, "vm_disk": _DISKS, "array_volume": _VOLUMES, "ledger": 2_950}
# No path is filled: its samples, of five minutes, are made of those of as many virtual disks.
_OF_PATHS = "read_ops, read_bytes, write_ops, write_bytes, read_latency_us, write_latency_us, precision"
_PATH_SAMPLES = f"""
    INSERT INTO path_sample (entity_id, ts, interval_s, {_OF_PATHS}) SELECT entity_id, ts, 300, {_OF_PATHS} FROM vm_disk_sample
    WHERE extract(minute FROM ts)::int % 5 = 0 AND extract(second FROM ts) < 20
"""
_SIZES = """
    SELECT coalesce(sum(pg_table_size(i.inhrelid)), 0) AS heap, coalesce(sum(pg_indexes_size(i.inhrelid)), 0) AS indexes
    FROM pg_inherits i WHERE i.inhparent = to_regclass(:parent)
"""


@dataclass(frozen=True)
class Width:
    """Bytes a row."""

    heap: float
    indexes: float

    @property
    def whole(self) -> float:
        return self.heap + self.indexes


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Two days and two hours of a row a minute, so that a whole day of roll-ups is over."""
    folder = Path(FILLED) if FILLED else tmp_path_factory.mktemp("sizes")
    if not FILLED:
        fill(["--data-dir", str(folder), "--datastores", "20", "--vms", "80", "--hours", "50", "--days", "1"])
    with postgres.running(folder / "postgres") as cluster:
        migrate(cluster.url())
        opened = open_engine(cluster.url(), Role.WORKER)
        yield opened
        opened.dispose()


def width(engine: Engine, parent: str, rows: int) -> Width | None:
    with reading(engine) as connection:
        heap, indexes = connection.execute(text(_SIZES), {"parent": parent}).one()
    return Width(float(heap) / rows, float(indexes) / rows) if rows else None


def count(engine: Engine, query: str) -> int:
    with reading(engine) as connection:
        return int(connection.execute(text(query)).scalar_one())


def rows_kept(series: RawSeries | Roll) -> float:
    """Of the environment, 30 days after it began."""
    kept = min(keep(series), OVER)
    if isinstance(series, RawSeries):
        return _A_MINUTE.get(series.name, 0.0) * (kept / timedelta(minutes=1))
    kind = next((name for name in _ENTITIES if series.name.startswith(f"{name}_")), None)
    return 0.0 if kind is None else _ENTITIES[kind] * (kept / series.width)


def keep(series: RawSeries | Roll) -> timedelta:
    return DEFAULT_KEEP[Mode.PLAIN][series.grain]


def not_yet_packed(series: RawSeries | Roll) -> float:
    """The share of rows that are younger than packing: half a partition, and as long as maintenance waits, on average."""
    waits = series.chunk[Mode.PLAIN] / 2 + maintenance.PACK_AFTER + maintenance.REORDER_GRACE
    return min(1.0, waits / min(keep(series), OVER))


def test_thirty_days_take_so_much(engine: Engine) -> None:
    everything: dict[str, RawSeries | Roll] = {**RAWS, **ROLLS}
    series = {name: one for name, one in everything.items() if rows_kept(one) > 0}
    with transaction(engine) as connection:
        connection.execute(text(_PATH_SAMPLES))
    rows = {name: count(engine, f"SELECT count(*) FROM {name}") for name in series}
    plainly = {name: width(engine, name, rows[name]) for name in series}
    over = datetime.now(UTC) + 9 * DAY
    for now in (datetime.now(UTC), over):
        maintenance.roll_dirty(engine, now)
    while maintenance.reorder_closed(engine, over - HOUR):
        pass
    began = time.monotonic()
    while maintenance.pack_closed(engine, over):
        pass
    sys.stdout.write(f"\n{sum(rows.values()):,} rows are packed in {time.monotonic() - began:.0f} s")
    total = before = 0.0
    for name, one in series.items():
        kept, wide = rows_kept(one), plainly[name]
        assert wide is not None, f"{name}: no rows were filled"
        before += kept * wide.whole
        line = f"{name:<22} {kept / 1e6:7.1f} M rows, {wide.heap:4.0f} + {wide.indexes:3.0f} bytes"
        assert count(engine, f"SELECT count(*) FROM {name}") == 0, f"{name}: not everything is packed"
        short = width(engine, packed.parent(one), rows[name])
        assert short is not None
        share = not_yet_packed(one)
        taken = kept * (share * wide.whole + (1 - share) * short.whole)
        line += f", packed {short.whole:5.1f} ({1 - share:.0%})"
        total += taken
        sys.stdout.write(f"\n{line}: {taken / 1e9:5.2f} GB, as rows {kept * wide.whole / 1e9:5.2f}")
    sys.stdout.write(f"\nin all {total / 1e9:.1f} GB; as rows {before / 1e9:.1f} GB\n")
