"""Every run of tests begins at one instant (`tests.instants.AT`), and so does every process that it starts.

`GAVEL_TEST_CLOCK=+36000 .venv/bin/pytest FILE` begins ten hours ahead of the machine's clock instead.
"""

import os
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from tests.instants import AT

from gavel import clock
from gavel_lab import clocks as lab_clocks

_ahead_us = 0


def ahead_s() -> float:
    """Return how far `time.time()` of this process is ahead of the machine's clock."""
    return _ahead_us / 1e6


def shift_this_process() -> None:
    """Shift `time` and `datetime` as GAVEL_TEST_CLOCK shifts the product, which then reads them without a shift of its own."""
    global _ahead_us  # noqa: PLW0603  # one clock a process
    # One shift for all: a process that starts later is as much later.
    written = os.environ.setdefault(clock.VARIABLE, f"{(AT - datetime.now(UTC)).total_seconds():+.6f}")
    setting = clock.parse(written)
    if setting.held_us is not None:
        raise pytest.UsageError(f"{clock.VARIABLE}: a run of tests needs a clock that moves. Use a number of seconds.")
    if setting.shift_us and not _ahead_us:
        clock._setting = clock.Setting()
        lab_clocks._machine_clock = lab_clocks.MachineClock()
        time_machine.travel(datetime.now(UTC) + timedelta(microseconds=setting.shift_us), tick=True).start()
        _ahead_us = setting.shift_us
