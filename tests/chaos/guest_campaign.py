"""A seeded campaign against what guests push: kill -9 of the listener, now and then of its database with it; then the accounts.

Every line that was answered 204 is in the store once: its interval ends at its stamp and counts what was done since the line before. A
folder holds database, answered lines and what was done; ended and started again on it, the campaign goes on.
"""

import json
import random
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psycopg
from tests.chaos.guest_listener import Listener
from tests.product.running import free_ports, tell

from gavel.admin.guests import make_guest_token
from gavel.db.engine import Role, open_engine
from gavel.db.migrate import migrate
from gavel.embedded import postgres
from gavel.embedded.errors import StartError

AGENTS, DISKS = 6, 25
# Readings closer than half a second make no interval.
_PAUSE_S = 0.6
_RETRY_S, _UP_S, _TELL_EVERY = 0.1, 60, 50
# A push waits up to 0.25 s for its transaction, which takes some hundredths of one.
_COMMITTED_S = 0.4
# The database dies often here and the machine never does.
_MACHINE_STAYS = {"fsync": "off", "shared_buffers": "32MB"}
_STORED = """
    SELECT g.host_name, d.disk, (extract(epoch FROM s.ts) * 1000000)::bigint, s.read_ops FROM guest_disk_sample s
    JOIN guest_disk d ON d.id = s.entity_id JOIN guest g ON g.id = d.guest_id
"""
_REFUSED = "SELECT reason, sum(lines)::bigint FROM guest_refusal GROUP BY reason"
SENT, ANSWERED = "sent", "answered"
Interval = tuple[str, str, int, int]  # host name, disk, end in µs since 1970, reads


@dataclass
class Done:
    """What the campaign has done so far, over all its starts. seconds: while kills were going on."""

    starts: int = 0
    kills: int = 0
    of_both: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """lines: answered 204; intervals: that these make. lost, doubled, foreign: intervals that are not there, are there twice, or that no
    line made that was sent."""

    done: Done
    lines: int
    intervals: int
    lost: int
    doubled: int
    foreign: int
    refused: dict[str, int]

    @property
    def is_clean(self) -> bool:
        """A line that was committed before its answer was lost comes again, and is counted as repeated."""
        return not (self.lost or self.doubled or self.foreign) and self.refused.keys() <= {"repeated"}

    def __str__(self) -> str:
        return (
            f"{self.done.kills} kills of the listener, {self.done.of_both} of them with its database, in {self.done.seconds:.0f} s\n"
            f"  {self.lines} lines answered 204 make {self.intervals} intervals: {self.lost} lost, {self.doubled} doubled,"
            f" {self.foreign} made by none; not used: {self.refused}"
        )


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


class Agent(threading.Thread):
    """One guest with its disks. A batch is sent again until it is answered 204, as Telegraf does; only then it is noted."""

    def __init__(self, campaign: "Campaign", name: str, seed: str) -> None:
        super().__init__(name=name, daemon=True)
        self._campaign, self._choose = campaign, random.Random(seed)
        self._reads = [0] * DISKS

    def run(self) -> None:
        with httpx.Client(timeout=10, trust_env=False) as client:
            while not self._campaign.is_over.is_set():
                stamp_us = time.time_ns() // 1000
                self._reads = [reads + self._choose.randrange(1, 1000) for reads in self._reads]
                body = "\n".join(self._line(disk, stamp_us) for disk in range(DISKS))
                self._campaign.note(SENT, self.name, stamp_us, self._reads)
                while not self._is_taken(client, body):
                    time.sleep(_RETRY_S)
                self._campaign.note(ANSWERED, self.name, stamp_us, self._reads)
                time.sleep(_PAUSE_S)

    def _line(self, disk: int, stamp_us: int) -> str:
        reads = self._reads[disk]
        return (
            f"diskio,host={self.name},name=sd{chr(97 + disk)} reads={reads}i,writes=0i,read_bytes={reads * 4096}i,write_bytes=0i,"
            f"read_time={reads // 2}i,write_time=0i,weighted_io_time={reads // 2}i {stamp_us}"
        )

    def _is_taken(self, client: httpx.Client, body: str) -> bool:
        """Refused, cut off or not answered: again."""
        self._campaign.is_sending.set()
        try:
            answer = client.post(
                f"http://127.0.0.1:{self._campaign.processes.port}/api/v2/write?precision=us",
                content=body,
                headers={"Authorization": f"Token {self._campaign.token}"},
            )
        except httpx.HTTPError:
            return False
        assert answer.status_code in (204, 429, 503), answer.text
        return answer.status_code == 204


