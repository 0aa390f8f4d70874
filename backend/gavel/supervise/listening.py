"""Where guests push when the lab runs and nobody has said: on this machine, at a port that the data directory keeps."""

import socket
from contextlib import closing
from pathlib import Path

from gavel.config import Settings
from gavel.embedded.errors import StartError
from gavel.supervise.checks import ensure_port_free
from gavel.supervise.lock import write_private

_LOOPBACK = "127.0.0.1"
_PORT_FILE = "ingest-port"


def with_listener(settings: Settings) -> Settings:
    """The settings with the listener that this start has. A port that somebody chose has to be free: raises StartError."""
    is_for_lab = settings.ingest_host is None and settings.lab and settings.lab_guests
    if settings.ingest_host is None and not is_for_lab:
        return settings
    host = settings.ingest_host or _LOOPBACK
    if not is_for_lab or "ingest_port" in settings.model_fields_set:
        ensure_port_free(host, settings.ingest_port, "GAVEL_INGEST_PORT")
        return settings.model_copy(update={"ingest_host": host})
    port = _kept_port(settings.data_dir / _PORT_FILE, settings.ingest_port)
    return settings.model_copy(update={"ingest_host": host, "ingest_port": port})


def _kept_port(file: Path, usual: int) -> int:
    """That of the start before, else the usual one, else any; whichever is free first."""
    before = _read(file)
    port = next((port for port in (before, usual) if port is not None and _is_free(port)), None) or _any_free()
    if port != before:
        write_private(file, str(port))
    return port


def _read(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except FileNotFoundError:
        return None
    return int(text) if text.isdigit() and 0 < int(text) < 65536 else None


def _is_free(port: int) -> bool:
    try:
        ensure_port_free(_LOOPBACK, port, "GAVEL_INGEST_PORT")
    except StartError:
        return False
    return True


def _any_free() -> int:
    with closing(socket.create_server((_LOOPBACK, 0))) as probe:
        port: int = probe.getsockname()[1]
    return port
