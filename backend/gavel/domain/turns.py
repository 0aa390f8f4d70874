"""Whose samples a stream is asked for now: of those who should have one that is not stored yet. Pure.

Each ESXi host ends its samples by its own clock, and a source lists a sample some seconds before it is whole. Asked for all of them at one
moment, a vCenter would hand out those of some hosts too early and those of others 20 s late; asked for each when it is due, every sample
costs one question and comes soon after it can be read. How long that takes is learned for each stream of each source.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

import numpy as np
import numpy.typing as npt

from gavel.domain.samples import Int64Array
from gavel.domain.source import Watermark

# So long after its end a sample is asked for, until more is known of the source.
SETTLE_S = 4.0
_LONGEST_SETTLE_S = 15.0
# Who had nothing whole when it was due is asked again so soon, for so long; then once for each sample of the others.
_AGAIN_S = 2.0
_GIVEN_UP_S = 10.0
# Where so large a part of those that were asked for the first time had nothing, they were asked too early.
_TOO_EARLY = 0.1
_STEP_S = 1.0
_EARLIER_AFTER = timedelta(minutes=2)
_EARLIER_AFTER_TOO_EARLY = timedelta(minutes=10)

_Bools = npt.NDArray[np.bool_]
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest samples of the owners of a stream's entities.

    whole_us: (n,) end of the newest whole sample of each, in µs by the owner's clock, 0 where nothing is known. offset_s: (n,) how far that
    clock is ahead of ours. names: (n,) whom the source can be asked for alone; empty where it answers for everybody.
    """

    whole_us: Int64Array
    offset_s: _Floats
    names: tuple[str, ...] = ()

    @classmethod
    def of_one_clock(cls, whole_us: Int64Array, offset_s: float) -> Self:
        """Of owners that the source answers for together."""
        return cls(whole_us=whole_us, offset_s=np.full(len(whole_us), offset_s))

    def ready_s(self, step: timedelta, settle_s: float) -> _Floats:
        """(n,) when the next sample of each can be read, by our clock in seconds since 1970; NaN where nothing is known."""
        ready: _Floats = self.whole_us / 1e6 + step.total_seconds() - self.offset_s + settle_s
        return np.where(self.whole_us > 0, ready, np.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One read of a stream. due: (n,) whose sample is expected; is_first_try: (n,) of those, who is asked for it for the first time.
    since: all that is owed by them ended after it. is_newest: a sample newer than all that are stored is expected.

    asks: whether the source is to be asked for an owner; None where it is asked for everybody.
    """

    due: _Bools
    is_first_try: _Bools
    since: datetime
    is_newest: bool
    asks: Callable[[str], bool] | None


def turn(newest: Newest, step: timedelta, settle_s: float, now: datetime, until: datetime) -> Turn | None:
    """Who is asked at `now`; None when nobody has anything new. until: the newest sample that is stored.

    With a sample that is newer than that, everybody is asked of whom nothing is known, or who was silent for long.
    """
    age_s = now.timestamp() - newest.ready_s(step, settle_s)
    due: _Bools = (age_s >= 0) & (age_s < _GIVEN_UP_S)
    if not due.any() or (not newest.names and _share(due, age_s < _GIVEN_UP_S) < _TOO_EARLY):
        return None
    newest_us = int(newest.whole_us[due].max())
    is_newest = newest_us + step / timedelta(microseconds=1) > until.timestamp() * 1e6
    # Who was given up has older samples to bring.
    oldest_us = int(newest.whole_us[(age_s >= 0) if is_newest or not newest.names else due].min())
    asks = None
    if newest.names and is_newest:
        waiting = _named(newest.names, age_s < 0)
        asks = None if not waiting else lambda owner: owner not in waiting
    elif newest.names:
        asks = _named(newest.names, due).__contains__
    return Turn(
        due=due,
        is_first_try=due & (age_s < _AGAIN_S),
        since=datetime.fromtimestamp(oldest_us / 1e6, UTC),
        is_newest=is_newest,
        asks=asks,
    )


def is_waited_for(newest: Newest, step: timedelta, settle_s: float, now: datetime) -> bool:
    """Whether somebody's next sample is still to come, or is being asked for again: nobody else need be asked meanwhile."""
    return bool((now.timestamp() - newest.ready_s(step, settle_s) < _GIVEN_UP_S).any())


def next_at(newest: Newest, step: timedelta, settle_s: float, now: datetime) -> datetime:
    """When there is something to ask for again: at least once in `step`."""
    ready_s, now_s = newest.ready_s(step, settle_s), now.timestamp()
    coming = np.sort(ready_s[now_s - ready_s < _GIVEN_UP_S])
    if not len(coming):
        return now + step
    # A source that answers for everybody is not asked for the first of them alone.
    first_s = coming[0 if newest.names else int(len(coming) * _TOO_EARLY)]
    soonest_s = now_s + (_AGAIN_S if first_s <= now_s else 0.0)
    return min(datetime.fromtimestamp(max(float(first_s), soonest_s), UTC), now + step)


def settled(
    turn_taken: Turn, before: Newest, after: Newest, mark: Watermark, now: datetime
) -> tuple[float, datetime | None]:
    """What was learned from a turn: how long after their end samples are asked for from now on, and when asking earlier is tried next."""
    settle_s = SETTLE_S if mark.settle_s is None else mark.settle_s
    tried = turn_taken.is_first_try
    if not tried.any():
        return settle_s, mark.earlier_at
    if _share(after.whole_us <= before.whole_us, tried) > _TOO_EARLY:
        return min(settle_s + _STEP_S, _LONGEST_SETTLE_S), now + _EARLIER_AFTER_TOO_EARLY
    if mark.earlier_at is None:
        return settle_s, now + _EARLIER_AFTER
    if now < mark.earlier_at:
        return settle_s, mark.earlier_at
    return max(settle_s - _STEP_S, 0.0), now + _EARLIER_AFTER


def _share(part: _Bools, whole: _Bools) -> float:
    return float((part & whole).sum() / max(1, whole.sum()))


def _named(names: tuple[str, ...], where: _Bools) -> frozenset[str]:
    return frozenset(names[position] for position in np.flatnonzero(where).tolist())
