"""The instant at which tests take place. No test depends on the hour or the day on which it runs."""

from datetime import UTC, datetime

# In daylight, away from midnight, the end of a month, a leap day and a change to or from summer time.
AT = datetime(2026, 7, 15, 10, tzinfo=UTC)
