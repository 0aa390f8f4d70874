"""One worker at a time per piece of work, across processes: locks of a connection of their own, which vanish with it."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, text


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


def lock_key(work: str) -> int:
    """The number of the advisory lock named `work`."""
    return int.from_bytes(hashlib.blake2b(work.encode(), digest_size=8).digest(), "big", signed=True)
