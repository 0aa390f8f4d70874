"""The average of a whole read as that of a part (attribution.md §3): its samples weighted by the part's own I/Os in the same time.

Whatever it yields is an assumption about the part: `of_part` says how far it may be off.
"""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.align import Instants, Samples
from gavel.analysis.gridded import GridPieces
from gavel.analysis.intervals import PART_SHARE, Bools, Floats, Intervals, each_end
from gavel.analysis.topology import NONE, Index, sums

# From here on the part is as good as the whole, whose own mean needs no weights; below the other it is a part and nothing else.
AS_GOOD_AS_WHOLE, MERE_PART = 0.95, 0.80
# Counters of both are cut at different instants, so a share is good to a tenth.
_LEAST_OF_SHARE = 0.9
# What is said of sizes further apart than this is a broken counter.
_MOST_SIZE = 1024.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What a whole's samples say of n stretches of time. value: (n, d, k), NaN without I/O; missing: (n,) part of the time that no sample
    covers."""

    value: Floats
    missing: Floats


def beside(samples: Samples, entity: Index, start_us: Instants, end_us: Instants) -> tuple[Beside, Floats]:
    """Means over stretches (n,) of true time, of the samples of `entity` (n,) (NONE: of none) by how long they overlap; and
    their ops (n, d)."""
    shape = (len(entity), *samples.value.value.shape[1:])
    weighted, weights, covered, ops = np.zeros(shape), np.zeros(shape), np.zeros(len(entity)), np.zeros(shape[:2])
    if len(samples.entity) == 0 or len(entity) == 0:
        return Beside(value=np.full(shape, np.nan), missing=np.ones(len(entity))), ops
    begins, ends = samples.start_us - samples.offset_us, samples.end_us - samples.offset_us
    rate = samples.ops / (ends - begins)[:, None]
    busy = (samples.ops > 0)[:, :, None] & samples.value.present
    told = np.where(busy, samples.value.value, 0.0)
    first, step = _first_after(samples.entity, ends, entity, start_us), 0
    while True:
        at = np.minimum(first + step, len(ends) - 1)
        overlap = np.minimum(end_us, ends[at]) - np.maximum(start_us, begins[at])
        overlap = np.where((samples.entity[at] == entity) & (first + step < len(ends)), np.maximum(overlap, 0), 0)
        if not overlap.any():
            break
        time = overlap.astype(np.float64)
        covered += time
        ops += time[:, None] * rate[at]
        weights += time[:, None, None] * busy[at]
        weighted += time[:, None, None] * told[at]
        step += 1
    mean = np.divide(weighted, weights, out=np.full(shape, np.nan), where=weights > 0)
    return Beside(value=mean, missing=1 - np.minimum(covered / np.maximum(end_us - start_us, 1), 1.0)), ops


def _first_after(thing: Index, ends: Instants, entity: Index, start_us: Instants) -> Index:
    """(n,) the first sample of each entity that ends after a start; samples ordered by thing and end."""
    base = min(int(ends.min()), int(start_us.min()))
    span = max(int(ends.max()), int(start_us.max())) - base + 2
    found: Index = np.searchsorted(thing * span + ends - base, entity * span + start_us - base, side="right")
    return found


def twins(samples: Samples, entity: Index, of: Samples) -> Index:
    """(n,) the sample of `entity` (n,) that ended when that of `of` did, by the same clock; NONE without one."""
    if len(samples.entity) == 0 or len(of.entity) == 0:
        return np.full(len(of.entity), NONE)
    base = min(int(samples.end_us.min()), int(of.end_us.min()))
    span = max(int(samples.end_us.max()), int(of.end_us.max())) - base + 2
    keys, wanted = samples.entity * span + samples.end_us - base, entity * span + of.end_us - base
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[at] == wanted) & (entity != NONE), at, NONE)


def by_own_ops(pieces: GridPieces, means: Floats, whole: Floats) -> Floats:
    """(rows, d, k) means of `means` (p, d, k), one per piece, weighted by the part's own ops; for the ops of pieces without, `whole`."""
    filled = np.where(np.isnan(means), whole[pieces.row], means)
    weights = np.where(np.isnan(filled), 0.0, pieces.ops[:, :, None])
    total = sums(weights, pieces.row, len(whole))
    time = sums(np.multiply(filled, weights, out=np.zeros_like(weights), where=weights > 0), pieces.row, len(whole))
    return np.divide(time, total, out=np.full_like(total, np.nan), where=total > 0)


