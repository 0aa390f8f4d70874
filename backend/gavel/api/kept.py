"""Answers that are the same for everybody who asks, made once for each state of what they are made from.

To rank an environment takes up to a second, and every page and wall asks for it whenever a minute was written. Whoever asks first has it
made, and the others wait for that one. As long as somebody asks, newer minutes and inventories have it made again before pages are told
of them (gavel.api.broadcast); who asks in that second gets what was there before.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import structlog
from fastapi import HTTPException

from gavel.db.errors import StorageError
from gavel.db.queries.ranking_state import RankingState

log = structlog.get_logger(__name__)

# What the state does not tell of (tasks, changed settings, retention) is looked for after so long. Who asks then gets the answer from
# before once more while it is made again; one that is twice as old is good for nobody.
_YOUNG_S = 30.0
_LONGEST_S = 2 * _YOUNG_S
# Who has not asked for so long is gone.
_WANTED_S = 120.0
_MOST = 32


@dataclass(slots=True)
class _Kept:
    """`make`: as who asked last has it made. `of`: the state looked at before it was made, so that nothing older is kept as newer."""

    state: Callable[[], RankingState]
    make: Callable[[], bytes]
    wanted_at: float
    of: RankingState | None = None
    body: bytes | None = None
    made_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def current(self, *, may_lag: bool) -> bytes:
        """may_lag: an answer is good although minutes or inventories are newer, since it is being made again."""
        state, body, of, age_s = self.state(), self.body, self.of, time.monotonic() - self.made_at
        if body is not None and of is not None and age_s <= _LONGEST_S:
            if may_lag and of.rest == state.rest:
                return body
            if state == of and age_s > _YOUNG_S:
                threading.Thread(target=self._make_again, daemon=True, name="a kept answer").start()
                return body
        return self._made_for(state)

    def _made_for(self, state: RankingState) -> bytes:
        # Whoever waited for another's answer looks again: it may be the one.
        waited = not self.lock.acquire(blocking=False)
        if waited:
            self.lock.acquire()
        try:
            if waited:
                state = self.state()
            if self.body is None or state != self.of or time.monotonic() - self.made_at > _YOUNG_S:
                began = time.monotonic()
                self.body, self.of, self.made_at = self.make(), state, began
            return self.body
        finally:
            self.lock.release()

    def _make_again(self) -> None:
        """Beside those who ask; one at a time is enough."""
        if not self.lock.locked():
            self.renew()

    def renew(self) -> None:
        """Make it again for those who will ask. An error is left to the next request, which reports it."""
        try:
            self._made_for(self.state())
        # HTTPException: no slot became free.
        except (StorageError, HTTPException) as error:
            log.debug("an answer was not made again", error=str(error))
        except Exception:
            log.exception("an answer was not made again")


class KeptAnswers:
    """Of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        # Of news of minutes and inventories: how many came, and how many of them the kept answers know.
        self._expected, self._renewed = 0, 0

    def answer(self, question: Hashable, state: Callable[[], RankingState], make: Callable[[], bytes]) -> bytes:
        """The body for a question. state: what the answer is made from, as far as it can be told at once."""
        with self._lock:
            kept = self._kept.setdefault(question, _Kept(state, make, 0.0))
            kept.make, kept.wanted_at = make, time.monotonic()
            self._kept.move_to_end(question)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
            may_lag = self._renewed < self._expected
        return kept.current(may_lag=may_lag)

    def expect(self) -> None:
        """Newer minutes or an inventory were written; `renew` follows."""
        with self._lock:
            self._expected += 1

    def renew(self) -> None:
        """Make again what is asked for."""
        with self._lock:
            expected = self._expected
            wanted = [kept for kept in self._kept.values() if time.monotonic() - kept.wanted_at < _WANTED_S]
        try:
            for kept in wanted:
                kept.renew()
        finally:
            with self._lock:
                self._renewed = expected
