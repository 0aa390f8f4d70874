"""InfluxDB line protocol, strictly: `measurement[,tag=value…] field=value[,field=value…] [time]`. A bad line costs that line only. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeAlias

from gavel.domain.guests import RefusalReason, RefusedLine
from gavel.domain.text import clean_text

FieldValue: TypeAlias = int | float | bool | str

LONGEST_LINE: Final = 65_536  # bytes
MOST_TAGS: Final = 64
MOST_FIELDS: Final = 256
# Nanoseconds per unit of a time, by the `precision` of the request: those of version 2, and the ones that version 1 had besides.
PRECISION_NS: Final[Mapping[str, int]] = {
    "ns": 1,
    "n": 1,
    "us": 1_000,
    "u": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_INT64 = 2**63
_FLOAT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,20}", re.ASCII)
_TRUE = frozenset({"t", "T", "true", "True", "TRUE"})
_FALSE = frozenset({"f", "F", "false", "False", "FALSE"})
_SHOWN = 60
_BACKSLASH, _MARK = b"\\"[0], b'"'[0]
# Texts that are never closed: after so many of them in one body, a line feed ends every line.
_MOST_UNCLOSED = 16


@dataclass(frozen=True, slots=True)
class Point:
    """One line. `at_ns`: since 1970, None where the line has no time; `line`: its number in the text, from 1."""

    measurement: str
    tags: Mapping[str, str]
    fields: Mapping[str, FieldValue]
    at_ns: int | None
    line: int


class LineError(Exception):
    """A line that does not follow the grammar. Its text names what is wrong."""


def parse_lines(body: bytes, *, precision: str = "ns", wanted: frozenset[str]) -> Iterator[Point | RefusedLine]:
    """Every line that is not empty and no comment, in order. Of measurements that are not wanted only the name is read.

    Raises KeyError for a precision that is none of PRECISION_NS.
    """
    unit_ns = PRECISION_NS[precision]
    for number, raw in _split(body):
        if len(raw) > LONGEST_LINE:
            detail = f"the line has {len(raw)} bytes; at most {LONGEST_LINE} are read"
            yield RefusedLine(number, RefusalReason.TOO_LONG, detail)
            continue
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            yield RefusedLine(number, RefusalReason.MALFORMED, "the line is not UTF-8")
            continue
        try:
            name = _measurement(line)
            if name not in wanted:
                yield RefusedLine(number, RefusalReason.UNKNOWN_MEASUREMENT, clean_text(name, _SHOWN))
            else:
                yield _point(line, number, unit_ns)
        except LineError as error:
            yield RefusedLine(number, RefusalReason.MALFORMED, clean_text(str(error)))


def _split(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of each line. A line feed within a quoted text does not end the line, unless its quote is never closed."""
    rows = body.split(b"\n")
    at = unclosed = 0
    while at < len(rows):
        begin, raw = at, rows[at]
        at += 1
        if b'"' in raw and unclosed < _MOST_UNCLOSED and _is_open(raw):
            end = _end_of_text(rows, begin)
            unclosed += end is None
            at = begin + 1 if end is None else end + 1
            raw = b"\n".join(rows[begin:at])
        raw = raw.strip(b" \t\r")
        if raw and not raw.startswith(b"#"):
            yield begin + 1, raw


def _end_of_text(rows: list[bytes], begin: int) -> int | None:
    """The row that closes the text which row `begin` leaves open; None where none does within the longest line."""
    length = len(rows[begin])
    for end in range(begin + 1, len(rows)):
        length += len(rows[end]) + 1
        if length > LONGEST_LINE:
            return None
        if b'"' in rows[end] and not _ends_inside(rows[end], 0, inside=True):
            return end
    return None


def _is_open(raw: bytes) -> bool:
    """Whether a quoted text has begun and not ended. Before the fields a mark is a letter like any other."""
    if b"\\" not in raw and raw.count(b'"') % 2 == 0:
        return False
    return len(raw) <= LONGEST_LINE and _ends_inside(raw, _blank(raw), inside=False)


def _ends_inside(raw: bytes, position: int, *, inside: bool) -> bool:
    """Whether the end of these bytes is within a text, where `inside` says so of their beginning."""
    while position < len(raw):
        letter = raw[position]
        if letter == _BACKSLASH:
            position += 1
        elif letter == _MARK and (inside or raw[position - 1 : position] == b"="):
            inside = not inside
        position += 1
    return inside


def _blank(raw: bytes) -> int:
    """Position of the first blank that no backslash escapes; the end where there is none."""
    position = raw.find(b" ")
    while position > 0 and raw[position - 1] == _BACKSLASH:
        position = raw.find(b" ", position + 1)
    return len(raw) if position < 0 else position


def _measurement(line: str) -> str:
    if "\\" not in line:
        ends = [at for at in (line.find(","), line.find(" ")) if at >= 0]
        name = line[: min(ends)] if ends else line
    else:
        name, _ = _token(line, 0, stops=", ", escapes=", ")
    if not name:
        raise LineError("there is no measurement")
    return name


