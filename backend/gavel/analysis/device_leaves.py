"""Rows of the devices of hosts: GAVG, DAVG, KAVG, QAVG against the array's components, minute by minute."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.attribution import (
    Attributed,
    OneWay,
    QualityInputs,
    QualityReason,
    Solved,
    attributed_from,
    quality_reasons,
    share_of_ops,
    solve,
)
from gavel.analysis.chain import chain_of, depth_bound
from gavel.analysis.diagnosis import LEAST_SHARE_OF_DEVICE, Reason, in_milliseconds
from gavel.analysis.gridded import INTERNAL, IS_MILLISECOND, QOS, QUEUE, SERVICE, WHOLE, Grid, GridPieces
from gavel.analysis.intervals import Bools, Floats, Intervals
from gavel.analysis.ledger import KERNEL, rows_of
from gavel.analysis.observed import HostCounter
from gavel.analysis.sides import (
    IOPS_COUNTERS,
    WAYS,
    ArraySide,
    GriddedLeaves,
    GriddedSides,
    array_parts,
    array_side_of,
    depths,
    iops,
    max_clock_error,
    missing_s,
    part_of_array,
    pick,
    ratio_for_quality,
    vscsi,
)
from gavel.analysis.topology import NONE, means, sums
from gavel.analysis.weighting import AS_GOOD_AS_WHOLE, by_own_ops, of_other_size, of_part, with_missing, yielded
from gavel.domain.io_path import Boundary, Direction
from gavel.domain.ledger import Flags, Notes

# Less than this of the I/Os beside no sample of the array is a slit between two of them.
_SLIT = 0.02


@dataclass(frozen=True, slots=True)
class OfWhole:
    """times: (n, 2, 5) the array's, read as those of a part; is_assumed: (n, 2) where others had a say in them."""

    times: Intervals
    is_assumed: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsampled:
    """(n, 2) the part of a row's ops that were done while no sample of the array lasted; pieces (p,): of each piece's time."""

    share: Floats
    pieces: Floats


def in_times(step: Floats, value: Floats) -> Floats:
    """(n, 2, 5) by how much the array's times may differ for a part: its samples' steps (n, 2, 2), of those inside and with the port, or
    all that its I/Os waited there (n, 2, 5): service is alike for all, but who waits depends on when it comes."""
    every: Floats = np.maximum(step[:, :, [INTERNAL, *[WHOLE] * SERVICE]], waited(value)[:, :, None])
    return every


def waited(value: Floats) -> Floats:
    """(n, 2) time at the array's limits and in its queue, of (n, 2, 5)."""
    wait: Floats = np.nan_to_num(value[..., QOS]) + np.nan_to_num(value[..., QUEUE])
    return wait


def in_latencies(step: Floats, value: Floats, array_wait: Floats) -> Floats:
    """(n, 2, 4) the same of a device's latencies: steps and values (n, 2, 4), and what the array made them wait (n, 2)."""
    wait = np.nan_to_num(value[..., HostCounter.KAVG])
    every = [wait + array_wait, array_wait, wait, np.nan_to_num(value[..., HostCounter.QAVG])]
    return np.maximum(step, np.stack(every, axis=2))


def per_io(counts: Floats, ops: Floats) -> Floats:
    """(n, 2) bytes of an I/O; NaN without any, and where no bytes were counted of those there are."""
    size: Floats = np.divide(counts, ops, out=np.full(ops.shape, np.nan), where=(ops > 0) & (counts > 0))
    return size


def sized(times: Intervals, size: Floats) -> Intervals:
    """With the port's time of I/Os that are `size` (n, 2) times as large as those of the whole."""
    inside, whole = (
        Intervals(lower=times.lower[..., one], upper=times.upper[..., one], value=times.value[..., one])
        for one in (INTERNAL, WHOLE)
    )
    own = of_other_size(whole, inside, size)
    lower, upper, value = times.lower.copy(), times.upper.copy(), times.value.copy()
    lower[..., WHOLE], upper[..., WHOLE], value[..., WHOLE] = own.lower, own.upper, own.value
    return Intervals(lower=lower, upper=upper, value=value)


def missing_of_array(grid: Grid, missing: Floats, is_missing: Bools) -> Unsampled | None:
    """None where the array lacks no sample of any of the rows. missing: of each sample the part that no sample of the array covers."""
    if not is_missing.any() or not len(missing):
        return None
    gone = np.where(is_missing[grid.pieces.row], missing[grid.pieces.sample], 0.0)
    ops = grid.pieces.ops
    share = _part(
        sums(ops * gone[:, None], grid.pieces.row, len(is_missing)), sums(ops, grid.pieces.row, len(is_missing))
    )
    return Unsampled(share=np.where(share > _SLIT, share, 0.0), pieces=gone)


