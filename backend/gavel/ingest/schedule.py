"""Which work there is right now. Decided from what is stored, so that a lost or doubled tick changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from gavel.db.engine import reading
from gavel.db.queries.clocks import newest_own_clock
from gavel.db.queries.gaps import sources_behind
from gavel.db.queries.runs import SourceRun, run_outlines
from gavel.db.queries.sources import SourceRow, sources
from gavel.domain.errors import ErrorKind
from gavel.ingest.backfill import BACKFILL
from gavel.ingest.clocks import STEPPED
from gavel.ingest.due import is_poll_due
from gavel.ingest.inventory import INVENTORY, INVENTORY_INTERVAL
from gavel.ingest.lanes import Lane, lane_of
from gavel.ingest.live import LIVE
from gavel.ingest.worker import WorkerContext

# A refused password must not lock an account: two tries, then long pauses. Changed settings are tried at once.
_REFUSED = frozenset({ErrorKind.AUTHENTICATION, ErrorKind.PERMISSION, ErrorKind.SETTINGS, ErrorKind.DUPLICATE})
_REFUSED_PAUSE = timedelta(minutes=15)
# A source that is merely away is looked for often, so that it is live again within a cycle of its return.
_LONGEST_PAUSE = timedelta(seconds=40)


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one run ended; `error` is None for success."""

    ended_at: datetime
    error: ErrorKind | None


def ready_at(newest_first: Sequence[Attempt], interval: timedelta) -> datetime | None:
    """The earliest time of the next try, or None for at once. `newest_first`: attempts since the settings last changed."""
    failures = list(takewhile(lambda attempt: attempt.error is not None, newest_first))
    if not failures:
        return None
    newest = failures[0]
    if newest.error in _REFUSED:
        refusals = sum(1 for _ in takewhile(lambda attempt: attempt.error in _REFUSED, failures))
        return newest.ended_at + (interval if refusals == 1 else _REFUSED_PAUSE)
    doublings = min(len(failures) - 1, 10)
    return newest.ended_at + min(interval * (1 << doublings), max(_LONGEST_PAUSE, interval))


# How long after the end of an interval a source is expected to hand it out.
_SETTLE = timedelta(seconds=4)
_DEFAULT_INTERVAL_S = 30


@dataclass(frozen=True, slots=True)
class Work:
    """What to do with one source now; the interval is also how long a tick of it is worth anything. lane: for live reading and inventory;
    backfill_lane: for its history."""

    source_id: int
    interval: timedelta
    live: bool
    inventory: bool
    backfill: bool
    lane: Lane = Lane.SLOW
    backfill_lane: Lane = Lane.SLOW


def due_work(context: WorkerContext) -> list[Work]:
    """Work of every enabled source that has some."""
    now = context.now()
    until = now + STEPPED
    with reading(context.engine) as connection:
        behind = sources_behind(connection)
        found = [
            _work(
                row,
                now,
                offset_s=clock.offset_s if (clock := newest_own_clock(connection, row.id, until=until)) else 0.0,
                newest_first=run_outlines(connection, row.id, limit=60, until=until),
                has_gaps=row.id in behind,
            )
            for row in sources(connection, enabled_only=True)
            if row.id in behind or not _is_quiet(row, now)
        ]
    return [work for work in found if work.live or work.inventory or work.backfill]


def _is_quiet(row: SourceRow, now: datetime) -> bool:
    """Whether it was read with its present settings, and neither its next sample nor its inventory is due."""
    return row.next_poll_at is not None and not is_poll_due(row, now) and _is_fresh(row.inventory_at, now)


def _is_fresh(inventory_at: datetime | None, now: datetime) -> bool:
    return inventory_at is not None and -STEPPED <= now - inventory_at < INVENTORY_INTERVAL


def _work(row: SourceRow, now: datetime, *, offset_s: float, newest_first: Sequence[SourceRun], has_gaps: bool) -> Work:
    interval = timedelta(seconds=float(row.settings.get("poll_interval_s", _DEFAULT_INTERVAL_S)))
    # What failed with other settings says nothing of these: they are tried at once.
    known = [run for run in newest_first if (run.id or 0) > row.settings_after_run]
    if _pauses([run for run in known if not _is_slow_backfill(run)], now, interval):
        return Work(row.id, interval, live=False, inventory=False, backfill=False)
    polled_at = _newest_start(known, LIVE)
    of_history = [run for run in known if run.queue == BACKFILL]
    inventory_run_at = _newest_start(known, INVENTORY)
    inventory_at = max(filter(None, (row.inventory_at, inventory_run_at)), default=None)
    return Work(
        row.id,
        interval,
        live=polled_at is None or _is_due(row, polled_at, now, timedelta(seconds=offset_s), interval),
        inventory=inventory_at is not None and not _is_fresh(inventory_at, now),
        backfill=has_gaps and not _pauses(of_history, now, interval),
        lane=lane_of([run for run in known if not _is_slow_backfill(run)], LIVE),
        backfill_lane=Lane.FAILING if any(run.error_kind for run in of_history[:1]) else Lane.SLOW,
    )


def _pauses(newest_first: Sequence[SourceRun], now: datetime, interval: timedelta) -> bool:
    until = ready_at([_attempt(run) for run in newest_first], interval)
    return until is not None and now < until


def _is_slow_backfill(run: SourceRun) -> bool:
    """A history that is slow to read says nothing of the newest samples."""
    return run.queue == BACKFILL and run.error_kind in (ErrorKind.TIMEOUT, ErrorKind.OVERLOADED, ErrorKind.INTERNAL)


def _is_due(row: SourceRow, polled_at: datetime, now: datetime, offset: timedelta, interval: timedelta) -> bool:
    if row.next_poll_at is None:
        return _new_interval(polled_at, now, offset - _SETTLE, interval)
    return is_poll_due(row, now)


def _new_interval(polled_at: datetime, now: datetime, shift: timedelta, interval: timedelta) -> bool:
    """Whether an interval of the source's clock has ended (and settled) between the last poll and now."""
    width = interval.total_seconds()
    return (now + shift).timestamp() // width > (polled_at + shift).timestamp() // width


def _newest_start(newest_first: Sequence[SourceRun], queue: str) -> datetime | None:
    return next((run.started_at for run in newest_first if run.queue == queue), None)


def _attempt(run: SourceRun) -> Attempt:
    return Attempt(run.started_at + timedelta(seconds=run.duration_s), run.error_kind)
