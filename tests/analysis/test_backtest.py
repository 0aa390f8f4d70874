"""Backtest: what counts as inside, as the right direction, and as the same workload."""

import pytest

from gavel.analysis.backtest import ChangeOutcome, score
from gavel.analysis.whatif import PredictedRange


def outcome(after_us: float, after_iops: float, *, low: float = 500, high: float | None = 950) -> ChangeOutcome:
    return ChangeOutcome(
        before_us=1000,
        before_iops=10_000,
        predicted_us=PredictedRange(low, high),
        predicted_iops=PredictedRange(10_000, 20_000),
        after_us=after_us,
        after_iops=after_iops,
    )


@pytest.mark.parametrize(
    ("after_us", "after_iops", "is_inside"),
    [(700, 14_000, True), (480, 20_500, True), (440, 20_000, False), (700, 22_000, True), (1_010, 10_000, False)],
)
def test_backtest_holds_when_the_latency_does_within_the_scatter_of_minutes(
    after_us: float, after_iops: float, is_inside: bool
) -> None:
    assert outcome(after_us, after_iops).is_inside is is_inside


@pytest.mark.parametrize(
    ("low", "high", "after_us", "is_right"),
    [
        (500, 950, 700, True),
        (500, 950, 1_080, True),
        (500, 950, 1_200, False),
        (1_500, None, 900, True),
        (1_500, None, 700, False),
        (500, 2_000, 3_000, None),
    ],
)
def test_backtest_direction_is_wrong_only_for_a_clear_move_against_it(
    low: float, high: float | None, after_us: float, is_right: bool | None
) -> None:
    assert outcome(after_us, 10_000, low=low, high=high).is_direction_right is is_right


@pytest.mark.parametrize(
    ("after_us", "after_iops", "is_other"),
    [(700, 14_000, False), (1_000, 20_000, True), (1_000, 5_000, True), (2_000, 5_000, False), (1_000, 12_000, False)],
)
def test_backtest_of_iops_and_outstanding_that_move_together_is_of_another_workload(
    after_us: float, after_iops: float, is_other: bool
) -> None:
    assert outcome(after_us, after_iops).is_other_workload is is_other


def test_backtest_score_leaves_out_what_says_nothing() -> None:
    found = score(
        [
            outcome(700, 14_000),
            outcome(300, 20_000, low=500, high=1_000),
            outcome(1_000, 20_000),
            outcome(3_000, 10_000, low=500, high=None),
        ]
    )
    assert (found.changes, found.inside) == (3, 2)
    assert found.median_width == pytest.approx((1.9 + 2.0) / 2)
    assert (found.bounded, found.directed, found.right) == (2, 2, 2)
    assert score([]).median_width is None
