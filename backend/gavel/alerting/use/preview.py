"""When a rule would have fired over the last days: the machine itself, run over what the ledger has kept."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, Literal

import numpy as np

from gavel.alerting.machine.readings import Readings, RuleTable, rule_table
from gavel.alerting.machine.states import AlertState, Memory, Table, step
from gavel.alerting.rules.model import Rule
from gavel.alerting.use.measures import Measured, detail_for, measured
from gavel.alerting.use.objects import SCOPES, AlertObjects, covered, things
from gavel.alerting.use.rules import measures_of, rule_from
from gavel.db.engine import Connection
from gavel.db.queries.ledger import ledger
from gavel.db.queries.scopes import ledger_until
from gavel.db.series.modes import storage
from gavel.diagnosis.baselines import Usual, usual
from gavel.diagnosis.diagnose import MINUTE
from gavel.domain.retention import Grain

_FIVE = 5 * MINUTE
# Rows of the ledger that one preview may read: some seconds.
_MOST_ROWS = 400_000
_AT_ONCE = timedelta(hours=6)
_MOST_TOLD = 500
_RULE_ID = 1


@dataclass(frozen=True, slots=True)
class PreviewFiring:
    """ended_at null: it would still be open."""

    object_id: int
    object_name: str
    fired_at: datetime
    ended_at: datetime | None
    peak: float | None


@dataclass(frozen=True, slots=True)
class PreviewPart:
    """Resolution of a part of the preview. A 5-minute row counts as five minutes."""

    from_at: datetime
    to_at: datetime
    resolution: Literal["1m", "5m"]


@dataclass(frozen=True, slots=True)
class Preview:
    """When the rule would have fired, newest first, at most 500; `total` counts all. objects: how many are in its scope."""

    from_at: datetime
    to_at: datetime
    spans: tuple[PreviewPart, ...]
    objects: int
    total: int
    firings: tuple[PreviewFiring, ...]
    note: str | None


@dataclass(frozen=True, slots=True)
class _Try:
    """The rule over the things that it looks at."""

    rule: Rule
    things: AlertObjects
    usual: Usual
    table: RuleTable


def preview(connection: Connection, plain: Mapping[str, Any], days: int, now: datetime) -> Preview:
    """Raises RuleError."""
    rule = rule_from({**plain, "enabled": True})
    to_at = ledger_until(connection) or now.replace(second=0, microsecond=0)
    from_at = to_at - timedelta(days=days)
    if rule.is_by_clock:
        note = "No preview: quantities of sources and counts of findings are not stored by the minute."
        return Preview(from_at, to_at, (), 0, 0, (), note)
    there = _looked_at(connection, rule)
    if not there.objects:
        return Preview(from_at, to_at, (), 0, 0, (), "No object matches the scope of the rule.")
    spans, limits = _spans(from_at, to_at, len(there.objects), storage(connection).since(Grain.MINUTES))
    table = rule_table({_RULE_ID: rule}, measures_of([rule]), np.ones((1, len(there.objects)), dtype=np.bool_))
    trial = _Try(rule, there, usual(connection, SCOPES[rule.scope.subject], there.ids), table)
    firings = _firings(trial, _moves(connection, trial, spans))
    newest = sorted(firings, key=lambda item: (item.fired_at, item.object_name), reverse=True)
    return Preview(spans[0].from_at, to_at, spans, len(there.objects), len(newest), tuple(newest[:_MOST_TOLD]), limits)


def _looked_at(connection: Connection, rule: Rule) -> AlertObjects:
    every = things(connection, rule.scope.subject)
    chosen = np.flatnonzero(covered({_RULE_ID: rule}, every)[0])
    return AlertObjects(every.subject, every.keys[chosen], tuple(every.objects[n] for n in chosen.tolist()))


def _spans(
    from_at: datetime, to_at: datetime, objects: int, kept_since: datetime
) -> tuple[tuple[PreviewPart, ...], str | None]:
    """Minutes as far back as they are kept and few enough, rows of five minutes before that; as much of the range as is read."""
    minutes = (to_at - from_at) // MINUTE
    is_room = objects * minutes <= _MOST_ROWS
    if is_room and from_at >= kept_since:
        return (PreviewPart(from_at, to_at, "1m"),), None
    fine = minutes if is_room else min(minutes, max(60, _MOST_ROWS // 2 // objects))
    middle = min(max(_floor(to_at - fine * MINUTE), _floor(kept_since) + _FIVE), _floor(to_at))
    coarse = max(1, _MOST_ROWS // 2 // objects)
    begin = _floor(max(from_at, middle - coarse * _FIVE))
    why = f"Minutes are kept since {kept_since:%Y-%m-%d %H:%M} UTC" if is_room else f"{objects} objects"
    said = f"{why}: earlier minutes are evaluated from 5-minute rows, each as five equal minutes"
    if begin > from_at:
        said += f"; nothing before {begin:%Y-%m-%d %H:%M} UTC is evaluated"
    return (PreviewPart(begin, middle, "5m"), PreviewPart(middle, to_at, "1m")), f"{said}."


def _floor(at: datetime) -> datetime:
    return at - timedelta(seconds=at.timestamp() % _FIVE.total_seconds())


def _moves(connection: Connection, trial: _Try, spans: tuple[PreviewPart, ...]) -> Iterator[Table]:
    memory = Memory.blank()
    for span in spans:
        for minute, found in _minutes(connection, trial, span):
            done = step(memory, trial.table, found, minute)
            memory = done.memory
            yield done.transitions


def _minutes(connection: Connection, trial: _Try, span: PreviewPart) -> Iterator[tuple[int, Readings]]:
    """Every minute of a span with its readings; a row of five minutes is said five times."""
    wide = MINUTE if span.resolution == "1m" else _FIVE
    measures = measures_of([trial.rule])
    at = span.from_at
    while at < span.to_at:
        until = min(at + _AT_ONCE, span.to_at)
        found = ledger(connection, trial.things.keys.tolist(), at, until, wide, detail_for(measures))
        places = np.searchsorted(trial.things.keys, found.keys)
        numbers = measured(found, places, trial.usual, measures)
        bucket = found.starts_us // 60_000_000
        order = np.argsort(bucket, kind="stable")
        edges = np.searchsorted(bucket[order], np.arange(_minute(at), _minute(until) + 1))
        for n, minute in enumerate(range(_minute(at), _minute(until))):
            mine = n - (minute % 5 if wide == _FIVE else 0)
            rows = order[edges[mine] : edges[mine + 1]]
            yield minute, _readings(trial.things, minute, places[rows], numbers, rows)
        at = until


def _readings(there: AlertObjects, minute: int, places: np.ndarray, numbers: Measured, rows: np.ndarray) -> Readings:
    n, m = len(there.objects), len(numbers.value)
    present = np.zeros(n, dtype=np.bool_)
    present[places] = True
    quality = np.zeros(n, dtype=np.int8)
    quality[places] = numbers.quality[rows]
    value, lower, ops = (np.full((m, n), np.nan) for _ in range(3))
    for target, found in zip((value, lower, ops), (numbers.value, numbers.lower, numbers.ops), strict=True):
        target[:, places] = found[:, rows]
    return Readings(
        object_id=there.keys,
        minute=np.full(n, minute),
        present=present,
        quality=quality,
        value=value,
        lower=lower,
        ops=ops,
    )


def _firings(trial: _Try, steps: Iterator[Table]) -> list[PreviewFiring]:
    names = dict(zip(trial.things.keys.tolist(), trial.things.objects, strict=True))
    found: dict[int, PreviewFiring] = {}
    for move in chain.from_iterable(steps):
        incident, after, peak = int(move["incident"]), int(move["after"]), float(move["value"])
        at = datetime.fromtimestamp(int(move["minute"]) * 60, UTC)
        known = found.get(incident)
        if known is None and after == AlertState.FIRING:
            thing = names[int(move["object_id"])]
            found[incident] = PreviewFiring(thing.id, thing.name, at, None, None if np.isnan(peak) else peak)
        elif known is not None:
            highest = max((one for one in (known.peak, peak) if one is not None and not np.isnan(one)), default=None)
            ended = at if after == AlertState.RESOLVED else None
            found[incident] = PreviewFiring(known.object_id, known.object_name, known.fired_at, ended, highest)
    return list(found.values())


def _minute(at: datetime) -> int:
    return round(at.timestamp()) // 60
