"""Samples on their way from a collector to the store: columns of integers, one row per entity and stamp.

All numbers are non-negative integers; `NOT_MEASURED` marks a value the source did not deliver (stored as NULL, never as 0).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gavel.domain.source import GRAIN_S, Stream
from gavel.domain.streams import COLUMNS_OF

Int64Array: TypeAlias = npt.NDArray[np.int64]

NOT_MEASURED = -1
# A sample may be readable late, or half filled at first: so many intervals before the newest one known may still change, and are asked
# for again (how many of them each time: `ingest.windows`).
LOOK_BACK_SAMPLES = 3
# So many samples on either side of a sample have a say in how sure its numbers are: of a virtual disk, whose counters are instants, those
# of its neighbors have a say in theirs. Neighbors may have a slit between them (`analysis.align`).
_NEIGHBORS = {Stream.VM_DISK: 2}
SLIT_S = 1


def neighbors(stream: Stream) -> int:
    return _NEIGHBORS.get(stream, 1)


def reach_s(stream: Stream) -> int:
    """So long before its end a sample may have a say in a minute: by its length, and by its neighbors' and the slits beside them."""
    return (1 + neighbors(stream)) * (GRAIN_S[stream] + SLIT_S)


class Precision(IntEnum):
    """How finely the latencies of a row were delivered; decides the half-width of every interval built on them."""

    MICROSECOND = 1  # integer µs
    MILLISECOND = 2  # integer ms: the true value lies within one ms of it (attribution.md §3)
    ESXTOP = 3  # decimals of an esxtop batch file


# The step of a latency of that precision, in µs.
STEP_US: Mapping[Precision, int] = {Precision.MICROSECOND: 1, Precision.MILLISECOND: 1000, Precision.ESXTOP: 10}
# Names of the columns of each stream, in order.
COLUMNS: Mapping[Stream, tuple[str, ...]] = {
    stream: tuple(column.name for column in columns) for stream, columns in COLUMNS_OF.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
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


def joined(batches: Sequence[SampleBatch]) -> SampleBatch:
    """The rows of all batches of one stream, one after the other, as one; raises ValueError when there is none."""
    if len(batches) == 1:
        return batches[0]
    places: dict[str, int] = {}
    indexes = [
        np.array([places.setdefault(key, len(places)) for key in batch.keys], dtype=np.int64)[batch.key_index]
        for batch in batches
    ]
    return SampleBatch(
        stream=batches[0].stream,
        keys=tuple(places),
        key_index=np.concatenate(indexes),
        ended_at_us=np.concatenate([batch.ended_at_us for batch in batches]),
        interval_s=np.concatenate([batch.interval_s for batch in batches]),
        values={name: np.concatenate([batch.values[name] for batch in batches]) for name in batches[0].values},
    )