def of_part(whole: Intervals, own: Floats, share: Floats, step: Floats) -> Intervals:
    """The average of a whole read as that of a part with `share` (0…1) of its ops: the named assumption. Shapes broadcast.

    own: the whole's mean weighted by the part's ops; not used where the part is the whole. step: how far the whole's samples differ.
    However others fare, the I/Os of a part take no longer together than those of the whole.
    """
    share = np.clip(np.nan_to_num(share), 0.0, 1.0)
    moved = np.nan_to_num(
        (own - whole.value) * np.clip((AS_GOOD_AS_WHOLE - share) / (AS_GOOD_AS_WHOLE - MERE_PART), 0.0, 1.0)
    )
    value = np.maximum(whole.value + moved, 0.0)
    by = (1 - share) * np.maximum(PART_SHARE * value, step)
    with np.errstate(divide="ignore"):
        most = whole.upper / (_LEAST_OF_SHARE * share)
    upper = np.fmin(whole.upper + moved + by, most)
    return Intervals(
        lower=np.minimum(np.maximum(whole.lower + moved - by, 0.0), upper), upper=upper, value=np.minimum(value, upper)
    )


def of_other_size(whole: Intervals, inside: Intervals, size: Floats) -> Intervals:
    """Time with the port of a part whose I/Os are `size` times as large as the whole's: the port's time may grow with them, or not.

    whole, inside: the array's time with and without its port.
    """
    port = np.maximum(np.nan_to_num(whole.value - inside.value), 0.0)
    ratio = np.clip(np.where(np.isfinite(size) & (size > 0), size, 1.0), 1 / _MOST_SIZE, _MOST_SIZE)
    less, more = port * (np.minimum(ratio, 1.0) - 1), port * (np.maximum(ratio, 1.0) - 1)
    return Intervals(
        lower=np.maximum(whole.lower + less, 0.0),
        upper=whole.upper + more,
        value=np.maximum(whole.value + (less + more) / 2, 0.0),
    )


def yielded(assumed: Intervals, is_assumed: Bools, most: Floats, least: Floats | None = None) -> Intervals:
    """An average taken over, where the part's own counters contradict it: moved within them, and widened by how far it was out.

    most: what the part's own counters around it leave; least: those within it. NaN where there is none.
    """
    half = (assumed.upper - assumed.lower) / 2
    lower, upper, value = assumed.lower, assumed.upper, assumed.value
    with np.errstate(invalid="ignore"):
        over = is_assumed & (lower > most)
    lower = np.where(over, np.maximum(most - np.maximum(lower - most, half), 0.0), lower)
    value = np.where(over, np.minimum(value, most), value)
    if least is not None:
        with np.errstate(invalid="ignore"):
            under = is_assumed & (upper < least)
        upper = np.where(under, least + np.maximum(least - upper, half), upper)
        value = np.where(under, np.maximum(value, least), value)
    return Intervals(lower=lower, upper=upper, value=value)


