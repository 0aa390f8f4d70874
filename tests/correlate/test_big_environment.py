"""A small dose of the big environment that measurements read: both sides, ledger and roll-ups, as collection and correlation write them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, Row, text
from tests.benchmarks.fill.__main__ import main
from tests.benchmarks.fill.journal import Kind

from gavel.correlate.run import correlate
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.correlation import settle
from gavel.domain.scope import ScopeKind, scope_key
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

MINUTE = timedelta(minutes=1)
# Minutes of the hour that has begun: two of the units that the ledger is written in, the second one cut short.
MINUTES = 25
NOW = datetime.now(UTC).replace(minute=MINUTES, second=7, microsecond=0) - timedelta(hours=1)


def fill(url: str) -> None:
    main(["--url", url, "--datastores", "14", "--vms", "48", "--hours", "0", "--days", "1"], NOW)


@pytest.fixture(scope="module")
def filled(module_postgres_url: str) -> Iterator[Engine]:
    fill(module_postgres_url)
    engine = open_engine(module_postgres_url, Role.WORKER)
    yield engine
    engine.dispose()


def rows(engine: Engine, sql: str, **given: object) -> list[Row[*tuple[Any, ...]]]:
    with transaction(engine) as connection:
        return list(connection.execute(text(sql), given).all())


def number(engine: Engine, sql: str) -> int:
    return int(rows(engine, sql)[0][0])


def test_every_minute_has_both_sides_and_a_ledger(filled: Engine) -> None:
    minutes = number(
        filled, "SELECT extract(epoch FROM max(until) - min(after)) / 60 FROM fill.done WHERE kind LIKE '%minute'"
    )
    assert minutes == MINUTES
    for table in ("array_volume_sample", "host_device_sample", "vm_disk_sample", "ledger_leaf_1m", "ledger_1m"):
        assert number(filled, f"SELECT count(DISTINCT ts) FROM {table}") == minutes, table
    keys = [scope_key(ScopeKind.DATASTORE, number) for (number,) in rows(filled, "SELECT id FROM datastore")]
    of_both = "entity_id = ANY(CAST(:keys AS int[])) AND device_ops > 0 AND array_ops > 0"
    found = rows(filled, f"SELECT count(DISTINCT entity_id) FROM ledger_1m WHERE {of_both}", keys=keys)
    # On NFS no device counts, one is idle and one has no VMs.
    assert found[0][0] >= len(keys) - 3


def test_a_day_before_has_hours_that_carry_on_into_those_of_minutes(filled: Engine) -> None:
    """The same workloads: what either roll-up counts differs by less than stories and tides make of it."""
    (coarse_ops, *coarse), (fine_ops, *fine) = (
        rows(
            filled,
            "SELECT sum(read_ops) / sum(minutes), min(minutes), max(minutes), count(DISTINCT bucket)"
            f" FROM {table} l CROSS JOIN fill.plan d WHERE (d.minutes_from <= bucket) = :is_fine",
            is_fine=is_fine,
        )[0]
        for table, is_fine in (("ledger_1h", False), ("ledger_5m", True))
    )
    assert (coarse, fine) == ([60, 60, 24], [5, 5, MINUTES // 5])
    assert 0.3 < coarse_ops / fine_ops < 3
    for stream in ("array_volume", "host_device", "vm_disk"):
        rates = [
            rows(
                filled,
                f"SELECT sum(read_ops)::float8 / sum(covered_s) FROM {stream}_{grain} CROSS JOIN fill.plan d"
                " WHERE (d.minutes_from <= bucket) = :is_fine",
                is_fine=is_fine,
            )[0][0]
            for grain, is_fine in (("1h", False), ("5m", True))
        ]
        assert 0.3 < rates[0] / rates[1] < 3, stream


def test_its_ledger_is_what_correlation_makes_of_its_samples(filled: Engine) -> None:
    newest = rows(filled, "SELECT until_at FROM correlated")[0][0]
    assert isinstance(newest, datetime)
    # Each on its own: the fill looks as far around a minute as correlation around a stretch of them.
    again = [newest - n * MINUTE for n in (2, 4, 6, 20)]
    select = "SELECT * FROM {} WHERE ts = ANY(CAST(:minutes AS timestamptz[])) ORDER BY entity_id, ts"
    tables = "ledger_leaf_1m", "ledger_1m"
    before = {table: rows(filled, select.format(table), minutes=again) for table in tables}
    with transaction(filled) as connection:
        settle(connection, (), again)
    written = correlate(WorkerContext(filled, Connections(Vault(bytes(32))), now=lambda: newest + MINUTE), budget_s=30)
    assert written >= len(again)
    for table in tables:
        after = rows(filled, select.format(table), minutes=again)
        assert len(after) == len(before[table]) > 0
        for one, other in zip(before[table], after, strict=True):
            assert (one.ts, one.entity_id, one.quality_reasons) == (other.ts, other.entity_id, other.quality_reasons)
            assert numbers(one, ("ops", "bytes")) == pytest.approx(numbers(other, ("ops", "bytes")), rel=1e-5)
            times = "time", "lower", "upper"
            assert numbers(one, times) == pytest.approx(numbers(other, times), rel=1e-5, abs=0.5)


def numbers(row: Row[tuple[Any, ...]], endings: tuple[str, ...]) -> dict[str, float]:
    return {name: n for name, n in row._mapping.items() if name.endswith(endings) and n is not None}


def test_ended_in_between_it_goes_on_and_comes_to_the_same(filled: Engine, module_postgres_url: str) -> None:
    counts = "SELECT ts, count(*), sum(read_ops) FROM {} GROUP BY 1 ORDER BY 1"
    tables = "ledger_leaf_1m", "ledger_1m"
    before = {table: rows(filled, counts.format(table)) for table in tables}
    ended_before(filled, Kind.MINUTE_LEDGER)
    fill(module_postgres_url)
    for table in tables:
        after = rows(filled, counts.format(table))
        for one, other in zip(before[table], after[: len(before[table])], strict=True):
            assert (one.ts, one.count) == (other.ts, other.count), table
            assert one.sum == pytest.approx(other.sum, rel=1e-5)
    assert number(filled, "SELECT count(*) FROM dirty_minute") == 0


def ended_before(engine: Engine, kind: Kind) -> None:
    """As if it had been killed then: no row of these units, none of them noted."""
    with transaction(engine) as connection:
        connection.execute(text("DELETE FROM fill.done WHERE kind = :kind"), {"kind": kind})
        for table in ("ledger_leaf_1m", "ledger_1m", "correlated"):
            connection.exec_driver_sql(f"DELETE FROM {table}")


def test_nothing_waits_to_be_done_afterwards(filled: Engine) -> None:
    until = rows(filled, "SELECT until_at FROM correlated")[0][0]
    assert until == NOW.replace(second=0)
    assert number(filled, "SELECT count(*) FROM dirty_window WHERE kind LIKE 'correlate%'") == 0
    assert number(filled, "SELECT count(*) FROM dirty_window, fill.plan WHERE lo < minutes_from") == 0
