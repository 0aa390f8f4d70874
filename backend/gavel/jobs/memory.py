"""Memory that a task has freed goes back to the system: an inventory or an hour of minutes takes hundreds of MB for a moment.

The allocator keeps freed pages for what comes next, and a worker process lives for weeks. Giving them back as they are freed would cost
each minute twice its time (docs/benchmarks.md, "Memory by process"); after a task, now and then, it costs some ms.
"""

import ctypes
import time
from collections.abc import Callable

_EVERY_S = 30.0
_given_back_at = time.monotonic()


def give_back() -> None:
    """At most every 30 s; nothing where the C library cannot."""
    global _given_back_at  # noqa: PLW0603 (of this process)
    if time.monotonic() - _given_back_at < _EVERY_S:
        return
    _given_back_at = time.monotonic()
    _trim()


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