def with_missing(seen: Intervals, missing: Floats, like: Floats, most: Floats) -> Intervals:
    """Means of which the part `missing` (0…1) has no sample of the array: there it took anything up to what the host's driver took.

    like: what it most likely took there; most: what the driver took there; NaN where not known.
    """
    gone, rest = missing > 0, 1 - missing
    most = np.where(np.isnan(most), 2 * seen.upper, most)
    like = np.minimum(np.where(np.isnan(like), seen.value, like), most)
    with np.errstate(invalid="ignore"):
        filled = Intervals(
            lower=rest * seen.lower,
            upper=rest * seen.upper + missing * most,
            value=rest * seen.value + missing * like,
        )
    return each_end(lambda x, old: np.where(gone, x, old), filled, seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extents:
    """p pairs of a disk's row and one of its devices. row: (p,); device_ops: (p, 2) of all disks on it; disk_ops: (n, 2) of each row."""

    row: Index
    device_ops: Floats
    disk_ops: Floats

    def shares(self, order: Floats, *, slowest: bool) -> Floats:
        """(p, 2) parts of the disk's I/Os on each device if as many as possible went to the fastest (slowest) by `order` (p, 2)."""
        taken = np.zeros_like(self.device_ops)
        for way in range(order.shape[1]):
            taken[:, way] = self._taken(
                np.where(np.isnan(order[:, way]), np.inf, order[:, way] * (-1 if slowest else 1)), way
            )
        total = sums(taken, self.row, len(self.disk_ops))[self.row]
        return np.divide(taken, total, out=np.zeros_like(taken), where=total > 0)

    def _taken(self, key: Floats, way: int) -> Floats:
        """A device takes no more of the disk's I/Os than it did."""
        sorting = np.lexsort((key, self.row))
        row, ops = self.row[sorting], np.where(self.device_ops[sorting, way] > 0, self.device_ops[sorting, way], 0.0)
        before = np.cumsum(ops) - ops
        first = np.append(True, row[1:] != row[:-1])
        before -= np.maximum.accumulate(np.where(first, before, 0.0))
        taken = np.zeros(len(row))
        taken[sorting] = np.clip(self.disk_ops[row, way] - before, 0.0, ops)
        return taken

    def mean(self, shares: Floats, numbers: Floats) -> Floats:
        """(n, 2) means of (p, 2) numbers; NaN where a device with a share has none."""
        weighted = np.multiply(numbers, shares, out=np.zeros_like(shares), where=shares > 0)
        found = sums(weighted, self.row, len(self.disk_ops))
        any_of = sums(shares, self.row, len(self.disk_ops)) > 0
        return np.where(any_of, found, np.nan)


@dataclass(frozen=True, slots=True)
class Mix:
    """The mix that is taken for the most likely one: parts of each disk's I/Os on each of its devices, (p, 2)."""

    shares: Floats


def likely_mix(extents: Extents, device_us: Floats, own_us: Floats) -> Mix:
    """Between the fastest and the slowest that is possible the one whose devices take what the disk took itself. device_us: (p, 2) time of
    each device; own_us: (n, 2)."""
    fast, slow = (extents.shares(device_us, slowest=slowest) for slowest in (False, True))
    low, high = (extents.mean(shares, device_us) for shares in (fast, slow))
    with np.errstate(invalid="ignore"):
        part = np.divide(own_us - low, high - low, out=np.full_like(low, 0.5), where=high > low)
    slower = np.clip(np.where(np.isnan(part), 0.5, part), 0.0, 1.0)[extents.row]
    return Mix((1 - slower) * fast + slower * slow)


def mixed(mean: Intervals, extents: Extents, spread: Intervals, mix: Mix) -> Intervals:
    """`mean` (n, 2, k) with the rows of `extents` replaced: bounds of any mix of `spread` (p, 2, k) that the devices' I/Os leave room
    for."""
    lower, upper, value = mean.lower.copy(), mean.upper.copy(), mean.value.copy()
    rows = np.unique(extents.row)
    for position in range(value.shape[2]):
        low, high, middle = (ends[..., position] for ends in (spread.lower, spread.upper, spread.value))
        found = (
            extents.mean(extents.shares(low, slowest=False), low)[rows],
            extents.mean(extents.shares(high, slowest=True), high)[rows],
            extents.mean(mix.shares, middle)[rows],
        )
        known = ~np.isnan(found[0] + found[1] + found[2]) & ~np.isnan(value[rows, :, position])
        for target, new in zip((lower, upper, value), found, strict=True):
            target[rows, :, position] = np.where(known, new, target[rows, :, position])
        value[rows, :, position] = np.minimum(
            np.maximum(value[rows, :, position], lower[rows, :, position]), upper[rows, :, position]
        )
    return Intervals(lower=lower, upper=upper, value=value)
