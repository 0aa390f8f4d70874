"""What a sample may have given to a minute whose edge cuts it: nobody saw when within the sample things changed.

One change is assumed per sample, from the state of the sample before to that of the one after. So no part of it ran faster than the fastest
of the three, its latency lay between theirs, and the part outside the minute accounts for the rest of the sample's ops and I/O-time.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Floats

Index = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class History:
    """n samples ordered by thing and time. ops: (n, d); lower, upper: (n, d, k), NaN where not measured; the rest (n,)."""

    thing: Index
    start_us: Index
    end_us: Index
    error_us: Index
    ops: Floats
    lower: Floats
    upper: Floats

    @property
    def rate(self) -> Floats:
        """(n, d) operations per µs."""
        rate: Floats = self.ops / np.maximum(self.end_us - self.start_us, 1)[:, None]
        return rate


@dataclass(frozen=True, slots=True)
class Rest:
    """What else is in the minute of each cut piece, (a, d, k): measured ops, and the sums of the lower and upper ends of their I/O-time."""

    ops: Floats
    lower_sum: Floats
    upper_sum: Floats


def minute_range(samples: History, cut: Index, inside_us: Index, rest: Rest) -> tuple[Floats, Floats]:
    """(a, d, k) lowest and highest mean of the minutes that samples `cut` give `inside_us` (a,) of themselves to; NaN without a value."""
    idle = (samples.ops <= 0)[:, :, None]
    lowest = _of_three(np.where(idle, np.nan, samples.lower), samples.thing, np.fmin)[cut]
    highest = _of_three(np.where(idle, np.nan, samples.upper), samples.thing, np.fmax)[cut]
    ops = np.where(samples.ops[cut] > 0, samples.ops[cut], np.nan)[:, :, None]
    least, most = (x[:, :, None] for x in _ops_inside(samples, cut, inside_us))
    up = _extreme(rest.ops, rest.upper_sum, (least, most), (lowest, highest), (ops, samples.upper[cut]), sign=1)
    down = _extreme(rest.ops, rest.lower_sum, (least, most), (lowest, highest), (ops, samples.lower[cut]), sign=-1)
    return down, up


def _of_three(numbers: Floats, thing: Index, extreme: np.ufunc) -> Floats:
    """Extreme of each sample and those of the same thing before and after it, as far as they are known."""
    found = numbers.copy()
    alone = (thing[1:] != thing[:-1]).reshape(-1, *(1,) * (numbers.ndim - 1))
    extreme(found[1:], np.where(alone, np.nan, numbers[:-1]), out=found[1:])
    extreme(found[:-1], np.where(alone, np.nan, numbers[1:]), out=found[:-1])
    return found


def _ops_inside(samples: History, cut: Index, inside_us: Index) -> tuple[Floats, Floats]:
    """(a, d) fewest and most operations that can have been inside, if none of both parts ran faster than the fastest of the three."""
    fastest = _of_three(samples.rate, samples.thing, np.fmax)[cut]
    length, error, ops = (samples.end_us - samples.start_us)[cut], samples.error_us[cut], samples.ops[cut]
    shortest, longest = np.maximum(inside_us - error, 0), np.minimum(inside_us + error, length)
    least = ops - (length - shortest)[:, None] * fastest
    return np.clip(least, 0.0, ops), np.clip(longest[:, None] * fastest, 0.0, ops)


def _extreme(
    rest_ops: Floats,
    rest_sum: Floats,
    inside: tuple[Floats, Floats],
    hull: tuple[Floats, Floats],
    own: tuple[Floats, Floats],
    *,
    sign: int,
) -> Floats:
    """Highest (sign 1) or lowest (−1) mean. The I/O-time inside is bounded by the hull's far end for every operation inside, and by what
    is left of the sample's own time when every operation outside takes the near end; the mean is extreme at an end or where both meet."""
    (least, most), (lowest, highest), (ops, mean) = inside, hull, own
    far, near = (highest, lowest) if sign > 0 else (lowest, highest)
    width = far - near
    meet = np.divide(ops * (mean - near), width, out=np.zeros_like(width), where=width != 0)
    bound = np.fmin if sign > 0 else np.fmax
    found = []
    for count in (least, most, np.minimum(np.maximum(meet, least), most)):
        time = bound(count * far, ops * mean - (ops - count) * near)
        total = rest_ops + count
        found.append(np.divide(rest_sum + time, total, out=np.full_like(total, np.nan), where=total > 0))
    best: Floats = (np.fmax if sign > 0 else np.fmin).reduce(found)
    return best
