"""Edges of the calendar, and a way to hold the clocks of the product and the lab there."""

from datetime import UTC, datetime

import pytest

from gavel import clock
from gavel_lab.clocks import MachineClock

# A day, a month, a year begins; a leap day begins and ends; the clocks of Berlin go forward and back; the last minute of an hour.
EDGES = {
    "midnight": datetime(2026, 7, 2, tzinfo=UTC),
    "month-end": datetime(2026, 5, 1, tzinfo=UTC),
    "year-end": datetime(2027, 1, 1, tzinfo=UTC),
    "leap-day": datetime(2028, 2, 29, tzinfo=UTC),
    "end-of-leap-day": datetime(2028, 3, 1, tzinfo=UTC),
    "summer-time-begins": datetime(2026, 3, 29, 1, tzinfo=UTC),
    "summer-time-ends": datetime(2026, 10, 25, 1, tzinfo=UTC),
    "minute-ends": datetime(2026, 7, 1, 10, 1, tzinfo=UTC),
}
AT_EDGES = pytest.mark.parametrize("edge", EDGES.values(), ids=EDGES)


def hold_clock(monkeypatch: pytest.MonkeyPatch, at: datetime) -> None:
    """Hold the clocks still at `at`, as GAVEL_TEST_CLOCK does at the start of a process."""
    value = f"@{at.timestamp():.6f}"
    monkeypatch.setattr(clock, "_setting", clock.parse(value))
    monkeypatch.setattr("gavel_lab.clocks._machine_clock", MachineClock.parse(value))
