"""Channels as they are kept, and how they do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from gavel.db.engine import Connection
from gavel.db.errors import NameTakenError, NotFoundError
from gavel.db.schema.alerting import channel, notification


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """`settings` without secrets; `secrets_encrypted` is an envelope under the key `secrets_key_id`, opened elsewhere."""

    id: int
    kind: str
    name: str
    settings: Mapping[str, Any]
    secrets_encrypted: bytes | None
    secrets_key_id: str | None
    secrets_set: Sequence[str]
    enabled: bool
    route: Mapping[str, Any]
    second_id: int | None
    created_at: datetime
    failures: int
    retry_at: datetime | None
    off_reason: str | None
    pace: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChannelBacklog:
    """Of one channel: messages that wait, that could not be delivered, and when one was last accepted."""

    pending: int = 0
    dead: int = 0
    last_delivered_at: datetime | None = None


def channel_rows(connection: Connection, *, enabled_only: bool = False) -> tuple[ChannelRow, ...]:
    """By id."""
    query = select(channel).order_by(channel.c.id)
    if enabled_only:
        query = query.where(channel.c.enabled)
    return tuple(ChannelRow(**row) for row in connection.execute(query).mappings())


def channel_row(connection: Connection, channel_id: int) -> ChannelRow:
    """Raises NotFoundError."""
    found = connection.execute(select(channel).where(channel.c.id == channel_id)).mappings().one_or_none()
    if found is None:
        raise NotFoundError(f"There is no channel {channel_id}.")
    return ChannelRow(**found)


def hold_channel(connection: Connection, channel_id: int) -> None:
    """Keep the channel from being removed until the transaction ends. Raises NotFoundError."""
    held = select(channel.c.id).where(channel.c.id == channel_id).with_for_update(read=True, key_share=True)
    if connection.execute(held).one_or_none() is None:
        raise NotFoundError(f"There is no channel {channel_id}.")


def channel_by_name(connection: Connection, name: str) -> ChannelRow:
    """Raises NotFoundError."""
    found = connection.execute(select(channel).where(channel.c.name == name)).mappings().one_or_none()
    if found is None:
        raise NotFoundError(f"There is no channel named {name!r}.")
    return ChannelRow(**found)


def add_channel(connection: Connection, **values: Any) -> int:
    """Its id; secrets follow by `change_channel`, since their envelope is bound to it. Raises NameTakenError."""
    try:
        with connection.begin_nested():
            added = connection.execute(insert(channel).values(**values).returning(channel.c.id))
            channel_id: int = added.scalar_one()
    except IntegrityError as error:
        raise NameTakenError(f"Another channel is already named {values['name']!r}. Choose another name.") from error
    return channel_id


def change_channel(connection: Connection, channel_id: int, **values: Any) -> None:
    """Raises NotFoundError, NameTakenError."""
    if not values:
        return
    try:
        with connection.begin_nested():
            changed = connection.execute(update(channel).where(channel.c.id == channel_id).values(**values))
    except IntegrityError as error:
        raise NameTakenError(
            f"Another channel is already named {values.get('name')!r}. Choose another name."
        ) from error
    if changed.rowcount == 0:
        raise NotFoundError(f"There is no channel {channel_id}.")


def remove_channel(connection: Connection, channel_id: int) -> None:
    """With its messages and their log. Raises NotFoundError."""
    if connection.execute(delete(channel).where(channel.c.id == channel_id)).rowcount == 0:
        raise NotFoundError(f"There is no channel {channel_id}.")


def loads(connection: Connection) -> dict[int, ChannelBacklog]:
    """By channel; those that never had a message are absent."""
    one = notification.c
    query = select(
        one.channel_id,
        func.count().filter(one.state == "pending"),
        func.count().filter(one.state == "dead"),
        func.max(one.finished_at).filter(one.state == "delivered"),
    ).group_by(one.channel_id)
    return {
        channel_id: ChannelBacklog(pending, dead, at) for channel_id, pending, dead, at in connection.execute(query)
    }
