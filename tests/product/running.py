"""A whole Gavel in a folder of its own: `gavel up` started, watched, killed in parts and stopped, and looked at from outside."""

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
from tests.shifted import ahead_s

from gavel.embedded import postgres
from gavel.embedded.deathsignal import with_parent
from gavel.supervise.journal import read_journal

# How many times slower than the one of these deadlines the machine is, as `make test` found at its start.
SLOWNESS = float(os.environ.get("GAVEL_TEST_SLOWNESS") or 1)
PORTS = 6  # the API's, then the lab's: two arrays, two vCenters, truth
_LINK = re.compile(r"(http://[\d.]+:\d+)/(?:#setup=(\S+))?")


def tell(line: str) -> None:
    """A figure for whoever reads the output; nothing is asserted about figures. Parallel runs show only what goes to stderr."""
    sys.stderr.write(f"  {line}\n")
    sys.stderr.flush()


class StuckError(AssertionError):
    """Something that had to happen did not; the text says what the product was doing meanwhile."""


@dataclass(frozen=True)
class Part:
    """A process of the product: the service that runs it, and what it is within that service."""

    service: str
    pid: int


class Product:
    """`gavel up` on `folder` and six free ports in a row. `up_at` is when it said so, by the clock of the machine."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.data_dir = folder / "data"
        self._said = folder / "up.log"
        first = free_ports(PORTS)
        # Guests of the lab push for whoever asks for it, with GAVEL_LAB_GUESTS=1: what they push begins at the start.
        own = {"DATA_DIR": self.data_dir, "PORT": first, "LAB_PORT": first + 1, "LAB_GUESTS": 0}
        # The folder that `gavel up` notes for later commands is not this one's, which ends with the test.
        self._environment = (
            os.environ
            | {"XDG_STATE_HOME": str(folder / "state")}
            | {f"GAVEL_{name}": str(value) for name, value in own.items()}
            | environment
        )
        self._shift_s = float(self._environment.get("GAVEL_TEST_CLOCK") or 0) - ahead_s()
        self._process: subprocess.Popen[bytes] | None = None
        self._beginning = 0
        self.began_at = self.up_at = 0.0
        self.admin_token = ""
        self.api = httpx.Client(base_url=f"http://127.0.0.1:{first}/api/v1", timeout=60 * SLOWNESS, trust_env=False)
        self.truth = httpx.Client(
            base_url=f"http://127.0.0.1:{first + PORTS - 1}", timeout=60 * SLOWNESS, trust_env=False
        )

    def now(self) -> float:
        """By the clock of the product and of its lab, in seconds since the epoch."""
        return time.time() + self._shift_s

    # --- from outside -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it, wait until it says that it is up, and sign in as its admin."""
        self.come_up()
        self.sign_in()

    def come_up(self) -> None:
        """Start it and wait until it says that it is up."""
        self.began_at = time.time()
        with self._said.open("ab") as output:
            self._beginning = beginning = output.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gavel.cli", "up"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=self._environment,
                start_new_session=True, preexec_fn=with_parent(signal.SIGINT),  # noqa: PLW1509 (two system calls)
            )  # fmt: skip
        self.wait_for(lambda: "Up after" in self.said(beginning), "gavel up to say that it is up", 240)
        self.up_at = time.time()

    def stop(self) -> int:
        """Ctrl-C; the exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        status = self._process.wait(60 * SLOWNESS)
        self._process = None
        return status

    def end(self) -> None:
        """Leave nothing behind, whatever state it is in."""
        self.api.close()
        self.truth.close()
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(30 * SLOWNESS)
            except subprocess.TimeoutExpired:
                self._process.kill()  # its guardian ends the rest
                self._process.wait()

    def said(self, after: int = 0) -> str:
        """What `gavel up` printed, from byte `after` on."""
        return self._said.read_bytes()[after:].decode(errors="replace")

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Another `gavel` command on the same installation."""
        return subprocess.run(
            [sys.executable, "-m", "gavel.cli", *arguments],
            input=stdin, capture_output=True, text=True, env=self._environment, timeout=120 * SLOWNESS, check=False,
        )  # fmt: skip

    @property
    def link(self) -> str:
        """The address that the last start printed, with the setup token until the first sign-in."""
        found = _LINK.search(self.said(self._beginning))
        return found[0] if found else ""

    def sign_in(self) -> None:
        """Use the setup token of the last start where it printed one, else the admin token of an earlier one."""
        found = _LINK.search(self.link)
        if found and found[2]:
            answer = self.api.post("/session", json={"token": found[2]})
            answer.raise_for_status()
            self.admin_token = answer.json()["admin_token"]
            self.api.cookies.clear()
        self.api.headers["Authorization"] = f"Bearer {self.admin_token}"

    @property
    def supervisor(self) -> int:
        """The process that `gavel up` is."""
        assert self._process is not None
        return self._process.pid

    # --- its processes ------------------------------------------------------------------------------------------------

    def services(self) -> Mapping[str, dict[str, Any]]:
        """Name → what the supervisor's journal says of it."""
        return {entry["name"]: entry for entry in read_journal(self.data_dir)}

    def parts(self) -> list[Part]:
        """Every process of every running service, the children of the servers and workers included."""
        assert self._process is not None
        ours = set(children(self._process.pid))
        entries = [entry for entry in self.services().values() if entry["pid"] in ours]
        return [Part(entry["name"], pid) for entry in entries for pid in (entry["pid"], *children(entry["pid"]))]

    def all_ready(self) -> bool:
        return all(entry["state"] in ("ready", "done") for entry in self.services().values())

    def kill(self, part: Part) -> None:
        """kill -9 of one process of one service."""
        os.kill(part.pid, signal.SIGKILL)

    def kill_supervisor(self) -> None:
        """kill -9 of `gavel up` itself; returns when it is gone (its children end a moment later)."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    # --- its data -----------------------------------------------------------------------------------------------------

    @contextmanager
    def database(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A connection of the test's own, past everything that Gavel does with its database."""
        url = postgres.database_url(postgres.default_socket_dir(self.data_dir / "postgres")).replace("+psycopg", "")
        with psycopg.connect(url, connect_timeout=10, autocommit=True) as connection:
            yield connection

    def ask(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        with self.database() as connection:
            return connection.execute(query.encode(), values).fetchall()

    def sources(self) -> list[dict[str, Any]]:
        """The lab's sources as announced, secrets included: how the test itself gets at them."""
        announced: list[dict[str, Any]] = json.loads((self.data_dir / "lab" / "sources.json").read_text())
        return announced

    def _lab_token(self) -> dict[str, str]:
        """Of the lab as it runs now: each start makes its own."""
        return {"X-Lab-Token": (self.data_dir / "lab/truth-token").read_text()}

    def phases(self, after: float, until: float) -> list[dict[str, Any]]:
        """Phases of the lab's stories that touch [after, until]."""
        answer = self.truth.get("/stories", params={"from": after, "to": until}).raise_for_status()
        found: list[dict[str, Any]] = answer.json()["stories"]
        return found

    def fault(self, source: str, kind: str, **parameters: object) -> int:
        """Put a fault in force, or perform an act; its number."""
        body = {"source": source, "kind": kind, **parameters}
        answer = self.truth.post("/faults", json=body, headers=self._lab_token())
        assert answer.status_code == 201, answer.text
        number: int = answer.json()["id"]
        return number

    def no_more_faults(self) -> None:
        self.truth.delete("/faults", headers=self._lab_token()).raise_for_status()

    def pending(self) -> int:
        return int(self.ask("SELECT count(*) FROM gap WHERE state = 'pending_backfill'")[0][0])

    def watermarks(self) -> dict[tuple[str, str], float]:
        """(source, stream) → up to where it was read, in seconds of the source's clock."""
        rows = self.ask(
            "SELECT s.name, w.stream, extract(epoch FROM w.until_at)::float8 FROM watermark w JOIN source s ON s.id = w.source_id"
        )
        return {(name, stream): until for name, stream, until in rows}

    def wait_until_read(self, at: float, within_s: float = 240) -> None:
        """Until every fine-grained stream of every lab source has been read beyond the instant `at`, and nothing is owed any more."""
        names = {source["name"]: source["kind"] for source in self.sources()}
        wanted = {(n, s) for n, kind in names.items() for s in STREAMS[kind]}

        def done() -> bool:
            try:
                marks = self.watermarks()
                return all(marks.get(key, 0.0) >= at for key in wanted) and self.pending() == 0
            except psycopg.OperationalError:  # killed, and not back yet
                return False

        self.wait_for(done, f"everything to be read up to {time.strftime('%H:%M:%S', time.gmtime(at))} UTC", within_s)

    def wait_for(self, what: Callable[[], bool], name: str, within_s: float) -> float:
        """Wait for what the product does, on a slow machine longer; the seconds it took. Raises StuckError with its state."""
        began, patience_s = time.monotonic(), within_s * SLOWNESS
        while not what():
            if time.monotonic() - began > patience_s:
                raise StuckError(f"waited {patience_s:.0f} s for {name}\n{self.account()}")
            if self._process and self._process.poll() is not None:
                raise StuckError(f"gavel up ended with {self._process.returncode}\n{self.said()[-3000:]}")
            time.sleep(0.25)
        return time.monotonic() - began

    def account(self) -> str:
        """What is worth knowing when something did not happen."""
        lines = [self.said()[-2000:], json.dumps(self.services(), indent=1)]
        try:
            lines.append(str(self.watermarks()))
            lines += map(str, self.ask("SELECT * FROM gap WHERE state = 'pending_backfill' LIMIT 20"))
            lines += map(
                str,
                self.ask(
                    "SELECT source_id, stream, started_at, error_kind, error_message FROM collection_run ORDER BY id DESC LIMIT 25"
                ),
            )
        except psycopg.Error as error:
            lines.append(f"no database: {error}")
        return "\n".join(lines)


# The streams of twenty and thirty seconds; `path` is five-minute sums of its own.
STREAMS: Mapping[str, tuple[str, ...]] = {
    "flasharray": ("array_volume",),
    "vcenter": ("host_device", "vm_disk", "adapter"),
}


def signalled(pid: int, number: signal.Signals) -> bool:
    """False when it has ended meanwhile."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def children(pid: int) -> list[int]:
    """All descendants of a process."""
    try:
        own = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except FileNotFoundError:  # gone meanwhile
        return []
    return [pid for child in own for pid in (child, *children(child))]


def free_ports(count: int) -> int:
    """The first of `count` consecutive free loopback ports, below those that tests reserve and outgoing connections take.

    Drawn, since those of a product that is just starting again look free.
    """
    for _attempt in range(200):
        first = 10_000 + secrets.randbelow(10_000)
        if all(map(_is_free, range(first, first + count))):
            return first
    raise StuckError(f"there are no {count} free ports in a row")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
