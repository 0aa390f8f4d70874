"""Named locks of the database, held until the transaction ends; a killed process leaves none behind."""

from sqlalchemy import Connection, text

_TRY = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
_WAIT = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


def try_lock(connection: Connection, name: str) -> bool:
    return bool(connection.scalar(_TRY, {"name": name}))


def wait_for_lock(connection: Connection, name: str) -> None:
    connection.execute(_WAIT, {"name": name})
