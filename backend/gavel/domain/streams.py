"""Every column of every stream of samples, declared once.

Parsers, tables, roll-ups, the counters of the API and their labels are made from this list; docs/metrics.md is tested against it.
A new column is a line here and one in docs/metrics.md, and a migration (docs/decisions/adding-a-counter.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from gavel.domain.source import Stream

ColumnDirection: TypeAlias = Literal["read", "write", "mirrored_write"]
ColumnUnit: TypeAlias = Literal["µs", "ops/s", "bytes/s", "I/Os", "count", "%"]


class ColumnKind(StrEnum):
    """How values of a column add up over time and objects (`gavel.db.series.measures`)."""

    COUNT = "count"
    TIME = "time"
    LEVEL = "level"
    CODE = "code"


class CounterUnit(StrEnum):
    """What the numbers of a source's counter are; its parser converts them."""

    NUMBER = "number"
    PER_S = "per second"
    BYTES_PER_S = "bytes per second"
    KB_PER_S = "KiB per second"
    MICROSECONDS = "µs"
    MILLISECONDS = "ms"
    HUNDREDTHS_OF_PERCENT = "hundredths of a percent"


@dataclass(frozen=True, slots=True)
class Counter:
    """A number as its source has it: the source's own name of it, and its unit."""

    name: str
    unit: CounterUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleColumn:
    """A stored number of each sample: counts of the interval, times in mean µs per operation, levels as the source reports them.

    quantity, unit: as the API and the pages show it; the quantity leaves out the direction. label: the quantity in words.
    weight: the column of operations that a time is the mean of.
    counters: what it is made from, best first. Columns of a stream with one unit take the same choice: all the first, or all the second.
    """

    name: str
    kind: ColumnKind
    quantity: str
    unit: ColumnUnit
    label: str
    direction: ColumnDirection | None = None
    weight: str | None = None
    counters: tuple[Counter, ...] = ()

    @property
    def is_rate(self) -> bool:
        """A count that is shown per second."""
        return self.unit in ("ops/s", "bytes/s")

    @property
    def shown_name(self) -> str:
        return f"{self.direction}_{self.quantity}" if self.direction else self.quantity


def _ops(direction: ColumnDirection, *counters: Counter) -> SampleColumn:
    return SampleColumn(
        name=f"{direction}_ops",
        kind=ColumnKind.COUNT,
        quantity="iops",
        unit="ops/s",
        label="IOPS",
        direction=direction,
        counters=counters,
    )


def _bytes(direction: ColumnDirection, *counters: Counter) -> SampleColumn:
    return SampleColumn(
        name=f"{direction}_bytes",
        kind=ColumnKind.COUNT,
        quantity="bytes_per_s",
        unit="bytes/s",
        label="throughput",
        direction=direction,
        counters=counters,
    )


def _time(direction: ColumnDirection, quantity: str, label: str, *counters: Counter) -> SampleColumn:
    return SampleColumn(
        name=f"{direction}_{quantity}",
        kind=ColumnKind.TIME,
        quantity=quantity,
        unit="µs",
        label=label,
        direction=direction,
        weight=f"{direction}_ops",
        counters=counters,
    )


def _level(name: str, label: str, counter: str, direction: ColumnDirection | None = None) -> SampleColumn:
    return SampleColumn(
        name=f"{direction}_{name}" if direction else name,
        kind=ColumnKind.LEVEL,
        quantity=name,
        unit="I/Os",
        label=label,
        direction=direction,
        counters=(Counter(counter, CounterUnit.NUMBER),),
    )


def _count(name: str, label: str, counter: str) -> SampleColumn:
    return SampleColumn(
        name=name,
        kind=ColumnKind.COUNT,
        quantity=name,
        unit="count",
        label=label,
        counters=(Counter(counter, CounterUnit.NUMBER),),
    )


def _us(counter: str) -> Counter:
    return Counter(counter, CounterUnit.MICROSECONDS)


def _ms(counter: str) -> Counter:
    return Counter(counter, CounterUnit.MILLISECONDS)


# How finely the times of a row were delivered: a `gavel.domain.samples.Precision`. Never shown as a counter.
_PRECISION: Final = SampleColumn(
    name="precision", kind=ColumnKind.CODE, quantity="precision", unit="count", label="precision"
)

# --- arrays -----------------------------------------------------------------------------------------------------------

_READ_WRITE: Final[tuple[ColumnDirection, ...]] = ("read", "write")
# `usec` is the array's own headline number, kept as a cross-check; `qos_sched` exists from REST 2.49 on.
_ARRAY_TIMES: Final = (
    ("service_us", "array service", "service_usec_per_{}_op"),
    ("queue_us", "array queue", "queue_usec_per_{}_op"),
    ("qos_us", "QoS rate-limit time", "qos_rate_limit_usec_per_{}_op"),
    ("qos_sched_us", "QoS scheduling", "qos_scheduling_usec_per_{}_op"),
    ("san_us", "SAN time (array port)", "san_usec_per_{}_op"),
)


