"""The outbox: what is to be delivered, what became of it, and the log of attempts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from sqlalchemy import ColumnElement, FromClause, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.paging import RecordPage
from gavel.db.schema.alerting import alert_said, channel, delivery_attempt, notification

AttemptResult = Literal["delivered", "retry", "refused", "gone"]


@dataclass(frozen=True, slots=True)
class NotificationRow:
    """`message`: plain, as `alerting.message_plain` has it. receipt: what its delivery left behind."""

    id: int
    event_id: str
    channel_id: int
    group_key: str
    sequence: int
    status: str
    message: Mapping[str, Any]
    alert_ids: Sequence[int]
    state: str
    created_at: datetime
    next_at: datetime
    attempts: int
    finished_at: datetime | None
    detail: str | None
    receipt: Mapping[str, str]
    dead_letter_of: int | None
    channel_name: str


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt. `request` with secrets masked; of the receiver's response only `status` is kept."""

    id: int
    started_at: datetime
    duration_s: float
    result: AttemptResult
    status: int | None
    detail: str
    request: str


@dataclass(frozen=True, slots=True)
class LastSentRow:
    """What was last sent of an alert to a channel."""

    alert_id: int
    status: str
    group_key: str
    said_at: datetime


_WITH_CHANNEL = select(notification, channel.c.name.label("channel_name")).join_from(
    notification, channel, channel.c.id == notification.c.channel_id
)


def last_sent(connection: Connection, channel_id: int) -> tuple[LastSentRow, ...]:
    """Of every alert that was sent to the channel and not resolved there."""
    one = alert_said.c
    query = select(one.alert_id, one.status, one.group_key, one.said_at).where(
        one.channel_id == channel_id, one.status != "resolved"
    )
    return tuple(LastSentRow(*row) for row in connection.execute(query))


def store_last_sent(connection: Connection, channel_id: int, rows: Sequence[LastSentRow]) -> None:
    if not rows:
        return
    values = [
        {"channel_id": channel_id, "alert_id": one.alert_id, "status": one.status, "group_key": one.group_key,
         "said_at": one.said_at}
        for one in rows
    ]  # fmt: skip
    stored = upsert(alert_said).values(values)
    changed = {name: stored.excluded[name] for name in ("status", "group_key", "said_at")}
    connection.execute(stored.on_conflict_do_update(index_elements=["channel_id", "alert_id"], set_=changed))


def next_sequence(connection: Connection, channel_id: int, group_key: str) -> int:
    """Number of the next message of a group on a channel, from 1."""
    mine = (notification.c.channel_id == channel_id, notification.c.group_key == group_key)
    last: int | None = connection.scalar(select(func.max(notification.c.sequence)).where(*mine))
    return (last or 0) + 1


def add_notification(connection: Connection, **values: Any) -> int:
    added = connection.execute(insert(notification).values(**values).returning(notification.c.id))
    notification_id: int = added.scalar_one()
    return notification_id


def supersede(connection: Connection, channel_id: int, now: datetime, *, by_key: bool) -> int:
    """Supersedes pending states of notifications that have a newer state, pending or delivered; returns how many.

    by_key: also what follows a delivered later incident with the same dedupe key, since it would change that one.
    """
    query = text("""
        UPDATE notification o SET state = 'superseded', finished_at = :now, detail = 'superseded by a newer state'
        WHERE o.channel_id = :channel_id AND o.state = 'pending' AND (
            EXISTS (SELECT FROM notification n WHERE n.channel_id = o.channel_id AND n.group_key = o.group_key
                AND n.sequence > o.sequence AND n.state IN ('pending', 'delivered'))
            OR :by_key AND EXISTS (SELECT FROM notification n WHERE n.channel_id = o.channel_id AND n.id > o.id
                AND n.state = 'delivered' AND n.message ->> 'dedupe_key' = o.message ->> 'dedupe_key'))
    """)
    return connection.execute(query, {"channel_id": channel_id, "now": now, "by_key": by_key}).rowcount


def due_channels(connection: Connection, now: datetime) -> list[tuple[int, str]]:
    """Id and kind of the channels that have something to deliver now."""
    query = text("""
        SELECT DISTINCT c.id, c.kind FROM channel c JOIN notification n ON n.channel_id = c.id AND n.state = 'pending'
        WHERE c.enabled AND (c.retry_at IS NULL OR c.retry_at <= :now) AND n.next_at <= :now ORDER BY 1
    """)
    return [(channel_id, kind) for channel_id, kind in connection.execute(query, {"now": now})]


