"""Which rows of which tables of the ledger a range is read from: minutes, or sums of 5 minutes or an hour where these tell the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import text

from gavel.db.copying import int_array
from gavel.db.engine import Connection
from gavel.db.series import modes, packed, plain
from gavel.db.series.catalog import EPOCH, HOUR, LEDGER, LEDGER_LEAVES, LEDGER_ROLLS, RawSeries, Roll
from gavel.db.write.ledger import FIRST_PARENT
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key

Resolution = Literal["1m", "5m", "1h"]
MINUTE = timedelta(minutes=1)
# The parameter that holds the keys.
KEYS = "CAST(:keys AS int[])"
# A roll-up is one more table to ask: worth it from this many rows on that would be read without it.
_WORTHWHILE = 1000
# As many keys as are asked how far a roll-up has been made: a few tell, and one that knows less costs time only.
_ASKED = 16
_ENVIRONMENT = scope_key(ScopeKind.ENVIRONMENT, ENVIRONMENT_ID)


@dataclass(frozen=True, slots=True)
class LedgerRange:
    """[lo, hi) in whole buckets of `step`; `finest` is the width of the narrowest rows that retention has left of it."""

    lo: datetime
    hi: datetime
    step: timedelta
    finest: timedelta
    whole: bool


@dataclass(frozen=True, slots=True)
class LedgerPiece:
    """Rows [lo, hi) of one table."""

    series: RawSeries | Roll
    lo: datetime
    hi: datetime

    @property
    def width(self) -> timedelta:
        return self.series.width if isinstance(self.series, Roll) else MINUTE


def ledger_pieces(
    connection: Connection,
    keys: Sequence[int],
    from_at: datetime,
    to_at: datetime,
    step: timedelta | None,
    storage: modes.Storage,
) -> tuple[LedgerRange, Sequence[LedgerPiece]]:
    """In order of time. ValueError for an empty range, a step that is not of whole minutes, or leaves and parents in one question."""
    raw = _table(keys)
    over = _range(raw, from_at, to_at, step, storage)
    rolls = list(_rolls(over, len(keys))) if raw is LEDGER else []
    return over, list(_pieces(connection, raw, rolls[::-1], keys, over.lo, over.hi))


def resolution_of(pieces: Sequence[LedgerPiece]) -> Resolution:
    widest = max(piece.width for piece in pieces)
    return "1h" if widest == HOUR else "1m" if widest == MINUTE else "5m"


def _table(keys: Sequence[int]) -> RawSeries:
    leaves = {key < FIRST_PARENT for key in keys}
    if len(leaves) > 1:
        raise ValueError("Leaves (disks, devices) and what they add up to are kept apart: ask for them apart.")
    return LEDGER_LEAVES if leaves == {True} else LEDGER


def _range(
    raw: RawSeries,
    from_at: datetime,
    to_at: datetime,
    step: timedelta | None,
    storage: modes.Storage,
) -> LedgerRange:
    if to_at <= from_at:
        raise ValueError(f"The range is empty: it ends at {to_at.isoformat()} and begins at {from_at.isoformat()}.")
    if step is not None and (step < MINUTE or step % MINUTE):
        raise ValueError(f"A step of {step} is not one of whole minutes.")
    finest = _finest_kept(raw, from_at, storage)
    width = finest if step is None else _up(step, finest)
    lo, hi = plain.floor(from_at, width, EPOCH), _ceiling(to_at, width)
    return LedgerRange(lo, hi, hi - lo if step is None else width, finest, step is None)


def _finest_kept(raw: RawSeries, from_at: datetime, storage: modes.Storage) -> timedelta:
    if raw is LEDGER_LEAVES:
        return MINUTE
    if from_at >= storage.since(raw.grain):
        return MINUTE
    return next((roll.width for roll in LEDGER_ROLLS if from_at >= storage.since(roll.grain)), HOUR)


def _rolls(period: LedgerRange, keys: int) -> Iterator[Roll]:
    """The roll-ups to read, finer ones first: those with the same result that save rows or are all that is left."""
    finer = MINUTE
    for roll in LEDGER_ROLLS:
        tells = period.whole or not period.step % roll.width
        rows = keys * ((period.hi - period.lo) // finer)
        if tells and (roll.width <= period.finest or rows >= _WORTHWHILE):
            yield roll
            finer = roll.width


def _pieces(
    connection: Connection, raw: RawSeries, rolls: Sequence[Roll], keys: Sequence[int], lo: datetime, hi: datetime
) -> Iterator[LedgerPiece]:
    """[lo, hi) in order: the middle from the first roll-up as far as it is made, the rest from finer ones, or from `raw`."""
    if lo >= hi:
        return
    if not rolls:
        yield LedgerPiece(raw, lo, hi)
        return
    roll, *finer = rolls
    first = _ceiling(lo, roll.width)
    end = min(plain.floor(hi, roll.width, EPOCH), _made_until(connection, roll, keys, first, hi))
    if first >= end:
        yield from _pieces(connection, raw, finer, keys, lo, hi)
        return
    yield from _pieces(connection, raw, finer, keys, lo, first)
    yield LedgerPiece(roll, first, end)
    yield from _pieces(connection, raw, finer, keys, end, hi)


def _made_until(connection: Connection, roll: Roll, keys: Sequence[int], lo: datetime, hi: datetime) -> datetime:
    """Start of the newest bucket made in [lo, hi), else `lo`. That bucket itself may still lack a late minute."""
    limits = {name: f"CAST(:{name} AS timestamptz)" for name in ("lo", "hi")}
    newest = connection.execute(
        text(f"SELECT {packed.newest(roll, keys=KEYS, **limits)}"),
        {"keys": int_array([_ENVIRONMENT, *keys[:_ASKED]]), "lo": lo, "hi": hi},
    ).scalar_one()
    return newest or lo


def _up(width: timedelta, unit: timedelta) -> timedelta:
    return -(-width // unit) * unit


def _ceiling(at: datetime, width: timedelta) -> datetime:
    return EPOCH + -(-(at - EPOCH) // width) * width
