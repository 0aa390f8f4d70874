"""Correlation: whole minutes of both sides become rows of the ledger, once when both have passed, again when something older arrives."""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from weakref import WeakKeyDictionary

import numpy as np
import structlog

from gavel.analysis.gridded import Stretch
from gavel.analysis.intervals import Bools
from gavel.analysis.minutes import Attribution, Rows, attributed
from gavel.analysis.version import RULES_VERSION
from gavel.correlate.counters import NotedProofs, find_mirroring, newest_proofs, note_evidence, noted_proofs
from gavel.correlate.passed import Passed, clock_shifts, passed
from gavel.correlate.readiness import complete
from gavel.correlate.samples import Offsets, observed, offsets
from gavel.correlate.topology import Environment, environment
from gavel.correlate.worker import Worker
from gavel.db import live
from gavel.db.engine import Connection, Engine, reading, snapshot
from gavel.db.errors import SnapshotError
from gavel.db.locks import only_one
from gavel.db.queries import correlation as ask
from gavel.db.queries.clocks import clocks_around
from gavel.db.series import modes
from gavel.db.write.alert_memory import minutes_written
from gavel.db.write.ledger import write_ledger
from gavel.domain.ledger import LedgerRows, Notes, joined, picked
from gavel.domain.scope import ScopeKind

log = structlog.get_logger(__name__)
# Two of each store: while the past is written, its own and the present one take turns.
_newest_environments: WeakKeyDictionary[Engine, tuple[tuple[object, Environment], ...]] = WeakKeyDictionary()
# What was there when nothing was found to do.
_idle: WeakKeyDictionary[Engine, object] = WeakKeyDictionary()

