"""What 20,000 guests that push cost beside polling, and how many pushes a second are taken: real requests, a real database.

Each guest has an address of its own in 127.0.0.0/8. CPU seconds are those of the listener, of its sessions of the database and of what
all sessions share (checkpoints, WAL, cleaning up); polling writes the samples of each minute meanwhile, and is not counted.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Engine, text
from tests.benchmarks.guests.agents import Plan, Sent, disk_uuid
from tests.benchmarks.load.processes import spent_s
from tests.benchmarks.test_correlate import MINUTE, Site, hosts
from tests.product.running import free_ports

from gavel.admin.guests import make_guest_token
from gavel.ingest.guest_matching import match_guests

VMS = int(os.environ.get("GAVEL_BENCH_GUESTS") or 20_000)
_TOKENS = 4
_NUMBERS = 7
SECONDS = float(os.environ.get("GAVEL_BENCH_SECONDS") or 60)
GOAL_CORES = 0.5


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@dataclass
class Listener:
    """A listener in a process of its own on a database."""

    engine: Engine
    port: int
    pid: int

    def spent(self) -> dict[str, dict[int, float]]:
        """CPU seconds so far by process: the listener, its sessions, and what serves all sessions."""
        with self.engine.connect() as connection:
            sessions = connection.execute(
                text("SELECT pid, application_name, backend_type = 'client backend' AS client FROM pg_stat_activity")
            ).all()
        mine = [row.pid for row in sessions if row.application_name == f"gavel worker {self.pid}"]
        shared = [row.pid for row in sessions if not row.client]
        return {
            name: {pid: spent_s(pid) for pid in pids}
            for name, pids in (("listener", [self.pid]), ("sessions", mine), ("shared", shared))
        }

    def pss_mib(self) -> float:
        lines = Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


class Meter:
    """CPU seconds of a listener and its database from `with` on; looks every second, since sessions end."""

    def __init__(self, listener: Listener) -> None:
        self._listener, self._over = listener, threading.Event()
        self._first = listener.spent()
        self._last = {name: dict(pids) for name, pids in self._first.items()}
        self._thread = threading.Thread(target=self._follow)

    def __enter__(self) -> "Meter":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def cpu_s(self) -> dict[str, float]:
        return {
            name: sum(spent - self._first[name].get(pid, 0.0) for pid, spent in pids.items())
            for name, pids in self._last.items()
        }

    def _follow(self) -> None:
        while not self._over.wait(1):
            self._look()

    def _look(self) -> None:
        for name, pids in self._listener.spent().items():
            self._last[name] |= {pid: spent for pid, spent in pids.items() if spent}


@contextmanager
def listening(engine: Engine, folder: Path) -> Iterator[Listener]:
    port = free_ports(1)
    url = engine.url.render_as_string(hide_password=False)
    command = [
        "--factory",
        "gavel.listener.app:create_app",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-access-log",
    ]
    with (folder / "listener.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", *command, "--http", "gavel.listener.http_protocol:PushProtocol"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ | {"GAVEL_DATABASE_URL": url},
        )  # fmt: skip
        try:
            _wait_until_it_answers(port)
            yield Listener(engine, port, process.pid)
        finally:
            process.terminate()
            process.wait(30)


def _wait_until_it_answers(port: int) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return


def sent_by(plan: Plan) -> Sent:
    """Of a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.guests.agents"]
    done = subprocess.run(
        command, input=json.dumps(asdict(plan)).encode(), stdout=subprocess.PIPE, check=True, timeout=plan.seconds + 300
    )
    return Sent(**json.loads(done.stdout))


@pytest.fixture(scope="module")
def site(plain_engine: Engine) -> Site:
    """Their VMs, with disks that show their UUIDs."""
    found = hosts(VMS, disks_per_vm=1)
    disks = tuple(replace(disk, backing_uuid=disk_uuid(number)) for number, disk in enumerate(found.disks))
    return Site(plain_engine, replace(found, disks=disks))


