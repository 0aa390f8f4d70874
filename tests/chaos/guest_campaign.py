"""A seeded campaign against what guests push: kill -9 of the listener, now and then of its database with it; then the accounts.

Every line that was answered 204 is in the store once: its interval ends at its stamp and counts what was done since the line before. A
folder holds database, answered lines and what was done; ended and started again on it, the campaign goes on.
"""

import json
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psycopg
from tests.chaos.guest_listener import Listener
from tests.chaos.pushing import Account, Pushes
from tests.product.running import free_ports, tell

from gavel.admin.guests import make_guest_token
from gavel.db.engine import Role, open_engine
from gavel.db.migrate import migrate
from gavel.embedded import postgres
from gavel.embedded.errors import StartError

_RETRY_S, _UP_S, _TELL_EVERY = 0.1, 60, 50
# A push waits up to 0.25 s for its transaction, which takes some hundredths of one.
_COMMITTED_S = 0.4
# The database dies often here and the machine never does.
_MACHINE_STAYS = {"fsync": "off", "shared_buffers": "32MB"}


@dataclass
class Done:
    """What the campaign has done so far, over all its starts. seconds: while kills were going on."""

    starts: int = 0
    kills: int = 0
    of_both: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """What was killed and what became of what guests pushed meanwhile."""

    done: Done
    account: Account

    def __str__(self) -> str:
        done = self.done
        return f"{done.kills} kills of the listener, {done.of_both} of them with its database, in {done.seconds:.0f} s\n  {self.account}"


class Processes:
    """The listener and its PostgreSQL on a folder."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "postgres"
        self._log = (folder / "processes.log").open("ab+")
        self._database: subprocess.Popen[bytes] | None = None
        self._listener: Listener | None = None
        self.port = free_ports(1)
        self._client = httpx.Client(timeout=5, trust_env=False)

    @property
    def database_url(self) -> str:
        return postgres.database_url(postgres.default_socket_dir(self._data))

    def start_database(self) -> None:
        """Children of one that was killed hold its memory for a moment."""
        cluster = postgres.prepare(self._data, settings=_MACHINE_STAYS)
        until = time.monotonic() + _UP_S
        while True:
            server = postgres.start(cluster, output=self._log.fileno())
            try:
                postgres.wait_until_ready(cluster, server, self._log)
            except StartError:
                if time.monotonic() > until:
                    raise
                time.sleep(_RETRY_S)
            else:
                self._database = server
                return

    def start_listener(self) -> None:
        """Once it answers; the database has to be there."""
        if self._listener is None:
            self._listener = Listener(self.database_url, self.port, self._log)
        self._listener.start()
        until = time.monotonic() + _UP_S
        while not self._answers():
            assert self._listener.is_alive, self.said()
            assert time.monotonic() < until, self.said()
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            return self._client.get(f"http://127.0.0.1:{self.port}/health").status_code == 200
        except httpx.HTTPError:
            return False

    def kill(self, *, both: bool) -> None:
        if self._listener is not None:
            self._listener.kill()
        if both and self._database is not None:
            self._database.kill()
            self._database.wait()

    def end(self) -> None:
        if self._listener is not None:
            self._listener.end()
        if self._database is not None:
            postgres.stop(self._database)
        self._client.close()
        self._log.close()

    def said(self) -> str:
        return Path(self._log.name).read_bytes()[-4000:].decode(errors="replace")


class Campaign:
    """`seed` is the one source of chance of kills and loads."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._state, self._batches = folder / "done.json", folder / "batches.jsonl"
        self.done = Done(**json.loads(self._state.read_text())) if self._state.exists() else Done()
        self.processes = Processes(folder)
        self._pushes: Pushes | None = None

    def start(self) -> None:
        self.processes.start_database()
        migrate(self.processes.database_url)
        self.done.starts += 1
        engine = open_engine(self.processes.database_url, Role.WORKER)
        token = make_guest_token(engine, f"start {self.done.starts}", (), datetime.now(UTC)).text
        engine.dispose()
        self._pushes = Pushes(self._batches, f"http://127.0.0.1:{self.processes.port}", token)
        self.processes.start_listener()
        self._save()

    def run(self, kills: int, of_both: int) -> Report:
        """Until so many kills are done in all, so many of them of listener and database."""
        choose = random.Random(f"{self._seed} {self.done.starts}")
        pushes = self._pushes
        assert pushes is not None, "not started"
        pushes.start(self.done.starts, self._seed)
        while self.done.kills < kills or self.done.of_both < of_both:
            began = time.monotonic()
            time.sleep(choose.uniform(0, 1.5))
            pushes.wait_until_sending()
            time.sleep(choose.uniform(0, _COMMITTED_S))
            both_left, left = of_both - self.done.of_both, max(kills - self.done.kills, 1)
            both = both_left > 0 and choose.random() < both_left / left
            self.processes.kill(both=both)
            if both:
                self.processes.start_database()
            self.processes.start_listener()
            self.done.kills += 1
            self.done.of_both += both
            self.done.seconds += time.monotonic() - began
            self._save()
            if self.done.kills % _TELL_EVERY == 0:
                tell(f"{self.done.kills} kills, {self.done.of_both} of them with the database")
        pushes.end()
        url = self.processes.database_url.replace("postgresql+psycopg", "postgresql")
        return Report(self.done, pushes.account(lambda: psycopg.connect(url)))

    def _save(self) -> None:
        beside = self._state.with_suffix(".new")
        beside.write_text(json.dumps(asdict(self.done)))
        beside.replace(self._state)


@contextmanager
def campaign(folder: Path, seed: int) -> Iterator[Campaign]:
    folder.mkdir(parents=True, exist_ok=True)
    made = Campaign(folder, seed)
    try:
        made.start()
        yield made
    finally:
        made.processes.end()
