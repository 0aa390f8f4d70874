"""Finer latencies of devices from a capture of their host, as intervals of the mean of each stored sample (attribution.md §3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.align import Instants
from gavel.analysis.intervals import Bools, Floats, Intervals
from gavel.analysis.observed import DeviceSamples, HostCounter

_WAYS, _COUNTERS = 2, len(HostCounter) - 1
# Rows have whole seconds, and their ends are where the clocks put them.
LEAST_ERROR_US = 500_000
# Rows of a capture follow one another: what is between two of them is no gap until it is longer than this share of the sample.
_LEAST_COVERED = 0.98
# Rows of a longer time say too little: what a sample has of a row at its edge may have been far faster or slower than the row as a whole
# (where load changes every ten seconds, up to one mean in eight was out of bounds by rows of 10 s, one in thousands by rows of 5 s).
LONGEST_ROW_S = 5.5
# A part of a row may be slower than any whole row, by so much of how far rows differ.
_BEYOND_ROWS = 0.05
# Both sides count the I/Os of one device: a capture that counts others is of another time, or of another device.
_COUNT_TOLERANCE, _COUNT_SLACK = 0.1, 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedRows:
    """Rows of one device in one capture, in order of time, by the clock that stamps the device's samples.

    end_us, length_us: (r,). ops: (r, 2) I/Os of the row, NaN not captured. latency_us: (r, 2, 4) by `HostCounter`, NaN where there was no
    I/O. half_us: half of the last digit. error_us: how far its times may be off.
    """

    end_us: Instants
    length_us: Instants
    ops: Floats
    latency_us: Floats
    half_us: float
    error_us: int


def finer_latencies(samples: DeviceSamples, captured: Mapping[int, Sequence[CapturedRows]]) -> Intervals | None:
    """(n, 2, 4) what captures make of each sample's mean latencies, NaN where they say nothing. captured: by position of a device.

    None where no capture covers a sample. Several captures of one device are intersected; those that contradict are both left out.
    """
    shape = (len(samples.device), _WAYS, _COUNTERS)
    lower, upper = np.full(shape, np.nan), np.full(shape, np.nan)
    for device, captures in captured.items():
        for at in np.flatnonzero(samples.device == device):
            for rows in captures:
                low, high = _mean_within(rows, samples, int(at))
                lower[at], upper[at] = np.fmax(lower[at], low), np.fmin(upper[at], high)
    contradict = lower > upper
    lower[contradict], upper[contradict] = np.nan, np.nan
    if np.isnan(lower).all():
        return None
    return Intervals(lower=lower, upper=upper, value=(lower + upper) / 2)


def narrowed(value: Intervals, finer: Intervals) -> Intervals:
    """Where a capture measured what a coarser counter did, both hold: their intersection. Where they contradict, the truth is in either."""
    known = ~np.isnan(finer.value)
    lower, upper = np.fmax(value.lower, finer.lower), np.fmin(value.upper, finer.upper)
    apart = known & (lower > upper)
    lower = np.where(apart, np.fmin(value.lower, finer.lower), lower)
    upper = np.where(apart, np.fmax(value.upper, finer.upper), upper)
    middle = np.where(apart | ~known, value.value, finer.value)
    middle = np.where(np.isnan(value.value) & known, finer.value, middle)
    return Intervals(lower=lower, upper=upper, value=np.clip(middle, lower, upper))


def is_fine(samples: DeviceSamples) -> Bools:
    """(n,) samples whose GAVG, DAVG and KAVG a capture measured in each direction that had I/Os."""
    if samples.finer is None:
        return np.zeros(len(samples.device), dtype=np.bool_)
    measured = samples.finer.value[:, :, : HostCounter.QAVG]
    there = np.all(~np.isnan(measured), axis=2)
    fine: Bools = np.all(there | ~(samples.ops > 0), axis=1) & np.any(there, axis=1)
    return fine


def are_fine_rows(length_us: Instants) -> bool:
    """Whether rows, most of them at least, are short enough to narrow samples of 20 s."""
    return bool(np.median(length_us) <= LONGEST_ROW_S * 1_000_000)


def _mean_within(rows: CapturedRows, samples: DeviceSamples, at: int) -> tuple[Floats, Floats]:
    """(2, 4) lower and upper ends of the mean over one sample."""
    nothing = np.full((_WAYS, _COUNTERS), np.nan)
    end = int(samples.times.end_us[at])
    start = end - int(samples.times.length_us[at])
    error = max(rows.error_us, LEAST_ERROR_US)
    first = int(np.searchsorted(rows.end_us, start - error, side="right"))
    last = int(np.searchsorted(rows.end_us - rows.length_us, end + error, side="left"))
    if first >= last:
        return nothing, nothing
    chosen = slice(first, last)
    ends, starts = rows.end_us[chosen], rows.end_us[chosen] - rows.length_us[chosen]
    counted = ~np.isnan(rows.ops[chosen]).any(axis=1)
    overlap = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0, None)
    if overlap[counted].sum() < _LEAST_COVERED * (end - start) or not are_fine_rows(rows.length_us[chosen]):
        return nothing, nothing
    inside = (starts >= start + error) & (ends <= end - error)
    lower, upper = nothing.copy(), nothing.copy()
    for way in range(_WAYS):
        ops = np.nan_to_num(rows.ops[chosen, way])
        if _counts_differ(samples.ops[at, way], ops[inside].sum(), ops.sum()):
            continue
        for counter in range(_COUNTERS):
            ends_of = _range_of_mean(rows.latency_us[chosen, way, counter], ops, inside)
            if ends_of is not None:
                lower[way, counter] = max(0.0, ends_of[0] - rows.half_us)
                upper[way, counter] = ends_of[1] + rows.half_us
    return lower, upper


def _counts_differ(counted: float, inside: float, touching: float) -> bool:
    """Whether the I/Os that the stored sample counts cannot be those of the rows within it and at its edges."""
    if np.isnan(counted):
        return True
    least = inside * (1 - _COUNT_TOLERANCE) - _COUNT_SLACK
    most = touching * (1 + _COUNT_TOLERANCE) + _COUNT_SLACK
    return bool(counted < least or counted > most)


def _range_of_mean(latency_us: Floats, ops: Floats, inside: Bools) -> tuple[float, float] | None:
    """Of rows that lie within the sample all I/Os are its own; of those at its edges any part, about as slow as any row there was."""
    timed = ~np.isnan(latency_us) & (ops > 0)
    if not timed.any():
        return None
    slowest, fastest = float(latency_us[timed].max()), float(latency_us[timed].min())
    beyond = _BEYOND_ROWS * (slowest - fastest)
    slowest, fastest = slowest + beyond, max(0.0, fastest - beyond)
    sure = timed & inside
    own, more = float(ops[sure].sum()), float(ops[timed & ~inside].sum())
    if own <= 0:
        return fastest, slowest
    mean = float((ops[sure] * latency_us[sure]).sum()) / own
    both = own + more
    return min(mean, (own * mean + more * fastest) / both), max(mean, (own * mean + more * slowest) / both)
