"""What counters of an instant say about the whole of a sample: `latest` latency and I/Os in flight."""

import numpy as np

from gavel.analysis.align import Samples, unbroken
from gavel.analysis.intervals import LATEST_SHARE, Bools, Floats, Intervals, each_end

# Whole I/Os per second, good to a half.
_HALF = 0.5
# Whole I/Os in flight, which a counter may cut off.
_WHOLE = 1.0


def over_changes(numbers: Floats, counts: Bools, samples: Samples) -> tuple[Floats, Floats]:
    """(n, 2) lowest and highest of each sample and its neighbours; neighbours only where `counts`. Ordered samples."""
    lowest, highest = numbers.copy(), numbers.copy()
    if len(numbers) > 1:
        same = (np.diff(unbroken(samples)) == 0)[:, None]
        usable = np.where(counts, numbers, np.nan)
        before, after = np.where(same, usable[:-1], np.nan), np.where(same, usable[1:], np.nan)
        for ends, extreme in ((lowest, np.fmin), (highest, np.fmax)):
            ends[1:] = extreme(ends[1:], before)
            ends[:-1] = extreme(ends[:-1], after)
    absent = np.isnan(numbers)
    return np.where(absent, np.nan, lowest), np.where(absent, np.nan, highest)


def latest_time(reported: Floats, samples: Samples) -> Intervals:
    """(n, 2) µs by a counter that is not proven to be the mean: ± 10 %, and all that changes may have hidden."""
    lowest, highest = over_changes(reported, samples.ops > 0, samples)
    return Intervals(
        lower=np.maximum(lowest * (1 - LATEST_SHARE) - _HALF, 0.0),
        upper=highest * (1 + LATEST_SHARE) + _HALF,
        value=reported,
    )


def time_in_flight(outstanding: Floats, samples: Samples) -> Intervals:
    """(n, 2) µs by Little's law, N/IOPS: [N − ½, N + 1) I/Os, ± 10 %, as `latest_time`; whole I/Os per second ± ½. Absent without."""
    lowest, highest = over_changes(outstanding, np.ones(outstanding.shape, np.bool_), samples)
    seconds = (samples.end_us - samples.start_us)[:, None] / 1e6
    rate = np.where(samples.ops > 0, samples.ops / seconds, np.nan)
    least = np.maximum(lowest * (1 - LATEST_SHARE) - _HALF, 0.0) / (rate + _HALF)
    slowest = rate - _HALF
    most = np.divide(highest * (1 + LATEST_SHARE) + _WHOLE, slowest, out=np.full_like(rate, np.inf), where=slowest > 0)
    most = np.where(np.isnan(least), np.nan, most)
    return Intervals(lower=least * 1e6, upper=most * 1e6, value=outstanding / rate * 1e6)


def scattered(reported: Floats, scatter_us: Floats, twin: Intervals, samples: Samples) -> Intervals:
    """(n, 2) µs by a counter that is proven an instant: ± what it has been seen to differ by, and all that changes may have hidden, within
    its ms twin, which is the mean: where the two do not meet, or nothing is reported, the twin alone."""
    lowest, highest = over_changes(reported, samples.ops > 0, samples)
    lower = np.maximum(np.maximum(np.minimum(reported - scatter_us, lowest), 0.0), twin.lower)
    upper = np.minimum(np.maximum(reported + scatter_us, highest), twin.upper)
    with np.errstate(invalid="ignore"):
        meets = lower <= upper
    inside = np.minimum(np.maximum(reported, lower), upper)
    within = Intervals(lower=lower, upper=upper, value=inside)
    return each_end(lambda x, of_twin: np.where(meets, x, of_twin), within, twin)
