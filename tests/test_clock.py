"""The time of day of the product and of the lab comes from one seam each, set by the same variable."""

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import pytest

from gavel import clock
from gavel.domain.errors import SettingsError
from gavel_lab.clocks import LabTime, MachineClock

_HELD_S = 1_764_547_199.5
_PROGRAM = """
import time
from gavel import clock
from gavel_lab.clocks import LabTime
before_s = time.time()
print(clock.time_s() - before_s, clock.now().isoformat(), LabTime().now() - before_s)
"""


def _run(value: str | None) -> subprocess.CompletedProcess[str]:
    environment = {} if value is None else {clock.VARIABLE: value}
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=False
    )


def test_the_clock_without_the_variable_is_the_machines() -> None:
    before_us = time.time_ns() // 1000
    assert before_us <= clock.time_us() <= time.time_ns() // 1000
    assert abs(clock.time_s() - time.time()) < 1
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=1)
    assert clock.now().tzinfo is UTC


@pytest.mark.parametrize("value", ["+3600", "-86400.5", "+0", "-8640000"])
def test_a_signed_number_shifts_the_clocks_of_product_and_lab_alike(value: str) -> None:
    ahead_s, _, lab_ahead_s = _run(value).stdout.split()
    assert float(ahead_s) == pytest.approx(float(value), abs=1)
    assert float(lab_ahead_s) == pytest.approx(float(value), abs=1)


def test_an_instant_holds_the_clocks_of_product_and_lab_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_setting", clock.parse(f"@{_HELD_S}"))
    monkeypatch.setattr("gavel_lab.clocks._machine_clock", MachineClock.parse(f"@{_HELD_S}"))
    lab_time = LabTime()
    assert {clock.time_s() for _ in range(3)} == {_HELD_S}
    assert clock.now() == datetime(2025, 11, 30, 23, 59, 59, 500_000, UTC)
    assert lab_time.is_held
    assert lab_time.now() == _HELD_S
    assert LabTime(at=0.0, speed=2.0).speed == 2.0


@pytest.mark.parametrize(
    "value", ["3600", "@", "@-1", "+", "tomorrow", "+1h", "@2026-01-01", "+1e3", "+\u0661", "nan", "-inf"]
)
def test_a_value_that_is_neither_names_the_variable(value: str) -> None:
    with pytest.raises(SettingsError, match="GAVEL_TEST_CLOCK"):
        clock.parse(value)
    with pytest.raises(ValueError, match="GAVEL_TEST_CLOCK"):
        MachineClock.parse(value)


def test_a_process_with_an_unusable_value_ends_with_the_name_of_the_variable() -> None:
    ended = _run("tomorrow")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].partition(": ")[2].startswith("GAVEL_TEST_CLOCK: invalid value 'tomorrow'")
