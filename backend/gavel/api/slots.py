"""Slots of answers about the whole environment: few at once leave connections and threads to all other pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from fastapi import HTTPException

from gavel.db.engine import Connection, Engine, reading

# Waiting requests hold a thread of the API, which has 40.
_WAITING = 6
_WAIT_S = 1.0
_RETRY_S = 5
# Lists of 20,000 VMs take a second.
_LIST_STATEMENT_S = 5


class AnswerSlots:
    """Slots of one process. at_once: how many answers are calculated at the same time."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._slots = BoundedSemaphore(at_once)
        self._waiting = BoundedSemaphore(_WAITING)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold one slot. Raises HTTPException 429 when none becomes free within a second."""
        if not self._slots.acquire(blocking=False) and not self._is_free_in_time():
            raise HTTPException(
                429,
                f"{self._at_once} other rankings or sums of the environment are being calculated. Try again in a few seconds.",
                {"Retry-After": str(_RETRY_S)},
            )
        try:
            yield
        finally:
            self._slots.release()

    @contextmanager
    def reading(self, engine: Engine) -> Iterator[Connection]:
        """Hold one slot and one read-only transaction. Raises HTTPException 429 and StorageError."""
        with self.slot(), reading(engine) as connection:
            yield connection

    @contextmanager
    def list_reading(self, engine: Engine) -> Iterator[Connection]:
        """As `reading`, with the time limit of lists."""
        with self.slot(), list_reading(engine) as connection:
            yield connection

    def _is_free_in_time(self) -> bool:
        """Wait for a slot and take it."""
        if not self._waiting.acquire(blocking=False):
            return False
        try:
            return self._slots.acquire(timeout=_WAIT_S)
        finally:
            self._waiting.release()


@contextmanager
def list_reading(engine: Engine) -> Iterator[Connection]:
    """Open a read-only transaction whose statements end at the time limit of lists."""
    with reading(engine, statement_limit_s=_LIST_STATEMENT_S) as connection:
        yield connection
