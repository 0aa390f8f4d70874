"""Samples of one stream as minutes: what each thing did in each minute of a stretch, with its intervals."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.align import (
    MINUTE_US,
    TOLERANCE_US,
    Instants,
    Minutes,
    Samples,
    placed,
    usable,
)
from gavel.analysis.captured import is_fine, narrowed
from gavel.analysis.instants import latest_time, scattered, time_in_flight
from gavel.analysis.intervals import (
    Bools,
    Floats,
    Intervals,
    Rounding,
    cleaned,
    each_end,
    exactly_around,
    from_components,
    from_integer,
    from_latest,
)
from gavel.analysis.observed import (
    DeviceSamples,
    DirectorySamples,
    DiskSamples,
    HostCounter,
    Latest,
    Proofs,
    Times,
    VolumeSamples,
)
from gavel.analysis.topology import Index

MILLISECOND_US = 1000.0
# Of a mean that was read from a capture: its last digit, 10 µs, and what the stored number is rounded by.
CAPTURED_STEP_US = 11.0
_MINUTE_S, _TOLERANCE_S = MINUTE_US / 1e6, TOLERANCE_US / 1e6
# More than any virtual disk or device holds: a counter that says more is broken.
MOST_OUTSTANDING = 1e6
MOST_BYTES = 1e18
# Whole operations per second may be too many by a half, and too few by one: they may be cut off.
PER_SECOND = (0.5, 1.0)
# Positions of levels.
ERROR_S, QUEUE_DEPTH, IS_MILLISECOND = 0, 1, 2
OUTSTANDING, IS_COARSE = slice(1, 3), 3
# Positions of values.
LATEST, TOTAL, IN_FLIGHT = range(3)
INTERNAL, WHOLE, QOS, QUEUE, SERVICE = range(5)


@dataclass(frozen=True, slots=True)
class Stretch:
    """`minutes` whole minutes from `first` (minutes since 1970) on."""

    first: int
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPieces:
    """p pieces of `samples` (in order), each inside the minute of its grid row; ordered by row and time.

    sample, row: (p,); start_us, end_us: (p,) true time. ops: (p, d).
    """

    samples: Samples
    sample: Index
    row: Index
    start_us: Instants
    end_us: Instants
    ops: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """N things × M minutes, row = thing · M + minute. ops, fewest, most (N·M, d), value (N·M, d, k), counts, levels
    and highest as in `Minutes`.

    The first level is the clock's error, s. is_present: (N·M,) any usable sample touches it; is_missing: not all of it is covered.
    is_blind: there were samples, but none of them tells its ops. may_be_idle: (N·M,), step: (N·M, d, k), as in `Minutes`.
    pieces: of the samples, ordered by row.
    """

    ops: Floats
    fewest: Floats
    most: Floats
    value: Intervals
    counts: Floats
    levels: Floats
    highest: Floats
    covered_s: Floats
    is_missing: Bools
    is_blind: Bools
    may_be_idle: Bools
    step: Floats
    pieces: GridPieces

    @property
    def is_present(self) -> Bools:
        return self.covered_s > 0

    @property
    def missing_s(self) -> Floats:
        """(N·M,) seconds of the minute that no sample covers."""
        missing: Floats = np.maximum(_MINUTE_S - self.covered_s, 0.0)
        return missing

    @property
    def whole_ops(self) -> Floats:
        """(N·M, d) ops as if the whole minute had gone on like the part of it that was read: to set two sides against each other of
        which one lacks a sample."""
        part = np.where(self.is_present & (self.missing_s > _TOLERANCE_S), self.covered_s, _MINUTE_S)
        whole: Floats = self.ops * (_MINUTE_S / part)[:, None]
        return whole

    @property
    def error_s(self) -> Floats:
        errors: Floats = self.highest[:, ERROR_S]
        return errors


def gridded(
    samples: Samples,
    things: int,
    stretch: Stretch,
    *,
    either: bool = False,
    stepping: bool = False,
    good_to: tuple[float, float] = (0.0, 0.0),
) -> Grid:
    """Minutes outside the stretch are dropped; those without samples have no ops, no value and are missing. `either`, `stepping` and
    `good_to` as in `placed`."""
    minutes = range(stretch.first, stretch.first + stretch.minutes)
    found = placed(samples, minutes, either=either, stepping=stepping, good_to=good_to)
    rows = found.entity * stretch.minutes + found.minute - stretch.first
    size = things * stretch.minutes

    def spread(numbers: Floats, fill: float) -> Floats:
        grid = np.full((size, *numbers.shape[1:]), fill)
        grid[rows] = numbers
        return grid

    missing = np.ones(size, dtype=np.bool_)
    missing[rows] = found.sample_missing
    may_be_idle = np.zeros(size, dtype=np.bool_)
    may_be_idle[rows] = found.may_be_idle
    covered_s = spread(found.covered_s, 0.0)
    return Grid(
        ops=spread(found.ops, 0.0),
        fewest=spread(found.fewest, 0.0),
        most=spread(found.most, 0.0),
        value=_spread_intervals(found, spread),
        counts=spread(found.counts, 0.0),
        levels=spread(found.levels, np.nan),
        highest=spread(found.highest, np.nan),
        covered_s=covered_s,
        is_missing=missing,
        is_blind=untold_minutes(samples, things, stretch) & ~(covered_s > 0),
        may_be_idle=may_be_idle,
        step=spread(found.step, 0.0) if stepping else np.zeros((1, 1, 1)),
        pieces=_grid_pieces(found, stretch),
    )


def _grid_pieces(minutes: Minutes, stretch: Stretch) -> GridPieces:
    pieces, samples = minutes.pieces, minutes.samples
    index = np.flatnonzero(pieces.overlap_us > 0)
    sample, start_us = pieces.sample[index], pieces.start_us[index]
    return GridPieces(
        samples=samples,
        sample=sample,
        row=samples.entity[sample] * stretch.minutes + pieces.minute[index] - stretch.first,
        start_us=start_us,
        end_us=start_us + pieces.overlap_us[index],
        ops=samples.ops[sample] * pieces.share[index, None],
    )


def untold_minutes(samples: Samples, things: int, stretch: Stretch) -> Bools:
    """(N·M,) whether the middle of a sample without ops lies in the minute."""
    index = np.flatnonzero(~usable(samples))
    middle = (samples.start_us[index] + samples.end_us[index]) // 2 - samples.offset_us[index]
    minute = middle // MINUTE_US - stretch.first
    inside = (minute >= 0) & (minute < stretch.minutes)
    untold = np.zeros(things * stretch.minutes, dtype=np.bool_)
    untold[samples.entity[index][inside] * stretch.minutes + minute[inside]] = True
    return untold


def _spread_intervals(minutes: Minutes, spread: Callable[[Floats, float], Floats]) -> Intervals:
    return minutes.value.map(lambda x: spread(x, np.nan))


def device_minutes(samples: DeviceSamples, source: Index, proofs: Proofs, devices: int, stretch: Stretch) -> Grid:
    """GAVG, DAVG, KAVG, QAVG per direction, each with what its family and its proven rounding make of it.

    source: (D,) vCenter of each device. Levels: clock error, queue depth, 1 where a ms counter was read.
    """
    unit = np.where(samples.is_millisecond, MILLISECOND_US, 1.0)[:, None, None]
    rounding = proofs.rounding[source[samples.device]][:, None, : len(HostCounter) - 1]
    rounding = np.where(samples.is_millisecond[:, None, None], rounding, int(Rounding.UNPROVEN))
    if samples.is_captured is not None:
        captured = samples.is_captured[:, None, None]
        unit, rounding = np.where(captured, CAPTURED_STEP_US, unit), np.where(captured, int(Rounding.ROUNDS), rounding)
    latency, _ = cleaned(samples.latency_us)
    value = from_integer(latency, unit, np.broadcast_to(rounding, latency.shape))
    if samples.finer is not None:
        value = narrowed(value, samples.finer)
    depth, _ = cleaned(samples.queue_depth, MOST_OUTSTANDING)
    is_coarse = (samples.is_millisecond & ~is_fine(samples)).astype(np.float64)
    levels = np.stack([samples.times.error_s, depth, is_coarse], axis=1)
    told = timed_samples(samples.device, samples.times, samples.ops, value, samples.bytes, levels)
    return _with_gaps(gridded(told, devices, stretch, stepping=True))


def _with_gaps(grid: Grid) -> Grid:
    """Of a host that lacks a sample: the I/Os of that time may have taken none, or twice as long as the others."""
    gone = np.where(grid.missing_s > _TOLERANCE_S, grid.missing_s, 0.0) / _MINUTE_S
    rows = np.flatnonzero((gone > 0) & grid.is_present)
    if len(rows) == 0:
        return grid
    lower, upper = grid.value.lower.copy(), grid.value.upper.copy()
    by = gone[rows, None, None] * grid.value.value[rows]
    lower[rows], upper[rows] = np.maximum(lower[rows] - by, 0.0), upper[rows] + by
    return replace(grid, value=Intervals(lower=lower, upper=upper, value=grid.value.value))


def reported_minutes(samples: DeviceSamples, things: Index, devices: int, stretch: Stretch) -> Intervals:
    """(D·M, 2, 4) range of the mean of the device counters' own numbers, whatever these stand for; only of the `things` asked for."""
    wanted = np.zeros(devices, dtype=np.bool_)
    wanted[things] = True
    index = np.flatnonzero(wanted[samples.device])
    raw, _ = cleaned(samples.latency_us[index])
    times = Times(
        end_us=samples.times.end_us[index],
        length_us=samples.times.length_us[index],
        offset_us=samples.times.offset_us[index],
        error_s=samples.times.error_s[index],
    )
    levels = times.error_s[:, None]
    return gridded(
        timed_samples(
            samples.device[index],
            times,
            samples.ops[index],
            Intervals(lower=raw, upper=raw, value=raw),
            levels[:, :0],
            levels,
        ),
        devices,
        stretch,
    ).value


