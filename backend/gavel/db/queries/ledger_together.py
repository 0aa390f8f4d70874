"""The ledger of many objects together over time: their sums by bucket, added up by the database, without a row for each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from gavel.db.copying import ColumnType, fetch, int_array
from gavel.db.engine import Connection
from gavel.db.queries.ledger_pieces import KEYS, LedgerPiece, Resolution, ledger_pieces, resolution_of
from gavel.db.series import ledger_columns, modes, packed
from gavel.db.series.catalog import EPOCH, LEDGER, RawSeries
from gavel.domain.io_path import SPANS, Direction
from gavel.domain.samples import Int64Array

Floats = npt.NDArray[np.float64]
_SUMS = tuple(partial for partial in ledger_columns.PARTIALS if partial.name in ledger_columns.TIMES)
_COLUMNS: dict[str, ColumnType] = {
    "b": "us",
    "minutes": "i8",
    "objects": "i8",
    **dict.fromkeys((partial.name for partial in _SUMS), "f8"),
}
_SPANS = tuple(f"{Direction.ALL.name.lower()}_{name}" for name in ledger_columns.SPAN_NAMES.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class SummedSeries:
    """n buckets in order, those without a minute absent. Reads and writes together.

    starts_us: (n,) µs since 1970. minutes: (n,) most that one of the objects has of the bucket. objects: (n,) most that have the same
    minute, or the same sum of 5 or 60. ops: (n,) NaN where none was measured. span_time, span_ops: (n, 10) I/O-time in µs and ops that it
    is of. from_at, to_at: what was read, in whole buckets of `step`.
    """

    starts_us: Int64Array
    minutes: Int64Array
    objects: Int64Array
    ops: Floats
    span_time: Floats
    span_ops: Floats
    from_at: datetime
    to_at: datetime
    step: timedelta
    resolution: Resolution


def ledger_together(
    connection: Connection,
    keys: Sequence[int],
    from_at: datetime,
    to_at: datetime,
    step: timedelta,
    storage: modes.Storage,
) -> SummedSeries:
    """Of parents in the ledger, in buckets of `step` or wider, as retention has left them. Raises as `ledger` does."""
    over, pieces = ledger_pieces(connection, keys, from_at, to_at, step, storage)
    limits = {f"{edge}{number}": getattr(piece, edge) for number, piece in enumerate(pieces) for edge in ("lo", "hi")}
    parameters: dict[str, Any] = limits | {"keys": int_array(keys), "step": over.step, "epoch": EPOCH}
    found = fetch(connection, _query(pieces), parameters, _COLUMNS)
    return SummedSeries(
        starts_us=found["b"],
        minutes=found["minutes"],
        objects=found["objects"],
        ops=_ops(found),
        span_time=np.nan_to_num(_stacked(found, "time")),
        span_ops=np.where(np.isnan(_stacked(found, "time")), 0.0, np.nan_to_num(_stacked(found, "ops"))),
        from_at=over.lo,
        to_at=over.hi,
        step=over.step,
        resolution=resolution_of(pieces),
    )


def _query(pieces: Sequence[LedgerPiece]) -> str:
    """The objects are added up row by row of their tables first: what is left is a row for each stamp, whatever their number."""
    stamps = " UNION ALL ".join(_part(piece, number) for number, piece in enumerate(pieces))
    sums = ", ".join(f"{partial.of_partials} AS {partial.name}" for partial in _SUMS)
    return (
        f"SELECT date_bin(:step, t, :epoch) AS b, sum(minutes)::int AS minutes, max(objects)::int AS objects, {sums}"
        f" FROM ({stamps}) stamp GROUP BY 1 ORDER BY 1"
    )


def _part(piece: LedgerPiece, number: int) -> str:
    """A row for each stamp of one table."""
    series = piece.series
    lo, hi = (f"CAST(:{edge}{number} AS timestamptz)" for edge in ("lo", "hi"))
    is_raw = isinstance(series, RawSeries)
    sums = {partial.name: partial.of_samples if is_raw else partial.of_partials for partial in _SUMS}
    minutes, read = ("1", tuple(sums.values())) if is_raw else ("max(minutes)", ("minutes", *sums.values()))
    names = packed.named_in(LEDGER if is_raw else series, *read)
    rows = packed.rows(series, names, of=packed.of_any(KEYS), lo=lo, hi=hi)
    summed = ", ".join(f"{sql} AS {name}" for name, sql in sums.items())
    return (
        f"SELECT {series.time} AS t, {minutes} AS minutes, count(*) AS objects, {summed}"
        f" FROM {rows} r WHERE {series.time} < {hi} GROUP BY 1"
    )


def _stacked(columns: dict[str, npt.NDArray[Any]], part: str) -> Floats:
    return np.stack([columns[f"{span}_{part}"] for span in _SPANS], axis=1).reshape(-1, len(SPANS))


def _ops(columns: dict[str, npt.NDArray[Any]]) -> Floats:
    ways = np.stack([columns[name] for name in ledger_columns.OPS], axis=1)
    return np.where(np.isnan(ways).all(axis=1), np.nan, np.nansum(ways, axis=1))
