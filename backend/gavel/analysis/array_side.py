"""The array's side of every unit: volumes of one serial merged, mirrored writes counted once, against the ops of all hosts."""

from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.align import Samples
from gavel.analysis.attribution import match_ratio
from gavel.analysis.gridded import INTERNAL, QOS, QUEUE, SERVICE, WHOLE, Grid
from gavel.analysis.intervals import Bools, Floats, Intervals, each_end
from gavel.analysis.topology import NONE, Index, Topology, Volumes, extremes, in_minutes, means, sums
from gavel.analysis.weighting import Beside, beside

_READ, _WRITE, _MIRRORED = 0, 1, 2
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """U units × M minutes as in `Grid`. ops, fewest, most: (U·M, 2) of whole minutes, counted, and at least and at most.

    value: (U·M, 2, 5) by `gridded.INTERNAL` … `SERVICE`. bytes: (U·M, 2). step: (U·M, 2, 2) by which times inside the array, and those
    with its port, differ at least about the minute.
    error_s: of the worst clock. is_missing: a volume of it, or a part of the minute, was not read; missing_s: how much of it.
    is_present: any of it was.
    """

    ops: Floats
    fewest: Floats
    most: Floats
    bytes: Floats
    value: Intervals
    step: Floats
    error_s: Floats
    missing_s: Floats
    is_missing: Bools
    is_present: Bools


def units_of(topology: Topology, volumes: Grid, directories: Grid, minutes: int) -> Units:
    """Volumes merged into their units; directories are units of their own with one time, which counts as inside the array."""
    found = topology.volumes
    group = in_minutes(found.unit, minutes)
    inside = group >= 0
    group = group[inside]
    size = topology.units * minutes
    once = np.ones((len(volumes.ops), 3))
    once[:, _MIRRORED] = np.repeat(np.where(found.mirrored_on_both, 0.5, 1.0), minutes)
    ops = (np.where(np.isfinite(volumes.ops), volumes.whole_ops, 0.0) * once)[inside]
    fewer, more = ((np.nan_to_num(one).clip(0.0) * once)[inside] for one in _uncounted(volumes))
    value = volumes.value.map(lambda x: x[inside])
    reads = means(_direction(value, slice(_READ, _WRITE)), ops[:, :1, None], group, size)
    writes = _both_writes(value, ops, group, size)
    merged = each_end(lambda *ends: np.concatenate(ends, axis=1), reads, writes)
    unit_ops, fewest, most, unit_bytes = (
        sums(_written_together(numbers), group, size)
        for numbers in (ops, ops - fewer, ops + more, volumes.counts[inside])
    )
    step = _steps(volumes.step[inside], value, ops, group, size)
    missing = sums(volumes.is_missing[inside].astype(np.float64), group, size) > 0
    present = sums(volumes.is_present[inside].astype(np.float64), group, size) > 0
    error = np.full(size, -np.inf)
    np.maximum.at(error, group, np.nan_to_num(volumes.error_s[inside], nan=-np.inf))
    longest = np.where(present, 0.0, _MINUTE_S)
    np.maximum.at(longest, group, volumes.missing_s[inside])
    units = Units(
        ops=unit_ops,
        fewest=fewest,
        most=most,
        bytes=unit_bytes,
        value=merged,
        step=step,
        error_s=error,
        missing_s=longest,
        is_missing=missing | ~present,
        is_present=present,
    )
    return _with_directories(units, directories)


def _uncounted(grid: Grid) -> tuple[Floats, Floats]:
    """(n, d) by how many ops fewer and more there can have been."""
    return grid.ops - grid.fewest, grid.most - grid.ops


def _written_together(numbers: Floats) -> Floats:
    return np.stack([numbers[:, _READ], numbers[:, _WRITE] + numbers[:, _MIRRORED]], axis=1)


def _steps(step: Floats, value: Intervals, ops: Floats, group: np.ndarray, size: int) -> Floats:
    """(size, 2, 2) of the unit's volumes the largest step, and between them: each of their means may be that of the part."""
    times = slice(INTERNAL, WHOLE + 1)
    idle = ~(ops > 0)[:, :, None]
    low, high = (np.where(idle, np.nan, ends[:, :, times]) for ends in (value.lower, value.upper))
    own = np.where(idle, 0.0, step[:, :, times])
    together = [_of_both_writes(one, np.fmax) for one in (own, low)] + [_of_both_writes(high, np.fmin)]
    if len(np.unique(group)) == len(group):
        largest, highest, lowest = np.zeros((size, 2, 2)), np.full((size, 2, 2), np.nan), np.full((size, 2, 2), np.nan)
        largest[group], highest[group], lowest[group] = together
    else:
        largest, highest, lowest = (
            extremes(one, group, size, extreme)
            for one, extreme in zip(together, (np.fmax, np.fmax, np.fmin), strict=True)
        )
    steps: Floats = np.nan_to_num(np.fmax(largest, highest - lowest)).clip(0.0)
    return steps


