"""Is the store there, in which mode, do the workers write, and does the ledger keep up with the samples?"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast

from sqlalchemy import Connection, func, select, text

from gavel.db.schema.alerting import channel, notification
from gavel.db.schema.bookkeeping import collection_run, source, storage_mode, watermark
from gavel.db.schema.ledger import correlated


def stored_mode(connection: Connection) -> Literal["plain", "timescale"]:
    return cast("Literal['plain', 'timescale']", connection.execute(select(storage_mode.c.mode)).scalar_one())


def refuses_writes(connection: Connection) -> bool:
    """A standby, or a server set to read-only."""
    set_so = "SELECT reset_val = 'on' FROM pg_settings WHERE name = 'default_transaction_read_only'"
    return bool(connection.scalar(text(f"SELECT pg_is_in_recovery() OR ({set_so})")))


def try_to_write(connection: Connection) -> None:
    """Take 128 KB on the database's disk and give them back; within a `transaction`, where there is no room, an UnavailableError."""
    connection.execute(text("CREATE TEMP TABLE room (filler text) ON COMMIT DROP"))
    connection.execute(text("INSERT INTO room SELECT repeat(md5(n::text), 62) FROM generate_series(1, 64) n"))


def workers_seen_at(connection: Connection) -> datetime | None:
    """Start of the newest recorded run of any source."""
    return connection.execute(select(func.max(collection_run.c.started_at))).scalar()


def polled_since(connection: Connection) -> datetime | None:
    """When the first of the enabled sources was added; None where there is nothing to poll."""
    return connection.execute(select(func.min(source.c.created_at)).where(source.c.enabled)).scalar()


def ledger_until(connection: Connection) -> datetime | None:
    """Minutes before this are attributed; None before the first."""
    return connection.scalar(select(correlated.c.until_at))


@dataclass(frozen=True, slots=True)
class Stuck:
    """off: channels that Gavel switched off; failing: those whose newest attempts failed. dead: messages that were given up."""

    off: tuple[str, ...]
    failing: tuple[str, ...]
    dead: int


def deliveries_stuck(connection: Connection) -> Stuck:
    names = select(channel.c.name).order_by(channel.c.name)
    off = connection.scalars(names.where(~channel.c.enabled, channel.c.off_reason.is_not(None)))
    failing = connection.scalars(names.where(channel.c.enabled, channel.c.failures > 0))
    dead = connection.scalar(select(func.count()).select_from(notification).where(notification.c.state == "dead"))
    return Stuck(tuple(off), tuple(failing), dead or 0)


def samples_until(connection: Connection) -> datetime | None:
    """The newest sample of any source, by its clock."""
    return connection.execute(select(func.max(watermark.c.until_at))).scalar()


def sealed_with(connection: Connection) -> dict[str, int]:
    """Ids of the keys that secrets of sources and channels are encrypted with, and how many each."""
    rows = [
        connection.execute(
            select(table.c.secrets_key_id, func.count())
            .where(table.c.secrets_encrypted.is_not(None), table.c.secrets_key_id.is_not(None))
            .group_by(table.c.secrets_key_id)
        )
        for table in (source, channel)
    ]
    found: dict[str, int] = {}
    for key_id, count in (row for result in rows for row in result):
        found[key_id] = found.get(key_id, 0) + count
    return found
