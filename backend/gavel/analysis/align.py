"""Samples onto the minute grid, by their source's own clock corrected by its measured offset (attribution.md §3, §4)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gavel.analysis.edges import History, Rest, minute_range
from gavel.analysis.intervals import Bools, Floats, Intervals

MINUTE_US = 60_000_000
# Offsets are measured anew at every run, so neighbouring samples may leave slits this wide that are no gap.
TOLERANCE_US = 1_000_000

# More than any sample of a device or volume can hold: a counter that says more is broken.
MOST_OPS = 1e12

Instants = npt.NDArray[np.int64]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Samples:
    """n samples, in any order; repeated ones count once.

    entity: (n,) small integers. start_us, end_us: (n,) µs since 1970 by the source's own clock.
    offset_us: (n,) how far that clock runs ahead, true within error_us (n,). ops: (n, d) operations by direction.
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
    error_us: Instants


@dataclass(frozen=True, slots=True)
class Minutes:
    """m minutes, ordered by entity and minute.

    minute: (m,) minutes since 1970. ops (m, d) and counts (m, c): by overlap. value: (m, d, k), absent without measured ops.
    levels: (m, l) means over the covered time; highest: (m, l). covered_s: seconds that usable samples cover.
    sample_missing: (m,) not all of it is covered, or a sample has ops but lacks a latency that others of the minute have.
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
    """What each sample gives to each minute that it touches or, by its clock's error, may touch, ordered by entity and minute.

    share: of the sample; is_cut: (p,) the minute's edge may cut the sample.
    """

    sample: Index
    minute: Index
    overlap_us: Instants
    share: Floats
    is_cut: Bools


def placed(samples: Samples, minutes: range | None = None, *, either: bool = False) -> Minutes:
    """Every minute that a sample touches (of `minutes`, where given), with the op-weighted means of its overlaps.

    A sample across a minute's edge counts by its overlap; the bounds hold for all that it may have given (`edges`).
    either: the k measurements are of one and the same thing, so that a sample misses none while it has any of them.
    """
    tidy = tidied(samples)
    pieces = _pieces(tidy, minutes)
    entity = tidy.entity[pieces.sample]
    fresh = np.ones(len(entity), dtype=np.bool_)
    fresh[1:] = (np.diff(entity) != 0) | (np.diff(pieces.minute) != 0)
    starts = np.flatnonzero(fresh)
    ops = tidy.ops[pieces.sample] * pieces.share[:, None]
    value, silent = _means(tidy, pieces, ops, starts, either=either)
    levels, highest = _levels(tidy.levels[pieces.sample], pieces.overlap_us, starts)
    covered_us = _sums(pieces.overlap_us, starts)
    touched = covered_us > 0
    return Minutes(
        entity[fresh][touched],
        pieces.minute[fresh][touched],
        _sums(ops, starts)[touched],
        _taken(value, touched),
        _sums(tidy.counts[pieces.sample] * pieces.share[:, None], starts)[touched],
        levels[touched],
        highest[touched],
        covered_us[touched] / 1e6,
        (silent | (covered_us < MINUTE_US - TOLERANCE_US))[touched],
    )


def tidied(samples: Samples) -> Samples:
    """The usable ones, ordered by entity and time, each once."""
    return _distinct(_selected(samples, np.flatnonzero(usable(samples))))


def usable(samples: Samples) -> Bools:
    """Samples that last and whose ops are a count; the time of others is missing, and their minute says so."""
    counted = (samples.ops >= 0) & (samples.ops <= MOST_OPS)
    result: Bools = (samples.end_us > samples.start_us) & counted.all(axis=1)
    return result


def _taken(intervals: Intervals, index: Index | Bools) -> Intervals:
    return Intervals(intervals.lower[index], intervals.upper[index], intervals.value[index])


def _selected(samples: Samples, index: Index) -> Samples:
    if len(index) == len(samples.entity) and (len(index) < 2 or bool((np.diff(index) == 1).all())):
        return samples
    times = (samples.entity, samples.start_us, samples.end_us, samples.offset_us, samples.error_us)
    entity, start, end, offset, error = (array[index] for array in times)
    ops, counts, levels = (array[index] for array in (samples.ops, samples.counts, samples.levels))
    return Samples(entity, start, end, offset, ops, _taken(samples.value, index), counts, levels, error)


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


def _pieces(samples: Samples, minutes: range | None) -> _Pieces:
    start, end = samples.start_us - samples.offset_us, samples.end_us - samples.offset_us
    earliest, latest = start - _error_us(samples), end + _error_us(samples)
    first, last = earliest // MINUTE_US, (latest - 1) // MINUTE_US
    counts = last - first + 1
    sample = np.repeat(np.arange(len(start)), counts)
    minute = first[sample] + np.arange(len(sample)) - np.repeat(np.cumsum(counts) - counts, counts)
    if minutes is not None:
        wanted = (minute >= minutes.start) & (minute < minutes.stop)
        sample, minute = sample[wanted], minute[wanted]
    entity = samples.entity[sample]
    if bool(((entity[1:] == entity[:-1]) & (minute[1:] < minute[:-1])).any()):
        # A clock that was set back in between left samples of one entity overlapping, their minutes out of order.
        order = np.lexsort((minute, entity))
        sample, minute = sample[order], minute[order]
    begin = minute * MINUTE_US
    inside = np.minimum(end[sample], begin + MINUTE_US) - np.maximum(start[sample], begin)
    overlap: Instants = np.maximum(inside, 0)
    is_cut = (earliest[sample] < begin) | (latest[sample] > begin + MINUTE_US)
    return _Pieces(sample, minute, overlap, overlap / (end - start)[sample], is_cut)


def _error_us(samples: Samples) -> Instants:
    """Bounds allow for a clock that is known to a second; of a worse one the grade tells."""
    return np.clip(samples.error_us, 0, TOLERANCE_US)


def _sums(numbers: npt.NDArray[Any], starts: Index) -> Floats:
    if len(starts) == 0:
        return np.zeros((0, *numbers.shape[1:]))
    sums: Floats = np.add.reduceat(numbers.astype(np.float64, copy=False), starts, axis=0)
    return sums


def _means(samples: Samples, pieces: _Pieces, ops: Floats, starts: Index, *, either: bool) -> tuple[Intervals, Bools]:
    """(m, d, k) op-weighted means over what was measured, and the minutes in which that was not all."""
    value = _taken(samples.value, pieces.sample)
    present = value.present
    measured = np.where(present, ops[:, :, None], 0.0)
    total = _sums(measured, starts)

    def time(numbers: Floats) -> Floats:
        return np.multiply(numbers, measured, out=np.zeros_like(measured), where=measured > 0)

    def mean(times: Floats) -> Floats:
        return np.divide(_sums(times, starts), total, out=np.full_like(total, np.nan), where=total > 0)

    lower, upper = time(value.lower), time(value.upper)
    means = Intervals(mean(lower), mean(upper), mean(time(value.value)))
    silent = (ops > 0) & ~present.any(axis=2)
    lacks: Bools = _sums(np.asarray(silent.any(axis=1), dtype=np.float64), starts) > 0
    if not either:
        partly = (total > 0) & (total < _sums(ops, starts)[:, :, None])
        lacks |= partly.any(axis=(1, 2))
    return _doubted(samples, pieces, starts, (measured, lower, upper), (total, means)), lacks


def _doubted(
    samples: Samples,
    pieces: _Pieces,
    starts: Index,
    of_pieces: tuple[Floats, Floats, Floats],
    of_minutes: tuple[Floats, Intervals],
) -> Intervals:
    """The minutes' means widened by what cut samples may have given, each sample by itself."""
    total, means = of_minutes
    cut = np.flatnonzero(pieces.is_cut)
    if len(cut) == 0:
        return means
    minute = np.searchsorted(starts, cut, side="right") - 1
    ops, lower, upper = (numbers[cut] for numbers in of_pieces)
    mean_lower, mean_upper = means.lower[minute], means.upper[minute]
    whole = total[minute]
    rest = Rest(whole - ops, np.nan_to_num(mean_lower) * whole - lower, np.nan_to_num(mean_upper) * whole - upper)
    history = History(
        samples.entity,
        samples.start_us,
        samples.end_us,
        _error_us(samples),
        samples.ops,
        samples.value.lower,
        samples.value.upper,
    )
    lowest, highest = minute_range(history, pieces.sample[cut], pieces.overlap_us[cut], rest)
    below = _summed_at(np.fmax(mean_lower - lowest, 0.0), minute, means.lower)
    above = _summed_at(np.fmax(highest - mean_upper, 0.0), minute, means.upper)
    return Intervals(np.maximum(means.lower - below, 0.0), means.upper + above, means.value)


def _summed_at(numbers: Floats, at: Index, like: Floats) -> Floats:
    """Numbers (a, …) added up at rows `at`, ordered."""
    result = np.zeros_like(like)
    starts = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
    result[at[starts]] = _sums(np.nan_to_num(numbers), starts)
    return result


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
