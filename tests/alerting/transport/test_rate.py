"""No channel is written to more often than its vendor allows, and none waits longer than it must."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.alerting.registry import CHANNELS
from gavel.alerting.transport.outcome import LONGEST_WISH_S
from gavel.alerting.transport.rate import Limit, Pace, held, pace_of, plain_pace, taken

AT = datetime(2026, 11, 21, tzinfo=UTC)
LIMITS = st.lists(st.builds(Limit, st.integers(1, 20), st.sampled_from([0.1, 1.0, 2.4, 45.0])), min_size=1, max_size=3)
STEPS = st.lists(st.sampled_from([0.0, 0.01, 0.1, 0.5, 1.0, 7.0, 60.0, 900.0]), min_size=1, max_size=60)
# What the vendors say, or their servers' defaults: at most so many messages in less than so many seconds.
VENDORS = {
    "slack_webhook": [(1, 1)],
    "slack_bot": [(1, 1), (50, 60)],  # chat.update: 50 a minute
    "teams": [(4, 1), (60, 30), (100, 3600)],
    "discord": [(5, 2), (30, 60)],
    "mattermost": [(110, 1)],
    "pagerduty": [(120, 60)],
    "email": [(30, 60)],
}


def sent_at(limits: list[Limit], steps: list[float]) -> list[datetime]:
    """When messages go out of somebody who tries after each step and waits as told."""
    pace, now, sent = Pace(), AT, []
    for step in steps:
        now += timedelta(seconds=step)
        wait_s, pace = taken(limits, pace, now)
        if wait_s:
            now += timedelta(seconds=wait_s)
            wait_s, pace = taken(limits, pace, now)
        assert wait_s == 0, "who waits as told is let through"
        sent.append(now)
    return sent


def most_within(sent: list[datetime], seconds: float) -> int:
    return max(sum(1 for one in sent if first <= one < first + timedelta(seconds=seconds)) for first in sent)


@given(LIMITS, STEPS)
def test_no_stretch_of_time_has_more_than_the_limit(limits: list[Limit], steps: list[float]) -> None:
    sent = sent_at(limits, steps)
    for limit in limits:
        for seconds in (limit.every_s, 10 * limit.every_s):
            assert most_within(sent, seconds) <= limit.burst + seconds / limit.every_s


@given(LIMITS, STEPS)
def test_nobody_waits_longer_than_for_one_message(limits: list[Limit], steps: list[float]) -> None:
    pace, now = Pace(), AT
    for step in steps:
        now += timedelta(seconds=step)
        wait_s, after = taken(limits, pace, now)
        assert 0 <= wait_s <= max(limit.every_s for limit in limits)
        if wait_s:
            assert after == pace, "who was not let through has taken nothing"
            sooner = now + timedelta(seconds=wait_s) - timedelta(microseconds=1)
            assert taken(limits, pace, sooner)[0] > 0 or sooner < now
        pace = after


@given(LIMITS, STEPS, st.floats(-1e6, 1e6))
def test_a_clock_that_jumps_costs_no_more_than_an_empty_bucket(
    limits: list[Limit], steps: list[float], jump_s: float
) -> None:
    pace, now = Pace(), AT
    for step in steps:
        now += timedelta(seconds=step)
        pace = taken(limits, pace, now)[1]
    pace = held(pace, now, 5)
    assert taken(limits, pace, now + timedelta(seconds=jump_s))[0] <= max(
        LONGEST_WISH_S, *(limit.every_s * limit.burst for limit in limits)
    )


@given(LIMITS, STEPS)
def test_a_restart_changes_nothing(limits: list[Limit], steps: list[float]) -> None:
    pace, now = Pace(), AT
    for step in steps:
        now += timedelta(seconds=step)
        pace = taken(limits, pace, now)[1]
        assert pace_of(json.loads(json.dumps(plain_pace(pace)))) == pace
    assert pace_of({}) == Pace()


def test_a_whole_burst_goes_at_once_and_comes_back() -> None:
    limits = [Limit(3, 10)]
    pace = Pace()
    for _ in range(3):
        wait_s, pace = taken(limits, pace, AT)
        assert wait_s == 0
    assert taken(limits, pace, AT)[0] == 10
    later = AT + timedelta(seconds=30)
    for _ in range(3):
        wait_s, pace = taken(limits, pace, later)
        assert wait_s == 0


def test_a_wish_for_patience_holds_the_whole_channel() -> None:
    pace = held(Pace(), AT, 90)
    assert taken([Limit(5, 1)], pace, AT + timedelta(seconds=30))[0] == 60
    assert held(pace, AT, 10) == pace
    wait_s, after = taken([Limit(5, 1)], pace, AT + timedelta(seconds=90))
    assert (wait_s, after.not_before) == (0, None)


def test_a_limit_lets_something_through() -> None:
    for burst, every_s in ((0, 1.0), (1, 0.0), (1, -1.0), (1, float("nan"))):
        with pytest.raises(ValueError, match="at least one"):
            Limit(burst, every_s)


@pytest.mark.parametrize("kind", sorted(CHANNELS))
def test_every_channel_stays_within_what_its_vendor_says(kind: str) -> None:
    limits = list(CHANNELS[kind].limits)
    assert limits
    sent = sent_at(limits, [0.0] * 150)
    for most, seconds in VENDORS.get(kind, []):
        assert most_within(sent, seconds) <= most
