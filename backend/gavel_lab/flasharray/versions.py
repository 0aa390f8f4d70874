"""REST versions as integer pairs: which were published, and which an array of a given newest version offers."""

from __future__ import annotations

import re

Version = tuple[int, int]

# 2.12 and 2.18 were never published.
PUBLISHED: tuple[Version, ...] = tuple((1, minor) for minor in range(20)) + tuple(
    (2, minor) for minor in range(57) if minor not in (12, 18)
)
_TEXT = re.compile(r"(\d{1,3})\.(\d{1,3})")


def parse(text: str) -> Version | None:
    """'2.9' as (2, 9), so that it is older than 2.10; None when the text is not a version."""
    match = _TEXT.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else None


def show(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


def offered(newest: Version) -> tuple[Version, ...]:
    """All versions up to the newest, in the order the version list names them (numerically ascending)."""
    if newest not in PUBLISHED or newest < (2, 0):
        raise ValueError(f"REST {show(newest)} is not a published 2.x version")
    return tuple(version for version in PUBLISHED if version <= newest)
