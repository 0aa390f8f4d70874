"""Backfill: what live collection skipped is read from the history that the source keeps, newest first; what is gone is said to be gone.

What was read is kept while the rest is being read, so that a slow source, a time-out or a killed worker costs the rest only. A source
that takes long is asked for less at a time.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from gavel.collectors.contract import Collector, StreamPlan
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.locks import only_one
from gavel.db.queries.gaps import (
    Gap,
    GapState,
    holes,
    keep_slice,
    narrow_gap,
    note_gap,
    pending_gaps,
    settle_gap,
    slice_s,
)
from gavel.db.queries.sources import SourceRow, source, sources
from gavel.domain.errors import DeadlineError, OverloadedError, SourceError
from gavel.domain.samples import SampleBatch
from gavel.domain.source import POLLED, ClockReading, Stream
from gavel.egress.network import total_deadline
from gavel.ingest.clocks import at_source, source_clock
from gavel.ingest.lanes import Lane
from gavel.ingest.live import write_all
from gavel.ingest.runs import RecordedRun, RunOutcome, opened
from gavel.ingest.windows import Slice, newest_slice
from gavel.ingest.worker import WorkerContext

# One read ends by then, whatever it has; well below the limit of the task it is part of.
READ_S = 30.0
_LONG_S, _SHORT_S = 12.0, 4.0


def paced(plan: StreamPlan, slice_s: int | None) -> StreamPlan:
    """The plan with what is asked for at a time; None: as the plan has it."""
    return plan if slice_s is None else replace(plan, slice=min(timedelta(seconds=slice_s), plan.slice))


def less(plan: StreamPlan, full: StreamPlan) -> int:
    """Seconds to ask for after a read that took too long: half, in whole intervals, and one interval at least."""
    return _whole(plan.slice / 2, full)


def after(took_s: float, plan: StreamPlan, full: StreamPlan) -> int:
    """Seconds to ask for after a read that came to its end in `took_s`."""
    if took_s > _LONG_S:
        return less(plan, full)
    return _whole(plan.slice * 2 if took_s < _SHORT_S else plan.slice, full)


def _whole(wanted: timedelta, full: StreamPlan) -> int:
    intervals = max(1, wanted // full.interval)
    return round(min(intervals * full.interval, full.slice).total_seconds())


BACKFILL = "backfill"
_STORED_EVERY_S = 3.0
EXPIRED = "expired at the source before Gavel could read it"
NOTHING_THERE = "the source has no samples for this time"
NO_VALUE = "the source returned no value for this object"
RECOVERED = "read from the source's history"


def backfill(context: WorkerContext, source_id: int, *, budget_s: float, lane: Lane = Lane.SLOW) -> bool:
    """Fill pending gaps of a source for about `budget_s`, or until the workplace is stopping. True when some are left to do.

    Histories that fail are read one at a time, for minutes are calculated by the same processes.
    """
    is_failing = lane is Lane.FAILING
    with (
        only_one(context.engine, "failing history" if is_failing else f"history/{source_id}") as has_room,
        only_one(context.engine, f"backfill/{source_id}") as held,
    ):
        if not (has_room and held):
            return False
        with reading(context.engine) as connection:
            row = source(connection, source_id)
        return _fill(context, row, time.monotonic() + budget_s) if row.enabled else False


def _fill(context: WorkerContext, row: SourceRow, until: float) -> bool:
    collector = opened(context, row, queue=BACKFILL)
    if collector is None:
        return True
    clock: ClockReading | None = None
    with RecordedRun(context, row, collector, stream="clock", queue=BACKFILL, only_failures=True):
        clock = source_clock(context, row, collector)
    while clock is not None and time.monotonic() < until and not context.stopping():
        with reading(context.engine) as connection:
            gap = next(iter(pending_gaps(connection, row.id)), None)
        if gap is None:
            return False
        if _fill_one(context, row, collector, gap, at_source(context.now(), clock)).error:
            return True
    return True


def _fill_one(
    context: WorkerContext, row: SourceRow, collector: Collector, gap: Gap, source_now: datetime
) -> RunOutcome:
    full = collector.streams[gap.stream]
    with reading(context.engine) as connection:
        plan = paced(full, slice_s(connection, row.id, gap.stream))
    part = newest_slice(gap.from_at, gap.to_at, source_now, plan)
    if part is None:
        with transaction(context.engine) as connection:
            settle_gap(connection, gap.id, GapState.EXPLAINED, context.now(), reason=EXPIRED)
        return RunOutcome()
    with RecordedRun(context, row, collector, stream=gap.stream, queue=BACKFILL) as account:
        began = time.monotonic()
        try:
            found = _read(context, row, collector, gap, part, account)
        except (DeadlineError, OverloadedError) as error:
            seconds = less(plan, full)
            with transaction(context.engine) as connection:
                keep_slice(connection, row.id, gap.stream, seconds)
            raise type(error)(
                _slow(row, gap, part, account, seconds, error), retry_after_s=error.retry_after_s
            ) from error
        with transaction(context.engine) as connection:
            keep_slice(connection, row.id, gap.stream, after(time.monotonic() - began, plan, full))
            _settle(connection, row.id, gap, part, found, context.now())
            live.announce(connection, live.News(row.id, gap.stream, part.to_at))
    return account


def _read(
    context: WorkerContext, row: SourceRow, collector: Collector, gap: Gap, part: Slice, account: RunOutcome
) -> bool:
    """Store what the source has of a slice, some seconds' worth of pages at a time; whether it holds anything of what the gap is about."""
    found, pages, stored_at = False, list[SampleBatch](), time.monotonic()
    try:
        with total_deadline(READ_S):
            for page in collector.samples(gap.stream, part.read_from, part.to_at, _asks(collector, gap)):
                found |= _holds(page, gap.entity_key, part.from_at)
                pages.append(page)
                if time.monotonic() - stored_at >= _STORED_EVERY_S:
                    _store(context, row, pages, account)
                    stored_at = time.monotonic()
    except SourceError:
        _store(context, row, pages, account)
        raise
    _store(context, row, pages, account)
    return found


