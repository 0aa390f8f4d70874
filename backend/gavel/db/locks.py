"""Named locks of the database, held until the transaction ends; a killed process leaves none behind."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

_TRY = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
_WAIT = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


def try_lock(connection: Connection, name: str) -> bool:
    return bool(connection.scalar(_TRY, {"name": name}))


def wait_for_lock(connection: Connection, name: str) -> None:
    connection.execute(_WAIT, {"name": name})


@contextmanager
def only_one(engine: Engine, work: str) -> Iterator[bool]:
    """Hold the lock named `work` for as long as the block lasts; False (at once) when somebody else holds it.

    The lock belongs to a connection of its own that is in no transaction, so network calls may be made meanwhile;
    a killed process loses its connection and with it the lock.
    """
    key = lock_key(work)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        held = bool(connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}).scalar())
        try:
            yield held
        finally:
            if held:
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": key})


@contextmanager
def after_others(engine: Engine, *works: str) -> Iterator[None]:
    """Hold the locks of `only_one` with these names, once whoever holds any of them is done; in order, so that two callers take turns."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        keys = [lock_key(work) for work in works]
        try:
            for key in keys:
                connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": key})
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock_all()"))


@contextmanager
def one_of(engine: Engine, work: str, slots: int) -> Iterator[bool]:
    """Hold one of so many locks for as long as the block lasts; False (at once) when all of them are held."""
    for number in range(slots):
        with only_one(engine, f"{work}/{number}") as held:
            if held:
                yield True
                return
    yield False


def lock_key(work: str) -> int:
    """The number of the advisory lock named `work`."""
    return int.from_bytes(hashlib.blake2b(work.encode(), digest_size=8).digest(), "big", signed=True)