def next_due(connection: Connection, channel_id: int, now: datetime) -> NotificationRow | None:
    """The one to be tried next: what was tried least, oldest first, so that none that fails for ever holds up the others.

    It holds up only what comes after it under the same dedupe key: an end told second would end what has just begun.
    """
    older = notification.alias("older")
    waits = (
        select(older.c.id)
        .where(older.c.channel_id == channel_id, older.c.state == "pending", older.c.id < notification.c.id)
        .where(_key_of(older) == _key_of(notification))
    )
    mine = (
        notification.c.channel_id == channel_id,
        notification.c.state == "pending",
        notification.c.next_at <= now,
        channel.c.enabled,
        ~waits.exists(),
    )
    query = _WITH_CHANNEL.where(*mine).order_by(notification.c.attempts, notification.c.id).limit(1)
    found = connection.execute(query).mappings().one_or_none()
    return None if found is None else NotificationRow(**found)


def _key_of(table: FromClause) -> ColumnElement[str]:
    return cast("ColumnElement[str]", table.c.message["dedupe_key"].astext)


def last_receipt(connection: Connection, channel_id: int, group_key: str) -> Mapping[str, str]:
    """What the newest delivered message of the group left behind; empty when there is none."""
    one = notification.c
    mine = (one.channel_id == channel_id, one.group_key == group_key, one.receipt != text("'{}'::jsonb"))
    found: Mapping[str, str] | None = connection.scalar(
        select(one.receipt).where(*mine).order_by(one.sequence.desc()).limit(1)
    )
    return found or {}


def finish(connection: Connection, notification_id: int, **values: Any) -> None:
    """Sets what an attempt changed: state, attempts, next_at, finished_at, detail, receipt."""
    connection.execute(update(notification).where(notification.c.id == notification_id).values(**values))


def log_attempt(connection: Connection, **values: Any) -> None:
    connection.execute(insert(delivery_attempt).values(**values))


def notifications(
    connection: Connection, *, channel_id: int | None = None, state: str | None = None, limit: int, offset: int = 0
) -> RecordPage[NotificationRow]:
    """Newest first."""
    where: list[ColumnElement[bool]] = []
    if channel_id is not None:
        where.append(notification.c.channel_id == channel_id)
    if state is not None:
        where.append(notification.c.state == state)
    total = connection.execute(select(func.count()).select_from(notification).where(*where)).scalar_one()
    query = _WITH_CHANNEL.where(*where).order_by(notification.c.id.desc()).limit(limit).offset(offset)
    return RecordPage(tuple(NotificationRow(**row) for row in connection.execute(query).mappings()), total)


def notification_row(connection: Connection, notification_id: int) -> NotificationRow:
    """Raises NotFoundError."""
    found = connection.execute(_WITH_CHANNEL.where(notification.c.id == notification_id)).mappings().one_or_none()
    if found is None:
        raise NotFoundError(f"There is no notification {notification_id}.")
    return NotificationRow(**found)


def notification_by_event(connection: Connection, event_id: str) -> NotificationRow:
    """Raises NotFoundError."""
    found = connection.execute(_WITH_CHANNEL.where(notification.c.event_id == event_id)).mappings().one_or_none()
    if found is None:
        raise NotFoundError("There is no such message.")
    return NotificationRow(**found)


def of_alert(connection: Connection, alert_id: int) -> tuple[NotificationRow, ...]:
    """Its notifications, oldest first."""
    holds = notification.c.alert_ids.contains([alert_id])
    rows = connection.execute(_WITH_CHANNEL.where(holds).order_by(notification.c.id)).mappings()
    return tuple(NotificationRow(**row) for row in rows)


def attempts(connection: Connection, notification_id: int) -> tuple[AttemptRow, ...]:
    """In their order."""
    one = delivery_attempt.c
    columns = (one.id, one.started_at, one.duration_s, one.result, one.status, one.detail, one.request)
    rows = connection.execute(select(*columns).where(one.notification_id == notification_id).order_by(one.id))
    return tuple(AttemptRow(*row) for row in rows)


def replay(
    connection: Connection, now: datetime, *, notification_id: int | None = None, channel_id: int | None = None
) -> int:
    """Dead letters wait for delivery again, with the ids they had; returns how many."""
    one = notification.c
    where: list[ColumnElement[bool]] = [one.state == "dead"]
    if notification_id is not None:
        where.append(one.id == notification_id)
    if channel_id is not None:
        where.append(one.channel_id == channel_id)
    # Its age counts from now: it was given up once already for being too old, or for something that was mended since.
    again = {"state": "pending", "next_at": now, "created_at": now, "attempts": 0, "finished_at": None}
    return connection.execute(update(notification).where(*where).values(**again)).rowcount
