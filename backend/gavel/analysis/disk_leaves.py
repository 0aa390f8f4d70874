"""Rows of the virtual disks: their own time against their devices' and the array's, of both of which they are a part."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.attribution import Attributed, OneWay, attribute
from gavel.analysis.chain import chain_of, depth_bound
from gavel.analysis.coverage import share_of_ops
from gavel.analysis.grade import Quality, grade_reasons
from gavel.analysis.gridded import INTERNAL, IS_MILLISECOND, OUTSTANDING, WHOLE, Grid
from gavel.analysis.grouping import in_minutes, means, sums
from gavel.analysis.intervals import PART_SHARE, Bools, Floats, Intervals, of_part
from gavel.analysis.ledger import rows_of
from gavel.analysis.notes import Flags, Notes
from gavel.analysis.observed import HostCounter
from gavel.analysis.sides import (
    IOPS_COUNTERS,
    WAYS,
    ArraySide,
    Leaves,
    Sides,
    array_parts,
    behind,
    compared,
    depths,
    iops,
    missing_s,
    part_of_array,
    pick,
    vscsi,
    worse,
)
from gavel.analysis.topology import NONE, Index
from gavel.analysis.verdict import remarks
from gavel.domain.io_path import Boundary, Direction

_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class _DeviceSide:
    """Of each part's devices together: latencies (n, 2, 4), all ops (n, 2), Little's limit, depth (sum) and how good they are."""

    value: Intervals
    ops: Floats
    limit: Floats
    depth: Floats
    is_millisecond: Bools
    is_missing: Bools
    is_blind: Bools

    @property
    def is_present(self) -> Bools:
        present: Bools = self.ops.sum(axis=1) > 0
        return present


def disk_leaves(both: Sides) -> Leaves:
    """One row per disk part and minute."""
    grid = both.parts
    devices, side = _devices_of_parts(both), _behind_parts(both)
    ops, device_ops = grid.ops.sum(axis=1), devices.ops.sum(axis=1)
    share = share_of_ops(ops, device_ops)
    limit = devices.limit * (1 + PART_SHARE * (1 - np.nan_to_num(share)))
    reads, writes = (_way(grid, devices, side, way) for way in WAYS)
    ways = attribute(reads, writes, limit)
    whole = ways[Direction.ALL]
    quality = _quality(grid, devices, side, whole, share)
    outstanding = grid.levels[:, OUTSTANDING].sum(axis=1)
    queue_limit = np.repeat(both.topology.parts.queue_limit, both.minutes)
    notes = Notes(
        reasons=_remarks(whole, np.where(devices.is_present, share, np.nan), outstanding, queue_limit),
        grade_reasons=grade_reasons(quality),
        disagreement_us=whole.limits.disagreement_us,
        offset_error_s=quality.offset_error_s,
        missing_s=missing_s(grid, side),
        device_ops=np.where(devices.is_present, device_ops, np.nan),
        array_ops=np.where(grid.is_blind, np.nan, part_of_array(ops, side.counted)),
        outstanding_s=outstanding * _counted_s(both),
        queue_depth=devices.depth,
    )
    rows = rows_of(ways, grid.counts[:, 0], grid.counts[:, 1])
    return Leaves(rows, notes, grid.is_present | grid.is_blind, grid.is_blind)


def _counted_s(both: Sides) -> Floats:
    """(n,) seconds that a part's outstanding I/Os stand for: the minute, of which some was read; of a disk that moved, what was read."""
    disk = both.topology.parts.disk
    moved = np.bincount(disk, minlength=both.topology.disks)[disk] > 1
    return np.where(np.repeat(moved, both.minutes), both.parts.covered_s, _MINUTE_S)


def _quality(grid: Grid, devices: _DeviceSide, side: ArraySide, whole: Attributed, share: Floats) -> Quality:
    here = devices.is_present
    is_missing = grid.is_missing | (side.is_present & side.is_missing) | (here & devices.is_missing) | devices.is_blind
    return Quality(
        microseconds=~(devices.is_millisecond & here),
        coverage=compared(side, is_missing),
        offset_error_s=worse(grid.error_s, side.error_s),
        sample_missing=is_missing,
        disagreement_us=whole.limits.disagreement_us,
        share=np.where(here & (whole.ops > 0), share, 1.0),
        side_missing=~side.is_present | whole.lacks_latency | grid.is_blind,
    )


