"""Rules as plain values, as the API and the database keep them: amounts as numbers in the unit of their quantity."""

from collections.abc import Mapping
from typing import Any, get_args

from gavel.alerting.rules.model import AlertSeverity, Compared, Condition, Quantity, Rule, RuleMeasure, Scope, Subject
from gavel.domain.io_path import Direction, Layer, PartName, Quality, Segment, Severity

_PARTS: Mapping[PartName, Layer | Segment] = dict(zip(get_args(PartName), (*Layer, *Segment), strict=True))
_SAME = ("key", "name", "for_min", "keep_firing_min", "no_data_after_min", "min_ops", "runbook_url", "enabled")


def plain_rule(rule: Rule) -> dict[str, Any]:
    """As JSON takes it; `rule_of` gives an equal rule."""
    return {
        **{name: getattr(rule, name) for name in _SAME},
        "of": rule.scope.subject.value,
        "where": dict(rule.scope.where),
        "when": [_plain_condition(condition) for condition in rule.conditions],
        "min_quality": rule.min_quality.value,
        "severity": rule.severity.value,
        "labels": dict(rule.labels),
    }


def plain_measure(measure: RuleMeasure) -> dict[str, Any]:
    """Quantity, part (None: the whole I/O), direction and unit by name; rule and lowest severity of findings."""
    return {
        "quantity": measure.quantity.value,
        "part": None if measure.part is None else measure.part.name.lower(),
        "direction": measure.direction.name.lower(),
        "unit": measure.unit.value,
        "finding": measure.finding,
        "finding_severity": None if measure.finding_severity is None else measure.finding_severity.value,
    }


def rule_of(plain: Mapping[str, Any]) -> Rule:
    """Raises RuleError for parts that do not fit together, KeyError or ValueError for what is no rule at all."""
    return Rule(
        **{name: plain[name] for name in _SAME},
        scope=Scope(Subject(plain["of"]), tuple(plain["where"].items())),
        conditions=tuple(_condition(one) for one in plain["when"]),
        min_quality=Quality(plain["min_quality"]),
        severity=AlertSeverity(plain["severity"]),
        labels=dict(plain["labels"]),
    )


def measure_of(plain: Mapping[str, Any]) -> RuleMeasure:
    """What `plain_measure` gave. Raises KeyError or ValueError for what is no measure."""
    part, severity = plain["part"], plain.get("finding_severity")
    return RuleMeasure(
        Quantity(plain["quantity"]),
        None if part is None else _PARTS[part],
        Direction[plain["direction"].upper()],
        plain.get("finding"),
        None if severity is None else Severity(severity),
    )


def parts() -> tuple[PartName, ...]:
    """Names of what a measure may be of, besides the whole."""
    return tuple(_PARTS)


def _plain_condition(condition: Condition) -> dict[str, Any]:
    measured = plain_measure(condition.measure)
    del measured["unit"]
    return {
        **measured,
        "at_least": condition.at_least,
        "recover_below": condition.recover_below,
        "compared": condition.compared.value,
    }


def _condition(plain: Mapping[str, Any]) -> Condition:
    return Condition(measure_of(plain), plain["at_least"], plain["recover_below"], Compared(plain["compared"]))
