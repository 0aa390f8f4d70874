"""Plain mode: recompute roll-ups from what was written, bucket by closed bucket."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, delete, insert, select, update

from gavel.db.engine import transaction
from gavel.db.locks import try_lock
from gavel.db.schema.work import dirty_window, ordering, rolling, waits_for
from gavel.db.series import modes, packed, partitions, plain
from gavel.db.series.catalog import RAWS, ROLLS, Roll

# A bucket is complete this long after its end: a source may be late by two polls. What comes later is rolled again.
GRACE = timedelta(minutes=1)
_BUCKETS_PER_STATEMENT = 12
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class DirtyWindow:
    """Stamps [lo, hi] of the source were written and the roll-up does not hold them yet."""

    id: int
    lo: datetime
    hi: datetime


def note_written(connection: Connection, source: str, lo: datetime, hi: datetime) -> None:
    """In the transaction that writes stamps [lo, hi] of `source`: its order is disturbed, and what is made from it is to be made again.

    Rows are only ever added here, so writers never wait for one another.
    """
    works = [ordering(source), *(rolling(roll.name) for roll in ROLLS.values() if roll.source == source)]
    connection.execute(insert(dirty_window), [work.of(lo, hi) for work in works])


def roll(engine: Engine, target: Roll, now: datetime) -> int:
    """Recompute the closed buckets of `target` that were written to; returns how many stretches of them there were."""
    with transaction(engine) as connection:
        windows = _windows(connection, target)
        storage = modes.storage(connection)
    stretches = _closed(target, windows, storage, now)
    with transaction(engine) as connection:
        if not windows or not try_lock(connection, f"roll {target.name}"):
            return 0
        for lo, hi in stretches:
            partitions.open_for_writing(connection, target, list(plain.partitions_between(target, lo, hi - _TICK)))
            _recompute(connection, target, lo, hi)
        _settle(connection, target, windows, now)
    return len(stretches)


def _windows(connection: Connection, target: Roll) -> list[DirtyWindow]:
    columns = (dirty_window.c.id, dirty_window.c.lo, dirty_window.c.hi)
    rows = connection.execute(select(*columns).where(waits_for(rolling(target.name))))
    return [DirtyWindow(*row) for row in rows]


def _closed(
    target: Roll, windows: Iterable[DirtyWindow], storage: modes.Storage, now: datetime
) -> list[tuple[datetime, datetime]]:
    """Stretches [lo, hi) of whole closed buckets, apart from one another, that the source still holds completely."""
    limit = _closed_until(target, now)
    oldest = _whole_since(target, storage, now)
    merged: list[tuple[datetime, datetime]] = []
    for window in sorted(windows, key=lambda window: window.lo):
        lo = max(_bucket(target, window.lo), oldest)
        hi = min(_bucket(target, window.hi) + target.width, limit)
        if lo >= hi:
            continue
        if merged and lo <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(hi, merged[-1][1]))
        else:
            merged.append((lo, hi))
    return merged


def _recompute(connection: Connection, target: Roll, lo: datetime, hi: datetime) -> None:
    for start, end in _slices(lo, hi, target.width * _BUCKETS_PER_STATEMENT):
        connection.exec_driver_sql(packed.roll_window(target, start, end))
    note_written(connection, target.name, lo, hi - _TICK)


def _settle(connection: Connection, target: Roll, windows: Sequence[DirtyWindow], now: datetime) -> None:
    """Forget the windows that were rolled; of one that reaches into open buckets, the open part stays."""
    limit = _closed_until(target, now)
    seen = dirty_window.c.id.in_([window.id for window in windows])
    connection.execute(delete(dirty_window).where(seen, dirty_window.c.hi < limit))
    connection.execute(update(dirty_window).where(seen, dirty_window.c.lo < limit).values(lo=limit))


def _closed_until(target: Roll, now: datetime) -> datetime:
    return _bucket(target, now - GRACE)


def _whole_since(target: Roll, storage: modes.Storage, now: datetime) -> datetime:
    """Buckets before this may have lost source rows to retention: they stay as they are."""
    source = RAWS[target.source] if target.source in RAWS else ROLLS[target.source]
    return _bucket(target, storage.since(source.grain, now)) + target.width


def _bucket(target: Roll, at: datetime) -> datetime:
    return plain.floor(at, target.width, target.origin)


def _slices(lo: datetime, hi: datetime, width: timedelta) -> Iterator[tuple[datetime, datetime]]:
    while lo < hi:
        yield lo, min(lo + width, hi)
        lo += width
