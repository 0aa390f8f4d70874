"""Both sides of a stretch, gridded: who did how much on what, and what is behind what."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.array_side import OpsMatch, Units, array_times, counted, units_of
from gavel.analysis.depth import as_read
from gavel.analysis.gridded import IN_FLIGHT, LATEST, QOS, QUEUE, QUEUE_DEPTH, SERVICE, TOTAL, Grid
from gavel.analysis.guest_side import GuestSide
from gavel.analysis.intervals import Bools, Floats, Intervals, combined
from gavel.analysis.segments import ArrayParts
from gavel.analysis.topology import NONE, Index, Pairs, Topology, extremes, in_minutes, means_between, sums
from gavel.analysis.weighting import Beside
from gavel.domain.io_path import Direction
from gavel.domain.ledger import LedgerRows, Notes

WAYS = (Direction.READ, Direction.WRITE)
# Reads and writes are counted in whole I/Os per second, each on its own.
IOPS_COUNTERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class GriddedLeaves:
    """Rows of devices or of disk parts, (things · M); only those where `is_present` were measured at all.

    is_blind: nobody told their ops; they stand as 0 here, so that sums can be made, and leave as not measured.
    """

    rows: LedgerRows
    notes: Notes
    is_present: Bools
    is_blind: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySide:
    """What is behind each row: the array's value (n, 2, 5) and step (n, 2, 2), all of its ops and bytes (n, 2), host ops against array ops,
    and how good it is."""

    value: Intervals
    step: Floats
    ops: Floats
    bytes: Floats
    counted: OpsMatch
    error_s: Floats
    missing_s: Floats
    is_missing: Bools
    is_present: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class GriddedSides:
    """Everything gridded: the input of both kinds of leaves. `counted`: of every unit; volume_ops: (V·M,) of both directions.

    on_devices: grid rows of parts and of the devices that carry them, in the minutes that have a sample of the part. A stretch knows
    all hosts that a VM was on within it; what it did in a minute may not depend on where it was in others.
    beside_devices, beside_parts: the array's times beside each sample of devices, and of the parts that are units themselves.
    guests: of the parts.
    """

    topology: Topology
    devices: Grid
    parts: Grid
    units: Units
    counted: OpsMatch
    volume_ops: Floats
    minutes: int
    on_devices: Pairs
    beside_devices: Beside
    beside_parts: Beside
    guests: GuestSide


def sides(
    topology: Topology,
    devices: Grid,
    parts: Grid,
    volumes: Grid,
    directories: Grid,
    guests: GuestSide,
    minutes: int,
) -> GriddedSides:
    """Both sides with the ops of all hosts set against those of the array, unit by unit."""
    units = units_of(topology, volumes, directories, minutes)
    host_ops = unit_host_ops(topology, devices, parts, minutes).sum(axis=1)
    beside_devices, beside_parts = (
        array_times(grid.pieces.samples, unit, topology, volumes, directories)
        for grid, unit in ((devices, topology.devices.unit), (parts, topology.parts.unit))
    )
    return GriddedSides(
        topology=topology,
        devices=devices,
        parts=parts,
        units=units,
        counted=counted(units, host_ops),
        volume_ops=volumes.ops.sum(axis=1),
        minutes=minutes,
        on_devices=_on_devices(topology.parts.devices, parts, minutes),
        beside_devices=beside_devices,
        beside_parts=beside_parts,
        guests=guests,
    )


def _on_devices(pairs: Pairs, parts: Grid, minutes: int) -> Pairs:
    rows = in_minutes(pairs.left, minutes)
    sampled = (parts.is_present | parts.is_blind)[rows]
    return Pairs(left=rows[sampled], right=in_minutes(pairs.right, minutes)[sampled])


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


def array_side_of(grids: GriddedSides, left: Index, right: Index, things: int, weight: Floats) -> ArraySide:
    """The array side of `things` (rows) over pairs thing → unit; values are weighted by the units' ops × weight (pairs · M,)."""
    units, minutes = grids.units, grids.minutes
    rows, inside = in_minutes(left, minutes), in_minutes(right, minutes)
    size = things * minutes
    ops, fewest, most = (numbers[inside] for numbers in (units.ops, units.fewest, units.most))
    part = weight[:, None]
    value = Intervals(lower=units.value.lower[inside], upper=units.value.upper[inside], value=units.value.value[inside])
    error = np.full(size, -np.inf)
    np.maximum.at(error, rows, units.error_s[inside])
    missing_s = np.zeros(size)
    np.maximum.at(missing_s, rows, units.missing_s[inside])
    host, array = (
        sums(np.nan_to_num(x[inside]) * weight, rows, size) for x in (grids.counted.host_ops, grids.counted.array_ops)
    )
    present = sums(units.is_present[inside].astype(np.float64), rows, size) > 0
    ratio = np.where(present, np.divide(host, array, out=np.where(host > 0, np.inf, 1.0), where=array > 0), np.nan)
    return ArraySide(
        value=means_between(value, ops * part, (fewest * part, most * part), rows, size),
        step=np.nan_to_num(extremes(units.step[inside], rows, size, np.fmax)),
        ops=sums(ops, rows, size),
        bytes=sums(units.bytes[inside], rows, size),
        counted=OpsMatch(ratio=ratio, host_ops=host, array_ops=array),
        error_s=np.where(np.isfinite(error), error, np.nan),
        missing_s=missing_s,
        is_missing=sums(units.is_missing[inside].astype(np.float64), rows, size) > 0,
        is_present=present,
    )


