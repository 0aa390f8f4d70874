"""Writing the ledger: minutes of rows, each minute as a whole, by one binary COPY to a table."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from gavel.db import copying
from gavel.db.copying import Field
from gavel.db.series import ledger_columns, modes
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES, Mode, RawSeries
from gavel.db.series.digits import shortened
from gavel.db.series.room import make_room, note_rows, stamp_us
from gavel.domain.io_path import Direction, Segment
from gavel.domain.ledger import LedgerRows, Notes, picked
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
    order = np.lexsort((minutes_us, keys))
    leaves = int(np.searchsorted(keys[order], FIRST_PARENT))
    for series, index in ((LEDGER_LEAVES, order[:leaves]), (LEDGER, order[leaves:])):
        if len(index):
            _write(connection, series, _columns(minutes_us, keys, rows, notes, index), replace_minutes)
    return len(keys)


def _write(
    connection: Connection, series: RawSeries, columns: Mapping[str, copying.Numbers], replace: Sequence[datetime]
) -> None:
    replaced = np.array([stamp_us(minute) for minute in replace], dtype=np.int64)
    mode, stamps = modes.stored(connection), np.concatenate([columns["ts"].astype(np.int64), replaced])
    columns = stored(mode, columns)
    make_room(connection, mode, series, stamps)
    note_rows(connection, mode, series, int(stamps.min()), int(stamps.max()))
    if replace:
        remove = text(
            f"DELETE FROM {series.name} WHERE ts = ANY(CAST(:minutes AS timestamptz[]))"
            " AND entity_id = ANY(CAST(:keys AS int[]))"
        )
        connection.execute(remove, {"minutes": list(replace), "keys": np.unique(columns["entity_id"]).tolist()})
    # Most parts are not measured in any row of a batch: a column that is left out is NULL, and costs nothing.
    fields = [field for field in _FIELDS if not field.absent(columns[field.name]).all()]
    copying.copy(connection, series.name, fields, copying.pack(fields, columns))


def stored(mode: Mode, columns: Mapping[str, copying.Numbers]) -> Mapping[str, copying.Numbers]:
    """As the mode keeps them: on plain PostgreSQL numbers are shortened when their partition is packed."""
    return shortened(columns) if mode is Mode.TIMESCALE else columns


_FIELDS = tuple(Field(name, sql_type.removesuffix(" NOT NULL")) for name, sql_type in ledger_columns.TYPES.items())


def _columns(
    minutes_us: Int64Array, keys: Int64Array, rows: LedgerRows, notes: Notes, order: Int64Array
) -> dict[str, copying.Numbers]:
    """Every column of these rows, in the order of the key: neighbours in the index side by side."""
    whole: dict[str, copying.Numbers] = {"ts": minutes_us, "entity_id": keys}
    whole |= {name: getattr(notes, name) for name in ledger_columns.FLAGS}
    return {name: column[order] for name, column in whole.items()} | dict(
        zip(ledger_columns.REALS, _reals(picked(rows, order), picked(notes, order)), strict=True)
    )


def _reals(rows: LedgerRows, notes: Notes) -> Iterator[npt.NDArray[np.float32]]:
    """The columns of REALS, each (n,); NaN becomes NULL."""
    one_way = (Direction.READ, Direction.WRITE)
    yield from (_real(rows.ops[:, way]) for way in one_way)
    yield from (_real(rows.bytes[:, way]) for way in one_way)
    known = np.nan_to_num(rows.ops[:, : Direction.ALL])
    for way in one_way:
        for part in range(len(Segment)):
            at = slice(None), way, part
            yield from _part([rows.segment_time[at]], rows.segment_ops[at], known[:, way])
    any_ops = np.zeros((len(rows), len(Direction)), dtype=np.bool_)
    for way, whole in zip(Direction, (*known.T, known.sum(axis=1)), strict=True):
        for part in range(ledger_columns.SPAN_COUNT):
            at = slice(None), way, part
            any_ops[:, way] |= rows.span_ops[at] > 0
            times = [rows.span_time[at], rows.span_lower[at], rows.span_upper[at]]
            yield from _part(times, rows.span_ops[at], whole)
    yield from (_real(np.where(any_ops[:, way], rows.outermost_lower[:, way], np.nan)) for way in Direction)
    yield from (_real(getattr(notes, name)) for name in (*ledger_columns.WORST, *ledger_columns.SUMMED_NOTES))


def _part(times: Sequence[_Floats], ops: _Floats, whole: _Floats) -> Iterator[npt.NDArray[np.float32]]:
    """I/O-times and ops of one part, NaN where not measured, and in ops where they are the whole."""
    measured = ops > 0
    yield from (_real(np.where(measured, time, np.nan)) for time in times)
    is_part = measured & (np.abs(ops - whole) > _SAME * ops)
    yield _real(np.where(is_part, ops, np.nan))


def _real(column: _Floats) -> npt.NDArray[np.float32]:
    return column.astype(np.float32)
