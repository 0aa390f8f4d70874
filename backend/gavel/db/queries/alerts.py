"""Alerts as they stand and as they were: open ones, history, one with its transitions, and what was found late."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, func, or_, select, text, update

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.paging import RecordPage
from gavel.db.schema.alerting import alert, alert_transition

_OPEN = and_(alert.c.ended_at.is_(None), alert.c.fired_at.is_not(None))
_RANK = "CASE severity WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END"
_LONGEST_LATE = 500
AlertStateName = Literal["inactive", "pending", "firing", "recovering", "resolved", "no_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRow:
    """One incident; columns of the table `alert`."""

    id: int
    rule_id: int | None
    rule_key: str
    rule_name: str
    severity: str
    subject: str
    object_key: int
    object_id: int
    object_name: str
    layer: str | None
    path: Sequence[str]
    labels: Mapping[str, str]
    measure: Mapping[str, Any]
    runbook_url: str
    array_down: str | None
    state: str
    sequence: int
    since_at: datetime
    started_at: datetime
    fired_at: datetime | None
    ended_at: datetime | None
    value: float | None
    lower: float | None
    excess_outstanding: float | None
    peak: float | None
    peak_lower: float | None
    peak_at: datetime | None
    recovered_at: datetime | None
    sentence: str | None
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    acknowledged_note: str | None


@dataclass(frozen=True, slots=True)
class TransitionRow:
    """minute_at: of the minute that caused it. detected_at: when Gavel detected it."""

    sequence: int
    before: AlertStateName
    after: AlertStateName
    minute_at: datetime
    value: float | None
    lower: float | None
    detected_at: datetime


@dataclass(frozen=True, slots=True)
class LateRow:
    """Consecutive minutes [from_at, to_at) of one rule and object."""

    rule_id: int
    definition: Mapping[str, Any]
    object_key: int
    from_at: datetime
    to_at: datetime
    minutes: int
    peak: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertQuery:
    """Alerts that were open at some moment of [from_at, to_at). None and "" match everything."""

    from_at: datetime
    to_at: datetime
    search: str = ""
    severity: str | None = None
    rule_key: str | None = None
    subject: str | None = None
    object_id: int | None = None
    limit: int = 100
    offset: int = 0


def open_alerts(connection: Connection) -> tuple[AlertRow, ...]:
    """Fired and not resolved, worst first."""
    order = (text(_RANK), alert.c.excess_outstanding.desc().nulls_last(), alert.c.started_at, alert.c.id)
    return _rows(connection, _OPEN, order=order)


def pending_alerts(connection: Connection) -> tuple[AlertRow, ...]:
    """Breached, but not for long enough yet; oldest first."""
    return _rows(connection, alert.c.state == "pending", alert.c.ended_at.is_(None), order=(alert.c.started_at,))


def one_alert(connection: Connection, alert_id: int) -> AlertRow:
    """Raises NotFoundError."""
    found = _rows(connection, alert.c.id == alert_id)
    if not found:
        raise NotFoundError(f"There is no alert {alert_id}.")
    return found[0]


def alerts_by_id(connection: Connection, ids: Sequence[int]) -> dict[int, AlertRow]:
    return {row.id: row for row in _rows(connection, alert.c.id.in_(list(ids)))}


def alert_history(connection: Connection, wanted: AlertQuery) -> RecordPage[AlertRow]:
    """What fired, newest first."""
    where = [
        alert.c.fired_at.is_not(None),
        alert.c.started_at < wanted.to_at,
        or_(alert.c.ended_at.is_(None), alert.c.ended_at >= wanted.from_at),
    ]
    if wanted.search:
        words = (alert.c.object_name, alert.c.rule_name)
        where.append(or_(*(column.icontains(wanted.search, autoescape=True) for column in words)))
    exact = {"severity": wanted.severity, "rule_key": wanted.rule_key, "subject": wanted.subject}
    where += [alert.c[name] == value for name, value in exact.items() if value is not None]
    if wanted.object_id is not None:
        where.append(alert.c.object_id == wanted.object_id)
    total = connection.execute(select(func.count()).select_from(alert).where(*where)).scalar_one()
    order = (alert.c.started_at.desc(), alert.c.id.desc())
    return RecordPage(_rows(connection, *where, order=order, limit=wanted.limit, offset=wanted.offset), total)


def transitions(connection: Connection, alert_id: int) -> tuple[TransitionRow, ...]:
    """In their order."""
    one = alert_transition.c
    columns = (one.sequence, one.before, one.after, one.minute_at, one.value, one.lower, one.detected_at)
    rows = connection.execute(select(*columns).where(one.alert_id == alert_id).order_by(one.sequence))
    return tuple(TransitionRow(*row) for row in rows)


def acknowledge(connection: Connection, alert_id: int, by: str | None, note: str, now: datetime) -> None:
    """by None: no longer acknowledged. Raises NotFoundError."""
    values = {
        "acknowledged_at": None if by is None else now,
        "acknowledged_by": by,
        "acknowledged_note": note if by is not None and note else None,
    }
    if connection.execute(update(alert).where(alert.c.id == alert_id).values(**values)).rowcount == 0:
        raise NotFoundError(f"There is no alert {alert_id}.")


def late_breaches(
    connection: Connection, from_at: datetime, to_at: datetime, object_key: int | None = None
) -> tuple[LateRow, ...]:
    """Runs of minutes, newest first, at most 500."""
    of_object = "" if object_key is None else " AND l.object_key = :object_key"
    # Minutes of one run have the same distance to their number in the order of time.
    query = f"""
        SELECT rule_id, r.definition, object_key, min(minute_at) AS from_at, max(minute_at) + interval '1 minute' AS to_at,
            count(*) AS minutes, max(value) AS peak
        FROM (
            SELECT l.*, minute_at - interval '1 minute' * row_number() OVER (
                PARTITION BY rule_id, object_key ORDER BY minute_at) AS run
            FROM alert_late l WHERE minute_at >= :from_at AND minute_at < :to_at{of_object}
        ) l JOIN alert_rule r ON r.id = l.rule_id
        GROUP BY rule_id, r.definition, object_key, run ORDER BY 4 DESC, 1, 3 LIMIT {_LONGEST_LATE}
    """
    given = {"from_at": from_at, "to_at": to_at} | ({} if object_key is None else {"object_key": object_key})
    return tuple(LateRow(*row) for row in connection.execute(text(query), given))


def _rows(
    connection: Connection,
    *where: ColumnElement[bool],
    order: Sequence[Any] = (),
    limit: int | None = None,
    offset: int = 0,
) -> tuple[AlertRow, ...]:
    query = select(alert).where(*where).order_by(*order).limit(limit).offset(offset)
    return tuple(AlertRow(**row) for row in connection.execute(query).mappings())
