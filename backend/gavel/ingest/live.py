"""Live collection: the newest samples of a source, each stream in one transaction with its watermark."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from gavel.collectors.contract import Collector, StreamPlan
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.locks import only_one
from gavel.db.queries.gaps import note_gap
from gavel.db.queries.sources import SourceRow, source
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.errors import ProtocolError
from gavel.domain.samples import SampleBatch, joined
from gavel.domain.source import ClockReading, Stream
from gavel.egress.network import total_deadline
from gavel.ingest.clocks import at_source, source_clock
from gavel.ingest.due import DueStream, Look, is_poll_due
from gavel.ingest.inventory import take_inventory
from gavel.ingest.lanes import Lane, slot_in, within_lane
from gavel.ingest.runs import RecordedRun, RunOutcome, lag_s, opened
from gavel.ingest.windows import LiveWindow
from gavel.ingest.worker import WorkerContext

LIVE = "live"
# Of a stream that comes rarely; less than a pass may take.
_LONGEST_READ_S = 60.0
NOT_READ = "not read in time; the source may still have it"


def collect_live(context: WorkerContext, source_id: int, lane: Lane = Lane.SLOW, *, is_tick: bool = False) -> bool:
    """Read every stream of a source that can have something new. False when another worker is at it (nothing to do then), or when the
    lane has no room now.

    is_tick: nothing is read before the time that was planned; of ticks that waited for one another, the first has done the work.

    Raises UnfinishedError where that takes longer than the fast lane is for.
    """
    with slot_in(context.engine, lane) as has_room, only_one(context.engine, f"live/{source_id}") as held:
        if not (has_room and held):
            return False
        with reading(context.engine) as connection:
            row = source(connection, source_id)
        if is_tick and not is_poll_due(row, context.now()):
            return False
        if row.enabled:
            with within_lane(lane):
                _collect(context, row)
    return True


def _collect(context: WorkerContext, row: SourceRow) -> None:
    collector = opened(context, row, queue=LIVE)
    if collector is None:
        return
    if row.inventory_at is None and take_inventory(context, row, collector).error:
        return
    clock: ClockReading | None = None
    with RecordedRun(context, row, collector, stream="clock", queue=LIVE, only_failures=True):
        clock = source_clock(context, row, collector)
    if clock is None:
        return
    look = Look(context, row, clock)
    unknown_keys = _collect_streams(context, row, collector, look)
    if unknown_keys:
        take_inventory(context, row, collector)
    if unknown_keys is not None:
        look.plan_next()


def _collect_streams(context: WorkerContext, row: SourceRow, collector: Collector, look: Look) -> set[str] | None:
    """Keys that the inventory does not hold; None where the pass did not come to its end."""
    unknown_keys: set[str] = set()
    for stream, plan in collector.streams.items():
        due = look.due(stream, plan)
        if due is None:
            continue
        if context.stopping():
            return None
        account = _collect_stream(context, row, collector, look, due)
        unknown_keys |= account.unknown_keys
        # A stream whose answer was nonsense says nothing about the others; a source that is away does.
        if account.error and not isinstance(account.error, ProtocolError):
            return None
    return unknown_keys


def _read_s(row: SourceRow, plan: StreamPlan) -> float:
    """Seconds that a whole read of one stream may take: no longer than until its next."""
    poll_s = float(row.settings.get("poll_interval_s", 0))
    return max(poll_s, min(plan.interval.total_seconds(), _LONGEST_READ_S))


def _collect_stream(
    context: WorkerContext, row: SourceRow, collector: Collector, look: Look, due: DueStream
) -> RunOutcome:
    stream, before = due.stream, due.known
    with RecordedRun(context, row, collector, stream=stream, queue=LIVE) as account:
        account.clock_offset_s = look.clock.offset_s
        source_now = at_source(context.now(), look.clock)
        window = due.window(source_now)
        with total_deadline(_read_s(row, due.plan)):
            batches = list(collector.samples(stream, window.since, window.until, due.asks(window)))
        account.left_out = collector.left_out(stream)
        with transaction(context.engine) as connection:
            complete_until = write_all(connection, row.id, batches, account)
            until = _advance(connection, row.id, stream, window, batches, complete_until, context.now())
            if until is None and before is not None:
                until = before.until
            look.learn(connection, due)
            if before is None or until != before.until:
                live.announce(connection, live.News(row.id, stream, until))
        account.lag_s = lag_s(until, source_now)
    return account


def write_all(
    connection: Connection, source_id: int, batches: Sequence[SampleBatch], account: RunOutcome
) -> datetime | None:
    """Store the batches of one read, of one stream, within the caller's transaction, and count them. Returns up to where the stream is
    complete, as far as that is known.
    """
    if not batches:
        return None
    batch = joined(batches)
    written = write_samples(connection, source_id, batch)
    account.samples += len(batch)
    account.new_samples += written.new_rows
    account.completed += written.completed
    account.corrected += written.corrected
    account.unknown_keys |= set(written.unknown_keys)
    return written.complete_until


def _advance(
    connection: Connection,
    source_id: int,
    stream: Stream,
    window: LiveWindow,
    batches: Sequence[SampleBatch],
    complete_until: datetime | None,
    now: datetime,
) -> datetime | None:
    """Move the watermark to the newest stamp read and owe what was skipped; a read that brought nothing moves nothing."""
    newest = newest_stamp(batches)
    if newest is None:
        return None
    if window.skipped:
        note_gap(connection, source_id, stream, *window.skipped, reason=NOT_READ, now=now)
    return advance_watermark(
        connection, source_id, stream, newest, complete_until=complete_until, is_whole_look=window.is_whole_look
    )


def newest_stamp(batches: Iterable[SampleBatch]) -> datetime | None:
    stamps = [int(batch.ended_at_us.max()) for batch in batches if len(batch)]
    return datetime.fromtimestamp(max(stamps) / 1e6, UTC) if stamps else None