def disk_samples(samples: DiskSamples) -> Samples:
    """As they came. Values: `LATEST` and `TOTAL` as reported, exact but of captures; levels: clock error, outstanding reads and writes."""
    outstanding, _ = cleaned(samples.outstanding, MOST_OUTSTANDING)
    levels = np.concatenate([samples.times.error_s[:, None], outstanding], axis=1)
    reported, _ = cleaned(np.stack([samples.latency_us, samples.total_us], axis=2))
    raw = Intervals(lower=reported, upper=reported, value=reported)
    if samples.is_captured is not None:
        half = np.where(samples.is_captured, CAPTURED_STEP_US / 2, 0.0)[:, None, None]
        raw = exactly_around(reported, half)
    return timed_samples(samples.part, samples.times, samples.ops, raw, samples.bytes, levels)


def disk_minutes(raw: Samples, tidy: Samples, source: Index, proofs: Proofs, parts: int, stretch: Stretch) -> Grid:
    """`latest` and `average` latency per direction, and I/Os in flight as time; levels as in `disk_samples`, and 1 where nothing but whole
    milliseconds tells the mean.

    raw: as they came; tidy: the usable ones of them, in order. source: (K,) vCenter of each part.
    """
    latest, total = (tidy.value.value[..., position] for position in (LATEST, TOTAL))
    whose = source[tidy.entity]
    rounding = np.broadcast_to(proofs.rounding[whose, HostCounter.DISK_TOTAL][:, None], total.shape)
    captured = tidy.value.map(lambda ends: ends[..., TOTAL])
    is_captured = captured.upper > captured.lower
    twin = each_end(
        lambda fine, whole: np.where(is_captured, fine, whole), captured, from_integer(total, MILLISECOND_US, rounding)
    )
    value = _stacked(
        [
            # Nothing answers in 0 µs: no I/O ended in the instant that the counter shows.
            _latest(np.where(latest > 0, latest, np.nan), proofs, whose, tidy, twin),
            twin,
            time_in_flight(tidy.levels[:, OUTSTANDING], tidy),
        ]
    )
    # Both latencies and the I/Os in flight tell the time of the same I/Os.
    is_mean = is_captured | (latest > 0) & (proofs.latest[whose][:, None] != Latest.INSTANT)
    is_coarse = ((tidy.ops > 0) & ~is_mean).any(axis=1).astype(np.float64)
    levels = np.concatenate([tidy.levels, is_coarse[:, None]], axis=1)
    found = _with_gaps(
        gridded(replace(tidy, value=value, levels=levels), parts, stretch, either=True, good_to=PER_SECOND)
    )
    return replace(found, is_blind=untold_minutes(raw, parts, stretch) & ~found.is_present)


