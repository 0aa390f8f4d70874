"""How precisely a counter says what it says: intervals instead of points (attribution.md §3).

All times are µs. NaN marks what was not measured; it is never read as zero.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]

LEAST_HALF_WIDTH_US = 0.5
LATEST_SHARE = 0.10
PART_SHARE = 0.25
# Longer than a host waits for any I/O: a counter that says more is broken.
LONGEST_LATENCY_US = 3.6e9


class Rounding(IntEnum):
    """What is proven about an integer counter of one vCenter build."""

    UNPROVEN = 0
    ROUNDS = 1
    TRUNCATES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Elementwise intervals of equal shape: `lower` ≥ 0, `upper`, and the most likely `value` between them; all NaN where absent.

    Crossed intervals (`lower` > `upper`) are measurements of one boundary that contradict each other; `chain.bounds` resolves them.
    """

    lower: Floats
    upper: Floats
    value: Floats

    def map(self, change: Callable[[Floats], Floats]) -> "Intervals":
        """The same done to lower, upper and value."""
        return Intervals(lower=change(self.lower), upper=change(self.upper), value=change(self.value))

    @property
    def half_width(self) -> Floats:
        """Never below ½ µs: no source is finer than that."""
        return np.maximum((self.upper - self.lower) / 2, LEAST_HALF_WIDTH_US)

    @property
    def present(self) -> Bools:
        return ~np.isnan(self.value)


def each_end(change: Callable[..., Any], *intervals: Intervals) -> Intervals:
    """What `change` makes of all their lower ends, of their upper ends, and of their values."""
    return Intervals(
        lower=change(*(ends.lower for ends in intervals)),
        upper=change(*(ends.upper for ends in intervals)),
        value=change(*(ends.value for ends in intervals)),
    )


def around(value: Floats, below: Floats | float, above: Floats | float) -> Intervals:
    """[value − below, value + above], cut at zero, with its middle as the value."""
    lower = np.maximum(value - below, 0.0)
    upper = np.asarray(value + above, dtype=np.float64)
    return Intervals(lower=lower, upper=upper, value=(lower + upper) / 2)


def exactly_around(value: Floats, half_width: Floats | float) -> Intervals:
    """value ± half_width, cut at zero, with the value itself kept."""
    cut = around(value, half_width, half_width)
    return Intervals(lower=cut.lower, upper=cut.upper, value=np.where(np.isnan(cut.lower), np.nan, value))


def absent(*shape: int) -> Intervals:
    """Nothing measured."""
    return Intervals(lower=np.full(shape, np.nan), upper=np.full(shape, np.nan), value=np.full(shape, np.nan))


def cleaned(raw: npt.NDArray[Any], ceiling: float = LONGEST_LATENCY_US) -> tuple[Floats, Bools]:
    """Raw numbers as floats with NaN for what is no measurement, and a flag where that was nonsense rather than silence.

    −1 is the store's "not measured" and NaN means the same; other negative numbers, infinities and anything above `ceiling` are flagged.
    """
    values = raw.astype(np.float64)
    silent = np.isnan(values) | (values == -1)
    nonsense = ~silent & ~((values >= 0) & (values <= ceiling))
    return np.where(silent | nonsense, np.nan, values), nonsense


def from_integer(
    value: Floats, unit_us: Floats | float, rounding: npt.NDArray[np.int64] | Rounding = Rounding.UNPROVEN
) -> Intervals:
    """An integer counter in `unit_us` (already multiplied to µs): what it may stand for, given what is proven of it."""
    below = np.where(np.asarray(rounding) == Rounding.TRUNCATES, 0.0, unit_us / 2)
    above = np.where(np.asarray(rounding) == Rounding.ROUNDS, unit_us / 2, unit_us)
    return around(value, below, above)


def from_components(components: Floats) -> Intervals:
    """The sum over the last axis of integer components, ½ µs each; absent where one of them is."""
    return exactly_around(np.sum(components, axis=-1), 0.5 * components.shape[-1])


def from_latest(value: Floats, unit_us: float, *, proven_mean: bool = False) -> Intervals:
    """A `latest` counter: maybe a shorter instant than its sample, hence ± 10 % of the reported value until its own data prove the mean."""
    doubt: Floats | float = 0.0 if proven_mean else LATEST_SHARE * value
    return exactly_around(value, doubt + unit_us / 2)


def widened(intervals: Intervals, by: Floats | float) -> Intervals:
    """Both ends moved outwards by `by` ≥ 0, cut at zero."""
    return Intervals(lower=np.maximum(intervals.lower - by, 0.0), upper=intervals.upper + by, value=intervals.value)


def of_part(whole: Intervals, share: Floats) -> Intervals:
    """The average of a whole read as that of a part with `share` (0…1) of its ops: the named assumption of §3."""
    return widened(whole, PART_SHARE * (1 - np.clip(share, 0.0, 1.0)) * whole.value)


def combined(measurements: Sequence[Intervals]) -> Intervals:
    """Several measurements of one boundary: the intersection, valued at the 1/h² mean inside it. Absent ones say nothing."""
    lower = np.fmax.reduce([one.lower for one in measurements])
    upper = np.fmin.reduce([one.upper for one in measurements])
    weights = [np.where(one.present, one.half_width**-2.0, 0.0) for one in measurements]
    total = np.sum(weights, axis=0)
    terms = [np.where(one.present, one.value, 0.0) * weight for one, weight in zip(measurements, weights, strict=True)]
    mean = np.divide(np.sum(terms, axis=0), total, out=np.full_like(total, np.nan), where=total > 0)
    crossed = lower > upper
    inside = np.minimum(np.maximum(mean, lower), upper)
    return Intervals(lower=lower, upper=upper, value=np.where(crossed, np.maximum(mean, 0.0), inside))
