"""What time it is at a source: the newest measured offset, measured anew once a minute."""

from datetime import datetime, timedelta

from gavel.collectors.contract import Collector
from gavel.db.engine import reading, transaction
from gavel.db.queries.clocks import newest_own_clock, record_clocks
from gavel.db.queries.sources import SourceRow
from gavel.domain.source import ClockReading
from gavel.ingest.worker import WorkerContext

_MAX_AGE = timedelta(seconds=60)
# What is dated further ahead than this was written before our own clock was set back, and says nothing of now.
STEPPED = timedelta(seconds=5)


def source_clock(context: WorkerContext, row: SourceRow, collector: Collector) -> ClockReading:
    """The source's clock against ours, at most a minute old. Raises SourceError when it must be read and cannot be.

    A source that tells no time counts as unknown within an hour either way: nothing is corrected, and the error says so.
    """
    now = context.now()
    with reading(context.engine) as connection:
        known = newest_own_clock(connection, row.id, until=now + STEPPED)
    if known and now - known.read_at < _MAX_AGE:
        return known
    readings = collector.clocks()
    with transaction(context.engine) as connection:
        record_clocks(connection, row.id, readings)
    own = next((clock for clock in readings if clock.subject is None), None)
    return own or ClockReading(subject=None, offset_s=0.0, error_s=3600.0, read_at=now)


def at_source(now: datetime, clock: ClockReading) -> datetime:
    return now + timedelta(seconds=clock.offset_s)
