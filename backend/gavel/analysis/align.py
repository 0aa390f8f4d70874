"""Samples onto the minute grid, by their source's own clock corrected by its measured offset (attribution.md §3, §4)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats, Intervals

MINUTE_US = 60_000_000
# Offsets are measured anew at every run, so neighbouring samples may leave slits this wide that are no gap.
TOLERANCE_US = 1_000_000

Instants = npt.NDArray[np.int64]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Samples:
    """n samples, in any order; repeated ones count once.

    entity: (n,) small integers. start_us, end_us: (n,) µs since 1970 by the source's own clock.
    offset_us: (n,) how far that clock runs ahead. ops: (n, d) operations by direction.
    value: (n, d, k) µs per operation of k measurements in each direction.
    counts: (n, c) what adds up besides ops (bytes). levels: (n, l) means over the sample's time; NaN where unknown.
    """

    entity: Index
    start_us: Instants
    end_us: Instants
    offset_us: Instants
    ops: Floats
    value: Intervals
    counts: Floats
    levels: Floats


@dataclass(frozen=True, slots=True)
class Minutes:
    """m minutes, ordered by entity and minute.

    minute: (m,) minutes since 1970. ops (m, d) and counts (m, c): by overlap. value: (m, d, k), absent without measured ops.
    levels: (m, l) means over the covered time; highest: (m, l). covered_s: seconds that usable samples cover.
    sample_missing: (m,) not all of it is covered, or a sample has ops without any latency.
    """

    entity: Index
    minute: Index
    ops: Floats
    value: Intervals
    counts: Floats
    levels: Floats
    highest: Floats
    covered_s: Floats
    sample_missing: Bools


@dataclass(frozen=True, slots=True)
class _Pieces:
    """What each sample gives to each minute that it touches, ordered by entity and minute; `share`: of the sample."""

    sample: Index
    minute: Index
    overlap_us: Instants
    share: Floats


def placed(samples: Samples) -> Minutes:
    """Every minute that a sample touches, with the op-weighted means of its overlaps.

    A sample across a minute's edge counts by its overlap, and is less certain by that share of the step to its neighbours.
    """
    tidy = _distinct(_selected(samples, np.flatnonzero(_usable(samples))))
    pieces = _pieces(tidy)
    entity = tidy.entity[pieces.sample]
    fresh = np.ones(len(entity), dtype=np.bool_)
    fresh[1:] = (np.diff(entity) != 0) | (np.diff(pieces.minute) != 0)
    starts = np.flatnonzero(fresh)
    ops = tidy.ops[pieces.sample] * pieces.share[:, None]
    value, silent = _means(_doubted(tidy, pieces), ops, starts)
    levels, highest = _levels(tidy.levels[pieces.sample], pieces.overlap_us, starts)
    covered_us = _sums(pieces.overlap_us, starts)
    return Minutes(
        entity[fresh],
        pieces.minute[fresh],
        _sums(ops, starts),
        value,
        _sums(tidy.counts[pieces.sample] * pieces.share[:, None], starts),
        levels,
        highest,
        covered_us / 1e6,
        silent | (covered_us < MINUTE_US - TOLERANCE_US),
    )


def _usable(samples: Samples) -> Bools:
    """Samples that last and whose ops are a count; the time of others is missing, and their minute says so."""
    counted = (samples.ops >= 0) & np.isfinite(samples.ops)
    usable: Bools = (samples.end_us > samples.start_us) & counted.all(axis=1)
    return usable


def _taken(intervals: Intervals, index: Index) -> Intervals:
    return Intervals(intervals.lower[index], intervals.upper[index], intervals.value[index])


def _selected(samples: Samples, index: Index) -> Samples:
    if len(index) == len(samples.entity) and (len(index) < 2 or bool((np.diff(index) == 1).all())):
        return samples
    times = (samples.entity, samples.start_us, samples.end_us, samples.offset_us)
    entity, start, end, offset = (array[index] for array in times)
    ops, counts, levels = (array[index] for array in (samples.ops, samples.counts, samples.levels))
    return Samples(entity, start, end, offset, ops, _taken(samples.value, index), counts, levels)


def _distinct(samples: Samples) -> Samples:
    """Ordered by entity and time, each (entity, end) once; of several the one with the most ops, so order of arrival decides nothing."""
    entity, end = samples.entity, samples.end_us
    same = entity[1:] == entity[:-1]
    if bool(((entity[1:] > entity[:-1]) | (same & (end[1:] > end[:-1]))).all()):
        return samples
    values = samples.value.value.reshape(len(entity), -1)
    keys = (*values.T, *samples.ops.T, samples.ops.sum(axis=1), samples.start_us, end, entity)
    ordered = _selected(samples, np.lexsort(keys))
    repeated = (ordered.entity[1:] == ordered.entity[:-1]) & (ordered.end_us[1:] == ordered.end_us[:-1])
    return _selected(ordered, np.flatnonzero(~np.append(repeated, np.zeros(min(1, len(entity)), dtype=np.bool_))))


def _pieces(samples: Samples) -> _Pieces:
    start, end = samples.start_us - samples.offset_us, samples.end_us - samples.offset_us
    first, last = start // MINUTE_US, (end - 1) // MINUTE_US
    counts = last - first + 1
    sample = np.repeat(np.arange(len(start)), counts)
    minute = first[sample] + np.arange(len(sample)) - np.repeat(np.cumsum(counts) - counts, counts)
    # A clock that was set back in between may leave samples of one entity overlapping, their minutes out of order.
    order = np.lexsort((minute, samples.entity[sample]))
    sample, minute = sample[order], minute[order]
    overlap: Instants = np.minimum(end[sample], (minute + 1) * MINUTE_US) - np.maximum(
        start[sample], minute * MINUTE_US
    )
    return _Pieces(sample, minute, overlap, overlap / (end - start)[sample])


def _doubted(samples: Samples, pieces: _Pieces) -> Intervals:
    """(p, d, k) values of the pieces; those of a part of a sample widened by that share of the step to its neighbours in time."""
    value = _taken(samples.value, pieces.sample)
    partial = np.flatnonzero(pieces.share < 1)
    if len(partial) == 0:
        return value
    doubt = pieces.share[partial, None, None] * _step(samples, pieces.sample[partial])
    lower, upper = value.lower.copy(), value.upper.copy()
    lower[partial] = np.maximum(lower[partial] - doubt, 0.0)
    upper[partial] += doubt
    return Intervals(lower, upper, value.value)


def _step(samples: Samples, at: Index) -> Floats:
    """(a, d, k) the larger change of value to the neighbours in time of the samples `at`; 0 where none was measured."""
    steps = np.zeros((len(at), *samples.value.value.shape[1:]))
    for neighbour in (at - 1, at + 1):
        inside = (neighbour >= 0) & (neighbour < len(samples.entity))
        other = np.where(inside, neighbour, at)
        same = (samples.entity[other] == samples.entity[at])[:, None, None]
        change = np.abs(samples.value.value[other] - samples.value.value[at])
        steps = np.fmax(steps, np.where(same, change, 0.0))
    return steps


def _sums(numbers: npt.NDArray[Any], starts: Index) -> Floats:
    if len(starts) == 0:
        return np.zeros((0, *numbers.shape[1:]))
    sums: Floats = np.add.reduceat(numbers.astype(np.float64, copy=False), starts, axis=0)
    return sums


def _means(pieces: Intervals, ops: Floats, starts: Index) -> tuple[Intervals, Bools]:
    """(m, d, k) op-weighted means over what was measured, and the minutes in which ops have no latency at all."""
    present = pieces.present
    measured = np.where(present, ops[:, :, None], 0.0)
    total = _sums(measured, starts)

    def mean(numbers: Floats) -> Floats:
        weighted = np.multiply(numbers, measured, out=np.zeros_like(measured), where=measured > 0)
        return np.divide(_sums(weighted, starts), total, out=np.full_like(total, np.nan), where=total > 0)

    silent = (ops > 0) & ~present.any(axis=2)
    means = Intervals(mean(pieces.lower), mean(pieces.upper), mean(pieces.value))
    lacking = np.asarray(silent.any(axis=1), dtype=np.float64)
    return means, _sums(lacking, starts) > 0


def _levels(levels: Floats, overlap_us: Instants, starts: Index) -> tuple[Floats, Floats]:
    known = ~np.isnan(levels)
    time = np.where(known, overlap_us[:, None].astype(np.float64), 0.0)
    total = _sums(time, starts)
    mean = np.divide(
        _sums(np.where(known, levels, 0.0) * time, starts), total, out=np.full_like(total, np.nan), where=total > 0
    )
    if len(starts) == 0:
        return mean, np.zeros_like(mean)
    highest = np.maximum.reduceat(np.where(known, levels, -np.inf), starts, axis=0)
    return mean, np.where(np.isfinite(highest), highest, np.nan)
