"""Answers that are the same for everybody who asks, made once for each state of what they are made from.

To rank an environment takes up to a second of both processors, and every page and wall asks for it whenever a minute was written. Whoever
asks first has it made, the others wait for that one; and as long as somebody asks, it is made again as soon as there are newer minutes.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import structlog

from gavel.db.errors import StorageError

log = structlog.get_logger(__name__)

# What the state does not tell of (baselines, retention) is seen after so long.
_LONGEST_S = 30.0
# Who has not asked for so long is gone.
_WANTED_S = 120.0
# News come in twos and threes.
_GATHER_S = 0.2
_MOST = 32


@dataclass(slots=True)
class _Kept:
    """make: (state, body) at the moment it is called."""

    state: Callable[[], Hashable]
    make: Callable[[], bytes]
    wanted_at: float
    of: Hashable = None
    body: bytes | None = None
    made_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def current(self) -> bytes:
        """Looks at the state first, so that nothing older is ever kept as newer."""
        with self.lock:
            state = self.state()
            if self.body is None or state != self.of or time.monotonic() - self.made_at > _LONGEST_S:
                began = time.monotonic()
                self.body, self.of, self.made_at = self.make(), state, began
            return self.body


class KeptAnswers:
    """Of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._again = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self._is_planned = False

    def answer(self, question: Hashable, state: Callable[[], Hashable], make: Callable[[], bytes]) -> bytes:
        """The body for a question. state: what the answer is made from, as far as it can be told at once."""
        with self._lock:
            kept = self._kept.setdefault(question, _Kept(state, make, 0.0))
            kept.wanted_at = time.monotonic()
            self._kept.move_to_end(question)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return kept.current()

    def renew(self) -> None:
        """There are newer minutes: make again what is asked for."""
        with self._lock:
            if self._is_planned:
                return
            self._is_planned = True
        self._again.submit(self._renew)

    def close(self) -> None:
        self._again.shutdown(wait=False, cancel_futures=True)

    def _renew(self) -> None:
        time.sleep(_GATHER_S)
        with self._lock:
            self._is_planned = False
            wanted = [one for one in self._kept.values() if time.monotonic() - one.wanted_at < _WANTED_S]
        for one in wanted:
            try:
                one.current()
            except StorageError as error:
                # Whoever asks for it is told.
                log.debug("an answer was not made again", error=str(error))
