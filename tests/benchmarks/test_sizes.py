"""What a row takes on disk in both storage modes, and what 30 days of an environment come to: 100 hosts × 40 devices, 2,000 VMs × 3 disks,
5,400 volumes.

A small environment of the lab (`tests.benchmarks.fill`) as maintenance leaves it: bytes a row of the fullest partition or chunk, with
heap, indexes and TOAST, as rows and packed, times the rows that are kept. Takes about six minutes a mode. GAVEL_BENCH_DATA_DIR=DIR keeps
what was filled on plain PostgreSQL: ended and started again it goes on. Nothing else may run on it, and what is in it gets packed.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Connection, Engine, text
from tests.benchmarks.fill.__main__ import main as fill
from tests.benchmarks.fill.columnstore import mode_of, refresh
from tests.benchmarks.fill.environment import Size, lab_of
from tests.benchmarks.fill.sampling import Stretch, of_array, of_vcenter
from tests.conftest import NATIVE_TIMESCALE, native_timescale

from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.migrate import migrate
from gavel.db.queries.sources import sources
from gavel.db.series import maintenance, packed, partitions, plain, timescale
from gavel.db.series.catalog import DAY, DEFAULT_KEEP, HOUR, RAWS, ROLLS, SAMPLES, Mode, RawSeries, Roll
from gavel.db.series.plain import Partition
from gavel.db.write.samples import write_samples
from gavel.domain.retention import Grain
from gavel.domain.source import Stream
from gavel.embedded import postgres

Series = RawSeries | Roll
FILLED = os.environ.get("GAVEL_BENCH_DATA_DIR")
SIZE = Size(seed=1, datastores=20, vms=80)
# A day of 5-minute sums and a week of hours are whole partitions.
FILL = ["--datastores", "20", "--vms", "80", "--hours", "26", "--days", "15"]
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
MEASURED: dict[str, Series] = {
    name: one
    for name, one in chain[tuple[str, Series]](RAWS.items(), ROLLS.items())
    if name in _A_MINUTE or any(name.startswith(f"{kind}_") and isinstance(one, Roll) for kind in _ENTITIES)
}
# No path is filled: its samples, of five minutes, are made of those of as many virtual disks.
_OF_PATHS = "read_ops, read_bytes, write_ops, write_bytes, read_latency_us, write_latency_us, precision"
_PATH_SAMPLES = f"""
    INSERT INTO path_sample (entity_id, ts, interval_s, {_OF_PATHS}) SELECT entity_id, ts, 300, {_OF_PATHS} FROM vm_disk_sample
    WHERE ts >= :lo AND ts < :hi AND extract(minute FROM ts)::int % 5 = 0 AND extract(second FROM ts) < 20
"""


@dataclass(frozen=True)
class Width:
    """Bytes a row with its share of indexes, as a row of its own and packed."""

    rows: int
    loose: float
    short: float


@pytest.fixture(scope="module", params=Mode)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    if request.param is Mode.PLAIN:
        folder = Path(FILLED) if FILLED else tmp_path_factory.mktemp("sizes")
        fill(["--data-dir", str(folder), *FILL])
        with postgres.running(folder / "postgres") as cluster:
            yield from opened(cluster.url())
        return
    server = os.environ.get(NATIVE_TIMESCALE)
    if server is None:
        pytest.skip(f"native TimescaleDB: not measured, {NATIVE_TIMESCALE} names no server")
    with native_timescale(server) as url:
        fill(["--url", url, *FILL])
        yield from opened(url)


def opened(url: str) -> Iterator[Engine]:
    migrate(url)
    made = open_engine(url, Role.MIGRATIONS)
    yield made
    made.dispose()


def test_thirty_days_take_so_much(engine: Engine) -> None:
    write_fine_samples(engine)
    mode, began_s = mode_of(engine), cpu_s(engine)
    widths = pack_plain(engine) if mode is Mode.PLAIN else pack_columnstore(engine)
    say(
        f"\n{mode}: {sum(width.rows for width in widths.values()):,} rows, packed with all else in {cpu_s(engine) - began_s:.0f} CPU s"
    )
    for name, width in widths.items():
        say(f"{name:<22} {width.loose:4.0f} bytes, packed {width.short:5.1f}: {_line(MEASURED[name], width, mode)}")
    totals = {label: total_gb(widths, mode, keep) for label, keep in keeps(mode).items()}
    say(f"{mode}, 30 days: {', '.join(f'{label} {gb:.1f} GB' for label, gb in totals.items())}\n")


def keeps(mode: Mode) -> dict[str, dict[Grain, timedelta]]:
    """The same in both modes, and that mode's own."""
    wanted = {"samples of 48 h": dict(DEFAULT_KEEP[Mode.PLAIN])}
    return wanted if mode is Mode.PLAIN else wanted | {"samples of 14 d": dict(DEFAULT_KEEP[mode])}


