"""Path samples of 20 s folded into blocks of five minutes: there are many paths, and their latencies are whole ms."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from gavel.collectors.hosts.vcenter.csv import PivotedSeries
from gavel.domain.samples import NOT_MEASURED, Int64Array, SampleBatch
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, ColumnKind, SampleColumn

BLOCK_S: Final = 300
_BLOCK_US: Final = BLOCK_S * 1_000_000


def floor_to_block(stamp_us: int) -> int:
    return stamp_us // _BLOCK_US * _BLOCK_US


def whole_blocks_only(series: PivotedSeries) -> PivotedSeries:
    """The samples of objects' blocks that the source served from end to end; what it cut off at either edge is left out.

    A block lasts from one full five minutes of the source's clock to the next and is stamped with its end.
    """
    block = _block_end(series.ended_at_us)
    complete = np.zeros_like(block, dtype=bool)
    for end in np.unique(block):
        inside = block == end
        covered = np.where(inside, series.interval_s, 0).sum(axis=1) >= BLOCK_S
        complete |= inside & covered[:, None]
    values = np.where(complete, series.values, NOT_MEASURED)
    return PivotedSeries(
        names=series.names, ended_at_us=series.ended_at_us, interval_s=series.interval_s, values=values
    )


def _block_end(stamps_us: Int64Array) -> Int64Array:
    """End of the block that a sample ending then belongs to; one that ends with the block belongs to it."""
    return -(-stamps_us // _BLOCK_US) * _BLOCK_US


def folded(batch: SampleBatch) -> SampleBatch:
    """Path rows of 20 s → one row per path and block: sums of ops and bytes, latencies weighted by ops.

    `interval_s` is what was measured of the block, 300 unless single samples are missing. A latency without operations,
    or with a sample of it missing, is not measured.
    """
    ends = _block_end(batch.ended_at_us)
    pairs = np.stack([batch.key_index, ends], axis=1)
    blocks, block_of = np.unique(pairs, axis=0, return_inverse=True)
    block_of = block_of.reshape(-1)
    count = len(blocks)
    values = {column.name: _folded(column, batch.values, block_of, count) for column in COLUMNS_OF[Stream.PATH]}
    return SampleBatch(
        stream=Stream.PATH,
        keys=batch.keys,
        key_index=blocks[:, 0],
        ended_at_us=blocks[:, 1],
        interval_s=_total(batch.interval_s, block_of, count),
        values=values,
    )


def _folded(column: SampleColumn, values: Mapping[str, Int64Array], block_of: Int64Array, count: int) -> Int64Array:
    match column.kind, column.weight:
        case ColumnKind.COUNT, _:
            return _total(values[column.name], block_of, count)
        case ColumnKind.TIME, str(weight):
            return _weighted(values[column.name], values[weight], block_of, count)
        case ColumnKind.CODE, _:
            return _highest(values[column.name], block_of, count)
    raise ValueError(f"{column.name}: a {column.kind} has no sum over a block")


def _total(column: Int64Array, block_of: Int64Array, count: int) -> Int64Array:
    """Sum per block; not measured where no sample of the block was."""
    measured = column != NOT_MEASURED
    total = np.zeros(count, dtype=np.int64)
    np.add.at(total, block_of[measured], column[measured])
    seen = np.bincount(block_of[measured], minlength=count)
    return np.where(seen > 0, total, NOT_MEASURED)


def _weighted(latency: Int64Array, ops: Int64Array, block_of: Int64Array, count: int) -> Int64Array:
    """Mean latency per block, weighted by ops; not measured without ops, or when an op's latency is unknown."""
    weighs = ops > 0
    unknown = np.bincount(block_of[weighs & (latency == NOT_MEASURED)], minlength=count) > 0
    known = weighs & (latency != NOT_MEASURED)
    weight = np.zeros(count, dtype=np.int64)
    np.add.at(weight, block_of[known], ops[known])
    mean = np.zeros(count, dtype=np.float64)
    np.add.at(mean, block_of[known], latency[known] * (ops[known] / np.maximum(weight, 1)[block_of[known]]))
    return np.where((weight > 0) & ~unknown, np.rint(mean).astype(np.int64), NOT_MEASURED)


def _highest(column: Int64Array, block_of: Int64Array, count: int) -> Int64Array:
    highest = np.full(count, NOT_MEASURED, dtype=np.int64)
    np.maximum.at(highest, block_of, column)
    return highest
