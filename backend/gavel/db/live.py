"""Notifications between processes: a writer sends, after its commit, that a source has newer rows; listeners wait without polling."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any

import msgspec
import psycopg
import structlog
from sqlalchemy import Connection, text

from gavel.db.errors import StorageError

log = structlog.get_logger(__name__)

CHANNEL = "gavel_live"
ALERTS, DELIVERIES, INVENTORY, LEDGER = "alerts", "deliveries", "inventory", "ledger"
# A listener sends nothing, so only these probes show that the server's machine is gone.
_KEEPALIVES: dict[str, Any] = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_CONNECT_TIMEOUT_S = 5


@dataclass(frozen=True, slots=True)
class News:
    """Rows of `stream` of a source are stored up to `until_at` (its clock); stream `inventory` means the environment was read.
    Without `until_at` a run of the stream failed.

    Stream `ledger` is of no source: minutes before `until_at` were attributed. Neither are `alerts` (some state moved, or
    somebody changed an alert, a silence, a rule or a channel) and `deliveries` (the state of a message moved).
    """

    source_id: int | None
    stream: str
    until_at: Annotated[datetime, msgspec.Meta(tz=True)] | None


def announce(connection: Connection, news: News) -> None:
    """Delivered when the caller's transaction commits, and only then."""
    body = asdict(news) | {"until_at": news.until_at.isoformat() if news.until_at else None}
    connection.execute(text("SELECT pg_notify(:channel, :body)"), {"channel": CHANNEL, "body": json.dumps(body)})


def listen(url: str, *, pause_s: float) -> Iterator[News | None]:
    """News as it comes; None when `pause_s` passed without any, so that the caller can look at the world.

    Skips notices in another format. Any role that may connect can send one, and so can another version during an upgrade.
    Ends by an exception only: StorageError when the database goes away.
    """
    try:
        with psycopg.connect(
            url.replace("postgresql+psycopg://", "postgresql://"),
            autocommit=True,
            connect_timeout=_CONNECT_TIMEOUT_S,
            **_KEEPALIVES,
        ) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            while True:
                notices = connection.notifies(timeout=pause_s, stop_after=1)
                yield from [_parse_news(notice.payload) for notice in notices] or [None]
    except psycopg.Error as error:
        raise StorageError(f"listening for news ended: {str(error).strip().splitlines()[0]}") from error


def _parse_news(payload: str) -> News | None:
    try:
        return msgspec.json.decode(payload, type=News)
    except (msgspec.MsgspecError, RecursionError) as error:
        log.warning("notice in an unknown format skipped", channel=CHANNEL, error=str(error))
        return None
