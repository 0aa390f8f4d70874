"""Moments of tests that write hours of samples."""

from datetime import UTC, datetime, timedelta


def last_afternoon() -> datetime:
    """The newest 14:07 UTC that is over: the six hours before it are of one day, whenever tests run."""
    now = datetime.now(UTC)
    afternoon = now.replace(hour=14, minute=7, second=0, microsecond=0)
    return afternoon if afternoon <= now else afternoon - timedelta(days=1)
