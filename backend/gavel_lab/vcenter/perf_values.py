"""What each performance counter shows: from the model's reading of a set of rows to the integers on the wire.

A *family* is a set of counters that share their instances (the devices of a host, the disks of a VM ...). A counter's
function takes the family's readings and gives integers of shape (instances, windows).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gavel_lab.environment import Rounding
from gavel_lab.quantise import Ints, count, kilobytes_per_s, microseconds, milliseconds
from gavel_lab.reading import READ, WRITE, Floats, Reading

ALL = 0  # the only direction of a reading over all directions


@dataclass(frozen=True, kw_only=True)
class Readings:
    """Two looks at the same rows: over the whole windows, and over what `.latest` counters show, which is read where one is asked for.

    read_depths gives (n, w) DQLEN, for devices only; read_cpu (n, w) shares of CPU in use, for hosts only.
    """

    mean: Reading
    read_latest: Callable[[], Reading]
    rounding: Rounding
    read_depths: Callable[[], Floats] | None = None
    read_cpu: Callable[[], Floats] | None = None

    @cached_property
    def latest(self) -> Reading:
        return self.read_latest()

    @cached_property
    def total(self) -> Reading:
        return self.mean.all_directions()


Show = Callable[[Readings], Ints]


def _times(boundary: str) -> Callable[[Reading], Floats]:
    if boundary == "kernel":
        return Reading.kernel_us
    if boundary == "kernel_queue":
        return lambda reading: reading.segment_us("kernel_queue")
    return lambda reading: reading.latency_us(boundary)


def _ms(boundary: str, direction: int | None) -> Show:
    """Whole milliseconds of one direction, or of both together (None)."""
    times = _times(boundary)
    if direction is None:
        return lambda rows: milliseconds(times(rows.total)[..., ALL], rows.rounding)
    return lambda rows: milliseconds(times(rows.mean)[..., direction], rows.rounding)


def _us(boundary: str, direction: int | None) -> Show:
    times = _times(boundary)
    if direction is None:
        return lambda rows: microseconds(times(rows.total)[..., ALL])
    return lambda rows: microseconds(times(rows.mean)[..., direction])


def _latest_us(boundary: str, direction: int) -> Show:
    times = _times(boundary)
    return lambda rows: microseconds(times(rows.latest)[..., direction])


def _rate(direction: int | None) -> Show:
    if direction is None:
        return lambda rows: count(rows.total.ops_per_s()[..., ALL])
    return lambda rows: count(rows.mean.ops_per_s()[..., direction])


def _summation(direction: int | None) -> Show:
    if direction is None:
        return lambda rows: count(rows.total.ops[..., ALL])
    return lambda rows: count(rows.mean.ops[..., direction])


def _throughput(direction: int | None) -> Show:
    if direction is None:
        return lambda rows: kilobytes_per_s(rows.total.bytes_per_s()[..., ALL])
    return lambda rows: kilobytes_per_s(rows.mean.bytes_per_s()[..., direction])


def _latest_rate(direction: int) -> Show:
    return lambda rows: count(rows.latest.ops_per_s()[..., direction])


def _latest_outstanding(boundary: str, direction: int) -> Show:
    return lambda rows: count(rows.latest.outstanding(boundary)[..., direction])


def _latest_size(direction: int) -> Show:
    def show(rows: Readings) -> Ints:
        ops, moved = rows.latest.ops[..., direction], rows.latest.bytes[..., direction]
        return count(np.divide(moved, ops, out=np.zeros_like(ops), where=ops > 0))

    return show


def _none(rows: Readings) -> Ints:
    """Aborts, resets, failures: nothing of the kind happens in the lab; and what Storage I/O Control shows when off."""
    return np.zeros(rows.mean.ops.shape[:2], dtype=np.int64)


def _depth(rows: Readings) -> Ints:
    if rows.read_depths is None:
        raise ValueError("maxQueueDepth was asked of rows that are not devices")
    return count(rows.read_depths())


def _cpu(rows: Readings) -> Ints:
    """In hundredths of a percent, as vCenter has its percentages."""
    if rows.read_cpu is None:
        raise ValueError("cpu.usage was asked of rows that are not hosts")
    return count(10_000 * rows.read_cpu())


def _highest(rows: Readings) -> Ints:
    """Worst latency over the rows: one row of values for the aggregate instance."""
    latency = milliseconds(rows.latest.all_directions().latency_us("device")[..., ALL], rows.rounding)
    return latency.max(axis=0, keepdims=True) if len(latency) else np.zeros((1, latency.shape[1]), dtype=np.int64)


def _io(group: str) -> dict[str, Show]:
    """The counters every group has: rates, throughput and total latency in ms."""
    return {
        f"{group}.numberReadAveraged.average": _rate(READ),
        f"{group}.numberWriteAveraged.average": _rate(WRITE),
        f"{group}.read.average": _throughput(READ),
        f"{group}.write.average": _throughput(WRITE),
    }


def _device_latencies() -> dict[str, Show]:
    shown: dict[str, Show] = {}
    names = (("total", "device"), ("device", "driver"), ("kernel", "kernel"), ("queue", "kernel_queue"))
    for name, boundary in names:
        shown[f"disk.{name}Latency.average"] = _ms(boundary, None)
        shown[f"disk.{name}ReadLatency.average"] = _ms(boundary, READ)
        shown[f"disk.{name}WriteLatency.average"] = _ms(boundary, WRITE)
    directions = (("read", READ), ("write", WRITE), ("total", None))
    boundaries = (("Gavg", "device"), ("Davg", "driver"), ("Kavg", "kernel"), ("Qavg", "kernel_queue"))
    for word, direction in directions:
        shown[f"storage.latency.{word}.average"] = _us("device", direction)
        shown[f"storage.iops.{word}.average"] = _rate(direction)
        shown[f"storage.throughput.{word}.average"] = _throughput(direction)
        shown[f"storage.commands.{word}.summation"] = _summation(direction)
        for suffix, boundary in boundaries:
            shown[f"storage.latency.{word}{suffix}.average"] = _us(boundary, direction)
    return shown


DEVICES: Mapping[str, Show] = {
    **_io("disk"),
    **_device_latencies(),
    "disk.usage.average": _throughput(None),
    "disk.commandsAveraged.average": _rate(None),
    "disk.commands.summation": _summation(None),
    "disk.numberRead.summation": _summation(READ),
    "disk.numberWrite.summation": _summation(WRITE),
    "disk.maxQueueDepth.average": _depth,
    "disk.commandsAborted.summation": _none,
    "disk.busResets.summation": _none,
    "storage.commands.success.summation": _summation(None),
    "storage.commands.failed.summation": _none,
    "storage.commands.readFailed.summation": _none,
    "storage.commands.writeFailed.summation": _none,
}
ADAPTERS: Mapping[str, Show] = {
    **_io("storageAdapter"),
    "storageAdapter.commandsAveraged.average": _rate(None),
    "storageAdapter.totalReadLatency.average": _ms("device", READ),
    "storageAdapter.totalWriteLatency.average": _ms("device", WRITE),
}
# A path knows no queue of the kernel: it times from the driver on.
PATHS: Mapping[str, Show] = {
    **_io("storagePath"),
    "storagePath.commandsAveraged.average": _rate(None),
    "storagePath.totalReadLatency.average": _ms("driver", READ),
    "storagePath.totalWriteLatency.average": _ms("driver", WRITE),
}
DATASTORES: Mapping[str, Show] = {
    **_io("datastore"),
    "datastore.totalReadLatency.average": _ms("device", READ),
    "datastore.totalWriteLatency.average": _ms("device", WRITE),
}
HOST_DATASTORES: Mapping[str, Show] = {
    **DATASTORES,
    "datastore.datastoreReadIops.latest": _latest_rate(READ),
    "datastore.datastoreWriteIops.latest": _latest_rate(WRITE),
    "datastore.datastoreReadOIO.latest": _latest_outstanding("device", READ),
    "datastore.datastoreWriteOIO.latest": _latest_outstanding("device", WRITE),
    "datastore.datastoreVMObservedLatency.latest": lambda rows: microseconds(
        rows.latest.all_directions().latency_us("vscsi")[..., ALL]
    ),
    "datastore.sizeNormalizedDatastoreLatency.average": _none,
    "datastore.datastoreIops.average": _none,
    "datastore.siocActiveTimePercentage.average": _none,
    "datastore.busResets.summation": _none,
    "datastore.commandsAborted.summation": _none,
}
VIRTUAL_DISKS: Mapping[str, Show] = {
    **_io("virtualDisk"),
    "virtualDisk.totalReadLatency.average": _ms("vscsi", READ),
    "virtualDisk.totalWriteLatency.average": _ms("vscsi", WRITE),
    "virtualDisk.readLatencyUS.latest": _latest_us("vscsi", READ),
    "virtualDisk.writeLatencyUS.latest": _latest_us("vscsi", WRITE),
    "virtualDisk.readOIO.latest": _latest_outstanding("vscsi", READ),
    "virtualDisk.writeOIO.latest": _latest_outstanding("vscsi", WRITE),
    "virtualDisk.readIOSize.latest": _latest_size(READ),
    "virtualDisk.writeIOSize.latest": _latest_size(WRITE),
    "virtualDisk.commandsAborted.summation": _none,
    "virtualDisk.busResets.summation": _none,
}
# Aggregates (instance ""): throughput, and the worst of a set of rows.
THROUGHPUT: Mapping[str, Show] = {
    "disk.read.average": _throughput(READ),
    "disk.write.average": _throughput(WRITE),
    "disk.usage.average": _throughput(None),
}
CPU: Mapping[str, Show] = {"cpu.usage.average": _cpu}
WORST_DEVICE: Mapping[str, Show] = {"disk.maxTotalLatency.latest": _highest}
WORST_DATASTORE: Mapping[str, Show] = {"datastore.maxTotalLatency.latest": _highest}
WORST_ADAPTER: Mapping[str, Show] = {"storageAdapter.maxTotalLatency.latest": _highest}
WORST_PATH: Mapping[str, Show] = {"storagePath.maxTotalLatency.latest": _highest}