def _point(line: str, number: int, unit_ns: int) -> Point:
    reader = _read_plain if "\\" not in line and '"' not in line else _read_escaped
    measurement, tags, fields, stamp = reader(line)
    return Point(measurement, _tags(tags), _fields(fields), _time(stamp, unit_ns), number)


_Pairs: TypeAlias = list[tuple[str, str]]
_Parts: TypeAlias = tuple[str, _Pairs, _Pairs, str]


def _read_plain(line: str) -> _Parts:
    """A line without escapes and texts, as nearly all are."""
    head, _, rest = line.partition(" ")
    fields, _, stamp = rest.lstrip(" ").partition(" ")
    measurement, *tags = head.split(",")
    return measurement, [_pair(tag) for tag in tags], [_pair(field) for field in fields.split(",")], stamp.strip(" ")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or "=" in value:
        raise LineError(f"{_shown(text)} is no name=value")
    return name, value


def _read_escaped(line: str) -> _Parts:
    measurement, at = _token(line, 0, stops=", ", escapes=", ")
    tags: _Pairs = []
    while at < len(line) and line[at] == ",":
        name, at = _token(line, at + 1, stops="=, ", escapes=",= ")
        at = _after_equals(line, at, name)
        value, at = _token(line, at, stops="=, ", escapes=",= ")
        tags.append((name, value))
    if at < len(line) and line[at] != " ":
        raise LineError(f"an equals sign has to be escaped before {_shown(line[at:])}")
    at = _after_blanks(line, at)
    fields: _Pairs = []
    while True:
        name, at = _token(line, at, stops="=, ", escapes=",= ")
        at = _after_equals(line, at, name)
        value, at = _text(line, at) if line[at : at + 1] == '"' else _token(line, at, stops="=, ", escapes="")
        fields.append((name, value))
        if at >= len(line) or line[at] == " ":
            return measurement, tags, fields, line[at:].strip(" ")
        if line[at] != ",":
            raise LineError(f"a comma or blank is missing before {_shown(line[at:])}")
        at += 1


def _token(line: str, at: int, *, stops: str, escapes: str) -> tuple[str, int]:
    """Up to the first of `stops` that is not escaped. A backslash before any other letter stands for itself."""
    letters = []
    while at < len(line) and line[at] not in stops:
        if line[at] == "\\" and at + 1 < len(line) and line[at + 1] in escapes:
            at += 1
        letters.append(line[at])
        at += 1
    return "".join(letters), at


def _text(line: str, at: int) -> tuple[str, int]:
    """A quoted text, with its opening mark, which is kept to tell it from a number."""
    letters = ['"']
    at += 1
    while at < len(line) and line[at] != '"':
        if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\"):
            at += 1
        letters.append(line[at])
        at += 1
    if at >= len(line):
        raise LineError("a quoted text is not closed")
    return "".join(letters), at + 1


def _after_equals(line: str, at: int, name: str) -> int:
    if line[at : at + 1] != "=":
        raise LineError(f"{_shown(name)} has no value")
    return at + 1


def _after_blanks(line: str, at: int) -> int:
    while at < len(line) and line[at] == " ":
        at += 1
    return at


def _tags(pairs: _Pairs) -> dict[str, str]:
    if len(pairs) > MOST_TAGS:
        raise LineError(f"{len(pairs)} tags; at most {MOST_TAGS} are read")
    tags = dict(pairs)
    if len(tags) != len(pairs):
        raise LineError("a tag occurs twice")
    if "" in tags or "" in tags.values():
        raise LineError("a tag has no name or no value")
    return tags


def _fields(pairs: _Pairs) -> dict[str, FieldValue]:
    if len(pairs) > MOST_FIELDS:
        raise LineError(f"{len(pairs)} fields; at most {MOST_FIELDS} are read")
    fields = {name: _field(name, value) for name, value in pairs}
    if len(fields) != len(pairs):
        raise LineError("a field occurs twice")
    if "" in fields:
        raise LineError("a field has no name")
    return fields


def _field(name: str, text: str) -> FieldValue:
    """Integers end in i or u, texts begin with a quotation mark, everything else is a float or a truth value."""
    if text.startswith('"'):
        return text[1:]
    # As nearly all are.
    if text[-1:] == "i" and len(text) < 19 and text[:-1].isdigit() and text.isascii():
        return int(text[:-1])
    if text[-1:] in ("i", "u") and _INTEGER.fullmatch(text[:-1]):
        whole = int(text[:-1])
        fits = 0 <= whole < 2 * _INT64 if text[-1] == "u" else -_INT64 <= whole < _INT64
        if not fits:
            raise LineError(f"{_shown(name)} = {_shown(text)} does not fit 64 bits")
        return whole
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not isfinite(number):
            raise LineError(f"{_shown(name)} = {_shown(text)} is no finite number")
        return number
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise LineError(f"{_shown(name)} = {_shown(text)} is no value")


def _time(text: str, unit_ns: int) -> int | None:
    if not text:
        return None
    if not _INTEGER.fullmatch(text) or not -_INT64 <= int(text) * unit_ns < _INT64:
        raise LineError(f"{_shown(text)} is no time")
    return int(text) * unit_ns


def _shown(text: str) -> str:
    return repr(text[:_SHOWN])
