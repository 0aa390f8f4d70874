"""What has to be done to the store every minute or so. Everything is idempotent and safe under two callers: the second does nothing.

On TimescaleDB, policies of the database do the work of all but `prune`, which then return at once.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine


@dataclass(frozen=True, slots=True)
class Maintained:
    partitions_made: int
    windows_rolled: int
    partitions_ordered: int
    partitions_dropped: int
    rows_pruned: int


def maintain(engine: Engine, now: datetime) -> Maintained:
    """All of the below, in order; what a job calls once a minute. `now` is Gavel's own clock."""
    raise NotImplementedError


def ensure_partitions(engine: Engine, now: datetime) -> int:
    """Make the partitions of the coming hours; returns how many were missing."""
    raise NotImplementedError


def roll_dirty(engine: Engine, now: datetime) -> int:
    """Bring the roll-ups up to date for every closed bucket that was written to; returns how many windows were rolled."""
    raise NotImplementedError


def reorder_closed(engine: Engine, now: datetime) -> int:
    """Rewrite partitions that have been closed for 15 minutes in key order; returns how many."""
    raise NotImplementedError


def drop_expired(engine: Engine, now: datetime) -> int:
    """Drop the partitions that hold nothing younger than their table's retention; returns how many."""
    raise NotImplementedError


def prune(engine: Engine, now: datetime) -> int:
    """Delete runs, clock readings, resolved gaps and events past their retention; returns how many rows."""
    raise NotImplementedError