def _array_traffic(direction: ColumnDirection) -> tuple[SampleColumn, SampleColumn]:
    return (
        _ops(direction, Counter(f"{direction}s_per_sec", CounterUnit.PER_S)),
        _bytes(direction, Counter(f"{direction}_bytes_per_sec", CounterUnit.BYTES_PER_S)),
    )


def _headline(direction: ColumnDirection) -> SampleColumn:
    return _time(direction, "usec_us", "array headline (usec_per_op)", _us(f"usec_per_{direction}_op"))


def _array_times(direction: ColumnDirection) -> tuple[SampleColumn, ...]:
    parts = (_time(direction, name, label, _us(field.format(direction))) for name, label, field in _ARRAY_TIMES)
    return (*parts, _headline(direction))


_ARRAY_DIRECTIONS: Final[tuple[ColumnDirection, ...]] = (*_READ_WRITE, "mirrored_write")
# Of a volume, and of all I/O of an array together.
_ARRAY_VOLUME: Final = (
    *(column for direction in _ARRAY_DIRECTIONS for column in _array_traffic(direction)),
    *(column for direction in _ARRAY_DIRECTIONS for column in _array_times(direction)),
)
# A managed directory that NFS clients mount: one time per operation, which the array does not split.
_DIRECTORY_TRAFFIC: Final = tuple(_array_traffic(direction) for direction in _READ_WRITE)
_ARRAY_DIRECTORY: Final = (
    *(ops for ops, _ in _DIRECTORY_TRAFFIC),
    *(moved for _, moved in _DIRECTORY_TRAFFIC),
    *(_headline(direction) for direction in _READ_WRITE),
)


def _port_bytes(way: str) -> SampleColumn:
    return SampleColumn(
        name=f"{way}_bytes",
        kind=ColumnKind.COUNT,
        quantity=f"{way}_bytes_per_s",
        unit="bytes/s",
        label=way,
        counters=(Counter(f"{way}_bytes_per_sec", CounterUnit.BYTES_PER_S),),
    )


def _port_errors(name: str, label: str, counter: str) -> SampleColumn:
    return SampleColumn(
        name=name,
        kind=ColumnKind.COUNT,
        quantity=name,
        unit="count",
        label=label,
        counters=(Counter(counter, CounterUnit.PER_S),),
    )


# A target port, Fibre Channel or Ethernet, as the array counts it: all that goes over the wire, both ways apart.
_ARRAY_PORT: Final = (
    _port_bytes("received"),
    _port_bytes("transmitted"),
    _port_errors("crc_errors", "CRC errors", "received_crc_errors_per_sec"),
    _port_errors("errors", "errors of all kinds", "total_errors_per_sec"),
)

# --- hosts ------------------------------------------------------------------------------------------------------------


def _rate(group: str, direction: ColumnDirection) -> Counter:
    return Counter(f"{group}.number{direction.title()}Averaged.average", CounterUnit.PER_S)


def _throughput(group: str) -> tuple[SampleColumn, ...]:
    return tuple(_bytes(d, Counter(f"{group}.{d}.average", CounterUnit.KB_PER_S)) for d in _READ_WRITE)


def _averages(group: str) -> tuple[SampleColumn, ...]:
    return (*(_ops(d, _rate(group, d)) for d in _READ_WRITE), *_throughput(group))


def _total_latency(group: str, quantity: str, label: str) -> tuple[SampleColumn, ...]:
    return tuple(_time(d, quantity, label, _ms(f"{group}.total{d.title()}Latency.average")) for d in _READ_WRITE)


def _device_time(direction: ColumnDirection, letter: str, word: str) -> SampleColumn:
    """µs counters are there from vSphere 9 on."""
    fine = _us(f"storage.latency.{direction}{letter}avg.average")
    return _time(
        direction,
        f"{letter.lower()}avg_us",
        f"{letter}AVG",
        fine,
        _ms(f"disk.{word}{direction.title()}Latency.average"),
    )


