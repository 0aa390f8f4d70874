"""What is usual: the 25th percentile of a week's good rows at an hour of the day, as the pure rule says."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import Engine, text
from tests.api.ledgers import Environment
from tests.edges import AT_EDGES

from gavel.analysis.attribution import QualityReason
from gavel.analysis.baseline import typical
from gavel.correlate.baseline import renew_baseline
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.series import partitions, plain
from gavel.db.series.catalog import LEDGER_ROLLS
from gavel.domain.scope import ScopeKind, scope_key
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

FIVE, HOUR, DAY = timedelta(minutes=5), timedelta(hours=1), timedelta(days=1)
# Ten past: the hour that ended has settled.
NOW = datetime.now(UTC).replace(minute=10, second=0, microsecond=0)
ENDED = NOW.replace(minute=0) - HOUR


@pytest.fixture
def engine(environment_url: str) -> Iterator[Engine]:
    found = open_engine(environment_url, Role.WORKER)
    yield found
    found.dispose()


@pytest.fixture
def place(engine: Engine) -> WorkerContext:
    return WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: NOW)


@pytest.fixture
def key(engine: Engine) -> int:
    five = LEDGER_ROLLS[0]
    partitions.ensure(engine, five, list(plain.partitions_between(five, NOW - 9 * DAY, NOW)))
    return scope_key(ScopeKind.DATASTORE, Environment.stored(engine).id("datastore", "simple"))


def write(
    engine: Engine, key: int, at: datetime, san_us: float, array_us: float, *, ops: int = 5000, quality: int = 0
) -> None:
    row = {"key": key, "at": at, "quality": quality, "ops": ops, "san": san_us * ops, "array": array_us * ops}
    with transaction(engine) as connection:
        connection.execute(
            text(
                "INSERT INTO ledger_5m (entity_id, bucket, minutes, reasons, quality_reasons, read_ops, all_san_time, all_san_ops,"
                " all_array_time, all_array_ops) VALUES (:key, :at, 5, 0, :quality, :ops, :san, :ops, :array, :ops)"
            ),
            row,
        )


def stored(engine: Engine, key: int) -> dict[int, tuple[float | None, float | None, int]]:
    with transaction(engine) as connection:
        rows = connection.execute(
            text("SELECT hour, san_us, array_us, days FROM expectation WHERE entity_id = :key"), {"key": key}
        )
        return {hour: (san, array, days) for hour, san, array, days in rows}


def test_it_is_the_percentile_of_the_pure_rule(engine: Engine, place: WorkerContext, key: int) -> None:
    """Four of seven days, with other numbers of rows each; another hour's rows say nothing about this one."""
    rng = np.random.default_rng(7)
    values, days = [], []
    for day, rows in ((0, 12), (1, 3), (4, 7), (6, 1)):
        for n in range(rows):
            san, array = rng.uniform(50, 500, 2)
            write(engine, key, ENDED - day * DAY + n * FIVE, san, array)
            values.append((san, array))
            days.append(day)
    write(engine, key, ENDED - HOUR, 9999, 9999)
    assert renew_baseline(place) == 24
    found = stored(engine, key)
    expected = typical(np.array(values).T, np.array(days))
    assert found[ENDED.hour][:2] == pytest.approx(tuple(expected), rel=1e-5)
    assert found[ENDED.hour][2] == 4
    assert found[(ENDED - HOUR).hour] == (None, None, 1)
    assert len(found) == 24


@pytest.mark.parametrize(
    ("quality", "ops", "counts"),
    [
        (0, 5000, True),
        (int(QualityReason.MILLISECONDS), 5000, True),
        (int(QualityReason.DISAGREEMENT), 5000, False),
        (int(QualityReason.SIDE_MISSING), 5000, False),
        (0, 29, False),
    ],
)
def test_only_good_rows_with_enough_ios_count(
    engine: Engine, place: WorkerContext, key: int, quality: int, ops: int, counts: bool
) -> None:
    for day in range(3):
        write(engine, key, ENDED - day * DAY, 120, 400, quality=quality, ops=ops)
    renew_baseline(place)
    assert stored(engine, key)[ENDED.hour] == ((120, 400, 3) if counts else (None, None, 0))


def test_two_days_are_no_history_and_eight_days_ago_is_forgotten(
    engine: Engine, place: WorkerContext, key: int
) -> None:
    for day in (0, 1, 7):
        write(engine, key, ENDED - day * DAY, 120, 400)
    renew_baseline(place)
    assert stored(engine, key)[ENDED.hour] == (None, None, 2)


def test_an_hour_is_computed_once_until_it_has_passed_again(engine: Engine, place: WorkerContext, key: int) -> None:
    assert renew_baseline(place) == 24
    assert renew_baseline(place) == 0
    later = WorkerContext(engine, place.connections, now=lambda: NOW + HOUR)
    assert renew_baseline(later) == 1


def test_what_is_gone_has_no_expectation_any_more(engine: Engine, place: WorkerContext, key: int) -> None:
    renew_baseline(place)
    with transaction(engine) as connection:
        connection.execute(text("UPDATE datastore SET present = false"))
    renew_baseline(WorkerContext(engine, place.connections, now=lambda: NOW + DAY))
    assert stored(engine, key) == {}


@AT_EDGES
def test_each_hour_of_the_day_over_an_edge_is_learned_once(engine: Engine, edge: datetime) -> None:
    """Hours are those of UTC: none is left out and none counts twice where the clocks of a country change."""
    instant = [edge + timedelta(minutes=10)]
    worker = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: instant[0])
    five = LEDGER_ROLLS[0]
    partitions.ensure(engine, five, list(plain.partitions_between(five, edge - 9 * DAY, edge + DAY)))
    key = scope_key(ScopeKind.DATASTORE, Environment.stored(engine).id("datastore", "simple"))
    for n in range(4 * 24):
        write(engine, key, (edge - (n + 1) * HOUR).replace(minute=0), 100 + n % 24, 50)
    assert renew_baseline(worker) == 24
    assert {hour: days for hour, (_, _, days) in stored(engine, key).items()} == dict.fromkeys(range(24), 4)
    assert renew_baseline(worker) == 0
    instant[0] += HOUR
    assert renew_baseline(worker) == 1
