"""The ledger of some scopes over a range: sums by bucket or of the whole range, read from the coarsest table with the same result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gavel.db.copying import ColumnType, fetch, int_array
from gavel.db.engine import Connection
from gavel.db.queries.ledger_pieces import KEYS, LedgerPiece, LedgerRange, Resolution, ledger_pieces, resolution_of
from gavel.db.series import ledger_columns, modes, packed
from gavel.db.series.catalog import EPOCH, LEDGER, LEDGER_LEAVES, LEDGER_MEASURED, RawSeries
from gavel.db.series.measures import Partial
from gavel.domain.io_path import Direction, Segment
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.samples import Int64Array


class Detail(Enum):
    """How much of a row is read; the rest of it is NaN.

    LAYERS: reads and writes together, by layer: what diagnoses and rankings look at, in a third of the time.
    ABOVE: the same, with the segments above the device: what a place takes from its virtual disks.
    TIMES: operations and times of LAYERS alone, without bounds and bytes: what a line of latency is drawn from.
    """

    EVERYTHING = ledger_columns.REALS
    LAYERS = ledger_columns.LAYERS
    ABOVE = ledger_columns.ABOVE
    TIMES = ledger_columns.TIMES


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSeries:
    """n sums, by key, then by time; a key has no row where it has no minute. Segments have no bounds here: those are NaN.

    keys: (n,) `scope_key`. starts_us: (n,) start of the bucket, µs since 1970. minutes: (n,) minutes of the ledger in the sum; ops_minutes,
    outstanding_minutes: (n,) those of them in which ops, and outstanding I/Os, were measured. Of buckets that were rolled up before that
    was kept all minutes count, if any did.
    from_at, to_at: what was read, in whole buckets. step: their width, or the whole range. resolution: the coarsest table read.
    """

    keys: Int64Array
    starts_us: Int64Array
    rows: LedgerRows
    notes: Notes
    minutes: Int64Array
    ops_minutes: Int64Array
    outstanding_minutes: Int64Array
    from_at: datetime
    to_at: datetime
    step: timedelta
    resolution: Resolution

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def wall_s(self) -> npt.NDArray[np.float64]:
        """(n,) seconds that the sums are over: those of the minutes in which ops were measured; of all of them where none were."""
        return np.where(self.ops_minutes > 0, self.ops_minutes, self.minutes) * 60.0

    @property
    def outstanding_ios(self) -> npt.NDArray[np.float64]:
        """(n,) I/Os outstanding in the virtual disks, on average over the minutes in which these counted them; NaN where they did not."""
        measured_s = self.outstanding_minutes * 60.0
        ios = np.full(len(self), np.nan)
        np.divide(self.notes.outstanding_s, measured_s, out=ios, where=measured_s > 0)
        return ios


def ledger(
    connection: Connection,
    keys: Sequence[int],
    from_at: datetime,
    to_at: datetime,
    step: timedelta | None,
    detail: Detail = Detail.EVERYTHING,
    *,
    storage: modes.Storage | None = None,
) -> LedgerSeries:
    """Sums per key and bucket of `step`, or per key over the whole range when that is None.

    The range grows to whole buckets, and both to what retention has left: minutes for 8 days (leaves: 2 days, 14 on TimescaleDB), 5
    minutes for 30 days, hours for 400; leaves have minutes only. ValueError for an empty range, a step that is not of whole minutes, or
    leaves and parents in one question. storage: where it is known already.
    """
    known = storage or modes.storage(connection)
    over, pieces = ledger_pieces(connection, keys, from_at, to_at, step, known)
    query = _query(pieces, over, _partials(detail))
    if all(piece.series in _MINUTES for piece in pieces):
        query = known.pruned(query, over.lo)
    found = fetch(connection, query, _parameters(pieces, keys, over), _columns(detail))
    rows, notes = _decoded(found, detail)
    return LedgerSeries(
        keys=found["entity_id"],
        starts_us=found["b"],
        rows=rows,
        notes=notes,
        minutes=found["minutes"],
        ops_minutes=found["ops_minutes"],
        outstanding_minutes=found["outstanding_minutes"],
        from_at=over.lo,
        to_at=over.hi,
        step=over.step,
        resolution=resolution_of(pieces),
    )


# --- their sums -------------------------------------------------------------------------------------------------------

_MINUTES = (LEDGER, LEDGER_LEAVES)
_NOTES = (*ledger_columns.WORST, *ledger_columns.SUMMED_NOTES)
# Minutes in which a number was measured: told by the number's being there.
_MEASURED = ledger_columns.MEASURED


@lru_cache
def _columns(detail: Detail) -> dict[str, ColumnType]:
    return {
        "b": "us",
        **dict.fromkeys(("entity_id", "minutes", *_MEASURED, *ledger_columns.FLAGS), "i8"),
        **dict.fromkeys(detail.value, "f4"),
        **dict.fromkeys(_NOTES, "f8"),
    }


@lru_cache
def _partials(detail: Detail) -> tuple[Partial, ...]:
    return tuple(partial for partial in ledger_columns.PARTIALS if partial.name in _columns(detail))


def _query(pieces: Sequence[LedgerPiece], period: LedgerRange, partials: Sequence[Partial]) -> str:
    parts = " UNION ALL ".join(_part(piece, number, period, partials) for number, piece in enumerate(pieces))
    if len(pieces) > 1 and (period.whole or any((piece.lo - EPOCH) % period.step for piece in pieces)):
        sums = ", ".join(
            (
                *(f"{p.of_partials} AS {p.name}" for p in partials),
                *(f"sum({name})::int AS {name}" for name in _MEASURED),
            )
        )
        parts = f"SELECT entity_id, b, {sums} FROM ({parts}) part GROUP BY 1, 2"
    return f"{parts} ORDER BY entity_id, b"


def _part(piece: LedgerPiece, number: int, period: LedgerRange, partials: Sequence[Partial]) -> str:
    """Partials with key and bucket of one table; rows as wide as a bucket are taken as they are."""
    series = piece.series
    time, of_minutes = series.time, isinstance(series, RawSeries)
    rows = f"FROM {_rows(piece, number, [p.name for p in partials])}"
    if piece.width == period.step:
        names = ", ".join(
            (
                *("1 AS minutes" if of_minutes and p.name == "minutes" else p.name for p in partials),
                *(f"{counted} AS {name}" for name, counted in _minutes_of(is_raw=of_minutes)),
            )
        )
        return f"SELECT entity_id, {time} AS b, {names} {rows}"
    bucket = "CAST(:from_at AS timestamptz)" if period.whole else f"date_bin(:step, {time}, :epoch)"
    sums = ", ".join(
        (
            *(f"{p.of_samples if of_minutes else p.of_partials} AS {p.name}" for p in partials),
            *(f"sum({counted})::int AS {name}" for name, counted in _minutes_of(is_raw=of_minutes)),
        )
    )
    return f"SELECT entity_id, {bucket} AS b, {sums} {rows} GROUP BY 1, 2"


def _rows(piece: LedgerPiece, number: int, names: Sequence[str]) -> str:
    """Of one table, with what another roll-up keeps of the same buckets; limited by itself, since an outer join hands no limits on."""
    series = piece.series
    limits = {
        "of": packed.of_any(KEYS),
        "lo": f"CAST(:lo{number} AS timestamptz)",
        "hi": f"CAST(:hi{number} AS timestamptz) - INTERVAL '1 microsecond'",
    }
    if isinstance(series, RawSeries):
        hi = f"CAST(:hi{number} AS timestamptz)"
        return f"{packed.rows(series, _read(names), **limits | {'hi': hi})} r WHERE {series.time} < {hi}"
    other = LEDGER_MEASURED[series.width]
    measured = ", ".join(f"{name} AS {name}_kept" for name in ("minutes", *_MEASURED))
    kept = f"SELECT entity_id, {series.time}, {measured} FROM {packed.rows(other, ('minutes', *_MEASURED), **limits)} k"
    return f"{packed.rows(series, names, **limits)} r LEFT JOIN ({kept}) kept USING (entity_id, {series.time})"


def _read(names: Sequence[str]) -> Sequence[str]:
    """What sums by these names are made of, in minutes: ops of a part are those of its direction where it has none."""
    of_samples = (partial.of_samples for partial in ledger_columns.PARTIALS if partial.name in names)
    return packed.named_in(LEDGER, *of_samples, *_MEASURED.values())


def _minutes_of(*, is_raw: bool) -> Iterator[tuple[str, str]]:
    """Of one row, by name, SQL for the minutes in which a number was measured; what is kept of other minutes says nothing of these."""
    for name, number in _MEASURED.items():
        there = "1" if is_raw else f"CASE WHEN minutes_kept = minutes THEN {name}_kept ELSE minutes END"
        yield name, f"CASE WHEN {number} IS NULL THEN 0 ELSE {there} END"


def _parameters(pieces: Sequence[LedgerPiece], keys: Sequence[int], period: LedgerRange) -> dict[str, Any]:
    limits = {f"{edge}{number}": getattr(piece, edge) for number, piece in enumerate(pieces) for edge in ("lo", "hi")}
    return limits | {"keys": int_array(keys), "from_at": period.lo, "step": period.step, "epoch": EPOCH}


# --- as rows of the ledger --------------------------------------------------------------------------------------------


def _decoded(columns: dict[str, npt.NDArray[Any]], detail: Detail) -> tuple[LedgerRows, Notes]:
    """The other way round of `gavel.db.write.ledger`."""
    ops, total_bytes = _with_sum(_block(columns, ledger_columns.OPS)), _with_sum(_block(columns, ledger_columns.BYTES))
    whole = np.nan_to_num(ops)
    ways, n = int(Direction.ALL), len(ops)
    segments = _block(columns, ledger_columns.SEGMENTS).reshape(
        n, ways, len(Segment), len(ledger_columns.SEGMENT_PARTS)
    )
    spans = _block(columns, ledger_columns.SPAN_COLUMNS).reshape(
        n, ways + 1, ledger_columns.SPAN_COUNT, len(ledger_columns.SPAN_PARTS)
    )
    segment_time, segment_ops = _measured(segments, whole[:, :ways])
    time, lower, upper, span_ops = _measured(spans, whole)
    unknown = np.full((n, len(Direction), len(Segment)), np.nan)
    rows = LedgerRows(
        ops=ops,
        bytes=total_bytes,
        segment_time=_with_sum(segment_time),
        segment_lower=unknown,
        segment_upper=unknown,
        segment_ops=_with_sum(segment_ops),
        span_time=time,
        span_lower=lower,
        span_upper=upper,
        span_ops=span_ops,
        outermost_lower=np.nan_to_num(_block(columns, ledger_columns.OUTERMOST)),
    )
    if detail is not Detail.EVERYTHING:
        _forget_ways(rows, Segment.KERNEL_QUEUE if detail is Detail.ABOVE else Segment.GUEST_QUEUE)
    if detail is Detail.TIMES:
        for bounds in (rows.span_lower, rows.span_upper, rows.outermost_lower):
            bounds[...] = np.nan
    return rows, Notes(**{name: columns[name] for name in (*ledger_columns.FLAGS, *_NOTES)})


def _forget_ways(rows: LedgerRows, first: Segment) -> None:
    """What was not read is no zero: segments from `first` on, and directions by themselves."""
    for segments in (rows.segment_time, rows.segment_ops):
        segments[..., first:] = np.nan
    for ways in (rows.span_time, rows.span_lower, rows.span_upper, rows.span_ops, rows.outermost_lower):
        ways[:, : Direction.ALL] = np.nan


def _block(columns: dict[str, npt.NDArray[Any]], names: Sequence[str]) -> npt.NDArray[np.float64]:
    block = np.full((len(columns["b"]), len(names)), np.nan)
    for number, name in enumerate(names):
        if name in columns:
            block[:, number] = columns[name]
    return block


def _with_sum(ways: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Reads, writes, and all; all of it is unknown where neither is known."""
    total = np.where(np.isnan(ways).all(axis=1), np.nan, np.nansum(ways, axis=1))
    return np.concatenate([ways, total[:, None]], axis=1)


def _measured(parts: npt.NDArray[np.float64], whole: npt.NDArray[np.float64]) -> list[npt.NDArray[np.float64]]:
    """Times and ops (last) of parts: zeros where there is no time; ops of the whole direction where none are stored."""
    *times, ops = np.moveaxis(parts, -1, 0)
    absent = np.isnan(times[0])
    all_of_it = np.where(np.isnan(ops), whole[:, :, None], ops)
    return [np.where(absent, 0.0, column) for column in (*times, all_of_it)]
