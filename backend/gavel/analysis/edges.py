"""What a sample may have given to a minute whose edge cuts it: when within the sample the load changed is not measured.

One change is assumed per sample, from the state of the sample before to that of the one after. So no part of it ran faster than the fastest
of the three, but for the scatter of a count; its latency lay between theirs, or as far from its own mean as the three surely lie apart; and
the part outside the minute accounts for the rest of the sample's ops and I/O-time. Beside that one change the load may drift: where the
latencies of the three show how the sample splits, either part may have run a tenth faster.

A burst shorter than a sample breaks that: where a sample holds few I/Os, or twice as many were in flight as on either side of it, or as its
own rate and latency leave, its I/Os may all have come within a moment.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats

Index = npt.NDArray[np.int64]
# So few I/Os come when they come.
FEW_OPS = 30
# So many times as many in flight, and it was a burst; nothing that matters is shorter than this.
BURST, SHORTEST_BURST_US = 2.0, 250_000.0
# A part of a sample may have run faster than the fastest of the three by so much, if that is how its latencies are explained.
DRIFT = 0.1
# How many I/Os of a sample fall to one side of an edge scatters, and all but a twentieth of the time by less than twice its deviation.
SCATTERS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """n samples ordered by thing and time. ops: (n, d); lower, upper: (n, d, k), NaN where not measured; the rest (n,).

    run: of one thing, without a gap (`align.unbroken`).
    is_burst: (n, d) its I/Os may all have come within a moment (`bursts`).
    """

    run: Index
    start_us: Index
    end_us: Index
    error_us: Index
    ops: Floats
    lower: Floats
    upper: Floats
    is_burst: Bools

    @property
    def rate(self) -> Floats:
        """(n, d) operations per µs."""
        rate: Floats = self.ops / np.maximum(self.end_us - self.start_us, 1)[:, None]
        return rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What else is in the minute of each cut piece, (a, d, k): measured ops, and the sums of the lower and upper ends of their I/O-time."""

    ops: Floats
    lower_sum: Floats
    upper_sum: Floats


def minute_range(samples: History, cut: Index, inside: "Inside", rest: Rest) -> tuple[Floats, Floats]:
    """(a, d, k) lowest and highest mean of the minutes that samples `cut` give `inside` of their I/Os to; NaN without a value."""
    idle = (samples.ops <= 0)[:, :, None]
    lower, upper = (np.where(idle, np.nan, ends) for ends in (samples.lower, samples.upper))
    step = step_within(lower, upper, samples.run, cut)
    lowest = np.fmax(np.fmin(of_three(lower, samples.run, np.fmin)[cut], lower[cut] - step), 0.0)
    highest = np.fmax(of_three(upper, samples.run, np.fmax)[cut], upper[cut] + step)
    ops = np.where(samples.ops[cut] > 0, samples.ops[cut], np.nan)[:, :, None]
    up = _extreme(rest.ops, rest.upper_sum, inside, (lowest, highest), (ops, samples.upper[cut]), sign=1)
    down = _extreme(rest.ops, rest.lower_sum, inside, (lowest, highest), (ops, samples.lower[cut]), sign=-1)
    return down, up


def step_within(lower: Floats, upper: Floats, run: Index, cut: Index) -> Floats:
    """(a, d, k) by how much latency may differ from a sample's own mean within it: as much as is sure of the largest difference between it
    and its neighbours. I/Os that wait do not wait alike."""
    step: Floats = np.fmax(of_three(lower, run, np.fmax)[cut] - of_three(upper, run, np.fmin)[cut], 0.0)
    return step


def bursts(run: Index, length_us: Index, ops: Floats, value: Floats, *, either: bool) -> Bools:
    """(n, d) samples, ordered by thing and time, whose I/Os may all have come within a moment. value: (n, d, k), the largest counts;
    either: all of one and the same time, so that two that differ tell of a burst, too."""
    latency = np.fmax.reduce(value, axis=2)
    in_flight = np.nan_to_num(latency) * ops / np.maximum(length_us, 1)[:, None]
    found: Bools = (ops > 0) & ((ops < FEW_OPS) | (in_flight > BURST * _beside(in_flight, run)))
    if either:
        with np.errstate(invalid="ignore"):
            found |= latency > BURST * np.fmin.reduce(value, axis=2)
    return found