def driver_of(pieces: GridPieces) -> Intervals:
    """(p, 2) time at the driver of the samples of devices, else at the device."""

    def at_driver(numbers: Floats) -> Floats:
        driver, device = (numbers[pieces.sample][:, :, one] for one in (HostCounter.DAVG, HostCounter.GAVG))
        return np.where(np.isnan(driver), device, driver)

    return pieces.samples.value.map(at_driver)


def filled(times: Intervals, missing: Unsampled | None, pieces: GridPieces, driver: Intervals, rows: int) -> Intervals:
    """The array's times with what the missing samples can have held. driver: (p, 2) of each piece."""
    if missing is None:
        return times
    gone = missing.pieces[:, None] * pieces.ops
    most, then = (_mean(ends, gone, pieces, rows) for ends in (driver.upper, driver.value))
    elsewhere = _mean(driver.value, pieces.ops - gone, pieces, rows)
    like = _part(then, elsewhere)[:, :, None] * times.value
    return with_missing(times, missing.share[:, :, None], like, most[:, :, None])


def _mean(numbers: Floats, ops: Floats, pieces: GridPieces, rows: int) -> Floats:
    known = np.where(np.isnan(numbers), 0.0, ops)
    return _part(sums(np.nan_to_num(numbers) * known, pieces.row, rows), sums(known, pieces.row, rows))


def _part(numbers: Floats, whole: Floats) -> Floats:
    return np.divide(numbers, whole, out=np.full_like(numbers, np.nan), where=whole > 0)


def caps(whole: Attributed, share: Floats, is_missing: Bools) -> Flags:
    """Why a diagnosis on the row cannot be confirmed: a minor `share` of the volume's ops, or a sample that is missing.

    What the host's own counters prove of the kernel, more than all that is below it, needs nobody's average.
    """
    proven = np.nan_to_num(whole.spans.lower[:, KERNEL]) > whole.limits.upper[:, Boundary.DRIVER]
    minor = (share < LEAST_SHARE_OF_DEVICE) & ~proven
    flags: Flags = np.where(minor, int(Reason.MINOR_PART_OF_VOLUME), 0) + np.where(
        is_missing & (whole.ops > 0), int(Reason.SAMPLE_MISSING), 0
    )
    return flags


def maybe_idle(grid: Grid) -> Flags:
    """(n,) minutes that may have had no I/O, as far as their samples tell."""
    flags: Flags = np.where(grid.may_be_idle & ~grid.is_missing, int(Reason.MAYBE_IDLE), 0)
    return flags


# So near to all of a device's ops, those of its virtual disks are its ops: nothing but them waits there.
FULL_SHARE_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLeaves(GriddedLeaves):
    """solved: their chains, the virtual disks' time of those included that account for all of a device's I/Os."""

    solved: Solved


def device_leaves(grids: GriddedSides) -> DeviceLeaves:
    """One row per device and minute."""
    grid = grids.devices
    side = behind_devices(grids)
    array = _array_of_devices(grids, side)
    depth = depths(grids)
    limit = depth_bound(depth, iops(grid).sum(axis=1), IOPS_COUNTERS)
    reads, writes = (_way(grids, array, way) for way in WAYS)
    solved = solve(reads, writes, limit)
    ways = attributed_from(solved, Boundary.DEVICE)
    rows = rows_of(ways, grid.counts[:, 0], grid.counts[:, 1])
    whole = ways[Direction.ALL]
    ops, disagreement = whole.ops, whole.limits.disagreement_us
    is_missing = grid.is_missing | (side.is_present & side.is_missing)
    share = np.where(ops > 0, share_of_ops(ops, side.ops.sum(axis=1)), 1.0)
    quality = QualityInputs(
        microseconds=~(grid.highest[:, IS_MILLISECOND] > 0),
        match_ratio=ratio_for_quality(side, is_missing),
        offset_error_s=max_clock_error(grid.error_s, side.error_s),
        sample_missing=is_missing,
        disagreement_us=disagreement,
        # The array's average is that of all hosts; a device is judged by its own part of it.
        share=share,
        side_missing=~side.is_present | whole.lacks_latency | grid.is_blind,
    )
    graded = quality_reasons(quality)
    notes = Notes(
        reasons=np.where(disagreement > 0, int(Reason.DISAGREEMENT), 0)
        | caps(whole, share, is_missing)
        | in_milliseconds(graded, QualityReason.MILLISECONDS)
        | maybe_idle(grid),
        quality_reasons=graded,
        disagreement_us=disagreement,
        offset_error_s=quality.offset_error_s,
        missing_s=missing_s(grid, side),
        device_ops=np.where(grid.is_blind, np.nan, ops),
        array_ops=np.where(grid.is_blind, np.nan, part_of_array(ops, side.counted)),
        outstanding_s=np.full(len(ops), np.nan),
        queue_depth=depth,
    )
    return DeviceLeaves(
        rows=rows, notes=notes, is_present=grid.is_present | grid.is_blind, is_blind=grid.is_blind, solved=solved
    )


