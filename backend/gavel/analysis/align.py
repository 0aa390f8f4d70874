"""Samples onto the minute grid, by their source's own clock corrected by its measured offset (attribution.md §3, §4)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats, Intervals, widened

MINUTE_US = 60_000_000
# Offsets are measured anew at every run, so neighbouring samples may leave slits this wide that are no gap.
TOLERANCE_US = 1_000_000

Instants = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Samples:
    """n samples of one measured quantity, in any order; repeated ones count once.

    entity: (n,) small integers. start_us, end_us: (n,) µs since 1970 by the source's own clock.
    offset_us: (n,) how far that clock runs ahead. ops: (n,) operations in the sample. value: (n,) µs per operation with its interval.
    """

    entity: npt.NDArray[np.int64]
    start_us: Instants
    end_us: Instants
    offset_us: npt.NDArray[np.int64]
    ops: Floats
    value: Intervals


@dataclass(frozen=True, slots=True)
class Minutes:
    """m minutes, ordered by entity and minute.

    minute: (m,) minutes since 1970; ops: (m,) by overlap; `value` is absent without measured ops.
    covered_s: seconds of it that usable samples cover; sample_missing: not all of it is covered, or a sample has ops without latency.
    """

    entity: npt.NDArray[np.int64]
    minute: npt.NDArray[np.int64]
    ops: Floats
    value: Intervals
    covered_s: Floats
    sample_missing: Bools


def placed(samples: Samples) -> Minutes:
    """Every minute that a sample touches, with the op-weighted mean of its overlaps.

    A sample across a minute's edge counts by its overlap, and is less certain by that share of the step to its neighbours.
    """
    tidy = _distinct(_usable(samples))
    start, end = tidy.start_us - tidy.offset_us, tidy.end_us - tidy.offset_us
    sample, minute = _touched(start, end)
    overlap = np.minimum(end[sample], (minute + 1) * MINUTE_US) - np.maximum(start[sample], minute * MINUTE_US)
    share = overlap / (end - start)[sample]
    doubt = np.where(share < 1, share * _step(tidy)[sample], 0.0)
    pieces = widened(_taken(tidy.value, sample), doubt)
    return _gathered(tidy.entity[sample], minute, share * tidy.ops[sample], pieces, overlap)


def _taken(intervals: Intervals, index: npt.NDArray[np.int64]) -> Intervals:
    return Intervals(intervals.lower[index], intervals.upper[index], intervals.value[index])


def _selected(samples: Samples, index: npt.NDArray[np.int64]) -> Samples:
    arrays = (samples.entity, samples.start_us, samples.end_us, samples.offset_us)
    entity, start, end, offset = (array[index] for array in arrays)
    return Samples(entity, start, end, offset, samples.ops[index], _taken(samples.value, index))


def _usable(samples: Samples) -> Samples:
    """Samples that last and whose ops are a count; the time of others is missing, and their minute says so."""
    usable = (samples.end_us > samples.start_us) & (samples.ops >= 0) & np.isfinite(samples.ops)
    return _selected(samples, np.flatnonzero(usable))


def _distinct(samples: Samples) -> Samples:
    """Ordered by entity and time, each (entity, end) once; of several the one with the most ops, so order of arrival decides nothing."""
    keys = (samples.value.value, samples.ops, samples.start_us, samples.end_us, samples.entity)
    ordered = _selected(samples, np.lexsort(keys))
    same = (ordered.entity[1:] == ordered.entity[:-1]) & (ordered.end_us[1:] == ordered.end_us[:-1])
    return _selected(
        ordered, np.flatnonzero(~np.concatenate([same, np.zeros(min(1, len(ordered.entity)), dtype=np.bool_)]))
    )


def _touched(start: Instants, end: Instants) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of sample and minute that overlap."""
    first, last = start // MINUTE_US, (end - 1) // MINUTE_US
    counts = last - first + 1
    sample = np.repeat(np.arange(len(start)), counts)
    step = np.arange(len(sample)) - np.repeat(np.cumsum(counts) - counts, counts)
    return sample, first[sample] + step


def _step(samples: Samples) -> Floats:
    """(n,) the larger change of value to a sample's neighbours in time; 0 where it has none that was measured."""
    value = samples.value.value
    change = np.abs(np.diff(value))
    change = np.where((samples.entity[1:] == samples.entity[:-1]) & ~np.isnan(change), change, 0.0)
    edge = np.zeros(min(1, len(value)))
    steps: Floats = np.maximum(np.concatenate([edge, change]), np.concatenate([change, edge]))
    return steps


def _gathered(
    entity: npt.NDArray[np.int64],
    minute: npt.NDArray[np.int64],
    ops: Floats,
    pieces: Intervals,
    overlap: npt.NDArray[np.int64],
) -> Minutes:
    order = np.lexsort((minute, entity))
    entity, minute = entity[order], minute[order]
    fresh = np.concatenate(
        [np.ones(min(1, len(entity)), dtype=np.bool_), (np.diff(entity) != 0) | (np.diff(minute) != 0)]
    )
    group, groups = np.cumsum(fresh) - 1, int(fresh.sum())

    def summed(numbers: Floats) -> Floats:
        sums: Floats = np.bincount(group, weights=numbers[order], minlength=groups).astype(np.float64)
        return sums

    measured = np.where(pieces.present, ops, 0.0)
    total = summed(measured)

    def mean(numbers: Floats) -> Floats:
        sums = summed(np.where(measured > 0, numbers, 0.0) * measured)
        divided: Floats = np.divide(sums, total, out=np.full(groups, np.nan), where=total > 0)
        return divided

    covered = summed(overlap.astype(np.float64))
    silent = summed(np.where(pieces.present, 0.0, ops)) > 0
    value = Intervals(mean(pieces.lower), mean(pieces.upper), mean(pieces.value))
    missing = silent | (covered < MINUTE_US - TOLERANCE_US)
    return Minutes(entity[fresh], minute[fresh], summed(ops), value, covered / 1e6, missing)
