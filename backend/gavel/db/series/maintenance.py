"""What has to be done to the store every minute or so. Everything is idempotent and safe under two callers: the second does nothing.

On TimescaleDB, policies of the database do the work of all but `prune` and `fit_policies`; the others then return at once.
"""

import itertools
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import Connection, Engine, delete, exists, select, text
from sqlalchemy.dialects.postgresql import insert

from gavel.db.engine import transaction
from gavel.db.errors import LockedError
from gavel.db.locks import after_others, try_lock
from gavel.db.schema.bookkeeping import clock_offset, collection_run, event, gap, ordered_partition
from gavel.db.schema.host_side import vm_task
from gavel.db.schema.ledger import counter_proof, ledger_minute, recalculated_minute
from gavel.db.schema.work import WorkKind, dirty_window, ordering, waits_for
from gavel.db.series import modes, packed, partitions, plain, retention, rollups
from gavel.db.series.catalog import DAY, HOUR, RAWS, ROLLS, Mode, RawSeries, Roll
from gavel.db.series.plain import Partition
from gavel.domain.retention import Grain

AHEAD = 3 * HOUR
REORDER_GRACE = timedelta(minutes=15)
KEEP_RUNS = 14 * DAY
KEEP_HISTORY = 400 * DAY
# What is asked for most, and corrected at all, is younger.
PACK_AFTER = 2 * HOUR
# Of every minute in which there is something to pack, or to put in order.
_PACKING_S, _REORDERING_S = 55.0, 30.0
_Candidate = TypeVar("_Candidate")
# Shorter than PostgreSQL's deadlock_timeout: whoever writes or reads wins against maintenance, which comes again in a minute.
_YIELD = text("SET LOCAL lock_timeout = '500ms'")
_UNHURRIED = text("SET LOCAL statement_timeout = 0")


# Locks of the jobs below.
MAINTAINING, PACKING = "maintain", "pack"


@contextmanager
def paused(engine: Engine) -> Iterator[None]:
    """No partition is rewritten, packed or dropped meanwhile: whoever reads all tables by one snapshot would miss what moved after it.

    Waits for what is under way: an engine without limits of time.
    """
    with after_others(engine, MAINTAINING, PACKING):
        yield


@dataclass(frozen=True, slots=True)
class Maintained:
    partitions_made: int
    windows_rolled: int
    partitions_ordered: int
    partitions_dropped: int
    rows_pruned: int
    policies_fitted: int


def maintain(engine: Engine, now: datetime) -> Maintained:
    """All of the below but packing, in order; what a job calls once a minute. `now` is Gavel's own clock."""
    return Maintained(
        partitions_made=ensure_partitions(engine, now),
        # Quick, and before what takes long: a pass that its task's limit ends has made room all the same.
        partitions_dropped=drop_expired(engine, now),
        rows_pruned=prune(engine, now),
        policies_fitted=fit_policies(engine),
        windows_rolled=roll_dirty(engine, now),
        partitions_ordered=reorder_closed(engine, now),
    )


def ensure_partitions(engine: Engine, now: datetime) -> int:
    """Make the partitions of the coming hours; returns how many were missing."""
    if not _is_plain(engine):
        return 0
    return sum(partitions.ensure(engine, series, _coming(series, now)) for series in _series())


def missing_partitions(connection: Connection, now: datetime) -> list[Partition]:
    """Those that `ensure_partitions` would make for the present and the next hour."""
    if modes.stored(connection) is not Mode.PLAIN:
        return []
    return [
        absent
        for series in _series()
        for absent in partitions.missing(connection, series, plain.partitions_between(series, now, now + HOUR))
    ]


def roll_dirty(engine: Engine, now: datetime) -> int:
    """Bring the roll-ups up to date for every closed bucket that was written to; returns how many windows were rolled."""
    if not _is_plain(engine):
        return 0
    return sum(rollups.roll(engine, roll, now) for roll in ROLLS.values())


def reorder_closed(engine: Engine, now: datetime, budget_s: float = _REORDERING_S) -> int:
    """Rewrite partitions that have been closed for 15 minutes in key order, newest first; returns how many.

    Begins no partition once its budget is spent, so that the pass stays within the time limit of its task.
    """
    if not _is_plain(engine):
        return 0
    began = time.monotonic()
    _forget_disturbed(engine)
    with transaction(engine) as connection:
        ordered = set(connection.scalars(select(ordered_partition.c.name)))
        candidates = [
            (series, partition)
            for series in _series()
            for partition in partitions.existing(connection, series)
            if partition.hi + REORDER_GRACE <= now and partition.name not in ordered
        ]
    candidates.sort(key=lambda candidate: candidate[1].hi, reverse=True)
    return sum(_reorder(engine, series, partition, now) for series, partition in _within(candidates, began + budget_s))


def pack_closed(engine: Engine, now: datetime, budget_s: float = _PACKING_S) -> int:
    """Pack partitions that have been closed for 2 hours and in order for 15 minutes, newest first; returns how many.

    A job of its own, which begins no partition once its budget is spent: an hour of a large environment takes half a minute, a day
    of its roll-ups minutes, and what was kept row by row before is packed in half an hour.
    """
    if not _is_plain(engine):
        return 0
    began = time.monotonic()
    with transaction(engine) as connection:
        settled = select(ordered_partition.c.name).where(ordered_partition.c.ordered_at <= now - REORDER_GRACE)
        ordered = set(connection.scalars(settled))
        candidates = [
            (series, partition)
            for series in packed.PACKED.values()
            for partition in _unawaited(connection, series, partitions.filled(connection, series))
            if partition.hi + PACK_AFTER <= now and partition.name in ordered
        ]
    candidates.sort(key=lambda candidate: candidate[1].hi, reverse=True)
    return sum(_pack(engine, series, partition) for series, partition in _within(candidates, began + budget_s))


