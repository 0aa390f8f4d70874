"""Work of a parser, counted: lines of Python, characters that built-in methods scan, steps of regular expressions."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence

# Parsing tables of the regular expressions' own compiler; their names are stable since Python 3.11.
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from types import BuiltinFunctionType, FrameType, ModuleType
from typing import Any, TypeAlias

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_SINGLE = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)
# These look at the ends of a text, or at a part of it that their caller moves on.
_CONSTANT = frozenset({
    "startswith", "endswith", "find", "append", "join", "encode",
    "format", "isascii", "isdecimal", "isdigit", "read", "readline", "get", "keys", "items", "values",
})  # fmt: skip


class OverworkError(Exception):
    """More work than any of a parser that is linear."""


class Steps:
    """How much was done. Raises OverworkError beyond `most`."""

    def __init__(self, most: int = 4_000_000) -> None:
        self.count = 0
        self._most = most

    def add(self, count: int = 1) -> None:
        self.count += count
        if self.count > self._most:
            raise OverworkError


# Of single characters, by node of the parsed expression, which stays as long as its pattern.
Tests: TypeAlias = dict[int, Callable[[str], bool]]


class CountedPattern:
    """A regular expression that counts what a backtracking engine does for it. Results are those of the real one."""

    def __init__(self, pattern: "re.Pattern[Any]", steps: Steps) -> None:
        self._pattern = pattern
        self._steps = steps
        self._tests: Tests = {}
        text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
        self._tree = list(
            _parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def match(self, text: Any, *at: int) -> Any:
        self._walk(text, at, anywhere=False, whole=False)
        return self._pattern.match(text, *at)

    def fullmatch(self, text: Any, *at: int) -> Any:
        self._walk(text, at, anywhere=False, whole=True)
        return self._pattern.fullmatch(text, *at)

    def search(self, text: Any, *at: int) -> Any:
        self._walk(text, at, anywhere=True, whole=False)
        return self._pattern.search(text, *at)

    def finditer(self, text: Any, *at: int) -> Iterator[Any]:
        self._walk(text, at, anywhere=True, whole=False, every=True)
        return self._pattern.finditer(text, *at)

    def findall(self, text: Any, *at: int) -> Any:
        self._walk(text, at, anywhere=True, whole=False, every=True)
        return self._pattern.findall(text, *at)

    def sub(self, by: Any, text: Any, count: int = 0) -> Any:
        self._walk(text, (), anywhere=True, whole=False, every=count != 1)
        return self._pattern.sub(by, text, count)

    def split(self, text: Any, count: int = 0) -> Any:
        self._walk(text, (), anywhere=True, whole=False, every=True)
        return self._pattern.split(text, count)

    def _walk(self, text: Any, at: tuple[int, ...], *, anywhere: bool, whole: bool, every: bool = False) -> None:
        subject = text if isinstance(text, str) else bytes(text).decode("latin-1")
        start, end = at[0] if at else 0, at[1] if len(at) > 1 else len(subject)
        walker = _Walker(subject[:end], self._pattern.flags, self._steps, self._tests)
        while start <= len(walker.text):
            found = next((stop for stop in walker.ends(self._tree, 0, start) if not whole or stop == end), None)
            if not anywhere or (found is not None and not every):
                return
            self._steps.add(1)
            start = start + 1 if found is None or found == start else found


class _Walker:
    def __init__(self, text: str, flags: int, steps: Steps, tests: Tests) -> None:
        self.text = text
        self._flags = flags
        self._steps = steps
        self._tests = tests

    def ends(self, nodes: list[Any], at: int, position: int) -> Iterator[int]:
        """Where a match of the nodes from `at` on, begun at `position`, may end, in the engine's order."""
        self._steps.add(1)
        if at == len(nodes):
            yield position
            return
        operation, argument = nodes[at]
        for stop in self._one(operation, argument, nodes[at], position):
            yield from self.ends(nodes, at + 1, stop)

    def _one(self, operation: Any, argument: Any, node: Any, position: int) -> Iterator[int]:
        if operation in _SINGLE:
            if position < len(self.text) and self._test(node)(self.text[position]):
                yield position + 1
        elif operation in _REPEATS:
            yield from self._repeat(operation, argument, position)
        elif operation is _constants.SUBPATTERN:
            yield from self.ends(list(argument[3]), 0, position)
        elif operation is _constants.BRANCH:
            for branch in argument[1]:
                yield from self.ends(list(branch), 0, position)
        elif self._holds(operation, argument, position):
            yield position

    def _holds(self, operation: Any, argument: Any, position: int) -> bool:
        """Whether a condition without a width is met."""
        if operation is _constants.AT:
            return self._anchor(argument, position)
        if operation not in (_constants.ASSERT, _constants.ASSERT_NOT):
            raise NotImplementedError(f"{operation} in a regular expression")
        direction, inner = argument
        begin = position if direction > 0 else position - inner.getwidth()[1]
        is_met = begin >= 0 and next(self.ends(list(inner), 0, begin), None) is not None
        return is_met == (operation is _constants.ASSERT)

    def _repeat(self, operation: Any, argument: Any, position: int) -> Iterator[int]:
        least, most, inner = argument
        body = list(inner)
        if len(body) == 1 and body[0][0] in _SINGLE:
            test = self._test(body[0])
            if operation is _constants.MIN_REPEAT:
                count = 0
                while True:
                    if count >= least:
                        yield position + count
                    self._steps.add(1)
                    if count >= most or position + count >= len(self.text) or not test(self.text[position + count]):
                        return
                    count += 1
            count = 0
            while count < most and position + count < len(self.text) and test(self.text[position + count]):
                count += 1
            self._steps.add(count)
            stops = range(position + count, position + least - 1, -1)
            yield from stops[:1] if operation is _constants.POSSESSIVE_REPEAT else stops
            return
        yield from self._nested(body, least, most, position, operation is _constants.MIN_REPEAT)

    def _nested(self, body: list[Any], least: int, most: int, position: int, lazy: bool) -> Iterator[int]:
        if least <= 0 and lazy:
            yield position
        if most > 0:
            for stop in self.ends(body, 0, position):
                if stop > position or least > 0:
                    yield from self._nested(body, least - 1, most - 1, stop, lazy)
        if least <= 0 and not lazy:
            yield position

    def _anchor(self, kind: Any, at: int) -> bool:
        text = self.text
        if kind in (_constants.AT_BEGINNING, _constants.AT_BEGINNING_STRING):
            lines = kind is _constants.AT_BEGINNING and self._flags & re.MULTILINE
            return at == 0 or bool(lines and text[at - 1] == "\n")
        if kind in (_constants.AT_END, _constants.AT_END_STRING):
            if kind is _constants.AT_END_STRING:
                return at == len(text)
            return (
                at == len(text)
                or (at == len(text) - 1 and text[at] == "\n")
                or bool(self._flags & re.MULTILINE and text[at] == "\n")
            )
        before = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
        after = at < len(text) and (text[at].isalnum() or text[at] == "_")
        return (before != after) == (kind is _constants.AT_BOUNDARY)

    def _test(self, node: Any) -> Callable[[str], bool]:
        """Whether one character is in the class of a node."""
        if id(node) not in self._tests:
            state = _parser.State()
            state.flags = self._flags
            tree = _parser.SubPattern(state, [node])
            compiled = _compiler.compile(tree, self._flags | re.UNICODE)
            answers: dict[str, bool] = {}

            def test(character: str) -> bool:
                if character not in answers:
                    answers[character] = compiled.fullmatch(character) is not None
                return answers[character]

            self._tests[id(node)] = test
        return self._tests[id(node)]


