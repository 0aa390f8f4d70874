"""When a source that failed is asked again. Pure: decides from how the newest runs ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from gavel.domain.errors import ErrorKind

# A refused password must not lock an account: two tries, then long pauses. Changed settings are tried at once.
_REFUSED = frozenset({ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.SETTINGS, ErrorKind.DUPLICATE})
_REFUSED_PAUSE = timedelta(minutes=15)
# A source that is merely away is looked for often, so that it is live again within a cycle of its return.
_LONGEST_PAUSE = timedelta(seconds=40)


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one run ended; `error` is None for success."""

    ended_at: datetime
    error: ErrorKind | None


def ready_at(newest_first: Sequence[Attempt], interval: timedelta) -> datetime | None:
    """The earliest time of the next try, or None for at once. `newest_first`: attempts since the settings last changed."""
    failures = list(takewhile(lambda attempt: attempt.error is not None, newest_first))
    if not failures:
        return None
    newest = failures[0]
    if newest.error in _REFUSED:
        refusals = sum(1 for _ in takewhile(lambda attempt: attempt.error in _REFUSED, failures))
        return newest.ended_at + (interval if refusals == 1 else _REFUSED_PAUSE)
    doublings = min(len(failures) - 1, 10)
    return newest.ended_at + min(interval * (1 << doublings), max(_LONGEST_PAUSE, interval))
