"""Clocks: the measured offsets of sources and hosts."""

from collections.abc import Iterable
from datetime import datetime

from gavel.db.engine import Connection
from gavel.domain.source import ClockReading


def record_clocks(connection: Connection, source_id: int, readings: Iterable[ClockReading]) -> None:
    raise NotImplementedError


def newest_clocks(connection: Connection, source_id: int) -> tuple[ClockReading, ...]:
    """The newest reading of each subject, the source itself first."""
    raise NotImplementedError


def clock_at(connection: Connection, source_id: int, at: datetime, subject: str | None = None) -> ClockReading | None:
    """The newest reading not after `at`, else the first one after it; None when the clock was never read."""
    raise NotImplementedError
