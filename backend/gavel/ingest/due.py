"""Which streams of a source are read now, of whom, and when it is polled next: by what is stored of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gavel.collectors.contract import StreamPlan
from gavel.db.engine import Connection, reading, transaction
from gavel.db.queries.clocks import clocks_of_owners
from gavel.db.queries.sources import SourceRow, plan_poll
from gavel.db.write.newest import newest_whole
from gavel.db.write.samples import keep_settling, watermark
from gavel.domain.owner_clocks import OwnerClocks
from gavel.domain.source import ClockReading, Stream, Watermark
from gavel.domain.turns import SETTLE_S, Newest, Turn, is_waited_for, next_at, settled, turn
from gavel.ingest.clocks import at_source
from gavel.ingest.windows import LiveWindow, is_due, live_window
from gavel.ingest.worker import WorkerContext

# What comes more rarely is read with the others, a while after its end.
_OFTEN = timedelta(seconds=60)
# Further ahead than the longest poll interval no poll is planned.
_FURTHEST = timedelta(seconds=70)


@dataclass(frozen=True, slots=True)
class DueStream:
    """A stream that is read now. known: None before the first time. newest, taken: None where everybody is asked as nothing is known."""

    stream: Stream
    plan: StreamPlan
    known: Watermark | None
    newest: Newest | None = None
    taken: Turn | None = None

    def window(self, source_now: datetime) -> LiveWindow:
        """From where the ones that are asked stand; all that may still change is asked for with a new sample only."""
        window = live_window(self.known, source_now, self.plan)
        if self.known is None or self.taken is None or window.skipped or self._is_of_everybody(window):
            return window
        revised = self.known.until - self.plan.interval * self.plan.revised
        since = min(self.taken.since, revised)
        return replace(window, since=max(since, source_now - self.plan.live_window), is_whole_look=False)

    def asks(self, window: LiveWindow) -> Callable[[str], bool] | None:
        """Whom the source is asked for; None for everybody."""
        return None if self.taken is None or window.skipped or self._is_of_everybody(window) else self.taken.asks

    def _is_of_everybody(self, window: LiveWindow) -> bool:
        """Whether it is not known who was missing from the last read, or all that may still change is asked for, with a new sample."""
        is_unknown = self.known is not None and self.known.complete_until is None
        return is_unknown or (window.is_whole_look and self.taken is not None and self.taken.is_newest)


class Look:
    """One pass over the streams of a source."""

    def __init__(self, context: WorkerContext, row: SourceRow, clock: ClockReading) -> None:
        self.clock = clock
        self._context = context
        self._row = row
        self._next: dict[Stream, datetime] = {}

    def due(self, stream: Stream, plan: StreamPlan) -> DueStream | None:
        """None when it has nothing new, as far as is known."""
        with reading(self._context.engine) as connection:
            known = watermark(connection, self._row.id, stream)
            if known is None:
                return DueStream(stream, plan, None)
            if plan.interval >= _OFTEN:
                settled_now = at_source(self._context.now(), self.clock) - timedelta(seconds=SETTLE_S)
                return DueStream(stream, plan, known) if is_due(known, settled_now, plan) else None
            newest = self._newest(connection, stream, plan)
        now, step, settle_s = self._context.now(), self._step(plan), _settle_s(known)
        self._next[stream] = next_at(newest, step, settle_s, now)
        taken = turn(newest, step, settle_s, now, known.until)
        if taken is not None:
            return DueStream(stream, plan, known, newest, taken)
        if is_waited_for(newest, step, settle_s, now) or not is_due(known, at_source(now, self.clock), plan):
            return None
        # Where nothing is remembered, as after a crash of the database, a half filled sample looks whole: those before it are read, too.
        return DueStream(stream, plan, replace(known, complete_until=None))

    def learn(self, connection: Connection, due: DueStream) -> None:
        """From what a read has brought, in its transaction: how long to wait after the end of a sample, and when the next one is there."""
        known = watermark(connection, self._row.id, due.stream)
        if known is None or due.plan.interval >= _OFTEN:
            return
        now, settle_s = self._context.now(), _settle_s(known)
        newest = self._newest(connection, due.stream, due.plan)
        if due.newest is not None and due.taken is not None and len(newest.whole_us) == len(due.newest.whole_us):
            settle_s, earlier_at = settled(due.taken, due.newest, newest, known, now)
            if (settle_s, earlier_at) != (known.settle_s, known.earlier_at):
                keep_settling(connection, self._row.id, due.stream, settle_s, earlier_at)
        self._next[due.stream] = next_at(newest, self._step(due.plan), settle_s, now)

    def plan_next(self) -> None:
        """After the last stream: when this source has something new again."""
        at = min(self._next.values(), default=self._context.now() + self._poll_interval())
        with transaction(self._context.engine) as connection:
            plan_poll(connection, self._row, at)

    def _newest(self, connection: Connection, stream: Stream, plan: StreamPlan) -> Newest:
        newest = newest_whole(connection, self._row.id, stream, by_owner=plan.by_owner)
        if not plan.by_owner:
            return Newest.of_one_clock(newest.ended_us, self.clock.offset_s)
        offset_s = self._clocks_of_owners(connection).offset_s(newest.names)
        return Newest(whole_us=newest.ended_us, offset_s=offset_s, names=newest.names)

    def _clocks_of_owners(self, connection: Connection) -> OwnerClocks:
        """Kept until clocks or the inventory were read again."""
        state, known = (self.clock.read_at, self._row.inventory_at), self._context.owner_clocks
        if self._row.id not in known or known[self._row.id].state != state:
            found = clocks_of_owners(connection, self._row.id, until=self._context.now())
            known[self._row.id] = OwnerClocks(state, found, self.clock.offset_s)
        return known[self._row.id]

    def _step(self, plan: StreamPlan) -> timedelta:
        """Between two reads of a stream."""
        return max(plan.interval, self._poll_interval())

    def _poll_interval(self) -> timedelta:
        return timedelta(seconds=float(self._row.settings.get("poll_interval_s", 0)))


def is_poll_due(row: SourceRow, now: datetime) -> bool:
    """Whether the time that was planned has come; also where none was, and where it lies further ahead than any is planned: then our clock
    was set back."""
    planned = row.next_poll_at
    return planned is None or not now < planned <= now + _FURTHEST


def _settle_s(mark: Watermark) -> float:
    return SETTLE_S if mark.settle_s is None else mark.settle_s
