"""Samples onto the minute grid, by their source's own clock corrected by its measured offset (attribution.md §3, §4)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gavel.analysis.edges import History, Rest, bursts, minute_range, of_three, ops_inside
from gavel.analysis.intervals import Bools, Floats, Intervals

MINUTE_US = 60_000_000
# Offsets are measured anew at every run, so neighbouring samples may leave slits this wide that are no gap.
TOLERANCE_US = 1_000_000
# Less than this is what sums of parts leave of 0.
NO_OPS = 1e-6

# More than any sample of a device or volume can hold: a counter that says more is broken.
MOST_OPS = 1e12

Instants = npt.NDArray[np.int64]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Samples:
    """n samples, in any order; repeated ones count once.

    entity: (n,) small integers. start_us, end_us: (n,) µs since 1970 by the source's own clock.
    offset_us: (n,) how far that clock runs ahead, true within error_us (n,). ops: (n, d) operations by direction.
    value: (n, d, k) µs per operation of k measurements in each direction.
    counts: (n, c) what adds up besides ops (bytes). levels: (n, l) means over the sample's time; NaN where unknown.
    doubt_us: bounds allow for a clock known to this; a worse one only lowers the data quality.
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
    doubt_us: int = TOLERANCE_US


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """What each sample gives to each minute that it touches or, by its clock's error, may touch, ordered by entity and minute.

    start_us, overlap_us: (p,) true time, µs; share: of the sample; is_cut: (p,) the minute's edge may cut the sample.
    """

    sample: Index
    minute: Index
    start_us: Instants
    overlap_us: Instants
    share: Floats
    is_cut: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Minutes:
    """m minutes, ordered by entity and minute.

    minute: (m,) minutes since 1970. ops (m, d) and counts (m, c): by overlap. value: (m, d, k), absent without measured ops.
    levels: (m, l) means over the covered time; highest: (m, l). covered_s: seconds that usable samples cover.
    sample_missing: (m,) not all of it is covered, or a sample has ops but lacks a latency that others of the minute have.
    fewest, most: (m, d) ops that can have been in the minute, as far as its edges and what the counts are good to leave open.
    may_be_idle: (m,) it has ops, but all of them may have been in the minutes beside it.
    step: (m, d, k) µs by which the samples that touch the minute, and those next to them, differ at least.
    samples: the usable ones, in order; pieces: what they gave to the minutes.
    """

    entity: Index
    minute: Index
    ops: Floats
    fewest: Floats
    most: Floats
    may_be_idle: Bools
    value: Intervals
    counts: Floats
    levels: Floats
    highest: Floats
    covered_s: Floats
    sample_missing: Bools
    step: Floats
    samples: Samples
    pieces: Pieces


def placed(
    samples: Samples,
    minutes: range | None = None,
    *,
    either: bool = False,
    stepping: bool = False,
    good_to: tuple[float, float] = (0.0, 0.0),
) -> Minutes:
    """Every minute that a sample touches (of `minutes`, where given), with the op-weighted means of its overlaps.

    A sample across a minute's edge counts by its overlap; the bounds hold for all that it may have given (`edges`).
    either: the k measurements are of one and the same thing, so that a sample misses none while it has any of them.
    stepping: whether `step` is asked for; else it is 0.
    good_to: operations per second by which the ops of a sample may be too many, and too few.
    """
    tidy = tidied(samples)
    pieces = _pieces(tidy, minutes)
    entity = tidy.entity[pieces.sample]
    fresh = np.ones(len(entity), dtype=np.bool_)
    fresh[1:] = (np.diff(entity) != 0) | (np.diff(pieces.minute) != 0)
    starts = np.flatnonzero(fresh)
    ops = tidy.ops[pieces.sample] * pieces.share[:, None]
    value, silent, fewest, most = _means(tidy, pieces, ops, starts, either=either)
    whole = _sums(ops, starts)
    may_be_idle: Bools = (whole.max(axis=1, initial=0.0) > 0) & (fewest.max(axis=1, initial=0.0) <= NO_OPS)
    levels, highest = _levels(tidy.levels[pieces.sample], pieces.overlap_us, starts)
    covered_us = _sums(pieces.overlap_us, starts)
    fewest, most = (
        x + side * good * covered_us[:, None] / 1e6
        for x, side, good in ((fewest, -1, good_to[0]), (most, 1, good_to[1]))
    )
    touched = covered_us > 0
    return Minutes(
        entity=entity[fresh][touched],
        minute=pieces.minute[fresh][touched],
        ops=whole[touched],
        fewest=np.maximum(fewest, 0.0)[touched],
        most=most[touched],
        may_be_idle=may_be_idle[touched],
        value=value.map(lambda x: x[touched]),
        counts=_sums(tidy.counts[pieces.sample] * pieces.share[:, None], starts)[touched],
        levels=levels[touched],
        highest=highest[touched],
        covered_s=covered_us[touched] / 1e6,
        sample_missing=(silent | (covered_us < MINUTE_US - TOLERANCE_US))[touched],
        step=_steps(tidy, pieces, starts)[touched] if stepping else np.zeros_like(value.value[touched]),
        samples=tidy,
        pieces=pieces,
    )


