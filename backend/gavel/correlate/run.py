"""Correlation: whole minutes of both sides become rows of the ledger, once when both have passed, again when something older arrives."""

import time
from collections.abc import Mapping
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
from gavel.correlate.readiness import complete
from gavel.correlate.samples import Offsets, observed, offsets
from gavel.correlate.topology import Environment, environment
from gavel.correlate.worker import Worker
from gavel.db import live
from gavel.db.engine import Connection, Engine, reading, snapshot
from gavel.db.locks import only_one
from gavel.db.queries import correlation as ask
from gavel.db.series import modes
from gavel.db.write.alert_memory import minutes_written
from gavel.db.write.ledger import write_ledger
from gavel.domain.ledger import LedgerRows, Notes, joined, picked
from gavel.domain.scope import ScopeKind

log = structlog.get_logger(__name__)
_newest_environment: WeakKeyDictionary[Engine, tuple[object, Environment]] = WeakKeyDictionary()

MINUTE = timedelta(minutes=1)
# How long a minute waits for a source that is late.
GRACE = timedelta(seconds=120)
LEDGER = "ledger"
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
    # When each source has been read up to, by Gavel's clock; None for one that has not begun.
    passed: Mapping[int, datetime | None]

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
            written = _correlate_once(worker)
            minutes += written
            if written == 0 or time.monotonic() >= until:
                break
    return minutes


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
        return _write_new(connection, look) or _write_early(connection, look) or _write_again(connection, look)


def _oldest(connection: Connection, now: datetime) -> datetime:
    """Samples and minutes from then on are all there still."""
    return modes.storage(connection).whole_since(now) + _BEFORE_RETENTION


def _may_have_work(connection: Connection, now: datetime) -> bool:
    """A glance without the environment: something changed, or a minute has ended since."""
    stand = ask.load_progress(connection)
    return (
        bool(ask.changes(connection, now - GRACE))
        or bool(ask.dirty_minutes(connection, 1))
        or not ask.is_renewed(connection, RULES_VERSION)
        or (stand is not None and _floor(now) > (stand.early_until_at or stand.until_at))
    )


def _load_snapshot(connection: Connection, now: datetime) -> Snapshot:
    stand = ask.load_progress(connection)
    if stand is None or stand.until_at < now - _FAR_BEHIND:
        # The newest minutes first: older ones come as changes, or are caught up with after these.
        behind = [] if stand is None else Span(max(stand.until_at, _floor(now - _KEPT)), _floor(now - GRACE)).minutes
        ask.settle(connection, (), behind)
        stand = ask.LedgerProgress(_floor(now - GRACE), None, frozenset())
        ask.save_progress(connection, stand)
    found, shifts = _then(connection, Span(stand.until_at - GRACE, now))
    return Snapshot(now, stand, found, shifts, _passed(connection, found, shifts))


def _then(connection: Connection, span: Span) -> tuple[Environment, Offsets]:
    """The environment and its clocks as of a span of minutes."""
    found = _environment(connection, span)
    return found, offsets(found, ask.clocks(connection, span.since - _CLOCKS_BEFORE, span.until + _CLOCKS_AFTER))


def _environment(connection: Connection, span: Span) -> Environment:
    """As of a span of minutes; built anew only when an inventory was read, a VM moved or a pod was understood since."""
    mirrored = ask.mirrored_on_both(connection)
    stamp = (ask.environment_stamp(connection, span.since, span.until), tuple(sorted(mirrored.items())))
    known = _newest_environment.get(connection.engine)
    if known is None or known[0] != stamp:
        things = ask.things(connection, span.since, span.until)
        known = stamp, environment(things, ask.directory_arrays(connection), mirrored)
        _newest_environment[connection.engine] = known
    return known[1]


