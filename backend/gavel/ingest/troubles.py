"""Failures that hit every run at once, logged once: a database that is unreachable or full."""

import time

import structlog

from gavel.db.errors import NotFoundError, UnavailableError

# Callers in gavel.jobs name these types from here.
__all__ = ["NotFoundError", "UnavailableError", "log_once_per_minute"]

log = structlog.get_logger(__name__)

# A process tells of a cause so often at most.
_AGAIN_S = 60.0
_logged_at: dict[type[UnavailableError], float] = {}


def log_once_per_minute(error: UnavailableError) -> None:
    """One line in the log, unless this process logged the same cause within the last minute."""
    now, before = time.monotonic(), _logged_at.get(type(error))
    if before is None or now - before >= _AGAIN_S:
        _logged_at[type(error)] = now
        log.error("database unavailable", error=str(error))
