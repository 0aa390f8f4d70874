"""What a `latest` counter says about its whole sample, when all it shows may be one instant of it (attribution.md §3).

Between the samples before and after things may have changed within the sample, so the instant may miss a change: the whole lies between the
values of all three.
"""

import numpy as np

from gavel.analysis.align import Samples
from gavel.analysis.intervals import LATEST_SHARE, Bools, Floats, Intervals

# Whole I/Os in flight, whole I/Os per second.
_HALF = 0.5


def over_changes(numbers: Floats, counts: Bools, samples: Samples) -> tuple[Floats, Floats]:
    """(n, 2) lowest and highest of each sample and its neighbours of the same thing; neighbours only where `counts`. Ordered samples."""
    lowest, highest = numbers.copy(), numbers.copy()
    if len(numbers) > 1:
        same = (samples.entity[1:] == samples.entity[:-1])[:, None]
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
        np.maximum(lowest * (1 - LATEST_SHARE) - _HALF, 0.0), highest * (1 + LATEST_SHARE) + _HALF, reported
    )


def time_in_flight(outstanding: Floats, samples: Samples) -> Intervals:
    """(n, 2) µs by Little's law, N/IOPS: whole I/Os ± ½ and ± 10 %, as `latest_time`; whole I/Os per second ± ½. Absent without I/O."""
    lowest, highest = over_changes(outstanding, np.ones(outstanding.shape, np.bool_), samples)
    seconds = (samples.end_us - samples.start_us)[:, None] / 1e6
    rate = np.where(samples.ops > 0, samples.ops / seconds, np.nan)
    least = np.maximum(lowest * (1 - LATEST_SHARE) - _HALF, 0.0) / (rate + _HALF)
    slowest = rate - _HALF
    most = np.divide(highest * (1 + LATEST_SHARE) + _HALF, slowest, out=np.full_like(rate, np.inf), where=slowest > 0)
    most = np.where(np.isnan(least), np.nan, most)
    return Intervals(least * 1e6, most * 1e6, outstanding / rate * 1e6)