def array_parts(value: Intervals, way: Direction) -> ArrayParts:
    return ArrayParts(qos=pick(value, way, QOS), queue=pick(value, way, QUEUE), service=pick(value, way, SERVICE))


def pick(value: Intervals, way: int, position: int) -> Intervals:
    return Intervals(
        lower=value.lower[:, way, position], upper=value.upper[:, way, position], value=value.value[:, way, position]
    )


def depths(grids: GriddedSides) -> Floats:
    """The largest depth that the host reported in the minute, else the configured one; NaN where neither is known."""
    return as_read(
        grids.devices.highest[:, QUEUE_DEPTH], np.repeat(grids.topology.devices.configured_depth, grids.minutes)
    )


def part_of_array(ops: Floats, matched: OpsMatch) -> Floats:
    """The row's part of what the array counted, so that host ops ÷ array ops of any sum of rows is its match_ratio.

    Ops of a unit that no host of ours used at all stand in every row behind which it is.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = ops / matched.ratio
    unseen = (matched.host_ops == 0) & (matched.array_ops > 0)
    return np.where(unseen, matched.array_ops, np.where(np.isnan(matched.ratio), np.nan, np.nan_to_num(part)))


def missing_s(grid: Grid, side: ArraySide) -> Floats:
    """Seconds of the minute in which one of the sides has no sample; which side, and whether they overlap, does not matter."""
    missing: Floats = np.maximum(grid.missing_s, side.missing_s)
    return missing


def ratio_for_quality(side: ArraySide, is_missing: Bools) -> Floats:
    """Coverage as a quality looks at it: 1 in minutes that lack a sample, whose rates say little, and which have that reason already."""
    ratio: Floats = np.where(is_missing & ~np.isnan(side.counted.ratio), 1.0, side.counted.ratio)
    return ratio


def max_clock_error(first: Floats, second: Floats) -> Floats:
    """The larger clock error; NaN where the host's is unknown."""
    error: Floats = np.fmax(first, np.where(np.isnan(second), first, second))
    return error


def iops(grid: Grid) -> Floats:
    """(n, 2) by direction over the covered time."""
    rate: Floats = grid.ops / np.maximum(grid.covered_s, 1.0)[:, None]
    return rate


def vscsi(parts: Grid, way: Direction) -> Intervals:
    """(n,) the virtual disks' own time: `latest` and `average` latency and, by Little's law, the I/Os they held."""
    return combined([pick(parts.value, way, position) for position in (LATEST, TOTAL, IN_FLIGHT)])