MINUTE = timedelta(minutes=1)
# How long a minute waits for a source that is late, and to be written again for what else has a say in it.
GRACE = timedelta(seconds=120)
# A source that is so late is late, and what does not need it is written.
_EARLY_AFTER = timedelta(seconds=30)
# So often a pass is tried, each time on a newer snapshot.
_SNAPSHOTS = 3
# Leaves in one transaction: some seconds of work at most.
_LEAF_ROWS = 60_000
_MOST_MINUTES = 60
# Samples that touch a minute were stamped no longer before it; clocks are read once a minute.
_CLOCKS_BEFORE = timedelta(minutes=10)
# Samples across a minute's end and beside it were stamped after it: a reading just before them is theirs, whatever is written with them.
_CLOCKS_AFTER = timedelta(minutes=5)
# What is written again when a pod turns out to count its writes otherwise.
_MISREAD = timedelta(hours=2)
# Further behind than this, nobody waits for what happened then; samples are kept so long at least.
_FAR_BEHIND = timedelta(minutes=10)
_KEPT = timedelta(hours=48)
# Retention drops whole partitions: what lies so near to its end may be gone in part.
_BEFORE_RETENTION = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Span:
    """Whole minutes [since, until)."""

    since: datetime
    until: datetime

    @property
    def minutes(self) -> list[datetime]:
        return [self.since + n * MINUTE for n in range((self.until - self.since) // MINUTE)]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at the store, consistent in itself."""

    now: datetime
    stand: ask.LedgerProgress
    environment: Environment
    offsets: Offsets
    passed: Passed

    @property
    def most_minutes(self) -> int:
        topology = self.environment.topology
        leaves = len(topology.devices) + len(topology.parts)
        return max(1, min(_MOST_MINUTES, _LEAF_ROWS // max(leaves, 1)))


def correlate(worker: Worker, *, budget_s: float) -> int:
    """Write what is due, for about `budget_s` and once at least; returns how many minutes. Nothing to do for a second caller meanwhile."""
    until, minutes = time.monotonic() + budget_s, 0
    with only_one(worker.engine, "correlate") as held:
        while held and not worker.stopping():
            written = _correlate_on_newest(worker)
            minutes += written
            if written == 0 or time.monotonic() >= until:
                break
    return minutes


def _correlate_on_newest(worker: Worker) -> int:
    """One pass. It starts anew on a newer snapshot when a poll or an inventory changed a source that its rows refer to."""
    for _ in range(_SNAPSHOTS - 1):
        with suppress(SnapshotError):
            return _correlate_once(worker)
    return _correlate_once(worker)


def _correlate_once(worker: Worker) -> int:
    now = worker.now()
    with reading(worker.engine) as connection:
        if not _may_have_work(connection, now):
            return 0
    with snapshot(worker.engine) as connection:
        ask.hold_samples(connection)
        look = _load_snapshot(connection, now)
        oldest = _ceiling(_oldest(connection, now))
        ask.renew_minutes(connection, RULES_VERSION, oldest)
        _take_changes(connection, look, oldest)
        written = _write_new(connection, look) or _write_early(connection, look) or _write_again(connection, look)
        if written == 0:
            _idle[worker.engine] = _waiting(connection, now)
        return written


def _oldest(connection: Connection, now: datetime) -> datetime:
    """Samples and minutes from then on are all there still."""
    return modes.storage(connection).whole_since(now) + _BEFORE_RETENTION


def _may_have_work(connection: Connection, now: datetime) -> bool:
    """A glance without the environment: something changed, or a minute has ended since and what it waits for may have come."""
    if (
        ask.changes(connection, now - GRACE)
        or ask.dirty_minutes(connection, 1, _due_anyway(now))
        or not ask.is_renewed(connection, RULES_VERSION)
    ):
        return True
    stand = ask.load_progress(connection)
    has_new = stand is not None and _floor(now) > (stand.early_until_at or stand.until_at)
    is_waiting = has_new or bool(ask.held_minutes(connection, _due_anyway(now)))
    return is_waiting and _idle.get(connection.engine) != _waiting(connection, now)


def _waiting(connection: Connection, now: datetime) -> object:
    """What decides whether a minute that waits is due. Whichever process looks at it: as long as it is the same, so is the answer."""
    return (
        ask.load_progress(connection),
        ask.held_minutes(connection, _due_anyway(now)),
        ask.progress(connection),
        ask.inventory_stamp(connection),
        _floor(now),
        _floor(now - GRACE),
        _floor(now - _EARLY_AFTER),
    )


def _due_anyway(now: datetime) -> datetime:
    """Of minutes that samples came to: whatever else may come, those that begin before it are written again."""
    return _floor(now - GRACE)


def _load_snapshot(connection: Connection, now: datetime) -> Snapshot:
    stand = ask.load_progress(connection)
    if stand is None or stand.until_at < now - _FAR_BEHIND:
        # The newest minutes first: older ones come as changes, or are caught up with after these.
        behind = [] if stand is None else Span(max(stand.until_at, _floor(now - _KEPT)), _floor(now - GRACE)).minutes
        ask.settle(connection, (), behind)
        stand = ask.LedgerProgress(_floor(now - GRACE), None, frozenset())
        ask.save_progress(connection, stand)
    found, shifts = _then(connection, Span(stand.until_at - GRACE, now))
    return Snapshot(now, stand, found, shifts, passed(connection, clock_shifts(found, shifts)))


def _then(connection: Connection, span: Span) -> tuple[Environment, Offsets]:
    """The environment and its clocks as of a span of minutes."""
    found = _environment(connection, span)
    return found, offsets(found, clocks_around(connection, span.since - _CLOCKS_BEFORE, span.until + _CLOCKS_AFTER))


def _environment(connection: Connection, span: Span) -> Environment:
    """As of a span of minutes; built anew only when an inventory was read, a VM moved or a pod was understood since."""
    mirrored = ask.mirrored_on_both(connection)
    stamp = (ask.environment_stamp(connection, span.since, span.until), tuple(sorted(mirrored.items())))
    known = _newest_environments.get(connection.engine, ())
    wanted = next((one for one in known if one[0] == stamp), None)
    if wanted is None:
        things = ask.things(connection, span.since, span.until)
        wanted = stamp, environment(things, ask.directory_arrays(connection), mirrored)
    _newest_environments[connection.engine] = (wanted, *(one for one in known if one is not wanted))[:2]
    return wanted[1]


def _take_changes(connection: Connection, look: Snapshot, oldest: datetime) -> None:
    """Changes behind the stand become minutes to be written again; those ahead of it will be seen when their minutes come.

    oldest: minutes before it stay as they are: they would be written from what is left of their samples.
    """
    ask.forget_minutes(connection, oldest)
    changes = ask.changes(connection, look.now - GRACE)
    shifts = clock_shifts(look.environment, look.offsets)
    until, minutes, held = look.stand.until_at, set[datetime](), list[int]()
    for change in changes:
        low, high = (timedelta(0), timedelta(0))
        if change.source_id is not None:
            low, high = shifts.get(change.source_id, (low, high))
        late = Span(max(_floor(change.lo - high), oldest), min(_ceiling(change.hi - low), until)).minutes
        if change.source_id is None and not change.is_held and late and late[-1] + MINUTE > look.now - GRACE:
            held.append(change.id)
        else:
            minutes.update(late)
    if held:
        # One guest of many is always late: not for each of them are all minutes written again at once.
        ask.hold(connection, held, until)
    settled = {change.id for change in changes} - set(held)
    ask.settle(connection, sorted(settled), sorted(minutes), are_late=True)


def _write_new(connection: Connection, look: Snapshot) -> int:
    """The next minutes that every source has passed, or that were waited for long enough."""
    since = look.stand.until_at
    if not look.passed.until:
        until = _floor(look.now - GRACE)
    else:
        waited = _floor(look.now - GRACE)
        everyone = [at for at in look.passed.until.values() if at is not None]
        until = max(waited, _floor(min(everyone))) if len(everyone) == len(look.passed.until) else waited
    span = Span(since, min(until, _floor(look.now), since + look.most_minutes * MINUTE))
    if span.until <= span.since:
        return 0
    early = look.stand.early_until_at
    replaced = span if early is not None and early > since else None
    known = newest_proofs(connection, look.environment, look.now)
    found = _write(connection, look, known, span, replaced)
    if found is not None:
        note_evidence(connection, look.environment, found.evidence, look.now)
    keeps = early is not None and early > span.until
    ask.save_progress(
        connection,
        ask.LedgerProgress(span.until, early if keeps else None, look.stand.early_sources if keeps else frozenset()),
    )
    return _announce(connection, span, known)


def _write_early(connection: Connection, look: Snapshot) -> int:
    """While a source is waited for: what does not need it. Not at once: sources end their samples at different times, and to attribute all
    of a minute for those that are a few seconds ahead costs as much as the whole minute."""
    since = look.stand.until_at
    if look.now < since + MINUTE + _EARLY_AFTER:
        return 0
    ready = {source: at for source, at in look.passed.until.items() if at is not None and at >= since + MINUTE}
    if not ready or len(ready) == len(look.passed.until):
        return 0
    until, sources = min(_floor(min(ready.values())), _floor(look.now)), frozenset(ready)
    early = look.stand.early_until_at
    if early is not None and early >= until and look.stand.early_sources >= sources:
        return 0
    grown = early is None or look.stand.early_sources != sources
    span = Span(since if grown or early is None else early, until)
    if span.until <= span.since:
        return 0
    known = newest_proofs(connection, look.environment, look.now)
    _write(connection, look, known, span, span, complete(look.environment, sources))
    ask.save_progress(connection, ask.LedgerProgress(since, until, sources))
    return _announce(connection, span, None)


def _write_again(connection: Connection, look: Snapshot) -> int:
    """The newest stretch of minutes that samples have changed since, once everything is there that has a say in them.

    Hosts come with one poll or the next, and neighbors after them: not for each of them are all rows of a minute written again.
    """
    final = look.passed.final_until or look.now - GRACE
    dirty = ask.dirty_minutes(connection, look.most_minutes, max(_floor(final), _due_anyway(look.now)))
    if not dirty:
        return 0
    used = ask.proofs_used(connection, dirty, RULES_VERSION)
    stretch = [dirty[0]]
    for minute in dirty[1:]:
        if minute != stretch[-1] - MINUTE or used.get(minute) != used.get(dirty[0]):
            break
        stretch.append(minute)
    span = Span(stretch[-1], stretch[0] + MINUTE)
    then = look
    if span.since < look.stand.until_at - GRACE:
        found, shifts = _then(connection, span)
        then = replace(look, environment=found, offsets=shifts)
    # Until then a minute may be written before everything of it is there, or because it was waited for long enough.
    settled = look.now - GRACE - 2 * MINUTE
    ask.note_recalculated(connection, stretch[-1], stretch[0], settled=settled, now=look.now)
    renewed = ask.renewals(connection, stretch)
    then_proven = used.get(dirty[0])
    known = (
        newest_proofs(connection, then.environment, look.now)
        if then_proven is None
        else noted_proofs(connection, then.environment, then_proven)
    )
    _write(connection, then, known, span, span)
    ask.clean(connection, stretch)
    return _announce(connection, span, known, renewed=renewed)


def _write(
    connection: Connection,
    look: Snapshot,
    noted: NotedProofs,
    span: Span,
    replaced: Span | None,
    only: Mapping[ScopeKind, Bools] | None = None,
) -> Attribution | None:
    """None where there is no sample."""
    found = _attributed(connection, look, noted, span)
    written = 0
    if found is not None:
        keys, minutes, rows, notes = _rows(look.environment, found, only)
        again = replaced.minutes if replaced else ()
        written = write_ledger(connection, minutes, keys, rows, notes, replace_minutes=again)
    log.info("correlated", since=span.since.isoformat(), minutes=len(span.minutes), rows=written,
             again=replaced is not None, early=only is not None)  # fmt: skip
    return found


def _attributed(connection: Connection, look: Snapshot, noted: NotedProofs, span: Span) -> Attribution | None:
    stretch = Stretch(round(span.since.timestamp()) // 60, len(span.minutes))
    seen = observed(connection, look.environment, look.offsets, noted.proofs, span.since, span.until)
    if seen.is_empty:
        return None
    found = attributed(look.environment.topology, seen, stretch)
    if find_mirroring(connection, look.environment, found.mirroring, look.now):
        until = look.stand.until_at
        ask.settle(connection, (), Span(min(until - _MISREAD, span.since), until).minutes)
        return attributed(_environment(connection, span).topology, seen, stretch)
    return found


def _rows(
    environment: Environment, attribution: Attribution, only: Mapping[ScopeKind, Bools] | None
) -> tuple[np.ndarray, np.ndarray, LedgerRows, Notes]:
    kept = [(kind, _only(rows, None if only is None else only[kind])) for kind, rows in attribution.rows.items()]
    keys = np.concatenate([environment.keys(kind, rows.thing) for kind, rows in kept])
    minutes = np.concatenate([rows.minute for _, rows in kept]) * 60_000_000
    return keys, minutes, joined([rows.rows for _, rows in kept]), joined([rows.notes for _, rows in kept])


def _only(rows: Rows, things: Bools | None) -> Rows:
    if things is None:
        return rows
    index = np.flatnonzero(things[rows.thing])
    return Rows(
        thing=rows.thing[index],
        minute=rows.minute[index],
        rows=picked(rows.rows, index),
        notes=picked(rows.notes, index),
    )


def _announce(
    connection: Connection, span: Span, noted: NotedProofs | None, *, renewed: frozenset[datetime] = frozenset()
) -> int:
    """In the transaction of the rows: so no minute is written that nobody judges by the rules of alerts, and none is judged again because
    the same samples were attributed by newer rules (`renewed`). noted: the proofs of minutes that are whole; None of early ones."""
    is_whole = noted is not None
    if noted is not None:
        ask.note_minutes(connection, span.minutes, RULES_VERSION, noted.id)
    news = [at for at in span.minutes if at not in renewed]
    minutes_written(connection, [round(at.timestamp()) // 60 for at in news], is_whole=is_whole)
    live.announce(connection, live.News(None, live.LEDGER, span.until))
    return len(span.minutes)


def _floor(at: datetime) -> datetime:
    return datetime.fromtimestamp(at.timestamp() // 60 * 60, UTC)


def _ceiling(at: datetime) -> datetime:
    return datetime.fromtimestamp(-(-at.timestamp() // 60) * 60, UTC)
