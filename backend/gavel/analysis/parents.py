"""What leaves add up to: VMs, datastores, hosts, clusters, volumes, arrays and the environment, nothing counted twice (attribution.md §4).

A VM is its disks. Everything else is its devices, from their virtual disks' own time on where these account for all of their I/Os, and what
disks have above them where they do not. A datastore's and a volume's devices are taken together, unit by unit: there the array's average is
theirs. A disk that has no device of its own to speak for it (vVol, NFS) brings all of its time itself, but to its host, where its protocol
endpoint is a device.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.above_devices import (
    Above,
    UnitRows,
    above_devices,
    groups_of,
    split_over_extents,
    unit_rows,
    with_above,
)
from gavel.analysis.above_disks import above_disks
from gavel.analysis.attribution import QualityReason, attributed_from
from gavel.analysis.counted_leaves import Fed, counted_of, over_counts
from gavel.analysis.device_leaves import DeviceLeaves
from gavel.analysis.diagnosis import LEAST_SHARE_OF_DEVICE, Reason
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import rows_of
from gavel.analysis.parent_notes import (
    OnUnits,
    RollupPairs,
    added_rows,
    carried,
    feed,
    full_queues,
    has_any,
    has_any_with_ops,
    joined_carried,
    joined_feeds,
    known_sum,
    minor_of_volume,
    notes_of,
    placed_by_arrival,
    present,
    rolled,
)
from gavel.analysis.sides import WAYS, GriddedLeaves, GriddedSides, depths
from gavel.analysis.topology import NONE, Index, in_minutes, sums
from gavel.domain.io_path import Boundary, Direction
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import ScopeKind

# What stands beside a minute of which the ops are not known.
_UNTOLD = int(QualityReason.SIDE_MISSING | QualityReason.SAMPLE_MISSING)
_MINUTE_S = 60.0
# The parts that hosts have of a volume are all there again in what it carries.
_OF_PLACES = [reason for reason in QualityReason if reason is not QualityReason.SMALL_SHARE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parents:
    """Rows (things · M,) of one kind; only those where `is_present` have a leaf that was measured, or ought to have been.

    is_blind: none of its leaves told its ops; they stand as 0 here, and leave as not measured.
    """

    kind: ScopeKind
    rows: LedgerRows
    notes: Notes
    is_present: Bools
    is_blind: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stacks:
    """The devices from the virtual disks on. by_host: (D·M,) each by itself; by_unit: all of a unit together, where that is whole.

    above_*: (D·M, 2) what disks have above devices and is in neither; `above_extents` where extents are apart.
    """

    devices: DeviceLeaves
    by_host: LedgerRows
    by_unit: UnitRows
    above_hosts: Above
    above_units: Above
    above_extents: Above


@dataclass(frozen=True, slots=True, kw_only=True)
class _Feeds:
    """`below`: devices; `above`: disks on those devices, for what they say of queues; `whole`: disks that speak for themselves;
    `units`: units that `below` has all devices of, or None where it has not."""

    below: RollupPairs
    above: RollupPairs
    whole: RollupPairs
    units: RollupPairs | None = None


def parents(grids: GriddedSides, devices: DeviceLeaves, disks: GriddedLeaves) -> Iterator[Parents]:
    """All kinds, one after the other."""
    minutes, parts, topology = grids.minutes, grids.topology.parts, grids.topology
    every_part = np.arange(len(parts))
    stacks = _stacks(grids, devices)
    yield _vms(grids, disks)
    for kind, things, of_device, of_part in (
        (ScopeKind.DATASTORE, topology.datastores, topology.devices.datastore, parts.datastore),
        (ScopeKind.HOST, topology.hosts, topology.devices.host, parts.host),
        (ScopeKind.CLUSTER, topology.clusters, topology.host_cluster[topology.devices.host], topology.host_cluster[parts.host]),
        (ScopeKind.ENVIRONMENT, 1, np.zeros(len(topology.devices), np.int64), np.zeros(len(parts), np.int64)),
    ):  # fmt: skip
        through = np.isin(every_part, parts.devices.left)
        if kind is ScopeKind.DATASTORE:
            through &= ~parts.is_whole
        feeds = _Feeds(
            below=feed(np.arange(len(of_device)), of_device, minutes),
            above=feed(every_part[through], of_part[through], minutes),
            whole=feed(every_part[~through], of_part[~through], minutes),
            units=_units_of_datastores(grids) if kind is ScopeKind.DATASTORE else None,
        )
        yield _placed(grids, kind, things * minutes, stacks, disks, feeds)
    yield from _array_side(grids, stacks, disks)


def _stacks(grids: GriddedSides, devices: DeviceLeaves) -> _Stacks:
    minutes, groups = grids.minutes, groups_of(grids)
    found = attributed_from(devices.solved, Boundary.VSCSI)
    counts = grids.devices.counts
    by_unit = unit_rows(grids)
    above = above_devices(grids, devices.solved, groups)
    begun = np.stack([devices.solved.limits[way].present[:, Boundary.VSCSI] for way in WAYS], axis=1)
    unit = in_minutes(np.maximum(grids.topology.devices.unit, 0), minutes)
    of_unit = by_unit.is_whole[unit] & np.repeat(grids.topology.devices.unit != NONE, minutes)
    inside = np.where(of_unit[:, None], by_unit.begins_at_disks[unit], begun)
    several = groups.is_several
    return _Stacks(
        devices=devices,
        by_host=rows_of(found, counts[:, 0], counts[:, 1]),
        by_unit=by_unit,
        above_hosts=above.where(~begun),
        above_units=above.where(~inside),
        above_extents=above.where(~inside)
        if not several.any()
        else split_over_extents(above, grids, groups).where(~inside),
    )


def _units_of_datastores(grids: GriddedSides) -> RollupPairs:
    """Units all of whose devices are of one datastore."""
    devices, units = grids.topology.devices, grids.topology.units
    known = devices.unit != NONE
    first, last = np.full(units, np.iinfo(np.int64).max), np.full(units, NONE)
    np.minimum.at(first, devices.unit[known], devices.datastore[known])
    np.maximum.at(last, devices.unit[known], devices.datastore[known])
    return feed(np.arange(units), np.where(first == last, last, NONE), grids.minutes)


def _vms(grids: GriddedSides, disks: GriddedLeaves) -> Parents:
    parts, minutes = grids.topology.parts, grids.minutes
    of_vms = feed(np.arange(len(parts)), parts.vm, minutes)
    size = grids.topology.vms * minutes
    told = carried(disks, of_vms)
    there = present(disks, of_vms)
    rows = over_counts(rolled(disks.rows, there, size), [Fed(disks.rows, counted_of(grids.parts), there)])
    ops = rows.ops[:, Direction.ALL]
    notes = notes_of(told, ops, size, list(QualityReason), [Reason.AMONG_EXTENTS])
    notes = replace(notes, device_ops=_device_ops_of_vms(grids, size), queue_depth=_depth_of_vms(grids, size))
    minor = (notes.device_ops > 0) & (ops < LEAST_SHARE_OF_DEVICE * notes.device_ops)
    reasons = (
        notes.reasons
        | full_queues(told, size)
        | np.where(minor, int(Reason.MINOR_PART_OF_DEVICE), 0)
        | minor_of_volume(grids, [OnUnits(disks, of_vms, _units_of_parts(grids))], size)
    )
    is_present = has_any(told, size)
    return Parents(
        kind=ScopeKind.VM,
        rows=rows,
        notes=replace(notes, reasons=reasons),
        is_present=is_present,
        is_blind=is_present & ~has_any_with_ops(told, size),
    )


def _units_of_parts(grids: GriddedSides) -> Index:
    """(K,) a disk's own unit, or that of its only device."""
    parts, devices = grids.topology.parts, grids.topology.devices
    unit = parts.unit.copy()
    alone = np.bincount(parts.devices.left, minlength=len(parts))[parts.devices.left] == 1
    left, right = parts.devices.left[alone], parts.devices.right[alone]
    own = unit[left]
    unit[left] = np.where(own == NONE, devices.unit[right], own)
    return unit


