"""When rows are of: the stamps of a window or one real-time instant, and how the model is read for them.

Up to five minutes a sample is the mean of its whole interval. Coarser ones are the mean of a few single minutes spread
over theirs: the model solves every second, and a year of seconds would take hours. Sums over objects stay exact either way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gavel_lab.flasharray.view import ArrayView
from gavel_lab.reading import Floats, Reading

EXACT_UP_TO_S = 300.0
# How many minutes stand for a coarser sample: fewer for the longer ones, whose windows hold more of them.
MINUTES_OF = {1_800: 6, 7_200: 4, 28_800: 2, 86_400: 2}
# Steps of the golden ratio never meet the hour's stories at the same minute twice.
_GOLDEN = 0.6180339887


@dataclass(frozen=True)
class Moments:
    """stamps: epoch milliseconds of the array's clock. spans: the lab spans read for each of them (w, k, 2)."""

    stamps: tuple[int, ...]
    spans: Floats

    def read(self, first: int, last: int, read: Callable[[Floats], Reading]) -> Reading:
        """One window per stamp first..last-1, out of one reading of all their spans."""
        spans = self.spans[first:last]
        return _folded(read(spans.reshape(-1, 2)), *spans.shape[:2])

    def key(self, first: int, last: int) -> bytes:
        """Equal for equal spans."""
        return self.spans[first:last].tobytes()


def at_history(view: ArrayView, stamps: Sequence[int], resolution_ms: int) -> Moments:
    """Samples that end at the given stamps."""
    clock = view.lab.clocks.arrays[view.array.index]
    length_s = resolution_ms / 1000
    windows = clock.windows(np.asarray(stamps, dtype=np.int64) // 1000, length_s)
    if length_s <= EXACT_UP_TO_S:
        return Moments(tuple(stamps), windows[:, None, :])
    places = np.arange(MINUTES_OF[int(length_s)])
    slot_s = length_s / len(places)
    starts = windows[:, :1] + places * slot_s + np.modf(0.5 + places * _GOLDEN)[0] * (slot_s - 120)
    minutes = np.ceil(starts / 60) * 60
    return Moments(tuple(stamps), np.stack([minutes, minutes + 60], axis=-1))


def at_once(view: ArrayView, now_ms: int) -> Moments:
    """A real-time sample: one unaligned stamp, over the last whole second that was over by then."""
    clock = view.lab.clocks.arrays[view.array.index]
    end = np.floor(clock.to_lab(np.array([now_ms / 1000])))
    return Moments((now_ms,), np.stack([end - 1, end], axis=1)[:, None, :])


def _folded(reading: Reading, count: int, each: int) -> Reading:
    """Runs of `each` windows added up, so that `count` are left."""

    def folded(sums: Floats, axis: int) -> Floats:
        result: Floats = sums.reshape(*sums.shape[:axis], count, each, *sums.shape[axis + 1 :]).sum(axis=axis + 1)
        return result

    return Reading(
        seconds=folded(reading.seconds, 0),
        ops=folded(reading.ops, 1),
        bytes=folded(reading.bytes, 1),
        io_time_us=folded(reading.io_time_us, 1),
    )
