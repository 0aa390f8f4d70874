"""What virtual disks have above the devices that they are on: Σ of their own time − Σ of the devices', never disk by disk.

Disks that fare unlike on one device wait above and below its mean; only their sum is time above it (attribution.md §4). The extents of a
datastore on one host are one group, for nobody counts which I/O of a disk went to which of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.attribution import OneWay, Solved, attribute, share_of_ops
from gavel.analysis.chain import chain_of, depth_bound
from gavel.analysis.counted_leaves import CountBounds, counted_of
from gavel.analysis.device_leaves import FULL_SHARE_TOLERANCE, of_its_disks
from gavel.analysis.gridded import INTERNAL, WHOLE
from gavel.analysis.intervals import PART_SHARE, Bools, Floats, Intervals, widened
from gavel.analysis.ledger import KERNEL, rows_of
from gavel.analysis.observed import HostCounter
from gavel.analysis.sides import IOPS_COUNTERS, WAYS, GriddedSides, array_parts, depths, iops, pick, vscsi
from gavel.analysis.topology import NONE, Index, in_minutes, means, sums
from gavel.domain.io_path import Boundary, Direction, Segment
from gavel.domain.ledger import LedgerRows


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """(D·M,) the row of the first device of the group that each device is of; (K·M,) of each disk part, meaningless where it is on no
    device. is_several: (D·M,)."""

    of_device: Index
    of_part: Index
    is_several: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """I/O-time above devices, (n, 2) by direction in µs × ops, with its bounds and the ops that it is of; 0 where nothing was measured."""

    time: Floats
    lower: Floats
    upper: Floats
    ops: Floats

    def where(self, wanted: Bools) -> "Above":
        """Nothing but what is `wanted`, (n,) or (n, 2)."""
        mask = wanted if wanted.ndim > 1 else wanted[:, None]
        return self.map(lambda x: np.where(mask, x, 0.0))

    def summed(self, rows: Index, parent: Index, size: int) -> "Above":
        return self.map(lambda x: sums(x[rows], parent, size))

    def weighed(self, weight: Floats) -> "Above":
        return self.map(lambda x: x * weight[:, None])

    def map(self, change: Callable[[Floats], Floats]) -> "Above":
        """The same done to times, bounds and ops."""
        return Above(**{name: change(getattr(self, name)) for name in Above.__slots__})


def groups_of(grids: GriddedSides) -> Groups:
    """Devices that have a disk in common in a minute are of one group."""
    pairs, devices = grids.on_devices, len(grids.devices.ops)
    label = np.arange(devices)
    while True:
        of_part = np.full(len(grids.parts.ops), max(devices, 1) - 1)
        np.minimum.at(of_part, pairs.left, label[pairs.right])
        lower = label.copy()
        np.minimum.at(lower, pairs.right, of_part[pairs.left])
        if bool((lower == label).all()):
            break
        label = lower
    return Groups(of_device=label, of_part=of_part, is_several=np.bincount(label, minlength=devices)[label] > 1)


def above_devices(grids: GriddedSides, solved: Solved, groups: Groups) -> Above:
    """(D·M, 2) of each group, at its first device."""
    ways = [_one_way(grids, solved, groups, way) for way in WAYS]
    return Above(**{name: np.stack([getattr(way, name) for way in ways], axis=1) for name in Above.__slots__})


def _one_way(grids: GriddedSides, solved: Solved, groups: Groups, way: Direction) -> Above:
    group, size = groups.of_device, len(grids.devices.ops)
    disks, ops = _disks(grids, groups, way, size)
    own = np.where(grids.devices.ops[:, way] > 0, grids.devices.ops[:, way], 0.0)
    devices, total = _devices(solved, own, group, way, size), sums(own, group, size)
    share = share_of_ops(ops, total)
    is_all = np.abs(ops - total) <= FULL_SHARE_TOLERANCE * total
    part = widened(devices, np.where(is_all, 0.0, PART_SHARE * (1 - np.nan_to_num(share)) * devices.value))
    is_open = _any(grids.devices.is_missing, group, size) | _any_disk_missing(grids, groups, size)
    known = ~np.isnan(disks.value) & ~np.isnan(part.value) & (ops > 0)
    of = np.where(is_all, total, ops)
    low = np.where(is_open, 0.0, np.maximum(disks.lower - part.upper, 0.0))
    high = np.maximum(disks.upper - part.lower, 0.0)
    time = np.minimum(np.maximum(disks.value - devices.value, low), high)
    way_above = Above(time=time * of, lower=low * of, upper=np.maximum(high, time) * of, ops=of)
    return way_above.map(lambda x: np.where(known, x, 0.0))


def _disks(grids: GriddedSides, groups: Groups, way: Direction, size: int) -> tuple[Intervals, Floats]:
    """The virtual disks' own time on each group, and their ops."""
    parts = np.unique(grids.on_devices.left)
    on = groups.of_part[parts]
    own, ops = vscsi(grids.parts, way), grids.parts.ops[parts, way]
    taken = Intervals(lower=own.lower[parts], upper=own.upper[parts], value=own.value[parts])
    return means(taken, ops, on, size), sums(np.where(ops > 0, ops, 0.0), on, size)


