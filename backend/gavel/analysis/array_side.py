"""The array's side of every unit: volumes of one serial merged, mirrored writes counted once, against the ops of all hosts."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.coverage import coverage
from gavel.analysis.gridded import INTERNAL, QOS, QUEUE, SERVICE, WHOLE, Grid
from gavel.analysis.grouping import in_minutes, means, sums
from gavel.analysis.intervals import Bools, Floats, Intervals
from gavel.analysis.topology import NONE, Topology, Volumes

_READ, _WRITE, _MIRRORED = 0, 1, 2
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Units:
    """U units × M minutes as in `Grid`. ops: (U·M, 2) of whole minutes; value: (U·M, 2, 5) by `gridded.INTERNAL` … `SERVICE`.

    error_s: of the worst clock. is_missing: a volume of it, or a part of the minute, was not read; missing_s: how much of it.
    is_present: any of it was.
    """

    ops: Floats
    value: Intervals
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
    ops = np.where(np.isfinite(volumes.ops), volumes.whole_ops, 0.0)
    ops[:, _MIRRORED] *= np.repeat(np.where(found.mirrored_on_both, 0.5, 1.0), minutes)
    ops = ops[inside]
    value = Intervals(*(x[inside] for x in (volumes.value.lower, volumes.value.upper, volumes.value.value)))
    reads = means(_direction(value, slice(_READ, _WRITE)), ops[:, :1, None], group, size)
    writes = _both_writes(value, ops, group, size)
    merged = Intervals(
        *(
            np.concatenate(ends, axis=1)
            for ends in ((reads.lower, writes.lower), (reads.upper, writes.upper), (reads.value, writes.value))
        )
    )
    unit_ops = sums(np.stack([ops[:, _READ], ops[:, _WRITE] + ops[:, _MIRRORED]], axis=1), group, size)
    missing = sums(volumes.is_missing[inside].astype(np.float64), group, size) > 0
    present = sums(volumes.is_present[inside].astype(np.float64), group, size) > 0
    error = np.full(size, -np.inf)
    np.maximum.at(error, group, np.nan_to_num(volumes.error_s[inside], nan=-np.inf))
    longest = np.where(present, 0.0, _MINUTE_S)
    np.maximum.at(longest, group, volumes.missing_s[inside])
    return _with_directories(Units(unit_ops, merged, error, longest, missing | ~present, present), directories)


def _direction(value: Intervals, direction: slice) -> Intervals:
    return Intervals(value.lower[:, direction], value.upper[:, direction], value.value[:, direction])


def _both_writes(value: Intervals, ops: Floats, group: np.ndarray, size: int) -> Intervals:
    """Writes of one array and mirrored writes are two populations of one stream."""
    both = [_direction(value, slice(one, one + 1)) for one in (_WRITE, _MIRRORED)]
    joined = Intervals(
        *(
            np.concatenate(ends)
            for ends in (
                [one.lower for one in both],
                [one.upper for one in both],
                [one.value for one in both],
            )
        )
    )
    weights = np.concatenate([ops[:, _WRITE], ops[:, _MIRRORED]])[:, None, None]
    return means(joined, weights, np.concatenate([group, group]), size)


def _with_directories(units: Units, directories: Grid) -> Units:
    """The one time of a directory is what is inside the array; it is not split into components, and its port is not timed."""
    here = directories.is_present
    if not here.any():
        return units
    ops, missing = units.ops.copy(), units.is_missing.copy()
    ops[here], missing[here] = directories.whole_ops[here], directories.is_missing[here]
    missing_s = np.where(here, directories.missing_s, units.missing_s)
    error = np.where(here, directories.error_s, units.error_s)
    ends = []
    for known, one in zip(
        (units.value.lower, units.value.upper, units.value.value),
        (directories.value.lower, directories.value.upper, directories.value.value),
        strict=True,
    ):
        merged = known.copy()
        merged[here, :, INTERNAL] = one[here, :, 0]
        for position in (WHOLE, QOS, QUEUE, SERVICE):
            merged[here, :, position] = np.nan
        ends.append(merged)
    return Units(ops, Intervals(*ends), error, missing_s, missing, units.is_present | here)


@dataclass(frozen=True, slots=True)
class Counted:
    """Host ops against array ops per unit and minute, (U·M,): `ratio` is the coverage, `host_ops` and `array_ops` of both directions."""

    ratio: Floats
    host_ops: Floats
    array_ops: Floats


def counted(units: Units, host_ops: Floats) -> Counted:
    """host_ops: (U·M,) of all hosts, NaN where none reported."""
    array_ops = np.where(units.is_present, units.ops.sum(axis=1), np.nan)
    return Counted(coverage(host_ops, array_ops), host_ops, array_ops)


@dataclass(frozen=True, slots=True)
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
    return Mirroring(sums(host, pod, topology.pods), sums(array, pod, topology.pods))
