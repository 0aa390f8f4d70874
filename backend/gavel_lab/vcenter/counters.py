"""The performance-counter catalogue of the lab: which counters its vCenters list, and under which ids.

Names, units, roll-ups, statistics types and levels are those of a vCenter 9.0.1; an 8.0 one lacks the storage.* family.
Ids mean nothing outside one vCenter: each has its own, and `renumber` gives it new ones.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyVmomi import vim

UNITS = {
    "number": "Number",
    "percent": "%",
    "microsecond": "µs",
    "millisecond": "ms",
    "second": "s",
    "kiloBytesPerSecond": "KBps",
    "kiloBytes": "KB",
}


@dataclass(frozen=True, slots=True)
class Counter:
    """One counter: key = group.name.rollup (the name may hold dots)."""

    group: str
    name: str
    rollup: str
    unit: str
    stats: str
    level: int
    per_device_level: int

    @property
    def key(self) -> str:
        return f"{self.group}.{self.name}.{self.rollup}"


# group, unit, stats type, level/level per device, roll-up: names
_TABLE = """
cpu percent rate 1/3 average: usage
disk kiloBytesPerSecond rate 1/3 average: usage
disk kiloBytesPerSecond rate 2/3 average: read write
disk number delta 3/3 summation: numberRead numberWrite
disk number delta 2/3 summation: commands commandsAborted busResets
disk number rate 1/3 average: numberReadAveraged numberWriteAveraged
disk number rate 2/3 average: commandsAveraged
disk millisecond absolute 1/3 average: deviceLatency
disk millisecond absolute 2/3 average: deviceReadLatency deviceWriteLatency kernelReadLatency kernelWriteLatency
disk millisecond absolute 2/3 average: totalReadLatency totalWriteLatency queueReadLatency queueWriteLatency
disk millisecond absolute 2/3 average: kernelLatency queueLatency
disk millisecond absolute 3/3 average: totalLatency
disk millisecond absolute 1/3 latest: maxTotalLatency
disk number absolute 1/3 average: maxQueueDepth
disk number delta 2/2 summation: scsiReservationConflicts
disk percent absolute 4/4 average: scsiReservationCnflctsPct
virtualDisk number rate 1/3 average: numberReadAveraged numberWriteAveraged
virtualDisk kiloBytesPerSecond rate 2/2 average: read write
virtualDisk millisecond absolute 1/3 average: totalReadLatency totalWriteLatency
virtualDisk number absolute 2/2 latest: readOIO writeOIO readLoadMetric writeLoadMetric
virtualDisk number absolute 4/4 latest: readIOSize writeIOSize smallSeeks mediumSeeks largeSeeks
virtualDisk microsecond absolute 4/4 latest: readLatencyUS writeLatencyUS
virtualDisk number delta 2/4 summation: commandsAborted busResets
datastore number rate 1/3 average: numberReadAveraged numberWriteAveraged
datastore kiloBytesPerSecond rate 2/2 average: read write
datastore millisecond absolute 1/3 average: totalReadLatency totalWriteLatency
datastore millisecond absolute 3/3 latest: maxTotalLatency
datastore number absolute 1/3 average: datastoreIops
datastore microsecond absolute 1/3 average: sizeNormalizedDatastoreLatency
datastore percent absolute 1/3 average: siocActiveTimePercentage
datastore number absolute 1/3 latest: datastoreReadIops datastoreWriteIops datastoreReadOIO datastoreWriteOIO
datastore number absolute 1/3 latest: datastoreMaxQueueDepth
datastore microsecond absolute 1/3 latest: datastoreVMObservedLatency
datastore number delta 2/2 summation: busResets commandsAborted
storageAdapter number rate 2/2 average: commandsAveraged numberReadAveraged numberWriteAveraged
storageAdapter kiloBytesPerSecond rate 2/2 average: read write
storageAdapter millisecond absolute 2/2 average: totalReadLatency totalWriteLatency queueLatency
storageAdapter number absolute 2/2 average: outstandingIOs queued queueDepth
storageAdapter percent absolute 4/4 average: OIOsPct
storageAdapter millisecond absolute 3/3 latest: maxTotalLatency
storagePath number rate 3/3 average: commandsAveraged numberReadAveraged numberWriteAveraged
storagePath kiloBytesPerSecond rate 3/3 average: read write
storagePath millisecond absolute 3/3 average: totalReadLatency totalWriteLatency
storagePath millisecond absolute 3/3 latest: maxTotalLatency
storagePath number delta 2/3 summation: commandsAborted busResets
"""
_MICROSECOND_FAMILY = """
storage microsecond delta 4/4 average: latency.read latency.write latency.total
storage microsecond delta 4/4 average: latency.readGavg latency.readDavg latency.readKavg latency.readQavg
storage microsecond delta 4/4 average: latency.writeGavg latency.writeDavg latency.writeKavg latency.writeQavg
storage microsecond delta 4/4 average: latency.totalGavg latency.totalDavg latency.totalKavg latency.totalQavg
storage number rate 4/4 average: iops.read iops.write iops.total
storage kiloBytesPerSecond rate 4/4 average: throughput.read throughput.write throughput.total
storage number delta 4/4 summation: commands.success commands.failed commands.total
storage number delta 4/4 summation: commands.read commands.readFailed commands.write commands.writeFailed
"""


def _rows(table: str) -> Iterator[Counter]:
    for line in table.strip().splitlines():
        head, names = line.split(":")
        group, unit, stats, levels, rollup = head.split()
        level, per_device_level = (int(number) for number in levels.split("/"))
        for name in names.split():
            yield Counter(group, name, rollup, unit, stats, level, per_device_level)


COMMON = tuple(_rows(_TABLE))
MICROSECOND_FAMILY = tuple(_rows(_MICROSECOND_FAMILY))


class Catalogue:
    """The counters of one vCenter under the ids of one numbering."""

    def __init__(self, *, vcenter_index: int, has_microsecond_family: bool, generation: int) -> None:
        counters = (*COMMON, *MICROSECOND_FAMILY) if has_microsecond_family else COMMON
        step = 2 * (vcenter_index + 1) + 1
        first = 125 + 1000 * generation + 17 * vcenter_index
        self.by_id: Mapping[int, Counter] = {first + step * place: one for place, one in enumerate(counters)}

    @cached_property
    def id_of(self) -> Mapping[str, int]:
        """Counter key → id."""
        return {counter.key: number for number, counter in self.by_id.items()}

    @cached_property
    def infos(self) -> list[Any]:
        """As PerformanceManager.perfCounter lists them."""
        return [_info(number, counter) for number, counter in self.by_id.items()]


def _info(number: int, counter: Counter) -> Any:
    label = UNITS[counter.unit]
    return vim.PerformanceManager.CounterInfo(
        key=number,
        nameInfo=vim.ElementDescription(key=counter.name, label=counter.name, summary=f"{counter.name} ({label})"),
        groupInfo=vim.ElementDescription(key=counter.group, label=counter.group, summary=counter.group),
        unitInfo=vim.ElementDescription(key=counter.unit, label=label, summary=label),
        rollupType=counter.rollup,
        statsType=counter.stats,
        level=counter.level,
        perDeviceLevel=counter.per_device_level,
        associatedCounterId=[],
    )