def _devices(solved: Solved, ops: Floats, group: Index, way: Direction, size: int) -> Intervals:
    limits, fitted = solved.limits[way], solved.fitted[way][:, Boundary.DEVICE]
    lower, upper = (
        np.where(np.isnan(fitted), np.nan, ends[:, Boundary.DEVICE]) for ends in (limits.lower, limits.upper)
    )
    return means(Intervals(lower=lower, upper=upper, value=fitted), ops, group, size)


def _any(flags: Bools, group: Index, size: int) -> Bools:
    found: Bools = sums(flags.astype(np.float64), group, size) > 0
    return found


def _any_disk_missing(grids: GriddedSides, groups: Groups, size: int) -> Bools:
    parts = np.unique(grids.on_devices.left)
    return _any(grids.parts.is_missing[parts] & grids.parts.is_present[parts], groups.of_part[parts], size)


def split_over_extents(above: Above, grids: GriddedSides, groups: Groups) -> Above:
    """(D·M, 2) of each device by itself. Of a group's time only the lower bound is split, by the devices' ops: the rest may be of any of
    them, and how much of it is open."""
    group = groups.of_device
    ops = np.where(grids.devices.ops > 0, grids.devices.ops, 0.0)
    total = sums(ops, group, len(group))[group]
    part = np.divide(ops, total, out=np.zeros_like(ops), where=total > 0)
    several = groups.is_several[:, None]
    whole = Above(**{name: getattr(above, name)[group] for name in Above.__slots__})
    return Above(
        time=np.where(several, whole.lower * part, above.time),
        lower=np.where(several, 0.0, above.lower),
        upper=np.where(several, np.where(part > 0, whole.upper, 0.0), above.upper),
        ops=np.where(several, whole.ops * part, above.ops),
    )


def with_above(rows: LedgerRows, above: Above) -> LedgerRows:
    """Rows (n,) with what disks have above them. Where the kernel's own span was not measured, it shows as a segment only."""
    names = ("time", "lower", "upper", "ops")
    changed: dict[str, Floats] = {}
    for name in names:
        segments = getattr(rows, f"segment_{name}").copy()
        segments[..., Segment.HYPERVISOR] += _with_sum(getattr(above, name))
        changed[f"segment_{name}"] = segments
    has_kernel = rows.span_ops[..., KERNEL] > 0
    for name in names[:-1]:
        spans = getattr(rows, f"span_{name}").copy()
        spans[..., KERNEL] += np.where(has_kernel, _with_sum(getattr(above, name)), 0.0)
        changed[f"span_{name}"] = spans
    return replace(rows, outermost_lower=rows.outermost_lower + _with_sum(above.lower), **changed)


def _with_sum(ways: Floats) -> Floats:
    result: Floats = np.concatenate([ways, ways.sum(axis=1, keepdims=True)], axis=1)
    return result


_OF_HOSTS = (HostCounter.GAVG, HostCounter.DAVG, HostCounter.KAVG, HostCounter.QAVG)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRows:
    """rows: (U·M,) of all devices together, zeros where not `is_whole`. begins_at_disks: (U·M, 2) by direction, whether the time of the
    virtual disks is in them."""

    rows: LedgerRows
    is_whole: Bools
    begins_at_disks: Bools
    disagreement_us: Floats
    counted: CountBounds


@dataclass(frozen=True, slots=True, kw_only=True)
class _OnUnits:
    """Devices with a unit: rows of their grid, those of their units, and how many of these there are."""

    device: Index
    unit: Index
    size: int


