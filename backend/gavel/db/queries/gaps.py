"""Gaps: every missing interval with its reason."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Select, select, update
from sqlalchemy.dialects.postgresql import insert

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.tables.bookkeeping import gap
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
    key = {"source_id": source_id, "stream": stream, "entity_key": entity_key, "from_at": from_at, "to_at": to_at}
    resolved_at = None if state is GapState.PENDING_BACKFILL else now
    row = insert(gap).values(**key, reason=reason, state=state, noticed_at=now, resolved_at=resolved_at)
    noted: int | None = connection.scalar(row.on_conflict_do_nothing().returning(gap.c.id))
    if noted is not None:
        return noted
    same = [gap.c[name].is_not_distinct_from(value) for name, value in key.items()]
    known: int = connection.execute(select(gap.c.id).where(*same)).scalar_one()
    return known


def settle_gap(
    connection: Connection, gap_id: int, state: GapState, now: datetime, *, reason: str | None = None
) -> None:
    """Recovered or explained, with the final reason when it differs. Raises NotFoundError."""
    changes = {"state": state, "resolved_at": now} | ({} if reason is None else {"reason": reason})
    _change(connection, gap_id, changes)


def narrow_gap(connection: Connection, gap_id: int, from_at: datetime, to_at: datetime) -> None:
    """A part was filled: what is left of the gap. Raises NotFoundError."""
    _change(connection, gap_id, {"from_at": from_at, "to_at": to_at})


def pending_gaps(connection: Connection, source_id: int, stream: Stream | None = None) -> tuple[Gap, ...]:
    """Newest first: the order of backfill."""
    pending = select(gap).where(gap.c.source_id == source_id, gap.c.state == GapState.PENDING_BACKFILL)
    if stream is not None:
        pending = pending.where(gap.c.stream == stream)
    return _gaps(connection, pending.order_by(gap.c.to_at.desc(), gap.c.id))


def gaps(connection: Connection, source_ids: tuple[int, ...], from_at: datetime, to_at: datetime) -> tuple[Gap, ...]:
    """All that overlap the range and are not recovered, oldest first."""
    overlap = gap.c.from_at < to_at, gap.c.to_at > from_at
    open_ones = select(gap).where(gap.c.source_id.in_(source_ids), *overlap, gap.c.state != GapState.RECOVERED)
    return _gaps(connection, open_ones.order_by(gap.c.from_at, gap.c.id))


def _change(connection: Connection, gap_id: int, changes: dict[str, object]) -> None:
    if connection.execute(update(gap).where(gap.c.id == gap_id).values(changes)).rowcount == 0:
        raise NotFoundError(f"There is no gap {gap_id}.")


def _gaps(connection: Connection, query: Select[tuple[object, ...]]) -> tuple[Gap, ...]:
    rows = (dict(row) for row in connection.execute(query).mappings())
    return tuple(Gap(**row | {"stream": Stream(row["stream"]), "state": GapState(row["state"])}) for row in rows)
