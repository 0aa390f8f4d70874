"""Live collection: the newest samples of a source, each stream in one transaction with its watermark."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from gavel.collectors.contract import Collector, StreamPlan
from gavel.db import live
from gavel.db.engine import Connection, reading, transaction
from gavel.db.leases import only_one
from gavel.db.queries.gaps import note_gap
from gavel.db.queries.sources import SourceRow, source
from gavel.db.samples import advance_watermark, watermark, write_samples
from gavel.domain.errors import ProtocolError
from gavel.domain.samples import SampleBatch
from gavel.domain.source import ClockReading, Stream
from gavel.pipeline.clocks import at_source, source_clock
from gavel.pipeline.inventory import take_inventory
from gavel.pipeline.runs import Account, Accounted, lag_s, opened
from gavel.pipeline.windows import LiveWindow, is_due, live_window
from gavel.pipeline.workplace import Workplace

LIVE = "live"
NOT_READ = "not read in time; the source may still have it"


def collect_live(place: Workplace, source_id: int) -> bool:
    """Read every stream of a source that can have something new. False when another worker is at it (nothing to do then)."""
    with only_one(place.engine, f"live/{source_id}") as held:
        if not held:
            return False
        with reading(place.engine) as connection:
            row = source(connection, source_id)
        if row.enabled:
            _collect(place, row)
    return True


def _collect(place: Workplace, row: SourceRow) -> None:
    collector = opened(place, row, queue=LIVE)
    if collector is None:
        return
    if row.inventory_at is None and take_inventory(place, row, collector).error:
        return
    clock: ClockReading | None = None
    with Accounted(place, row, collector, stream="clock", queue=LIVE, only_failures=True):
        clock = source_clock(place, row, collector)
    if clock is None:
        return
    strangers: set[str] = set()
    for stream, (plan, known) in _due(place, row, collector, clock).items():
        if place.stopping():
            return
        account = _collect_stream(place, row, collector, clock, stream, plan, known)
        strangers |= account.strangers
        # A stream whose answer was nonsense says nothing about the others; a source that is away does.
        if account.error and not isinstance(account.error, ProtocolError):
            return
    if strangers:
        take_inventory(place, row, collector)


def _due(
    place: Workplace, row: SourceRow, collector: Collector, clock: ClockReading
) -> Mapping[Stream, tuple[StreamPlan, datetime | None]]:
    source_now = at_source(place.now(), clock)
    with reading(place.engine) as connection:
        known = {stream: watermark(connection, row.id, stream) for stream in collector.streams}
    return {
        stream: (plan, known[stream])
        for stream, plan in collector.streams.items()
        if is_due(known[stream], source_now, plan)
    }


def _collect_stream(
    place: Workplace,
    row: SourceRow,
    collector: Collector,
    clock: ClockReading,
    stream: Stream,
    plan: StreamPlan,
    known: datetime | None,
) -> Account:
    with Accounted(place, row, collector, stream=stream, queue=LIVE) as account:
        account.clock_offset_s = clock.offset_s
        source_now = at_source(place.now(), clock)
        window = live_window(known, source_now, plan)
        batches = list(collector.samples(stream, window.since, window.until))
        with transaction(place.engine) as connection:
            write_all(connection, row.id, batches, account)
            until = _advance(connection, row.id, stream, window, batches, place.now()) or known
            live.tell(connection, live.News(row.id, stream, until))
        account.lag_s = lag_s(until, source_now)
    return account


def write_all(connection: Connection, source_id: int, batches: Iterable[SampleBatch], account: Account) -> None:
    """Store the batches of one read within the caller's transaction, and count them."""
    for batch in batches:
        written = write_samples(connection, source_id, batch)
        account.samples += len(batch)
        account.new_samples += written.new_rows
        account.conflicting += written.conflicting
        account.strangers |= set(written.strangers)


def _advance(
    connection: Connection,
    source_id: int,
    stream: Stream,
    window: LiveWindow,
    batches: list[SampleBatch],
    now: datetime,
) -> datetime | None:
    """Move the watermark to the newest stamp read and owe what was skipped; a read that brought nothing moves nothing."""
    newest = newest_stamp(batches)
    if newest is None:
        return None
    if window.skipped:
        note_gap(connection, source_id, stream, *window.skipped, reason=NOT_READ, now=now)
    return advance_watermark(connection, source_id, stream, newest)


def newest_stamp(batches: Iterable[SampleBatch]) -> datetime | None:
    stamps = [int(batch.ended_at_us.max()) for batch in batches if len(batch)]
    return datetime.fromtimestamp(max(stamps) / 1e6, UTC) if stamps else None
