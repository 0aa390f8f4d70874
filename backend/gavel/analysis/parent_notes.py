"""What stands beside the rows of parents: flags that enough of their leaves have, the worst of them, sums."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import IntFlag

import numpy as np

from gavel.analysis.attribution import QualityReason, share_of_ops
from gavel.analysis.diagnosis import LEAST_SHARE_OF_VOLUME, Reason
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.segments import SPAN_LAYERS
from gavel.analysis.sides import GriddedLeaves, GriddedSides
from gavel.analysis.topology import NONE, Index, in_minutes, sums
from gavel.domain.io_path import Direction, Layer
from gavel.domain.ledger import Flags, LedgerRows, Notes, joined, picked


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupPairs:
    """Leaf rows (r,) and the parent rows they go to, with a weight each; every pair with all of its minutes, one after the other."""

    leaf: Index
    parent: Index
    weight: Floats

    def only(self, wanted: Bools) -> "RollupPairs":
        """Of leaf rows (things · M,) those that are wanted."""
        here = wanted[self.leaf]
        return (
            self
            if here.all()
            else RollupPairs(leaf=self.leaf[here], parent=self.parent[here], weight=self.weight[here])
        )


def feed(leaf: Index, parent: Index, minutes: int, weight: Floats | None = None) -> RollupPairs:
    """Pairs of things; those without a parent are left out."""
    known = parent != NONE
    rows = in_minutes(leaf[known], minutes)
    weights = np.ones(len(rows)) if weight is None else weight.reshape(-1, minutes)[known].reshape(-1)
    return RollupPairs(leaf=rows, parent=in_minutes(parent[known], minutes), weight=weights)


def joined_feeds(first: RollupPairs, second: RollupPairs) -> RollupPairs:
    return RollupPairs(
        leaf=np.concatenate([first.leaf, second.leaf]),
        parent=np.concatenate([first.parent, second.parent]),
        weight=np.concatenate([first.weight, second.weight]),
    )


def present(leaves: GriddedLeaves, pairs: RollupPairs) -> RollupPairs:
    return pairs.only(leaves.is_present)


def rolled(rows: LedgerRows, pairs: RollupPairs, size: int) -> LedgerRows:
    """Sums of weighted rows, taken from their table in the order in which they add up."""
    order = np.argsort(pairs.parent, kind="stable")
    leaf, parent, weight = pairs.leaf[order], pairs.parent[order], pairs.weight[order]
    is_plain = bool((weight == 1).all())

    def summed(numbers: Floats) -> Floats:
        taken = numbers[leaf]
        return sums(taken if is_plain else taken * weight.reshape(-1, *(1,) * (taken.ndim - 1)), parent, size)

    return LedgerRows(**{field.name: summed(getattr(rows, field.name)) for field in fields(LedgerRows)})


def added_rows(first: LedgerRows, second: LedgerRows) -> LedgerRows:
    return LedgerRows(
        **{field.name: getattr(first, field.name) + getattr(second, field.name) for field in fields(LedgerRows)}
    )


# What a smaller part of the I/Os, and of their time, suffers says nothing about the whole.
MATERIAL_SHARE = 0.05
# From here on the queues of the disks speak for what they are on.
_QUEUES_SHARE = 0.5
# What keeps the diagnosis of a part below confirmed keeps that of the whole below it, where the part is material. Its minor parts are
# another question for a sum of parts.
_CARRIED = (Reason.WHOLE_MILLISECONDS, Reason.DISAGREEMENT, Reason.SAMPLE_MISSING, Reason.GUEST_BY_ARRIVAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedLeaves:
    """Leaves on their way to their parents, one row per pair. ops, time (µs × ops in all layers) and the sums of the notes are weighted
    already; blind ones have 0."""

    ops: Floats
    time: Floats
    notes: Notes
    parent: Index
    is_blind: Bools


def carried(leaves: GriddedLeaves, pairs: RollupPairs) -> WeightedLeaves:
    there = present(leaves, pairs)
    leaf, parent, weight = there.leaf, there.parent, there.weight
    notes = picked(leaves.notes, leaf)
    summed = ("device_ops", "array_ops", "outstanding_s")
    notes = replace(notes, **{name: getattr(notes, name) * weight for name in summed})
    time = leaves.rows.span_time[:, Direction.ALL].sum(axis=-1)[leaf] * weight
    return WeightedLeaves(
        ops=leaves.rows.ops[leaf, Direction.ALL] * weight,
        time=time,
        notes=notes,
        parent=parent,
        is_blind=leaves.is_blind[leaf],
    )


def joined_carried(first: WeightedLeaves, second: WeightedLeaves) -> WeightedLeaves:
    notes = joined([first.notes, second.notes])
    ops, time, parent, is_blind = (
        np.concatenate([getattr(first, name), getattr(second, name)]) for name in ("ops", "time", "parent", "is_blind")
    )
    return WeightedLeaves(ops=ops, time=time, notes=notes, parent=parent, is_blind=is_blind)


def notes_of(
    weighted: WeightedLeaves, ops: Floats, size: int, graded: Sequence[QualityReason], also: Sequence[Reason] = ()
) -> Notes:
    notes = weighted.notes
    busy_depth = np.where(weighted.ops > 0, notes.queue_depth, np.nan)
    return Notes(
        reasons=flags_of(notes.reasons, weighted, ops, size, [*_CARRIED, *also], MATERIAL_SHARE)
        | _maybe_idle(weighted, size),
        quality_reasons=flags_of(notes.quality_reasons, weighted, ops, size, graded, MATERIAL_SHARE, by_time=False),
        disagreement_us=highest(notes.disagreement_us, weighted, size),
        offset_error_s=highest(notes.offset_error_s, weighted, size),
        missing_s=highest(notes.missing_s, weighted, size),
        device_ops=known_sum(notes.device_ops, weighted, size),
        array_ops=known_sum(notes.array_ops, weighted, size),
        outstanding_s=known_sum(notes.outstanding_s, weighted, size),
        queue_depth=known_sum(busy_depth, weighted, size),
    )


def _maybe_idle(weighted: WeightedLeaves, size: int) -> Flags:
    """(size,) places all of whose leaves with I/O may have had none."""
    doubted = (weighted.notes.reasons & int(Reason.MAYBE_IDLE)) > 0
    sure, unsure = (sums(np.where(which, weighted.ops, 0.0), weighted.parent, size) for which in (~doubted, doubted))
    return np.where((unsure > 0) & (sure <= 0), int(Reason.MAYBE_IDLE), 0)


def full_queues(disks: WeightedLeaves, size: int) -> Flags:
    ops = sums(disks.ops, disks.parent, size)
    return flags_of(
        disks.notes.reasons, disks, ops, size, [Reason.VIRTUAL_DISK_QUEUE_FULL], _QUEUES_SHARE, by_time=False
    )


def placed_by_arrival(disks: WeightedLeaves, size: int) -> Flags:
    """Where guests whose readings have no usable time are a material part of what disks have above a place."""
    ops = sums(disks.ops, disks.parent, size)
    return flags_of(disks.notes.reasons, disks, ops, size, [Reason.GUEST_BY_ARRIVAL], MATERIAL_SHARE)


def flags_of(
    flags: Flags,
    weighted: WeightedLeaves,
    ops: Floats,
    size: int,
    which: Sequence[IntFlag],
    share: float,
    *,
    by_time: bool = True,
) -> Flags:
    """Those that leaves with at least `share` of the I/Os, or of their time, have; where nothing ran, those that any leaf has."""
    result = np.zeros(size, dtype=np.int64)
    weights, ops = _impute_unknown_ops(weighted, ops, size)
    time = sums(weighted.time, weighted.parent, size) if by_time else ops
    for flag in which:
        has = (flags & int(flag)) > 0
        if has.any():
            affected = sums(np.where(has, weights, 0.0), weighted.parent, size) >= share * ops
            if by_time:
                spent = sums(np.where(has, weighted.time, 0.0), weighted.parent, size)
                affected |= (time > 0) & (spent >= share * time)
            found = sums(has.astype(np.float64), weighted.parent, size) > 0
            result |= np.where(found & ((ops <= 0) | affected), int(flag), 0)
    return result


def _impute_unknown_ops(weighted: WeightedLeaves, ops: Floats, size: int) -> tuple[Floats, Floats]:
    """Ops of leaves and places with blind leaves taken for average ones of their place: what they carry is not known, but not nothing."""
    if not weighted.is_blind.any():
        return weighted.ops, ops
    seen = sums((~weighted.is_blind).astype(np.float64), weighted.parent, size)
    mean = np.divide(ops, seen, out=np.zeros_like(ops), where=seen > 0)
    guesses = np.where(weighted.is_blind, mean[weighted.parent], 0.0)
    return weighted.ops + guesses, ops + sums(guesses, weighted.parent, size)


def has_any(weighted: WeightedLeaves, size: int) -> Bools:
    return sums(np.ones(len(weighted.parent)), weighted.parent, size) > 0


def has_any_with_ops(weighted: WeightedLeaves, size: int) -> Bools:
    return sums((~weighted.is_blind).astype(np.float64), weighted.parent, size) > 0


def known_sum(numbers: Floats, weighted: WeightedLeaves, size: int) -> Floats:
    """Of what is known; NaN where nothing is."""
    known = sums((~np.isnan(numbers)).astype(np.float64), weighted.parent, size)
    return np.where(known > 0, sums(np.nan_to_num(numbers), weighted.parent, size), np.nan)


def highest(numbers: Floats, weighted: WeightedLeaves, size: int) -> Floats:
    most = np.full(size, -np.inf)
    np.maximum.at(most, weighted.parent, np.nan_to_num(numbers, nan=-np.inf))
    return np.where(np.isfinite(most), most, np.nan)


_BELOW_KERNEL = SPAN_LAYERS[:, [Layer.SAN, Layer.ARRAY]].any(axis=1)


@dataclass(frozen=True, slots=True)
class OnUnits:
    """Leaves of one kind, the parents they feed, and the unit (things,) that each is on: NONE where it is on several, or none."""

    leaves: GriddedLeaves
    feed: RollupPairs
    unit: Index


def minor_of_volume(grids: GriddedSides, every: Sequence[OnUnits], size: int) -> Flags:
    """(size,) where parts with a material share of the I/Os, or of the time below the kernel, are a minor part of their volume together."""
    totals = np.zeros((4, size))
    for one in every:
        if len(one.feed.leaf):
            totals += _weights(grids, one, size)
    ops, minor_ops, time, minor_time = totals
    material = (minor_ops > MATERIAL_SHARE * ops) | (minor_time > MATERIAL_SHARE * time)
    return np.where(material, int(Reason.MINOR_PART_OF_VOLUME), 0)


def _weights(grids: GriddedSides, leaves: OnUnits, size: int) -> Floats:
    """(4, size) ops and those of minor parts, time below the kernel and that of minor parts."""
    pairs = leaves.feed
    own = leaves.leaves.rows.ops[pairs.leaf, Direction.ALL] * pairs.weight
    time = (leaves.leaves.rows.span_time[:, Direction.ALL] @ _BELOW_KERNEL.astype(np.float64))[
        pairs.leaf
    ] * pairs.weight
    minor = _is_minor(grids, leaves, own)
    return np.stack(
        [sums(x, pairs.parent, size) for x in (own, np.where(minor, own, 0.0), time, np.where(minor, time, 0.0))]
    )


def _is_minor(grids: GriddedSides, leaves: OnUnits, own: Floats) -> Bools:
    """(pairs · M,) by what all leaves of the parent did on the unit; what is on several units is judged leaf by leaf."""
    minutes, units = grids.minutes, grids.topology.units
    leaf, parent = (rows[::minutes] // minutes for rows in (leaves.feed.leaf, leaves.feed.parent))
    unit = leaves.unit[leaf]
    _, together = np.unique(np.where(unit == NONE, -1 - leaf, parent * units + unit), return_inverse=True)
    group = in_minutes(together, minutes)
    done = sums(own, group, int(group.max()) + 1)[group]
    at = in_minutes(np.maximum(unit, 0), minutes)
    share = share_of_ops(done, grids.units.ops.sum(axis=1)[at])
    is_known = np.repeat(unit != NONE, minutes) & grids.units.is_present[at]
    alone = (leaves.leaves.notes.reasons[leaves.feed.leaf] & int(Reason.MINOR_PART_OF_VOLUME)) > 0
    minor: Bools = np.where(np.repeat(unit == NONE, minutes), alone, is_known & (share < LEAST_SHARE_OF_VOLUME))
    return minor
