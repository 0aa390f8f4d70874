"""How a source's clock is told."""

from datetime import UTC, datetime

import pytest

from gavel.collectors.clock import offset_words
from gavel.domain.source import ClockReading


@pytest.mark.parametrize(
    ("offset_s", "error_s", "words"),
    [(1.236, 0.031, "+1.24 s ± 0.04 s"), (-1.44, 0.0004, "-1.44 s ± 0.01 s"), (0.0, 0.25, "+0.00 s ± 0.25 s")],
)
def test_an_error_is_never_told_smaller_than_it_is(offset_s: float, error_s: float, words: str) -> None:
    assert offset_words(ClockReading(None, offset_s, error_s, datetime(2026, 11, 22, tzinfo=UTC))) == words
