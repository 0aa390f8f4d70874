"""Rules of alerts as they are kept; what they mean is read elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from gavel.db.engine import Connection
from gavel.db.errors import NameTakenError, NotFoundError
from gavel.db.schema.alerting import alert, alert_rule


@dataclass(frozen=True, slots=True)
class RuleRow:
    """definition: plain, as `alerting.rule_plain` has it. revision: of what the machine evaluates. error: why it could not be evaluated."""

    id: int
    key: str
    definition: Mapping[str, Any]
    enabled: bool
    revision: int
    created_at: datetime
    changed_at: datetime
    error: str | None
    error_at: datetime | None


def rule_rows(connection: Connection) -> tuple[RuleRow, ...]:
    """By id."""
    rows = connection.execute(select(alert_rule).order_by(alert_rule.c.id)).mappings()
    return tuple(RuleRow(**row) for row in rows)


def enabled_revisions(connection: Connection) -> dict[str, int]:
    """Revision by id of the rules that are on: a glance at thousands of them, without reading what they say."""
    columns = select(alert_rule.c.id, alert_rule.c.revision).where(alert_rule.c.enabled)
    return {str(rule_id): revision for rule_id, revision in connection.execute(columns)}


def rule_row(connection: Connection, rule_id: int) -> RuleRow:
    """Raises NotFoundError."""
    found = connection.execute(select(alert_rule).where(alert_rule.c.id == rule_id)).mappings().one_or_none()
    if found is None:
        raise NotFoundError(f"There is no rule {rule_id}.")
    return RuleRow(**found)


def add_rule(connection: Connection, key: str, definition: Mapping[str, Any], *, enabled: bool, now: datetime) -> int:
    """Its id. Raises NameTakenError."""
    values = {"key": key, "definition": dict(definition), "enabled": enabled, "created_at": now, "changed_at": now}
    try:
        with connection.begin_nested():
            added = connection.execute(insert(alert_rule).values(**values).returning(alert_rule.c.id))
            rule_id: int = added.scalar_one()
    except IntegrityError as error:
        raise NameTakenError(f"Another rule already has the key {key!r}. Choose another key.") from error
    return rule_id


def change_rule(
    connection: Connection,
    rule_id: int,
    key: str,
    definition: Mapping[str, Any],
    *,
    enabled: bool,
    is_another: bool,
    now: datetime,
) -> None:
    """is_another: to the machine. Raises NotFoundError, NameTakenError."""
    values = {
        "key": key,
        "definition": dict(definition),
        "enabled": enabled,
        "revision": alert_rule.c.revision + (1 if is_another else 0),
        "changed_at": now,
        # Whatever was wrong with it may be mended.
        "error": None,
        "error_at": None,
    }
    try:
        with connection.begin_nested():
            changed = connection.execute(update(alert_rule).where(alert_rule.c.id == rule_id).values(**values))
    except IntegrityError as error:
        raise NameTakenError(f"Another rule already has the key {key!r}. Choose another key.") from error
    if changed.rowcount == 0:
        raise NotFoundError(f"There is no rule {rule_id}.")


def remove_rule(connection: Connection, rule_id: int) -> None:
    """Its alerts stay in the history. Raises NotFoundError."""
    if connection.execute(delete(alert_rule).where(alert_rule.c.id == rule_id)).rowcount == 0:
        raise NotFoundError(f"There is no rule {rule_id}.")


def note_fault(connection: Connection, rule_id: int, error: str, now: datetime) -> None:
    """Stores why it could not be evaluated."""
    connection.execute(update(alert_rule).where(alert_rule.c.id == rule_id).values(error=error, error_at=now))


def forget_faults(connection: Connection, rule_ids: Sequence[int]) -> None:
    """Clears the errors of rules that were evaluated."""
    mine = alert_rule.c.id.in_(list(rule_ids))
    connection.execute(update(alert_rule).where(mine).values(error=None, error_at=None))


def open_counts(connection: Connection) -> dict[int, int]:
    """Open alerts by rule; rules without any are absent."""
    is_open = (alert.c.ended_at.is_(None), alert.c.fired_at.is_not(None), alert.c.rule_id.is_not(None))
    rows = connection.execute(
        select(alert.c.rule_id, func.count().label("open")).where(*is_open).group_by(alert.c.rule_id)
    )
    return {row.rule_id: row.open for row in rows}
