"""Which field of a rule each of its problems is about."""

import re

from gavel.alerting.rules import RuleError
from gavel.domain.errors import GavelError

_SAID = re.compile(r"Rule (?:'[^']*'|\"[^\"]*\"): (?P<field>\w+)(?:\[(?P<place>\d+)\])?: (?P<words>.*)", re.DOTALL)
_INSIDE = re.compile(r"(?P<field>at_least|recover_below): (?P<words>.*)", re.DOTALL)
# What the file calls differently from the API.
_NAMES = {"for": "for_min", "keep_firing": "keep_firing_min", "no_data_after": "no_data_after_min"}


def located(error: GavelError) -> list[tuple[str, str]]:
    """Path of a field (`when.0.at_least`) and what is wrong there; empty for errors that are not about a rule."""
    if not isinstance(error, RuleError):
        return []
    return [_located(found) for problem in error.problems if (found := _SAID.fullmatch(problem))]


def _located(found: re.Match[str]) -> tuple[str, str]:
    field, words = _NAMES.get(found["field"], found["field"]), found["words"]
    if found["place"] is None:
        return field, words
    inside = _INSIDE.fullmatch(words)
    path = f"{field}.{found['place']}"
    return (f"{path}.{inside['field']}", inside["words"]) if inside else (f"{path}.quantity", words)
