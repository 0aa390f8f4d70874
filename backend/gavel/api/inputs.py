"""What a request may carry: ids that fit their column, text without control characters, finite numbers, instants within the calendar."""

import re
from datetime import UTC, date, datetime
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints

from gavel.domain.text import clean_text

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1

# Tables of the environment count in 32 bits, those that grow with time in 64.
Id = Annotated[int, Path(ge=1, le=INT32_MAX)]
LongId = Annotated[int, Path(ge=1, le=INT64_MAX)]
BodyId = Annotated[int, Field(ge=1, le=INT32_MAX)]
OptionalId = Annotated[int | None, Query(ge=1, le=INT32_MAX)]

# PostgreSQL stores no NUL, and a terminal or a chat obeys the others. \x80-\x9f are control characters, too.
TEXT_PATTERN = r"^[^\x00-\x1f\x7f-\x9f]*$"
LINES_PATTERN = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"

Text = Annotated[str, StringConstraints(pattern=TEXT_PATTERN)]
# Several lines, such as a note, a certificate or YAML.
Lines = Annotated[str, StringConstraints(pattern=LINES_PATTERN)]
Name = Annotated[Text, Field(min_length=1, max_length=200)]


def _file_name(given: str) -> str:
    name = clean_text(re.split(r"[/\\]", given)[-1]).strip()
    if not name:
        raise ValueError("the file has no name")
    return name


# A name and no path: folders before it are left out, and what turns the direction of text is replaced.
FileName = Annotated[Name, AfterValidator(_file_name)]
Search = Annotated[str, Query(max_length=200, pattern=TEXT_PATTERN)]
Number = Annotated[float, Field(allow_inf_nan=False)]

_LINES = re.compile(LINES_PATTERN.replace("$", r"\Z"))
_MOST_VALUES = 2000

# Before is no latency of a storage array; beyond, adding a zone's offset or a window's length overflows.
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)


def in_calendar(at: datetime) -> datetime:
    """The same instant. Raises ValueError outside 1970 to 2199."""
    if not EARLIEST <= at < LATEST:
        raise ValueError(f"{at.isoformat()} is outside the years {EARLIEST.year} to {LATEST.year - 1}")
    return at


def _day_in_calendar(day: date) -> date:
    if not EARLIEST.date() <= day < LATEST.date():
        raise ValueError(f"{day.isoformat()} is outside the years {EARLIEST.year} to {LATEST.year - 1}")
    return day


Instant = Annotated[AwareDatetime, AfterValidator(in_calendar)]
Day = Annotated[date, AfterValidator(_day_in_calendar)]


def _plain_values(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings whose every text, however deep, is one that can be stored. The kind's own model checks the rest."""
    waiting: list[object] = [settings]
    seen = 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if seen > _MOST_VALUES:
            raise ValueError(f"more than {_MOST_VALUES} values")
        if isinstance(value, dict):
            waiting += (*value.keys(), *value.values())
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            _check_text(value)
        elif isinstance(value, int) and abs(value) > INT64_MAX:
            raise ValueError("a number is larger than 64 bits hold")
    return settings


def _check_text(text: str) -> None:
    if not _LINES.match(text) or (not text.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in text)):
        raise ValueError("a text holds control characters; leave them out")


Settings = Annotated[dict[str, Any], AfterValidator(_plain_values)]
