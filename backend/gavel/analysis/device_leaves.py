"""Rows of the devices of hosts: GAVG, DAVG, KAVG, QAVG against the array's components, minute by minute."""

import numpy as np

from gavel.analysis.attribution import OneWay, attribute
from gavel.analysis.chain import chain_of, depth_bound
from gavel.analysis.coverage import share_of_ops
from gavel.analysis.grade import Quality, grade_reasons
from gavel.analysis.gridded import INTERNAL, IS_MILLISECOND, WHOLE
from gavel.analysis.grouping import in_minutes, means, sums
from gavel.analysis.intervals import Bools, Floats, Intervals, of_part
from gavel.analysis.ledger import rows_of
from gavel.analysis.notes import Notes
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
from gavel.analysis.topology import NONE
from gavel.analysis.verdict import Reason
from gavel.domain.io_path import Boundary, Direction

# So near to all of a device's ops, those of its virtual disks are its ops: nothing but them waits there.
ALL_OF_IT = 0.01


def device_leaves(both: Sides) -> Leaves:
    """One row per device and minute."""
    grid = both.devices
    side = behind_devices(both)
    share = share_of_ops(grid.ops, side.ops)
    depth = depths(both)
    limit = depth_bound(depth, iops(grid).sum(axis=1), IOPS_COUNTERS)
    reads, writes = (_way(both, side, share, way) for way in WAYS)
    ways = attribute(reads, writes, limit, begins=Boundary.DEVICE)
    rows = rows_of(ways, grid.counts[:, 0], grid.counts[:, 1])
    whole = ways[Direction.ALL]
    ops, disagreement = whole.ops, whole.limits.disagreement_us
    is_missing = grid.is_missing | (side.is_present & side.is_missing)
    quality = Quality(
        microseconds=~(grid.highest[:, IS_MILLISECOND] > 0),
        coverage=compared(side, is_missing),
        offset_error_s=worse(grid.error_s, side.error_s),
        sample_missing=is_missing,
        disagreement_us=disagreement,
        # The array's average is that of all hosts; a device is judged by its own part of it.
        share=np.where(ops > 0, share_of_ops(ops, side.ops.sum(axis=1)), 1.0),
        side_missing=~side.is_present | whole.lacks_latency | grid.is_blind,
    )
    notes = Notes(
        reasons=np.where(disagreement > 0, int(Reason.DISAGREEMENT), 0),
        grade_reasons=grade_reasons(quality),
        disagreement_us=disagreement,
        offset_error_s=quality.offset_error_s,
        missing_s=missing_s(grid, side),
        device_ops=np.where(grid.is_blind, np.nan, ops),
        array_ops=np.where(grid.is_blind, np.nan, part_of_array(ops, side.counted)),
        outstanding_s=np.full(len(ops), np.nan),
        queue_depth=depth,
    )
    return Leaves(rows, notes, grid.is_present | grid.is_blind, grid.is_blind)


def _way(both: Sides, side: ArraySide, share: Floats, way: Direction) -> OneWay:
    """The device's chain. Its virtual disks' time, where they are all there is, is evidence about it and no part of it."""
    value = both.devices.value
    boundaries = {
        Boundary.VSCSI: of_its_disks(both, way),
        Boundary.DEVICE: pick(value, way, HostCounter.GAVG),
        Boundary.DRIVER: pick(value, way, HostCounter.DAVG),
        Boundary.ARRAY: of_part(pick(side.value, way, WHOLE), share[:, way]),
        Boundary.ARRAY_INTERNAL: of_part(pick(side.value, way, INTERNAL), share[:, way]),
    }
    kavg, qavg = (pick(value, way, counter) for counter in (HostCounter.KAVG, HostCounter.QAVG))
    chain = chain_of(len(share), boundaries, kavg, qavg)
    return OneWay(chain, both.devices.ops[:, way], array_parts(side.value, way))


def of_its_disks(both: Sides, way: Direction) -> Intervals:
    """(D·M,) op-weighted time of the virtual disks on each device; absent where they do not account for its ops, or spread over several."""
    pairs, minutes, size = both.topology.parts.devices, both.minutes, len(both.topology.devices) * both.minutes
    devices = np.bincount(pairs.left, minlength=len(both.topology.parts))
    alone = devices[pairs.left] == 1
    parts, on = in_minutes(pairs.left[alone], minutes), in_minutes(pairs.right[alone], minutes)
    spread = np.zeros(size, dtype=np.bool_)
    spread[in_minutes(pairs.right[~alone], minutes)] = True
    own = vscsi(both.parts, way)
    taken = Intervals(own.lower[parts], own.upper[parts], own.value[parts])
    ops = both.parts.ops[parts, way]
    mean, total, whole = means(taken, ops, on, size), sums(ops, on, size), both.devices.ops[:, way]
    accounted = (np.abs(total - whole) <= ALL_OF_IT * whole) & ~spread & ~_any_missing(both, parts, on, size)
    return Intervals(*(np.where(accounted, x, np.nan) for x in (mean.lower, mean.upper, mean.value)))


def _any_missing(both: Sides, parts: np.ndarray, on: np.ndarray, size: int) -> Bools:
    missing: Bools = (
        sums((both.parts.is_missing[parts] & both.parts.is_present[parts]).astype(np.float64), on, size) > 0
    )
    return missing


def behind_devices(both: Sides) -> ArraySide:
    """A device's own unit; behind a protocol endpoint all units that are bound through it on its host."""
    devices = both.topology.devices
    own = np.flatnonzero(devices.unit != NONE)
    left = np.concatenate([own, devices.endpoint.left])
    right = np.concatenate([devices.unit[own], devices.endpoint.right])
    return behind(both, left, right, len(devices), np.ones(len(left) * both.minutes))