def _beside(numbers: Floats, run: Index) -> Floats:
    """(n, d) the larger of those of the same run before and after each sample; ∞ where there is neither."""
    found = np.full_like(numbers, -np.inf)
    same = (run[1:] == run[:-1])[:, None]
    found[1:] = np.where(same, numbers[:-1], -np.inf)
    found[:-1] = np.maximum(found[:-1], np.where(same, numbers[1:], -np.inf))
    return np.where(np.isinf(found), np.inf, found)


def of_three(numbers: Floats, run: Index, extreme: np.ufunc) -> Floats:
    """Extreme of each sample and those of the same run before and after it, as far as they are known."""
    found = numbers.copy()
    alone = (run[1:] != run[:-1]).reshape(-1, *(1,) * (numbers.ndim - 1))
    extreme(found[1:], np.where(alone, np.nan, numbers[:-1]), out=found[1:])
    extreme(found[:-1], np.where(alone, np.nan, numbers[1:]), out=found[:-1])
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Inside:
    """Fewest and most operations (a, d) that cut samples can have given their minutes, and the same with `DRIFT`."""

    fewest: Floats
    most: Floats
    fewest_drifting: Floats
    most_drifting: Floats


def ops_inside(samples: History, cut: Index, inside_us: Index) -> Inside:
    """Of samples `cut` with `inside_us` (a,) inside, if none of both parts ran faster than the fastest of the three; and as I/Os come when
    they come, twice the scatter of their number."""
    fastest = of_three(samples.rate, samples.run, np.fmax)[cut]
    length, error, ops = (samples.end_us - samples.start_us)[cut], samples.error_us[cut], samples.ops[cut]
    fastest = np.where(samples.is_burst[cut], np.maximum(fastest, ops / SHORTEST_BURST_US), fastest)
    shortest, longest = np.maximum(inside_us - error, 0), np.minimum(inside_us + error, length)
    part = (inside_us / np.maximum(length, 1))[:, None]
    scatter = SCATTERS * np.sqrt(ops * part * (1 - part))
    outside, within = (length - shortest)[:, None] * fastest, longest[:, None] * fastest

    def fewest(room: float) -> Floats:
        count: Floats = np.clip(ops - room * outside - scatter, 0.0, ops)
        return count

    def most(room: float) -> Floats:
        count: Floats = np.clip(room * within + scatter, 0.0, ops)
        return count

    drifting = 1.0 + DRIFT
    return Inside(fewest=fewest(1.0), most=most(1.0), fewest_drifting=fewest(drifting), most_drifting=most(drifting))


def _extreme(
    rest_ops: Floats,
    rest_sum: Floats,
    inside: Inside,
    hull: tuple[Floats, Floats],
    own: tuple[Floats, Floats],
    *,
    sign: int,
) -> Floats:
    """Highest (sign 1) or lowest (−1) mean. The I/O-time inside is bounded by the hull's far end for every operation inside, and by what
    is left of the sample's own time when every operation outside takes the near end; the mean is extreme at an end or where both meet."""
    (lowest, highest), (ops, mean) = hull, own
    least, most, drifting_least, drifting_most = (
        x[:, :, None] for x in (inside.fewest, inside.most, inside.fewest_drifting, inside.most_drifting)
    )
    far, near = (highest, lowest) if sign > 0 else (lowest, highest)
    width = far - near
    meet = np.divide(ops * (mean - near), width, out=np.zeros_like(width), where=width != 0)
    bound = np.fmin if sign > 0 else np.fmax
    found = []
    for count in (least, most, np.minimum(np.maximum(meet, drifting_least), drifting_most)):
        time = bound(count * far, ops * mean - (ops - count) * near)
        total = rest_ops + count
        found.append(np.divide(rest_sum + time, total, out=np.full_like(total, np.nan), where=total > 0))
    best: Floats = (np.fmax if sign > 0 else np.fmin).reduce(found)
    return best