def _asks(collector: Collector, gap: Gap) -> Callable[[str], bool] | None:
    """Of a hole of one host or VM, the source is asked for it alone, where it can be."""
    return gap.entity_key.__eq__ if gap.entity_key and collector.streams[gap.stream].by_owner else None


def _store(context: WorkerContext, row: SourceRow, pages: list[SampleBatch], account: RunOutcome) -> None:
    """And forget them."""
    if pages:
        with transaction(context.engine) as connection:
            write_all(connection, row.id, pages, account)
        pages.clear()


def _slow(row: SourceRow, gap: Gap, part: Slice, account: RunOutcome, seconds: int, error: SourceError) -> str:
    """What was tried, on what, how far it got, and when it goes on."""
    span = f"{part.from_at:%H:%M:%S} to {part.to_at:%H:%M:%S} UTC"
    kept = f"The {account.samples:,} that came are stored" if account.samples else "None came"
    return (
        f"{row.name} is slow to answer for its history: {gap.stream.replace('_', ' ')} samples of {span} were not all read. {kept}."
        f" Backfill goes on within a minute and asks for {seconds} s of history at a time; live collection goes on meanwhile. ({error})"
    )


def _settle(connection: Connection, source_id: int, gap: Gap, part: Slice, has_samples: bool, now: datetime) -> None:
    """Book a slice that was read: filled, or final with the reason; and what lies before it, if the source no longer has it."""
    if part.expired:
        note_gap(
            connection, source_id, gap.stream, *part.expired,
            reason=EXPIRED, now=now, state=GapState.EXPLAINED, entity_key=gap.entity_key,
        )  # fmt: skip
    rest = part.from_at > gap.from_at and not part.expired
    if not has_samples:
        reason = NOTHING_THERE if gap.entity_key is None else NO_VALUE
        if rest:
            note_gap(
                connection, source_id, gap.stream, part.from_at, part.to_at,
                reason=reason, now=now, state=GapState.EXPLAINED, entity_key=gap.entity_key,
            )  # fmt: skip
        else:
            narrow_gap(connection, gap.id, part.from_at, part.to_at)
            settle_gap(connection, gap.id, GapState.EXPLAINED, now, reason=reason)
            return
    if rest:
        narrow_gap(connection, gap.id, gap.from_at, part.from_at)
    else:
        narrow_gap(connection, gap.id, part.from_at, gap.to_at)
        settle_gap(connection, gap.id, GapState.RECOVERED, now, reason=RECOVERED)


def _holds(page: SampleBatch, entity_key: str | None, after: datetime) -> bool:
    """Whether a page has anything later than `after` of the thing the gap is about: the whole stream, or one reporter (`host-12` of
    `host-12/naa…`)."""
    inside = page.ended_at_us > round(after.timestamp() * 1e6)
    if entity_key is None:
        return bool(inside.any())
    mine = {n for n, key in enumerate(page.keys) if key == entity_key or key.startswith(f"{entity_key}/")}
    return not mine.isdisjoint(page.key_index[inside].tolist())


NOT_DELIVERED = "not delivered with the other samples of its time; the source may still have it"
# Live runs look back three samples; what is missing beyond that does not come by itself any more.
_SETTLED = timedelta(minutes=3)
_WINDOW = timedelta(minutes=15)


def find_holes(context: WorkerContext) -> int:
    """Note every hole of the last quarter of an hour; returns how many there are."""
    with only_one(context.engine, "find holes") as held:
        if not held:
            return 0
        until = context.now() - _SETTLED
        with transaction(context.engine) as connection:
            found = 0
            for row in sources(connection, enabled_only=True):
                found += sum(_note(connection, row.id, stream, until, context.now()) for stream in POLLED)
            return found


def _note(connection: Connection, source_id: int, stream: Stream, until: datetime, now: datetime) -> int:
    found = holes(connection, source_id, stream, until - _WINDOW, until)
    for hole in found:
        note_gap(
            connection, source_id, stream, hole.from_at, hole.to_at,
            reason=NOT_DELIVERED, now=now, entity_key=hole.reporter,
        )  # fmt: skip
    return len(found)
