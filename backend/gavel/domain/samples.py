"""Samples on their way from a collector to the store: columns of integers, one row per entity and stamp.

All numbers are non-negative integers; `NOT_MEASURED` marks a value the source did not deliver (stored as NULL, never as 0).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gavel.domain.source import Stream

Int64Array: TypeAlias = npt.NDArray[np.int64]

NOT_MEASURED = -1


class Precision(IntEnum):
    """How finely the latencies of a row were delivered; decides the half-width of every interval built on them."""

    MICROSECOND = 1  # integer µs
    MILLISECOND = 2  # integer ms: the true value lies within one ms of it (attribution.md §3)
    ESXTOP = 3  # decimals of an esxtop batch file


# Columns of each stream besides `ts` (end of the sample by the source's own clock), `entity_id` and `interval_s` (its length).
# ops = operations in the interval, bytes = bytes in the interval, *_us = mean µs per operation of that direction.
_ARRAY_DIRECTIONS = ("read", "write", "mirrored_write")
_ARRAY_TIMES = ("service", "queue", "qos", "qos_sched", "san", "usec")

COLUMNS: Mapping[Stream, tuple[str, ...]] = {
    # `<d>_usec_us` is the array's own headline number, kept as a cross-check; `qos_sched` exists from REST 2.49 on.
    Stream.ARRAY_VOLUME: (
        *(f"{direction}_{unit}" for direction in _ARRAY_DIRECTIONS for unit in ("ops", "bytes")),
        *(f"{direction}_{time}_us" for direction in _ARRAY_DIRECTIONS for time in _ARRAY_TIMES),
    ),
    # A managed directory that NFS clients mount: one time per operation, which the array does not split.
    Stream.ARRAY_DIRECTORY: ("read_ops", "write_ops", "read_bytes", "write_bytes", "read_usec_us", "write_usec_us"),
    Stream.HOST_DEVICE: (
        "read_ops", "write_ops", "read_bytes", "write_bytes",
        "read_gavg_us", "read_davg_us", "read_kavg_us", "read_qavg_us",
        "write_gavg_us", "write_davg_us", "write_kavg_us", "write_qavg_us",
        "queue_depth", "aborts", "bus_resets", "precision",
    ),
    # latency = the µs `.latest` counter; total_latency = its integer-ms `.average` twin, in µs;
    # outstanding = I/Os in flight, as the host reports them (whole).
    Stream.VM_DISK: (
        "read_ops", "write_ops", "read_bytes", "write_bytes",
        "read_latency_us", "write_latency_us", "read_total_latency_us", "write_total_latency_us",
        "read_outstanding", "write_outstanding", "precision",
    ),
    Stream.PATH: ("read_ops", "write_ops", "read_bytes", "write_bytes", "read_latency_us", "write_latency_us", "precision"),
    Stream.ADAPTER: (
        "read_ops", "write_ops", "read_bytes", "write_bytes", "read_latency_us", "write_latency_us",
        "queue_depth", "queued", "outstanding", "precision",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """Rows of one stream as parallel arrays of length n.

    keys: the entities' natural keys within the source (see `inventory`), each once.
    key_index: (n,) row → position in `keys`.
    ended_at_us: (n,) end of the sample by the source's own clock, µs since 1970 UTC.
    interval_s: (n,) length of the sample, whole seconds.
    values: column name → (n,) integers, `NOT_MEASURED` where absent; exactly the names of `COLUMNS[stream]`.
    """

    stream: Stream
    keys: tuple[str, ...]
    key_index: Int64Array
    ended_at_us: Int64Array
    interval_s: Int64Array
    values: Mapping[str, Int64Array]

    def __post_init__(self) -> None:
        expected = set(COLUMNS[self.stream])
        if set(self.values) != expected:
            raise ValueError(f"{self.stream}: columns {sorted(set(self.values) ^ expected)} do not fit the stream")
        rows = len(self.key_index)
        lengths = {len(self.ended_at_us), len(self.interval_s), *(len(column) for column in self.values.values())}
        if lengths != {rows}:
            raise ValueError(f"{self.stream}: columns of unequal length {sorted(lengths | {rows})}")

    def __len__(self) -> int:
        return len(self.key_index)
