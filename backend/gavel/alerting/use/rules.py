"""Rules of alerts: kept, changed, imported and exported; the ones that ship come in once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gavel.alerting.rules.file import default_rules, read_rules, write_rules
from gavel.alerting.rules.model import (
    OF_A_PART,
    OF_LAYERS_ONLY,
    OF_SOURCES,
    UNITS,
    Quantity,
    Rule,
    RuleError,
    RuleMeasure,
    Subject,
    Unit,
)
from gavel.alerting.rules.plain import parts, plain_rule, rule_of
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.locks import wait_for_lock
from gavel.db.queries import alert_rules as stored
from gavel.db.queries.alert_rules import RuleRow
from gavel.db.write import alert_memory
from gavel.domain.io_path import Layer, PartName
from gavel.findings.model import FindingRule
from gavel.findings.registry import RULES

# What may change of a rule without making it another one to the machine: what it found so far stays.
_ONLY_TOLD = frozenset({"key", "name", "severity", "labels", "runbook_url"})


@dataclass(frozen=True, slots=True)
class RulesImported:
    """Keys of rules."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantityUse:
    """What a condition may compare. parts: null among them is the total; empty: it has no parts. findings: rules to choose from."""

    quantity: Quantity
    unit: Unit
    subjects: tuple[Subject, ...]
    parts: tuple[PartName | None, ...]
    has_direction: bool
    findings: tuple[FindingRule, ...]


def quantities() -> tuple[QuantityUse, ...]:
    return tuple(
        QuantityUse(
            quantity=one,
            unit=UNITS[one],
            subjects=tuple(s for s in Subject if _is_measured_of(one, s)),
            parts=_parts_of(one),
            has_direction=one in OF_A_PART,
            findings=RULES if one is Quantity.OPEN_FINDINGS else (),
        )
        for one in Quantity
    )


def _is_measured_of(quantity: Quantity, subject: Subject) -> bool:
    return quantity is Quantity.OPEN_FINDINGS or (subject is Subject.SOURCE) is (quantity in OF_SOURCES)


def _parts_of(quantity: Quantity) -> tuple[PartName | None, ...]:
    if quantity not in OF_A_PART:
        return ()
    named: tuple[PartName, ...] = tuple(layer.key for layer in Layer) if quantity in OF_LAYERS_ONLY else parts()
    return named if quantity is Quantity.SHARE else (None, *named)


def rule_in(row: RuleRow) -> Rule:
    """The rule of a row. Raises RuleError, also for what another version of Gavel has stored and this one cannot read."""
    return _readable(row.key, {**row.definition, "enabled": row.enabled})


def rule_from(definition: Mapping[str, Any]) -> Rule:
    """The rule of a definition as it is kept. Raises RuleError as `rule_in`."""
    return _readable(str(definition.get("key", "")), definition)


def _readable(key: str, definition: Mapping[str, Any]) -> Rule:
    try:
        return rule_of(definition)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        problem = f"it cannot be read as it is stored ({type(error).__name__}: {error}). Change it, or remove it."
        raise RuleError((f"Rule {key!r}: {problem}",)) from error


def rules_of(rows: Iterable[RuleRow]) -> dict[int, Rule]:
    """By id."""
    return {row.id: rule_in(row) for row in rows}


def is_default(rule: Rule) -> bool:
    """Whether it is a default rule, unchanged except for being enabled or disabled."""
    known = {one.key: one for one in default_rules()}.get(rule.key)
    return known is not None and _without(rule, {"enabled"}) == _without(known, {"enabled"})


def measures_of(rules: Iterable[Rule]) -> tuple[RuleMeasure, ...]:
    """Every measure that some rule compares, each once."""
    return tuple(dict.fromkeys(condition.measure for rule in rules for condition in rule.conditions))


