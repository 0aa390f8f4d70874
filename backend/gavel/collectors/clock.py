"""How far a source's clock is from ours, from the whole-second dates its answers carry. Pure arithmetic on readings."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from gavel.domain.source import ClockReading

# An answer dated D was stamped in [D, D + 1 s), between our sending and our receiving: each answer bounds the offset from both sides.
_DATE_STEP_S = 1.0
# Beyond this age a bound says little about a clock that drifts (50 ppm ≈ 15 ms in five minutes).
_KEEP_S = 300.0


@dataclass(frozen=True, slots=True)
class _Bound:
    low_s: float
    high_s: float
    at_s: float


def offset_words(reading: ClockReading) -> str:
    """ "+1.24 s ± 0.03 s". The error is rounded up: never shown smaller than it is, and never as 0."""
    return f"{reading.offset_s:+.2f} s ± {math.ceil(reading.error_s * 100) / 100:.2f} s"


def age_words(age_s: float) -> str:
    """ "24 s old", "3 min old", "16 h old", "4.4 years old"; "40 s ahead" of what has a stamp of the future."""
    seconds, side = abs(age_s), "ahead" if age_s < 0 else "old"
    for unit, length_s, most in (("s", 1, 120), ("min", 60, 120), ("h", 3600, 48), ("days", 86_400, 730)):
        if seconds < most * length_s:
            return f"{round(seconds / length_s)} {unit} {side}"
    return f"{seconds / 31_557_600:.1f} years {side}"


class DateClock:
    """Narrows a source's clock offset (source − local) by intersecting what many dated answers allow.

    Bounds that contradict the newest one are forgotten: then the clock was stepped.
    """

    def __init__(self) -> None:
        self._bounds: list[_Bound] = []

    def observe(self, *, sent_at_s: float, received_at_s: float, date_s: float) -> None:
        """An answer dated `date_s` to a request sent and received at these local times; all are seconds since 1970."""
        newest = _Bound(date_s - received_at_s, date_s + _DATE_STEP_S - sent_at_s, received_at_s)
        kept = [
            bound
            for bound in self._bounds
            if received_at_s - bound.at_s <= _KEEP_S and bound.low_s <= newest.high_s and bound.high_s >= newest.low_s
        ]
        self._bounds = [*kept, newest]

    def reading(self) -> ClockReading | None:
        """The offset as known now, or None before the first answer."""
        if not self._bounds:
            return None
        low_s = max(bound.low_s for bound in self._bounds)
        high_s = min(bound.high_s for bound in self._bounds)
        return ClockReading(
            subject=None,
            offset_s=(low_s + high_s) / 2,
            error_s=abs(high_s - low_s) / 2,
            read_at=datetime.fromtimestamp(self._bounds[-1].at_s, UTC),
        )