def _of_both_writes(numbers: Floats, extreme: np.ufunc) -> Floats:
    written: Floats = extreme(numbers[:, _WRITE], numbers[:, _MIRRORED])
    return np.stack([numbers[:, _READ], written], axis=1)


def _direction(value: Intervals, direction: slice) -> Intervals:
    return Intervals(lower=value.lower[:, direction], upper=value.upper[:, direction], value=value.value[:, direction])


def _both_writes(value: Intervals, ops: Floats, group: np.ndarray, size: int) -> Intervals:
    """Writes of one array and mirrored writes are two populations of one stream."""
    both = [_direction(value, slice(one, one + 1)) for one in (_WRITE, _MIRRORED)]
    joined = each_end(lambda *ends: np.concatenate(ends), *both)
    weights = np.concatenate([ops[:, _WRITE], ops[:, _MIRRORED]])[:, None, None]
    return means(joined, weights, np.concatenate([group, group]), size)


def _with_directories(units: Units, directories: Grid) -> Units:
    """The one time of a directory is what is inside the array; it is not split into components, and its port is not timed."""
    here = directories.is_present
    if not here.any():
        return units
    ops, missing = units.ops.copy(), units.is_missing.copy()
    ops[here], missing[here] = directories.whole_ops[here], directories.is_missing[here]
    fewest, most = units.fewest.copy(), units.most.copy()
    fewer, more = _uncounted(directories)
    fewest[here], most[here] = (ops[here] - fewer[here]).clip(0.0), ops[here] + more[here]
    carried, step = units.bytes.copy(), units.step.copy()
    carried[here], step[here] = directories.counts[here], directories.step[here]
    missing_s = np.where(here, directories.missing_s, units.missing_s)
    error = np.where(here, directories.error_s, units.error_s)

    def with_files(of_volumes: Floats, of_files: Floats) -> Floats:
        merged = of_volumes.copy()
        merged[here, :, INTERNAL] = of_files[here, :, 0]
        for position in (WHOLE, QOS, QUEUE, SERVICE):
            merged[here, :, position] = np.nan
        return merged

    return Units(
        ops=ops,
        fewest=fewest,
        most=most,
        bytes=carried,
        value=each_end(with_files, units.value, directories.value),
        step=step,
        error_s=error,
        missing_s=missing_s,
        is_missing=missing,
        is_present=units.is_present | here,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpsMatch:
    """Host ops against array ops per unit and minute, (U·M,): `ratio` is the match_ratio, `host_ops` and `array_ops` of both directions."""

    ratio: Floats
    host_ops: Floats
    array_ops: Floats


def counted(units: Units, host_ops: Floats) -> OpsMatch:
    """host_ops: (U·M,) of all hosts, NaN where none reported."""
    array_ops = np.where(units.is_present, units.ops.sum(axis=1), np.nan)
    return OpsMatch(ratio=match_ratio(host_ops, array_ops), host_ops=host_ops, array_ops=array_ops)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirroring:
    """What a stretch says about each stretched pod (P,): writes by the hosts, and the same as its arrays counted them, both added up."""

    host_writes: Floats
    array_writes: Floats


def mirroring(topology: Topology, volumes: Grid, unit_host_writes: Floats, minutes: int) -> Mirroring:
    """unit_host_writes: (U·M,) NaN where no host reported. Only minutes that both sides saw whole are compared."""
    found: Volumes = topology.volumes
    stretched = np.flatnonzero((found.pod != NONE) & (found.unit != NONE))
    rows, unit_rows = in_minutes(stretched, minutes), in_minutes(found.unit[stretched], minutes)
    pod = np.repeat(found.pod[stretched], minutes)
    incomplete = np.zeros(topology.units * minutes, dtype=np.bool_)
    np.logical_or.at(incomplete, unit_rows, volumes.is_missing[rows])
    usable = ~incomplete[unit_rows] & ~np.isnan(unit_host_writes[unit_rows])
    array = np.where(usable, volumes.ops[rows, _WRITE] + volumes.ops[rows, _MIRRORED], 0.0)
    # Each unit's host writes once, not once per array.
    first = np.zeros(len(stretched), dtype=np.bool_)
    first[np.unique(found.unit[stretched], return_index=True)[1]] = True
    host = np.where(usable & np.repeat(first, minutes), np.nan_to_num(unit_host_writes[unit_rows]), 0.0)
    return Mirroring(host_writes=sums(host, pod, topology.pods), array_writes=sums(array, pod, topology.pods))


_OWN_WRITES, _MIRRORED_WRITES = 1, 2
_WAYS, _TIMES = 2, SERVICE + 1


def array_times(samples: Samples, unit: Index, topology: Topology, volumes: Grid, directories: Grid) -> Beside:
    """value: (n, 2, 5) by `gridded.INTERNAL` … `SERVICE` while each of n samples lasted; unit: (things,) behind each thing, or NONE.

    Of a unit with several volumes the mean by their ops in that time. Empty where nothing has a unit.
    """
    if not (unit != NONE).any():
        return Beside(value=np.zeros((0, _WAYS, _TIMES)), missing=np.zeros(0))
    wanted = unit[samples.entity]
    value, weights = np.zeros((len(wanted), _WAYS, _TIMES)), np.zeros((len(wanted), _WAYS, _TIMES))
    missing = np.ones(len(wanted))
    whole = _both_ways_of_writing(volumes.pieces.samples)
    for volume in _volumes_behind(wanted, topology):
        found, ops = _seen(samples, volume, whole)
        weight = ops[:, :, None] * ~np.isnan(found.value)
        value += np.nan_to_num(found.value) * weight
        weights += weight
        missing = np.minimum(missing, found.missing)
    result = np.divide(value, weights, out=np.full_like(value, np.nan), where=weights > 0)
    return _with_times_of_directories(Beside(value=result, missing=missing), samples, wanted, directories)


def _seen(samples: Samples, thing: Index, whole: Samples) -> tuple[Beside, Floats]:
    return beside(whole, thing, samples.start_us - samples.offset_us, samples.end_us - samples.offset_us)


def _volumes_behind(unit: Index, topology: Topology) -> list[Index]:
    """The first, second … volume of each unit, NONE where there is none."""
    order = np.argsort(topology.volumes.unit, kind="stable")
    bounds = np.searchsorted(topology.volumes.unit[order], np.arange(topology.units + 1))
    known = unit != NONE
    first, last = (np.where(known, bounds[np.where(known, unit + step, 0)], 0) for step in (0, 1))
    most = int((last - first).max(initial=0))
    return [np.where(first + n < last, order[np.minimum(first + n, len(order) - 1)], NONE) for n in range(most)]


def _both_ways_of_writing(samples: Samples) -> Samples:
    """Reads and writes, mirrored ones among these."""
    own, mirrored = (
        np.where(samples.ops[:, way] > 0, samples.ops[:, way], 0.0) for way in (_OWN_WRITES, _MIRRORED_WRITES)
    )
    ops = np.stack([samples.ops[:, 0], own + mirrored], axis=1)
    value = samples.value.value[:, :_WAYS]
    rows = np.flatnonzero(mirrored > 0)
    if len(rows):
        value = value.copy()
        parts = [np.where(n[rows, None] > 0, samples.value.value[rows, way] * n[rows, None], 0.0)
                 for n, way in ((own, _OWN_WRITES), (mirrored, _MIRRORED_WRITES))]  # fmt: skip
        value[rows, 1] = (parts[0] + parts[1]) / (own + mirrored)[rows, None]
    return replace(samples, ops=ops, value=Intervals(lower=value, upper=value, value=value))


def _with_times_of_directories(times: Beside, samples: Samples, unit: Index, directories: Grid) -> Beside:
    """A directory has one time, inside the array."""
    whole = directories.pieces.samples
    rows = np.flatnonzero(np.isin(unit, np.unique(whole.entity)) & (unit != NONE))
    if len(rows) == 0:
        return times
    begins, ends = samples.start_us - samples.offset_us, samples.end_us - samples.offset_us
    seen, _ = beside(whole, unit[rows], begins[rows], ends[rows])
    value, missing = times.value.copy(), times.missing.copy()
    value[rows, :, INTERNAL], missing[rows] = seen.value[:, :, 0], seen.missing
    return Beside(value=value, missing=missing)
