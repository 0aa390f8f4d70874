"""Deaths inside correlate: the process that writes the ledger is stopped in the midst of a transaction, looked at, and killed there."""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from tests.product import ledgers
from tests.product.running import Part, Product, StuckError, signalled

from gavel.db.locks import lock_key

# Of the process that may correlate the session that holds the samples: a transaction of correlate's own.
_INSIDE = """
    SELECT split_part(s.application_name, ' ', 3), s.backend_xid::text, s.query = 'COMMIT'
    FROM pg_locks l JOIN pg_stat_activity h ON h.pid = l.pid
    JOIN pg_stat_activity s ON s.application_name = h.application_name AND s.xact_start IS NOT NULL
    WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32 | l.objid::bigint) = %(lease)s
      AND EXISTS (SELECT FROM pg_locks k WHERE k.pid = s.pid AND k.relation = 'array_directory_sample'::regclass)
"""
_OWED_S = 50 * 60
# Most of what one transaction of so many minutes takes; one that has ended by then does no harm, another one comes.
_PASS_S = 1.0
# What was sent has arrived by then.
_ARRIVED_S = 0.02


@dataclass(frozen=True)
class Inside:
    """A worker inside correlate: its pid, and its transaction's number once that has written something."""

    worker: int
    transaction: str | None


def kill_worker_inside(product: Product, choose: random.Random, *, writing: bool) -> Inside:
    """kill -9 of the worker's process at a random moment inside correlate; `writing`: when its transaction has written something."""
    with _stopped_inside(product, choose, writing=writing) as found:
        os.kill(found.worker, signal.SIGKILL)
    return found


def kill_database_inside(product: Product, choose: random.Random) -> Inside:
    """kill -9 of the database server when correlate's transaction has written something; the worker lives on."""
    with _stopped_inside(product, choose, writing=True) as found:
        product.kill(Part("database", product.services()["database"]["pid"]))
    return found


def was_undone(product: Product, found: Inside) -> bool:
    """Whether a killed worker's transaction came to nothing, as the server says. One without a number had written nothing."""
    if found.transaction is None:
        return True
    number = {"number": found.transaction}

    def status() -> str:
        return str(product.ask("SELECT pg_xact_status(%(number)s::text::xid8)", **number)[0][0])

    product.wait_for(lambda: status() != "in progress", "the server to notice that its client is dead", 30)
    return status() == "aborted"


@contextmanager
def _stopped_inside(product: Product, choose: random.Random, *, writing: bool) -> Iterator[Inside]:
    """Held by SIGSTOP inside a transaction, so that nobody can commit it any more; goes on when the block ends, unless it is dead."""
    found = None
    until = time.monotonic() + 120
    with product.database() as connection:
        while found is None:
            if time.monotonic() > until:
                raise StuckError(f"no worker was met inside correlate\n{product.account()}")
            _owe_minutes(product, connection)
            found = _stopped(connection, choose, writing=writing)
    try:
        yield found
    finally:
        signalled(found.worker, signal.SIGCONT)


def _stopped(connection: psycopg.Connection[Any], choose: random.Random, *, writing: bool) -> Inside | None:
    """One attempt; whoever is not met inside goes on at once."""
    seen = _inside(connection)
    if seen is None:
        return None
    time.sleep(choose.uniform(0, _PASS_S))
    if not signalled(seen.worker, signal.SIGSTOP):
        return None
    time.sleep(_ARRIVED_S)
    found = _inside(connection)
    if found is not None and found.worker == seen.worker and (found.transaction is not None or not writing):
        return found
    signalled(seen.worker, signal.SIGCONT)
    return None


def _inside(connection: psycopg.Connection[Any]) -> Inside | None:
    rows = connection.execute(_INSIDE, {"lease": lock_key("correlate")}).fetchall()
    return next((Inside(int(worker), number) for worker, number, is_committing in rows if not is_committing), None)


def _owe_minutes(product: Product, connection: psycopg.Connection[Any]) -> None:
    """Something to correlate: the kept hour once more, whenever there is nothing left."""
    if not connection.execute(
        f"SELECT EXISTS (SELECT {ledgers.OWED_MINUTES})".encode(), {"now": product.now()}
    ).fetchone()[0]:  # type: ignore[index]
        now = product.now() // 60 * 60
        ledgers.write_again(product, now - _OWED_S, now)