def total_gb(widths: dict[str, Width], mode: Mode, keep: dict[Grain, timedelta]) -> float:
    return sum(taken_gb(MEASURED[name], width, mode, keep) for name, width in widths.items())


def _line(series: Series, width: Width, mode: Mode) -> str:
    keep = dict(DEFAULT_KEEP[Mode.PLAIN])
    millions = rows_kept(series, mode, keep) / 1e6
    share = loose_share(series, mode, keep)
    return f"{millions:5.1f} M rows, {share:4.1%} not yet: {taken_gb(series, width, mode, keep):5.2f} GB"


def taken_gb(series: Series, width: Width, mode: Mode, keep: dict[Grain, timedelta]) -> float:
    share = loose_share(series, mode, keep)
    return rows_kept(series, mode, keep) * (share * width.loose + (1 - share) * width.short) / 1e9


def rows_kept(series: Series, mode: Mode, keep: dict[Grain, timedelta]) -> float:
    """Of the environment, 30 days after it began. What is over its time goes by whole partitions: half of one is there besides."""
    kept = min(keep[series.grain] + series.chunk[mode] / 2, OVER)
    if isinstance(series, RawSeries):
        return _A_MINUTE[series.name] * (kept / timedelta(minutes=1))
    return next(count for kind, count in _ENTITIES.items() if series.name.startswith(f"{kind}_")) * (
        kept / series.width
    )


def loose_share(series: Series, mode: Mode, keep: dict[Grain, timedelta]) -> float:
    """Of rows that are younger than packing: half a partition, and as long as packing waits, on average."""
    waits = series.chunk[mode] / 2
    waits += (
        maintenance.PACK_AFTER + maintenance.REORDER_GRACE
        if mode is Mode.PLAIN
        else timescale.PACK_AFTER + timescale.PACK_EVERY / 2
    )
    return min(1.0, waits / min(keep[series.grain], OVER))


# --- samples as often as they come ------------------------------------------------------------------------------------


def write_fine_samples(engine: Engine) -> None:
    """The fill writes a sample a minute. Of these six hours, a chunk of TimescaleDB's, all are there, and those of paths."""
    with reading(engine) as connection:
        ids = {row.name: row.id for row in sources(connection)}
        (begun,) = connection.execute(text("SELECT minutes_from FROM fill.plan")).one()
    first = plain.floor(begun - 2 * DAY, 6 * HOUR, datetime(2000, 1, 1, tzinfo=UTC))
    lab = lab_of(SIZE, step_s=10)
    for hour in (first + number * HOUR for number in range(6)):
        with transaction(engine) as connection:
            for array in lab.environment.arrays:
                for batch in of_array(lab, array, stretch(hour, 30)):
                    write_samples(connection, ids[array.name], batch)
            for vcenter in lab.environment.vcenters:
                for batch in of_vcenter(lab, vcenter, stretch(hour, 20)):
                    write_samples(connection, ids[vcenter.name], batch)
            if mode_of(engine) is Mode.PLAIN:
                path = SAMPLES[Stream.PATH]
                partitions.open_for_writing(connection, path, [plain.partition_at(path, hour)])
            connection.execute(text(f"{_PATH_SAMPLES} ON CONFLICT DO NOTHING"), {"lo": hour, "hi": hour + HOUR})


