"""Gaps: every missing interval with its reason."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gavel.db.engine import Connection
from gavel.domain.source import Stream


class GapState(StrEnum):
    PENDING_BACKFILL = "pending_backfill"  # the source may still have it
    EXPLAINED = "explained"  # final: nobody has it, and `reason` says why
    RECOVERED = "recovered"  # filled since; kept as history


@dataclass(frozen=True, slots=True)
class Gap:
    """(from_at, to_at] by the source's clock. `entity_key` None: the whole stream."""

    id: int
    source_id: int
    stream: Stream
    entity_key: str | None
    from_at: datetime
    to_at: datetime
    reason: str
    state: GapState
    noticed_at: datetime
    resolved_at: datetime | None


def note_gap(
    connection: Connection,
    source_id: int,
    stream: Stream,
    from_at: datetime,
    to_at: datetime,
    *,
    reason: str,
    now: datetime,
    state: GapState = GapState.PENDING_BACKFILL,
    entity_key: str | None = None,
) -> int:
    """Its id; noting the same interval again changes nothing."""
    raise NotImplementedError


def settle_gap(
    connection: Connection, gap_id: int, state: GapState, now: datetime, *, reason: str | None = None
) -> None:
    """Recovered or explained, with the final reason when it differs."""
    raise NotImplementedError


def narrow_gap(connection: Connection, gap_id: int, from_at: datetime, to_at: datetime) -> None:
    """A part was filled: what is left of the gap."""
    raise NotImplementedError


def pending_gaps(connection: Connection, source_id: int, stream: Stream | None = None) -> tuple[Gap, ...]:
    """Newest first: the order of backfill."""
    raise NotImplementedError


def gaps(connection: Connection, source_ids: tuple[int, ...], from_at: datetime, to_at: datetime) -> tuple[Gap, ...]:
    """All that overlap the range and are not recovered, oldest first."""
    raise NotImplementedError
