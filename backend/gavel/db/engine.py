"""Connections: one engine per role, and transactions that begin and end at the edge."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from gavel.db.errors import (
    ConnectionsInUseError,
    DatabaseUnreachableError,
    DiskFullError,
    LockedError,
    LostError,
    SnapshotError,
    StorageError,
    TooSlowError,
    ValueRefusedError,
)
from gavel.db.niceness import share_niceness

# Callers outside gavel.db name these two types from here and need no SQLAlchemy of their own.
__all__ = ["Connection", "Engine", "Role", "autocommit", "open_engine", "part_of", "reading", "snapshot", "transaction"]


class Role(StrEnum):
    API = "api"
    HEALTH = "health"
    WORKER = "worker"
    MIGRATIONS = "migrations"


@dataclass(frozen=True, slots=True)
class _Limits:
    """Seconds; 0 is none. The server ends what takes longer, so a stuck statement cannot hold a connection for ever.

    prepared: of how many questions a connection keeps the plans.
    """

    pool_size: int
    overflow: int
    pool_wait: float
    statement: int
    lock: int
    idle_in_transaction: int
    prepared: int = 100

    def as_options(self) -> str:
        limits = {
            "statement_timeout": self.statement,
            "lock_timeout": self.lock,
            "idle_in_transaction_session_timeout": self.idle_in_transaction,
        }
        # Questions are short and many at once: compiling one or spreading it over processes costs more than it gives.
        # Sums of 20,000 VMs need 12 MB; in PostgreSQL's 4 they go by way of files, which takes half as long again.
        fixed = ("jit=off", "max_parallel_workers_per_gather=0", "work_mem=16MB", "timezone=UTC")
        return " ".join(f"-c {setting}" for setting in (*(f"{name}={s * 1000}" for name, s in limits.items()), *fixed))


_LIMITS = {
    # Prepared: overview, summaries and diagnoses alone ask some 130 questions; of a hundred that are kept, those asked in turn push one
    # another out, and are planned every time.
    Role.API: _Limits(pool_size=5, overflow=5, pool_wait=3, statement=15, lock=5, idle_in_transaction=60, prepared=400),
    # Health of the API has connections of its own: it must not wait behind pages.
    Role.HEALTH: _Limits(pool_size=1, overflow=1, pool_wait=3, statement=5, lock=5, idle_in_transaction=60),
    # Overflow: backfill holds three locks, each on a connection, and a writer that needs a partition makes it in a transaction of its own.
    Role.WORKER: _Limits(pool_size=2, overflow=3, pool_wait=10, statement=120, lock=30, idle_in_transaction=120),
    Role.MIGRATIONS: _Limits(pool_size=1, overflow=1, pool_wait=30, statement=0, lock=0, idle_in_transaction=0),
}
_CONNECT_TIMEOUT_S = 5
# A poll takes its connection ten times a second; one that worked so recently is not asked again whether it still does.
_RESTED_S = 1.0


def open_engine(
    url: str, role: Role, *, application_name: str | None = None, server_side_prepare: bool = True
) -> Engine:
    """An engine with the limits of `role`. Connects on first use. `postgresql://` URLs are read as psycopg 3.

    Unless named otherwise its sessions carry the process in their name (`gavel worker 1234`), so that pg_stat_activity says whose they are.
    `server_side_prepare=False` is for servers where several connections share one session, as the WASM build of TimescaleDB.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "postgresql":
        raise StorageError(f"database URL is of kind {parsed.get_backend_name()!r}; Gavel needs postgresql://…")
    limits = _LIMITS[role]
    connect_args: dict[str, Any] = {
        "options": limits.as_options(),
        "application_name": application_name or f"gavel {role} {os.getpid()}",
        "connect_timeout": _CONNECT_TIMEOUT_S,
        # In a database without an encoding, text would come as bytes.
        "client_encoding": "utf8",
    }
    if not server_side_prepare:
        connect_args["prepare_threshold"] = None
    engine = create_engine(
        parsed.set(drivername="postgresql+psycopg"),
        pool_size=limits.pool_size,
        max_overflow=limits.overflow,
        pool_timeout=limits.pool_wait,
        pool_recycle=1800,
        # The one used last knows the plans of what is asked most: over all partitions, a plan takes a quarter of a second to make.
        pool_use_lifo=True,
        connect_args=connect_args,
    )

    @event.listens_for(engine, "connect")
    def _keep_plans(connection: Any, _: object) -> None:
        connection.prepared_max = limits.prepared
        share_niceness(connection)

    @event.listens_for(engine, "checkin")
    def _rests(_: object, record: ConnectionPoolEntry) -> None:
        record.info["rests_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _still_there(connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        since = record.info.get("rests_since")
        if since is None or time.monotonic() - since < _RESTED_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            # The pool opens another.
            raise DisconnectionError from error

    return engine


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """One transaction: committed when the block ends, rolled back when it raises.

    A database that cannot be reached, is lost on the way or has no room left is an UnavailableError; a full pool is a
    ConnectionsInUseError; a value that no column can hold is a ValueRefusedError.
    """
    with _connected(engine) as connection, connection.begin():
        yield connection


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """One transaction that sees the database as it was at its first statement, whatever others commit meanwhile."""
    with _connected(engine) as connected:
        connection = connected.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def reading(engine: Engine, *, statement_limit_s: int | None = None) -> Iterator[Connection]:
    """One read-only transaction, in which each statement sees what is committed when it begins.

    A `snapshot` would miss the samples of an hour that is packed meanwhile: PostgreSQL empties a partition for older snapshots too.
    statement_limit_s: a shorter limit of each statement than that of the role.
    """
    with _connected(engine) as connected:
        connection = connected.execution_options(postgresql_readonly=True)
        with connection.begin():
            if statement_limit_s is not None:
                connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{statement_limit_s}s'")
            yield connection


@contextmanager
def part_of(connection: Connection) -> Iterator[None]:
    """A part of a transaction. Its error undoes this part alone, and is one of those that `transaction` raises."""
    with _reported(connection.engine), connection.begin_nested():
        yield


@contextmanager
def autocommit(engine: Engine) -> Iterator[Connection]:
    """A connection in no transaction: each statement commits by itself."""
    with _connected(engine) as connection:
        yield connection.execution_options(isolation_level="AUTOCOMMIT")


@contextmanager
def _connected(engine: Engine) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except PoolTimeoutError as error:
        pool = cast("QueuePool", engine.pool)
        raise ConnectionsInUseError(
            f"{_address(engine)}: all {pool.checkedout()} database connections of this process were in use for {pool.timeout():g} s."
            " Try again in a few seconds."
        ) from error
    except OperationalError as error:
        raise DatabaseUnreachableError(
            f"{_address(engine)}: no connection to the database ({_first_line(engine, error)}). Is it running?"
        ) from error
    with _reported(engine), connection:
        yield connection


@contextmanager
def _reported(engine: Engine) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        if (trouble := _trouble(engine, error.orig, is_lost=error.connection_invalidated)) is None:
            raise
        raise trouble from error
    # Arrays go in and out past SQLAlchemy (db.copying).
    except psycopg.Error as error:
        # What the server did not say itself is that it can no longer be heard.
        is_lost = error.sqlstate is None and isinstance(error, psycopg.OperationalError)
        if (trouble := _trouble(engine, error, is_lost=is_lost)) is None:
            raise
        raise trouble from error


_DISK_FULL, _CANCELED, _LOCKED, _OVERTAKEN = "53100", "57014", "55P03", "40001"
# Shut down, crashed, or not up yet; and anything that breaks the connection.
_LOST = ("57P01", "57P02", "57P03", "08")


def _trouble(engine: Engine, error: BaseException | None, *, is_lost: bool) -> StorageError | None:
    """What everybody else will meet, too, and what no column can hold; None for a fault of one statement."""
    state = str(getattr(error, "sqlstate", None) or "")
    if isinstance(error, psycopg.DataError):
        return ValueRefusedError(
            f"{_address(engine)}: the database cannot hold a value that it was given ({_first_line(engine, error)}). Nothing was stored."
        )
    if state == _DISK_FULL:
        return DiskFullError(
            f"{_address(engine)}: the database cannot write, for its disk is full ({_first_line(engine, error)}). Free some space there;"
            " Gavel goes on by itself then."
        )
    if state == _CANCELED:
        return TooSlowError(
            f"{_address(engine)}: the database canceled a statement ({_first_line(engine, error)}). The database may be overloaded;"
            " a shorter time range takes it less time."
        )
    if state == _LOCKED:
        return LockedError(
            f"{_address(engine)}: another transaction kept a table locked ({_first_line(engine, error)}). Try again in a minute."
        )
    if state == _OVERTAKEN:
        return SnapshotError(
            f"{_address(engine)}: another transaction changed the same rows meanwhile ({_first_line(engine, error)}). Try again."
        )
    if is_lost or state.startswith(_LOST):
        return LostError(
            f"{_address(engine)}: the connection to the database was lost ({_first_line(engine, error)}). Is it running?"
        )
    return None


def _host(engine: Engine) -> str:
    host = engine.url.host or engine.url.query.get("host") or "local socket"
    return host if isinstance(host, str) else ",".join(host)


def _address(engine: Engine) -> str:
    """Readers see these messages: the folder of an embedded database is none of their business."""
    host = _host(engine)
    return f"{'local socket' if host.startswith('/') else host}/{engine.url.database}"


def _first_line(engine: Engine, error: BaseException | None) -> str:
    cause = getattr(error, "orig", None) or error
    line = str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__
    return line.replace(_host(engine), "…") if _host(engine).startswith("/") else line