_HOST_DEVICE: Final = (
    *(_ops(d, Counter(f"disk.number{d.title()}.summation", CounterUnit.NUMBER), _rate("disk", d)) for d in _READ_WRITE),
    *_throughput("disk"),
    *(
        _device_time(d, letter, word)
        for d in _READ_WRITE
        for letter, word in (("G", "total"), ("D", "device"), ("K", "kernel"), ("Q", "queue"))
    ),
    _level("queue_depth", "queue depth (DQLEN)", "disk.maxQueueDepth.average"),
    _count("aborts", "aborted commands", "disk.commandsAborted.summation"),
    _count("bus_resets", "bus resets", "disk.busResets.summation"),
    _PRECISION,
)
# A virtual disk's latency comes twice: as the µs `.latest` counter, and as its whole-ms `.average` twin.
_VM_DISK: Final = (
    *_averages("virtualDisk"),
    *(_time(d, "latency_us", "latency", _us(f"virtualDisk.{d}LatencyUS.latest")) for d in _READ_WRITE),
    *_total_latency("virtualDisk", "total_latency_us", "latency (ms counter)"),
    *(_level("outstanding", "outstanding I/Os", f"virtualDisk.{d}OIO.latest", d) for d in _READ_WRITE),
    _PRECISION,
)
# Came after the roll-ups of virtual disks were made.
_VM_DISK_ABORTS: Final = (_count("aborts", "aborted commands", "virtualDisk.commandsAborted.summation"),)
_PATH: Final = (*_averages("storagePath"), *_total_latency("storagePath", "latency_us", "latency"), _PRECISION)
_ADAPTER: Final = (
    *_averages("storageAdapter"),
    *_total_latency("storageAdapter", "latency_us", "latency"),
    _level("queue_depth", "queue depth (AQLEN)", "storageAdapter.queueDepth.average"),
    _level("queued", "queued I/Os", "storageAdapter.queued.average"),
    _level("outstanding", "outstanding I/Os", "storageAdapter.outstandingIOs.average"),
    _PRECISION,
)
# Of a host as a whole, all its CPUs together.
_HOST_CPU: Final = (
    SampleColumn(
        name="usage_basis_points",
        kind=ColumnKind.LEVEL,
        quantity="cpu_usage",
        unit="%",
        label="CPU usage",
        counters=(Counter("cpu.usage.average", CounterUnit.HUNDREDTHS_OF_PERCENT),),
    ),
)

# --- guests -----------------------------------------------------------------------------------------------------------


def _code(name: str, label: str) -> SampleColumn:
    return SampleColumn(name=name, kind=ColumnKind.CODE, quantity=name, unit="count", label=label)


# The counters are those of Linux as Telegraf calls them; other agents have other names for the same.
_GUEST_DISK: Final = (
    *(_ops(d, Counter(f"diskio.{d}s", CounterUnit.NUMBER)) for d in _READ_WRITE),
    *(_bytes(d, Counter(f"diskio.{d}_bytes", CounterUnit.BYTES_PER_S)) for d in _READ_WRITE),
    *(_time(d, "latency_us", "latency", _ms(f"diskio.{d}_time")) for d in _READ_WRITE),
    _count("queue_time_ms", "time in the queue", "diskio.weighted_io_time"),
    # How finely the guest times its I/Os, and how sure the place in time is: `guests.LatencyStep`, `guest_intervals.IntervalQuality`.
    _code("latency_step", "latency step"),
    _code("data_quality", "data quality"),
)

# --- streams and roll-ups ---------------------------------------------------------------------------------------------

# Besides these a sample has `ts` (its end by the source's own clock), `entity_id` and `interval_s` (its length).
COLUMNS_OF: Final[Mapping[Stream, tuple[SampleColumn, ...]]] = {
    Stream.ARRAY_VOLUME: _ARRAY_VOLUME,
    Stream.ARRAY_DIRECTORY: _ARRAY_DIRECTORY,
    Stream.ARRAY_WIDE: _ARRAY_VOLUME,
    Stream.ARRAY_PORT: _ARRAY_PORT,
    Stream.HOST_DEVICE: _HOST_DEVICE,
    Stream.VM_DISK: (*_VM_DISK, *_VM_DISK_ABORTS),
    Stream.PATH: _PATH,
    Stream.ADAPTER: _ADAPTER,
    Stream.HOST_CPU: _HOST_CPU,
    Stream.GUEST_DISK: _GUEST_DISK,
}
# What the roll-ups `<name>_5m` and `<name>_1h` keep of a stream. A continuous aggregate takes no new column: a column that is added
# later has roll-ups of its own, which are read beside the first ones of its stream. Streams that are not here have none.
ROLL_UPS: Final[Mapping[Stream, Mapping[str, Sequence[SampleColumn]]]] = {
    Stream.ARRAY_VOLUME: {"array_volume": _ARRAY_VOLUME},
    Stream.ARRAY_DIRECTORY: {"array_directory": _ARRAY_DIRECTORY},
    Stream.ARRAY_WIDE: {"array_wide": _ARRAY_VOLUME},
    Stream.HOST_DEVICE: {"host_device": _HOST_DEVICE},
    Stream.VM_DISK: {"vm_disk": _VM_DISK, "vm_disk_aborts": _VM_DISK_ABORTS},
    Stream.HOST_CPU: {"host_cpu": _HOST_CPU},
}


def directions_of(stream: Stream) -> tuple[ColumnDirection, ...]:
    """The directions whose operations a stream counts."""
    return tuple(column.direction for column in COLUMNS_OF[stream] if column.unit == "ops/s" and column.direction)


def column_of(stream: Stream, name: str) -> SampleColumn:
    """Raises KeyError for a name that the stream does not have."""
    return _BY_NAME[stream][name]


_BY_NAME: Final = {stream: {column.name: column for column in columns} for stream, columns in COLUMNS_OF.items()}
