"""Which counters of an esxtop capture are read: their names as esxtop writes them, and what they become here, unit included."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class ObjectKind(StrEnum):
    DEVICE = "device"
    ADAPTER = "adapter"
    PATH = "path"
    NFS_VOLUME = "nfs_volume"
    VIRTUAL_DISK = "virtual_disk"
    WORLD = "world"  # the share of one world in one device


class CounterNature(StrEnum):
    INSTANT = "instant"  # as it was when the row was written
    RATIO = "ratio"  # of instants; esxtop's first row may not have it yet
    RATE = "rate"  # mean over the row's interval
    LATENCY = "latency"  # mean over the I/Os of the row's interval; none without I/O


class CounterDirection(StrEnum):
    READ = "read"
    WRITE = "write"
    COMMAND = "command"  # reads, writes and all others


@dataclass(frozen=True, slots=True)
class EsxtopCounter:
    """One counter. `direction`: which I/Os a latency is the mean of."""

    written: str
    name: str
    nature: CounterNature
    scale: float = 1.0
    direction: CounterDirection | None = None


_MIB = float(2**20)  # esxtop's "MBytes"
_US_PER_MS = 1000.0
BOUNDARIES = ("guest", "kernel", "queue", "driver")  # GAVG, KAVG (holds QAVG), QAVG, DAVG


def _rate(written: str, name: str, scale: float = 1.0) -> EsxtopCounter:
    return EsxtopCounter(written, name, CounterNature.RATE, scale)


def _instant(written: str, name: str) -> EsxtopCounter:
    return EsxtopCounter(written, name, CounterNature.INSTANT)


def _latency(written: str, name: str, direction: CounterDirection) -> EsxtopCounter:
    return EsxtopCounter(written, name, CounterNature.LATENCY, _US_PER_MS, direction)


_RATES = (
    _rate("Commands/sec", "commands_per_s"),
    _rate("Reads/sec", "reads_per_s"),
    _rate("Writes/sec", "writes_per_s"),
)
_BYTES = (
    _rate("MBytes Read/sec", "read_bytes_per_s", _MIB),
    _rate("MBytes Written/sec", "write_bytes_per_s", _MIB),
)
_QUEUES = (
    _instant("Device Q Depth", "device_queue_depth"),
    _instant("World Q Depth", "world_queue_depth"),
    _instant("Active Commands", "active"),
    _instant("Queued Commands", "queued"),
    EsxtopCounter("% Used", "used_percent", CounterNature.RATIO),
    EsxtopCounter("Load", "load_ratio", CounterNature.RATIO),
)
_LATENCIES = tuple(
    _latency(f"Average {boundary.title()} MilliSec/{direction.title()}", f"{direction}_{boundary}_us", direction)
    for direction in (CounterDirection.COMMAND, CounterDirection.READ, CounterDirection.WRITE)
    for boundary in BOUNDARIES
)
# What holds no other commands: those of idle devices, which take tens of ms, enter the latency of an adapter per command alone.
_GUEST_LATENCIES = tuple(
    each for each in _LATENCIES if "Guest" in each.written and each.direction is not CounterDirection.COMMAND
)
_FAULTS = (
    _rate("Failed Commands/sec", "failed_commands_per_s"),
    _rate("Aborts/sec", "aborts_per_s"),
    _rate("Resets/sec", "resets_per_s"),
)

COUNTERS: Mapping[ObjectKind, tuple[EsxtopCounter, ...]] = {
    ObjectKind.DEVICE: (*_QUEUES, *_RATES, *_BYTES, *_LATENCIES, *_FAULTS),
    ObjectKind.ADAPTER: (
        _instant("Adapter Q Depth", "adapter_queue_depth"),
        *_RATES,
        *_BYTES,
        *_GUEST_LATENCIES,
        *_FAULTS,
    ),
    ObjectKind.PATH: (*_RATES[1:], *_BYTES, *_GUEST_LATENCIES),
    ObjectKind.NFS_VOLUME: (
        _instant("Active Commands", "active"),
        *_RATES,
        *_BYTES,
        *(each for each in _LATENCIES if "Guest" in each.written),
        *_FAULTS,
    ),
    ObjectKind.VIRTUAL_DISK: (
        *_RATES,
        *_BYTES,
        _latency("Average MilliSec/Read", "read_us", CounterDirection.READ),
        _latency("Average MilliSec/Write", "write_us", CounterDirection.WRITE),
    ),
    # No latencies: those of the worlds do not average to the device's.
    ObjectKind.WORLD: (
        _instant("World Q Depth", "world_queue_depth"),
        _instant("Active Commands", "active"),
        _instant("Queued Commands", "queued"),
        *_RATES,
    ),
}

# Objects as esxtop writes them. `Physical Disk` has adapters (with the queue depth alone) and pairs of adapter and path.
DEVICE_OBJECT = "Physical Disk SCSI Device"
WORLD_OBJECT = "Physical Disk Per-Device-Per-World"
DISK_OBJECT = "Virtual Disk"
NFS_OBJECT = "Physical Disk NFS Volume"
PLAIN_DISK_OBJECT = "Physical Disk"
KINDS: Mapping[str, ObjectKind] = {
    DEVICE_OBJECT: ObjectKind.DEVICE,
    "Physical Disk Adapter": ObjectKind.ADAPTER,
    "Physical Disk Path": ObjectKind.PATH,
    PLAIN_DISK_OBJECT: ObjectKind.ADAPTER,
    NFS_OBJECT: ObjectKind.NFS_VOLUME,
    DISK_OBJECT: ObjectKind.VIRTUAL_DISK,
    WORLD_OBJECT: ObjectKind.WORLD,
}
# Objects of esxtop that nothing is read from, names excepted. Any other object is unknown to Gavel, and reported as such.
OTHER_OBJECTS = frozenset(
    {
        "Console",
        "Group Cpu",
        "Group Memory",
        "Interrupt Cookie",
        "Interrupt Vector",
        "Memory",
        "NUMA Node",
        "Network Port",
        "PCPU Power State",
        "Physical Cpu",
        "Physical Cpu Load",
        "Physical Disk Partition",
        "Power",
        "VSAN",
        "Vcpu",
    }
)
# Counters of the objects above that are left alone: cumulative since the host started, a part of another, or of no use here.
_VAAI_COUNTS = (
    "CReads",
    "CWrites",
    "CFailed",
    "ATS",
    "ATS Failed",
    "Zeros",
    "Zeros Failed",
    "Delete",
    "Deletes Failed",
)
_UNUSED = (
    *("Shares", "Reserves/sec", "Conflicts/sec", "Failed Reads/sec", "Failed Writes/sec", "Failed Reserves/sec"),
    *("Failed Bytes Read/sec", "Failed Bytes Written/sec", "Failed MBytes Read/sec", "Failed MBytes Written/sec"),
    *("PAE Commands/sec", "PAE Copies/sec", "Split Commands/sec", "Split Copies/sec"),
    *_VAAI_COUNTS,
    *("MBytes CReads/sec", "MBytes CWrites/sec", "MBytes Zeroed/sec", "MBytes Deletes/sec"),
    *(f"Average {how} Latency ms/{what}" for how in ("Success", "Failure") for what in ("Clone", "ATS", "Zero")),
    *("FailedIOs", "TotalIOs", "Latency"),
)
KNOWN_COUNTERS = frozenset(_UNUSED) | {counter.written for counters in COUNTERS.values() for counter in counters}
