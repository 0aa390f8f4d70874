"""Rules that cannot be evaluated: detected, marked with their error and left out for a while, so that all others continue."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

import structlog

from gavel.alerting.rules.model import RuleError
from gavel.db import live
from gavel.db.engine import Connection
from gavel.db.queries.alert_rules import RuleRow, forget_faults, note_fault
from gavel.domain.errors import GavelError, SettingsError

log = structlog.get_logger(__name__)

# A rule that failed is tried again as soon as it is changed, and that long afterwards: what it failed by may be gone.
AGAIN_AFTER = timedelta(hours=1)
# What a rule can do wrong by itself. What the database or the machine does wrong is no rule's fault.
FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, SettingsError)
_LONGEST = 500
Judge = Callable[[Connection, Sequence[RuleRow]], object]


def tried(rows: Sequence[RuleRow], now: datetime) -> tuple[RuleRow, ...]:
    """The rules to evaluate now; a clock that jumps leaves none out for good."""
    return tuple(row for row in rows if row.error_at is None or abs(now - row.error_at) >= AGAIN_AFTER)


def culprits(connection: Connection, rows: Sequence[RuleRow], judge: Judge) -> dict[int, str]:
    """By id, the error of each rule that cannot be evaluated even alone. Writes nothing: every trial is rolled back.

    Empty also when the evaluation fails without any rule: then no rule is at fault.
    """
    return {} if _failure(connection, (), judge) else _culprits(connection, rows, judge)


def _culprits(connection: Connection, rows: Sequence[RuleRow], judge: Judge) -> dict[int, str]:
    """By halves: one of thousands is found in a dozen trials."""
    failure = _failure(connection, rows, judge) if rows else None
    if failure is None:
        return {}
    if len(rows) == 1:
        return {rows[0].id: _in_words(failure)}
    middle = len(rows) // 2
    return _culprits(connection, rows[:middle], judge) | _culprits(connection, rows[middle:], judge)


def note(connection: Connection, faults: Mapping[int, str], now: datetime) -> None:
    for rule_id, words in faults.items():
        note_fault(connection, rule_id, words, now)
        log.warning("rule left out", rule=rule_id, reason=words)
    live.announce(connection, live.News(None, live.ALERTS, None))


def forget(connection: Connection, judged: Sequence[RuleRow]) -> None:
    """These can be evaluated again."""
    mended = [row.id for row in judged if row.error_at is not None]
    if mended:
        forget_faults(connection, mended)
        live.announce(connection, live.News(None, live.ALERTS, None))


def _failure(connection: Connection, rows: Sequence[RuleRow], judge: Judge) -> Exception | None:
    attempt = connection.begin_nested()
    try:
        judge(connection, rows)
    except FAULTS as error:
        return error
    finally:
        attempt.rollback()
    return None


def _in_words(failure: Exception) -> str:
    """Gavel's own errors are words; of others their kind belongs to what they say."""
    said = str(failure) if isinstance(failure, SettingsError) else f"{type(failure).__name__}: {failure}"
    return said[:_LONGEST]


_SAID = re.compile(r"Rule (?:'[^']*'|\"[^\"]*\"): (?P<field>\w+)(?:\[(?P<place>\d+)\])?: (?P<words>.*)", re.DOTALL)
_INSIDE = re.compile(r"(?P<field>at_least|recover_below): (?P<words>.*)", re.DOTALL)
# What the file calls differently from the API.
_NAMES = {"for": "for_min", "keep_firing": "keep_firing_min", "no_data_after": "no_data_after_min"}


def located(error: GavelError) -> list[tuple[str, str]]:
    """Path of a field (`when.0.at_least`) and what is wrong there; empty for errors that are not about a rule."""
    if not isinstance(error, RuleError):
        return []
    return [_located(found) for problem in error.problems if (found := _SAID.fullmatch(problem))]


def _located(match: re.Match[str]) -> tuple[str, str]:
    field, words = _NAMES.get(match["field"], match["field"]), match["words"]
    if match["place"] is None:
        return field, words
    inside = _INSIDE.fullmatch(words)
    path = f"{field}.{match['place']}"
    return (f"{path}.{inside['field']}", inside["words"]) if inside else (f"{path}.quantity", words)
