"""What is declared once: fields of an answer in the dataclass that is worked out, not in a schema again."""

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from tests.api.description import document

import gavel
from gavel.api.schemas.common import Out

# Schemas with the field names of some dataclass, and why they are none of it.
NOT_RESTATED = {
    "AlertSubject": "an alert is of fewer kinds of objects than a reference",
    "SourceRef": "`kind` is what the source is, not that it is a source",
    "MatcherOut": "stored matchers may lack `negated`",
    "Group": "its columns have labels, and its sources their kinds",
    "FindingTable": "its columns are objects with names, not pairs",
    "TestedChangeOut": "its outcome is given as changes",
    "BacktestOut": "holds `TestedChangeOut`",
    "BacktestScoreOut": "of the maths, which the API does not import",
    "FileWarningOut": "read from the stored report of an import, whose format is no business of the API",
    "RefusedRowOut": "read from the stored report of an import, whose format is no business of the API",
    "CapturedWorldOut": "read from the stored report of an import, whose format is no business of the API",
}
SECRET = re.compile(r"secret|password|token|credential|encrypted|hash|private|cookie", re.IGNORECASE)


@cache
def modules() -> tuple[ModuleType, ...]:
    names = (found.name for found in pkgutil.walk_packages(gavel.__path__, "gavel."))
    return tuple(importlib.import_module(name) for name in names if not name.endswith("__main__"))


def classes_of(module: ModuleType) -> Iterator[type]:
    for found in vars(module).values():
        if isinstance(found, type) and found.__module__ == module.__name__:
            yield found


def dataclasses_of_gavel() -> Iterator[type]:
    return (one for module in modules() for one in classes_of(module) if dataclasses.is_dataclass(one))


def test_no_schema_restates_a_dataclass() -> None:
    known = {frozenset(field.name for field in dataclasses.fields(one)) for one in dataclasses_of_gavel()}
    schemas = [
        one
        for module in modules()
        if module.__name__.startswith("gavel.api.schemas.")
        for one in classes_of(module)
        if issubclass(one, Out) and one is not Out
    ]
    assert len(schemas) > 40
    restating = {one.__name__ for one in schemas if frozenset(one.model_fields) in known}
    assert restating == set(NOT_RESTATED), "a dataclass crosses the API as `Answer[…]` (gavel/api/schemas/answer.py)"


def test_no_dataclass_that_is_answered_holds_a_secret() -> None:
    described = document()["components"]["schemas"]
    answered = [one for one in dataclasses_of_gavel() if one.__name__ in described]
    assert len(answered) > 80
    fields = [(one.__name__, field.name, str(field.type)) for one in answered for field in dataclasses.fields(one)]
    assert [one for one in fields if SECRET.search(one[1]) or "Secret" in one[2] or one[2] == "bytes"] == []
