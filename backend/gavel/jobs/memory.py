"""Memory that a task has freed goes back to the system: an inventory or an hour of minutes takes hundreds of MB for a moment.

The allocator keeps freed pages for what comes next, and a worker process lives for weeks. Giving them back as they are freed would cost
each minute twice its time (docs/benchmarks.md, "Memory by process"); after the task it costs some ms.
"""

import ctypes
import os
import time
from collections.abc import Callable
from pathlib import Path

# After a task that left the process this much larger, and now and then.
_GROWN = 32 * 2**20
_EVERY_S = 30.0
_STATM = Path("/proc/self/statm")

_given_back_at = time.monotonic()
_resident_then = 0


def give_back() -> None:
    """Where it is worth it; nothing where the C library cannot."""
    global _given_back_at, _resident_then
    if time.monotonic() - _given_back_at < _EVERY_S and _resident() < _resident_then + _GROWN:
        return
    _trim()
    _given_back_at, _resident_then = time.monotonic(), _resident()


def _resident() -> int:
    """Bytes, with what is shared; 0 where the system does not say."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _no_trim() -> None:
    pass


def _trim_function() -> Callable[[], object]:
    """`malloc_trim` of glibc; other C libraries have none."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return _no_trim
    return lambda: trim(ctypes.c_size_t(0))


_trim = _trim_function()
