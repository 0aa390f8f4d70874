"""Notifications between processes: a writer sends, after its commit, that a source has newer rows; listeners wait without polling."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime

import psycopg
from sqlalchemy import Connection, text

from gavel.db.errors import StorageError

CHANNEL = "gavel_live"
ALERTS, DELIVERIES, INVENTORY, LEDGER = "alerts", "deliveries", "inventory", "ledger"


@dataclass(frozen=True, slots=True)
class News:
    """Rows of `stream` of a source are stored up to `until_at` (its clock); stream `inventory` means the environment was read.
    Without `until_at` a run of the stream failed.

    Stream `ledger` is of no source: minutes before `until_at` were attributed. Neither are `alerts` (some state moved, or
    somebody changed an alert, a silence, a rule or a channel) and `deliveries` (the state of a message moved).
    """

    source_id: int | None
    stream: str
    until_at: datetime | None


def announce(connection: Connection, news: News) -> None:
    """Delivered when the caller's transaction commits, and only then."""
    body = asdict(news) | {"until_at": news.until_at.isoformat() if news.until_at else None}
    connection.execute(text("SELECT pg_notify(:channel, :body)"), {"channel": CHANNEL, "body": json.dumps(body)})


def listen(url: str, *, pause_s: float) -> Iterator[News | None]:
    """News as it comes; None when `pause_s` passed without any, so that the caller can look at the world.

    Ends by an exception only: StorageError when the database goes away.
    """
    try:
        with psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://"), autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            while True:
                arrived = False
                for notice in connection.notifies(timeout=pause_s, stop_after=1):
                    arrived = True
                    yield _news(notice.payload)
                if not arrived:
                    yield None
    except psycopg.Error as error:
        raise StorageError(f"listening for news ended: {str(error).strip().splitlines()[0]}") from error


def _news(payload: str) -> News:
    body = json.loads(payload)
    until = body["until_at"]
    return News(body["source_id"], body["stream"], datetime.fromisoformat(until) if until else None)
