"""What guests saw of their own disks, minute by minute, where it can stand beside what the hypervisor saw of them (attribution.md §1).

A guest counts its I/Os after merging and the hypervisor after splitting. Where both counted about as many, they timed the same I/Os; where
they did not, one's mean says nothing of the other's, and the guest is not measured.
"""

from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.align import Samples
from gavel.analysis.gridded import Grid, Stretch, gridded, timed_samples
from gavel.analysis.intervals import Bools, Floats, Intervals, absent, around, cleaned, widened
from gavel.analysis.observed import GuestSamples

# So much more or less than the virtual disk's may a guest's count of I/Os be.
MOST_BEYOND = 0.20
# What a guest's clock is behind, and how long it takes to deliver, are not separable (`domain.guest_intervals.clock_skew`).
_DOUBT_US = 5_000_000
# Positions of levels.
_ERROR_S, _IS_COARSE, _BY_ARRIVAL = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestSide:
    """Of disk parts and minutes (K·M,). time: (K·M, 2) at the guest, absent where it is not measured.

    is_assumed: (K·M, 2) guest and virtual disk counted differently. error_s: of the guest's clock, NaN where it has none; is_coarse: timed
    in ticks of ms; by_arrival: placed by when it came. 0 and False where the guest is not measured.
    """

    time: Intervals
    is_assumed: Bools
    error_s: Floats
    is_coarse: Bools
    by_arrival: Bools


def guest_side(samples: GuestSamples | None, disks: Grid, parts: int, stretch: Stretch) -> GuestSide:
    """disks: the minutes of the virtual disks. Only minutes that the guest's samples cover as a whole count."""
    size = len(disks.ops)
    if samples is None or len(samples.part) == 0:
        never = np.zeros(size, np.bool_)
        return GuestSide(
            time=absent(size, 2),
            is_assumed=np.zeros((size, 2), np.bool_),
            error_s=np.zeros(size),
            is_coarse=never,
            by_arrival=never,
        )
    grid = gridded(_samples(samples), parts, stretch)
    mean = grid.value.map(lambda ends: ends[..., 0])
    beyond = _beyond(grid.ops, disks)
    busy = disks.ops > 0
    fits = ~np.isnan(mean.value) & (beyond <= MOST_BEYOND)
    measured = ~grid.is_missing & (fits | ~busy).all(axis=1) & busy.any(axis=1)
    time = widened(mean, beyond * mean.value)
    shown = measured[:, None] & busy

    def level(position: int) -> Floats:
        return np.where(measured, grid.highest[:, position], 0.0)

    return GuestSide(
        time=time.map(lambda ends: np.where(shown, ends, np.nan)),
        is_assumed=shown & (beyond > 0),
        error_s=level(_ERROR_S),
        is_coarse=level(_IS_COARSE) > 0,
        by_arrival=level(_BY_ARRIVAL) > 0,
    )


def _samples(samples: GuestSamples) -> Samples:
    latency, _ = cleaned(samples.latency_us)
    value = around(latency, samples.half_width_us, samples.half_width_us)
    value = replace(value, value=np.where(np.isnan(value.value), np.nan, latency))
    levels = np.stack(
        [samples.times.error_s, samples.is_coarse.astype(np.float64), samples.by_arrival.astype(np.float64)], axis=1
    )
    each = value.map(lambda ends: ends[..., None])
    told = timed_samples(samples.part, samples.times, samples.ops, each, samples.bytes, levels)
    return replace(told, doubt_us=_DOUBT_US)


def _beyond(ops: Floats, disks: Grid) -> Floats:
    """(n, 2) part by which the guest's I/Os are more or fewer than those that the virtual disk can have had: its counters are whole I/Os
    per second, and a sample of it may be missing."""
    unread = disks.whole_ops - disks.ops
    fewest, most = disks.fewest, disks.most + unread
    more, fewer = (
        np.divide(apart, whole, out=np.zeros_like(ops), where=(apart > 0) & (whole > 0))
        for apart, whole in ((ops - most, most), (fewest - ops, fewest))
    )
    beyond: Floats = np.maximum(more, fewer)
    return beyond
