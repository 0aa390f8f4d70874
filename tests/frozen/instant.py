"""When the held hour ends: in daylight in Europe and America, away from midnight, the end of a month and clock changes.

At that minute stories of the kernel, the SAN and the array play at once (`gavel_lab.stories`), each for some minutes already.
"""

import os
import random
import time
from datetime import UTC, datetime, timedelta

from tests.shifted import ahead_s

from gavel import clock

# A seed: `make explore hours` holds another hour, at any minute of some years.
SEED_VARIABLE = "GAVEL_TEST_HOUR"
_FIXED, _FIRST, _DRAWN_DAYS = datetime(2026, 7, 15, 14, 29, 30, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC), 3 * 365


def held_instant(seed: str | None) -> datetime:
    """The fixed instant, or with a seed one that it draws."""
    if not seed:
        return _FIXED
    drawn_s = random.Random(seed).randrange(_DRAWN_DAYS * 24 * 3600)
    return _FIRST + timedelta(seconds=drawn_s)


AT = held_instant(os.environ.get(SEED_VARIABLE))


def shifted_environment() -> dict[str, str]:
    """For a product or a lab that starts now: its clock shows the held instant, and runs."""
    return {"GAVEL_TEST_CLOCK": f"{AT.timestamp() - time.time() + ahead_s():+.6f}"}


def hold(at: datetime) -> None:
    """The product's clock stands still in this process, until it is held at another instant: what takes long takes no time."""
    clock._setting = clock.Setting(held_us=round(at.timestamp() * 1e6))