def tidied(samples: Samples) -> Samples:
    """The usable ones, ordered by entity and time, each once."""
    return _distinct(_selected(samples, np.flatnonzero(usable(samples))))


def unbroken(samples: Samples) -> Index:
    """(n,) which run each of ordered samples belongs to: of one entity, one after another without a gap. Only those of a run are neighbors:
    what lies further away has no say, or a minute would depend on how much of the time around it was loaded."""
    if len(samples.entity) == 0:
        return np.zeros(0, np.int64)
    since, until = samples.start_us - samples.offset_us, samples.end_us - samples.offset_us
    begins = (np.diff(samples.entity) != 0) | (since[1:] - until[:-1] > TOLERANCE_US)
    return np.concatenate([[0], np.cumsum(begins)])


def usable(samples: Samples) -> Bools:
    """Samples that last and whose ops are a count; the time of others is missing, and their minute says so."""
    counted = (samples.ops >= 0) & (samples.ops <= MOST_OPS)
    result: Bools = (samples.end_us > samples.start_us) & counted.all(axis=1)
    return result


def _selected(samples: Samples, index: Index) -> Samples:
    if len(index) == len(samples.entity) and (len(index) < 2 or bool((np.diff(index) == 1).all())):
        return samples
    times = (samples.entity, samples.start_us, samples.end_us, samples.offset_us, samples.error_us)
    entity, start, end, offset, error = (array[index] for array in times)
    ops, counts, levels = (array[index] for array in (samples.ops, samples.counts, samples.levels))
    value = samples.value.map(lambda x: x[index])
    return Samples(
        entity=entity,
        start_us=start,
        end_us=end,
        offset_us=offset,
        ops=ops,
        value=value,
        counts=counts,
        levels=levels,
        error_us=error,
        doubt_us=samples.doubt_us,
    )


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


def _pieces(samples: Samples, minutes: range | None) -> Pieces:
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
    since = np.maximum(start[sample], begin)
    overlap: Instants = np.maximum(np.minimum(end[sample], begin + MINUTE_US) - since, 0)
    is_cut = (earliest[sample] < begin) | (latest[sample] > begin + MINUTE_US)
    return Pieces(
        sample=sample,
        minute=minute,
        start_us=since,
        overlap_us=overlap,
        share=overlap / (end - start)[sample],
        is_cut=is_cut,
    )


def _error_us(samples: Samples) -> Instants:
    return np.clip(samples.error_us, 0, samples.doubt_us)


def _sums(numbers: npt.NDArray[Any], starts: Index) -> Floats:
    if len(starts) == 0:
        return np.zeros((0, *numbers.shape[1:]))
    sums: Floats = np.add.reduceat(numbers.astype(np.float64, copy=False), starts, axis=0)
    return sums


