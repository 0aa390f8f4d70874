"""How often a channel may be written to: the next moment that its vendor's limits allow. Knows no clock; its state is plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from gavel.alerting.transport.outcome import LONGEST_WISH_S


@dataclass(frozen=True, slots=True)
class Limit:
    """`burst` at once, then one every `every_s` seconds. In less than w seconds that is at most burst + w ÷ every_s."""

    burst: int
    every_s: float

    def __post_init__(self) -> None:
        if self.burst < 1 or not self.every_s > 0:
            raise ValueError(f"a limit lets at least one through and takes time for the next: {self}")

    @property
    def every(self) -> timedelta:
        return timedelta(seconds=self.every_s)


@dataclass(frozen=True, slots=True)
class Pace:
    """Where a channel stands. full_at: by limit, when its whole burst will be there again. not_before: as the receiver has wished."""

    full_at: tuple[datetime, ...] = ()
    not_before: datetime | None = None


def taken(limits: Sequence[Limit], pace: Pace, now: datetime) -> tuple[float, Pace]:
    """(0, the pace afterwards) when one message may go now; else (seconds to wait, the same pace).

    A clock that was ahead and is put right costs no more than an empty bucket; limits that have changed begin anew.
    """
    full_at = _full_at(limits, pace, now)
    allowed_at = [full - limit.every * (limit.burst - 1) for limit, full in zip(limits, full_at, strict=True)]
    if pace.not_before is not None:
        allowed_at.append(min(pace.not_before, now + timedelta(seconds=LONGEST_WISH_S)))
    wait_s = max((moment - now).total_seconds() for moment in (now, *allowed_at))
    if wait_s > 0:
        return wait_s, pace
    return 0.0, Pace(tuple(full + limit.every for limit, full in zip(limits, full_at, strict=True)))


def held(pace: Pace, now: datetime, wish_s: float) -> Pace:
    """After an answer that asks for patience: the whole channel waits, not only the message that was answered."""
    until = now + timedelta(seconds=min(wish_s, LONGEST_WISH_S))
    return Pace(pace.full_at, until if pace.not_before is None else max(until, pace.not_before))


def plain_pace(pace: Pace) -> dict[str, Any]:
    """As JSON takes it; `pace_of` gives an equal pace."""
    return {
        "full_at": [at.isoformat() for at in pace.full_at],
        "not_before": pace.not_before.isoformat() if pace.not_before else None,
    }


def pace_of(plain: Mapping[str, Any]) -> Pace:
    """Of nothing, a channel that was never written to. Raises ValueError or TypeError for what is no pace."""
    not_before = plain.get("not_before")
    return Pace(
        tuple(datetime.fromisoformat(at) for at in plain.get("full_at", ())),
        datetime.fromisoformat(not_before) if not_before else None,
    )


def _full_at(limits: Sequence[Limit], pace: Pace, now: datetime) -> list[datetime]:
    """Between now (the burst is whole) and the time that refilling an empty bucket takes."""
    if len(pace.full_at) != len(limits):
        return [now for _ in limits]
    return [
        max(now, min(full, now + limit.every * limit.burst)) for limit, full in zip(limits, pace.full_at, strict=True)
    ]
