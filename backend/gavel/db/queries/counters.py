"""The source's own name of what a column is made from, and the step of its numbers."""

from collections.abc import Mapping

from gavel.domain.samples import Precision
from gavel.domain.source import Stream

_ARRAY_TIMES = {
    "service": "service_usec_per_{}_op",
    "queue": "queue_usec_per_{}_op",
    "qos": "qos_rate_limit_usec_per_{}_op",
    "qos_sched": "qos_scheduling_usec_per_{}_op",
    "san": "san_usec_per_{}_op",
    "usec": "usec_per_{}_op",
}
_ARRAY: Mapping[str, str] = {
    f"{direction}_{column}": name.format(direction)
    for direction in ("read", "write", "mirrored_write")
    for column, name in (
        ("ops", "{}s_per_sec"),
        ("bytes", "{}_bytes_per_sec"),
        *((f"{time}_us", name) for time, name in _ARRAY_TIMES.items()),
    )
}
_HOST_MS = {
    "g": "disk.total{}Latency",
    "d": "disk.device{}Latency",
    "k": "disk.kernel{}Latency",
    "q": "disk.queue{}Latency",
}
_HOST: Mapping[str, str] = {
    **{f"{d.lower()}_ops": f"disk.number{d}.summation" for d in ("Read", "Write")},
    **{f"{d}_bytes": f"disk.{d}.average" for d in ("read", "write")},
    **{
        f"{d.lower()}_{x}avg_us": f"{name.format(d)}.average" for d in ("Read", "Write") for x, name in _HOST_MS.items()
    },
    "queue_depth": "disk.maxQueueDepth.average",
    "aborts": "disk.commandsAborted.summation",
    "bus_resets": "disk.busResets.summation",
}
# The µs family of vSphere 9, used instead of `disk.*` where it is there.
_HOST_US = {f"{d}_{x}avg_us": f"storage.latency.{d}{x.upper()}avg.average" for d in ("read", "write") for x in "gdkq"}
_VM_DISK: Mapping[str, str] = {
    **{f"{d.lower()}_ops": f"virtualDisk.number{d}Averaged.average" for d in ("Read", "Write")},
    **{f"{d}_bytes": f"virtualDisk.{d}.average" for d in ("read", "write")},
    **{f"{d}_latency_us": f"virtualDisk.{d}LatencyUS.latest" for d in ("read", "write")},
    **{f"{d.lower()}_total_latency_us": f"virtualDisk.total{d}Latency.average" for d in ("Read", "Write")},
    **{f"{d}_outstanding": f"virtualDisk.{d}OIO.latest" for d in ("read", "write")},
}
_NAMES = {
    Stream.ARRAY_VOLUME: _ARRAY,
    Stream.ARRAY_DIRECTORY: _ARRAY,
    Stream.HOST_DEVICE: _HOST,
    Stream.VM_DISK: _VM_DISK,
}
_STEP_US = {Precision.MICROSECOND: 1.0, Precision.MILLISECOND: 1000.0, Precision.ESXTOP: 1.0}


def counter_name(stream: Stream, column: str, precision: Precision | None) -> str:
    """As the vendor writes it. `precision`: of the samples, where they have one."""
    if stream is Stream.HOST_DEVICE and precision is Precision.MICROSECOND and column in _HOST_US:
        return _HOST_US[column]
    return _NAMES[stream][column]


def step_us(stream: Stream, column: str, precision: Precision | None) -> float | None:
    """The step of a latency in µs; None for what is not a latency, or when the samples have none."""
    if not column.endswith("_us"):
        return None
    if stream in (Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY):
        return 1.0
    if "_total_latency_" in column:
        return 1000.0
    return None if precision is None else _STEP_US[precision]
