"""How one attempt to deliver ended, and when the next one is due."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gavel.egress.network import retry_after_s

# The wait after each failed attempt at most; then hourly until a day is over. News of yesterday is noise.
WAITS_S = (5, 30, 120, 600, 1800)
HOURLY_S = 3600
GIVE_UP_AFTER_S = 24 * 3600
# A receiver may ask for patience, not for silence for days.
LONGEST_WISH_S = 3600
_PERMANENT = frozenset({400, 401, 403, 404, 405, 411, 413, 414, 415, 422, 431})
_GONE = 410


class Result(StrEnum):
    DELIVERED = "delivered"
    RETRY = "retry"  # waiting may help
    REFUSED = "refused"  # the same again would be refused again: dead letter until somebody changes something
    GONE = "gone"  # the receiver has withdrawn this address for good: the channel is disabled


@dataclass(frozen=True, slots=True)
class Outcome:
    """`detail` is for people and holds neither secrets nor what the receiver answered.

    retry_after_s: the receiver's wish. receipt: what a later message of the same incident needs to update this one.
    """

    result: Result
    detail: str
    status: int | None = None
    retry_after_s: float | None = None
    receipt: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReceiverResponse:
    """What a receiver said. headers: lower-case names. body: cut at a limit, never shown to anyone."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def by_status(answer: ReceiverResponse) -> Outcome:
    """2xx is delivered and nothing else is: a redirect is a refusal, since it is not followed."""
    status = answer.status
    if 200 <= status < 300:
        return Outcome(Result.DELIVERED, f"accepted with {status}", status)
    if status == _GONE:
        return Outcome(
            Result.GONE, "the receiver answered 410: the address is no longer valid. Enter a new one.", status
        )
    if 300 <= status < 400:
        detail = f"the receiver answered {status}, a redirect, which is not followed. Enter the address it leads to."
        return Outcome(Result.REFUSED, detail, status)
    if status in _PERMANENT:
        detail = f"the receiver answered {status}. Check address, credentials and settings of the channel, then replay."
        return Outcome(Result.REFUSED, detail, status)
    return Outcome(Result.RETRY, f"the receiver answered {status}", status, wished_s(answer.headers))


def wished_s(headers: Mapping[str, str]) -> float | None:
    """Seconds until the receiver wants to be asked again, by Retry-After in either form; None when it says nothing readable."""
    seconds = retry_after_s(headers.get("retry-after"))
    return None if seconds is None else min(seconds, LONGEST_WISH_S)


def next_wait_s(attempts: int, age_s: float, outcome: Outcome, chance: random.Random) -> float | None:
    """Seconds until the next attempt after `attempts` failed ones on a message that is `age_s` old; None: dead letter.

    Full jitter: anything up to the step's wait, so that many messages do not come back together. Never sooner than the receiver wished.
    """
    if outcome.result is not Result.RETRY:
        return None
    most = WAITS_S[attempts - 1] if attempts <= len(WAITS_S) else HOURLY_S
    wait = chance.uniform(0, most) + (outcome.retry_after_s or 0.0)
    return wait if age_s + wait <= GIVE_UP_AFTER_S else None
