"""The time of day of the product and of the lab comes from one seam each, set by the same variable."""

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from tests.edges import AT_EDGES, EDGES, hold_clock

from gavel import clock
from gavel.alerting.render.message import window
from gavel.api.ranges import time_range
from gavel.diagnosis.baselines import hours_of
from gavel.domain.errors import SettingsError
from gavel.log import add_timestamp
from gavel_lab.clocks import LabTime, MachineClock, SourceClock

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


_SECOND = timedelta(seconds=1)


@AT_EDGES
def test_a_clock_held_at_an_edge_of_the_calendar_shows_it_everywhere(
    edge: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in (edge - timedelta(microseconds=1), edge, edge + timedelta(microseconds=1)):
        hold_clock(monkeypatch, at)
        assert clock.now() == at
        assert clock.time_us() == round(at.timestamp() * 1e6)
        assert LabTime().now() == pytest.approx(at.timestamp(), abs=1e-6)
        line = add_timestamp(None, "info", {})
        assert datetime.fromisoformat(str(line["timestamp"])) == at


@AT_EDGES
def test_a_shifted_clock_passes_an_edge_while_a_test_runs(edge: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    lead_us = 50_000
    shift_us = round(edge.timestamp() * 1e6) - lead_us - time.time_ns() // 1000
    monkeypatch.setattr(clock, "_setting", clock.parse(f"{shift_us / 1e6:+.6f}"))
    began = time.monotonic()
    before = clock.now()
    time.sleep(lead_us / 1e6)
    after = clock.now()
    passed = timedelta(seconds=time.monotonic() - began)
    assert edge - timedelta(microseconds=lead_us + 1) <= before
    assert edge <= after <= before + passed + timedelta(milliseconds=1)


@AT_EDGES
def test_a_range_back_from_an_edge_has_the_length_that_was_asked_for(edge: datetime) -> None:
    for at in (edge - _SECOND, edge, edge + _SECOND):
        for text, length in (("-1h", timedelta(hours=1)), ("-1d", timedelta(days=1)), ("-1w", timedelta(weeks=1))):
            found = time_range(at, text, "now")
            assert (found.to_at - found.from_at, found.to_at) == (length, at)


@AT_EDGES
def test_the_hours_of_a_window_over_an_edge_are_those_of_utc(edge: datetime) -> None:
    half = timedelta(minutes=30)
    seconds = hours_of(edge - half, edge + half)
    assert seconds.sum() == 3600
    if edge.minute == 0:
        assert (seconds[(edge.hour - 1) % 24], seconds[edge.hour]) == (1800, 1800)
    whole_day = hours_of(edge - timedelta(hours=12), edge + timedelta(hours=12))
    assert np.array_equal(whole_day, np.full(24, 3600.0))


@AT_EDGES
def test_a_message_names_both_days_of_a_window_over_midnight(edge: datetime) -> None:
    before, after = edge - timedelta(minutes=5), edge + timedelta(minutes=5)
    text = window(before, after)
    assert text.startswith(f"{before:%Y-%m-%d %H:%M} – ")
    assert (f"{after:%Y-%m-%d}" in text.partition("–")[2]) is (before.date() != after.date())


@AT_EDGES
def test_samples_of_the_lab_go_on_over_an_edge(edge: datetime) -> None:
    at = edge.timestamp()
    source = SourceClock(LabTime(at, 0.0), 0.0)
    stamps = source.stamps(at - 120, at + 120, 20)
    assert (len(stamps), set(np.diff(stamps))) == (12, {20})
    windows = source.windows(stamps, 20)
    assert np.array_equal(windows[1:, 0], windows[:-1, 1])


def test_the_edges_of_the_calendar_are_what_their_names_say() -> None:
    days = {name: (edge - _SECOND).date() for name, edge in EDGES.items()}
    assert all(days[name] != EDGES[name].date() for name in EDGES if EDGES[name].hour == 0)
    assert (EDGES["leap-day"].day, days["end-of-leap-day"].day) == (29, 29)
    assert len(EDGES) == 8