def _remarks(whole: Attributed, share: Floats, outstanding: Floats, queue_limit: Floats) -> Flags:
    never = np.zeros(len(share), np.bool_)
    return remarks(
        disagreement_us=whole.limits.disagreement_us,
        share_of_device=share,
        chronic=never,
        outstanding=outstanding,
        queue_limit=queue_limit,
    )


def _devices_of_parts(both: Sides) -> _DeviceSide:
    pairs, grid, minutes = both.topology.parts.devices, both.devices, both.minutes
    size = len(both.topology.parts) * minutes
    rows, inside = in_minutes(pairs.left, minutes), in_minutes(pairs.right, minutes)
    ops, depth = grid.ops[inside], depths(both)[inside]
    value = Intervals(grid.value.lower[inside], grid.value.upper[inside], grid.value.value[inside])
    limits = depth_bound(depths(both), iops(grid).sum(axis=1), IOPS_COUNTERS)[inside]
    known = np.where(np.isfinite(limits), limits, np.nan)
    limit = means(Intervals(known, known, known), ops.sum(axis=1), rows, size).value
    return _DeviceSide(
        means(value, ops[:, :, None], rows, size),
        sums(ops, rows, size),
        np.where(np.isnan(limit), np.inf, limit),
        _known_sum(depth, rows, size),
        sums((grid.highest[inside, IS_MILLISECOND] > 0).astype(np.float64), rows, size) > 0,
        sums(grid.is_missing[inside].astype(np.float64), rows, size) > 0,
        sums(grid.is_blind[inside].astype(np.float64), rows, size) > 0,
    )


def _known_sum(numbers: Floats, rows: Index, size: int) -> Floats:
    known = sums((~np.isnan(numbers)).astype(np.float64), rows, size)
    return np.where(known > 0, sums(np.nan_to_num(numbers), rows, size), np.nan)


def _behind_parts(both: Sides) -> ArraySide:
    """A part's own unit, else the units of its devices, weighted by the ops of its host's devices on them."""
    topology, minutes = both.topology, both.minutes
    parts, pairs = topology.parts, topology.parts.devices
    own = np.flatnonzero(parts.unit != NONE)
    units = topology.devices.unit[pairs.right]
    through = np.flatnonzero((units != NONE) & (parts.unit[pairs.left] == NONE))
    left = np.concatenate([own, pairs.left[through]])
    right = np.concatenate([parts.unit[own], units[through]])
    device_ops = both.devices.ops.sum(axis=1)[in_minutes(pairs.right[through], minutes)]
    unit_ops = both.units.ops.sum(axis=1)[in_minutes(units[through], minutes)]
    weight = np.divide(device_ops, unit_ops, out=np.ones_like(device_ops), where=unit_ops > 0)
    return behind(both, left, right, len(parts), np.concatenate([np.ones(len(own) * minutes), weight]))


def _way(grid: Grid, devices: _DeviceSide, side: ArraySide, way: Direction) -> OneWay:
    of_devices, of_units = (share_of_ops(grid.ops[:, way], ops[:, way]) for ops in (devices.ops, side.ops))
    boundaries = {
        Boundary.VSCSI: vscsi(grid, way),
        Boundary.DEVICE: of_part(pick(devices.value, way, HostCounter.GAVG), of_devices),
        Boundary.DRIVER: of_part(pick(devices.value, way, HostCounter.DAVG), of_devices),
        Boundary.ARRAY: of_part(pick(side.value, way, WHOLE), of_units),
        Boundary.ARRAY_INTERNAL: of_part(pick(side.value, way, INTERNAL), of_units),
    }
    kavg, qavg = (of_part(pick(devices.value, way, c), of_devices) for c in (HostCounter.KAVG, HostCounter.QAVG))
    return OneWay(chain_of(len(of_devices), boundaries, kavg, qavg), grid.ops[:, way], array_parts(side.value, way))
