"""What parsers of all agents have in common: numbers and names of a line, or the reason why it is refused."""

import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, TypeAlias

from gavel.collectors.line_protocol import Point
from gavel.domain.guests import (
    LONGEST_NAME,
    DiskReading,
    GuestIdentity,
    PushedReadings,
    RefusalReason,
    RefusedLine,
)
from gavel.domain.text import clean_text

# No counter of a disk grows beyond it; and as µs it fits 64 bits.
_LARGEST = 2**63 // 1000
_UUID_DIGITS = re.compile(r"[0-9a-f]{32}")
_SERIAL = re.compile(r"[\x21-\x7e][\x20-\x7e]*")
# What agents and firmware write where there is none.
_NO_SERIAL = frozenset({"unknown", "none", "na", "n/a", "not specified", "0"})

LineParser: TypeAlias = Callable[[Point], DiskReading]


class LineRefusedError(Exception):
    """The line is counted out, and its batch goes on."""

    def __init__(self, reason: RefusalReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def read_points(points: Iterable[Point | RefusedLine], parsers: Mapping[str, LineParser]) -> PushedReadings:
    """Each line by the parser of its measurement."""
    readings: list[DiskReading] = []
    refused: list[RefusedLine] = []
    for point in points:
        if isinstance(point, RefusedLine):
            refused.append(point)
            continue
        try:
            readings.append(parsers[point.measurement](point))
        except LineRefusedError as error:
            refused.append(RefusedLine(point.line, error.reason, clean_text(str(error))))
    return PushedReadings(tuple(readings), tuple(refused))


def number(values: Mapping[str, Any], name: str, *, scale: float = 1) -> float | None:
    """A non-negative number times `scale`, None where there is none. Raises LineRefusedError."""
    found = values.get(name)
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not isfinite(found):
        raise LineRefusedError(RefusalReason.NOT_A_NUMBER, f"{name} = {str(found)[:40]!r} is no number")
    if not 0 <= found < _LARGEST:
        raise LineRefusedError(RefusalReason.NOT_A_NUMBER, f"{name} = {found:g} is no counter of a disk")
    return found * scale


def count(values: Mapping[str, Any], name: str, *, scale: int = 1) -> int | None:
    """A non-negative whole number times `scale`, None where there is none. Raises LineRefusedError."""
    found = number(values, name)
    if found is None:
        return None
    if found != int(found):
        raise LineRefusedError(RefusalReason.NOT_A_NUMBER, f"{name} = {found:g} is no count")
    return int(found) * scale


def guest_of(tags: Mapping[str, str], name: str = "host") -> GuestIdentity:
    """By the host name alone. Raises LineRefusedError where there is none."""
    return GuestIdentity(named(tags, name, RefusalReason.NO_HOST))


def named(tags: Mapping[str, str], name: str, absent: RefusalReason) -> str:
    """A tag that has to be there, and short enough to be a name. Raises LineRefusedError."""
    value = tags.get(name, "").strip()
    if not value:
        raise LineRefusedError(absent, f"the line has no tag {name!r}")
    return short(value, name)


def short(value: str, name: str) -> str:
    """The name itself. Raises LineRefusedError where it is too long, or no text of one line."""
    if len(value) > LONGEST_NAME:
        raise LineRefusedError(
            RefusalReason.TOO_LONG, f"{name!r} has {len(value)} letters; at most {LONGEST_NAME} are kept"
        )
    if clean_text(value) != value:
        raise LineRefusedError(RefusalReason.MALFORMED, f"{name!r} holds control characters")
    return value


def serial_of(tags: Mapping[str, str], *names: str) -> str | None:
    """The first of these tags that is a serial number."""
    for name in names:
        value = tags.get(name, "").strip()
        if value.lower() not in _NO_SERIAL and len(value) <= LONGEST_NAME and _SERIAL.fullmatch(value):
            return value
    return None


def uuid_digits(text: str) -> str | None:
    """32 lower-case hex digits of a UUID, however it is divided; None for another text."""
    digits = re.sub(r"[-\s{}]", "", text).lower()
    return digits if _UUID_DIGITS.fullmatch(digits) else None