def _passed(connection: Connection, environment: Environment, shifts: Offsets) -> dict[int, datetime | None]:
    until = {(one.source_id, one.stream): one.until_at for one in ask.progress(connection)}
    ahead = {source: high for source, (_, high) in _shifts(environment, shifts).items()}
    passed: dict[int, datetime | None] = {}
    for source, streams in ask.expected_streams(connection).items():
        marks = [until.get((source, stream)) for stream in streams]
        known = [mark - ahead.get(source, timedelta(0)) for mark in marks if mark is not None]
        if marks:
            passed[source] = min(known) if len(known) == len(marks) else None
    return passed


def _shifts(environment: Environment, shifts: Offsets) -> dict[int, tuple[timedelta, timedelta]]:
    """How far the slowest and the fastest clock of each source run ahead."""
    clocks: dict[int, set[int]] = {}
    for source, clock in zip(environment.array_sources, shifts.of_array.tolist(), strict=False):
        clocks.setdefault(source, set()).add(clock)
    for (source, _), clock in zip(environment.host_keys, shifts.of_host.tolist(), strict=True):
        clocks.setdefault(source, set()).add(clock)
    return {source: shifts.shifts(np.array(sorted(those))) for source, those in clocks.items()}


def _take_changes(connection: Connection, look: Snapshot, oldest: datetime) -> None:
    """Changes behind the stand become minutes to be written again; those ahead of it will be seen when their minutes come.

    oldest: minutes before it stay as they are: they would be written from what is left of their samples.
    """
    ask.forget_minutes(connection, oldest)
    changes = ask.changes(connection, look.now - GRACE)
    shifts = _shifts(look.environment, look.offsets)
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
    if not look.passed:
        until = _floor(look.now - GRACE)
    else:
        waited = _floor(look.now - GRACE)
        everyone = [at for at in look.passed.values() if at is not None]
        until = max(waited, _floor(min(everyone))) if len(everyone) == len(look.passed) else waited
    span = Span(since, min(until, _floor(look.now), since + look.most_minutes * MINUTE))
    if span.until <= span.since:
        return 0
    early = look.stand.early_until_at
    replaced = span if early is not None and early > since else None
    known = newest_proofs(connection, look.environment, look.now)
    found = _write(connection, look, known, span, replaced)
    note_evidence(connection, look.environment, found.evidence, look.now)
    keeps = early is not None and early > span.until
    ask.save_progress(
        connection,
        ask.LedgerProgress(span.until, early if keeps else None, look.stand.early_sources if keeps else frozenset()),
    )
    return _announce(connection, span, known)


def _write_early(connection: Connection, look: Snapshot) -> int:
    """While a source is waited for: what does not need it."""
    since = look.stand.until_at
    ready = {source: at for source, at in look.passed.items() if at is not None and at >= since + MINUTE}
    if not ready or len(ready) == len(look.passed):
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
    """The newest stretch of minutes that older samples have changed."""
    dirty = ask.dirty_minutes(connection, look.most_minutes)
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
    # Until then a minute may be written before everything of it is there.
    settled = look.now - GRACE - MINUTE
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
) -> Attribution:
    found = _attributed(connection, look, noted, span)
    keys, minutes, rows, notes = _rows(look.environment, found, only)
    written = write_ledger(connection, minutes, keys, rows, notes, replace_minutes=replaced.minutes if replaced else ())
    log.info("correlated", since=span.since.isoformat(), minutes=len(span.minutes), rows=written,
             again=replaced is not None, early=only is not None)  # fmt: skip
    return found


def _attributed(connection: Connection, look: Snapshot, noted: NotedProofs, span: Span) -> Attribution:
    stretch = Stretch(round(span.since.timestamp()) // 60, len(span.minutes))
    seen = observed(connection, look.environment, look.offsets, noted.proofs, span.since, span.until)
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
    live.announce(connection, live.News(None, LEDGER, span.until))
    return len(span.minutes)


def _floor(at: datetime) -> datetime:
    return datetime.fromtimestamp(at.timestamp() // 60 * 60, UTC)


def _ceiling(at: datetime) -> datetime:
    return datetime.fromtimestamp(-(-at.timestamp() // 60) * 60, UTC)
