"""Rows of the virtual disks: their own time against their devices' and the array's, of both of which they are a part."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.attribution import (
    Attributed,
    OneWay,
    QualityInputs,
    QualityReason,
    attribute,
    quality_reasons,
    share_of_ops,
)
from gavel.analysis.chain import chain_of, depth_bound
from gavel.analysis.device_leaves import (
    OfWhole,
    caps,
    filled,
    in_latencies,
    in_times,
    maybe_idle,
    missing_of_array,
    per_io,
    sized,
    waited,
)
from gavel.analysis.diagnosis import Reason, in_milliseconds, remarks
from gavel.analysis.gridded import INTERNAL, IS_COARSE, IS_MILLISECOND, OUTSTANDING, TOTAL, WHOLE
from gavel.analysis.intervals import PART_SHARE, Bools, Floats, Intervals, absent, each_end, widened
from gavel.analysis.ledger import rows_of
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
from gavel.analysis.topology import NONE, Index, extremes, in_minutes, means, sums
from gavel.analysis.unseen import over_unseen
from gavel.analysis.weighting import (
    AS_GOOD_AS_WHOLE,
    Extents,
    by_own_ops,
    likely_mix,
    mixed,
    of_part,
    twins,
    yielded,
)
from gavel.domain.io_path import Boundary, Direction
from gavel.domain.ledger import Flags, Notes


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSide:
    """Of each part's devices together: latencies (n, 2, 4) and their steps, all ops (n, 2), Little's limit, depth (sum) and how good they
    are. are_several: it is spread over more than one that did I/O."""

    value: Intervals
    step: Floats
    ops: Floats
    limit: Floats
    depth: Floats
    is_millisecond: Bools
    is_missing: Bools
    is_blind: Bools
    are_several: Bools

    @property
    def is_present(self) -> Bools:
        present: Bools = self.ops.sum(axis=1) > 0
        return present


def devices_of_disks(grids: GriddedSides) -> DeviceSide:
    pairs, grid, minutes = grids.topology.parts.devices, grids.devices, grids.minutes
    size = len(grids.topology.parts) * minutes
    rows, inside = in_minutes(pairs.left, minutes), in_minutes(pairs.right, minutes)
    ops, depth = grid.ops[inside], depths(grids)[inside]
    value = Intervals(lower=grid.value.lower[inside], upper=grid.value.upper[inside], value=grid.value.value[inside])
    limits = depth_bound(depths(grids), iops(grid).sum(axis=1), IOPS_COUNTERS)[inside]
    known = np.where(np.isfinite(limits), limits, np.nan)
    limit = means(Intervals(lower=known, upper=known, value=known), ops.sum(axis=1), rows, size).value
    busy = (ops.sum(axis=1) > 0).astype(np.float64)
    return DeviceSide(
        value=means(value, ops[:, :, None], rows, size),
        step=np.nan_to_num(extremes(grid.step[inside], rows, size, np.fmax)),
        ops=sums(ops, rows, size),
        limit=np.where(np.isnan(limit), np.inf, limit),
        depth=_known_sum(depth, rows, size),
        is_millisecond=sums((grid.highest[inside, IS_MILLISECOND] > 0).astype(np.float64), rows, size) > 0,
        is_missing=sums(grid.is_missing[inside].astype(np.float64), rows, size) > 0,
        is_blind=sums(grid.is_blind[inside].astype(np.float64), rows, size) > 0,
        are_several=sums(busy, rows, size) > 1,
    )


def _known_sum(numbers: Floats, rows: Index, size: int) -> Floats:
    known = sums((~np.isnan(numbers)).astype(np.float64), rows, size)
    return np.where(known > 0, sums(np.nan_to_num(numbers), rows, size), np.nan)


_OF_DEVICES = HostCounter.QAVG + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Alongside:
    """Of each sample of a disk: its device's and the array's times (n, 2, 9), the part of it without a sample of the array, and the time
    at the driver (n, 2)."""

    value: Floats
    missing: Floats
    driver: Intervals


def averages_of_disks(grids: GriddedSides, devices: DeviceSide, side: ArraySide) -> tuple[OfWhole, OfWhole]:
    """Of its devices (n, 2, 4), of the array (n, 2, 5)."""
    grid = grids.parts
    along = _alongside(grids)
    pieces = grid.pieces
    whole = np.concatenate([devices.value.value, side.value.value], axis=2)
    own = by_own_ops(pieces, along.value[pieces.sample], whole)
    of_devices, of_units = (share_of_ops(grid.ops, ops) for ops in (devices.ops, side.ops))
    spread = in_latencies(devices.step, devices.value.value, waited(side.value.value))
    latencies = of_part(devices.value, own[..., :_OF_DEVICES], of_devices[:, :, None], spread)
    times = of_part(side.value, own[..., _OF_DEVICES:], of_units[:, :, None], in_times(side.step, side.value.value))
    times = sized(times, per_io(grid.counts, grid.ops) / per_io(side.bytes, side.ops))
    missing = missing_of_array(grid, along.missing, side.is_present & side.is_missing)
    if missing is not None:
        driver = along.driver.map(lambda x: x[pieces.sample])
        times = filled(times, missing, pieces, driver, len(of_units))
    own_us = np.stack([vscsi(grid, way).value for way in WAYS], axis=1)
    latencies, times = _over_extents(grids, latencies, times, own_us)
    return OfWhole(latencies, of_devices < AS_GOOD_AS_WHOLE), OfWhole(times, of_units < AS_GOOD_AS_WHOLE)


def _alongside(grids: GriddedSides) -> _Alongside:
    """Of disks on one device; what is spread over several, or has none, goes without."""
    parts, told = grids.topology.parts, grids.parts.pieces.samples
    on_device = grids.devices.pieces.samples
    at = twins(on_device, _only_device(grids)[told.entity], told)
    found = at != NONE
    known = np.where(found, at, 0)
    value = np.full((len(at), 2, _OF_DEVICES + grids.beside_devices.value.shape[2]), np.nan)
    missing, driver = np.zeros(len(at)), absent(len(at), 2)
    if found.any():
        behind = grids.beside_devices.value
        if not len(behind):
            behind = np.full((len(on_device.entity), 2, behind.shape[2]), np.nan)
        every = np.concatenate([on_device.value.value, behind], axis=2)
        value = np.where(found[:, None, None], every[known], np.nan)
        if len(grids.beside_devices.missing):
            missing = np.where(found, grids.beside_devices.missing[known], 0.0)
        driver = _driver(on_device.value, known).map(lambda x: np.where(found[:, None], x, np.nan))
    if len(grids.beside_parts.value):
        own = parts.unit[told.entity] != NONE
        value[own, :, _OF_DEVICES:] = grids.beside_parts.value[own]
        missing = np.where(own, grids.beside_parts.missing, missing)
    whole = told.value.map(lambda x: x[..., TOTAL])
    return _Alongside(
        value=value,
        missing=missing,
        driver=each_end(lambda x, of_disk: np.where(np.isnan(x), of_disk, x), driver, whole),
    )


def _driver(value: Intervals, rows: Index) -> Intervals:
    def at_driver(numbers: Floats) -> Floats:
        driver, device = (numbers[:, :, one][rows] for one in (HostCounter.DAVG, HostCounter.GAVG))
        return np.where(np.isnan(driver), device, driver)

    return value.map(at_driver)


def _only_device(grids: GriddedSides) -> Index:
    """(K,) the device of each part, NONE without one or with several."""
    pairs, parts = grids.topology.parts.devices, len(grids.topology.parts)
    found = np.full(parts, NONE)
    found[pairs.left] = pairs.right
    return np.where(np.bincount(pairs.left, minlength=parts) == 1, found, NONE)


def _over_extents(
    grids: GriddedSides, latencies: Intervals, times: Intervals, own_us: Floats
) -> tuple[Intervals, Intervals]:
    """Of disks on several devices: any mix of these that their I/Os leave room for, from the fastest to the slowest.

    own_us: (n, 2) what the disk took itself.
    """
    pairs, parts, minutes = grids.topology.parts.devices, grids.topology.parts, grids.minutes
    many = np.bincount(pairs.left, minlength=len(parts))[pairs.left] > 1
    if not many.any():
        return latencies, times
    left, carrier = pairs.left[many], pairs.right[many]
    unit = np.where(parts.unit[left] == NONE, grids.topology.devices.unit[carrier], NONE)
    rows, of_device, of_unit = (in_minutes(one, minutes) for one in (left, carrier, np.where(unit == NONE, 0, unit)))
    extents = Extents(row=rows, device_ops=grids.devices.ops[of_device], disk_ops=grids.parts.ops)
    grid, units = grids.devices, grids.units
    device = grid.value.value[of_device]
    mix = likely_mix(
        extents,
        np.where(np.isnan(device[..., HostCounter.GAVG]), device[..., HostCounter.DAVG], device[..., HostCounter.GAVG]),
        own_us,
    )
    own = grids.parts.ops[rows]
    latencies = mixed(
        latencies, extents, _stepped(grid.value, grid.step, of_device, share_of_ops(own, grid.ops[of_device])), mix
    )
    known = np.repeat(unit != NONE, minutes)[:, None, None]
    behind = _stepped(
        units.value, in_times(units.step, units.value.value), of_unit, share_of_ops(own, units.ops[of_unit])
    )
    behind = behind.map(lambda x: np.where(known, x, np.nan))
    return latencies, mixed(times, extents, behind, mix)


def _stepped(value: Intervals, step: Floats, rows: Index, share: Floats) -> Intervals:
    """As `weighting.of_part` widens the averages of a whole, for one extent."""
    taken = Intervals(lower=value.lower[rows], upper=value.upper[rows], value=value.value[rows])
    rest = 1 - np.clip(np.nan_to_num(share), 0.0, 1.0)[:, :, None]
    return widened(taken, rest * np.maximum(PART_SHARE * taken.value, step[rows]))


_MINUTE_S = 60.0


def disk_leaves(grids: GriddedSides) -> GriddedLeaves:
    """One row per disk part and minute."""
    grid = grids.parts
    devices, side = devices_of_disks(grids), _behind_parts(grids)
    ops, device_ops = grid.ops.sum(axis=1), devices.ops.sum(axis=1)
    share = share_of_ops(ops, device_ops)
    of_volume = np.where(ops > 0, share_of_ops(ops, side.ops.sum(axis=1)), 1.0)
    of_devices, of_array = averages_of_disks(grids, devices, side)
    limit = devices.limit * (1 + PART_SHARE * (1 - np.nan_to_num(share)))
    reads, writes = (_way(grids, of_devices, of_array, way) for way in WAYS)
    ways = over_unseen(attribute(reads, writes, limit), (reads, writes), limit, devices.ops)
    whole = ways[Direction.ALL]
    quality = _quality(grids, devices, side, whole, np.fmin(share, of_volume))
    outstanding = grid.levels[:, OUTSTANDING].sum(axis=1)
    queue_limit = np.repeat(grids.topology.parts.queue_limit, grids.minutes)
    remarks_ = _remarks(whole, np.where(devices.is_present, share, np.nan), outstanding, queue_limit)
    graded = quality_reasons(quality)
    notes = Notes(
        reasons=remarks_
        | caps(whole, of_volume, quality.sample_missing)
        | in_milliseconds(graded, QualityReason.MILLISECONDS)
        | maybe_idle(grid)
        | np.where(devices.are_several, int(Reason.AMONG_EXTENTS), 0)
        | np.where(grids.guests.by_arrival, int(Reason.GUEST_BY_ARRIVAL), 0),
        quality_reasons=graded,
        disagreement_us=whole.limits.disagreement_us,
        offset_error_s=quality.offset_error_s,
        missing_s=missing_s(grid, side),
        device_ops=np.where(devices.is_present, device_ops, np.nan),
        array_ops=np.where(grid.is_blind, np.nan, part_of_array(ops, side.counted)),
        outstanding_s=outstanding * _counted_s(grids),
        queue_depth=devices.depth,
    )
    rows = rows_of(ways, grid.counts[:, 0], grid.counts[:, 1])
    return GriddedLeaves(rows=rows, notes=notes, is_present=grid.is_present | grid.is_blind, is_blind=grid.is_blind)


def _counted_s(grids: GriddedSides) -> Floats:
    """(n,) seconds that a part's outstanding I/Os stand for: the minute; of a disk that moved in it, what was read on that host."""
    disk, covered_s = in_minutes(grids.topology.parts.disk, grids.minutes), grids.parts.covered_s
    hosts = sums((covered_s > 0).astype(np.float64), disk, grids.topology.disks * grids.minutes)
    return np.where(hosts[disk] > 1, covered_s, _MINUTE_S)


