"""Rows per second into the sample tables: COPY straight in, against the merge of new rows and of rows already there, in one run."""

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import numpy as np
import pytest
from sqlalchemy import Engine, text

from gavel.db import copying
from gavel.db.engine import transaction
from gavel.db.series.catalog import RAWS, RawSeries
from gavel.db.write import samples
from gavel.domain.samples import NOT_MEASURED, Int64Array

Columns: TypeAlias = Mapping[str, Int64Array]
SERIES, POLLS = 20_000, 15
GOAL_MERGE = 0.4
NOW = datetime.now(UTC)


def poll(raw: RawSeries, number: int) -> Columns:
    """One sample of every series; a tenth of the numbers was not measured."""
    rng = np.random.default_rng(number)
    columns = {name: rng.integers(0, 100_000, SERIES) for name in raw.columns}
    for name in set(columns) - {"ts", "entity_id", "interval_s"}:
        columns[name][rng.random(SERIES) < 0.1] = NOT_MEASURED
    stamp = int((NOW - timedelta(minutes=1)).timestamp()) + 20 * number
    return columns | {
        "ts": np.full(SERIES, stamp * 1_000_000),
        "entity_id": np.arange(1, SERIES + 1),
        "interval_s": np.full(SERIES, 20),
    }


def direct(engine: Engine, raw: RawSeries, columns: Columns) -> None:
    fields = samples._fields(raw)
    with transaction(engine) as connection:
        copying.copy(connection, raw.name, fields, copying.pack(fields, columns))


def merged(engine: Engine, raw: RawSeries, columns: Columns) -> None:
    with transaction(engine) as connection:
        samples.merge(connection, raw, samples._fields(raw), columns)


def seconds(
    write: Callable[[Engine, RawSeries, Columns], None], engine: Engine, raw: RawSeries, columns: Columns
) -> float:
    started = time.perf_counter()
    write(engine, raw, columns)
    return time.perf_counter() - started


@pytest.mark.parametrize("name", ["array_volume_sample", "host_device_sample", "vm_disk_sample"])
def test_merging_is_at_least_0_4_times_as_fast_as_copying(engine: Engine, name: str) -> None:
    """Poll by poll in turn into the same growing table, so that whatever else the machine does slows all alike."""
    raw = RAWS[name]
    took: dict[str, list[float]] = {"copy": [], "merge": [], "replay": []}
    for number in range(0, 2 * POLLS, 2):
        copied, late = poll(raw, number), poll(raw, number + 1)
        took["copy"].append(seconds(direct, engine, raw, copied))
        took["merge"].append(seconds(merged, engine, raw, late))
        took["replay"].append(seconds(merged, engine, raw, late))
    rates = {what: SERIES / statistics.median(each) for what, each in took.items()}
    told = ", ".join(f"{what} {rate / 1000:.0f} k/s" for what, rate in rates.items())
    ratio = rates["merge"] / rates["copy"]
    sys.stdout.write(f"\n{name} ({len(raw.columns)} columns): {told}; merge / copy = {ratio:.2f}\n")
    assert ratio >= GOAL_MERGE


def test_commits_are_durable_while_measured(engine: Engine) -> None:
    with transaction(engine) as connection:
        assert [connection.scalar(text(f"SHOW {name}")) for name in ("fsync", "synchronous_commit")] == ["on", "on"]
