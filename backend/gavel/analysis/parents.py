"""What leaves add up to: VMs, datastores, hosts, clusters, volumes, arrays and the estate, with nothing counted twice (attribution.md §4).

Below the device everything comes from `host_device` rows, guest queue and hypervisor from `vm_disk` rows. A disk that has no device of
its own to speak for it (vVol, NFS) brings all of its time itself, but to its host, where its protocol endpoint is a device.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import IntFlag

import numpy as np

from gavel.analysis.columns import joined, picked
from gavel.analysis.device_leaves import ALL_OF_IT
from gavel.analysis.grade import GradeReason
from gavel.analysis.grouping import in_minutes, sums
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import KERNEL, LedgerRows, place
from gavel.analysis.notes import Flags, Notes
from gavel.analysis.sides import Leaves, Sides, depths
from gavel.analysis.topology import NONE, Index
from gavel.analysis.verdict import LEAST_SHARE_OF_DEVICE, Reason
from gavel.domain.io_path import Direction, Segment
from gavel.domain.scope import ScopeKind

# What a smaller part of the I/Os suffers says nothing about the whole.
MATERIAL_SHARE = 0.05
# From here on the queues of the disks speak for what they are on.
_QUEUES_SHARE = 0.5
_PARTS = ("time", "lower", "upper", "ops")
# What stands beside a minute of which the ops are not known.
_UNTOLD = int(GradeReason.SIDE_MISSING | GradeReason.SAMPLE_MISSING)
_MINUTE_S = 60.0
# The parts that hosts have of a volume are all there again in what it carries.
_OF_PLACES = [reason for reason in GradeReason if reason is not GradeReason.SMALL_SHARE]


@dataclass(frozen=True, slots=True)
class Parents:
    """Rows (things · M,) of one kind; only those where `is_present` have a leaf that was measured, or ought to have been.

    is_blind: none of its leaves told its ops; they stand as 0 here, and leave as not measured.
    """

    kind: ScopeKind
    rows: LedgerRows
    notes: Notes
    is_present: Bools
    is_blind: Bools


@dataclass(frozen=True, slots=True)
class _Feed:
    """Leaf rows (r,) and the parent rows they go to, each with the part of itself that goes there."""

    leaf: Index
    parent: Index
    weight: Floats


def parents(both: Sides, devices: Leaves, disks: Leaves) -> Iterator[Parents]:
    """All kinds, one after the other."""
    minutes, parts, topology = both.minutes, both.topology.parts, both.topology
    every_part = np.arange(len(parts))
    hosts: _Sums | None = None
    yield _vms(both, disks)
    for kind, things, of_device, of_part in (
        (ScopeKind.DATASTORE, topology.datastores, topology.devices.datastore, parts.datastore),
        (ScopeKind.HOST, topology.hosts, topology.devices.host, parts.host),
        (ScopeKind.CLUSTER, topology.clusters, topology.host_cluster[topology.devices.host], topology.host_cluster[parts.host]),
        (ScopeKind.ESTATE, 1, np.zeros(len(topology.devices), np.int64), np.zeros(len(parts), np.int64)),
    ):  # fmt: skip
        through = np.isin(every_part, parts.devices.left)
        if kind is ScopeKind.DATASTORE:
            through &= ~parts.is_whole
        below = _feed(np.arange(len(of_device)), of_device, minutes)
        above = _feed(every_part[through], of_part[through], minutes)
        whole = _feed(every_part[~through], of_part[~through], minutes)
        if hosts is None:
            sums_ = _summed(things * minutes, devices, disks, below, above, whole)
        else:
            of_host = topology.host_cluster if kind is ScopeKind.CLUSTER else np.zeros(topology.hosts, np.int64)
            sums_ = _onwards(hosts, _feed(np.arange(topology.hosts), of_host, minutes), things * minutes)
        hosts = sums_ if kind is ScopeKind.HOST else hosts
        yield _placed(kind, things * minutes, devices, disks, below, above, whole, sums_)
    yield from _array_side(both, devices, disks)


def _feed(leaf: Index, parent: Index, minutes: int, weight: Floats | None = None) -> _Feed:
    known = parent != NONE
    rows = in_minutes(leaf[known], minutes)
    weights = np.ones(len(rows)) if weight is None else weight.reshape(-1, minutes)[known].reshape(-1)
    return _Feed(rows, in_minutes(parent[known], minutes), weights)


def _vms(both: Sides, disks: Leaves) -> Parents:
    parts, minutes = both.topology.parts, both.minutes
    feed = _feed(np.arange(len(parts)), parts.vm, minutes)
    size = both.topology.vms * minutes
    told = _carried(disks, feed)
    rows = _rolled(disks.rows, _present(disks, feed), size)
    ops = rows.ops[:, Direction.ALL]
    notes = _notes(told, ops, size, list(GradeReason))
    full = _full_queues(told, size)
    minor = (notes.device_ops > 0) & (ops < LEAST_SHARE_OF_DEVICE * notes.device_ops)
    reasons = notes.reasons | full | np.where(minor, int(Reason.MINOR_PART_OF_DEVICE), 0)
    notes = replace(notes, reasons=reasons, queue_depth=_depth_of_vms(both, size))
    is_present = _any(told, size)
    return Parents(ScopeKind.VM, rows, notes, is_present, is_present & ~_any_told(told, size))


def _depth_of_vms(both: Sides, size: int) -> Floats:
    """What the devices that a VM's disks are busy on hold together; several disks on one device share its queue."""
    parts, minutes, devices = both.topology.parts, both.minutes, len(both.topology.devices)
    owned = parts.vm[parts.devices.left] * devices + parts.devices.right
    pairs, pair = np.unique(owned, return_inverse=True)
    busy = both.parts.ops[in_minutes(parts.devices.left, minutes)].sum(axis=1) > 0
    in_use = sums(busy.astype(np.float64), in_minutes(pair, minutes), len(pairs) * minutes) > 0
    depth = np.where(in_use, depths(both)[in_minutes(pairs % devices, minutes)], np.nan)
    vm, known = in_minutes(pairs // devices, minutes), ~np.isnan(depth)
    count = sums(known.astype(np.float64), vm, size)
    return np.where(count > 0, sums(np.where(known, depth, 0.0), vm, size), np.nan)


def _array_side(both: Sides, devices: Leaves, disks: Leaves) -> Iterator[Parents]:
    """Volumes (a stretched one is the same on both of its arrays) and arrays (each gets its part of a stretched one)."""
    topology, minutes = both.topology, both.minutes
    volumes = topology.volumes
    of_unit = _by_unit(volumes.unit, topology.units)
    by_device, by_part = (_through(units, of_unit) for units in (topology.devices.unit, topology.parts.unit))
    size = len(volumes) * minutes
    feeds = (_feed(*by_device, minutes), _disks_above(both, of_unit, ScopeKind.VOLUME), _feed(*by_part, minutes))
    of_volumes = _summed(size, devices, disks, *feeds)
    yield _placed(ScopeKind.VOLUME, size, devices, disks, *feeds, of_volumes)
    size = topology.arrays * minutes
    below, whole = (
        _feed(leaf, volumes.array[volume], minutes, _array_share(both, volume)) for leaf, volume in (by_device, by_part)
    )
    files, every = _directories(both), np.arange(len(volumes))
    sums_ = _onwards(of_volumes, _feed(every, volumes.array, minutes, _array_share(both, every)), size)
    sums_ = replace(sums_, alone=_added(sums_.alone, _rolled(disks.rows, _present(disks, files), size)))
    above = _disks_above(both, of_unit, ScopeKind.ARRAY)
    yield _placed(ScopeKind.ARRAY, size, devices, disks, below, above, _joined(whole, files), sums_)


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


def _array_share(both: Sides, volume: Index) -> Floats:
    """(pairs · M,) part of a unit's ops that this volume's array did; equal parts while it idles."""
    minutes, of_volume = both.minutes, both.topology.volumes
    ops = both.volume_ops[in_minutes(volume, minutes)]
    units = in_minutes(of_volume.unit[volume], minutes)
    known = np.flatnonzero(of_volume.unit != NONE)
    group = in_minutes(of_volume.unit[known], minutes)
    size = both.topology.units * minutes
    total = sums(both.volume_ops[in_minutes(known, minutes)], group, size)[units]
    volumes = sums(np.ones(len(group)), group, size)[units]
    share: Floats = np.divide(ops, total, out=1 / np.maximum(volumes, 1.0), where=total > 0)
    return share


def _disks_above(both: Sides, of_unit: tuple[Index, Index], kind: ScopeKind) -> _Feed:
    """Disks on devices: their hypervisor time goes to the volumes of their devices, split by the devices' ops."""
    topology, minutes = both.topology, both.minutes
    pairs = topology.parts.devices
    through = topology.parts.unit[pairs.left] == NONE
    part, device = pairs.left[through], pairs.right[through]
    pair, volume = _through(topology.devices.unit[device], of_unit)
    rows = in_minutes(device, minutes)
    ops = both.devices.ops.sum(axis=1)[rows]
    of_part = in_minutes(part, minutes)
    size = len(topology.parts) * minutes
    total = sums(ops, of_part, size)[of_part]
    devices = sums(np.ones(len(of_part)), of_part, size)[of_part]
    split = np.divide(ops, total, out=1 / np.maximum(devices, 1.0), where=total > 0)
    weight = split.reshape(-1, minutes)[pair].reshape(-1)
    if kind is ScopeKind.VOLUME:
        return _feed(part[pair], volume, minutes, weight)
    return _feed(part[pair], topology.volumes.array[volume], minutes, weight * _array_share(both, volume))


def _directories(both: Sides) -> _Feed:
    units = both.topology.parts.unit
    array = np.where(units == NONE, NONE, both.topology.unit_array[units])
    return _feed(np.arange(len(units)), array, both.minutes)


def _joined(one: _Feed, two: _Feed) -> _Feed:
    return _Feed(
        np.concatenate([one.leaf, two.leaf]),
        np.concatenate([one.parent, two.parent]),
        np.concatenate([one.weight, two.weight]),
    )


@dataclass(frozen=True, slots=True)
class _Sums:
    """What places consist of, each (things · M,): devices; what disks on them have above; disks that speak for themselves."""

    under: LedgerRows
    over: LedgerRows
    alone: LedgerRows


def _summed(size: int, devices: Leaves, disks: Leaves, below: _Feed, above: _Feed, whole: _Feed) -> _Sums:
    return _Sums(
        _rolled(devices.rows, _present(devices, below), size),
        _rolled(_above_devices(disks.rows), _present(disks, above), size),
        _rolled(disks.rows, _present(disks, whole), size),
    )


def _onwards(sums_: _Sums, feed: _Feed, size: int) -> _Sums:
    """Sums of sums: clusters are made of hosts, arrays of their parts of volumes."""
    return _Sums(*(_rolled(getattr(sums_, field.name), feed, size) for field in fields(_Sums)))


def _placed(
    kind: ScopeKind,
    size: int,
    devices: Leaves,
    disks: Leaves,
    below: _Feed,
    above: _Feed,
    whole: _Feed,
    sums_: _Sums,
) -> Parents:
    """`below`: devices; `above`: disks on those devices, for what is above them; `whole`: disks that speak for themselves."""
    under, over, alone = (_carried(leaves, feed) for leaves, feed in ((devices, below), (disks, above), (disks, whole)))
    rows = _added(_held_by_disks(place(sums_.under, sums_.over), sums_.over), sums_.alone)
    told = _joined_notes(under, alone)
    guests = _joined_notes(over, alone)
    notes = _notes(told, rows.ops[:, Direction.ALL], size, _OF_PLACES)
    full = _full_queues(guests, size)
    notes = replace(notes, reasons=notes.reasons | full, outstanding_s=_sum(guests.notes.outstanding_s, guests, size))
    # Where its disks were told of and its devices were not, nobody knows what went through these.
    is_present, unseen = _any(told, size), _any(over, size) & ~_any(told, size)
    notes = replace(
        notes,
        grade_reasons=np.where(unseen, _UNTOLD, notes.grade_reasons),
        missing_s=np.where(unseen, _MINUTE_S, notes.missing_s),
    )
    return Parents(kind, rows, notes, is_present | unseen, unseen | (is_present & ~_any_told(told, size)))


def _held_by_disks(rows: LedgerRows, disks: LedgerRows) -> LedgerRows:
    """The kernel's bounds no wider than those of the virtual disks, where these account for all of the devices' ops.

    Both are bounds of the same time; the disks' come from one pair of edges, the devices' had the hypervisor's added.
    """
    own, theirs = rows.span_ops[..., KERNEL], disks.span_ops[..., KERNEL]
    same = (np.abs(theirs - own) <= ALL_OF_IT * own) & (own > 0)
    scale = np.maximum(np.divide(own, theirs, out=np.ones_like(own), where=theirs > 0), 1.0)
    time, lower, upper = (getattr(rows, f"span_{part}")[..., KERNEL] for part in ("time", "lower", "upper"))
    tight_lower = np.minimum(np.maximum(lower, disks.span_lower[..., KERNEL]), time)
    tight_upper = np.maximum(np.minimum(upper, disks.span_upper[..., KERNEL] * scale), time)
    new_lower, new_upper = rows.span_lower.copy(), rows.span_upper.copy()
    new_lower[..., KERNEL] = np.where(same, tight_lower, lower)
    new_upper[..., KERNEL] = np.where(same, tight_upper, upper)
    return replace(rows, span_lower=new_lower, span_upper=new_upper)


@dataclass(frozen=True, slots=True)
class _Carried:
    """Leaves on their way to their parents, one row per pair. ops and the sums of the notes are weighted already; blind ones have 0."""

    ops: Floats
    notes: Notes
    parent: Index
    is_blind: Bools


def _present(leaves: Leaves, feed: _Feed) -> _Feed:
    there = leaves.is_present[feed.leaf]
    return feed if there.all() else _Feed(feed.leaf[there], feed.parent[there], feed.weight[there])


def _carried(leaves: Leaves, feed: _Feed) -> _Carried:
    present = _present(leaves, feed)
    leaf, parent, weight = present.leaf, present.parent, present.weight
    notes = picked(leaves.notes, leaf)
    summed = ("device_ops", "array_ops", "outstanding_s")
    notes = replace(notes, **{name: getattr(notes, name) * weight for name in summed})
    return _Carried(leaves.rows.ops[leaf, Direction.ALL] * weight, notes, parent, leaves.is_blind[leaf])


def _rolled(rows: LedgerRows, feed: _Feed, size: int) -> LedgerRows:
    """Sums of weighted rows, taken from their table in the order in which they add up."""
    order = np.argsort(feed.parent, kind="stable")
    leaf, parent, weight = feed.leaf[order], feed.parent[order], feed.weight[order]
    is_plain = bool((weight == 1).all())

    def summed(numbers: Floats) -> Floats:
        taken = numbers[leaf]
        return sums(taken if is_plain else taken * weight.reshape(-1, *(1,) * (taken.ndim - 1)), parent, size)

    return LedgerRows(*(summed(getattr(rows, field.name)) for field in fields(LedgerRows)))


def _above_devices(rows: LedgerRows) -> LedgerRows:
    """Only what a place takes from its disks: guest queue, hypervisor, and the kernel's span to hold its own against."""
    return replace(
        rows,
        **{f"segment_{part}": getattr(rows, f"segment_{part}")[..., : Segment.KERNEL_QUEUE] for part in _PARTS},
        **{f"span_{part}": getattr(rows, f"span_{part}")[..., : KERNEL + 1] for part in _PARTS},
    )


def _added(one: LedgerRows, two: LedgerRows) -> LedgerRows:
    return LedgerRows(*(getattr(one, field.name) + getattr(two, field.name) for field in fields(LedgerRows)))


def _joined_notes(one: _Carried, two: _Carried) -> _Carried:
    notes = joined([one.notes, two.notes])
    ops, parent, is_blind = (
        np.concatenate([getattr(one, name), getattr(two, name)]) for name in ("ops", "parent", "is_blind")
    )
    return _Carried(ops, notes, parent, is_blind)


def _notes(told: _Carried, ops: Floats, size: int, graded: Sequence[GradeReason]) -> Notes:
    notes = told.notes
    busy_depth = np.where(told.ops > 0, notes.queue_depth, np.nan)
    return Notes(
        _flags(notes.reasons, told, ops, size, [Reason.DISAGREEMENT], MATERIAL_SHARE),
        _flags(notes.grade_reasons, told, ops, size, graded, MATERIAL_SHARE),
        _highest(notes.disagreement_us, told, size),
        _highest(notes.offset_error_s, told, size),
        _highest(notes.missing_s, told, size),
        _sum(notes.device_ops, told, size),
        _sum(notes.array_ops, told, size),
        _sum(notes.outstanding_s, told, size),
        _sum(busy_depth, told, size),
    )


def _full_queues(disks: _Carried, size: int) -> Flags:
    ops = sums(disks.ops, disks.parent, size)
    return _flags(disks.notes.reasons, disks, ops, size, [Reason.VIRTUAL_DISK_QUEUE_FULL], _QUEUES_SHARE)


def _flags(flags: Flags, told: _Carried, ops: Floats, size: int, which: Sequence[IntFlag], share: float) -> Flags:
    """Those that leaves with at least `share` of the I/Os have; where nothing ran, those that any leaf has."""
    result = np.zeros(size, dtype=np.int64)
    weights, ops = _guessed(told, ops, size)
    for flag in which:
        has = (flags & int(flag)) > 0
        if has.any():
            affected = sums(np.where(has, weights, 0.0), told.parent, size)
            found = sums(has.astype(np.float64), told.parent, size) > 0
            result |= np.where(found & ((ops <= 0) | (affected >= share * ops)), int(flag), 0)
    return result


def _guessed(told: _Carried, ops: Floats, size: int) -> tuple[Floats, Floats]:
    """Ops of leaves and places with blind leaves taken for average ones of their place: what they carry is not known, but not nothing."""
    if not told.is_blind.any():
        return told.ops, ops
    seen = sums((~told.is_blind).astype(np.float64), told.parent, size)
    mean = np.divide(ops, seen, out=np.zeros_like(ops), where=seen > 0)
    guesses = np.where(told.is_blind, mean[told.parent], 0.0)
    return told.ops + guesses, ops + sums(guesses, told.parent, size)


def _any(told: _Carried, size: int) -> Bools:
    return sums(np.ones(len(told.parent)), told.parent, size) > 0


def _any_told(told: _Carried, size: int) -> Bools:
    return sums((~told.is_blind).astype(np.float64), told.parent, size) > 0


def _sum(numbers: Floats, told: _Carried, size: int) -> Floats:
    """Of what is known; NaN where nothing is."""
    known = sums((~np.isnan(numbers)).astype(np.float64), told.parent, size)
    return np.where(known > 0, sums(np.nan_to_num(numbers), told.parent, size), np.nan)


def _highest(numbers: Floats, told: _Carried, size: int) -> Floats:
    highest = np.full(size, -np.inf)
    np.maximum.at(highest, told.parent, np.nan_to_num(numbers, nan=-np.inf))
    return np.where(np.isfinite(highest), highest, np.nan)
