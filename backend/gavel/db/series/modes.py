"""Which of the two storage modes this database is in: decided once by the first migration, checked ever after."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, text

from gavel.db.errors import SchemaError
from gavel.db.schema.bookkeeping import storage_mode
from gavel.db.series.catalog import Mode

_EXTENSION = text("SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'")
_LICENSE = text("SELECT current_setting('timescaledb.license', true)")
_MODE_AND_TIME = text("SELECT (SELECT mode FROM storage_mode), now()")


@dataclass(frozen=True, slots=True)
class Storage:
    """What retention depends on. now: of the database's clock, the same for a whole transaction."""

    mode: Mode
    now: datetime


def detect(connection: Connection) -> Mode:
    """What this server offers. The Apache-licensed build has neither columnstore nor continuous aggregates: that is plain."""
    if connection.scalar(_EXTENSION) is None:
        return Mode.PLAIN
    return Mode.TIMESCALE if connection.scalar(_LICENSE) == "timescale" else Mode.PLAIN


def decide(connection: Connection, now: datetime) -> Mode:
    mode = detect(connection)
    connection.execute(insert(storage_mode).values(mode=mode, decided_at=now))
    return mode


def stored(connection: Connection) -> Mode:
    """Raises SchemaError when the schema was never made."""
    return required(connection.scalar(select(storage_mode.c.mode)))


def storage(connection: Connection) -> Storage:
    """Raises SchemaError when the schema was never made."""
    mode, now = connection.execute(_MODE_AND_TIME).one()
    return Storage(required(mode), now)


def required(mode: str | None) -> Mode:
    """Raises SchemaError where there is none."""
    if mode is None:
        raise SchemaError("The database has no storage mode: it was not migrated. Run `gavel db migrate`.")
    return Mode(mode)


def mismatch(connection: Connection) -> str | None:
    """Why the stored mode does not fit the server, or None. A plain schema works on any server."""
    if stored(connection) is Mode.TIMESCALE and detect(connection) is Mode.PLAIN:
        return (
            "The schema was made for TimescaleDB, but this server does not offer it (extension missing, or license not 'timescale'). "
            "Start the server it was made on, or import an export into a fresh database."
        )
    return None