def unit_rows(grids: GriddedSides) -> UnitRows:
    """A minute is whole where neither side lacks a sample, and every device with I/O has latency."""
    devices = np.flatnonzero(grids.topology.devices.unit != NONE)
    on = _OnUnits(
        device=in_minutes(devices, grids.minutes),
        unit=in_minutes(grids.topology.devices.unit[devices], grids.minutes),
        size=grids.topology.units * grids.minutes,
    )
    is_whole = _is_whole(grids, on)
    disks = [_disks_on(grids, on, way) for way in WAYS]
    ways = [_way(grids, on, way, disks[way], is_whole) for way in WAYS]
    found = attribute(ways[0], ways[1], _limit(grids, on))
    counts = np.where(is_whole[:, None], sums(grids.devices.counts[on.device], on.unit, on.size), 0.0)
    begins = np.stack([is_whole & ~np.isnan(one.value) for one in disks], axis=1)
    gap = found[Direction.ALL].limits.disagreement_us
    counted = counted_of(grids.devices)
    fewer, more = (sums(one[on.device], on.unit, on.size) for one in (counted.fewer, counted.more))
    return UnitRows(
        rows=rows_of(found, counts[:, 0], counts[:, 1]),
        is_whole=is_whole,
        begins_at_disks=begins,
        disagreement_us=gap,
        counted=CountBounds(fewer=fewer, more=more),
    )


def _is_whole(grids: GriddedSides, on: _OnUnits) -> Bools:
    grid, units = grids.devices, grids.units
    poor = (grid.is_missing & grid.is_present) | grid.is_blind
    for way in WAYS:
        untimed = np.isnan(grid.value.value[:, way, HostCounter.GAVG]) | np.isnan(
            grid.value.value[:, way, HostCounter.DAVG]
        )
        poor = poor | (untimed & (grid.ops[:, way] > 0))
    has_devices = sums(np.ones(len(on.unit)), on.unit, on.size) > 0
    whole: Bools = (
        has_devices
        & (sums(poor[on.device].astype(np.float64), on.unit, on.size) == 0)
        & units.is_present
        & ~units.is_missing
    )
    return whole


def _way(grids: GriddedSides, on: _OnUnits, way: Direction, disks: Intervals, is_whole: Bools) -> OneWay:
    ops = sums(grids.devices.ops[on.device, way], on.unit, on.size)
    counted = grids.units.ops[:, way]
    # What either side counted beyond the other, as at a minute's edge, may have taken no time or twice as much.
    beyond = 1 - np.fmin(share_of_ops(ops, counted), share_of_ops(counted, ops))
    host = {counter: _mean(grids, on, way, counter) for counter in _OF_HOSTS}
    array = grids.units.value
    boundaries = {
        Boundary.VSCSI: disks,
        Boundary.DEVICE: host[HostCounter.GAVG],
        Boundary.DRIVER: host[HostCounter.DAVG],
        Boundary.ARRAY: _with_others(pick(array, way, WHOLE), beyond),
        Boundary.ARRAY_INTERNAL: _with_others(pick(array, way, INTERNAL), beyond),
    }
    chain = chain_of(on.size, boundaries, host[HostCounter.KAVG], host[HostCounter.QAVG])
    fewest, most = (sums(one[on.device, way], on.unit, on.size) for one in (grids.devices.fewest, grids.devices.most))
    return OneWay(chain, np.where(is_whole, ops, 0.0), array_parts(array, way), (fewest, most))


def _with_others(mean: Intervals, beyond: Floats) -> Intervals:
    return widened(mean, np.nan_to_num(beyond) * mean.value)


def _mean(grids: GriddedSides, on: _OnUnits, way: Direction, counter: HostCounter) -> Intervals:
    own = pick(grids.devices.value, way, counter)
    return _of_units(own, grids.devices.ops[:, way], on)


def _disks_on(grids: GriddedSides, on: _OnUnits, way: Direction) -> Intervals:
    """Absent unless the virtual disks of every device account for its ops."""
    return _of_units(of_its_disks(grids, way), grids.devices.ops[:, way], on)


def _of_units(own: Intervals, ops: Floats, on: _OnUnits) -> Intervals:
    taken = Intervals(lower=own.lower[on.device], upper=own.upper[on.device], value=own.value[on.device])
    return means(taken, ops[on.device], on.unit, on.size)


def _limit(grids: GriddedSides, on: _OnUnits) -> Floats:
    """Little's bound on the mean of the devices; none where one of them has none."""
    limit = depth_bound(depths(grids), iops(grids.devices).sum(axis=1), IOPS_COUNTERS)
    known = np.where(np.isfinite(limit), limit, np.nan)
    mean = _of_units(Intervals(lower=known, upper=known, value=known), grids.devices.ops.sum(axis=1), on).value
    return np.where(np.isnan(mean), np.inf, mean)
