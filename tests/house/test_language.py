"""The backend's names and texts: terms of the field, and one class for one name. docs/glossary.md has the terms."""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gavel.api.openapi import document

ROOT = Path(__file__).resolve().parents[2]
BACKEND = ROOT / "backend/gavel"

FORBIDDEN_NAMES = frozenset(
    "told tell said here place one both those found known behind over".split()  # noqa: SIM905
)
# Also as a part of a name: nothing in Gavel speaks.
FORBIDDEN_PARTS = frozenset({"told", "tell", "said"})

# Another English than the field's, or another term than the glossary's.
FORBIDDEN_WORDS = re.compile(
    r"\b(surely|perhaps|probably|told|tells?|telling|said|judged?|judges|judging|needlessly|nobody|somebody|anybody|everybody|whoever"
    r"|estate|los(?:e|es|ing) time|lost per|verdicts?|certain|certainly|certainty|undetermined|healthy|grades?|strangers?|wait needlessly"
    r"|I/Os inside|on their way|not told apart|at hand|no news|owed|overtaken|breach(?:es|ed)?|found late|at worst|as it should|mend|ought"
    r"|fares?|kernel service|kernel other|over expected|expected \(|coverage|impact|speaks?|believes?|wakes?|brought)\b",
    re.IGNORECASE,
)
# Of these, what no page of the documentation needs; others (coverage, impact, speaks) have their plain meaning there.
FORBIDDEN_IN_DOCS = re.compile(
    r"\b(surely|perhaps|probably|told|tells?|telling|said|judged?|judges|judging|needlessly|nobody|somebody|anybody|everybody|whoever"
    r"|estate|undetermined|strangers?)\b",
    re.IGNORECASE,
)
# What is no sentence: values that clients, stored rows and the operating system have, and who may hear of them.
VALUES = {
    "judged": "value of `state` in the API, and a column of the alert machine's memory",
    "stranger": "value of `role` in the API",
    "nobody": "the account of the operating system",
}
SENTENCES = {
    "does not speak TLS as expected (": "a client and a server speak a protocol",
}
# Properties and operations whose names are the API's; their titles are made from these names.
NAMES_OF_THE_API = {
    "At Hand": "property `at_hand` of a kind of source",
    "Response Late Breaches": "made from the operation's name",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(BACKEND.rglob("*.py"))}


def named(kinds: tuple[type[ast.AST], ...]) -> Iterator[tuple[str, str]]:
    """Each name that a definition of these kinds gives, and where."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                name = node.arg if isinstance(node, ast.arg) else getattr(node, "name", "")
                yield name, f"{path.relative_to(BACKEND)}:{getattr(node, 'lineno', 0)} {name}"


def is_forbidden(name: str) -> bool:
    plain = name.strip("_").lower()
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")
    return plain in FORBIDDEN_NAMES or not FORBIDDEN_PARTS.isdisjoint(parts)


def texts_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and value of each string, and of each fixed part of an f-string, that is no docstring."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def descriptions(schema: Any) -> Iterator[str]:
    """Titles, summaries and descriptions, however deep."""
    if isinstance(schema, list):
        for item in schema:
            yield from descriptions(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key in {"title", "summary", "description"} and isinstance(value, str):
                yield value
            else:
                yield from descriptions(value)


@pytest.mark.parametrize("name", ["told", "_tell", "both", "told_of", "SaidRow", "Behind"])
def test_names_of_the_dialect_are_recognized(name: str) -> None:
    assert is_forbidden(name)


@pytest.mark.parametrize("name", ["behind_devices", "overview", "only_one", "known_rows", "stellar", "LedgerProgress"])
def test_names_that_only_contain_such_letters_are_allowed(name: str) -> None:
    assert not is_forbidden(name)


@pytest.mark.parametrize(
    "kinds",
    [(ast.FunctionDef, ast.AsyncFunctionDef), (ast.ClassDef,), (ast.arg,)],
    ids=["function", "class", "parameter"],
)
def test_names_of_functions_classes_and_parameters_are_terms_of_the_field(kinds: tuple[type[ast.AST], ...]) -> None:
    names = list(named(kinds))
    assert len(names) > 500
    assert [where for name, where in names if is_forbidden(name)] == []


def test_class_names_occur_once() -> None:
    """Private ones too: a name that is searched for is found in one place."""
    places = defaultdict(list)
    for name, where in named((ast.ClassDef,)):
        places[name].append(where)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_texts_of_the_backend_use_the_terms_of_the_glossary() -> None:
    assert FORBIDDEN_WORDS.search("3 of 14 datastores lose time")
    assert not FORBIDDEN_WORDS.search("Latency breakdown of the volume")
    texts = [(path, line, text) for path, tree in trees().items() for line, text in texts_in(tree)]
    assert len(texts) > 5000
    allowed = VALUES.keys() | SENTENCES.keys()
    found = [
        f"{path.relative_to(BACKEND)}:{line} {text}"
        for path, line, text in texts
        if FORBIDDEN_WORDS.search(text) and text not in allowed
    ]
    assert found == []


def test_documentation_uses_plain_words() -> None:
    """Everything but the glossary, which lists what is called otherwise now. Code and values stand in backticks."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    pages = [ROOT / name for name in listed.stdout.splitlines() if name != "docs/glossary.md"]
    assert len(pages) > 40
    plain = {
        page: re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL) for page in pages
    }
    assert {page.name: found for page, text in plain.items() if (found := FORBIDDEN_IN_DOCS.findall(text))} == {}


def test_exceptions_from_the_glossary_are_all_needed() -> None:
    texts = {text for tree in trees().values() for _, text in texts_in(tree)}
    assert (VALUES.keys() | SENTENCES.keys()) <= texts


def test_descriptions_of_the_api_use_the_terms_of_the_glossary() -> None:
    described = document()
    texts = set(descriptions(described))
    assert len(texts) > 500
    # A value stands in backticks.
    plain = {text: re.sub(r"`[^`]*`", "", text) for text in texts}
    found = sorted(text for text in texts if FORBIDDEN_WORDS.search(plain[text]) and text not in NAMES_OF_THE_API)
    assert found == []
    assert NAMES_OF_THE_API.keys() <= texts
