"""Rules as people write and keep them: YAML in, YAML out, and the ones that ship."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any, TypeVar

import yaml

from gavel.alerting.rules.model import (
    UNITS,
    AlertSeverity,
    Compared,
    Condition,
    Quantity,
    Rule,
    RuleError,
    RuleMeasure,
    Scope,
    Subject,
    Unit,
)
from gavel.domain.io_path import Direction, Layer, Quality, Segment, Severity

LARGEST_FILE = 1 << 20
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NUMBER = re.compile(r"(\d{1,20}(?:\.\d{1,40})?)\s*(\S*)")
_PARTS: Mapping[str, Layer | Segment | None] = {
    "total": None,
    "source": None,
    **{layer.name.lower(): layer for layer in Layer},
    **{segment.name.lower(): segment for segment in Segment},
}
# How an amount may be written: factor to the unit that is kept, decimal so that 57 % is 0.57. The first of each unit is exported.
_WRITTEN: Mapping[Unit, Mapping[str, Decimal]] = {
    Unit.US: {"ms": Decimal(1000), "us": Decimal(1), "µs": Decimal(1), "s": Decimal(1_000_000)},
    Unit.SHARE: {"%": Decimal("0.01")},
    Unit.TIMES: {"x": Decimal(1), "×": Decimal(1)},
    Unit.IOS: {"I/Os": Decimal(1)},
    Unit.SECONDS: {"s": Decimal(1), "min": Decimal(60), "h": Decimal(3600)},
    Unit.FINDINGS: {"": Decimal(1)},
}
_MINUTES = {"min": Decimal(1), "h": Decimal(60)}
_RULE_FIELDS = {
    "key", "name", "of", "where", "when", "for", "keep_firing", "no_data_after", "min_ops", "min_quality", "severity",
    "labels", "runbook_url", "enabled",
}  # fmt: skip
_CONDITION_FIELDS = {"direction", "at_least", "recover_below", "compared"}
_ANY_FINDING = "any"


W = TypeVar("W", Subject, Compared, AlertSeverity, Quality, Severity)


class _FieldError(ValueError):
    """One field is unusable; the text says which and what to write."""


def read_rules(text: str) -> tuple[Rule, ...]:
    """The rules of a YAML text. Raises RuleError that lists everything wrong with it at once."""
    problems: list[str] = []
    rules: list[Rule] = []
    for place, raw in enumerate(_entries(text)):
        try:
            rules.append(_rule(raw))
        except RuleError as error:
            problems += error.problems
        except _FieldError as error:
            named = raw.get("key") if isinstance(raw, dict) else None
            problems.append(f"Rule {named!r}: {error}" if named else f"rules[{place}]: {error}")
    keys = Counter(rule.key for rule in rules)
    problems += [f"Rule {key!r}: the key is used twice; rename one." for key in sorted(keys) if keys[key] > 1]
    if problems:
        raise RuleError(tuple(problems))
    return tuple(rules)


def write_rules(rules: tuple[Rule, ...]) -> str:
    """The same rules as YAML; reading it gives equal rules."""
    return yaml.safe_dump({"rules": [_written(rule) for rule in rules]}, sort_keys=False, allow_unicode=True)


@cache
def default_rules() -> tuple[Rule, ...]:
    """What every installation starts with."""
    return read_rules(resources.files("gavel.alerting.rules").joinpath("default_rules.yaml").read_text("utf-8"))


def _entries(text: str) -> list[Any]:
    if len(text.encode()) > LARGEST_FILE:
        raise RuleError((f"The file is larger than {LARGEST_FILE >> 20} MiB; split it.",))
    try:
        # Aliases could make a small file a huge one.
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=yaml.CSafeLoader)):
            raise RuleError(("YAML aliases (*name) are not accepted; write the value out.",))
        document = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise RuleError((f"Not readable as YAML: {error}",)) from error
    if not isinstance(document, dict) or set(document) != {"rules"} or not isinstance(document["rules"], list):
        raise RuleError(("The file has to be a mapping with one entry `rules`, a list.",))
    return document["rules"]


def _rule(raw: Any) -> Rule:
    fields = _fields(raw, "a rule", _RULE_FIELDS, required=("key", "name", "of", "when"))
    when = fields["when"]
    if not isinstance(when, list):
        raise _FieldError("when: has to be a list of conditions, each starting with -.")
    chosen: dict[str, Any] = {name: read(fields[at], at) for at, name, read in _OPTIONAL if at in fields}
    where = _texts(fields.get("where", {}), "where")
    return Rule(
        key=_text(fields["key"], "key"),
        name=_text(fields["name"], "name"),
        scope=Scope(_word(Subject)(fields["of"], "of"), tuple(where.items())),
        conditions=tuple(_condition(one, f"when[{index}]") for index, one in enumerate(when)),
        **chosen,
    )


def _condition(raw: Any, at: str) -> Condition:
    quantities = [quantity for quantity in Quantity if isinstance(raw, dict) and quantity in raw]
    if len(quantities) != 1:
        raise _FieldError(f"{at}: name one quantity, such as `latency: kernel`; there are {', '.join(Quantity)}.")
    quantity = quantities[0]
    if quantity is Quantity.OPEN_FINDINGS:
        return _condition_of_findings(raw, at)
    fields = _fields(raw, at, {*_CONDITION_FIELDS, quantity.value}, required=("at_least",))
    part = fields[quantity]
    if part not in _PARTS:
        raise _FieldError(f"{at}.{quantity}: {part!r} is none of {', '.join(_PARTS)}.")
    units = _WRITTEN[UNITS[quantity]]
    recover = fields.get("recover_below")
    return Condition(
        RuleMeasure(quantity, _PARTS[part], _direction(fields.get("direction", "all"), f"{at}.direction")),
        _amount(fields["at_least"], units, f"{at}.at_least"),
        None if recover is None else _amount(recover, units, f"{at}.recover_below"),
        _word(Compared)(fields.get("compared", Compared.LOWER.value), f"{at}.compared"),
    )


def _condition_of_findings(raw: Any, at: str) -> Condition:
    name = Quantity.OPEN_FINDINGS.value
    fields = _fields(raw, at, {*_CONDITION_FIELDS, "finding_severity", name} - {"direction"}, required=(name,))
    rule, severity, recover = (
        _text(fields[name], f"{at}.{name}"),
        fields.get("finding_severity"),
        fields.get("recover_below"),
    )
    units = _WRITTEN[Unit.FINDINGS]
    measure = RuleMeasure(
        Quantity.OPEN_FINDINGS,
        finding=None if rule == _ANY_FINDING else rule,
        finding_severity=None if severity is None else _word(Severity)(severity, f"{at}.finding_severity"),
    )
    return Condition(
        measure,
        _amount(fields.get("at_least", 1), units, f"{at}.at_least"),
        None if recover is None else _amount(recover, units, f"{at}.recover_below"),
        _word(Compared)(fields.get("compared", Compared.LOWER.value), f"{at}.compared"),
    )


def _fields(raw: Any, at: str, allowed: set[str], required: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise _FieldError(f"{at} has to be a mapping of fields.")
    if unknown := sorted(str(name) for name in raw if name not in allowed):
        raise _FieldError(f"{', '.join(unknown)}: no such field in {at}; there are {', '.join(sorted(allowed))}.")
    if missing := [name for name in required if raw.get(name) is None]:
        raise _FieldError(f"{', '.join(missing)}: missing in {at}.")
    return {name: value for name, value in raw.items() if value is not None}


def _amount(raw: Any, units: Mapping[str, Decimal], at: str) -> float:
    found = _NUMBER.fullmatch(str(raw).strip())
    if found is None or found[2] not in units:
        raise _FieldError(
            f"{at}: {raw!r} is no amount; write a number and {' or '.join(units)}, as in '2 {next(iter(units))}'."
        )
    return float(Decimal(found[1]) * units[found[2]])


def _minutes(raw: Any, at: str) -> int:
    minutes = _amount(raw, _MINUTES, at)
    if not minutes.is_integer():
        raise _FieldError(f"{at}: {raw!r}: the minute is the grain; give whole minutes.")
    return int(minutes)


def _text(raw: Any, at: str) -> str:
    if not isinstance(raw, str):
        raise _FieldError(f"{at}: {raw!r} is no text; put it in quotes.")
    if _CONTROLS.search(raw):
        raise _FieldError(f"{at}: {raw!r} holds control characters; leave them out.")
    return raw


def _texts(raw: Any, at: str) -> dict[str, str]:
    if not isinstance(raw, dict):
        raise _FieldError(f"{at}: has to be a mapping, as in `{at}: {{name: prod-*}}`.")
    return {_text(name, at): _text(value, f"{at}.{name}") for name, value in raw.items()}


def _count(raw: Any, at: str) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool):
        raise _FieldError(f"{at}: {raw!r} is no whole number.")
    return raw


def _flag(raw: Any, at: str) -> bool:
    if not isinstance(raw, bool):
        raise _FieldError(f"{at}: {raw!r}: write true or false.")
    return raw


def _word(kind: type[W]) -> Callable[[Any, str], W]:
    def read(raw: Any, at: str) -> W:
        try:
            return kind(raw)
        except ValueError:
            raise _FieldError(f"{at}: {raw!r} is none of {', '.join(kind)}.") from None

    return read


def _direction(raw: Any, at: str) -> Direction:
    names = {direction.name.lower(): direction for direction in Direction}
    if raw not in names:
        raise _FieldError(f"{at}: {raw!r} is none of {', '.join(names)}.")
    return names[raw]


_OPTIONAL: tuple[tuple[str, str, Callable[[Any, str], Any]], ...] = (
    ("for", "for_min", _minutes),
    ("keep_firing", "keep_firing_min", _minutes),
    ("no_data_after", "no_data_after_min", _minutes),
    ("min_ops", "min_ops", _count),
    ("min_quality", "min_quality", _word(Quality)),
    ("severity", "severity", _word(AlertSeverity)),
    ("labels", "labels", _texts),
    ("runbook_url", "runbook_url", _text),
    ("enabled", "enabled", _flag),
)


def _written(rule: Rule) -> dict[str, Any]:
    optional = {"where": dict(rule.scope.where), "labels": dict(rule.labels), "runbook_url": rule.runbook_url}
    return {
        "key": rule.key,
        "name": rule.name,
        "of": rule.scope.subject.value,
        "when": [dict(_written_condition(condition)) for condition in rule.conditions],
        "for": f"{rule.for_min} min",
        "keep_firing": f"{rule.keep_firing_min} min",
        "no_data_after": f"{rule.no_data_after_min} min",
        "min_ops": rule.min_ops,
        "min_quality": rule.min_quality.value,
        "severity": rule.severity.value,
        "enabled": rule.enabled,
        **{name: value for name, value in optional.items() if value},
    }


def _written_condition(condition: Condition) -> Iterator[tuple[str, str]]:
    measure = condition.measure
    whole = {Unit.SECONDS: "source", Unit.FINDINGS: measure.finding or _ANY_FINDING}.get(measure.unit, "total")
    yield measure.quantity.value, whole if measure.part is None else measure.part.name.lower()
    if measure.direction is not Direction.ALL:
        yield "direction", measure.direction.name.lower()
    if measure.finding_severity is not None:
        yield "finding_severity", measure.finding_severity.value
    yield "at_least", _shown(condition.at_least, measure.unit)
    if condition.recover_below is not None:
        yield "recover_below", _shown(condition.recover_below, measure.unit)
    yield "compared", condition.compared.value


def _shown(amount: float, unit: Unit) -> str:
    suffix, factor = next(iter(_WRITTEN[unit].items()))
    digits = f"{Decimal(repr(amount)) / factor:f}"
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits} {suffix}".rstrip()
