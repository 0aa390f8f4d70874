"""What a run asks for: nothing between the watermark and now may fall between live and backfill."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.collectors.contract import StreamPlan
from gavel.domain.source import Watermark
from gavel.ingest.windows import is_due, live_window, newest_slice

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PLAN = StreamPlan(
    interval=timedelta(seconds=20),
    live_window=timedelta(minutes=5),
    retention=timedelta(hours=1),
    slice=timedelta(minutes=10),
)
ages = st.integers(0, 7 * 24 * 3600).map(lambda seconds: timedelta(seconds=seconds))


@given(ages)
def test_live_and_backfill_together_cover_everything_since_the_watermark(age: timedelta) -> None:
    stands = NOW - age
    window = live_window(Watermark(stands), NOW, PLAN)
    covered_from = window.skipped[0] if window.skipped else window.since
    assert covered_from <= stands
    assert window.until > NOW
    if window.skipped:
        assert window.skipped[1] == window.since


@given(ages)
def test_one_live_run_never_reaches_further_back_than_its_window_and_look_back(age: timedelta) -> None:
    window = live_window(Watermark(NOW - age), NOW, PLAN)
    assert NOW - window.since <= PLAN.live_window + PLAN.interval * 3


def test_a_new_source_owes_all_that_it_keeps() -> None:
    window = live_window(None, NOW, PLAN)
    assert window.skipped == (NOW - PLAN.retention, NOW - PLAN.live_window)


def test_a_source_is_asked_when_a_sample_can_be_there_and_not_before() -> None:
    assert is_due(None, NOW, PLAN)
    assert is_due(Watermark(NOW - timedelta(seconds=20)), NOW, PLAN)
    assert not is_due(Watermark(NOW - timedelta(seconds=19)), NOW, PLAN)


def looked_back(watermark: Watermark, plan: StreamPlan = PLAN) -> float:
    """In samples."""
    return (watermark.until - live_window(watermark, NOW, plan).since) / plan.interval


STANDS = NOW - timedelta(seconds=20)


def test_a_stream_that_came_as_a_whole_is_asked_for_what_is_new_only() -> None:
    assert looked_back(Watermark(STANDS, complete_until=STANDS, looked_back_at=STANDS)) == 0


def test_what_the_source_may_revise_is_asked_for_again() -> None:
    plan = replace(PLAN, revised=1)
    assert looked_back(Watermark(STANDS, complete_until=STANDS, looked_back_at=STANDS), plan) == 1


@given(st.integers(0, 600))
def test_what_had_not_come_as_a_whole_is_asked_for_again_three_samples_back_at_most(seconds: int) -> None:
    missing_from = STANDS - timedelta(seconds=seconds)
    assert looked_back(Watermark(STANDS, missing_from, looked_back_at=STANDS)) == min(seconds / 20, 3)


@pytest.mark.parametrize(("samples_ago", "expected"), [(14, 0), (15, 3)])
def test_every_15_samples_all_that_may_still_change_is_asked_for(samples_ago: int, expected: int) -> None:
    before = STANDS - samples_ago * PLAN.interval
    known = Watermark(STANDS, complete_until=STANDS, looked_back_at=before)
    assert looked_back(known) == expected
    assert live_window(known, NOW, PLAN).is_whole_look == (expected == 3)


def test_a_stream_of_which_nothing_is_remembered_is_looked_back_at_as_a_whole() -> None:
    assert looked_back(Watermark(STANDS)) == looked_back(Watermark(STANDS, looked_back_at=STANDS)) == 3


@given(ages, st.integers(1, 7 * 24 * 3600))
def test_a_gap_is_read_newest_first_in_bounded_slices_and_the_rest_is_named_expired(
    age: timedelta, length_s: int
) -> None:
    to_at = NOW - age
    from_at = to_at - timedelta(seconds=length_s)
    part = newest_slice(from_at, to_at, NOW, PLAN)
    if part is None:
        assert to_at <= NOW - PLAN.retention
        return
    assert part.to_at == to_at
    assert timedelta(0) < part.to_at - part.from_at <= PLAN.slice
    assert part.from_at >= max(from_at, NOW - PLAN.retention)
    if part.expired:  # only said once nothing readable lies between
        assert part.expired == (from_at, NOW - PLAN.retention) == (from_at, part.from_at)
