"""From readings in the counters' units to the columns of a stream: one unit inside, and what was not measured stays so."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from gavel.collectors.hosts.vcenter.csv import PivotedSeries
from gavel.domain.samples import COLUMNS, NOT_MEASURED, Int64Array, Precision, SampleBatch
from gavel.domain.source import Stream

Taken: TypeAlias = Mapping[str, Int64Array]
"""Name of a reading → (n,) its values, one row per object and stamp."""

_BYTES_PER_KB: Final = 1024
_US_PER_MS: Final = 1000


def batch(
    stream: Stream,
    names: Sequence[str],
    series: PivotedSeries,
    key_of: Callable[[str, str], str],
    *,
    since_us: int,
    until_us: int,
) -> SampleBatch | None:
    """The rows of one reply with since < stamp ≤ until, or None when there are none.

    names: the reading in each column of `series`. key_of: (entity, instance) → key of the object. Aggregates (instance
    "") are no object, and a row in which nothing was measured is none.
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
    """All columns of a stream out of its readings."""
    columns = _traffic(taken, interval_s) | _LATENCIES[stream](taken, len(interval_s))
    absent = np.full(len(interval_s), NOT_MEASURED, dtype=np.int64)
    return {name: columns.get(name, taken.get(name, absent)) for name in COLUMNS[stream]}


def _keys(series: PivotedSeries, key_of: Callable[[str, str], str]) -> tuple[tuple[str, ...], Int64Array]:
    """The objects' keys, each once, and for every object of the reply its place among them (-1: no object)."""
    places: dict[str, int] = {}
    index = [
        places.setdefault(key_of(entity, instance), len(places)) if instance else -1
        for entity, instance in series.names
    ]
    return tuple(places), np.array(index, dtype=np.int64)


def _traffic(taken: Taken, interval_s: Int64Array) -> dict[str, Int64Array]:
    columns: dict[str, Int64Array] = {}
    for direction in ("read", "write"):
        if f"{direction}_ops" not in taken and (rate := taken.get(f"{direction}_per_s")) is not None:
            columns[f"{direction}_ops"] = _scaled(rate, interval_s)
        if (rate := taken.get(f"{direction}_kb_per_s")) is not None:
            columns[f"{direction}_bytes"] = _scaled(rate, interval_s * _BYTES_PER_KB)
    return columns


def _device_latencies(taken: Taken, rows: int) -> dict[str, Int64Array]:
    names = [f"{direction}_{letter}avg" for direction in ("read", "write") for letter in "gdkq"]
    fine = _as_microseconds(taken, names, rows, "_us", 1)
    coarse = _as_microseconds(taken, names, rows, "_ms", _US_PER_MS)
    return _best_family(fine, coarse, rows)


def _disk_latencies(taken: Taken, rows: int) -> dict[str, Int64Array]:
    fine = _as_microseconds(taken, ["read_latency", "write_latency"], rows, "_us", 1)
    coarse = _as_microseconds(taken, ["read_latency", "write_latency"], rows, "_ms", _US_PER_MS)
    totals = {f"{name.replace('_latency', '_total_latency')}": column for name, column in coarse.items()}
    return fine | totals | {"precision": _precision(fine, coarse, rows)}


def _plain_latencies(taken: Taken, rows: int) -> dict[str, Int64Array]:
    coarse = _as_microseconds(taken, ["read_latency", "write_latency"], rows, "_ms", _US_PER_MS)
    return coarse | {"precision": _precision({}, coarse, rows)}


_LATENCIES: Final[Mapping[Stream, Callable[[Taken, int], dict[str, Int64Array]]]] = {
    Stream.HOST_DEVICE: _device_latencies,
    Stream.VM_DISK: _disk_latencies,
    Stream.PATH: _plain_latencies,
    Stream.ADAPTER: _plain_latencies,
}


def _as_microseconds(taken: Taken, names: Sequence[str], rows: int, suffix: str, factor: int) -> dict[str, Int64Array]:
    absent = np.full(rows, NOT_MEASURED, dtype=np.int64)
    return {f"{name}_us": _scaled(taken.get(name + suffix, absent), factor) for name in names}


def _best_family(fine: dict[str, Int64Array], coarse: dict[str, Int64Array], rows: int) -> dict[str, Int64Array]:
    """Row by row one family for all latencies, so that a row has one precision and its parts may be compared."""
    precision = _precision(fine, coarse, rows)
    is_fine = precision == Precision.MICROSECOND
    return {name: np.where(is_fine, fine[name], coarse[name]) for name in fine} | {"precision": precision}


def _precision(fine: Mapping[str, Int64Array], coarse: Mapping[str, Int64Array], rows: int) -> Int64Array:
    precision = np.full(rows, NOT_MEASURED, dtype=np.int64)
    for family, quality in ((coarse, Precision.MILLISECOND), (fine, Precision.MICROSECOND)):
        for column in family.values():
            precision[column != NOT_MEASURED] = quality
    return precision


def _scaled(column: Int64Array, factor: Int64Array | int) -> Int64Array:
    return np.where(column == NOT_MEASURED, NOT_MEASURED, column * factor)
