"""Minutes of one disk, device or volume, and whether a limit binds in each: what causes and findings both look at."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.domain.samples import Int64Array
from gavel.findings.binding import (
    BINDING_SHARE,
    is_device_queue_binding,
    is_iops_limit_binding,
    is_qos_limit_binding,
    normalized_ops,
)

MINUTE_S = 60.0
# Counters of disks and of their device are of slightly different times.
_SAME_IO = 0.1


@dataclass(frozen=True, slots=True)
class PartMinutes:
    """One disk, device or volume in n minutes, (n,) each; NaN where not measured. Times in µs per I/O, rates per second.

    columns: ops and bytes, `*_time` as I/O-time in µs × ops, `outstanding_s` in I/Os × seconds, `depth` in I/Os.
    """

    columns: Mapping[str, Floats]

    def total(self, name: str) -> Floats:
        return self.columns[name]

    @property
    def iops(self) -> Floats:
        return self.columns["ops"] / MINUTE_S

    @property
    def bytes_per_s(self) -> Floats:
        return self.columns["bytes"] / MINUTE_S

    @property
    def normalized_iops(self) -> Floats:
        """As ESXi counts I/Os against a limit."""
        return normalized_ops(self.iops, self.bytes_per_s)

    @property
    def array_iops(self) -> Floats:
        """As the array counted them, its own hosts and all others; those of the hosts where it counted none."""
        own = self.columns["array_ops"]
        return np.where(own > 0, own, self.columns["ops"]) / MINUTE_S

    @property
    def array_bytes_per_s(self) -> Floats:
        per_s = self.bytes_per_s
        factor = np.divide(self.array_iops, self.iops, out=np.ones_like(per_s), where=self.iops > 0)
        scaled: Floats = per_s * factor
        return scaled

    @property
    def queue_lower_us(self) -> Floats:
        """Lower bound of the queue time (QAVG): what the bounds of the kernel's time leave open may all be of the queue."""
        left_open = self.columns["kernel_time"] - self.columns["kernel_lower"]
        return divided(np.maximum(self.columns["queue_time"] - left_open, 0.0), self.columns["ops"])

    @property
    def outstanding(self) -> Floats:
        return self.columns["outstanding_s"] / MINUTE_S

    @property
    def usual_depth(self) -> float:
        """The effective queue depth of most minutes; NaN where none is known."""
        depths = self.columns["depth"]
        values, times = np.unique(depths[~np.isnan(depths)], return_counts=True)
        return float(values[times.argmax()]) if len(values) else np.nan

    def per_io(self, name: str) -> Floats:
        """µs per I/O."""
        return divided(self.columns[name], self.columns["ops"])

    def ios(self, name: str) -> Floats:
        """I/Os in a part at once, on average over the minute."""
        return self.columns[name] / (MINUTE_S * 1e6)


def sum_of_minutes(parts: Sequence[PartMinutes]) -> PartMinutes:
    """Several parts together; NaN where none of them was measured. Depths are not added up: queues are each their own."""
    names = [name for name in parts[0].columns if name != "depth"]
    stacks = {name: np.stack([part.columns[name] for part in parts]) for name in names}
    columns = {
        name: np.where(np.isnan(stack).all(axis=0), np.nan, np.nansum(stack, axis=0)) for name, stack in stacks.items()
    }
    return PartMinutes(columns | {"depth": np.full(len(columns["ops"]), np.nan)})


def minutes_at(
    key: int, wanted_us: Int64Array, keys: Int64Array, starts_us: Int64Array, columns: Mapping[str, Floats]
) -> PartMinutes:
    """One part's minutes from those of several, which are in order of key and time. wanted_us: (n,); NaN where there is no row."""
    lo, hi = np.searchsorted(keys, [key, key + 1]).tolist()
    starts = starts_us[lo:hi]
    position = np.minimum(np.searchsorted(starts, wanted_us), max(hi - lo - 1, 0))
    is_there = starts[position] == wanted_us if hi > lo else np.zeros(len(wanted_us), dtype=np.bool_)
    return PartMinutes(_Chosen(columns, lo + position[is_there], np.flatnonzero(is_there), len(wanted_us)))


class _Chosen(Mapping[str, Floats]):
    """Some minutes of columns, each put together when it is looked at: of a dozen columns most parts are asked for two or three."""

    def __init__(self, columns: Mapping[str, Floats], rows: Int64Array, at: Int64Array, length: int) -> None:
        """rows: those of `columns` that stand at `at`; NaN at the others of `length`."""
        self._columns, self._rows, self._at, self._length = columns, rows, at, length

    def __getitem__(self, name: str) -> Floats:
        column = np.full(self._length, np.nan)
        column[self._at] = self._columns[name][self._rows]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


def lasts(binds: Bools) -> bool:
    """Whether a limit binds in enough of the minutes; one that was not measured does not count for it."""
    return len(binds) > 0 and bool(binds.sum() >= BINDING_SHARE * len(binds))


def divided(numbers: Floats, by: Floats) -> Floats:
    """NaN where there is nothing to divide by."""
    result: Floats = np.divide(numbers, by, out=np.full(np.shape(numbers), np.nan), where=by > 0)
    return result


def mean(numbers: Floats) -> float | None:
    """Of what was measured; None where nothing was."""
    measured = numbers[~np.isnan(numbers)]
    return float(measured.mean()) if len(measured) else None


def iops_limit_binds(minutes: PartMinutes, limit: float) -> Bools:
    """A virtual disk at its IOPS limit."""
    hypervisor = minutes.per_io("hypervisor_time")
    kernel = minutes.per_io("kernel_time") - hypervisor
    return is_iops_limit_binding(minutes.iops, minutes.normalized_iops, limit, hypervisor, kernel)


def device_queue_binds(minutes: PartMinutes) -> Bools:
    """A device queue of a host that is full."""
    return is_device_queue_binding(minutes.ios("in_flight_time"), minutes.total("depth"), minutes.queue_lower_us)


def device_queue_seems_full(minutes: PartMinutes) -> Bools:
    """One that is full by the estimate of its queue time, whatever its lower bound: a possible cause, and none that is named."""
    return is_device_queue_binding(minutes.ios("in_flight_time"), minutes.total("depth"), minutes.per_io("queue_time"))


def device_queue_holds_back(device: PartMinutes, disks: PartMinutes) -> Bools:
    """A device queue that is full while I/Os of the virtual disks on it wait in the kernel, by the lower bound of their time there: what
    whole milliseconds at the device leave open. A minute counts where the disks have all I/O of the host to the device."""
    ops = device.total("ops")
    is_all = np.abs(disks.total("ops") - ops) <= _SAME_IO * ops
    wait_us = np.where(is_all, disks.per_io("kernel_lower"), np.nan)
    return is_device_queue_binding(device.ios("in_flight_time"), device.total("depth"), wait_us)


def qos_limit_binds(minutes: PartMinutes, iops_limit: float | None, bytes_limit: float | None) -> Bools:
    """A volume at a QoS limit of its own; None: no such limit."""
    limits = [np.nan if limit is None else float(limit) for limit in (iops_limit, bytes_limit)]
    return is_qos_limit_binding(
        minutes.array_iops, limits[0], minutes.array_bytes_per_s, limits[1], minutes.per_io("qos_time")
    )