def stretch(hour: datetime, grain_s: int) -> Stretch:
    ends = np.arange(round(hour.timestamp()) + grain_s, round((hour + HOUR).timestamp()), grain_s, dtype=np.int64)
    return Stretch(grain_s, ends, np.stack([ends - grain_s, ends], axis=1)[:, None, :].astype(np.float64))


# --- packing ----------------------------------------------------------------------------------------------------------


def pack_plain(engine: Engine, measured: Mapping[str, Series] = MEASURED) -> dict[str, Width]:
    over = datetime.now(UTC) + 9 * DAY
    maintenance.roll_dirty(engine, datetime.now(UTC))
    while maintenance.reorder_closed(engine, over - HOUR):
        pass
    with reading(engine) as connection:
        fullest = {name: _fullest_partition(connection, one) for name, one in measured.items()}
        loose = {name: _bytes(connection, [partition.name]) for name, (partition, _) in fullest.items()}
    while maintenance.pack_closed(engine, over):
        pass
    widths = {}
    with reading(engine) as connection:
        for name, (partition, rows) in fullest.items():
            assert not _count(connection, partition.name), f"{partition.name} is not packed"
            widths[name] = Width(
                rows, loose[name] / rows, _bytes(connection, [packed.partition_of(partition).name]) / rows
            )
    return widths


def _fullest_partition(connection: Connection, series: Series) -> tuple[Partition, int]:
    counted = [(_count(connection, partition.name), partition) for partition in partitions.filled(connection, series)]
    rows, partition = max(counted, key=lambda each: each[0])
    return partition, rows


def pack_columnstore(engine: Engine, measured: Mapping[str, Series] = MEASURED) -> dict[str, Width]:
    refresh(engine, ROLLS.values(), datetime.now(UTC))
    with reading(engine) as connection:
        fullest = {name: _fullest_chunk(connection, name) for name in measured}
    widths = {}
    for name, (chunk, rows) in fullest.items():
        with transaction(engine) as connection:
            loose = _bytes(connection, [chunk])
            connection.execute(text("SELECT compress_chunk(:chunk)"), {"chunk": chunk})
            short = connection.execute(_CHUNK_SIZE, {"chunk": chunk}).scalar_one()
        widths[name] = Width(rows, loose / rows, float(short) / rows)
    return widths


_CHUNKS = text("""
    SELECT format('%I.%I', c.chunk_schema, c.chunk_name) FROM timescaledb_information.chunks c
    LEFT JOIN timescaledb_information.continuous_aggregates a
        ON (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (c.hypertable_schema, c.hypertable_name)
    WHERE coalesce(a.view_name, c.hypertable_name) = :name
""")
_CHUNK_SIZE = text("""
    SELECT s.after_compression_total_bytes FROM timescaledb_information.chunks c
    CROSS JOIN LATERAL chunk_columnstore_stats(format('%I.%I', c.hypertable_schema, c.hypertable_name)::regclass) s
    WHERE format('%I.%I', c.chunk_schema, c.chunk_name) = :chunk AND s.chunk_name = c.chunk_name
""")


def _fullest_chunk(connection: Connection, name: str) -> tuple[str, int]:
    counted = [(_count(connection, chunk), chunk) for chunk in connection.scalars(_CHUNKS, {"name": name}).all()]
    rows, chunk = max(counted)
    return chunk, rows


def _count(connection: Connection, table: str) -> int:
    return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def _bytes(connection: Connection, tables: list[str]) -> float:
    query = text("SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(CAST(:tables AS text[])) name")
    return float(connection.execute(query, {"tables": tables}).scalar_one())


def cpu_s(engine: Engine) -> float:
    """Of the one server process that answers this engine."""
    with reading(engine) as connection:
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
