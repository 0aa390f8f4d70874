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

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def fill(url: str) -> None:
    main(["--url", url, "--datastores", "14", "--vms", "48", "--hours", "1", "--days", "1"])


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
    assert minutes >= 60
    for table in ("array_volume_sample", "host_device_sample", "vm_disk_sample", "ledger_leaf_1m", "ledger_1m"):
        assert number(filled, f"SELECT count(DISTINCT ts) FROM {table}") == minutes, table
    keys = [scope_key(ScopeKind.DATASTORE, number) for (number,) in rows(filled, "SELECT id FROM datastore")]
    of_both = "entity_id = ANY(CAST(:keys AS int[])) AND device_ops > 0 AND array_ops > 0"
    found = rows(filled, f"SELECT count(DISTINCT entity_id) FROM ledger_1m WHERE {of_both}", keys=keys)
    # On NFS no device counts, one is idle and one has no VMs.
    assert found[0][0] >= len(keys) - 3


def test_a_day_before_has_hours_that_carry_on_into_those_of_minutes(filled: Engine) -> None:
    """The same workloads: what an hour of either kind counts differs by less than stories and tides make of it."""
    # An environment filled in an hour's last minutes has that hour without its end.
    whole = "l.bucket + interval '1 hour' <= (SELECT max(until) FROM fill.done)"
    sums = rows(
        filled,
        "SELECT d.minutes_from <= l.bucket, sum(l.read_ops) / sum(l.minutes), min(l.minutes), count(DISTINCT bucket)"
        f" FROM ledger_1h l CROSS JOIN fill.plan d WHERE {whole} GROUP BY 1 ORDER BY 1",
    )
    (_, coarse_ops, coarse_minutes, hours), (_, fine_ops, fine_minutes, _) = sums
    assert (coarse_minutes, fine_minutes, hours) == (60, 60, 24)
    assert 0.3 < coarse_ops / fine_ops < 3
    for stream in ("array_volume", "host_device", "vm_disk"):
        sums = rows(
            filled,
            f"SELECT d.minutes_from <= s.bucket, sum(s.read_ops)::float8 / sum(s.covered_s) FROM {stream}_1h s"
            " CROSS JOIN fill.plan d GROUP BY 1 ORDER BY 1",
        )
        assert 0.3 < sums[0][1] / sums[1][1] < 3, stream


def test_its_ledger_is_what_correlation_makes_of_its_samples(filled: Engine) -> None:
    newest = rows(filled, "SELECT until_at FROM correlated")[0][0]
    assert isinstance(newest, datetime)
    # Each on its own: the fill looks as far around a minute as correlation around a stretch of them.
    again = [newest - n * MINUTE for n in (2, 19, 21, 40)]
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
    assert isinstance(until, datetime)
    assert until > datetime.now(UTC) - HOUR
    assert number(filled, "SELECT count(*) FROM dirty_window WHERE kind LIKE 'correlate%'") == 0
    assert number(filled, "SELECT count(*) FROM dirty_window, fill.plan WHERE lo < minutes_from") == 0
