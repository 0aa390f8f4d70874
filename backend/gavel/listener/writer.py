"""Pushes on their way into the store: what came meanwhile goes into one transaction, and every request is answered after its commit."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime

import structlog

from gavel.db.engine import Engine, transaction
from gavel.db.errors import StorageError
from gavel.ingest.guests import Push, store_pushes

log = structlog.get_logger(__name__)

# Lines in one transaction, and lines that may wait for theirs: some seconds of work. Beyond it agents keep them.
_LINES_AT_ONCE = 5_000
MOST_WAITING = 100_000


class BusyError(Exception):
    """So much is waiting to be stored that more has to wait at its sender."""


class Writer:
    """One thread, from `start` to `stop`."""

    def __init__(self, engine: Engine, now: Callable[[], datetime]) -> None:
        self._engine, self._now = engine, now
        self._waiting: deque[tuple[Push, Future[None]]] = deque()
        self._lines = 0
        self._has_work = threading.Condition()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="guest writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """What is waiting is stored first."""
        with self._has_work:
            self._is_stopping = True
            self._has_work.notify()
        self._thread.join()

    def submit(self, push: Push) -> "Future[None]":
        """Done when it is committed, or failed with why it is not. Raises BusyError."""
        done: Future[None] = Future()
        with self._has_work:
            if self._lines >= MOST_WAITING or self._is_stopping:
                raise BusyError("More is waiting to be stored than can be soon. Send it again later.")
            self._waiting.append((push, done))
            self._lines += _lines(push)
            self._has_work.notify()
        return done

    def _run(self) -> None:
        while True:
            with self._has_work:
                self._has_work.wait_for(lambda: bool(self._waiting) or self._is_stopping)
                if not self._waiting:
                    return
                batch = self._next()
            self._store(batch)

    def _next(self) -> list[tuple[Push, "Future[None]"]]:
        batch: list[tuple[Push, Future[None]]] = []
        lines = 0
        while self._waiting and lines < _LINES_AT_ONCE:
            batch.append(self._waiting.popleft())
            lines += _lines(batch[-1][0])
        self._lines -= lines
        return batch

    def _store(self, batch: Sequence[tuple[Push, "Future[None]"]]) -> None:
        try:
            self._write([push for push, _ in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, StorageError):
                # One request must not cost the others theirs.
                for one in batch:
                    self._store([one])
                return
            log.warning(
                "pushes not stored", requests=len(batch), error=str(error), exc_info=not isinstance(error, StorageError)
            )
            for _, done in batch:
                done.set_exception(error)
            return
        for _, done in batch:
            done.set_result(None)

    def _write(self, pushes: Sequence[Push]) -> None:
        with transaction(self._engine) as connection:
            store_pushes(connection, pushes, self._now())


def _lines(push: Push) -> int:
    return 1 + len(push.pushed.readings) + len(push.pushed.refused)
