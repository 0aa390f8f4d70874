"""Fills a big environment from the lab's model through Gavel's own parsers and writers, for measuring what reads it.

    python -m tests.benchmarks.fill --data-dir DIR [--datastores 2000] [--vms 20000] [--hours 24] [--days 30] [--workers 2]
    python -m tests.benchmarks.fill --url postgresql+psycopg://... --datastores 40 --vms 200 --hours 1 --days 1

The last `hours` get a row a minute, the `days` before them a row an hour; samples, ledger and roll-ups. Newest first, so that
whatever there is when it is ended reaches up to its begin. Started again it continues, up to now.
Afterwards: GAVEL_DATA_DIR=DIR GAVEL_LAB=0 gavel up.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from pathlib import Path

from sqlalchemy import Engine, text
from tests.benchmarks.fill.environment import Size, lab_of, registered
from tests.benchmarks.fill.filling import Filling
from tests.benchmarks.fill.finishing import finish
from tests.benchmarks.fill.journal import HOUR, Kind, Plan, Unit, missing, plan
from tests.benchmarks.fill.ledgering import learn
from tests.benchmarks.fill.workers import workers

from gavel.db.engine import Role, open_engine
from gavel.db.migrate import migrate
from gavel.db.series.maintenance import ensure_partitions
from gavel.embedded import postgres

# What an hour of each takes beside the others, for the time that is told.
_WEIGHT = {Kind.MINUTE_SAMPLES: 20.0, Kind.MINUTE_LEDGER: 80.0, Kind.DAY: 1.7}
# Minutes that counters and pods are judged by, apart from one another: what each tells is kept.
_LESSON, _LESSONS = timedelta(minutes=6), 3


def main(arguments: Sequence[str] | None = None, now: datetime | None = None) -> int:
    """Fill up to `now`, the present by default."""
    options = _parser().parse_args(arguments)
    with _database(options) as url:
        migrate(url)
        engine = open_engine(url, Role.WORKER)
        try:
            _fill(engine, url, options, now or datetime.now(UTC))
        finally:
            engine.dispose()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fill", description=__doc__)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--data-dir", type=Path, help="a data directory of Gavel's, which is not running")
    place.add_argument("--url", help="a database of its own")
    parser.add_argument("--datastores", type=int, default=2000)
    parser.add_argument("--vms", type=int, default=20_000)
    parser.add_argument("--hours", type=int, default=24, help="of rows a minute")
    parser.add_argument("--days", type=int, default=30, help="of rows an hour, before the hours")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes at once")
    return parser


@contextmanager
def _database(options: argparse.Namespace) -> Iterator[str]:
    if options.url:
        yield options.url
        return
    with postgres.running(options.data_dir / "postgres") as cluster:
        yield cluster.url()


def _fill(engine: Engine, url: str, options: argparse.Namespace, now: datetime) -> None:
    began = time.monotonic()
    size = Size(options.seed, options.datastores, options.vms)
    lab = lab_of(size)
    with tempfile.TemporaryDirectory() as folder:
        sources = registered(engine, lab, Path(folder), _say)
    ensure_partitions(engine, now)
    asked = plan(engine, now, hours=options.hours, days=options.days)
    filling = Filling(engine, lab, size, sources, asked.until)
    _say(f"from {asked.days_from}, by the minute from {asked.minutes_from} to {asked.until}")
    progress = _Progress(sum(_weight(unit) for unit in _units(engine, asked, *Kind)))
    with workers(filling, url, options.workers) as run:
        for unit, rows in run(_units(engine, asked, Kind.MINUTE_SAMPLES)):
            progress.tell(unit, rows)
        if _units(engine, asked, Kind.MINUTE_LEDGER):
            _learn(engine, asked, now)
        for unit, rows in run(_in_turn(_units(engine, asked, Kind.MINUTE_LEDGER), _units(engine, asked, Kind.DAY))):
            progress.tell(unit, rows)
    finish(engine, asked, sources.values(), _say)
    _sum_up(engine, progress.rows, time.monotonic() - began)


def _units(engine: Engine, asked: Plan, *kinds: Kind) -> list[Unit]:
    spans = dict.fromkeys(Kind, (asked.minutes_from, asked.until))
    spans[Kind.DAY] = asked.days_from, asked.minutes_from
    return [unit for kind in kinds for unit in missing(engine, kind, *spans[kind])]


def _in_turn(*kinds: Sequence[Unit]) -> list[Unit]:
    """The newest of each first, so that what is there when it is ended is of both."""
    return [unit for units in zip_longest(*kinds) for unit in units if unit is not None]


def _learn(engine: Engine, asked: Plan, now: datetime) -> None:
    for number in range(_LESSONS):
        until = asked.until - number * HOUR / 3
        if until - _LESSON >= asked.minutes_from:
            learn(engine, until - _LESSON, until, now)


# --- telling ----------------------------------------------------------------------------------------------------------


def _weight(unit: Unit) -> float:
    return _WEIGHT[unit.kind] * ((unit.until - unit.after) / HOUR)


class _Progress:
    def __init__(self, whole: float) -> None:
        self.rows = 0
        self._whole, self._done = whole, 0.0
        self._began = time.monotonic()

    def tell(self, unit: Unit, rows: int) -> None:
        self.rows += rows
        self._done += _weight(unit)
        share, seconds = self._done / self._whole, time.monotonic() - self._began
        left = timedelta(seconds=round(seconds / share - seconds))
        _say(
            f"{datetime.now(UTC):%H:%M:%S}  {share:5.1%}  {unit.kind}, {unit.after:%d %b %H:%M} to {unit.until:%d %b %H:%M}:"
            f" {rows:,} rows; {self.rows:,} in {timedelta(seconds=round(seconds))}, {left} to go"
        )


def _sum_up(engine: Engine, rows: int, seconds: float) -> None:
    with engine.connect() as connection:
        size = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
    _say(f"{rows:,} rows written in {seconds:.0f} s: {rows / seconds:,.0f} rows/s; database {size / 2**20:,.0f} MiB")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
