"""The API as a process of its own over a small environment, with what is needed to speak to it byte by byte and to see its memory."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path

import httpx
from sqlalchemy import text
from tests.api.ledgers import HEALTHY, KERNEL, MINUTE, NOW, Environment, Interval, minute, written
from tests.ports import reserve_port
from tests.waiting import HANG_S, exit_code, wait_for

from gavel.db.engine import Engine, Role, open_engine, transaction
from gavel.db.queries.correlation import LedgerProgress, save_progress
from gavel.domain.scope import ScopeKind

# Of one answer; the API itself is to answer within two.
_PATIENCE_S = 30
_TABLES = {
    ScopeKind.DATASTORE: "datastore", ScopeKind.VM: "vm", ScopeKind.HOST: "esxi_host", ScopeKind.VOLUME: "volume",
    ScopeKind.ARRAY: "storage_array",
}  # fmt: skip


@dataclass(frozen=True)
class Answered:
    """What came: status 0 when the connection ended without an answer."""

    status: int
    body: bytes
    seconds: float


@dataclass(frozen=True)
class Server:
    port: int
    pid: int
    admin_token: str
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def memory_mib(self) -> float:
        """Resident now."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def ask(self, request: bytes, method: str, *, head_only: bool = False) -> Answered:
        """One request on a connection of its own."""
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE_S) as sock:
            try:
                sock.sendall(request)
                response = HTTPResponse(sock, method=method)
                response.begin()
                body = b"" if head_only else response.read()
                return Answered(response.status, body, time.monotonic() - began)
            except (HTTPException, ConnectionError):
                # Refused before all of it was read, or no HTTP at all.
                return Answered(0, b"", time.monotonic() - began)


@contextmanager
def serving(database_url: str, folder: Path, **environment: str) -> Iterator[Server]:
    """Until the block ends. Everything of the environment has an hour of minutes."""
    settings = {"GAVEL_DATABASE_URL": database_url, "GAVEL_DATA_DIR": str(folder), "GAVEL_BROKER_URL": "memory://"}
    settings |= {"GAVEL_LOG_FORMAT": "json", "GAVEL_LAB": "0", "PYTHONUNBUFFERED": "1"}
    port = reserve_port()
    argv = [
        sys.executable, "-m", "uvicorn", "--factory", "gavel.api.app:create_app", "--host", "127.0.0.1", "--port", str(port),
        "--no-access-log", "--no-server-header", "--no-date-header", "--http", "gavel.api.http_protocol:DeadlineProtocol",
    ]  # fmt: skip
    log = folder / "api.log"
    with log.open("wb") as out:
        process = subprocess.Popen(argv, env=os.environ | settings | environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            _wait(process, port, log)
            yield Server(port, process.pid, _admin_token(port, folder), log)
        finally:
            process.terminate()
            exit_code(process)


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    def answers() -> bool:
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            return httpx.get(f"http://127.0.0.1:{port}/api/v1/session", timeout=HANG_S).is_success
        except httpx.HTTPError:
            return False

    wait_for(answers, "API that answers", explain=lambda: log.read_text()[-2000:])


def _admin_token(port: int, folder: Path) -> str:
    token = (folder / "setup-token").read_text().strip()
    answer = httpx.post(f"http://127.0.0.1:{port}/api/v1/session", json={"token": token}, timeout=HANG_S)
    made: str = answer.json()["admin_token"]
    return made


def _hour(engine: Engine, kind: ScopeKind, thing: int, spans: Mapping[int, Interval]) -> None:
    """The same minute, sixty times until NOW."""
    entries = [(kind, thing, NOW - n * MINUTE, minute(300, 100, spans)) for n in range(1, 61)]
    with transaction(engine) as connection:
        written(connection, entries, replaced=[])


def fill(database_url: str, *, is_new: bool = True) -> None:
    """An hour of minutes of all objects of the small environment, sick and well. Its sources are at a closed port. is_new: made first."""
    engine = open_engine(database_url, Role.WORKER)
    if is_new:
        Environment.made(engine)
    with transaction(engine) as connection:
        save_progress(connection, LedgerProgress(NOW, None, frozenset()))
    for kind, table in _TABLES.items():
        with transaction(engine) as connection:
            ids = connection.execute(text(f"SELECT id FROM {table} ORDER BY id")).scalars().all()
        for number, thing in enumerate(ids):
            _hour(engine, kind, thing, KERNEL if number % 2 else HEALTHY)
    with transaction(engine) as connection:
        connection.execute(text("UPDATE source SET address = '127.0.0.1:9', enabled = false"))
    engine.dispose()
