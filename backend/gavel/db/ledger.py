"""Writing the ledger: minutes of rows, each minute as a whole, by one binary COPY to a table."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from gavel.analysis.ledger import LedgerRows
from gavel.analysis.notes import Notes
from gavel.db import copying, ledger_columns, modes
from gavel.db.copying import Field
from gavel.db.room import make_room, stamp_us
from gavel.db.series import LEDGER, LEDGER_LEAVES, Raw
from gavel.domain.io_path import Direction
from gavel.domain.samples import Int64Array
from gavel.domain.scope import LEAVES, ScopeKind, scope_key

# Leaves are the first kinds, so their keys are the smallest.
FIRST_PARENT = scope_key(min(set(ScopeKind) - LEAVES), 0)
# Ops of a part that differ from all ops by less than `real` can tell are all ops.
_SAME = 1e-7

_Floats = npt.NDArray[np.float64]


def write_ledger(
    connection: Connection,
    minutes_us: Int64Array,
    keys: Int64Array,
    rows: LedgerRows,
    notes: Notes,
    *,
    replace_minutes: Sequence[datetime],
) -> int:
    """Store n rows within the caller's transaction; returns n. Writing the same minutes again, as `replace_minutes`, changes nothing.

    minutes_us: (n,) start of the row's minute, µs since 1970. keys: (n,) `scope_key`. Each key has at most one row a minute.
    replace_minutes: starts of minutes that may have rows of these keys already; those go. Rows of other keys stay.
    Raises psycopg's UniqueViolation when a row is there and its minute is not to be replaced: callers hold a lock, so that is a fault.
    """
    if len(keys) == 0:
        return 0
    columns = _columns(minutes_us, keys, rows, notes)
    leaf = columns["entity_id"] < FIRST_PARENT
    for series, where in ((LEDGER_LEAVES, leaf), (LEDGER, ~leaf)):
        if where.any():
            _write(connection, series, {name: column[where] for name, column in columns.items()}, replace_minutes)
    return len(keys)


def _write(
    connection: Connection, series: Raw, columns: Mapping[str, copying.Numbers], replace: Sequence[datetime]
) -> None:
    replaced = np.array([stamp_us(minute) for minute in replace], dtype=np.int64)
    make_room(connection, modes.stored(connection), series, np.concatenate([columns["ts"].astype(np.int64), replaced]))
    if replace:
        remove = text(
            f"DELETE FROM {series.name} WHERE ts = ANY(CAST(:minutes AS timestamptz[]))"
            " AND entity_id = ANY(CAST(:keys AS int[]))"
        )
        connection.execute(remove, {"minutes": list(replace), "keys": np.unique(columns["entity_id"]).tolist()})
    # Most parts are not measured in any row of a batch: a column that is left out is NULL, and costs nothing.
    fields = [field for field in _FIELDS if not field.absent(columns[field.name]).all()]
    copying.copy(connection, series.name, fields, copying.pack(fields, columns))


_FIELDS = tuple(Field(name, sql_type.removesuffix(" NOT NULL")) for name, sql_type in ledger_columns.TYPES.items())


def _columns(minutes_us: Int64Array, keys: Int64Array, rows: LedgerRows, notes: Notes) -> dict[str, copying.Numbers]:
    """Every column of the rows, in the order of the key: neighbours in the index side by side."""
    order = np.lexsort((minutes_us, keys))
    reals = _reals(rows, notes)[order]
    whole: dict[str, copying.Numbers] = {"ts": minutes_us, "entity_id": keys}
    whole |= {name: getattr(notes, name) for name in ledger_columns.FLAGS}
    return {name: column[order] for name, column in whole.items()} | {
        name: reals[:, number] for number, name in enumerate(ledger_columns.REALS)
    }


def _reals(rows: LedgerRows, notes: Notes) -> npt.NDArray[np.float32]:
    """(n, len(REALS)); NaN becomes NULL."""
    one_way = slice(0, Direction.ALL)
    ops = rows.ops[:, one_way]
    known = np.nan_to_num(ops)
    whole = np.concatenate([known, known.sum(axis=1, keepdims=True)], axis=1)
    segments = _parts([rows.segment_time[:, one_way]], rows.segment_ops[:, one_way], whole[:, one_way])
    spans = _parts([rows.span_time, rows.span_lower, rows.span_upper], rows.span_ops, whole)
    outermost = np.where((rows.span_ops > 0).any(axis=2), rows.outermost_lower, np.nan)
    beside = [getattr(notes, name)[:, None] for name in (*ledger_columns.WORST, *ledger_columns.SUMMED_NOTES)]
    return np.concatenate(
        [ops, rows.bytes[:, one_way], segments, spans, outermost, *beside],
        axis=1,
        dtype=np.float32,
        casting="same_kind",
    )


def _parts(times: Sequence[_Floats], ops: _Floats, whole: _Floats) -> _Floats:
    """(n, directions x parts x columns): I/O-times and ops of each part, NaN where not measured, and in ops where they are the whole."""
    measured = ops > 0
    shown = [np.where(measured, time, np.nan) for time in times]
    of_all = np.abs(ops - whole[:, :, None]) <= _SAME * ops
    stacked = np.stack([*shown, np.where(measured & ~of_all, ops, np.nan)], axis=3)
    return stacked.reshape(len(ops), -1)
