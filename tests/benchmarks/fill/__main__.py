"""Fills a big estate from the lab's model through Gavel's own parsers and writers, for measuring what reads it.

    python -m tests.benchmarks.fill --data-dir DIR [--datastores 2000] [--vms 20000] [--hours 24] [--days 30]
    python -m tests.benchmarks.fill --url postgresql+psycopg://... --datastores 40 --vms 200 --hours 1 --days 1

The last `hours` get a row a minute, the `days` before them a row an hour (and all of it the roll-ups). Ended and started
again it continues where it was, up to now. Afterwards: GAVEL_DATA_DIR=DIR GAVEL_LAB=0 gavel up.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, text
from tests.benchmarks.fill.estate import lab_of, registered
from tests.benchmarks.fill.filling import Filling, Slab, slabs

from gavel.db.engine import Role, open_engine
from gavel.db.maintenance import ensure_partitions, reorder_closed
from gavel.db.migrate import migrate
from gavel.embedded import postgres

_TABLES = "array_volume", "array_directory", "host_device", "vm_disk"


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    with _database(options) as url:
        migrate(url)
        engine = open_engine(url, Role.WORKER)
        try:
            _fill(engine, options, now)
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
    return parser


@contextmanager
def _database(options: argparse.Namespace) -> Iterator[str]:
    if options.url:
        yield options.url
        return
    with postgres.running(options.data_dir / "postgres") as cluster:
        yield cluster.url()


def _fill(engine: Engine, options: argparse.Namespace, now: datetime) -> None:
    lab = lab_of(options.seed, datastores=options.datastores, vms=options.vms)
    with tempfile.TemporaryDirectory() as folder:
        sources = registered(engine, lab, Path(folder), _say)
    ensure_partitions(engine, now)
    filling = Filling(engine, lab, sources)
    began, rows = time.monotonic(), 0
    wanted = list(slabs(now, hours=options.hours, days=options.days))
    for done, slab in enumerate(wanted, 1):
        rows += filling.fill(slab)
        _progress(slab, done / len(wanted), rows, time.monotonic() - began)
    while reorder_closed(engine, now):
        pass
    _sum_up(engine, rows, time.monotonic() - began)


def _progress(slab: Slab, share: float, rows: int, seconds: float) -> None:
    left = timedelta(seconds=round(seconds / share - seconds))
    _say(f"{share:5.1%}  {slab.until:%d %b %H:%M} UTC  {rows:,} rows, {rows / seconds:,.0f} rows/s, {left} to go")


def _sum_up(engine: Engine, rows: int, seconds: float) -> None:
    with engine.connect() as connection:
        size = connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one()
        for table in (f"{name}_{kind}" for name in _TABLES for kind in ("sample", "5m", "1h")):
            count = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
            _say(f"{table:<24}{count:>14,} rows")
    _say(f"{rows:,} rows written in {seconds:.0f} s: {rows / seconds:,.0f} rows/s; database {size / 2**20:,.0f} MiB")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
