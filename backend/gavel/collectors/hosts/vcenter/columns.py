"""From counters in their own units to the columns of a stream: one unit inside, and what was not measured stays so."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from gavel.collectors.hosts.vcenter.csv import PivotedSeries
from gavel.domain.samples import NOT_MEASURED, Int64Array, Precision, SampleBatch
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, ColumnKind, CounterUnit, SampleColumn

Taken: TypeAlias = Mapping[str, Int64Array]
"""Name of a counter → (n,) its numbers, one row per object and stamp."""

_BYTES_PER_KB: Final = 1024
_US_PER_MS: Final = 1000


def part_key(entity: str, instance: str) -> str | None:
    """Of a device, disk, path or adapter; an aggregate is none."""
    return f"{entity}/{instance}" if instance else None


def entity_key(entity: str, instance: str) -> str | None:
    """Of an entity as a whole, by its aggregate."""
    return None if instance else entity


def batch(
    stream: Stream,
    names: Sequence[str],
    series: PivotedSeries,
    key_of: Callable[[str, str], str | None],
    *,
    since_us: int,
    until_us: int,
) -> SampleBatch | None:
    """The rows of one reply with since < stamp ≤ until, or None when there are none.

    names: the counter in each column of `series`. key_of: (entity, instance) → key of the object, None for what is
    none, as aggregates (instance "") mostly are. A row in which nothing was measured is left out.
    """
    keys, key_index = _keys(series, key_of)
    shape = series.ended_at_us.shape
    rows = np.broadcast_to(key_index[:, None], shape)
    kept = (rows >= 0) & (series.ended_at_us > since_us) & (series.ended_at_us <= until_us)
    kept &= (series.values != NOT_MEASURED).any(axis=0)
    if not kept.any():
        return None
    interval_s = series.interval_s[kept]
    taken = {name: series.values[column][kept] for column, name in enumerate(names)}
    return SampleBatch(
        stream=stream,
        keys=keys,
        key_index=rows[kept],
        ended_at_us=series.ended_at_us[kept],
        interval_s=interval_s,
        values=values(stream, taken, interval_s),
    )


def values(stream: Stream, taken: Taken, interval_s: Int64Array) -> dict[str, Int64Array]:
    """All columns of a stream out of its counters."""
    precision = _precision(stream, taken, len(interval_s))
    return {
        column.name: precision if column.kind is ColumnKind.CODE else _column(column, taken, interval_s, precision)
        for column in COLUMNS_OF[stream]
    }


def _keys(series: PivotedSeries, key_of: Callable[[str, str], str | None]) -> tuple[tuple[str, ...], Int64Array]:
    """The objects' keys, each once, and for every object of the reply its place among them (-1: no object)."""
    places: dict[str, int] = {}
    keys = (key_of(entity, instance) for entity, instance in series.names)
    index = [-1 if key is None else places.setdefault(key, len(places)) for key in keys]
    return tuple(places), np.array(index, dtype=np.int64)


def _column(column: SampleColumn, taken: Taken, interval_s: Int64Array, precision: Int64Array) -> Int64Array:
    """Of times with several counters row by row the one family that `precision` says, so that parts of a row may be compared."""
    numbers = np.full(len(interval_s), NOT_MEASURED, dtype=np.int64)
    for counter in reversed(column.counters):
        if counter.name in taken:
            found = _converted(taken[counter.name], counter.unit, interval_s)
            is_of_family = column.kind is ColumnKind.TIME and len(column.counters) > 1
            numbers = np.where(precision == _PRECISIONS[counter.unit], found, numbers) if is_of_family else found
    return numbers


def _precision(stream: Stream, taken: Taken, rows: int) -> Int64Array:
    """Of each row, the finest of its times'."""
    precision = np.full(rows, NOT_MEASURED, dtype=np.int64)
    times = [counter for column in COLUMNS_OF[stream] for counter in column.counters if counter.unit in _PRECISIONS]
    for unit in (CounterUnit.MILLISECONDS, CounterUnit.MICROSECONDS):
        for counter in times:
            if counter.unit is unit and counter.name in taken:
                precision[taken[counter.name] != NOT_MEASURED] = _PRECISIONS[unit]
    return precision


_PRECISIONS: Final = {
    CounterUnit.MICROSECONDS: Precision.MICROSECOND,
    CounterUnit.MILLISECONDS: Precision.MILLISECOND,
}


def _converted(numbers: Int64Array, unit: CounterUnit, interval_s: Int64Array) -> Int64Array:
    """Rates become counts of the interval, KiB become bytes, and ms become µs."""
    factor = interval_s * _BYTES_PER_KB if unit is CounterUnit.KB_PER_S else _FACTORS.get(unit, interval_s)
    return np.where(numbers == NOT_MEASURED, NOT_MEASURED, numbers * factor)


_FACTORS: Final = {
    CounterUnit.NUMBER: 1,
    CounterUnit.MICROSECONDS: 1,
    CounterUnit.MILLISECONDS: _US_PER_MS,
    CounterUnit.HUNDREDTHS_OF_PERCENT: 1,
}
