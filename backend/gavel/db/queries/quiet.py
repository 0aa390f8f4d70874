"""Silences and maintenance windows as they are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.schema.alerting import maintenance_window, silence


@dataclass(frozen=True, slots=True)
class SilenceRow:
    """matchers: label, pattern, negated."""

    id: int
    matchers: Sequence[Mapping[str, Any]]
    from_at: datetime
    until_at: datetime
    reason: str
    made_by: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MaintenanceRow:
    """definition: as the pages give it."""

    id: int
    name: str
    definition: Mapping[str, Any]
    created_at: datetime


def silences(connection: Connection, *, ending_after: datetime | None = None) -> tuple[SilenceRow, ...]:
    """Newest first."""
    query = select(silence).order_by(silence.c.until_at.desc(), silence.c.id.desc())
    if ending_after is not None:
        query = query.where(silence.c.until_at > ending_after)
    return tuple(SilenceRow(**row) for row in connection.execute(query).mappings())


def silence_row(connection: Connection, silence_id: int) -> SilenceRow:
    """Raises NotFoundError."""
    found = connection.execute(select(silence).where(silence.c.id == silence_id)).mappings().one_or_none()
    if found is None:
        raise NotFoundError(f"There is no silence {silence_id}.")
    return SilenceRow(**found)


def add_silence(connection: Connection, **values: Any) -> int:
    added = connection.execute(insert(silence).values(**values).returning(silence.c.id))
    silence_id: int = added.scalar_one()
    return silence_id


def end_silence(connection: Connection, silence_id: int, until_at: datetime) -> None:
    """Gives it another end; one that would end before it begins is removed. Raises NotFoundError."""
    found = silence_row(connection, silence_id)
    mine = silence.c.id == silence_id
    if until_at <= found.from_at:
        connection.execute(delete(silence).where(mine))
    else:
        connection.execute(update(silence).where(mine).values(until_at=until_at))


def remove_silence(connection: Connection, silence_id: int) -> None:
    """Raises NotFoundError."""
    if connection.execute(delete(silence).where(silence.c.id == silence_id)).rowcount == 0:
        raise NotFoundError(f"There is no silence {silence_id}.")


def maintenance_windows(connection: Connection) -> tuple[MaintenanceRow, ...]:
    """By name."""
    query = select(maintenance_window).order_by(maintenance_window.c.name, maintenance_window.c.id)
    return tuple(MaintenanceRow(**row) for row in connection.execute(query).mappings())


def maintenance_row(connection: Connection, window_id: int) -> MaintenanceRow:
    """Raises NotFoundError."""
    query = select(maintenance_window).where(maintenance_window.c.id == window_id)
    found = connection.execute(query).mappings().one_or_none()
    if found is None:
        raise NotFoundError(f"There is no maintenance window {window_id}.")
    return MaintenanceRow(**found)


def store_maintenance(
    connection: Connection, name: str, definition: Mapping[str, Any], now: datetime, window_id: int | None = None
) -> int:
    """Adds a window, or changes the one of that id. Raises NotFoundError."""
    if window_id is None:
        values = {"name": name, "definition": dict(definition), "created_at": now}
        added = connection.execute(insert(maintenance_window).values(**values).returning(maintenance_window.c.id))
        new_id: int = added.scalar_one()
        return new_id
    mine = maintenance_window.c.id == window_id
    changed = connection.execute(update(maintenance_window).where(mine).values(name=name, definition=dict(definition)))
    if changed.rowcount == 0:
        raise NotFoundError(f"There is no maintenance window {window_id}.")
    return window_id


def remove_maintenance(connection: Connection, window_id: int) -> None:
    """Raises NotFoundError."""
    if connection.execute(delete(maintenance_window).where(maintenance_window.c.id == window_id)).rowcount == 0:
        raise NotFoundError(f"There is no maintenance window {window_id}.")
