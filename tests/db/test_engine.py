"""Connections of a pool: what is gone is noticed before it is used again, and what has just worked is not asked."""

import os
import subprocess
import sys
import time

import psycopg
import pytest
from sqlalchemy import make_url, text
from tests.db.conftest import Store

from gavel.db import engine as connections
from gavel.db.engine import Engine, reading
from gavel.db.errors import LostError


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
    monkeypatch.setattr(connections, "_RESTED_S", 0.05)
    pid = backend(plain.engine)
    end(postgres_url, pid)
    time.sleep(0.1)
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
