"""The JSON documents of a file: text may stand before, between and after them, and a file that breaks off is refused by line."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from gavel.collectors.load_file import LoadFileError

HOW = "Run fio with --output-format=json (or json+) --output=FILE."
_START = re.compile(r"^\{", re.MULTILINE)
_NORMAL = re.compile(r"^[ \t]*(read|write)[ \t]*: ?IOPS=|\(groupid=\d+, jobs=\d+\)", re.MULTILINE)


def documents(text: str, file: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each document that fio wrote, with the line it begins at. Raises LoadFileError where there is none, or one is broken."""
    decoder = json.JSONDecoder(parse_constant=_no_number)
    position, count = 0, 0
    line, counted_to = 1, 0
    while (start := _START.search(text, position)) is not None:
        line += text.count("\n", counted_to, start.start())
        counted_to = start.start()
        document, position = _decoded(decoder, text, start.start(), file, line)
        if "fio version" not in document:
            continue
        count += 1
        yield line, document
    if count == 0:
        raise LoadFileError(file, _why_none(text))


def _decoded(decoder: json.JSONDecoder, text: str, start: int, file: str, line: int) -> tuple[Mapping[str, Any], int]:
    try:
        document: tuple[Mapping[str, Any], int] = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated"):
            reason = f"the JSON that begins at line {line} breaks off: the file is cut short. Copy the whole file, or run fio again."
            raise LoadFileError(file, reason, line=text.count("\n") + 1) from error
        reason = f"no JSON at column {error.colno} ({error.msg}). {HOW}"
        raise LoadFileError(file, reason, line=error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise LoadFileError(file, f"JSON that fio does not write ({error}). {HOW}", line=line) from error
    return document


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _why_none(text: str) -> str:
    if _NORMAL.search(text):
        return f"fio's text for people, which has no exact figures. {HOW}"
    return f'no JSON of fio in it: no line starts an object with "fio version". {HOW}'
