"""Which time a run asks a source for. Pure: decides from the watermark, the plan and the source's own clock."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from gavel.collectors.contract import StreamPlan
from gavel.domain.samples import LOOK_BACK_SAMPLES
from gavel.domain.source import Watermark

# A source whose clock is ahead of what was last measured may hold stamps a little in our future.
_AHEAD = timedelta(seconds=10)


# So many samples apart, all that may still change is asked for again, however complete it was.
_WHOLE_LOOK_EVERY = 15


@dataclass(frozen=True, slots=True)
class LiveWindow:
    """Ask for (since, until]. `skipped` is the older stretch (from, to] that this run leaves to backfill, if any. `is_whole_look`: all that
    may still change is asked for again.
    """

    since: datetime
    until: datetime
    skipped: tuple[datetime, datetime] | None
    is_whole_look: bool


def live_window(watermark: Watermark | None, source_now: datetime, plan: StreamPlan) -> LiveWindow:
    """The newest stretch since the watermark, and before it what had not come as a whole or may be revised; what lies further back than
    one live run reaches is backfill.

    Without a watermark everything the source still keeps is owed.
    """
    until = source_now + _AHEAD
    floor = source_now - plan.live_window
    owed_from = source_now - plan.retention if watermark is None else watermark.until
    if owed_from < floor:
        return LiveWindow(floor, until, (owed_from, floor), is_whole_look=False)
    if watermark is None:
        return LiveWindow(owed_from, until, None, is_whole_look=True)
    furthest = watermark.until - plan.interval * LOOK_BACK_SAMPLES
    looked_back_at = watermark.looked_back_at
    if looked_back_at is None or watermark.until - looked_back_at >= plan.interval * _WHOLE_LOOK_EVERY:
        return LiveWindow(furthest, until, None, is_whole_look=True)
    wanted = min(watermark.complete_until or furthest, watermark.until - plan.interval * plan.revised)
    return LiveWindow(max(furthest, wanted), until, None, is_whole_look=False)


def is_due(watermark: Watermark | None, source_now: datetime, plan: StreamPlan) -> bool:
    """Whether the source should hold a sample that is not stored yet."""
    return watermark is None or source_now - watermark.until >= plan.interval


@dataclass(frozen=True, slots=True)
class Slice:
    """One backfill read, of (from_at, to_at]. `expired`: the stretch before it, when it reaches back to what the source no longer keeps.

    read_from: what is asked for begins here. Samples just before a gap were the newest when they were read, and may have been half filled;
    live collection looks back at them, and so does the last slice of a gap.
    """

    read_from: datetime
    from_at: datetime
    to_at: datetime
    expired: tuple[datetime, datetime] | None


def newest_slice(from_at: datetime, to_at: datetime, source_now: datetime, plan: StreamPlan) -> Slice | None:
    """The newest part of a gap that one call may read, or None when all of it has expired at the source."""
    oldest_kept = source_now - plan.retention
    if to_at <= oldest_kept:
        return None
    start = max(from_at, oldest_kept, to_at - plan.slice)
    looked_back = max(start - plan.interval * LOOK_BACK_SAMPLES, oldest_kept) if start == from_at else start
    return Slice(looked_back, start, to_at, (from_at, start) if from_at < start == oldest_kept else None)
