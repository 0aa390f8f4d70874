"""One, two and four workers that write samples into one store: rows per second, and CPU seconds a million rows."""

import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from typing import Any

from sqlalchemy import Engine
from tests.benchmarks.test_peers import database_s
from tests.benchmarks.test_write_samples import SERIES, merged, poll

from gavel.db.engine import Role, open_engine
from gavel.db.series.catalog import RAWS

_SECONDS = 20.0
_WORKERS = (1, 2, 4)
_RAW = RAWS["host_device_sample"]
# Each worker has sources, and so entities, of its own.
_BLOCK = 1_000_000


@dataclass(frozen=True)
class Written:
    rows: int
    cpu_s: float


def work(url: str, number: int, begin: Barrier, answers: Any) -> None:
    """One poll of all its entities after another, for some seconds."""
    engine = open_engine(url, Role.WORKER)
    columns = dict(poll(_RAW, 0))
    columns["entity_id"] = columns["entity_id"] + number * _BLOCK
    merged(engine, _RAW, columns)
    begin.wait()
    cpu, until, polls = time.process_time(), time.monotonic() + _SECONDS, 0
    while time.monotonic() < until:
        polls += 1
        merged(engine, _RAW, columns | {"ts": columns["ts"] + polls * 20_000_000})
    answers.put(Written(polls * SERIES, time.process_time() - cpu))
    engine.dispose()


def test_workers_on_one_store_write_side_by_side(plain_engine: Engine, tell: Callable[[str], None]) -> None:
    alone = 0.0
    for turn, workers in enumerate((*_WORKERS, *reversed(_WORKERS))):
        rows, took_s, python_s, server_s = _together(plain_engine, turn, workers)
        rate = rows / took_s
        alone = rate if turn == 0 else alone
        tell(
            f"{workers} workers: {rate:,.0f} rows/s, {rate / alone:.2f} × one; CPU s a million rows: "
            f"{python_s / rows * 1e6:.1f} of workers, {server_s / rows * 1e6:.1f} of PostgreSQL; "
            f"{(python_s + server_s) / took_s:.2f} of {os.cpu_count()} cores"
        )
        assert rows > 0


def _together(engine: Engine, turn: int, workers: int) -> tuple[int, float, float, float]:
    """Rows, seconds, CPU seconds of the workers and of PostgreSQL."""
    spawn = multiprocessing.get_context("spawn")
    begin, answers = spawn.Barrier(workers + 1), spawn.Queue()
    url = engine.url.render_as_string(hide_password=False)
    processes = [
        spawn.Process(target=work, args=(url, 10 * turn + n, begin, answers), daemon=True) for n in range(workers)
    ]
    for process in processes:
        process.start()
    begin.wait(120)
    began, before = time.monotonic(), database_s(engine)
    found: list[Written] = [answers.get(timeout=_SECONDS + 60) for _ in processes]
    took_s, server_s = time.monotonic() - began, database_s(engine) - before
    for process in processes:
        process.join(30)
    return sum(one.rows for one in found), took_s, sum(one.cpu_s for one in found), server_s
