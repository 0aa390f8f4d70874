"""The ledger's way into the database and back: rows per second against a bare COPY of the same bytes, and how long its questions take."""

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

import numpy as np
import pytest
from sqlalchemy import Engine

from gavel.analysis.attribution import OneWay, attribute
from gavel.analysis.chain import chain_of, depth_bound
from gavel.analysis.intervals import exactly_around, from_components, from_integer
from gavel.analysis.ledger import rows_of
from gavel.analysis.segments import ArrayParts
from gavel.db import copying
from gavel.db.engine import reading, transaction
from gavel.db.queries.ledger import Detail, ledger
from gavel.db.series import maintenance, modes, partitions, plain
from gavel.db.series.catalog import LEDGER_LEAVES, Mode
from gavel.db.write.ledger import _FIELDS, _columns, write_ledger
from gavel.domain.io_path import Boundary
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.samples import Int64Array
from gavel.domain.scope import ScopeKind, scope_key

VM_DISKS, HOST_DEVICES = 20_000, 4_000
GOAL_WRITE = 0.4
GOAL_DAY_MS, GOAL_ENVIRONMENT_MS = 15, 60
SCOPES, WATCHED, RUNS = 2_000, 40, 25
MINUTE = timedelta(minutes=1)
# The end of the newest 5 minutes, so that ranges hold whole buckets.
NOW = datetime.fromtimestamp(time.time() // 300 * 300, UTC)
Part = TypeVar("Part", LedgerRows, Notes)


def way(rng: np.random.Generator, rows: int, *, disks: bool) -> OneWay:
    """A direction of rows with every boundary that a vCenter of the 8 series and an array have of it."""
    parts = np.round(rng.uniform(0, 300, (rows, 3)))
    driver = parts.sum(axis=1) + rng.uniform(50, 400, rows)
    device = driver + rng.exponential(200, rows)
    internal = from_components(parts)
    boundaries = {
        Boundary.DEVICE: from_integer(np.round(device / 1000) * 1000, 1000),
        Boundary.DRIVER: from_integer(np.round(driver / 1000) * 1000, 1000),
        Boundary.ARRAY: exactly_around(internal.value + 20, 2),
        Boundary.ARRAY_INTERNAL: internal,
    }
    if disks:
        boundaries[Boundary.VSCSI] = exactly_around(np.round(device), 0.1 * device)
    kernel = from_integer(np.round((device - driver) / 1000) * 1000, 1000)
    qos, queue, service = (exactly_around(parts[:, index], 0.5) for index in range(3))
    split = ArrayParts(qos=qos, queue=queue, service=service)
    return OneWay(chain_of(rows, boundaries, kernel, kernel), rng.integers(0, 10**6, rows).astype(np.float64), split)


def made(rows: int, *, disks: bool, seed: int = 0) -> tuple[LedgerRows, Notes]:
    """Rows as the maths makes them of one minute."""
    rng = np.random.default_rng(seed)
    reads, writes = (way(rng, rows, disks=disks) for _ in range(2))
    limit = depth_bound(np.full(rows, 32.0), (reads.ops + writes.ops) / 60)
    attributed = rows_of(attribute(reads, writes, limit), reads.ops * 4096, writes.ops * 4096)
    flags = rng.integers(0, 512, (2, rows))
    columns = [*flags, *rng.uniform(0, 1000, (7, rows))]
    return attributed, Notes(**{field.name: column for field, column in zip(fields(Notes), columns, strict=True)})


def joined(first: tuple[LedgerRows, Notes], second: tuple[LedgerRows, Notes]) -> tuple[LedgerRows, Notes]:
    return after_another(first[0], second[0]), after_another(first[1], second[1])


def after_another(one: Part, other: Part) -> Part:
    return type(one)(**{f.name: np.concatenate([getattr(one, f.name), getattr(other, f.name)]) for f in fields(one)})


def keys_of(kind: ScopeKind, count: int) -> list[int]:
    return [scope_key(kind, number) for number in range(1, count + 1)]


def us(at: datetime) -> int:
    return round(at.timestamp()) * 1_000_000


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def test_a_minute_of_leaves_is_written_at_0_4_times_the_speed_of_a_bare_copy(engine: Engine) -> None:
    """Minute by minute in turn into the same growing table, so that whatever else the machine does slows both alike."""
    keys = np.array(keys_of(ScopeKind.VM_DISK, VM_DISKS) + keys_of(ScopeKind.HOST_DEVICE, HOST_DEVICES))
    data = joined(made(VM_DISKS, disks=True), made(HOST_DEVICES, disks=False))
    took: dict[str, list[float]] = {"copy": [], "write": [], "rewrite": []}

    def stamps(at: datetime) -> Int64Array:
        return np.full(len(keys), us(at))

    def copy(packed: bytes) -> None:
        with transaction(engine) as connection:
            copying.copy(connection, LEDGER_LEAVES.name, _FIELDS, packed)

    def write(at: datetime, *replaced: datetime) -> None:
        with transaction(engine) as connection:
            write_ledger(connection, stamps(at), keys, *data, replace_minutes=replaced)

    first = NOW - timedelta(hours=2)
    if has_partitions(engine):
        partitions.ensure(engine, LEDGER_LEAVES, list(plain.partitions_between(LEDGER_LEAVES, first, NOW)))
    for number in range(0, 14, 2):
        at, next_at = first + number * MINUTE, first + (number + 1) * MINUTE
        packed = copying.pack(_FIELDS, _columns(stamps(at), keys, *data, np.argsort(keys)))
        took["copy"].append(milliseconds(partial(copy, packed)))
        took["write"].append(milliseconds(partial(write, next_at)))
        took["rewrite"].append(milliseconds(partial(write, next_at, next_at)))
    rates = {what: len(keys) / statistics.median(each) for what, each in took.items()}
    told = ", ".join(f"{what} {rate:.1f} k/s" for what, rate in rates.items())
    ratio = rates["write"] / rates["copy"]
    sys.stdout.write(f"\n{len(keys)} leaves, {len(_FIELDS)} columns: {told}; write / copy = {ratio:.2f}\n")
    assert ratio >= GOAL_WRITE


def has_partitions(engine: Engine) -> bool:
    with engine.connect() as connection:
        return modes.stored(connection) is Mode.PLAIN


@pytest.fixture(scope="module")
def filled(engine: Engine) -> Engine:
    """25 h of some scopes, ordered and rolled, and the last 10 minutes of all."""
    watched = keys_of(ScopeKind.DATASTORE, WATCHED)
    for hour in range(25, 0, -1):
        minutes = [us(NOW - hour * timedelta(hours=1) + n * MINUTE) for n in range(60)]
        write_all(engine, watched, minutes)
    maintenance.maintain(engine, NOW)
    maintenance.maintain(engine, NOW)
    others = keys_of(ScopeKind.DATASTORE, SCOPES)[WATCHED:]
    for ago in range(10, 0, -1):
        write_all(engine, others, [us(NOW - ago * MINUTE)])
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")
    return engine


def write_all(engine: Engine, keys: list[int], minutes: list[int]) -> None:
    data = made(len(keys) * len(minutes), disks=True, seed=minutes[0] % 1000)
    with transaction(engine) as connection:
        stamps, owners = np.repeat(minutes, len(keys)), np.tile(keys, len(minutes))
        write_ledger(connection, stamps, owners, *data, replace_minutes=())


DAY = timedelta(hours=24)


@pytest.mark.parametrize(
    ("what", "span", "step", "keys", "detail", "goal_ms"),
    [
        ("24 h of a scope by 5 min", DAY, 5 * MINUTE, 1, Detail.EVERYTHING, GOAL_DAY_MS),
        ("24 h of a scope by minute", DAY, MINUTE, 1, Detail.EVERYTHING, None),
        ("24 h of a scope as one sum", DAY, None, 1, Detail.EVERYTHING, GOAL_DAY_MS),
        ("the last 5 min of 2,000 scopes, everything", 5 * MINUTE, None, SCOPES, Detail.EVERYTHING, None),
        ("the last 5 min of 2,000 scopes, layers", 5 * MINUTE, None, SCOPES, Detail.LAYERS, GOAL_ENVIRONMENT_MS),
    ],
)
def test_questions_of_pages_are_answered_in_time(
    filled: Engine, what: str, span: timedelta, step: timedelta | None, keys: int, detail: Detail, goal_ms: float | None
) -> None:
    """Median and p95 of answers about other scopes each time."""
    times, found = [], None
    every = keys_of(ScopeKind.DATASTORE, SCOPES)
    for number in range(RUNS):
        asked = every[number % WATCHED :][:keys] if keys == 1 else every
        with reading(filled) as connection:
            started = time.perf_counter()
            found = ledger(connection, asked, NOW - span, NOW, step, detail)
            times.append((time.perf_counter() - started) * 1000)
        assert found.minutes.sum() == (span // MINUTE) * keys
    middle, high = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    aim = "" if goal_ms is None else f" (goal {goal_ms} ms)"
    assert found is not None
    rows = f"{len(found)} rows from {found.resolution}"
    sys.stdout.write(f"\n{what}: p50 {middle:.1f} ms{aim}, p95 {high:.1f} ms, {rows}\n")
    if goal_ms is not None:
        assert middle <= goal_ms
