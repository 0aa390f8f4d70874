"""How long rows of each grain stay: the operator's settings, their names and what they may be."""

import re
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

_LENGTH = re.compile(r"(\d{1,6})\s*([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_DAY = timedelta(days=1)


class Grain(StrEnum):
    """`samples`: with minutes of virtual disks and host devices; `minutes`: of all that they add up to."""

    SAMPLES = "samples"
    MINUTES = "minutes"
    FIVE_MINUTES = "five_minutes"
    HOURS = "hours"


VARIABLES: Mapping[Grain, str] = {
    Grain.SAMPLES: "GAVEL_KEEP_SAMPLES",
    Grain.MINUTES: "GAVEL_KEEP_MINUTES",
    Grain.FIVE_MINUTES: "GAVEL_KEEP_5_MINUTES",
    Grain.HOURS: "GAVEL_KEEP_HOURS",
}
# At least and at most. Minutes are caught up with, and past changes of settings tested, over 48 hours of samples; TimescaleDB makes sums
# again up to a day before their rows go, and has to have a day left for it. Baselines are of the last 7 days of 5-minute sums, array
# findings compare with 30 days of hourly ones, and alerts, events and the longest range of an answer are of 400 days.
LIMITS: Mapping[Grain, tuple[timedelta, timedelta]] = {
    Grain.SAMPLES: (2 * _DAY, 31 * _DAY),
    Grain.MINUTES: (2 * _DAY, 31 * _DAY),
    Grain.FIVE_MINUTES: (8 * _DAY, 90 * _DAY),
    Grain.HOURS: (30 * _DAY, 400 * _DAY),
}
# A sum is made from rows that have to be there as long as it may change.
SOURCES: Mapping[Grain, tuple[Grain, ...]] = {
    Grain.FIVE_MINUTES: (Grain.SAMPLES, Grain.MINUTES),
    Grain.HOURS: (Grain.FIVE_MINUTES,),
}


def parse_length(text: str) -> timedelta:
    """`48h`, `14d` or `2w`. Raises ValueError with what it should look like."""
    match = _LENGTH.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError("use hours, days or weeks, as 48h, 14d or 2w")
    return int(match[1]) * _UNITS[match[2]]


def format_length(length: timedelta) -> str:
    """Whole days from two on, else hours, as `parse_length` reads it."""
    if length % _DAY or length < 2 * _DAY:
        return f"{length // _UNITS['h']}h"
    return f"{length // _DAY}d"


def refuse_beyond(length: timedelta, least: timedelta, most: timedelta) -> None:
    """Raises ValueError unless the length is within [least, most]."""
    if not least <= length <= most:
        limits = f"{format_length(least)} to {format_length(most)}"
        raise ValueError(f"{format_length(length)} is outside the limits, {limits}")