def _means(
    samples: Samples, pieces: Pieces, ops: Floats, starts: Index, *, either: bool
) -> tuple[Intervals, Bools, Floats, Floats]:
    """(m, d, k) op-weighted means over what was measured, the minutes in which that was not all, and fewest and most ops (m, d)."""
    value = samples.value.map(lambda x: x[pieces.sample])
    present = value.present
    measured = np.where(present, ops[:, :, None], 0.0)
    total = _sums(measured, starts)

    def time(numbers: Floats) -> Floats:
        return np.multiply(numbers, measured, out=np.zeros_like(measured), where=measured > 0)

    def mean(times: Floats) -> Floats:
        return np.divide(_sums(times, starts), total, out=np.full_like(total, np.nan), where=total > 0)

    lower, upper = time(value.lower), time(value.upper)
    means = Intervals(lower=mean(lower), upper=mean(upper), value=mean(time(value.value)))
    silent = (ops > 0) & ~present.any(axis=2)
    lacks: Bools = _sums(np.asarray(silent.any(axis=1), dtype=np.float64), starts) > 0
    if not either:
        partly = (total > 0) & (total < _sums(ops, starts)[:, :, None])
        lacks |= partly.any(axis=(1, 2))
    whole = _sums(ops, starts)
    doubted, fewer, more = _doubted(samples, pieces, starts, (measured, lower, upper), (total, means), either=either)
    return doubted, lacks, whole - fewer, whole + more


def _steps(samples: Samples, pieces: Pieces, starts: Index) -> Floats:
    """(m, d, k) what is sure of the highest minus the lowest of a minute's samples and their neighbours; 0 where all may be the same."""
    if len(starts) == 0:
        return np.zeros((0, *samples.value.value.shape[1:]))
    idle = (samples.ops <= 0)[:, :, None]
    run = unbroken(samples)
    highest, lowest = (
        extreme.reduceat(of_three(np.where(idle, np.nan, ends), run, extreme)[pieces.sample], starts, axis=0)
        for ends, extreme in ((samples.value.lower, np.fmax), (samples.value.upper, np.fmin))
    )
    step: Floats = np.fmax(highest - lowest, 0.0)
    return step


def _doubted(
    samples: Samples,
    pieces: Pieces,
    starts: Index,
    of_pieces: tuple[Floats, Floats, Floats],
    of_minutes: tuple[Floats, Intervals],
    *,
    either: bool,
) -> tuple[Intervals, Floats, Floats]:
    """The minutes' means widened by what cut samples may have given, each sample by itself, and by how many ops (m, d) that may be fewer
    and more."""
    total, means = of_minutes
    cut = np.flatnonzero(pieces.is_cut)
    if len(cut) == 0:
        none = np.zeros(total.shape[:2])
        return means, none, none
    minute = np.searchsorted(starts, cut, side="right") - 1
    ops, lower, upper = (numbers[cut] for numbers in of_pieces)
    mean_lower, mean_upper = means.lower[minute], means.upper[minute]
    whole = total[minute]
    rest = Rest(
        ops=whole - ops,
        lower_sum=np.nan_to_num(mean_lower) * whole - lower,
        upper_sum=np.nan_to_num(mean_upper) * whole - upper,
    )
    run = unbroken(samples)
    history = History(
        run=run,
        start_us=samples.start_us,
        end_us=samples.end_us,
        error_us=_error_us(samples),
        ops=samples.ops,
        lower=samples.value.lower,
        upper=samples.value.upper,
        is_burst=bursts(run, samples.end_us - samples.start_us, samples.ops, samples.value.value, either=either),
    )
    inside = ops_inside(history, pieces.sample[cut], pieces.overlap_us[cut])
    lowest, highest = minute_range(history, pieces.sample[cut], inside, rest)
    below = _summed_at(np.fmax(mean_lower - lowest, 0.0), minute, means.lower)
    above = _summed_at(np.fmax(highest - mean_upper, 0.0), minute, means.upper)
    counted = samples.ops[pieces.sample[cut]] * pieces.share[cut, None]
    none = np.zeros(total.shape[:2])
    fewer, more = (_summed_at(x, minute, none) for x in (counted - inside.fewest, inside.most - counted))
    return (
        Intervals(lower=np.maximum(means.lower - below, 0.0), upper=means.upper + above, value=means.value),
        fewer,
        more,
    )


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
