"""Devices, disks, volumes and parents as positions, and sums over those that belong together."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats, Intervals

Index = npt.NDArray[np.int64]
NONE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A relation of many to many: (p,) positions on the left and on the right."""

    left: Index
    right: Index


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """D devices, each on one host. unit: behind it, NONE for a protocol endpoint or a stranger; datastore: whose extent it is.

    configured_depth: I/Os by its settings, NaN unknown. endpoint: device → units of the vVols bound through it on its host.
    """

    host: Index
    unit: Index
    datastore: Index
    configured_depth: Floats
    endpoint: Pairs

    def __len__(self) -> int:
        return len(self.host)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskParts:
    """K virtual disks on hosts. devices: part → devices of its host that carry it (several for a multi-extent datastore).

    unit: its own on the array (vVol, NFS), else NONE. is_whole: nothing but itself tells its datastore's time (vVol, NFS).
    queue_limit: I/Os its controller queues per disk, NaN unknown.
    """

    disk: Index
    vm: Index
    host: Index
    datastore: Index
    unit: Index
    is_whole: Bools
    queue_limit: Floats
    devices: Pairs

    def __len__(self) -> int:
        return len(self.disk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Volumes:
    """V volumes. unit: what hosts see it as; array: whose; pod: stretched pod or NONE; mirrored_on_both: of its pod."""

    unit: Index
    array: Index
    pod: Index
    mirrored_on_both: Bools

    def __len__(self) -> int:
        return len(self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Everything together. Counts of the kinds that have no list of their own; unit_array: array of a directory's unit, else NONE.

    host_source, host_cluster: (H,). sources: vCenters.
    """

    devices: Devices
    parts: DiskParts
    volumes: Volumes
    units: int
    unit_array: Index
    disks: int
    vms: int
    datastores: int
    arrays: int
    pods: int
    sources: int
    clusters: int
    host_source: Index
    host_cluster: Index

    @property
    def hosts(self) -> int:
        return len(self.host_source)


def sums(numbers: Floats, group: Index, groups: int) -> Floats:
    """(groups, …) sums of (n, …) numbers; `group` (n,) says whose. A group without rows is zero."""
    if numbers.ndim == 1:
        return np.bincount(group, weights=numbers, minlength=groups).astype(np.float64, copy=False)
    total = np.zeros((groups, *numbers.shape[1:]))
    if len(group) == 0:
        return total
    if _are_single(group):
        total[group] = numbers
        return total
    if bool((group[1:] < group[:-1]).any()):
        order = np.argsort(group, kind="stable")
        group, numbers = group[order], numbers[order]
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    total[group[starts]] = np.add.reduceat(numbers, starts, axis=0)
    return total


def _are_single(group: Index) -> bool:
    """In order, and no group with more than one row."""
    return bool((group[1:] > group[:-1]).all())


def means(intervals: Intervals, ops: Floats, group: Index, groups: int) -> Intervals:
    """(groups, …) op-weighted means. Absent where a row with ops is absent, or nothing has ops. ops broadcasts to the intervals."""
    if _are_single(group):
        return intervals.map(lambda numbers: _taken(np.where(ops > 0, numbers, np.nan), group, groups))
    weights = np.broadcast_to(np.where(ops > 0, ops, 0.0), intervals.value.shape)
    total = sums(weights, group, groups)

    def mean(numbers: Floats) -> Floats:
        weighted = np.multiply(numbers, weights, out=np.zeros_like(weights), where=weights > 0)
        return np.divide(sums(weighted, group, groups), total, out=np.full_like(total, np.nan), where=total > 0)

    return Intervals(lower=mean(intervals.lower), upper=mean(intervals.upper), value=mean(intervals.value))


def means_between(
    intervals: Intervals, ops: Floats, between: tuple[Floats, Floats], group: Index, groups: int
) -> Intervals:
    """As `means`, with bounds over all ops `between` fewest and most, (n, d) like ops: the (n, d, k) numbers of a group differ, so that
    its mean depends on how many I/Os of each there were."""
    found = means(intervals, ops[:, :, None], group, groups)
    shared = np.flatnonzero(np.bincount(group, minlength=groups)[group] > 1)
    if len(shared) == 0:
        return found
    few, many = (np.where(ops > 0, one, 0.0)[shared] for one in between)
    upper = _highest_means(intervals.upper[shared], few, many, group[shared], groups)
    lower = -_highest_means(-intervals.lower[shared], few, many, group[shared], groups)
    # Groups of one have none of these; those of which a number with ops is missing stay without a mean.
    return Intervals(
        lower=np.where(np.isnan(found.lower), np.nan, np.fmin(found.lower, lower)),
        upper=np.where(np.isnan(found.upper), np.nan, np.fmax(found.upper, upper)),
        value=found.value,
    )


def _highest_means(numbers: Floats, fewest: Floats, most: Floats, group: Index, groups: int) -> Floats:
    """(groups, d, k) the highest weighted means of (n, d, k) numbers whose weights are from fewest to most, (n, d): the highest numbers
    have as much weight as can be and the others as little."""
    highest = np.full((groups, *numbers.shape[1:]), np.nan)
    for way, one in np.ndindex(numbers.shape[1:]):
        column = numbers[:, way, one]
        known = ~np.isnan(column)
        order = np.flatnonzero(known)[np.lexsort((-column[known], group[known]))]
        if len(order) == 0:
            continue
        own, least = group[order], fewest[order, way]
        more = np.maximum(most[order, way] - least, 0.0)
        starts = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
        weight, total = (
            np.repeat(np.add.reduceat(least * x, starts), np.diff(np.append(starts, len(own))))
            + _running(more * x, starts)
            for x in (np.ones(len(order)), column[order])
        )
        mean = np.divide(total, weight, out=np.full(len(order), -np.inf), where=weight > 0)
        best = np.maximum.reduceat(mean, starts)
        highest[own[starts], way, one] = np.where(np.isfinite(best), best, np.nan)
    return highest


def _running(numbers: Floats, starts: Index) -> Floats:
    """Running sums that begin anew at each start."""
    total = np.cumsum(numbers)
    before = (total - numbers)[starts]
    return total - np.repeat(before, np.diff(np.append(starts, len(numbers))))


def _taken(numbers: Floats, group: Index, groups: int) -> Floats:
    if len(group) == groups:
        return numbers
    found = np.full((groups, *numbers.shape[1:]), np.nan)
    found[group] = numbers
    return found


def extremes(numbers: Floats, group: Index, groups: int, extreme: np.ufunc) -> Floats:
    """(groups, …) the highest (`np.fmax`) or lowest (`np.fmin`) of (n, …) numbers; NaN for a group without any."""
    found = np.full((groups, *numbers.shape[1:]), np.nan)
    if len(group) == 0:
        return found
    if _are_single(group):
        return _taken(numbers, group, groups)
    if bool((group[1:] < group[:-1]).any()):
        order = np.argsort(group, kind="stable")
        group, numbers = group[order], numbers[order]
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    found[group[starts]] = extreme.reduceat(numbers, starts, axis=0)
    return found


def in_minutes(things: Index, minutes: int) -> Index:
    """(n · minutes,) grid rows of things, each with all its minutes, thing by thing."""
    rows: Index = (things[:, None] * minutes + np.arange(minutes)).reshape(-1)
    return rows
