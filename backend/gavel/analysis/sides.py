"""Both sides of a stretch, gridded: who did how much on what, and what is behind what."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.array_side import Counted, Units, counted
from gavel.analysis.depth import as_read
from gavel.analysis.gridded import IN_FLIGHT, LATEST, QOS, QUEUE, QUEUE_DEPTH, SERVICE, TOTAL, Grid
from gavel.analysis.grouping import in_minutes, means, sums
from gavel.analysis.intervals import Bools, Floats, Intervals, combined
from gavel.analysis.ledger import LedgerRows
from gavel.analysis.notes import Notes
from gavel.analysis.segments import ArrayParts
from gavel.analysis.topology import NONE, Index, Topology
from gavel.domain.io_path import Direction

WAYS = (Direction.READ, Direction.WRITE)
# Reads and writes are counted in whole I/Os per second, each on its own.
IOPS_COUNTERS = 2


@dataclass(frozen=True, slots=True)
class Leaves:
    """Rows of devices or of disk parts, (things · M); only those where `is_present` were measured at all.

    is_blind: nobody told their ops; they stand as 0 here, so that sums can be made, and leave as not measured.
    """

    rows: LedgerRows
    notes: Notes
    is_present: Bools
    is_blind: Bools


@dataclass(frozen=True, slots=True)
class ArraySide:
    """What is behind each row: the array's value (n, 2, 5), all of its ops (n, 2), host ops against array ops, and how good it is."""

    value: Intervals
    ops: Floats
    counted: Counted
    error_s: Floats
    missing_s: Floats
    is_missing: Bools
    is_present: Bools


@dataclass(frozen=True, slots=True)
class Sides:
    """Everything gridded: the input of both kinds of leaves. `counted`: of every unit; volume_ops: (V·M,) of both directions."""

    topology: Topology
    devices: Grid
    parts: Grid
    units: Units
    counted: Counted
    volume_ops: Floats
    minutes: int


def sides(topology: Topology, devices: Grid, parts: Grid, units: Units, volume_ops: Floats, minutes: int) -> Sides:
    """Both sides with the ops of all hosts set against those of the array, unit by unit."""
    host_ops = unit_host_ops(topology, devices, parts, minutes).sum(axis=1)
    return Sides(topology, devices, parts, units, counted(units, host_ops), volume_ops, minutes)


def unit_host_ops(topology: Topology, devices: Grid, parts: Grid, minutes: int) -> Floats:
    """(U·M, 2) ops of whole minutes that hosts did on each unit: by its devices, or by the disks that are units themselves. NaN where no
    host reported."""
    size = topology.units * minutes
    total, reported = np.zeros((size, 2)), np.zeros(size)
    for unit, grid in ((topology.devices.unit, devices), (topology.parts.unit, parts)):
        known = np.flatnonzero(unit != NONE)
        rows, group = in_minutes(known, minutes), in_minutes(unit[known], minutes)
        total += sums(grid.whole_ops[rows], group, size)
        reported += sums(grid.is_present[rows].astype(np.float64), group, size)
    return np.where(reported[:, None] > 0, total, np.nan)


def behind(both: Sides, left: Index, right: Index, things: int, weight: Floats) -> ArraySide:
    """The array side of `things` (rows) over pairs thing → unit; values are weighted by the units' ops × weight (pairs · M,)."""
    units, minutes = both.units, both.minutes
    rows, inside = in_minutes(left, minutes), in_minutes(right, minutes)
    size = things * minutes
    ops = units.ops[inside]
    value = Intervals(units.value.lower[inside], units.value.upper[inside], units.value.value[inside])
    error = np.full(size, -np.inf)
    np.maximum.at(error, rows, units.error_s[inside])
    missing_s = np.zeros(size)
    np.maximum.at(missing_s, rows, units.missing_s[inside])
    host, array = (
        sums(np.nan_to_num(x[inside]) * weight, rows, size) for x in (both.counted.host_ops, both.counted.array_ops)
    )
    present = sums(units.is_present[inside].astype(np.float64), rows, size) > 0
    ratio = np.where(present, np.divide(host, array, out=np.where(host > 0, np.inf, 1.0), where=array > 0), np.nan)
    return ArraySide(
        means(value, (ops * weight[:, None])[:, :, None], rows, size),
        sums(ops, rows, size),
        Counted(ratio, host, array),
        np.where(np.isfinite(error), error, np.nan),
        missing_s,
        sums(units.is_missing[inside].astype(np.float64), rows, size) > 0,
        present,
    )


def array_parts(value: Intervals, way: Direction) -> ArrayParts:
    return ArrayParts(pick(value, way, QOS), pick(value, way, QUEUE), pick(value, way, SERVICE))


def pick(value: Intervals, way: int, position: int) -> Intervals:
    return Intervals(value.lower[:, way, position], value.upper[:, way, position], value.value[:, way, position])


def depths(both: Sides) -> Floats:
    """The largest depth that the host reported in the minute, else the configured one; NaN where nobody says."""
    return as_read(
        both.devices.highest[:, QUEUE_DEPTH], np.repeat(both.topology.devices.configured_depth, both.minutes)
    )


def part_of_array(ops: Floats, found: Counted) -> Floats:
    """The row's part of what the array counted, so that host ops ÷ array ops of any sum of rows is its coverage.

    Ops of a unit that no host of ours used at all stand in every row behind which it is.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = ops / found.ratio
    unseen = (found.host_ops == 0) & (found.array_ops > 0)
    return np.where(unseen, found.array_ops, np.where(np.isnan(found.ratio), np.nan, np.nan_to_num(part)))


def missing_s(grid: Grid, side: ArraySide) -> Floats:
    """Seconds of the minute in which one of the sides has no sample; which side, and whether they overlap, does not matter."""
    missing: Floats = np.maximum(grid.missing_s, side.missing_s)
    return missing


def compared(side: ArraySide, is_missing: Bools) -> Floats:
    """Coverage as a grade looks at it: 1 in minutes that lack a sample, whose rates say little, and which have that reason already."""
    ratio: Floats = np.where(is_missing & ~np.isnan(side.counted.ratio), 1.0, side.counted.ratio)
    return ratio


def worse(one: Floats, two: Floats) -> Floats:
    """The larger clock error; NaN where the host's is unknown."""
    error: Floats = np.fmax(one, np.where(np.isnan(two), one, two))
    return error


def iops(grid: Grid) -> Floats:
    """(n, 2) by direction over the covered time."""
    rate: Floats = grid.ops / np.maximum(grid.covered_s, 1.0)[:, None]
    return rate


def vscsi(parts: Grid, way: Direction) -> Intervals:
    """(n,) the virtual disks' own time: `latest` and `average` latency and, by Little's law, the I/Os they held."""
    return combined([pick(parts.value, way, position) for position in (LATEST, TOTAL, IN_FLIGHT)])
