"""The workplace of one worker process: its own database connections and its own sessions with the sources."""

import threading
from collections.abc import Callable
from pathlib import Path

from gavel.pipeline.outside import Outside
from gavel.pipeline.workplace import Workplace

_here: list[Workplace] = []
_closed = threading.Event()


def open_workplace(database_url: str, key_file: Path, stopping: Callable[[], bool], reach: Outside) -> None:
    _here[:] = [Workplace.open(database_url, key_file, stopping, reach)]


def here() -> Workplace:
    """The workplace of this process; there is one from the start of a worker process on."""
    return _here[0]


def is_closed(within_s: float) -> bool:
    """Whether this process begins to close its workplace within so many seconds."""
    return _closed.wait(within_s)


def close_workplace() -> None:
    _closed.set()
    for place in _here:
        place.close()
    _here.clear()
