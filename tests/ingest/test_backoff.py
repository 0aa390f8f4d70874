"""Pauses after failures: short for a source that is away, long for one that refused our credentials."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.errors import ErrorKind
from gavel.ingest.schedule import Attempt, ready_at

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
INTERVAL = timedelta(seconds=20)


def _attempts(*errors: ErrorKind | None) -> list[Attempt]:
    return [Attempt(NOW - INTERVAL * index, error) for index, error in enumerate(errors)]


def test_after_success_there_is_no_pause() -> None:
    assert ready_at(_attempts(None, ErrorKind.TIMEOUT), INTERVAL) is None
    assert ready_at([], INTERVAL) is None


# A proxy in front of a source that restarts shows its own page, or its own certificate, for as long: no password was sent there.
AWAY = (
    ErrorKind.TIMEOUT,
    ErrorKind.UNREACHABLE,
    ErrorKind.OVERLOADED,
    ErrorKind.NAME,
    ErrorKind.PROTOCOL,
    ErrorKind.WRONG_KIND,
    ErrorKind.CERTIFICATE,
)


@given(st.lists(st.sampled_from(AWAY), min_size=1, max_size=500))
def test_a_source_that_is_away_is_looked_for_at_least_every_two_cycles(errors: list[ErrorKind]) -> None:
    ready = ready_at(_attempts(*errors), INTERVAL)
    assert ready is not None
    assert INTERVAL <= ready - NOW <= timedelta(seconds=40)


def test_refused_credentials_are_tried_twice_and_then_only_every_quarter_of_an_hour() -> None:
    first = ready_at(_attempts(ErrorKind.AUTHENTICATION, None), INTERVAL)
    second = ready_at(_attempts(ErrorKind.AUTHENTICATION, ErrorKind.AUTHENTICATION, None), INTERVAL)
    assert first == NOW + INTERVAL
    assert second == NOW + timedelta(minutes=15)


def test_a_refusal_after_an_outage_is_the_first_refusal() -> None:
    """A source that is just coming back may refuse a session it has forgotten."""
    ready = ready_at(_attempts(ErrorKind.AUTHENTICATION, ErrorKind.UNREACHABLE, ErrorKind.UNREACHABLE, None), INTERVAL)
    assert ready == NOW + INTERVAL
