"""The memory of the alert machine, and the minutes not yet evaluated; both move on together, by one writer at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from gavel.db.engine import Connection
from gavel.db.errors import StorageError
from gavel.db.schema.alerting import alert_memory, written_minute

# An older minute was written late; health does not count it.
_NEW_FOR = timedelta(minutes=15)


class OvertakenError(StorageError):
    """Another process has moved the memory on since it was read; what was found from the old one must not be written."""


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """rows, objects: as NumPy writes them. rule_revisions: by rule id, of which revision of the rule the rows are."""

    revision: int
    rows: bytes
    objects: bytes
    next_incident: int
    rule_revisions: Mapping[str, int]
    sources_minute: int | None


@dataclass(frozen=True, slots=True)
class DueMinute:
    """A minute (since 1970) that was written. is_whole: not only what could be told early. writings: ids of their notes."""

    minute: int
    is_whole: bool
    writings: tuple[int, ...]


def read_memory(connection: Connection) -> MemoryRow:
    """Revision 0 and empty before the first one."""
    names = [column for column in alert_memory.c if column.name not in ("singleton", "has_default_rules")]
    found = connection.execute(select(*names)).mappings().one_or_none()
    return MemoryRow(0, b"", b"", 1, {}, None) if found is None else MemoryRow(**found)


def write_memory(connection: Connection, before: MemoryRow, after: MemoryRow) -> None:
    """Raises OvertakenError when `before` is not what is there any more. `after.revision` is not looked at."""
    _ensure(connection)
    values = {
        "revision": before.revision + 1,
        "rows": after.rows,
        "objects": after.objects,
        "next_incident": after.next_incident,
        "rule_revisions": dict(after.rule_revisions),
        "sources_minute": after.sources_minute,
    }
    mine = alert_memory.c.revision == before.revision
    if connection.execute(update(alert_memory).where(mine).values(**values)).rowcount == 0:
        raise OvertakenError(f"The memory of alerts is no longer at revision {before.revision}; this turn is left out.")


def has_default_rules(connection: Connection) -> bool:
    return bool(connection.scalar(select(alert_memory.c.has_default_rules)))


def note_default_rules(connection: Connection) -> None:
    _ensure(connection)
    connection.execute(update(alert_memory).values(has_default_rules=True))


def _ensure(connection: Connection) -> None:
    blank = {"revision": 0, "rows": b"", "objects": b"", "next_incident": 1}
    connection.execute(upsert(alert_memory).values(**blank).on_conflict_do_nothing())


# --- minutes ----------------------------------------------------------------------------------------------------------


_WRITTEN = text("""
    INSERT INTO written_minute (minute, is_whole) SELECT m, :is_whole FROM unnest(CAST(:minutes AS bigint[])) AS m
""")


def minutes_written(connection: Connection, minutes: Sequence[int], *, is_whole: bool) -> None:
    """To be called in the transaction that writes them."""
    connection.execute(_WRITTEN, {"minutes": sorted(minutes), "is_whole": is_whole})


def due_minutes(connection: Connection, since: int, limit: int) -> tuple[DueMinute, ...]:
    """From `since` on, oldest first; once these are done, older ones, newest first."""
    one = written_minute.c
    columns = (one.minute, func.bool_or(one.is_whole), func.array_agg(one.id))
    noted = select(*columns).group_by(one.minute).limit(limit)
    fresh = connection.execute(noted.where(one.minute >= since).order_by(one.minute)).all()
    rows = fresh or connection.execute(noted.order_by(one.minute.desc())).all()
    return tuple(DueMinute(minute, is_whole, tuple(writings)) for minute, is_whole, writings in rows)


def has_due_minutes(connection: Connection) -> bool:
    return connection.execute(select(written_minute.c.minute).limit(1)).first() is not None


def remove_due_minutes(connection: Connection, due: Sequence[DueMinute]) -> None:
    """Those that were not written again meanwhile are done."""
    done = [writing for one in due for writing in one.writings]
    connection.execute(delete(written_minute).where(written_minute.c.id.in_(done)))


def forget_minutes(connection: Connection, before: int) -> int:
    """Drops minutes too old to be evaluated; returns how many writings."""
    return connection.execute(delete(written_minute).where(written_minute.c.minute < before)).rowcount


def first_due_minute(connection: Connection, now: datetime) -> int | None:
    """Return the oldest minute not yet evaluated of the last 15 minutes before `now`; None when there is none."""
    oldest = int((now - _NEW_FOR).timestamp()) // 60
    first: int | None = connection.scalar(
        select(func.min(written_minute.c.minute)).where(written_minute.c.minute > oldest)
    )
    return first
