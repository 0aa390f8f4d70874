"""When a source that failed is asked again. Pure: decides from how the newest runs ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from gavel.domain.errors import ErrorKind

# A refused password must not lock an account: two tries, then long pauses. Changed settings are tried at once.
_REFUSED = frozenset({ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.CERTIFICATE, ErrorKind.WRONG_KIND})
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
    failures = 0
    for attempt in newest_first:
        if attempt.error is None:
            break
        failures += 1
    if failures == 0:
        return None
    newest = newest_first[0]
    if newest.error in _REFUSED:
        return newest.ended_at + (interval if failures == 1 else _REFUSED_PAUSE)
    doublings = min(failures - 1, 10)
    return newest.ended_at + min(interval * (1 << doublings), max(_LONGEST_PAUSE, interval))
