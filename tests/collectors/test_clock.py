"""How a source's clock is told."""

from datetime import UTC, datetime

import pytest

from gavel.collectors.clock import age_words, offset_words
from gavel.domain.source import ClockReading


@pytest.mark.parametrize(
    ("offset_s", "error_s", "words"),
    [(1.236, 0.031, "+1.24 s ± 0.04 s"), (-1.44, 0.0004, "-1.44 s ± 0.01 s"), (0.0, 0.25, "+0.00 s ± 0.25 s")],
)
def test_an_error_is_never_told_smaller_than_it_is(offset_s: float, error_s: float, words: str) -> None:
    assert offset_words(ClockReading(None, offset_s, error_s, datetime(2026, 11, 22, tzinfo=UTC))) == words


@pytest.mark.parametrize(
    ("age_s", "words"),
    [
        (0.2, "0 s old"), (119, "119 s old"), (600, "10 min old"), (7300, "2 h old"), (5 * 86_400, "5 days old"),
        (4.4 * 31_557_600, "4.4 years old"), (-40, "40 s ahead"),
    ],
)  # fmt: skip
def test_ages_are_worded_in_their_own_unit(age_s: float, words: str) -> None:
    assert age_words(age_s) == words
