"""Which of the two lanes of live reading a source goes, so that no number of slow or failing sources keeps the others from their ticks.

The fast lane is short: a pass that is not through when its leash ends is given up there and read on the slow lane, by other processes, and
so is the source from then on until a pass of it was quick again. On the slow lane, sources that fail share some of the processes only.
"""

import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum

from gavel.db.engine import Engine
from gavel.db.locks import one_of
from gavel.db.queries.runs import SourceRun
from gavel.egress.network import total_deadline

# How long one pass may hold a process of the fast lane, and how long one is there that stays on it.
LEASH_S = 3.0
_LONG_S = 2.0
# How long a whole pass may take at most, below the limit of its task.
PASS_S = 75.0
# Of the processes of the slow lane (supervise.stack).
FAILING_AT_ONCE = 2
# A pass that did not come to its end within its leash.
UNFINISHED = "unfinished"
# Runs of one pass begin within so many seconds of one another.
_ONE_PASS_S = 90.0

_end_of_leash: ContextVar[float | None] = ContextVar("end_of_leash", default=None)


class Lane(StrEnum):
    FAST = "fast"
    SLOW = "slow"
    FAILING = "failing"  # slow, and limited in number


class UnfinishedError(Exception):
    """A pass of the fast lane took too long: the rest of it is to be read on the slow lane. Nobody's fault."""


@contextmanager
def within_lane(lane: Lane) -> Iterator[None]:
    """The time that a whole pass has there. Past its leash every error of the source becomes an UnfinishedError (see runs.Accounted)."""
    seconds = LEASH_S if lane is Lane.FAST else PASS_S
    token = _end_of_leash.set(time.monotonic() + seconds if lane is Lane.FAST else None)
    try:
        with total_deadline(seconds):
            yield
    finally:
        _end_of_leash.reset(token)


def leash_is_over() -> bool:
    end = _end_of_leash.get()
    return end is not None and time.monotonic() >= end


def lane_of(newest_first: Sequence[SourceRun], queue: str) -> Lane:
    """By the runs since the settings changed. A source that was never read yet has to show first that it can be."""
    if not newest_first or newest_first[0].error_kind is not None:
        return Lane.FAILING
    return Lane.SLOW if _newest_pass_s(newest_first, queue) >= _LONG_S else Lane.FAST


def _newest_pass_s(newest_first: Sequence[SourceRun], queue: str) -> float:
    """Seconds that the newest runs of a queue took together, each stream once."""
    of_queue = [run for run in newest_first if run.queue == queue]
    newest: dict[str, float] = {}
    for run in of_queue:
        is_older = (of_queue[0].started_at - run.started_at).total_seconds() > _ONE_PASS_S
        if is_older or run.stream in newest or (newest and run.stream == UNFINISHED):
            break
        newest[run.stream] = run.duration_s
    return sum(newest.values())


@contextmanager
def slot_in(engine: Engine, lane: Lane) -> Iterator[bool]:
    """Whether there is room for one more source of this lane now; it is taken for as long as the block lasts."""
    if lane is not Lane.FAILING:
        yield True
        return
    with one_of(engine, "failing source", FAILING_AT_ONCE) as held:
        yield held


@contextmanager
def one_at_a_time(engine: Engine, kind: str) -> Iterator[bool]:
    """Whether work that takes long may be done by this process now: one of a kind at a time in each worker, so that minutes and alerts have
    a process of `worker-back` in any case. What is turned away comes with one of the next ticks."""
    with one_of(engine, f"{kind} of {socket.gethostname()} {os.getppid()}", 1) as has_room:
        yield has_room
