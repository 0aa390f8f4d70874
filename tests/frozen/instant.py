"""When the held hour ends: in daylight in Europe and America, away from midnight, the end of a month and clock changes.

At that minute stories of the kernel, the SAN and the array play at once (`gavel_lab.stories`), each for some minutes already.
"""

import time
from datetime import UTC, datetime

from tests.shifted import ahead_s

from gavel import clock

AT = datetime(2026, 7, 15, 14, 29, 30, tzinfo=UTC)


def shifted_environment() -> dict[str, str]:
    """For a product or a lab that starts now: its clock shows the held instant, and runs."""
    return {"GAVEL_TEST_CLOCK": f"{AT.timestamp() - time.time() + ahead_s():+.6f}"}


def hold(at: datetime) -> None:
    """The product's clock stands still in this process, until it is held at another instant: what takes long takes no time."""
    clock._setting = clock.Setting(held_us=round(at.timestamp() * 1e6))
