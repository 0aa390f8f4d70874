"""The filter language of REST 2: text to a tree, and a tree applied to rows.

    name='a' · name=('a','b') · reads_per_sec>=5 and contains(name,'vvol') · not(pod) · pod.name='p1' · wwns[any]='..'

`and` binds tighter than `or`, `not` tighter than both. A field alone asks whether it has a value. A comparison with a
missing value is false, so `!=` is exactly the opposite of `=`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gavel_lab.flasharray.errors import bad_request

Scalar = str | int | float | bool
MAX_LENGTH = 8_000
MAX_DEPTH = 60

_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*(?:\[(?:any|all)\])?(?:\.[A-Za-z_][A-Za-z0-9_]*(?:\[(?:any|all)\])?)*)
      | (?P<mark><=|>=|!=|=|<|>|\(|\)|,)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Field:
    """A dotted path; a step may carry [any] or [all] when it is a list."""

    text: str

    @property
    def plain(self) -> str:
        """The path without its list markers, to look it up among the known fields."""
        return re.sub(r"\[(any|all)\]", "", self.text)

    def test(self, row: Any, accept: Callable[[Any], bool]) -> bool:
        return _walk(row, self.text.split("."), accept)


@dataclass(frozen=True)
class Exists:
    field: Field

    def matches(self, row: Mapping[str, Any]) -> bool:
        return self.field.test(row, _has_value)


@dataclass(frozen=True)
class Compare:
    """One comparison; several values mean 'one of them' and go with = and != only."""

    field: Field
    operation: str
    values: tuple[Scalar, ...]

    def matches(self, row: Mapping[str, Any]) -> bool:
        if self.operation == "!=":
            return not self.field.test(row, self._is_one_of)
        if self.operation == "=":
            return self.field.test(row, self._is_one_of)
        return self.field.test(row, self._is_ordered)

    def _is_one_of(self, value: Any) -> bool:
        return any(_comparable(value, wanted) and value == wanted for wanted in self.values)

    def _is_ordered(self, value: Any) -> bool:
        wanted = self.values[0]
        return _comparable(value, wanted) and not isinstance(value, bool) and _ORDERED[self.operation](value, wanted)


@dataclass(frozen=True)
class Contains:
    field: Field
    part: str

    def matches(self, row: Mapping[str, Any]) -> bool:
        return self.field.test(row, lambda value: isinstance(value, str) and self.part in value)


@dataclass(frozen=True)
class Not:
    inner: Filter

    def matches(self, row: Mapping[str, Any]) -> bool:
        return not self.inner.matches(row)


@dataclass(frozen=True)
class And:
    left: Filter
    right: Filter

    def matches(self, row: Mapping[str, Any]) -> bool:
        return self.left.matches(row) and self.right.matches(row)


@dataclass(frozen=True)
class Or:
    left: Filter
    right: Filter

    def matches(self, row: Mapping[str, Any]) -> bool:
        return self.left.matches(row) or self.right.matches(row)


Filter = Exists | Compare | Contains | Not | And | Or


def parse(text: str) -> Filter:
    """The tree of a filter; ApiError 400 naming the place for anything that is not one."""
    if len(text) > MAX_LENGTH:
        raise bad_request(f"Invalid filter: longer than {MAX_LENGTH} characters.", "filter")
    return _Parser(text).whole()


def fields_of(tree: Filter) -> Iterator[Field]:
    """Every field the filter looks at."""
    match tree:
        case And() | Or():
            yield from fields_of(tree.left)
            yield from fields_of(tree.right)
        case Not():
            yield from fields_of(tree.inner)
        case _:
            yield tree.field


def _has_value(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_has_value(inner) for inner in value.values())
    return value is not None and value != [] and value != ""


def _comparable(value: Any, wanted: Scalar) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return isinstance(value, bool) and isinstance(wanted, bool)
    if isinstance(wanted, str):
        return isinstance(value, str)
    return isinstance(value, int | float)


def _walk(value: Any, steps: list[str], accept: Callable[[Any], bool]) -> bool:
    """Follow the steps; a list without marker asks whether any of its items is accepted."""
    if not steps:
        if isinstance(value, list) and accept is not _has_value:
            return any(accept(item) for item in value)
        return accept(value)
    name, _, marker = steps[0].partition("[")
    inner = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(inner, list) or (not marker and len(steps) == 1):
        return _walk(inner, steps[1:], accept)
    combine = all if marker == "all]" else any
    return combine(_walk(item, steps[1:], accept) for item in inner)


class _Parser:
    """Recursive descent over the tokens of one filter."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens())
        self.at = 0
        self.depth = 0

    def whole(self) -> Filter:
        tree = self.disjunction()
        if self.at < len(self.tokens):
            raise self.unexpected()
        return tree

    def disjunction(self) -> Filter:
        tree = self.conjunction()
        while self.took("word", "or"):
            tree = Or(tree, self.conjunction())
        return tree

    def conjunction(self) -> Filter:
        tree = self.negation()
        while self.took("word", "and"):
            tree = And(tree, self.negation())
        return tree

    def negation(self) -> Filter:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise bad_request(f"Invalid filter: nested deeper than {MAX_DEPTH} levels.", "filter")
        tree: Filter = Not(self.negation()) if self.took("word", "not") else self.primary()
        self.depth -= 1
        return tree

    def primary(self) -> Filter:
        if self.took("mark", "("):
            tree = self.disjunction()
            self.need("mark", ")")
            return tree
        word = self.need("word")
        if word == "contains" and self.took("mark", "("):
            return self.contains()
        return self.comparison(Field(word))

    def contains(self) -> Filter:
        field = Field(self.need("word"))
        self.need("mark", ",")
        part = _unquoted(self.need("string"))
        self.need("mark", ")")
        return Contains(field, part)

    def comparison(self, field: Field) -> Filter:
        operation = next((mark for mark in ("=", "!=", *_ORDERED) if self.took("mark", mark)), None)
        if operation is None:
            return Exists(field)
        if operation in ("=", "!=") and self.took("mark", "("):
            values = [self.value()]
            while self.took("mark", ","):
                values.append(self.value())
            self.need("mark", ")")
            return Compare(field, operation, tuple(values))
        return Compare(field, operation, (self.value(),))

    def value(self) -> Scalar:
        kind, text, _ = self.peek()
        if kind == "string":
            value: Scalar = _unquoted(text)
        elif kind == "number":
            value = float(text) if re.search(r"[.eE]", text) else int(text)
        elif kind == "word" and text in ("true", "false"):
            value = text == "true"
        else:
            raise self.unexpected()
        self.at += 1
        return value

    def peek(self) -> tuple[str, str, int]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "", len(self.text))

    def took(self, kind: str, text: str) -> bool:
        if self.peek()[:2] != (kind, text):
            return False
        self.at += 1
        return True

    def need(self, kind: str, text: str | None = None) -> str:
        found_kind, found, _ = self.peek()
        if found_kind != kind or (text is not None and found != text) or (kind == "word" and found in ("and", "or")):
            raise self.unexpected()
        self.at += 1
        return found

    def unexpected(self) -> Exception:
        kind, text, place = self.peek()
        found = "the end" if kind == "end" else repr(text)
        return bad_request(f"Invalid filter: unexpected {found} at position {place}.", "filter")

    def _tokens(self) -> Iterator[tuple[str, str, int]]:
        place, end = 0, len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None or match.lastgroup is None:
                raise bad_request(f"Invalid filter: cannot read it from position {place} on.", "filter")
            yield match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)
            place = match.end()


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
