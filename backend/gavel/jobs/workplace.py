"""The workplace of one worker process: its own database connections and its own sessions with the sources."""

import threading
from collections.abc import Callable
from pathlib import Path

from gavel.egress.policy import OutboundPolicy
from gavel.ingest.worker import WorkerContext

_open_contexts: list[WorkerContext] = []
_closed = threading.Event()


def open_worker(database_url: str, key_file: Path, stopping: Callable[[], bool], reach: OutboundPolicy) -> None:
    _open_contexts[:] = [WorkerContext.open(database_url, key_file, stopping, reach)]


def current_worker() -> WorkerContext:
    """The workplace of this process; there is one from the start of a worker process on."""
    return _open_contexts[0]


def is_closed(within_s: float) -> bool:
    """Whether this process begins to close its workplace within so many seconds."""
    return _closed.wait(within_s)


def close_worker() -> None:
    _closed.set()
    for place in _open_contexts:
        place.close()
    _open_contexts.clear()
