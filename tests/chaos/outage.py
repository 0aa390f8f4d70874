"""An outage of 55 minutes, of either side, without waiting for it.

The sources are two labs of equal seed, each a process of its own: the arrays of one, the vCenters of the other. What happened in a lab is a
function of seed and time, so a lab that is killed and started again later has its whole past, as real sources have. The time of the lab
that stays is set on (its act `advance`) by four minutes at a time, and all sources are polled after each step; Gavel goes by the clocks of
its sources, which are an hour ahead of its own in the end. From the return on everything runs in real time: one thread polls what is due,
another one fills the gaps, as the workers do.
What has to be there is asked of a third lab, whose clock is held at the end of the outage.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import httpx
import psycopg
from tests.product.comparing import STREAMS, Comparison, compare
from tests.product.running import free_ports, tell

from gavel.admin import sources
from gavel.ingest.backfill import backfill
from gavel.ingest.inventory import refresh_inventory
from gavel.ingest.live import collect_live
from gavel.ingest.schedule import Work, due_work
from gavel.ingest.worker import WorkerContext
from gavel.vault import load_vault

OUTAGE_S = 55 * 60
STEP_S = 220
_LIVE_AT_LEAST_S, _FILLED_WITHIN_S = 90, 900
Side = Literal["flasharray", "vcenter"]
_PORTS_OF_A_LAB = 10


class LabProcess:
    """`python -m gavel_lab` on ports of its own, which it gets again when it is started again."""

    def __init__(self, folder: Path, first_port: int, scale: str, *, speed: float = 1.0) -> None:
        self._folder, self._first, self._scale, self._speed = folder, first_port, scale, speed
        self._process: subprocess.Popen[bytes] | None = None
        self.sources: list[dict[str, Any]] = []

    def start(self, at: Callable[[], float]) -> None:
        announced = self._folder / "announced.json"
        announced.unlink(missing_ok=True)
        self._folder.mkdir(parents=True, exist_ok=True)
        instant = datetime.fromtimestamp(at(), UTC).isoformat()
        words = ["--port", str(self._first), "--scale", self._scale, "--speed", str(self._speed), "--at", instant]
        with (self._folder / "lab.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gavel_lab", *words, "--data-dir", str(self._folder), "--announce", str(announced)],
                stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        end = time.monotonic() + 180
        while not announced.exists():
            assert self._process.poll() is None, (self._folder / "lab.log").read_text()
            assert time.monotonic() < end, "the lab does not come up"
            time.sleep(0.1)
        self.sources = json.loads(announced.read_text())

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pass_by(self, seconds: float) -> None:
        """Its time goes on at once."""
        body = {"source": self.sources[0]["name"], "kind": "advance", "by_s": seconds}
        address = f"http://127.0.0.1:{self._first + len(self.sources)}/faults"
        token = {"X-Lab-Token": (self._folder / "truth-token").read_text()}
        httpx.post(address, json=body, headers=token, trust_env=False, timeout=30).raise_for_status()


@dataclass
class Report:
    """lag_s: how far behind a stream was when a live run ended, at most, of all since the return. pause_s: between two of them."""

    side: str
    compared: Comparison = field(default_factory=Comparison)
    back_after_s: float = 0.0
    live_runs: int = 0
    failed_runs: list[str] = field(default_factory=list)
    lag_s: Mapping[str, float] = field(default_factory=dict)
    pause_s: Mapping[str, float] = field(default_factory=dict)
    gaps: Sequence[tuple[str, str, int]] = ()

    def __str__(self) -> str:
        here = self.compared
        share = 100 * (here.rows - here.lost - here.altered) / max(here.rows, 1)
        lines = [
            f"55 minutes without {self.side}: {share:.3f} % of {here.rows:,} rows ({here.values:,} values) back",
            f"after {self.back_after_s:.0f} s",
            f"live meanwhile: {self.live_runs} runs, failed {self.failed_runs or 'none'}",
            f"  most behind, s: { {name: round(lag) for name, lag in self.lag_s.items()} }",
            f"  longest pause, s: { {name: round(pause) for name, pause in self.pause_s.items()} }",
            f"  gaps: {list(self.gaps)}",
            str(here),
        ]
        return "\n  ".join(lines)


class Outage:
    """Two labs, a database and all stages between them."""

    def __init__(self, url: str, folder: Path, scale: str, side: Side) -> None:
        self._url, self._folder, self._side = url, folder, side
        self._plain_url = url.replace("+psycopg", "")
        self._ahead_s = 0.0
        first = free_ports(3 * _PORTS_OF_A_LAB)
        self._labs = {
            kind: LabProcess(folder / kind, first + number * _PORTS_OF_A_LAB, scale)
            for number, kind in enumerate(STREAMS)
        }
        self._held = LabProcess(folder / "held", first + 2 * _PORTS_OF_A_LAB, scale, speed=0.0)
        self._names: dict[int, str] = {}
        self._down = (0.0, 0.0)

    def now_s(self) -> float:
        return time.time() + self._ahead_s

    def run(self) -> Report:
        try:
            self._begin()
            self._go_without()
            return self._come_back()
        finally:
            for lab in (*self._labs.values(), self._held):
                lab.kill()

    # What `compare` asks of a product.

    def sources(self) -> list[dict[str, Any]]:
        return [source for source in self._held.sources if source["kind"] == self._side]

    def ask(self, query: str, **parameters: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._plain_url) as connection:
            return connection.execute(query, parameters).fetchall()

    def _begin(self) -> None:
        """Every source has been read once; what it had before that is not looked for, so that nothing is owed when the outage begins."""
        for lab in self._labs.values():
            lab.start(self.now_s)
        with self._place() as place:
            vault = load_vault(self._folder / "key")
            for kind, lab in self._labs.items():
                for source in (each for each in lab.sources if each["kind"] == kind):
                    settings = dict(source["settings"])
                    settings["fingerprint_sha256"] = settings.pop("tls_sha256")
                    settings["address"] = source["address"]
                    added = sources.register(place.engine, vault, kind=kind, name=source["name"], settings=settings)
                    self._names[added] = source["name"]
            self._poll(place, lambda _: True)
        with psycopg.connect(self._plain_url) as connection:
            connection.execute("DELETE FROM gap")

    def _go_without(self) -> None:
        """The side is killed; every step of time, all sources are polled, those that are away as well."""
        down, stays = self._labs[self._side], next(lab for kind, lab in self._labs.items() if kind != self._side)
        with self._place() as place:
            # The first inventory of a large source takes a minute, in which those before it were not read.
            for source_id in self._names:
                collect_live(place, source_id)
        down.kill()
        began = self.now_s()
        with self._place() as place:
            while (left := began + OUTAGE_S - self.now_s()) > 0:
                step = min(STEP_S, left)
                stays.pass_by(step)
                self._ahead_s += step
                for source_id in self._names:
                    collect_live(place, source_id)
        down.start(self.now_s)
        self._down = (began, self.now_s())
        self._held.start(self.now_s)
        tell(f"{self._side} was away for {self._down[1] - self._down[0]:.0f} s")

    def _come_back(self) -> Report:
        returned, back = time.monotonic(), threading.Event()
        since = datetime.now(UTC)
        with ThreadPoolExecutor(2) as pool:
            living = pool.submit(self._live, back, returned + _LIVE_AT_LEAST_S)
            filling = pool.submit(self._fill, back, returned + _FILLED_WITHIN_S)
            took_s = filling.result() - returned
            living.result()
        return self._report(since, took_s)

    def _live(self, back: threading.Event, at_least_until: float) -> None:
        with self._place() as place:
            while not (back.is_set() and time.monotonic() > at_least_until):
                self._poll(place, lambda work: work.live)
                time.sleep(1)

    def _fill(self, back: threading.Event, until: float) -> float:
        """When all was back, or patience was out."""
        try:
            with self._place() as place:
                while not self._is_all_back() and time.monotonic() < until:
                    for work in due_work(place):
                        if work.backfill:
                            backfill(place, work.source_id, budget_s=15)
                    time.sleep(1)
            return time.monotonic()
        finally:
            back.set()

    def _report(self, since: datetime, took_s: float) -> Report:
        lag, pause = {}, {}
        query = (
            "SELECT s.name, r.stream, max(r.lag_s), max(extract(epoch FROM r.started_at - r.before)) FROM ("
            "   SELECT *, lag(started_at) OVER (PARTITION BY source_id, stream ORDER BY started_at) AS before FROM collection_run"
            "   WHERE queue = 'live' AND error_kind IS NULL AND started_at > %(since)s) r JOIN source s ON s.id = r.source_id"
            " WHERE r.lag_s IS NOT NULL AND r.before IS NOT NULL GROUP BY 1, 2"
        )
        for name, stream, lag_s, pause_s in self.ask(query, since=since):
            lag[f"{name} {stream}"], pause[f"{name} {stream}"] = lag_s, float(pause_s)
        runs = self.ask(
            "SELECT count(*) FILTER (WHERE queue = 'live'), coalesce(array_agg(error_message) FILTER (WHERE error_kind IS NOT NULL), '{}')"
            " FROM collection_run WHERE started_at > %(since)s",
            since=since,
        )
        gaps = self.ask("SELECT stream, state || ': ' || reason, count(*)::int FROM gap GROUP BY 1, 2 ORDER BY 1, 2")
        # A sample that ended at an edge of the outage may have been read before or after it: a minute of both sides belongs to it.
        compared = compare(self, self._down[0] - 60, self._down[1] - 30)  # type: ignore[arg-type]
        return Report(self._side, compared, took_s, runs[0][0], list(runs[0][1]), lag, pause, gaps)

    def _is_all_back(self) -> bool:
        """Owed nothing, and every stream that was away has been read since."""
        pending = self.ask("SELECT count(*) FROM gap WHERE state = 'pending_backfill'")[0][0]
        kind = self._side
        marks = self.ask(
            "SELECT extract(epoch FROM min(w.until_at))::float8 FROM watermark w JOIN source s ON s.id = w.source_id"
            " WHERE s.kind = %(kind)s AND w.stream = ANY(%(streams)s)",
            kind=kind, streams=list(STREAMS[kind]),
        )[0][0]  # fmt: skip
        return not pending and marks is not None and marks > self._down[1] + 60

    def _poll(self, place: WorkerContext, wanted: Callable[[Work], bool]) -> None:
        for work in due_work(place):
            if wanted(work):
                if work.inventory:
                    refresh_inventory(place, work.source_id)
                collect_live(place, work.source_id)

    @contextmanager
    def _place(self) -> Iterator[WorkerContext]:
        """A worker's own connections to database and sources."""
        place = WorkerContext.open(self._url, self._folder / "key")
        try:
            yield place
        finally:
            place.close()
