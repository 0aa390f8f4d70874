"""Which rules of findings cannot be evaluated yet, on which objects, and what is missing: no finding then says nothing."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from gavel.correlate.finding_evidence import LOADERS, Basis
from gavel.correlate.findings import WINDOW
from gavel.db.engine import Connection
from gavel.db.queries.finding_needs import (
    analyzed_minutes,
    measured_hours,
    minutes_of_arrays,
    sources_without,
    sources_without_tasks,
)
from gavel.db.queries.refs import EntityRef
from gavel.db.queries.scopes import ledger_until
from gavel.findings.model import FindingRule, NeededHours, NeededMinutes, NeededSamples, NeededTasks, RuleNeed
from gavel.findings.registry import RULES

# Samples of the streams that rules need come at least every five minutes.
_LATELY = timedelta(hours=1)
_NO_MINUTE = "no minute was analyzed yet"


@dataclass(frozen=True, slots=True)
class UnevaluatedRule:
    """object: what the rule says nothing about; None: about nothing at all. reason: a clause in lower case, without a full stop."""

    rule: FindingRule
    object: EntityRef | None
    reason: str


def unevaluated_rules(connection: Connection, now: datetime) -> list[UnevaluatedRule]:
    """In the order of rules, then by name. A constant number of statements, however many objects there are."""
    until = ledger_until(connection)
    waiting: list[UnevaluatedRule] = []
    for rule in RULES:
        if until is None and LOADERS[rule.evidence].basis is Basis.LEDGER:
            waiting.append(UnevaluatedRule(rule, None, _NO_MINUTE))
        elif rule.needs is not None:
            waiting += [UnevaluatedRule(rule, *one) for one in _missing(connection, rule.needs, until or now, now)]
    return waiting


def _missing(
    connection: Connection, need: RuleNeed, until: datetime, now: datetime
) -> Iterator[tuple[EntityRef | None, str]]:
    match need:
        case NeededHours(hours):
            yield from _too_few_hours(connection, hours, until)
        case NeededSamples(stream, missing, least):
            sources = sources_without(connection, stream, now - _LATELY, now, least=least)
            yield from ((source, missing) for source in sources)
        case NeededTasks(missing):
            yield from ((source, missing) for source in sources_without_tasks(connection))
        case NeededMinutes():
            yield from ((thing, need.missing) for thing in _too_few_minutes(connection, need, until))


def _too_few_hours(connection: Connection, hours: int, until: datetime) -> Iterator[tuple[EntityRef, str]]:
    for one in measured_hours(connection, until - WINDOW):
        if one.hours < hours:
            yield one.array, f"needs {hours} hours of history, has {one.hours}"


def _too_few_minutes(connection: Connection, need: NeededMinutes, until: datetime) -> Iterator[EntityRef | None]:
    """Arrays, or None for the environment."""
    spans = [(until - begin, until - end) for begin, end in need.spans]
    if not need.per_array:
        if max(analyzed_minutes(connection, *span) for span in spans) < need.least:
            yield None
        return
    by_span = [minutes_of_arrays(connection, *span) for span in spans]
    for array in by_span[0]:
        if max(minutes[array] for minutes in by_span) < need.least:
            yield array