def _latest(reported: Floats, proofs: Proofs, whose: Index, samples: Samples, twin: Intervals) -> Intervals:
    """Exact where the counter is proven to be the mean; where it is proven to be less, as far as it strays from it, if that is known."""
    proven = proofs.latest[whose][:, None]
    mean, doubtful = from_latest(reported, 1.0, proven_mean=True), latest_time(reported, samples)
    scatter = np.full(len(proofs.latest), np.nan) if proofs.scatter_us is None else proofs.scatter_us
    instant = scattered(reported, scatter[whose][:, None], twin, samples)

    def as_proven(exact: Floats, wide: Floats, shorter: Floats) -> Floats:
        return np.where(proven == Latest.INSTANT, shorter, np.where(proven == Latest.MEAN, exact, wide))

    return each_end(as_proven, mean, doubtful, instant)


def volume_minutes(samples: VolumeSamples, volumes: int, stretch: Stretch) -> Grid:
    """Per direction: the time inside the array, that with its port, and QoS (limit and scheduling), queue, service."""
    components, nonsense = cleaned(samples.components_us)
    # A sum with a broken part is broken, even if that part may be absent.
    components[nonsense.any(axis=2)] = np.nan
    service, queue, qos, scheduling, san = np.moveaxis(components, 2, 0)
    scheduled = ~np.isnan(scheduling)
    inside = from_components(np.stack([service, queue, qos], axis=2))
    whole = from_components(np.stack([service, queue, qos, san], axis=2))
    more, half = np.where(scheduled, scheduling, 0.0), np.where(scheduled, 0.5, 0.0)
    value = _stacked(
        [
            exactly_around(inside.value + more, inside.half_width + half),
            exactly_around(whole.value + more, whole.half_width + half),
            exactly_around(qos + more, 0.5 + half),
            exactly_around(queue, 0.5),
            exactly_around(service, 0.5),
        ]
    )
    levels = samples.times.error_s[:, None]
    told = timed_samples(samples.volume, samples.times, samples.ops, value, samples.bytes, levels)
    return gridded(told, volumes, stretch, stepping=True, good_to=PER_SECOND)