def _quality(
    grids: GriddedSides, devices: DeviceSide, side: ArraySide, whole: Attributed, share: Floats
) -> QualityInputs:
    grid, guests, here = grids.parts, grids.guests, devices.is_present
    is_missing = grid.is_missing | (side.is_present & side.is_missing) | (here & devices.is_missing) | devices.is_blind
    return QualityInputs(
        microseconds=~(devices.is_millisecond & here) & ~(grid.highest[:, IS_COARSE] > 0) & ~guests.is_coarse,
        match_ratio=ratio_for_quality(side, is_missing),
        offset_error_s=np.maximum(max_clock_error(grid.error_s, side.error_s), guests.error_s),
        sample_missing=is_missing,
        disagreement_us=whole.limits.disagreement_us,
        share=np.where(whole.ops > 0, share, 1.0),
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


def _behind_parts(grids: GriddedSides) -> ArraySide:
    """A part's own unit, else the units of its devices, weighted by the ops of its host's devices on them."""
    topology, minutes = grids.topology, grids.minutes
    parts, pairs = topology.parts, topology.parts.devices
    own = np.flatnonzero(parts.unit != NONE)
    units = topology.devices.unit[pairs.right]
    through = np.flatnonzero((units != NONE) & (parts.unit[pairs.left] == NONE))
    left = np.concatenate([own, pairs.left[through]])
    right = np.concatenate([parts.unit[own], units[through]])
    device_ops = grids.devices.ops.sum(axis=1)[in_minutes(pairs.right[through], minutes)]
    unit_ops = grids.units.ops.sum(axis=1)[in_minutes(units[through], minutes)]
    weight = np.divide(device_ops, unit_ops, out=np.ones_like(device_ops), where=unit_ops > 0)
    return array_side_of(grids, left, right, len(parts), np.concatenate([np.ones(len(own) * minutes), weight]))


def _way(grids: GriddedSides, devices: OfWhole, array: OfWhole, way: Direction) -> OneWay:
    """The disk's chain: what others have a say in yields to its own time, the array's to the devices'; the guest's where it counted other
    I/Os."""
    grid, guests = grids.parts, grids.guests
    own = vscsi(grid, way)
    guest = yielded(_of_way(guests.time, way), guests.is_assumed[:, way], np.full(len(own.value), np.nan), own.lower)
    is_assumed, of_others = devices.is_assumed[:, way], array.is_assumed[:, way]
    inside = pick(array.times, way, WHOLE)
    least = np.where(of_others, np.nan, inside.lower)
    device, driver, kavg, qavg = (
        yielded(pick(devices.times, way, counter), is_assumed, own.upper, none_inside)
        for counter, none_inside in (
            (HostCounter.GAVG, least),
            (HostCounter.DAVG, least),
            (HostCounter.KAVG, None),
            (HostCounter.QAVG, None),
        )
    )
    most = np.fmin(np.fmin(own.upper, device.upper), driver.upper)
    array_, internal = (yielded(pick(array.times, way, position), of_others, most) for position in (WHOLE, INTERNAL))
    boundaries = {
        Boundary.GUEST: guest,
        Boundary.VSCSI: own,
        Boundary.DEVICE: device,
        Boundary.DRIVER: driver,
        Boundary.ARRAY: array_,
        Boundary.ARRAY_INTERNAL: internal,
    }
    chain = chain_of(len(most), boundaries, kavg, qavg)
    between = grid.fewest[:, way], grid.most[:, way]
    return OneWay(chain, grid.ops[:, way], array_parts(array.times, way), between)


def _of_way(times: Intervals, way: Direction) -> Intervals:
    return Intervals(lower=times.lower[:, way], upper=times.upper[:, way], value=times.value[:, way])