def counted_patterns(modules: Sequence[ModuleType], steps: Steps) -> dict[tuple[ModuleType, str], Any]:
    """Replace the regular expressions of modules by counted ones, also within tuples. Returns what was there."""
    found = {
        (module, name): value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern | tuple)
    }
    for (module, name), value in found.items():
        setattr(module, name, _counted(value, steps))
    return found


def _counted(value: Any, steps: Steps) -> Any:
    if isinstance(value, re.Pattern):
        return CountedPattern(value, steps)
    return tuple(_counted(each, steps) for each in value) if type(value) is tuple else value


def work_of(parse: Callable[[], object], steps: Steps) -> int:
    """What `parse` does, whatever it raises of what is expected."""
    steps.count = 0

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        if "/gavel/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            steps.add()
        return trace

    def profile(frame: FrameType, event: str, function: Any) -> None:
        if (
            event == "c_call"
            and frame.f_code.co_filename != __file__
            and isinstance(function, BuiltinFunctionType)
            and function.__name__ not in _CONSTANT
        ):
            scanned = function.__self__
            if isinstance(scanned, (str, bytes, bytearray)) or (
                isinstance(scanned, (list, dict))
                and function.__name__
                in (
                    "insert",
                    "pop",
                    "copy",
                    "index",
                    "count",
                    "remove",
                )
            ):
                steps.add(len(scanned) // 8)

    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        parse()
    except OverworkError:
        return sys.maxsize
    finally:
        sys.setprofile(None)
        sys.settrace(None)
    return steps.count


def restore(patterns: dict[tuple[ModuleType, str], Any]) -> None:
    """Put regular expressions back."""
    for (module, name), pattern in patterns.items():
        setattr(module, name, pattern)