def _pairs_of_vms(grids: GriddedSides) -> tuple[Index, Index, Index]:
    """Rows of VM and device of every such pair, each once, and which of them each pair of a disk and a device is."""
    on, minutes, devices = grids.on_devices, grids.minutes, max(len(grids.devices.ops), 1)
    vm = grids.topology.parts.vm[on.left // minutes] * minutes + on.left % minutes
    pairs, pair = np.unique(vm * devices + on.right, return_inverse=True)
    return pairs // devices, pairs % devices, pair


def _device_ops_of_vms(grids: GriddedSides, size: int) -> Floats:
    """All ops of the devices that a VM's disks are on, each device once."""
    vm, device, _ = _pairs_of_vms(grids)
    ops, known = grids.devices.ops[device].sum(axis=1), grids.devices.is_present[device]
    return np.where(sums(known.astype(np.float64), vm, size) > 0, sums(ops, vm, size), np.nan)


def _depth_of_vms(grids: GriddedSides, size: int) -> Floats:
    """What the devices that a VM's disks are busy on hold together; several disks on one device share its queue."""
    vm, devices, pair = _pairs_of_vms(grids)
    busy = grids.parts.ops[grids.on_devices.left].sum(axis=1) > 0
    in_use = sums(busy.astype(np.float64), pair, len(vm)) > 0
    depth = np.where(in_use, depths(grids)[devices], np.nan)
    known = ~np.isnan(depth)
    count = sums(known.astype(np.float64), vm, size)
    return np.where(count > 0, sums(np.where(known, depth, 0.0), vm, size), np.nan)


def _array_side(grids: GriddedSides, stacks: _Stacks, disks: GriddedLeaves) -> Iterator[Parents]:
    """Volumes (a stretched one is the same on both of its arrays) and arrays (each gets its part of a stretched one)."""
    topology, minutes = grids.topology, grids.minutes
    volumes = topology.volumes
    of_unit = _by_unit(volumes.unit, topology.units)
    by_device, by_part = (_through(units, of_unit) for units in (topology.devices.unit, topology.parts.unit))
    by_unit = _through(np.arange(topology.units), of_unit)
    feeds = _Feeds(
        below=feed(*by_device, minutes),
        above=_disks_above(grids, of_unit, ScopeKind.VOLUME),
        whole=feed(*by_part, minutes),
        units=feed(*by_unit, minutes),
    )
    yield _placed(grids, ScopeKind.VOLUME, len(volumes) * minutes, stacks, disks, feeds)
    below, whole, units = (
        feed(leaf, volumes.array[volume], minutes, _array_share(grids, volume))
        for leaf, volume in (by_device, by_part, by_unit)
    )
    above = _disks_above(grids, of_unit, ScopeKind.ARRAY)
    feeds = _Feeds(below=below, above=above, whole=joined_feeds(whole, _directories(grids)), units=units)
    yield _placed(grids, ScopeKind.ARRAY, topology.arrays * minutes, stacks, disks, feeds)


def _by_unit(unit: Index, units: int) -> tuple[Index, Index]:
    """Volumes in order of their unit, and where each unit's begin."""
    order = np.argsort(unit, kind="stable")
    return order, np.searchsorted(unit[order], np.arange(units + 1))


def _through(units: Index, of_unit: tuple[Index, Index]) -> tuple[Index, Index]:
    """Pairs leaf → volume by the leaves' units."""
    order, starts = of_unit
    leaf = np.flatnonzero(units != NONE)
    first, last = starts[units[leaf]], starts[units[leaf] + 1]
    counts = last - first
    repeated = np.repeat(np.arange(len(leaf)), counts)
    step = np.arange(len(repeated)) - np.repeat(np.cumsum(counts) - counts, counts)
    return leaf[repeated], order[first[repeated] + step]


def _array_share(grids: GriddedSides, volume: Index) -> Floats:
    """(pairs · M,) part of a unit's ops that this volume's array did; equal parts while it idles."""
    minutes, of_volume = grids.minutes, grids.topology.volumes
    ops = grids.volume_ops[in_minutes(volume, minutes)]
    units = in_minutes(of_volume.unit[volume], minutes)
    known = np.flatnonzero(of_volume.unit != NONE)
    group = in_minutes(of_volume.unit[known], minutes)
    size = grids.topology.units * minutes
    total = sums(grids.volume_ops[in_minutes(known, minutes)], group, size)[units]
    volumes = sums(np.ones(len(group)), group, size)[units]
    share: Floats = np.divide(ops, total, out=1 / np.maximum(volumes, 1.0), where=total > 0)
    return share


def _disks_above(grids: GriddedSides, of_unit: tuple[Index, Index], kind: ScopeKind) -> RollupPairs:
    """Disks on devices, for what they say of queues: split over the volumes of their devices by the devices' ops."""
    topology, minutes = grids.topology, grids.minutes
    pairs = topology.parts.devices
    through = topology.parts.unit[pairs.left] == NONE
    part, device = pairs.left[through], pairs.right[through]
    pair, volume = _through(topology.devices.unit[device], of_unit)
    rows = in_minutes(device, minutes)
    ops = grids.devices.ops.sum(axis=1)[rows]
    of_part = in_minutes(part, minutes)
    size = len(topology.parts) * minutes
    total = sums(ops, of_part, size)[of_part]
    devices = sums(np.ones(len(of_part)), of_part, size)[of_part]
    split = np.divide(ops, total, out=1 / np.maximum(devices, 1.0), where=total > 0)
    weight = split.reshape(-1, minutes)[pair].reshape(-1)
    if kind is ScopeKind.VOLUME:
        return feed(part[pair], volume, minutes, weight)
    return feed(part[pair], topology.volumes.array[volume], minutes, weight * _array_share(grids, volume))


def _directories(grids: GriddedSides) -> RollupPairs:
    units = grids.topology.parts.unit
    array = np.where(units == NONE, NONE, grids.topology.unit_array[units])
    return feed(np.arange(len(units)), array, grids.minutes)


def _placed(
    grids: GriddedSides, kind: ScopeKind, size: int, stacks: _Stacks, disks: GriddedLeaves, feeds: _Feeds
) -> Parents:
    devices = stacks.devices if feeds.units is None else _noted_by_unit(grids, stacks)
    under, over, alone = (
        carried(leaves, one) for leaves, one in ((devices, feeds.below), (disks, feeds.above), (disks, feeds.whole))
    )
    there = present(disks, feeds.whole)
    rows, counted, above = _from_devices(grids, kind, size, stacks, feeds)
    total = added_rows(rows, rolled(disks.rows, there, size))
    rows = with_above(over_counts(total, [*counted, Fed(disks.rows, counted_of(grids.parts), there)]), above)
    told = joined_carried(under, alone)
    rows = added_rows(rows, above_disks(grids, disks, feeds.above, has_any_with_ops(under, size), size))
    guests = joined_carried(over, alone)
    notes = notes_of(told, rows.ops[:, Direction.ALL], size, _OF_PLACES)
    on_units = [
        OnUnits(devices, feeds.below, grids.topology.devices.unit),
        OnUnits(disks, feeds.whole, grids.topology.parts.unit),
    ]
    # A volume is all of itself, but for what no host of ours did.
    minor = minor_of_volume(grids, on_units, size)
    notes = replace(
        notes,
        reasons=notes.reasons | full_queues(guests, size) | placed_by_arrival(guests, size) | minor,
        outstanding_s=known_sum(guests.notes.outstanding_s, guests, size),
    )
    # Where its disks were told of and its devices were not, nobody knows what went through these.
    is_present, unseen = has_any(told, size), has_any(over, size) & ~has_any(told, size)
    notes = replace(
        notes,
        quality_reasons=np.where(unseen, _UNTOLD, notes.quality_reasons),
        missing_s=np.where(unseen, _MINUTE_S, notes.missing_s),
    )
    return Parents(
        kind=kind,
        rows=rows,
        notes=notes,
        is_present=is_present | unseen,
        is_blind=unseen | (is_present & ~has_any_with_ops(told, size)),
    )


def _from_devices(
    grids: GriddedSides, kind: ScopeKind, size: int, stacks: _Stacks, feeds: _Feeds
) -> tuple[LedgerRows, list[Fed], Above]:
    """What a place has from its devices on, unit by unit where it has all of a unit's, else device by device; the leaves that these are
    the sum of; and what disks have above them."""
    below = present(stacks.devices, feeds.below)
    if feeds.units is None:
        above = stacks.above_hosts.summed(feeds.below.leaf, feeds.below.parent, size)
        rows = rolled(stacks.by_host, below, size)
        return rows, [Fed(stacks.by_host, counted_of(grids.devices), below)], above
    units = feeds.units.only(stacks.by_unit.is_whole)
    together = np.zeros(len(stacks.devices.is_present), dtype=np.bool_)
    together[feeds.below.leaf] = _in_whole_units(grids, stacks, feeds)[feeds.below.leaf]
    apart = below.only(~together)
    rows = added_rows(rolled(stacks.by_unit.rows, units, size), rolled(stacks.by_host, apart, size))
    counted = [
        Fed(stacks.by_unit.rows, stacks.by_unit.counted, units),
        Fed(stacks.by_host, counted_of(grids.devices), apart),
    ]
    above = stacks.above_units if kind is ScopeKind.DATASTORE else stacks.above_extents
    taken = Above(**{name: getattr(above, name)[feeds.below.leaf] for name in Above.__slots__}).weighed(
        feeds.below.weight
    )
    return rows, counted, taken.summed(np.arange(len(feeds.below.leaf)), feeds.below.parent, size)


def _in_whole_units(grids: GriddedSides, stacks: _Stacks, feeds: _Feeds) -> Bools:
    """(D·M,) devices that are told of by the row of their unit, which this place has."""
    minutes, units = grids.minutes, grids.topology.devices.unit
    has = np.zeros(grids.topology.units + 1, dtype=np.bool_)
    if feeds.units is not None:
        has[feeds.units.leaf[::minutes] // minutes] = True
    at = in_minutes(np.maximum(units, 0), minutes)
    told: Bools = np.repeat(has[units] & (units != NONE), minutes) & stacks.by_unit.is_whole[at]
    return told


def _noted_by_unit(grids: GriddedSides, stacks: _Stacks) -> GriddedLeaves:
    """The devices with what a row of their unit says of contradictions: an average that is none of a part's is none of the whole's."""
    devices, minutes = stacks.devices, grids.minutes
    units = grids.topology.devices.unit
    at = in_minutes(np.maximum(units, 0), minutes)
    whole = np.repeat(units != NONE, minutes) & stacks.by_unit.is_whole[at]
    gap = np.where(whole, stacks.by_unit.disagreement_us[at], devices.notes.disagreement_us)
    flags = []
    for known, flag in (
        (devices.notes.reasons, Reason.DISAGREEMENT),
        (devices.notes.quality_reasons, QualityReason.DISAGREEMENT),
    ):
        flags.append((known & ~int(flag)) | np.where(gap > 0, int(flag), 0))
    notes = replace(devices.notes, reasons=flags[0], quality_reasons=flags[1], disagreement_us=gap)
    return GriddedLeaves(rows=devices.rows, notes=notes, is_present=devices.is_present, is_blind=devices.is_blind)
