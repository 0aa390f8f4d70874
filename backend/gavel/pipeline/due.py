"""Which work there is right now. Decided from what is stored, so that a lost or doubled tick changes nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from gavel.db.engine import reading
from gavel.db.queries.clocks import newest_clocks
from gavel.db.queries.gaps import pending_gaps
from gavel.db.queries.runs import Run, runs
from gavel.db.queries.sources import SourceRow, sources
from gavel.pipeline.backoff import Attempt, ready_at
from gavel.pipeline.collect import LIVE
from gavel.pipeline.inventory import INVENTORY, INVENTORY_INTERVAL
from gavel.pipeline.workplace import Workplace

# How long after the end of an interval a source is expected to hand it out.
_SETTLE = timedelta(seconds=4)
_DEFAULT_INTERVAL_S = 30


@dataclass(frozen=True, slots=True)
class Work:
    """What to do with one source now; the interval is also how long a tick of it is worth anything."""

    source_id: int
    interval: timedelta
    live: bool
    inventory: bool
    backfill: bool


def due_work(place: Workplace) -> list[Work]:
    """Work of every enabled source that has some."""
    now = place.now()
    with reading(place.engine) as connection:
        rows = sources(connection, enabled_only=True)
        found = [
            _work(
                row,
                now,
                offset_s=next(
                    (clock.offset_s for clock in newest_clocks(connection, row.id) if clock.subject is None), 0.0
                ),
                newest_first=runs(connection, row.id, limit=60),
                has_gaps=bool(pending_gaps(connection, row.id)),
            )
            for row in rows
        ]
    return [work for work in found if work.live or work.inventory or work.backfill]


def _work(row: SourceRow, now: datetime, *, offset_s: float, newest_first: Iterable[Run], has_gaps: bool) -> Work:
    interval = timedelta(seconds=float(row.settings.get("poll_interval_s", _DEFAULT_INTERVAL_S)))
    # What failed with other settings says nothing of these: they are tried at once.
    known = [run for run in newest_first if (run.id or 0) > row.settings_after_run]
    pause_until = ready_at([_attempt(run) for run in known], interval)
    if pause_until is not None and now < pause_until:
        return Work(row.id, interval, live=False, inventory=False, backfill=False)
    polled_at = _newest_start(known, LIVE)
    inventory_run_at = _newest_start(known, INVENTORY)
    inventory_at = max(filter(None, (row.inventory_at, inventory_run_at)), default=None)
    return Work(
        row.id,
        interval,
        live=polled_at is None or _new_interval(polled_at, now, timedelta(seconds=offset_s) - _SETTLE, interval),
        inventory=inventory_at is not None and now - inventory_at >= INVENTORY_INTERVAL,
        backfill=has_gaps,
    )


def _new_interval(polled_at: datetime, now: datetime, shift: timedelta, interval: timedelta) -> bool:
    """Whether an interval of the source's clock has ended (and settled) between the last poll and now."""
    width = interval.total_seconds()
    return (now + shift).timestamp() // width > (polled_at + shift).timestamp() // width


def _newest_start(newest_first: Iterable[Run], queue: str) -> datetime | None:
    return next((run.started_at for run in newest_first if run.queue == queue), None)


def _attempt(run: Run) -> Attempt:
    return Attempt(run.started_at + timedelta(seconds=run.duration_s), run.error_kind)
