"""Correlation: whole minutes of both sides become rows of the ledger, once when both have passed, again when something older arrives."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from weakref import WeakKeyDictionary

import numpy as np
import structlog

from gavel.analysis.columns import joined, picked
from gavel.analysis.gridded import Stretch
from gavel.analysis.intervals import Bools
from gavel.analysis.ledger import LedgerRows
from gavel.analysis.minutes import Attribution, Rows, attributed
from gavel.analysis.notes import Notes
from gavel.db import live
from gavel.db.alert_memory import minutes_written
from gavel.db.engine import Connection, Engine, reading, snapshot
from gavel.db.leases import only_one
from gavel.db.ledger import write_ledger
from gavel.db.queries import correlation as ask
from gavel.domain.scope import ScopeKind
from gavel.pipeline.chains import complete
from gavel.pipeline.mapping import Estate, estate
from gavel.pipeline.mirroring import find_mirroring
from gavel.pipeline.observing import observed
from gavel.pipeline.offsets import Offsets, offsets
from gavel.pipeline.proving import note_evidence, proofs
from gavel.pipeline.workplace import Workplace

log = structlog.get_logger(__name__)
_newest_estate: WeakKeyDictionary[Engine, tuple[object, Estate]] = WeakKeyDictionary()

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
# Further behind than this, nobody waits for what happened then; samples are kept so long on plain PostgreSQL.
_FAR_BEHIND = timedelta(minutes=10)
_KEPT = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class Span:
    """Whole minutes [since, until)."""

    since: datetime
    until: datetime

    @property
    def minutes(self) -> list[datetime]:
        return [self.since + n * MINUTE for n in range((self.until - self.since) // MINUTE)]


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the store, consistent in itself."""

    now: datetime
    stand: ask.Stand
    estate: Estate
    offsets: Offsets
    # When each source has been read up to, by Gavel's clock; None for one that has not begun.
    passed: Mapping[int, datetime | None]

    @property
    def most_minutes(self) -> int:
        topology = self.estate.topology
        leaves = len(topology.devices) + len(topology.parts)
        return max(1, min(_MOST_MINUTES, _LEAF_ROWS // max(leaves, 1)))


def correlate(place: Workplace, *, budget_s: float) -> int:
    """Write what is due, for about `budget_s` and once at least; returns how many minutes. Nothing to do for a second caller meanwhile."""
    until, minutes = time.monotonic() + budget_s, 0
    with only_one(place.engine, "correlate") as held:
        while held and not place.stopping():
            written = _correlate_once(place)
            minutes += written
            if written == 0 or time.monotonic() >= until:
                break
    return minutes


def _correlate_once(place: Workplace) -> int:
    now = place.now()
    with reading(place.engine) as connection:
        if not _may_have_work(connection, now):
            return 0
    with snapshot(place.engine) as connection:
        ask.hold_samples(connection)
        look = _look(connection, now)
        _take_changes(connection, look)
        return _write_new(connection, look) or _write_early(connection, look) or _write_again(connection, look)


def _may_have_work(connection: Connection, now: datetime) -> bool:
    """A glance without the estate: something changed, or a minute has ended since."""
    stand = ask.stand(connection)
    return (
        bool(ask.changes(connection))
        or bool(ask.dirty_minutes(connection, 1))
        or (stand is not None and _floor(now) > (stand.early_until_at or stand.until_at))
    )


def _look(connection: Connection, now: datetime) -> Look:
    stand = ask.stand(connection)
    if stand is None or stand.until_at < now - _FAR_BEHIND:
        # The newest minutes first: older ones come as changes, or are caught up with after these.
        behind = [] if stand is None else Span(max(stand.until_at, _floor(now - _KEPT)), _floor(now - GRACE)).minutes
        ask.settle(connection, (), behind)
        stand = ask.Stand(_floor(now - GRACE), None, frozenset())
        ask.stand_at(connection, stand)
    found, shifts = _then(connection, Span(stand.until_at - GRACE, now))
    return Look(now, stand, found, shifts, _passed(connection, found, shifts))


def _then(connection: Connection, span: Span) -> tuple[Estate, Offsets]:
    """The estate and its clocks as of a span of minutes."""
    found = _estate(connection, span)
    return found, offsets(found, ask.clocks(connection, span.since - _CLOCKS_BEFORE, span.until + _CLOCKS_AFTER))


def _estate(connection: Connection, span: Span) -> Estate:
    """As of a span of minutes; built anew only when an inventory was read, a VM moved or a pod was understood since."""
    mirrored = ask.mirrored_on_both(connection)
    stamp = (ask.estate_stamp(connection, span.since, span.until), tuple(sorted(mirrored.items())))
    known = _newest_estate.get(connection.engine)
    if known is None or known[0] != stamp:
        things = ask.things(connection, span.since, span.until)
        known = stamp, estate(things, ask.directory_arrays(connection), mirrored)
        _newest_estate[connection.engine] = known
    return known[1]


def _passed(connection: Connection, found: Estate, shifts: Offsets) -> dict[int, datetime | None]:
    until = {(one.source_id, one.stream): one.until_at for one in ask.progress(connection)}
    ahead = {source: high for source, (_, high) in _shifts(found, shifts).items()}
    passed: dict[int, datetime | None] = {}
    for source, streams in ask.expected_streams(connection).items():
        marks = [until.get((source, stream)) for stream in streams]
        known = [mark - ahead.get(source, timedelta(0)) for mark in marks if mark is not None]
        if marks:
            passed[source] = min(known) if len(known) == len(marks) else None
    return passed


def _shifts(found: Estate, shifts: Offsets) -> dict[int, tuple[timedelta, timedelta]]:
    """How far the slowest and the fastest clock of each source run ahead."""
    clocks: dict[int, set[int]] = {}
    for source, clock in zip(found.array_sources, shifts.of_array.tolist(), strict=False):
        clocks.setdefault(source, set()).add(clock)
    for (source, _), clock in zip(found.host_keys, shifts.of_host.tolist(), strict=True):
        clocks.setdefault(source, set()).add(clock)
    return {source: shifts.shifts(np.array(sorted(those))) for source, those in clocks.items()}


def _take_changes(connection: Connection, look: Look) -> None:
    """Changes behind the stand become minutes to be written again; those ahead of it will be seen when their minutes come."""
    changes = ask.changes(connection)
    shifts = _shifts(look.estate, look.offsets)
    until, minutes = look.stand.until_at, set[datetime]()
    for change in changes:
        low, high = shifts.get(change.source_id, (timedelta(0), timedelta(0)))
        minutes.update(Span(_floor(change.lo - high), min(_ceiling(change.hi - low), until)).minutes)
    ask.settle(connection, [change.id for change in changes], sorted(minutes))


def _write_new(connection: Connection, look: Look) -> int:
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
    found = _write(connection, look, span, replaced)
    note_evidence(connection, look.estate, found.evidence, look.now)
    keeps = early is not None and early > span.until
    ask.stand_at(
        connection,
        ask.Stand(span.until, early if keeps else None, look.stand.early_sources if keeps else frozenset()),
    )
    return _told(connection, span, is_whole=True)


def _write_early(connection: Connection, look: Look) -> int:
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
    _write(connection, look, span, span, complete(look.estate, sources))
    ask.stand_at(connection, ask.Stand(since, until, sources))
    return _told(connection, span, is_whole=False)


def _write_again(connection: Connection, look: Look) -> int:
    """The newest stretch of minutes that older samples have changed."""
    dirty = ask.dirty_minutes(connection, look.most_minutes)
    if not dirty:
        return 0
    stretch = [dirty[0]]
    for minute in dirty[1:]:
        if minute != stretch[-1] - MINUTE:
            break
        stretch.append(minute)
    span = Span(stretch[-1], stretch[0] + MINUTE)
    then = look
    if span.since < look.stand.until_at - GRACE:
        found, shifts = _then(connection, span)
        then = replace(look, estate=found, offsets=shifts)
    _write(connection, then, span, span)
    ask.clean(connection, stretch)
    return _told(connection, span, is_whole=True)


def _write(
    connection: Connection, look: Look, span: Span, replaced: Span | None, only: Mapping[ScopeKind, Bools] | None = None
) -> Attribution:
    found = _attributed(connection, look, span)
    keys, minutes, rows, notes = _rows(look.estate, found, only)
    written = write_ledger(connection, minutes, keys, rows, notes, replace_minutes=replaced.minutes if replaced else ())
    log.info("correlated", since=span.since.isoformat(), minutes=len(span.minutes), rows=written,
             again=replaced is not None, early=only is not None)  # fmt: skip
    return found


def _attributed(connection: Connection, look: Look, span: Span) -> Attribution:
    stretch = Stretch(round(span.since.timestamp()) // 60, len(span.minutes))
    seen = observed(connection, look.estate, look.offsets, proofs(connection, look.estate), span.since, span.until)
    found = attributed(look.estate.topology, seen, stretch)
    if find_mirroring(connection, look.estate, found.mirroring, look.now):
        until = look.stand.until_at
        ask.settle(connection, (), Span(min(until - _MISREAD, span.since), until).minutes)
        return attributed(_estate(connection, span).topology, seen, stretch)
    return found


def _rows(
    found: Estate, attribution: Attribution, only: Mapping[ScopeKind, Bools] | None
) -> tuple[np.ndarray, np.ndarray, LedgerRows, Notes]:
    kept = [(kind, _only(rows, None if only is None else only[kind])) for kind, rows in attribution.rows.items()]
    keys = np.concatenate([found.keys(kind, rows.thing) for kind, rows in kept])
    minutes = np.concatenate([rows.minute for _, rows in kept]) * 60_000_000
    return keys, minutes, joined([rows.rows for _, rows in kept]), joined([rows.notes for _, rows in kept])


def _only(rows: Rows, things: Bools | None) -> Rows:
    if things is None:
        return rows
    index = np.flatnonzero(things[rows.thing])
    return Rows(rows.thing[index], rows.minute[index], picked(rows.rows, index), picked(rows.notes, index))


def _told(connection: Connection, span: Span, *, is_whole: bool) -> int:
    """In the transaction of the rows: so no minute is written that nobody judges by the rules of alerts."""
    minutes_written(connection, [round(at.timestamp()) // 60 for at in span.minutes], is_whole=is_whole)
    live.tell(connection, live.News(None, LEDGER, span.until))
    return len(span.minutes)


def _floor(at: datetime) -> datetime:
    return datetime.fromtimestamp(at.timestamp() // 60 * 60, UTC)


def _ceiling(at: datetime) -> datetime:
    return datetime.fromtimestamp(-(-at.timestamp() // 60) * 60, UTC)