class Campaign:
    """`seed` is the one source of chance of kills and loads."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._state, self._batches = folder / "done.json", folder / "batches.jsonl"
        self.done = Done(**json.loads(self._state.read_text())) if self._state.exists() else Done()
        self.processes = Processes(folder)
        self.is_over, self.is_sending, self._writing = threading.Event(), threading.Event(), threading.Lock()
        self.token = ""

    def start(self) -> None:
        self.processes.start_database()
        migrate(self.processes.database_url)
        self.done.starts += 1
        engine = open_engine(self.processes.database_url, Role.WORKER)
        self.token = make_guest_token(engine, f"start {self.done.starts}", (), datetime.now(UTC)).text
        engine.dispose()
        self.processes.start_listener()
        self._save()

    def run(self, kills: int, of_both: int) -> Report:
        """Until so many kills are done in all, so many of them of listener and database."""
        choose = random.Random(f"{self._seed} {self.done.starts}")
        agents = [Agent(self, f"guest-{self.done.starts}-{n}", f"{self._seed} {n}") for n in range(AGENTS)]
        for agent in agents:
            agent.start()
        while self.done.kills < kills or self.done.of_both < of_both:
            began = time.monotonic()
            time.sleep(choose.uniform(0, 1.5))
            # While something is on its way into the store: before its commit, after it, or on its way to the answer.
            self.is_sending.clear()
            self.is_sending.wait(_UP_S)
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
        self.is_over.set()
        for agent in agents:
            agent.join(_UP_S)
            assert not agent.is_alive(), self.processes.said()
        return self.report()

    def note(self, what: str, host: str, stamp_us: int, reads: list[int]) -> None:
        """In the folder: before a batch is sent, and before the next one is."""
        with self._writing, self._batches.open("a") as file:
            file.write(json.dumps([what, host, stamp_us, reads]) + "\n")

    def report(self) -> Report:
        wanted, lines = self._intervals_of(ANSWERED)
        # What was under way when a start of the campaign was ended may be there or not.
        known, _ = self._intervals_of(SENT)
        with psycopg.connect(self.processes.database_url.replace("postgresql+psycopg", "postgresql")) as connection:
            stored: Counter[Interval] = Counter(connection.execute(_STORED).fetchall())
            refused: dict[str, int] = dict(connection.execute(_REFUSED).fetchall())
        return Report(
            self.done,
            lines=lines,
            intervals=len(wanted),
            lost=len(wanted - stored.keys()),
            doubled=sum(count - 1 for count in stored.values()),
            foreign=len(stored.keys() - known),
            refused=refused,
        )

    def _intervals_of(self, what: str) -> tuple[set[Interval], int]:
        """Of each disk one interval for every line but the first; and how many lines were sent or answered."""
        last: dict[str, list[int]] = {}
        wanted: set[Interval] = set()
        lines = 0
        for noted, host, stamp_us, reads in map(json.loads, self._batches.read_text().splitlines()):
            if noted != what:
                continue
            lines += len(reads)
            for disk, (before, now) in enumerate(zip(last.get(host, ()), reads, strict=False)):
                wanted.add((host, f"sd{chr(97 + disk)}", stamp_us, now - before))
            last[host] = reads
        return wanted, lines

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
