"""What is asked all the time costs the same however long Gavel has run: of two weeks of readings and runs it looks at the newest ones."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Engine, event
from tests.db.conftest import Store
from tests.db.environments import host_inventory

from gavel.db.engine import Connection, reading
from gavel.db.queries import clocks, finding_sources, runs, series, source_silence, sources
from gavel.db.queries.refs import RefKind

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)
GROWING = ("clock_offset", "collection_run")
# More than of the last hours; two weeks have 20,000 and 60,000.
MOST = 1_000

# Each clock is read every 3 minutes, and each of three streams every minute.
_READINGS = """
    INSERT INTO clock_offset (source_id, subject, read_at, offset_s, error_s)
    SELECT :source, subject, CAST(:now AS timestamptz) - n * INTERVAL '3 minutes', 0.5, 0.01
    FROM (SELECT NULL::text AS subject UNION ALL SELECT key FROM esxi_host WHERE source_id = :source) s,
        generate_series(1, 14 * 480) n"""
_RUNS = """
    INSERT INTO collection_run (source_id, stream, queue, started_at, duration_s, calls, bytes_received, samples, new_samples, unknown_keys)
    SELECT :source, stream, 'live', CAST(:now AS timestamptz) - n * INTERVAL '1 minute', 0.2, 1, 900, 5, 5, 0
    FROM unnest(ARRAY['host_device', 'vm_disk', 'path']) AS s (stream), generate_series(1, 14 * 1440) n"""

Question = Callable[[Connection, int, int], object]
QUESTIONS: Mapping[str, Question] = {
    "newest clocks": lambda c, source, host: clocks.newest_clocks(c, source, until=NOW),
    "own clock": lambda c, source, host: clocks.newest_own_clock(c, source, until=NOW),
    "clocks of owners": lambda c, source, host: clocks.clocks_of_owners(c, source, until=NOW),
    "clocks of a minute": lambda c, source, host: clocks.clocks_around(c, NOW - HOUR, NOW),
    "clocks for findings": lambda c, source, host: finding_sources.source_clocks(c, NOW, error_s=1.0, drift_s=1.0),
    "numbers of a host": lambda c, source, host: series.series(c, RefKind.HOST, host, NOW - HOUR, NOW),
    "runs": lambda c, source, host: runs.runs(c, source, limit=60, until=NOW),
    "health": lambda c, source, host: sources.source_health(c, NOW),
    "how sources stand": lambda c, source, host: source_silence.source_stands(c, NOW),
}


def test_questions_that_are_asked_all_the_time_look_at_the_newest_readings_and_runs_alone(plain: Store) -> None:
    source_id = plain.with_environment(host_inventory(), NOW)
    host_id = plain.value("SELECT min(id) FROM esxi_host")
    assert isinstance(host_id, int)
    for fill in (_READINGS, _RUNS):
        plain.run(fill, source=source_id, now=NOW)
    for table in GROWING:
        plain.run(f"ANALYZE {table}")
    looked_at = {}
    for name, question in QUESTIONS.items():
        with _plans(plain.engine) as plans, reading(plain.engine) as connection:
            question(connection, source_id, host_id)
        assert plans, f"{name} asks nothing"
        looked_at[name] = sum(_rows(plan) for plan in plans)
    assert max(looked_at.values()) > 0
    assert {name: rows for name, rows in looked_at.items() if rows > MOST} == {}


@contextmanager
def _plans(engine: Engine) -> Iterator[list[Any]]:
    """How the server went about each statement of the block: run once more, with a count of rows."""
    found: list[Any] = []

    def explained(_: Any, cursor: Any, statement: str, parameters: Any, *__: Any) -> None:
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            with cursor.connection.cursor() as beside:
                beside.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
                ((answer,),) = beside.fetchone()
                found.append(answer["Plan"])

    event.listen(engine, "before_cursor_execute", explained)
    try:
        yield found
    finally:
        event.remove(engine, "before_cursor_execute", explained)


def _rows(plan: Any) -> float:
    """Of the growing tables, as often as they were looked at."""
    below = sum(_rows(part) for part in plan.get("Plans", ()))
    if plan.get("Relation Name") not in GROWING:
        return below
    each = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return float(below + each * plan["Actual Loops"])
