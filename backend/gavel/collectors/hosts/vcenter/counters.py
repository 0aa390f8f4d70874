"""Which performance counters feed which reading, and under which ids this vCenter serves them.

A counter is known by "group.name.rollup"; names may hold dots, so that key is compared and never split. Ids differ from
vCenter to vCenter and change with upgrades.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from gavel.domain.source import Stream

Readings: TypeAlias = Mapping[str, str]
"""Name of a reading, ending in the unit it comes in → key of the counter that delivers it."""


def _rates(group: str) -> Readings:
    return {
        "read_per_s": f"{group}.numberReadAveraged.average",
        "write_per_s": f"{group}.numberWriteAveraged.average",
    }


def _throughput(group: str) -> Readings:
    return {"read_kb_per_s": f"{group}.read.average", "write_kb_per_s": f"{group}.write.average"}


def _latency(group: str) -> Readings:
    return {
        "read_latency_ms": f"{group}.totalReadLatency.average",
        "write_latency_ms": f"{group}.totalWriteLatency.average",
    }


_DEVICE_COUNTS: Final[Readings] = {
    "read_ops": "disk.numberRead.summation",
    "write_ops": "disk.numberWrite.summation",
}
DEVICE_MICROSECONDS: Final[Readings] = {
    f"{direction}_{letter}avg_us": f"storage.latency.{direction}{letter.upper()}avg.average"
    for direction in ("read", "write")
    for letter in "gdkq"
}
DEVICE_MILLISECONDS: Final[Readings] = {
    f"{direction.lower()}_{letter}avg_ms": f"disk.{name}{direction}Latency.average"
    for direction in ("Read", "Write")
    for letter, name in (("g", "total"), ("d", "device"), ("k", "kernel"), ("q", "queue"))
}
VM_MICROSECONDS: Final[Readings] = {
    "read_latency_us": "virtualDisk.readLatencyUS.latest",
    "write_latency_us": "virtualDisk.writeLatencyUS.latest",
}

# Per stream the things to read, each with its alternatives, best first: exact counts before rates, µs before ms.
_WANTED: Final[Mapping[Stream, Sequence[Sequence[Readings]]]] = {
    Stream.HOST_DEVICE: (
        (_DEVICE_COUNTS, _rates("disk")),
        (_throughput("disk"),),
        (DEVICE_MICROSECONDS, DEVICE_MILLISECONDS),
        (
            {
                "queue_depth": "disk.maxQueueDepth.average",
                "aborts": "disk.commandsAborted.summation",
                "bus_resets": "disk.busResets.summation",
            },
        ),
    ),
    Stream.VM_DISK: (
        (_rates("virtualDisk"),),
        (_throughput("virtualDisk"),),
        (VM_MICROSECONDS,),
        (_latency("virtualDisk"),),
        ({"read_outstanding": "virtualDisk.readOIO.latest", "write_outstanding": "virtualDisk.writeOIO.latest"},),
    ),
    Stream.PATH: ((_rates("storagePath"),), (_throughput("storagePath"),), (_latency("storagePath"),)),
    Stream.ADAPTER: (
        (_rates("storageAdapter"),),
        (_throughput("storageAdapter"),),
        (_latency("storageAdapter"),),
        (
            {
                "queue_depth": "storageAdapter.queueDepth.average",
                "queued": "storageAdapter.queued.average",
                "outstanding": "storageAdapter.outstandingIOs.average",
            },
        ),
    ),
}


def choose(stream: Stream, available: Collection[str]) -> dict[str, str]:
    """Readings to ask for → counter key: of everything wanted the best alternative that is available at all."""
    chosen: dict[str, str] = {}
    for alternatives in _WANTED[stream]:
        for readings in alternatives:
            served = {name: key for name, key in readings.items() if key in available}
            if served:
                chosen |= served
                break
    return chosen


def wanted_keys() -> Iterator[str]:
    """Every counter any stream could use."""
    for alternatives in _WANTED.values():
        for readings in alternatives:
            for reading in readings:
                yield from reading.values()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The counters a vCenter has, as key → id."""

    ids: Mapping[str, int]

    def agrees_with(self, counters: Iterable[Any], asked: Collection[str]) -> bool:
        """Whether the asked counters, as the vCenter describes them (vim.PerfCounterInfo) now, still have these ids."""
        now = {counter.key: counter_key(counter) for counter in counters}
        return all(now.get(self.ids[key]) == key for key in asked)


def counter_key(counter: Any) -> str:
    """ "group.name.rollup" of a vim.PerfCounterInfo."""
    return f"{counter.groupInfo.key}.{counter.nameInfo.key}.{counter.rollupType}"


def catalogue(counters: Iterable[Any]) -> Catalogue:
    """The catalogue out of PerformanceManager.perfCounter."""
    return Catalogue({counter_key(counter): counter.key for counter in counters})
