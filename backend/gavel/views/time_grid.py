"""The buckets of what is shown over time: how wide they are, and columns with a place for each, whether it has a row or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.domain.errors import GavelError
from gavel.domain.io_path import Quality
from gavel.domain.ledger import Flags

MOST_BUCKETS = 1000
_WANTED_BUCKETS = 720
# Widths that whole roll-ups fit into: a day by 5 minutes comes from 288 rows, 30 days by the hour from 720.
STEPS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080))


class UnusableStepError(GavelError):
    """A step that makes more buckets of the range than an answer holds, or a range of more rows than one answer adds up."""


def sensible_step(from_at: datetime, to_at: datetime) -> timedelta:
    return next((step for step in STEPS if (to_at - from_at) / step <= _WANTED_BUCKETS), STEPS[-1])


def check_buckets(buckets: float, from_at: datetime, to_at: datetime) -> None:
    """Raises UnusableStepError for more than an answer holds."""
    if buckets > MOST_BUCKETS:
        least = next((step for step in STEPS if (to_at - from_at) / step <= MOST_BUCKETS - 2), STEPS[-1])
        raise UnusableStepError(
            f"That step makes {buckets:.0f} buckets of the range, more than {MOST_BUCKETS}; {least.total_seconds():.0f} s would do."
        )


class _Bucketed(Protocol):
    """Rows over a range in buckets; several may be of one bucket."""

    @property
    def starts_us(self) -> Flags: ...
    @property
    def from_at(self) -> datetime: ...
    @property
    def to_at(self) -> datetime: ...
    @property
    def step(self) -> timedelta: ...


@dataclass(frozen=True, slots=True)
class TimeGrid:
    """Every bucket of the range, and which of them each row is."""

    times_ms: list[int]
    position: Flags
    start_us: int
    step_us: int

    @classmethod
    def of(cls, series: _Bucketed) -> "TimeGrid":
        start, step = (round(part) for part in (series.from_at.timestamp() * 1e6, series.step.total_seconds() * 1e6))
        end = round(series.to_at.timestamp() * 1e6)
        return cls([at // 1000 for at in range(start, end, step)], (series.starts_us - start) // step, start, step)

    def at(self, starts_us: Flags) -> "TimeGrid":
        """The same buckets for other rows."""
        return replace(self, position=(starts_us - self.start_us) // self.step_us)

    @property
    def buckets(self) -> int:
        return len(self.times_ms)

    def column(self, numbers: Floats) -> list[float]:
        """Nanoseconds are noise."""
        whole = np.full(self.buckets, np.nan)
        whole[self.position] = numbers
        listed: list[float] = np.round(whole, 3).tolist()
        return listed

    def flags(self, flags: Bools) -> list[bool]:
        whole = np.zeros(self.buckets, dtype=np.bool_)
        whole[self.position] = flags
        listed: list[bool] = whole.tolist()
        return listed

    def counts(self, numbers: Flags) -> list[int]:
        whole = np.zeros(self.buckets, dtype=np.int64)
        whole[self.position] = numbers
        listed: list[int] = whole.tolist()
        return listed

    def letters(self, letters: Sequence[Quality]) -> list[Quality | None]:
        whole: list[Quality | None] = [None] * self.buckets
        for bucket, letter in zip(self.position.tolist(), letters, strict=True):
            whole[bucket] = letter
        return whole
