"""Is the store there, in which mode, and do the workers write?"""

from datetime import datetime
from typing import Literal, cast

from sqlalchemy import Connection, func, select

from gavel.db.tables.bookkeeping import collection_run, storage_mode


def stored_mode(connection: Connection) -> Literal["plain", "timescale"]:
    return cast("Literal['plain', 'timescale']", connection.execute(select(storage_mode.c.mode)).scalar_one())


def workers_seen_at(connection: Connection) -> datetime | None:
    """Start of the newest recorded run of any source."""
    return connection.execute(select(func.max(collection_run.c.started_at))).scalar()