def ensure_default_rules(engine: Engine, now: datetime) -> int:
    """Put in the rules that ship, once in the life of a database; returns how many that were."""
    with reading(engine) as connection:
        if alert_memory.has_default_rules(connection):
            return 0
    with transaction(engine) as connection:
        wait_for_lock(connection, "default rules")
        if alert_memory.has_default_rules(connection):
            return 0
        known = {row.key for row in stored.rule_rows(connection)}
        fresh = [rule for rule in default_rules() if rule.key not in known]
        for rule in fresh:
            _add(connection, rule, now)
        alert_memory.note_default_rules(connection)
    return len(fresh)


def add(engine: Engine, plain: Mapping[str, Any], now: datetime) -> int:
    """Its id. Raises RuleError, NameTakenError."""
    rule = rule_of(plain)
    with transaction(engine) as connection:
        return _add(connection, rule, now)


def change(engine: Engine, rule_id: int, plain: Mapping[str, Any], now: datetime) -> None:
    """Puts another rule in its place. Raises RuleError, NotFoundError, NameTakenError."""
    rule = rule_of(plain)
    with transaction(engine) as connection:
        _change(connection, stored.rule_row(connection, rule_id), rule, now)


def switch(engine: Engine, rule_id: int, *, enabled: bool, now: datetime) -> None:
    """Raises NotFoundError."""
    with transaction(engine) as connection:
        row = stored.rule_row(connection, rule_id)
        # Also one that cannot be read may be switched off.
        stored.change_rule(
            connection, rule_id, row.key, {**row.definition, "enabled": enabled}, enabled=enabled,
            is_another=row.enabled is not enabled, now=now,
        )  # fmt: skip


def remove(engine: Engine, rule_id: int) -> None:
    """What it had found ends; the history stays. Raises NotFoundError."""
    with transaction(engine) as connection:
        stored.remove_rule(connection, rule_id)


def export(rows: Iterable[RuleRow]) -> str:
    """As YAML; importing it changes nothing."""
    return write_rules(tuple(rule_in(row) for row in rows))


def take_file(engine: Engine, yaml: str, now: datetime, *, replace: bool, dry_run: bool) -> RulesImported:
    """Brings rules to what a file says, by their keys, all or none. Raises RuleError that lists everything wrong with it."""
    wanted = {rule.key: rule for rule in read_rules(yaml)}
    with transaction(engine) as connection:
        rows = {row.key: row for row in stored.rule_rows(connection)}
        same = {key for key, rule in wanted.items() if key in rows and _rule_or_none(rows[key]) == rule}
        found = RulesImported(
            added=tuple(key for key in wanted if key not in rows),
            changed=tuple(key for key in wanted if key in rows and key not in same),
            unchanged=tuple(key for key in wanted if key in same),
            removed=tuple(key for key in rows if key not in wanted) if replace else (),
        )
        if dry_run:
            return found
        for key in found.removed:
            stored.remove_rule(connection, rows[key].id)
        for key in found.changed:
            _change(connection, rows[key], wanted[key], now)
        for key in found.added:
            _add(connection, wanted[key], now)
    return found


def _add(connection: Connection, rule: Rule, now: datetime) -> int:
    return stored.add_rule(connection, rule.key, plain_rule(rule), enabled=rule.enabled, now=now)


def _change(connection: Connection, row: RuleRow, rule: Rule, now: datetime) -> None:
    before = _rule_or_none(row)
    is_another = before is None or _without(before, _ONLY_TOLD) != _without(rule, _ONLY_TOLD)
    stored.change_rule(
        connection, row.id, rule.key, plain_rule(rule), enabled=rule.enabled, is_another=is_another, now=now
    )


def _rule_or_none(row: RuleRow) -> Rule | None:
    """None: it cannot be read, and so is no rule that another one could be equal to."""
    try:
        return rule_in(row)
    except RuleError:
        return None


def _without(rule: Rule, names: Iterable[str]) -> dict[str, Any]:
    left_out = set(names)
    return {name: value for name, value in plain_rule(rule).items() if name not in left_out}
