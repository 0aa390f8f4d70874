"""What the machine of alerts remembers, and which minutes it has yet to judge; moved on together, by one writer at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from gavel.db.engine import Connection
from gavel.db.errors import StorageError
from gavel.db.tables.alerting import alert_memory, alert_minute


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
    """A minute (since 1970) that was written. is_whole: not only what could be told early."""

    minute: int
    is_whole: bool
    written_at: datetime


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

# Read after the lock on the row: a minute that is judged just now keeps its new writing.
_WRITTEN = text("""
    INSERT INTO alert_minute (minute, is_whole, written_at)
    SELECT m, :is_whole, clock_timestamp() FROM unnest(CAST(:minutes AS bigint[])) AS m
    ON CONFLICT (minute) DO UPDATE SET is_whole = alert_minute.is_whole OR excluded.is_whole, written_at = clock_timestamp()
""")


def minutes_written(connection: Connection, minutes: Sequence[int], *, is_whole: bool) -> None:
    """To be called in the transaction that writes them."""
    connection.execute(_WRITTEN, {"minutes": sorted(minutes), "is_whole": is_whole})


def due_minutes(connection: Connection, since: int, limit: int) -> tuple[DueMinute, ...]:
    """From `since` on, oldest first; once these are done, older ones, newest first."""
    one = alert_minute.c
    columns = (one.minute, one.is_whole, one.written_at)
    fresh = connection.execute(select(*columns).where(one.minute >= since).order_by(one.minute).limit(limit)).all()
    rows = fresh or connection.execute(select(*columns).order_by(one.minute.desc()).limit(limit)).all()
    return tuple(DueMinute(*row) for row in rows)


def has_due_minutes(connection: Connection) -> bool:
    return connection.execute(select(alert_minute.c.minute).limit(1)).first() is not None


def minutes_judged(connection: Connection, due: Sequence[DueMinute]) -> None:
    """Those that were not written again meanwhile are done."""
    for one in due:
        mine = (alert_minute.c.minute == one.minute, alert_minute.c.written_at == one.written_at)
        connection.execute(delete(alert_minute).where(*mine))


def forget_minutes(connection: Connection, before: int) -> int:
    """Minutes so old that nobody asks whether they breached; returns how many."""
    return connection.execute(delete(alert_minute).where(alert_minute.c.minute < before)).rowcount


def first_due_minute(connection: Connection) -> int | None:
    """The oldest minute that is news and yet to be judged; None when there is none. Late ones are nobody's concern here."""
    query = text("SELECT min(minute) FROM alert_minute WHERE minute > extract(epoch FROM now()) / 60 - 15")
    first: int | None = connection.scalar(query)
    return first