def _within(candidates: Iterable[_Candidate], end: float) -> Iterator[_Candidate]:
    """Candidates until the monotonic time `end`."""
    return itertools.takewhile(lambda _: time.monotonic() < end, candidates)


def drop_expired(engine: Engine, now: datetime) -> int:
    """Drop the partitions that hold nothing younger than their table's retention, unless a roll-up still waits for them."""
    if not _is_plain(engine):
        return 0
    return sum(_drop(engine, partition) for series in _series() for partition in _expired(engine, series, now))


def fit_policies(engine: Engine) -> int:
    """On TimescaleDB, after retention was lengthened: refresh sums as far back as there are rows; returns how many policies differed."""
    try:
        with transaction(engine) as connection:
            connection.execute(_YIELD)
            return retention.fit_policies(connection, modes.storage(connection))
    except LockedError:
        return 0


def prune(engine: Engine, now: datetime) -> int:
    """Delete runs and clock readings after 14 days, gaps, events and tasks after 400, notes on minutes with them; returns how many rows."""
    with transaction(engine) as connection:
        minutes = modes.storage(connection).keep(Grain.MINUTES)
    statements = (
        delete(collection_run).where(collection_run.c.started_at < now - KEEP_RUNS),
        delete(clock_offset).where(clock_offset.c.read_at < now - KEEP_RUNS),
        delete(gap).where(gap.c.to_at < now - KEEP_HISTORY),
        delete(event).where(event.c.happened_at < now - KEEP_HISTORY),
        delete(vm_task).where(vm_task.c.started_at < now - KEEP_HISTORY),
        delete(ledger_minute).where(ledger_minute.c.minute < now - KEEP_HISTORY),
        delete(counter_proof).where(
            counter_proof.c.noted_at < now - KEEP_HISTORY,
            ~exists().where(ledger_minute.c.proof_id == counter_proof.c.id),
        ),
        delete(recalculated_minute).where(recalculated_minute.c.minute < now - minutes),
    )
    with transaction(engine) as connection:
        return sum(connection.execute(statement).rowcount for statement in statements)


def _series() -> tuple[RawSeries | Roll, ...]:
    return (*RAWS.values(), *ROLLS.values())


def _is_plain(engine: Engine) -> bool:
    with transaction(engine) as connection:
        return modes.stored(connection) is Mode.PLAIN


def _coming(series: RawSeries | Roll, now: datetime) -> list[Partition]:
    return list(plain.partitions_between(series, now, now + AHEAD))


def _forget_disturbed(engine: Engine) -> None:
    """What was written to since it was ordered is to be ordered again."""
    with transaction(engine) as connection:
        for series in _series():
            disturbed = delete(dirty_window).where(waits_for(ordering(series.name)))
            for lo, hi in connection.execute(disturbed.returning(dirty_window.c.lo, dirty_window.c.hi)):
                names = [partition.name for partition in plain.partitions_between(series, lo, hi)]
                connection.execute(delete(ordered_partition).where(ordered_partition.c.name.in_(names)))


def _reorder(engine: Engine, series: RawSeries | Roll, partition: Partition, now: datetime) -> int:
    """1 when done; 0 when somebody else is at it or the partition is in use."""
    try:
        with transaction(engine) as connection:
            if not try_lock(connection, f"reorder {partition.name}"):
                return 0
            connection.execute(_YIELD)
            for statement in plain.reorder_partition(series, partition):
                connection.exec_driver_sql(statement)
            mark = insert(ordered_partition).values(name=partition.name, ordered_at=now)
            connection.execute(mark.on_conflict_do_nothing())
    except LockedError:
        return 0
    return 1


def _pack(engine: Engine, series: RawSeries | Roll, partition: Partition) -> int:
    """1 when done; 0 when somebody else is at it or the partition is in use."""
    try:
        with transaction(engine) as connection:
            connection.execute(_YIELD)
            connection.execute(_UNHURRIED)
            if not try_lock(connection, f"reorder {partition.name}") or not partitions.pack(
                connection, series, partition
            ):
                return 0
    except LockedError:
        return 0
    return 1


def _expired(engine: Engine, series: RawSeries | Roll, now: datetime) -> list[Partition]:
    with transaction(engine) as connection:
        keep = modes.storage(connection).keep(series.grain)
        kept = _unawaited(connection, series, partitions.existing(connection, series))
        kept += partitions.existing_packed(connection, series)
        return [partition for partition in kept if partition.hi <= now - keep]


def _unawaited(connection: Connection, series: RawSeries | Roll, candidates: Iterable[Partition]) -> list[Partition]:
    """Those of them that no roll-up has yet to be made from."""
    waiting = select(dirty_window.c.lo, dirty_window.c.hi).where(
        dirty_window.c.kind == WorkKind.ROLL,
        dirty_window.c.series.in_([roll.name for roll in ROLLS.values() if roll.source == series.name]),
    )
    windows = connection.execute(waiting).all()
    return [
        partition for partition in candidates if not any(lo < partition.hi and hi >= partition.lo for lo, hi in windows)
    ]


def _drop(engine: Engine, partition: Partition) -> int:
    try:
        with transaction(engine) as connection:
            connection.execute(_YIELD)
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS {partition.name}")
            connection.execute(delete(ordered_partition).where(ordered_partition.c.name == partition.name))
    except LockedError:
        return 0
    return 1
