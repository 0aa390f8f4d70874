"""A process of its own for each file that is read: limited in memory, time and output, and ended with its parent or its import.

A file comes from a vendor or a customer, so a reader is forked for it alone. The worker only waits for the outcome and stays small.
"""

import json
import os
import pickle
import resource
import select
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar, cast

import structlog

from gavel.db.errors import (
    ConflictError,
    DatabaseUnreachableError,
    DiskFullError,
    LostError,
    NotFoundError,
    StorageError,
)
from gavel.domain.errors import GavelError, SettingsError
from gavel.embedded.deathsignal import with_parent

log = structlog.get_logger(__name__)
Answer = TypeVar("Answer")

MEMORY_BYTES: Final = 512 * 2**20
# Captures shrink about 20 times in gzip.
PACKED_RATIO: Final = 20
_LEAST_S, _BYTES_PER_S, MOST_S = 60.0, 4 * 10**6, 1800.0
_OUTPUT_RATIO, _LEAST_OUTPUT_BYTES = 2, 2**20
_MARKS: Final = (b"\x1f\x8b", b"PK")
HEAD_BYTES: Final = 4
_POLL_S = 0.25
# Outcomes are a number or one error text.
_MOST_OUTCOME_BYTES = 2**16
_PAGE = os.sysconf("SC_PAGE_SIZE")
# Errors that callers distinguish; any other expected one is the file's.
_PASSED: Final[tuple[type[GavelError], ...]] = (
    DatabaseUnreachableError,
    DiskFullError,
    LostError,
    NotFoundError,
    ConflictError,
    StorageError,
)


class ReaderEndedError(GavelError):
    """The reader ended without an outcome, as after kill -9."""


class TimeLimitError(SettingsError):
    """The kernel ended the reader at its time limit."""


class UnwantedError(GavelError):
    """The reader was ended because its outcome is no longer wanted."""


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """What one reader may use. `output_bytes`: of what the file holds, as it is passed on to the database."""

    seconds: float
    output_bytes: int
    memory_bytes: int = MEMORY_BYTES

    @classmethod
    def for_file(cls, size_bytes: int, head: bytes) -> "ReaderLimits":
        """60 s + 1 s per 4 MB and twice the size, with the text of packed files taken as 20 times their size. `head`: first bytes."""
        text_bytes = size_bytes * (PACKED_RATIO if head.startswith(_MARKS) else 1)
        seconds = min(_LEAST_S + text_bytes / _BYTES_PER_S, MOST_S)
        return cls(seconds, max(_OUTPUT_RATIO * text_bytes, _LEAST_OUTPUT_BYTES))

    def require_output(self, held: object, file: str) -> None:
        """Raise SettingsError for results that are larger than the limit."""
        counter = _CountedOutput(self.output_bytes)
        try:
            pickle.Pickler(counter, protocol=5).dump(held)
        except _TooMuchError as error:
            raise SettingsError(
                f"{file}: its results take more than {self.output_bytes / 2**20:.0f} MiB, twice the size of the file."
                " Check that it is what its tool wrote, or split it and import the parts."
            ) from error


class _TooMuchError(Exception):
    pass


class _CountedOutput:
    def __init__(self, most: int) -> None:
        self._left = most

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self._left -= size
        if self._left < 0:
            raise _TooMuchError
        return size


def file_head(path: Path) -> tuple[int, bytes]:
    """Size and first bytes of a file of this machine. Raises SettingsError."""
    try:
        with path.open("rb") as stream:
            return path.stat().st_size, stream.read(HEAD_BYTES)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror or error}).") from error


def run_reader(
    work: Callable[[], Answer],
    file: str,
    limits: ReaderLimits,
    is_wanted: Callable[[], bool] = lambda: True,
    passed: tuple[type[GavelError], ...] = (),
) -> Answer:
    """Run `work` in a process of its own and return its answer, which JSON must hold.

    Raises SettingsError where the file is refused or a limit is reached (TimeLimitError), ReaderEndedError, UnwantedError, and the
    errors of the database.
    `passed`: further errors that are raised as they are. Connections of the parent must not be used by `work`.
    """
    raised = (*passed, *_PASSED)
    sys.stdout.flush()
    near, far = os.pipe()
    die_with_parent = with_parent(signal.SIGKILL)
    with warnings.catch_warnings():
        # Other threads of a worker hold no lock that a reader needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        die_with_parent()
        os.close(near)
        _serve(work, file, limits, raised, far)
    os.close(far)
    try:
        data = _outcome(near, is_wanted)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.close(near)
        _, status = os.waitpid(pid, 0)
    return cast("Answer", _answer(data, os.waitstatus_to_exitcode(status), file, raised))


def extend_deadline(seconds: float) -> None:
    """Give this reader so many seconds from now on, for work that its file is not to blame for."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _outcome(pipe: int, is_wanted: Callable[[], bool]) -> bytes:
    data = b""
    while len(data) <= _MOST_OUTCOME_BYTES:
        if not select.select([pipe], [], [], _POLL_S)[0]:
            if not is_wanted():
                raise UnwantedError("no longer wanted")
            continue
        part = os.read(pipe, _MOST_OUTCOME_BYTES)
        if not part:
            return data
        data += part
    raise ReaderEndedError("the outcome is too long")


def _answer(data: bytes, code: int, file: str, raised: tuple[type[GavelError], ...]) -> object:
    if code == -signal.SIGALRM:
        raise TimeLimitError(
            f"{file}: reading was stopped at its time limit (60 s + 1 s per 4 MB of text). Check that it is what its tool wrote,"
            " or split it and import the parts."
        )
    if not data:
        raise ReaderEndedError(f"{file}: its reader ended without an outcome (exit code {code}).")
    found = json.loads(data)
    if found["kind"] == "answer":
        return found["value"]
    error = next((each for each in raised if each.__name__ == found["kind"]), SettingsError)
    raise error(found["value"])


def _serve(
    work: Callable[[], object], file: str, limits: ReaderLimits, raised: tuple[type[GavelError], ...], pipe: int
) -> NoReturn:
    """In the reader: never returns into what its parent was doing."""
    code = 1
    with suppress(BaseException):
        outcome = _attempt(work, file, limits, raised)
        sys.stdout.flush()
        os.write(pipe, json.dumps(outcome).encode())
        code = 0
    os._exit(code)


def _attempt(
    work: Callable[[], object], file: str, limits: ReaderLimits, raised: tuple[type[GavelError], ...]
) -> dict[str, object]:
    try:
        _confine(limits)
        return {"kind": "answer", "value": work()}
    except GavelError as error:
        kind = next((each.__name__ for each in raised if isinstance(error, each)), "refused")
        return {"kind": kind, "value": str(error)[:4000]}
    except MemoryError:
        text = (
            f"{file}: reading it takes more than {limits.memory_bytes // 2**20} MiB of memory. Check that it is what its tool wrote,"
            " or split it and import the parts."
        )
        return {"kind": "refused", "value": text}
    except Exception as error:
        log.exception("reader failed", file=file)
        text = f"{file}: reading it failed with {type(error).__name__}, an error of Gavel. Report it with the log of the worker."
        return {"kind": "refused", "value": text}


def _confine(limits: ReaderLimits) -> None:
    """Limits that the kernel enforces, also within one call of a library."""
    for each in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        signal.signal(each, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Only Linux says how much address space a process has, and holds it to the limit.
    with suppress(OSError, ValueError):
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * _PAGE
        resource.setrlimit(resource.RLIMIT_AS, (taken + limits.memory_bytes, taken + limits.memory_bytes))
