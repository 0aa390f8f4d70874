"""Rows of the performance endpoints: every object at every stamp of the window, or once, now.

Rows come stamp by stamp, oldest first, so a page needs few stamps and a new sample never moves older rows.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gavel_lab.flasharray.counters import Columns, Whole, block_columns, file_columns, rounded, truncated
from gavel_lab.flasharray.groups import Group
from gavel_lab.flasharray.moments import Moments
from gavel_lab.flasharray.shaping import Row, Shape, blank, cut
from gavel_lab.flasharray.view import ArrayView
from gavel_lab.reading import Floats, Reading

ROWS_PER_BLOCK = 8_000


@dataclass(frozen=True)
class Block:
    """All objects at some stamps: their reading (n, w), and the shown integers flattened stamp by stamp (w * n)."""

    reading: Reading
    columns: dict[str, NDArray[np.int64]]


class BlockCache:
    """The last few blocks: the pages of one poll share them. Thread-safe."""

    def __init__(self, size: int = 8) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[Any, Block] = OrderedDict()

    def get(self, key: Any) -> Block | None:
        with self._lock:
            return self._kept.get(key)

    def put(self, key: Any, block: Block) -> None:
        with self._lock:
            self._kept[key] = block
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


class PerformanceTable:
    """Objects x stamps of one endpoint, in the shape of a version. Totals are per array where rows are."""

    def __init__(
        self, view: ArrayView, path: str, groups: Sequence[Group], moments: Moments, shape: Shape, cache: BlockCache
    ) -> None:
        self._view = view
        self._path = path
        self._groups = [group for group in groups if group.rows]
        self._moments = moments
        self._shape = shape
        self._cache = cache
        self._by_array = "array" in shape
        self._identities = [identity for group in self._groups for identity in group.identities]
        self._objects = len(self._identities)
        self._fixed = {name: value for name, value in _FIXED.items() if name in shape}

    def __len__(self) -> int:
        return self._objects * len(self._moments.stamps)

    def page(self, start: int, stop: int) -> list[Row]:
        if start >= stop:
            return []
        first, last = self._stamps_of(start, stop)
        skipped = first * self._objects
        block = self._block(first, last)
        columns = [column[start - skipped : stop - skipped].tolist() for column in block.columns.values()]
        names = ("time", *block.columns)
        rows = zip(range(start, stop), *columns, strict=True)
        named = self._named(start, stop)
        stamps, objects, fixed = self._moments.stamps, self._objects, self._fixed
        return [
            named[place % objects] | fixed | dict(zip(names, (stamps[place // objects], *values), strict=True))
            for place, *values in rows
        ]

    def every(self) -> Iterator[Row]:
        per_block = max(1, ROWS_PER_BLOCK // max(1, self._objects)) * self._objects
        for start in range(0, len(self), per_block or 1):
            yield from self.page(start, min(start + per_block, len(self)))

    def cut(self, rows: Sequence[Row]) -> list[Row]:
        return list(rows)

    def totals(self, rows: Sequence[Row] | None, start: int, stop: int) -> list[Row]:
        """One row per stamp (and array) of what the page shows, or of the given rows alone."""
        if rows is None:
            if start >= stop:
                return []
            return self._totals_of_stamps(*self._stamps_of(start, stop))
        kept: dict[int, set[Any]] = {}
        for row in rows:
            kept.setdefault(row["time"], set()).add(self._key(row))
        return [
            total
            for place, stamp in enumerate(self._moments.stamps)
            if stamp in kept
            for total in self._totals_at(
                place, self._block(place, place + 1).reading, place, self._with_keys(kept[stamp])
            )
        ]

    def _totals_of_stamps(self, first: int, last: int) -> list[Row]:
        """Of all objects; a page's stamps fit in one run, which is the block the page was cut from."""
        run = max(2, ROWS_PER_BLOCK // self._objects)
        totals: list[Row] = []
        for start in range(first, last, run):
            stop = min(start + run, last)
            reading = self._block(start, stop).reading
            for place in range(start, stop):
                totals += self._totals_at(place, reading, start, range(self._objects))
        return totals

    def _totals_at(self, place: int, reading: Reading, first: int, objects: Collection[int]) -> list[Row]:
        """Aggregated rows of some objects at one stamp: one, or one per array. The reading begins at stamp `first`."""
        if not self._by_array:
            return [self._total(place, _summed(reading, place - first, list(objects)), {})] if objects else []
        arrays: dict[str, list[int]] = {}
        for each in objects:
            arrays.setdefault(self._identities[each]["array"]["id"], []).append(each)
        shape = {name: self._shape[name] for name in ("array", "member") if name in self._shape}
        return [
            self._total(place, _summed(reading, place - first, members), cut(self._identities[members[0]], shape))
            for members in arrays.values()
        ]

    def _total(self, place: int, sums: Reading, named: Row) -> Row:
        values = {name: column.item() for name, column in self._columns(sums, truncated).items()}
        return {**blank(self._shape), **named, **self._fixed, **values, "time": self._moments.stamps[place]}

    def _with_keys(self, keys: set[Any]) -> list[int]:
        return [place for place, identity in enumerate(self._identities) if self._key(identity) in keys]

    def _key(self, row: Row) -> tuple[str, str | None]:
        return (row["name"], row["array"]["id"] if self._by_array else None)

    def _named(self, start: int, stop: int) -> dict[int, Row]:
        """The fields that name the objects of rows start..stop-1, as the version shows them."""
        shape = {name: inner for name, inner in self._shape.items() if name in self._identities[0]}
        places = {row % self._objects for row in range(start, min(stop, start + self._objects))}
        return {place: cut(self._identities[place], shape) for place in places}

    def _stamps_of(self, start: int, stop: int) -> tuple[int, int]:
        """Range of stamps the rows start..stop-1 belong to."""
        return start // self._objects, -(-stop // self._objects)

    def _block(self, first: int, last: int) -> Block:
        """All objects at stamps first..last-1."""
        objects = tuple((group.rows, group.read) for group in self._groups)
        key = (self._path, frozenset(self._shape), objects, self._moments.key(first, last))
        block = self._cache.get(key)
        if block is None:
            reading = self._moments.read(first, last, self._read)
            columns = {name: column.T.ravel() for name, column in self._columns(reading, rounded).items()}
            block = Block(reading, columns)
            self._cache.put(key, block)
        return block

    def _read(self, windows: Floats) -> Reading:
        return _together([group.read(group.rows, windows) for group in self._groups])

    def _columns(self, reading: Reading, whole: Whole) -> Columns:
        """The counters the version shows, (n, w)."""
        if self._path == "directories/performance":
            columns = file_columns(reading, whole)
        else:
            columns = block_columns(reading, whole, queue_in_usec=self._view.array.queue_in_usec)
        return {name: column for name, column in columns.items() if name in self._shape}


# Deprecated, and heading to be always empty; nothing reduces service times without a cache.
_FIXED = {"queue_depth": None, "local_queue_usec_per_op": 0, "service_usec_per_read_op_cache_reduction": None}


def _together(readings: Sequence[Reading]) -> Reading:
    """Readings of different objects over the same windows as one."""
    return Reading(
        seconds=readings[0].seconds,
        ops=np.concatenate([reading.ops for reading in readings]),
        bytes=np.concatenate([reading.bytes for reading in readings]),
        io_time_us=np.concatenate([reading.io_time_us for reading in readings]),
    )


def _summed(reading: Reading, window: int, objects: list[int]) -> Reading:
    """One row and one window: some objects at one of the reading's windows, added up."""

    def summed(sums: Floats) -> Floats:
        result: Floats = sums[objects, window].sum(axis=0)[None, None]
        return result

    return Reading(
        seconds=reading.seconds[window : window + 1],
        ops=summed(reading.ops),
        bytes=summed(reading.bytes),
        io_time_us=summed(reading.io_time_us),
    )
