"""Pushes on their way into the store: what came meanwhile goes into one transaction, and every request is answered after its commit.

A transaction costs as much as a hundred pushes in it, so they do not follow at once; a push that comes alone does not wait.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime

import structlog

from gavel.db.engine import Engine, transaction
from gavel.db.errors import StorageError
from gavel.ingest.guests import Push, store_pushes

log = structlog.get_logger(__name__)

# Lines in one transaction, and lines that may wait for theirs: some seconds of work. Beyond it agents keep them.
_LINES_AT_ONCE = 5_000
MOST_WAITING = 100_000
# Between the beginnings of two transactions, at least.
APART_S = 0.25
# Agents give up after 5 s and send the same again: what would be answered later than that is refused at once.
_LONGEST_WAIT_S = 2.0


class BusyError(Exception):
    """So much is waiting to be stored that more has to wait at its sender."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """since_s: by the monotonic clock."""

    push: Push
    done: "Future[None]"
    since_s: float


class Writer:
    """One thread, from `start` to `stop`."""

    def __init__(self, engine: Engine, now: Callable[[], datetime], *, apart_s: float = APART_S) -> None:
        self._engine, self._now, self._apart_s = engine, now, apart_s
        self._waiting: deque[_Waiting] = deque()
        self._lines = 0
        # When the last transaction began, by the monotonic clock.
        self._began_s = 0.0
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
            if self.is_busy:
                raise BusyError("More is waiting to be stored than can be soon. Send it again later.")
            self._waiting.append(_Waiting(push, done, time.monotonic()))
            self._lines += _lines(push)
            # Woken for each of them, the thread would take the interpreter from whoever reads requests.
            if len(self._waiting) == 1 or self._is_time():
                self._has_work.notify()
        return done

    @property
    def is_busy(self) -> bool:
        """Whether a push would be refused now."""
        with self._has_work:
            is_late = bool(self._waiting) and time.monotonic() - self._waiting[0].since_s > _LONGEST_WAIT_S
            return is_late or self._lines >= MOST_WAITING or self._is_stopping

    def _run(self) -> None:
        while True:
            with self._has_work:
                self._has_work.wait_for(lambda: bool(self._waiting) or self._is_stopping)
                if not self._waiting:
                    return
                self._has_work.wait_for(self._is_time, max(0.0, self._began_s + self._apart_s - time.monotonic()))
                self._began_s = time.monotonic()
                batch = self._next()
            self._store(batch)

    def _is_time(self) -> bool:
        """Whether a transaction is full, or the last one."""
        return self._lines >= _LINES_AT_ONCE or self._is_stopping

    def _next(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        lines = 0
        while self._waiting and lines < _LINES_AT_ONCE:
            push = self._waiting.popleft()
            lines += _lines(push.push)
            # From here on its request can no longer withdraw it: a result set on a canceled one would end the thread.
            if push.done.set_running_or_notify_cancel():
                batch.append(push)
        self._lines -= lines
        return batch

    def _store(self, batch: Sequence[_Waiting]) -> None:
        try:
            self._write([one.push for one in batch])
        except Exception as error:
            if len(batch) > 1 and not isinstance(error, StorageError):
                # One request must not cost the others theirs.
                for one in batch:
                    self._store([one])
                return
            log.warning(
                "pushes not stored", requests=len(batch), error=str(error), exc_info=not isinstance(error, StorageError)
            )
            for one in batch:
                one.done.set_exception(error)
            return
        for one in batch:
            one.done.set_result(None)

    def _write(self, pushes: Sequence[Push]) -> None:
        with transaction(self._engine) as connection:
            store_pushes(connection, pushes, self._now())


def _lines(push: Push) -> int:
    return 1 + len(push.pushed.readings) + len(push.pushed.refused)
