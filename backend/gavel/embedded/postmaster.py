"""What became of the server that used a data directory before: still there, going, or killed and forgotten."""

import subprocess
import time
from pathlib import Path

from gavel.embedded.errors import StartError

SOCKET_NAME = ".s.PGSQL.5432"
_PROC = Path("/proc")
_PATIENCE_S = 10.0
# Linux's list of System V shared memory, and the line of postmaster.pid with the key and the id of the server's own.
_SHARED_MEMORY = Path("/proc/sysvipc/shm")
_MEMORY_LINE = 6


def wait_for_previous(data_dir: Path, socket_dir: Path, patience_s: float = _PATIENCE_S) -> None:
    """Let a server that is just stopping finish, refuse one that stays, and forget one that is gone.

    PostgreSQL takes any process with the number in a lock file for its forerunner: another program that got the
    number since, or a killed server that nobody has reaped yet, would keep it from starting for ever. The other way
    round, the children of a server that was killed end a moment after it, and until then its successor refuses to start.
    """
    deadline = time.monotonic() + patience_s
    while hindrance := _hindrance(data_dir):
        if time.monotonic() > deadline:
            raise StartError(f"The database in {data_dir} {hindrance}")
        time.sleep(0.05)
    for lock_file in (data_dir / "postmaster.pid", socket_dir / f"{SOCKET_NAME}.lock"):
        lock_file.unlink(missing_ok=True)


def _hindrance(data_dir: Path) -> str:
    """What keeps a server from starting on `data_dir`, and what to do about it; "" when nothing does."""
    pid = postmaster_pid(data_dir)
    if pid is not None and serves(pid, data_dir):
        return f"is already being served by process {pid}. Stop that Gavel first, or end the process: kill -INT {pid}"
    if attached := _attached_processes(data_dir):
        processes = "1 process" if attached == 1 else f"{attached} processes"
        return (
            f"is still in use by {processes} of a server that was killed. "
            f"End what is left of it (PostgreSQL with the working directory {data_dir}), then start again."
        )
    return ""


def _attached_processes(data_dir: Path) -> int:
    """How many processes use the shared memory that the data directory's lock file names; 0 where the system does not tell."""
    try:
        memory_id = (data_dir / "postmaster.pid").read_text().split("\n")[_MEMORY_LINE].split()[1]
        segments = [line.split() for line in _SHARED_MEMORY.read_text().splitlines()]
    except (FileNotFoundError, IndexError):
        return 0
    id_column, attached_column = (segments[0].index(name) for name in ("shmid", "nattch"))
    return next((int(segment[attached_column]) for segment in segments[1:] if segment[id_column] == memory_id), 0)


def postmaster_pid(data_dir: Path) -> int | None:
    """Process id in the data directory's lock file, or None when there is none or it is not a number."""
    try:
        first_line = (data_dir / "postmaster.pid").read_text().partition("\n")[0]
        return int(first_line)
    except (FileNotFoundError, ValueError):
        return None


def serves(pid: int, data_dir: Path) -> bool:
    """Whether process `pid` is a living PostgreSQL server on `data_dir` (a postmaster's working directory is its data)."""
    if not _PROC.exists():  # not Linux
        command = _command_line(pid)
        return "postgres" in command and str(data_dir) in command
    try:
        return (_PROC / f"{pid}/comm").read_text() == "postgres\n" and (_PROC / f"{pid}/cwd").samefile(data_dir)
    except (FileNotFoundError, ProcessLookupError):  # gone, or dead and not yet reaped
        return False
    except PermissionError:  # another user's server: PostgreSQL itself will find out whose
        return True


def _command_line(pid: int) -> str:
    result = subprocess.run(["ps", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False)
    return result.stdout
