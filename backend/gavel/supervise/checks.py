"""What is looked at before anything starts, so that a common trouble is named instead of met half-way."""

import errno
import os
import socket
from contextlib import closing
from pathlib import Path

from gavel.embedded.account import owner_name
from gavel.embedded.errors import StartError
from gavel.embedded.room import ENOUGH_BYTES, free_bytes


def ensure_data_dir(data_dir: Path, *, enough_bytes: int = ENOUGH_BYTES) -> None:
    """Create the data directory, and see that it can be written to and the disk is not full."""
    try:
        # Root's servers run under another account, which must be able to pass through (not to look around).
        data_dir.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        probe = data_dir / ".write-test"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except FileExistsError as error:
        raise StartError(
            f"{data_dir} is to hold Gavel's data, but is a file. Choose another GAVEL_DATA_DIR."
        ) from error
    except OSError as error:
        raise StartError(_unwritable(data_dir, error)) from error
    free = free_bytes(data_dir)
    if free < enough_bytes:
        raise StartError(_full(data_dir, free, enough_bytes))


def _unwritable(data_dir: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{data_dir} cannot be written to: {error.strerror}. Free some space, or choose another GAVEL_DATA_DIR."
    nearest = next(path for path in (data_dir, *data_dir.parents) if path.exists())
    return (
        f"{data_dir} cannot be written to: {error.strerror}. {nearest} belongs to {owner_name(nearest)!r}. "
        "Run Gavel as that user, change the owner, or choose another folder (make up DATA_DIR=…, GAVEL_DATA_DIR)."
    )


def _full(data_dir: Path, free: int, enough: int) -> str:
    return (
        f"The disk that holds {data_dir} is nearly full: {free / 2**20:.0f} MiB free, Gavel wants at least "
        f"{enough / 2**20:.0f} MiB to start. Free some space, or choose another GAVEL_DATA_DIR."
    )


def ensure_port_free(host: str, port: int, variable: str, make_variable: str | None = None) -> None:
    """See that we may listen on `host`:`port`, as a server that allows address reuse does. Raises StartError, which names the variables."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            how = variable if make_variable is None else f"{variable} (make up {make_variable}=…)"
            raise StartError(_port_refused(host, port, error, how)) from error


def _port_refused(host: str, port: int, error: OSError, how: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} on {host} is taken by another program. Stop it, or choose another port with {how}."
    return f"Cannot listen on {host} port {port}: {error.strerror or error}. Choose another with {how}."