def directory_minutes(samples: DirectorySamples, units: int, stretch: Stretch) -> Grid:
    """The one time per operation that the array gives for a directory."""
    usec, _ = cleaned(samples.usec_us)
    value = _stacked([exactly_around(usec, 0.5)])
    levels = samples.times.error_s[:, None]
    told = timed_samples(samples.unit, samples.times, samples.ops, value, samples.bytes, levels)
    return gridded(told, units, stretch, stepping=True, good_to=PER_SECOND)


def _ends(intervals: Intervals) -> tuple[Floats, Floats, Floats]:
    return intervals.lower, intervals.upper, intervals.value


def _stacked(measurements: list[Intervals]) -> Intervals:
    lower, upper, value = (np.stack(ends, axis=2) for ends in zip(*map(_ends, measurements), strict=True))
    return Intervals(lower=lower, upper=upper, value=value)


def timed_samples(thing: Index, times: Times, ops: Floats, value: Intervals, counts: Floats, levels: Floats) -> Samples:
    start_us = times.end_us - times.length_us
    # What is not known is not known to a second either.
    error_us = (np.nan_to_num(times.error_s, nan=np.inf).clip(0.0, 3600.0) * 1e6).astype(np.int64)
    # Bytes are those that were counted; what was not adds nothing.
    counted = np.nan_to_num(cleaned(counts, MOST_BYTES)[0])
    return Samples(
        entity=thing,
        start_us=start_us,
        end_us=times.end_us,
        offset_us=times.offset_us,
        ops=ops,
        value=value,
        counts=counted,
        levels=levels,
        error_us=error_us,
    )
