"""Decision records name the tests that hold what they say: every one that is named is there."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

_CITED = re.compile(r"`([a-z0-9_./]+\.py)::(test_\w+)`")
_RECORDS = sorted((ROOT / "docs/decisions").glob("*.md"))


@cache
def _tests_of(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _is_there(file: str, test: str) -> bool:
    path = ROOT / "tests" / file.removeprefix("tests/")
    return path.is_file() and test in _tests_of(path)


def test_every_test_that_a_decision_names_is_there() -> None:
    cited = [(record.name, *found) for record in _RECORDS for found in _CITED.findall(record.read_text("utf-8"))]
    assert len(cited) > 80
    assert [one for one in cited if not _is_there(*one[1:])] == []


def test_a_test_that_is_not_there_is_found_out() -> None:
    assert _is_there("house/test_decisions.py", "test_a_test_that_is_not_there_is_found_out")
    assert not _is_there("house/test_decisions.py", "test_that_nobody_wrote")
    assert not _is_there("house/test_that_nobody_wrote.py", "test_that_nobody_wrote")
