"""Waits for events. A deadline never decides a test: it only turns a hang into a failure with a name."""

import subprocess
import threading
import time
from collections.abc import Callable
from typing import TypeVar

# Reached by a hang alone, even on a machine that gives the test a twentieth of a core.
HANG_S = 180.0
_PAUSE_S = 0.02
T = TypeVar("T")


def wait_for(condition: Callable[[], T], what: str, *, explain: Callable[[], str] = str) -> T:
    """Return the first true value of `condition`; fail with `what` and `explain()` when it hangs."""
    end = time.monotonic() + HANG_S
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {HANG_S:g} s. {explain()}".rstrip())
        time.sleep(_PAUSE_S)
    return value


def exit_code(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> int:
    """Wait for a process to exit."""
    return process.wait(HANG_S)


def join(thread: threading.Thread) -> None:
    """Wait for a thread to end."""
    thread.join(HANG_S)
    assert not thread.is_alive(), f"thread {thread.name} did not end within {HANG_S:g} s"


def wait_for_event(event: threading.Event, what: str) -> None:
    """Wait for an event that another thread sets."""
    assert event.wait(HANG_S), f"{what}: not within {HANG_S:g} s"
