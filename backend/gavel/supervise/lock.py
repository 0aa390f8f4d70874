"""One supervisor per data directory: a lock that the kernel releases when its holders are gone, however they went."""

import errno
import fcntl
import os
import time
from pathlib import Path

from gavel.embedded.errors import StartError

LOCK_FILE = "gavel.lock"
_CLEARING_UP_S = 12.0


def private(path: str, flags: int) -> int:
    """Opens a file for its owner only, also where root made the folder for others to pass through, or an older Gavel the file."""
    handle = os.open(path, flags, 0o600)
    os.fchmod(handle, 0o600)
    return handle


def write_private(file: Path, text: str) -> None:
    """Replaces what the file holds."""
    with open(file, "w", opener=private) as out:
        out.write(text)


class InstanceLock:
    """Holds the data directory for one supervisor. `fileno` is inherited by the guardian, which holds it a moment longer."""

    def __init__(self, data_dir: Path, patience_s: float = _CLEARING_UP_S) -> None:
        self._file = os.fdopen(private(str(data_dir / LOCK_FILE), os.O_RDWR | os.O_CREAT | os.O_APPEND), "a+")
        try:
            self._take(data_dir, patience_s)
        except BaseException:
            self._file.close()
            raise
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def _take(self, data_dir: Path, patience_s: float) -> None:
        deadline = time.monotonic() + patience_s
        while not _try_lock(self._file.fileno()):
            holder = holder_pid(data_dir)
            if holder is not None and is_alive(holder):
                raise StartError(
                    f"Gavel is already running on {data_dir} (process {holder}). "
                    f"Use that one, stop it (kill {holder}), or choose another GAVEL_DATA_DIR and PORT."
                )
            if time.monotonic() > deadline:
                raise StartError(
                    f"The previous Gavel on {data_dir} (process {holder}) is gone, but processes it started still hold "
                    f"{data_dir / LOCK_FILE}. Find and end them: fuser -v {data_dir / LOCK_FILE}"
                )
            time.sleep(0.1)

    def fileno(self) -> int:
        """Descriptor that carries the lock."""
        return self._file.fileno()

    def release(self) -> None:
        """Give the data directory up."""
        self._file.close()


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def holder_pid(data_dir: Path) -> int | None:
    """The supervisor named in the lock file, alive or not; None when there never was one."""
    try:
        return int((data_dir / LOCK_FILE).read_text())
    except (FileNotFoundError, ValueError):
        return None


def running_pid(data_dir: Path) -> int | None:
    """The supervisor that holds the data directory now; None when it is free."""
    try:
        with (data_dir / LOCK_FILE).open("r") as file:
            return None if _try_lock(file.fileno()) else holder_pid(data_dir)
    except FileNotFoundError:
        return None


def is_alive(pid: int) -> bool:
    """Whether a process has this number (a zombie counts as gone)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:  # no /proc here, or gone just now
        return not Path("/proc/self").exists()