def _array_of_devices(grids: GriddedSides, side: ArraySide) -> OfWhole:
    """The array's times as those of each device: of all hosts, weighted by its own I/Os."""
    grid, at = grids.devices, grids.beside_devices
    share = share_of_ops(grid.ops, side.ops)
    pieces = grid.pieces
    own = by_own_ops(pieces, at.value[pieces.sample], side.value.value) if len(at.value) else side.value.value
    times = of_part(side.value, own, share[:, :, None], in_times(side.step, side.value.value))
    times = sized(times, per_io(grid.counts, grid.ops) / per_io(side.bytes, side.ops))
    missing = missing_of_array(grid, at.missing, side.is_present & side.is_missing)
    return OfWhole(filled(times, missing, grid.pieces, driver_of(pieces), len(share)), share < AS_GOOD_AS_WHOLE)


def _way(grids: GriddedSides, array: OfWhole, way: Direction) -> OneWay:
    """The device's chain. Its virtual disks' time, where they are all there is, is evidence about it and no part of it."""
    value = grids.devices.value
    disks, device, driver = (
        of_its_disks(grids, way),
        pick(value, way, HostCounter.GAVG),
        pick(value, way, HostCounter.DAVG),
    )
    kavg, qavg = (pick(value, way, counter) for counter in (HostCounter.KAVG, HostCounter.QAVG))
    most = np.fmin(np.fmin(disks.upper, device.upper), driver.upper)
    boundaries = {
        Boundary.VSCSI: disks,
        Boundary.DEVICE: device,
        Boundary.DRIVER: driver,
        **{
            boundary: yielded(pick(array.times, way, position), array.is_assumed[:, way], most)
            for boundary, position in ((Boundary.ARRAY, WHOLE), (Boundary.ARRAY_INTERNAL, INTERNAL))
        },
    }
    chain = chain_of(len(most), boundaries, kavg, qavg)
    between = grids.devices.fewest[:, way], grids.devices.most[:, way]
    return OneWay(chain, grids.devices.ops[:, way], array_parts(array.times, way), between)


def of_its_disks(grids: GriddedSides, way: Direction) -> Intervals:
    """(D·M,) op-weighted time of the virtual disks on each device; absent where they do not account for its ops, or spread over several."""
    pairs, size = grids.on_devices, len(grids.devices.ops)
    alone = np.bincount(pairs.left, minlength=len(grids.parts.ops))[pairs.left] == 1
    parts, on = pairs.left[alone], pairs.right[alone]
    spread = np.zeros(size, dtype=np.bool_)
    spread[pairs.right[~alone]] = True
    own = vscsi(grids.parts, way)
    taken = Intervals(lower=own.lower[parts], upper=own.upper[parts], value=own.value[parts])
    ops = grids.parts.ops[parts, way]
    mean, total, whole = means(taken, ops, on, size), sums(ops, on, size), grids.devices.ops[:, way]
    accounted = (
        (np.abs(total - whole) <= FULL_SHARE_TOLERANCE * whole) & ~spread & ~_any_missing(grids, parts, on, size)
    )
    return mean.map(lambda x: np.where(accounted, x, np.nan))


def _any_missing(grids: GriddedSides, parts: np.ndarray, on: np.ndarray, size: int) -> Bools:
    missing: Bools = (
        sums((grids.parts.is_missing[parts] & grids.parts.is_present[parts]).astype(np.float64), on, size) > 0
    )
    return missing


def behind_devices(grids: GriddedSides) -> ArraySide:
    """A device's own unit; behind a protocol endpoint all units that are bound through it on its host."""
    devices = grids.topology.devices
    own = np.flatnonzero(devices.unit != NONE)
    left = np.concatenate([own, devices.endpoint.left])
    right = np.concatenate([devices.unit[own], devices.endpoint.right])
    return array_side_of(grids, left, right, len(devices), np.ones(len(left) * grids.minutes))
