"""How good what-ifs were: a range predicted from the minutes before a change, against the minutes after it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.whatif import PredictedRange

# Means of ten minutes scatter by so much without any change.
NOISE = 0.05
# From so much on a number has clearly moved.
_MOVED = 0.10
# IOPS and outstanding I/O that both rise, or both fall, by more than this are of another workload: no setting does that.
_OTHER_WORKLOAD = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOutcome:
    """Before, predicted and after: latency in µs per I/O at the outermost boundary that was measured, and IOPS; what was measured is
    above 0."""

    before_us: float
    before_iops: float
    predicted_us: PredictedRange
    predicted_iops: PredictedRange
    after_us: float
    after_iops: float

    @property
    def is_inside(self) -> bool:
        """Whether the range of the latency holds what came after. IOPS follow demand, which changes by itself."""
        return self.predicted_us.holds(self.after_us, within=NOISE)

    @property
    def width(self) -> float | None:
        """Upper ÷ lower of the predicted latency; None where it has no upper bound."""
        high, low = self.predicted_us.high, self.predicted_us.low
        return None if high is None or low <= 0 else high / low

    @property
    def is_direction_right(self) -> bool | None:
        """Whether latency did not clearly move against the prediction. None: the range lies on both sides of what was before."""
        low, high = self.predicted_us.low, self.predicted_us.high
        falls = high is not None and high <= self.before_us * (1 + NOISE)
        rises = low >= self.before_us * (1 - NOISE)
        if not falls and not rises:
            return None
        change = self.after_us / self.before_us - 1
        return (change <= _MOVED or not falls) and (change >= -_MOVED or not rises)

    @property
    def is_other_workload(self) -> bool:
        """Whether the workload itself changed with the setting, so that the outcome says nothing of the prediction."""
        iops = self.after_iops / self.before_iops - 1
        outstanding = self.after_iops * self.after_us / (self.before_iops * self.before_us) - 1
        return min(iops, outstanding) > _OTHER_WORKLOAD or max(iops, outstanding) < -_OTHER_WORKLOAD


@dataclass(frozen=True, slots=True)
class BacktestScore:
    """changes: that were predicted and have an outcome. inside: of them; bounded: with an upper bound, median_width: of those;
    directed: with a predicted direction, right: of them."""

    changes: int
    inside: int
    bounded: int
    median_width: float | None
    directed: int
    right: int


def score(outcomes: Sequence[ChangeOutcome]) -> BacktestScore:
    """Of those whose workload stayed."""
    counted = [one for one in outcomes if not one.is_other_workload]
    widths = [one.width for one in counted if one.width is not None]
    directions = [one.is_direction_right for one in counted if one.is_direction_right is not None]
    return BacktestScore(
        changes=len(counted),
        inside=sum(one.is_inside for one in counted),
        bounded=len(widths),
        median_width=float(np.median(widths)) if widths else None,
        directed=len(directions),
        right=sum(directions),
    )
