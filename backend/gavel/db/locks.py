"""Named locks of the database, held until the transaction ends; a killed process leaves none behind."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from gavel.db.engine import autocommit

_TRY = text("SELECT pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
_WAIT = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")


def try_lock(connection: Connection, name: str) -> bool:
    return bool(connection.scalar(_TRY, {"name": name}))


def wait_for_lock(connection: Connection, name: str) -> None:
    connection.execute(_WAIT, {"name": name})


@contextmanager
def only_one(engine: Engine, work: str) -> Iterator[bool]:
    """Hold the lock named `work` for as long as the block lasts; False (at once) when another session holds it.

    The lock belongs to a connection of its own that is in no transaction, so network calls may be made meanwhile;
    a killed process loses its connection and with it the lock. A database that is away is an UnavailableError.
    """
    key = lock_key(work)
    with autocommit(engine) as connection:
        if not connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": key}):
            yield False
            return
        with _unlocked_after(connection, [key]):
            yield True


@contextmanager
def after_others(engine: Engine, *works: str) -> Iterator[None]:
    """Hold the locks of `only_one` with these names, each once its holder is done; in order, so that two callers take turns."""
    held: list[int] = []
    with autocommit(engine) as connection, _unlocked_after(connection, held):
        for key in map(lock_key, works):
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": key})
            held.append(key)
        yield


@contextmanager
def _unlocked_after(connection: Connection, held: Sequence[int]) -> Iterator[None]:
    """Release locks at the end of the block. The error of the block comes before one of the release."""
    try:
        yield
    except BaseException:
        with suppress(DBAPIError):
            _unlock(connection, held)
        raise
    _unlock(connection, held)


def _unlock(connection: Connection, held: Sequence[int]) -> None:
    try:
        connection.execute(
            text("SELECT pg_advisory_unlock(key) FROM unnest(CAST(:held AS bigint[])) key"), {"held": list(held)}
        )
    except DBAPIError:
        # The session ends and with it the lock; the pool must not lend it out again.
        connection.invalidate()
        raise


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