@contextmanager
def polling(site: Site) -> Iterator[None]:
    """Every minute the samples of the minute before, as collecting writes them."""
    over = threading.Event()

    def poll() -> None:
        minute = datetime.now(UTC).replace(second=0, microsecond=0) - 60 * MINUTE
        while not over.is_set():
            site.write(minute, 1)
            minute += MINUTE
            over.wait(60)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def stored(engine: Engine) -> tuple[int, int, dict[str, int]]:
    """Samples, different ones of them, and lines that were not used."""
    with engine.connect() as connection:
        rows, different = connection.execute(
            text("SELECT count(*), count(DISTINCT (entity_id, ts)) FROM guest_disk_sample")
        ).one()
        refused = {
            row.reason: int(row.lines)
            for row in connection.execute(text("SELECT reason, sum(lines) AS lines FROM guest_refusal GROUP BY 1"))
        }
    return rows, different, refused


def measured(site: Site, listener: Listener, plan: Plan, label: str) -> tuple[float, Sent]:
    """Cores, and what was sent."""
    before_rows, _, before_refused = stored(site.engine)
    began = time.monotonic()
    with Meter(listener) as meter:
        sent = sent_by(plan)
    elapsed = time.monotonic() - began
    rows, different, refused = stored(site.engine)
    spent = meter.cpu_s()
    whole, new = sum(spent.values()), rows - before_rows
    say(
        f"  {label}: {sent.requests} requests in {elapsed:.0f} s, {sent.by_status}, waits {sent.waits_ms} ms,"
        f" at most {sent.late_s:.1f} s late\n"
        f"    {new} samples; CPU s: {', '.join(f'{name} {s:.2f}' for name, s in spent.items())}; {whole / max(sent.seconds, 1):.2f} cores,"
        f" {whole / max(sent.requests, 1) * 1e6:.0f} µs a request, {whole / max(new * _NUMBERS, 1) * 1e6:.0f} µs a value,"
        f" {new * _NUMBERS / max(sent.seconds, 1):.0f} values/s, {listener.pss_mib():.0f} MiB"
    )
    assert rows == different
    others = sum(lines - before_refused.get(why, 0) for why, lines in refused.items() if why != "not_a_disk")
    assert sent.readings <= new + others <= sent.readings + sent.unanswered, (sent, refused)
    assert not sent.refused_without_time
    return whole / max(sent.seconds, 1), sent


@pytest.fixture(scope="module")
def tokens(plain_engine: Engine) -> list[str]:
    return [make_guest_token(plain_engine, f"site {n}", (), datetime.now(UTC)).text for n in range(_TOKENS)]


def test_guests_20000_push_every_minute_beside_polling(site: Site, tokens: list[str], tmp_path: Path) -> None:
    with listening(site.engine, tmp_path) as listener:
        # Their first readings make no samples: they are matched meanwhile.
        say(f"\n{VMS} guests of one disk each, {_TOKENS} tokens")
        plan = Plan(listener.port, tokens, VMS, 60, 0)
        measured(site, listener, plan, "first readings")
        began = time.process_time()
        changed = match_guests(replace(site.place, now=lambda: datetime.now(UTC)))
        say(f"  {changed} disks matched in {time.process_time() - began:.2f} CPU s")
        with polling(site):
            for guests in (VMS // 10, VMS // 3, VMS):
                some = replace(plan, guests=guests, seconds=SECONDS, gathered=False)
                measured(site, listener, some, f"{guests} every 60 s, goal {GOAL_CORES} cores and nothing but 204")
    assert changed == VMS


def test_guests_push_every_ten_seconds_up_to_what_is_taken(site: Site, tokens: list[str], tmp_path: Path) -> None:
    with listening(site.engine, tmp_path) as listener:
        say("")
        for guests in (VMS // 4, VMS // 2, VMS):
            plan = Plan(listener.port, tokens, guests, 10, min(SECONDS, 20), gathered=False)
            measured(site, listener, plan, f"{guests} every 10 s")
