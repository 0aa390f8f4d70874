"""What the samples of a guest's disk take on disk by the day, in both storage modes: the fullest partition or chunk, as rows and packed.

Rows go through the writer. On TimescaleDB, sizes of the WebAssembly build are those of a native server.
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import Engine
from tests.benchmarks.test_sizes import Width, loose_share, pack_columnstore, pack_plain

from gavel.db.copying import Field
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.series.catalog import DEFAULT_KEEP, HOUR, SAMPLES, Mode
from gavel.db.series.room import make_room
from gavel.db.write.samples import merge
from gavel.domain.guests import LatencyStep
from gavel.domain.samples import Int64Array
from gavel.domain.source import Stream

DISKS = 40
DAY_S = 86_400
RAW = SAMPLES[Stream.GUEST_DISK]
FIELDS = tuple(Field(name, sql_type.removesuffix(" NOT NULL")) for name, sql_type in RAW.columns.items())


@pytest.fixture(params=Mode)
def stored(request: pytest.FixtureRequest) -> Iterator[tuple[Mode, Engine]]:
    mode: Mode = request.param
    url = request.getfixturevalue("postgres_url" if mode is Mode.PLAIN else "timescale_url")
    engine = open_engine(url, Role.MIGRATIONS, server_side_prepare=mode is Mode.PLAIN)
    yield mode, engine
    engine.dispose()


def samples(grain_s: int, begin: datetime, hours: int) -> dict[str, Int64Array]:
    """Each disk at another second, under a load that wanders; no two samples alike."""
    rng = np.random.default_rng(grain_s)
    count = hours * 3600 // grain_s
    ends = round(begin.timestamp() * 1e6) + (1 + np.arange(count)) * grain_s * 1_000_000 - 1
    shape = DISKS, count
    jitter_us = rng.integers(0, 1000, shape) * 1000
    per_s = np.exp(np.cumsum(rng.normal(0, 0.1, shape), axis=1) + rng.uniform(0, 6, (DISKS, 1))).clip(0, 50_000)
    values: dict[str, Int64Array] = {
        "ts": ends[None, :] - grain_s * 500_000 + jitter_us,
        "entity_id": np.broadcast_to(1 + np.arange(DISKS)[:, None], shape),
        "interval_s": np.full(shape, grain_s),
        "latency_step": np.full(shape, int(LatencyStep.MILLISECOND_SUM)),
        "data_quality": np.ones(shape, dtype=np.int64),
    }
    queued_us = np.zeros(shape)
    for direction, share in (("read", 0.7), ("write", 0.3)):
        ops = rng.poisson(per_s * share * grain_s)
        latency_us = np.round(rng.lognormal(6.2, 0.4, shape)).astype(np.int64)
        values[f"{direction}_ops"] = ops
        values[f"{direction}_bytes"] = ops * 4096 + rng.integers(0, 64, shape) * 4096
        values[f"{direction}_latency_us"] = np.where(ops > 0, latency_us, -1)
        queued_us += ops * latency_us
    values["queue_time_ms"] = np.round(queued_us / 1000).astype(np.int64)
    return {field.name: np.ascontiguousarray(values[field.name].reshape(-1), dtype=np.int64) for field in FIELDS}


def packed(mode: Mode, engine: Engine, grain_s: int) -> Width:
    """On a day of its own: what was packed before stays as it is."""
    begin = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=grain_s // 5)
    with transaction(engine) as connection:
        columns = samples(grain_s, begin, hours=RAW.chunk[mode] // HOUR)
        make_room(connection, mode, RAW, columns["ts"])
        merge(connection, RAW, FIELDS, columns)
    only = {RAW.name: RAW}
    return (pack_plain(engine, only) if mode is Mode.PLAIN else pack_columnstore(engine, only))[RAW.name]


def test_samples_of_guests_take_so_much_a_day(stored: tuple[Mode, Engine], capsys: pytest.CaptureFixture[str]) -> None:
    mode, engine = stored
    keep = dict(DEFAULT_KEEP[mode])
    for grain_s in (60, 10):
        width = packed(mode, engine, grain_s)
        a_day, share = DAY_S / grain_s, loose_share(RAW, mode, keep)
        kept = a_day * (keep[RAW.grain] / timedelta(days=1)) * (share * width.loose + (1 - share) * width.short)
        with capsys.disabled():
            sys.stdout.write(
                f"\n{mode}, every {grain_s} s: {width.loose:.0f} bytes a row, packed {width.short:.1f}: a disk and day"
                f" {a_day * width.loose / 1e3:.0f} kB, packed {a_day * width.short / 1e3:.0f}; all that is kept {kept / 1e3:.0f} kB"
            )
        assert width.short < width.loose / 2
