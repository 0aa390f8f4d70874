"""The time of day: no other module of the product reads the machine's clock.

Durations are measured with `time.monotonic`, which nothing shifts.
"""

import os
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from gavel.domain.errors import SettingsError

VARIABLE = "GAVEL_TEST_CLOCK"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US_PER_S = 1_000_000
_VALUE = re.compile(r"(@|[+-])(\d{1,10}(?:\.\d{1,6})?)", re.ASCII)
# The certificates of the lab end there: a source could not be read after it.
_HELD_UNTIL_S = 4_102_444_800


@dataclass(frozen=True, slots=True)
class Setting:
    """A clock beside the machine's: shifted by `shift_us`, or held still at `held_us` since the epoch."""

    shift_us: int = 0
    held_us: int | None = None


def parse(value: str | None) -> Setting:
    """Return the setting in a value of GAVEL_TEST_CLOCK. Raises SettingsError, which names the variable."""
    if not value:
        return Setting()
    written = _VALUE.fullmatch(value)
    if written is None or (written[1] == "@" and float(written[2]) > _HELD_UNTIL_S):
        raise SettingsError(
            f"{VARIABLE}: invalid value {value!r}. Use a signed number of seconds, such as +3600 or -86400.5,"
            " or @ and the seconds since 1970 of an instant before 2100, such as @1764547200."
        )
    whole, _, fraction = written[2].partition(".")
    amount_us = int(whole) * _US_PER_S + int(fraction.ljust(6, "0"))
    if written[1] == "@":
        return Setting(held_us=amount_us)
    return Setting(shift_us=-amount_us if written[1] == "-" else amount_us)


# Read once: a process whose clock steps while it runs is another test.
_setting = parse(os.environ.get(VARIABLE))


def time_us() -> int:
    """Microseconds since 1970-01-01 UTC."""
    if _setting.held_us is not None:
        return _setting.held_us
    return time.time_ns() // 1000 + _setting.shift_us


def time_s() -> float:
    """Seconds since 1970-01-01 UTC, as `time.time` returns them."""
    return time_us() / _US_PER_S


def now() -> datetime:
    """The instant, UTC-aware."""
    return _EPOCH + timedelta(microseconds=time_us())
