"""Backfill: what live collection skipped is read from the history that the source keeps, newest first; what is gone is said to be gone."""

import time
from datetime import datetime

from gavel.collectors.contract import Collector, StreamPlan
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.leases import only_one
from gavel.db.queries.gaps import Gap, GapState, narrow_gap, note_gap, pending_gaps, settle_gap
from gavel.db.queries.sources import SourceRow, source
from gavel.domain.samples import SampleBatch
from gavel.domain.source import ClockReading
from gavel.pipeline.clocks import at_source, source_clock
from gavel.pipeline.collect import write_all
from gavel.pipeline.runs import Account, Accounted, opened
from gavel.pipeline.windows import Slice, newest_slice
from gavel.pipeline.workplace import Workplace

BACKFILL = "backfill"
EXPIRED = "expired at the source before Gavel could read it"
NOTHING_THERE = "the source has no samples for this time"
NO_VALUE = "the source returned no value for this object"
RECOVERED = "read from the source's history"


def backfill(place: Workplace, source_id: int, *, budget_s: float) -> bool:
    """Fill pending gaps of a source for about `budget_s`, or until the workplace is stopping. True when some are left to do."""
    with only_one(place.engine, f"backfill/{source_id}") as held:
        if not held:
            return False
        with reading(place.engine) as connection:
            row = source(connection, source_id)
        return _fill(place, row, time.monotonic() + budget_s) if row.enabled else False


def _fill(place: Workplace, row: SourceRow, until: float) -> bool:
    collector = opened(place, row, queue=BACKFILL)
    if collector is None:
        return True
    clock: ClockReading | None = None
    with Accounted(place, row, collector, stream="clock", queue=BACKFILL, only_failures=True):
        clock = source_clock(place, row, collector)
    while clock is not None and time.monotonic() < until and not place.stopping():
        with reading(place.engine) as connection:
            gap = next(iter(pending_gaps(connection, row.id)), None)
        if gap is None:
            return False
        if _fill_one(place, row, collector, gap, at_source(place.now(), clock)).error:
            return True
    return True


def _fill_one(place: Workplace, row: SourceRow, collector: Collector, gap: Gap, source_now: datetime) -> Account:
    plan: StreamPlan = collector.streams[gap.stream]
    part = newest_slice(gap.from_at, gap.to_at, source_now, plan)
    if part is None:
        with transaction(place.engine) as connection:
            settle_gap(connection, gap.id, GapState.EXPLAINED, place.now(), reason=EXPIRED)
        return Account()
    with Accounted(place, row, collector, stream=gap.stream, queue=BACKFILL) as account:
        batches = list(collector.samples(gap.stream, part.from_at, part.to_at))
        with transaction(place.engine) as connection:
            write_all(connection, row.id, batches, account)
            _settle(connection, row.id, gap, part, batches, place.now())
            live.tell(connection, live.News(row.id, gap.stream, part.to_at))
    return account


def _settle(
    connection: Connection, source_id: int, gap: Gap, part: Slice, batches: list[SampleBatch], now: datetime
) -> None:
    """Book a slice that was read: filled, or final with the reason; and what lies before it, if the source no longer has it."""
    if part.expired:
        note_gap(
            connection, source_id, gap.stream, *part.expired,
            reason=EXPIRED, now=now, state=GapState.EXPLAINED, entity_key=gap.entity_key,
        )  # fmt: skip
    found = _holds(batches, gap.entity_key)
    rest = part.from_at > gap.from_at and not part.expired
    if not found:
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


def _holds(batches: list[SampleBatch], entity_key: str | None) -> bool:
    """Whether the read brought anything of the thing the gap is about: the whole stream, or one reporter (`host-12` of `host-12/naa…`)."""
    if entity_key is None:
        return any(len(batch) for batch in batches)
    return any(key == entity_key or key.startswith(f"{entity_key}/") for batch in batches for key in batch.keys)
