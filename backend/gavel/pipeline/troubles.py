"""Trouble that everybody meets at once, told once: a database that is away or full, whatever number of runs and ticks find out."""

import time

import structlog

from gavel.db.errors import UnavailableError

# Callers in gavel.jobs name this type from here.
__all__ = ["UnavailableError", "tell"]

log = structlog.get_logger(__name__)

# A process tells of a cause so often at most.
_AGAIN_S = 60.0
_told: dict[type[UnavailableError], float] = {}


def tell(error: UnavailableError) -> None:
    """One line in the log, unless this process told of the same cause within the last minute."""
    now, before = time.monotonic(), _told.get(type(error))
    if before is None or now - before >= _AGAIN_S:
        _told[type(error)] = now
        log.error("database unavailable", error=str(error))
