"""Connections of a pool: what is gone is noticed before it is used again, and what has just worked is not asked."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

import numpy as np
import psycopg
import pytest
from sqlalchemy import make_url, text
from tests.db.conftest import Store
from tests.ports import reserve_port

from gavel.db import engine as connections
from gavel.db.copying import Field, copy, fetch, pack
from gavel.db.databases import create
from gavel.db.engine import Connection, Engine, Role, open_engine, reading, transaction
from gavel.db.errors import (
    ConnectionsInUseError,
    DatabaseUnreachableError,
    DiskFullError,
    LostError,
    TooSlowError,
    ValueRefusedError,
)
from gavel.db.locks import after_others, lock_key, one_of, only_one


def backend(engine: Engine) -> int:
    """The server's process of the connection that is used next."""
    with reading(engine) as connection:
        return int(connection.execute(text("SELECT pg_backend_pid()")).scalar_one())


def end(url: str, pid: int) -> None:
    """From a session that has nothing to do with the pool."""
    with psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_connection_that_was_lost_while_it_rested_is_replaced(
    plain: Store, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_RESTED_S", 0.0)
    pid = backend(plain.engine)
    end(postgres_url, pid)
    assert backend(plain.engine) != pid


def test_connection_that_just_worked_is_not_asked_whether_it_does(
    plain: Store, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_RESTED_S", 60.0)
    pid = backend(plain.engine)
    end(postgres_url, pid)
    # So no question was asked before this one; and after it the connection is another.
    with pytest.raises(LostError):
        backend(plain.engine)
    assert backend(plain.engine) != pid


def test_connection_lost_under_arrays_that_are_read_is_said_as_for_any_question(
    plain: Store, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_RESTED_S", 60.0)
    end(postgres_url, backend(plain.engine))
    with pytest.raises(LostError), reading(plain.engine) as connection:
        fetch(connection, "SELECT 1::bigint AS one", {}, {"one": "i8"})
    with pytest.raises(LostError), transaction(plain.engine) as connection:
        _copy_after_end(connection, postgres_url)


def _copy_after_end(connection: Connection, postgres_url: str) -> None:
    end(postgres_url, connection.execute(text("SELECT pg_backend_pid()")).scalar_one())
    _copy_one(connection, "anything")


def _copy_one(connection: Connection, table: str) -> None:
    copy(connection, table, _FIELDS, pack(_FIELDS, {"one": np.array([1])}))


_FIELDS = (Field("one", "bigint"),)
# What PostgreSQL answers where it has no room, at the row at which it needs some.
_FULL = """
    CREATE TEMP TABLE filled (one bigint);
    CREATE FUNCTION pg_temp.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION pg_temp.full();
"""


def _inserted(connection: Connection) -> None:
    connection.execute(text(f"{_FULL}; INSERT INTO filled VALUES (1)"))


def _copied(connection: Connection) -> None:
    connection.execute(text(_FULL))
    _copy_one(connection, "filled")


@pytest.mark.parametrize("write", [_inserted, _copied])
def test_a_full_disk_is_said_where_rows_are_copied_as_where_they_are_inserted(
    plain: Store, write: Callable[[Connection], None]
) -> None:
    with pytest.raises(DiskFullError, match="its disk is full"), transaction(plain.engine) as connection:
        write(connection)


def _refused(connection: Connection) -> None:
    connection.execute(text("SELECT CAST('seven' AS bigint)"))


def _refused_arrays(connection: Connection) -> None:
    fetch(connection, "SELECT CAST(:number AS bigint) AS one", {"number": "seven"}, {"one": "i8"})


@pytest.mark.parametrize("ask", [_refused, _refused_arrays])
def test_a_value_that_no_column_can_hold_is_said_of_arrays_as_of_rows(
    plain: Store, ask: Callable[[Connection], None]
) -> None:
    with pytest.raises(ValueRefusedError, match="cannot hold a value"), reading(plain.engine) as connection:
        ask(connection)


_HASTY = text("SET LOCAL statement_timeout = 50")


def _slow(connection: Connection) -> None:
    connection.execute(_HASTY)
    connection.execute(text("SELECT pg_sleep(5)"))


def _slow_arrays(connection: Connection) -> None:
    connection.execute(_HASTY)
    fetch(connection, "SELECT 1::bigint AS one FROM pg_sleep(5)", {}, {"one": "i8"})


@pytest.mark.parametrize("ask", [_slow, _slow_arrays])
def test_a_statement_at_its_time_limit_says_what_to_do(plain: Store, ask: Callable[[Connection], None]) -> None:
    with (
        pytest.raises(TooSlowError, match=r"statement timeout\). .*a shorter time range"),
        reading(plain.engine) as connection,
    ):
        ask(connection)


def test_a_fault_of_one_statement_stays_one(plain: Store) -> None:
    with pytest.raises(psycopg.errors.UndefinedTable), transaction(plain.engine) as connection:
        _copy_one(connection, "no_such_table")


_NICE_SESSION = """
import os, sys
from sqlalchemy import text
from gavel.db.engine import Role, open_engine, reading
os.nice(int(sys.argv[2]))
with reading(open_engine(sys.argv[1], Role.WORKER)) as connection:
    pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    print(os.getpriority(os.PRIO_PROCESS, pid))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="niceness is shared on Linux alone")
@pytest.mark.parametrize("further", [0, 3])
def test_session_waits_for_processors_as_the_process_it_works_for(postgres_url: str, further: int) -> None:
    asked = [sys.executable, "-c", _NICE_SESSION, postgres_url, str(further)]
    found = subprocess.run(asked, check=True, capture_output=True, text=True)
    assert int(found.stdout) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + further)


@pytest.mark.parametrize(
    "lock",
    [
        lambda engine: only_one(engine, "work"),
        lambda engine: after_others(engine, "work", "other work"),
        lambda engine: one_of(engine, "work", 2),
    ],
)
def test_a_lock_of_a_database_that_is_away_is_reported_as_for_any_question(
    lock: Callable[[Engine], AbstractContextManager[object]],
) -> None:
    engine = open_engine(f"postgresql://gavel@127.0.0.1:{reserve_port()}/gavel", Role.WORKER)
    with pytest.raises(DatabaseUnreachableError), lock(engine):
        pass
    with pytest.raises(DatabaseUnreachableError):
        create(engine, "other")


def _holder(engine: Engine, work: str) -> int:
    """The server's process that holds the lock of some work."""
    held = text(
        "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint) = :key"
    )
    with reading(engine) as connection:
        return int(connection.execute(held, {"key": lock_key(work)}).scalar_one())


@pytest.mark.parametrize("lock", [only_one, after_others])
def test_a_lock_lost_under_failing_work_leaves_the_error_of_the_work(
    plain: Store, postgres_url: str, lock: Callable[[Engine, str], AbstractContextManager[object]]
) -> None:
    def fail() -> None:
        end(postgres_url, _holder(plain.engine, "work"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), lock(plain.engine, "work"):
        fail()
    with pytest.raises(LostError), lock(plain.engine, "work"):
        end(postgres_url, _holder(plain.engine, "work"))
    with only_one(plain.engine, "work") as held:
        assert held


def test_a_full_pool_is_reported_as_such_and_not_as_a_database_that_is_down(
    plain: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain.engine.pool, "_timeout", 0.01)
    with ExitStack() as held:
        for _ in range(5):
            held.enter_context(reading(plain.engine))
        with pytest.raises(ConnectionsInUseError) as refused, reading(plain.engine):
            pass
    assert "all 5 database connections of this process were in use for 0.01 s. Try again in a few seconds." in str(
        refused.value
    )
