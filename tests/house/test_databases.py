"""The databases the other tests stand on: real servers, apart from one another, and TimescaleDB's own features."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from sqlalchemy import make_url

T0 = datetime(2026, 1, 5, tzinfo=UTC)
CREATE = "CREATE TABLE sample (ts timestamptz NOT NULL, entity_id int NOT NULL, ops int, PRIMARY KEY (entity_id, ts))"


def libpq(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def connect(url: str, *, autocommit: bool = True) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(libpq(url), autocommit=autocommit, prepare_threshold=None, connect_timeout=10)


@pytest.fixture
def timescale(empty_timescale_url: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A connection to TimescaleDB with an empty hypertable `sample`."""
    with connect(empty_timescale_url) as connection:
        connection.execute("DROP TABLE IF EXISTS sample CASCADE")
        connection.execute(CREATE)
        connection.execute("SELECT create_hypertable('sample', by_range('ts', INTERVAL '1 hour'))")
        yield connection


def copy_samples(connection: psycopg.Connection[tuple[object, ...]], count: int, *, binary: bool = True) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY sample FROM STDIN{' BINARY' * binary}") as copy:
        copy.set_types(["timestamptz", "int4", "int4"])
        for index in range(count):
            copy.write_row((T0 + timedelta(seconds=20 * index), 1, index))


def count(connection: psycopg.Connection[tuple[object, ...]], relation: str = "sample") -> object:
    row = connection.execute(f"SELECT count(*) FROM {relation}").fetchone()
    assert row is not None
    return row[0]


def test_every_test_has_a_database_of_its_own_with_the_current_schema(postgres_url: str) -> None:
    with connect(postgres_url) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() is not None
        connection.execute("CREATE TABLE left_behind ()")


def test_what_another_test_left_behind_is_not_there(postgres_url: str) -> None:
    with connect(postgres_url) as connection:
        connection.execute("CREATE TABLE left_behind ()")


def test_an_empty_database_has_no_tables(empty_postgres_url: str) -> None:
    with connect(empty_postgres_url) as connection:
        assert count(connection, "pg_tables WHERE schemaname = 'public'") == 0


def test_the_current_schema_stands_on_timescaledb(timescale_url: str) -> None:
    with connect(timescale_url) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() is not None
        hypertables = connection.execute("SELECT hypertable_name FROM timescaledb_information.hypertables").fetchall()
        assert "vm_disk_sample" in {name for (name,) in hypertables}


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "text"])
def test_copy_reaches_the_chunks_of_a_hypertable(
    timescale: psycopg.Connection[tuple[object, ...]], *, binary: bool
) -> None:
    copy_samples(timescale, 400, binary=binary)
    assert count(timescale) == 400
    assert count(timescale, "show_chunks('sample')") == 3


def test_a_failed_copy_changes_nothing_and_leaves_the_connection_usable(
    timescale: psycopg.Connection[tuple[object, ...]],
) -> None:
    copy_samples(timescale, 3)
    with pytest.raises(psycopg.errors.UniqueViolation):
        copy_samples(timescale, 5)
    assert count(timescale) == 3


def test_a_copy_that_the_client_gives_up_changes_nothing(timescale: psycopg.Connection[tuple[object, ...]]) -> None:
    def give_up() -> None:
        with timescale.cursor() as cursor, cursor.copy("COPY sample FROM STDIN") as copy:
            copy.write_row((T0, 1, 1))
            raise TimeoutError

    with pytest.raises(TimeoutError):
        give_up()
    assert count(timescale) == 0


def test_a_copy_outside_the_simple_protocol_is_refused_in_words(
    timescale: psycopg.Connection[tuple[object, ...]],
) -> None:
    if os.environ.get("GAVEL_TEST_TS_URL"):
        pytest.skip("a limit of the bridge, not of a native server")
    answer = timescale.pgconn.exec_params(b"COPY sample FROM STDIN", [])
    assert b"as a simple query only" in answer.error_message
    assert count(timescale) == 0


def test_a_continuous_aggregate_is_refreshed_and_compressed_chunks_take_late_rows(
    timescale: psycopg.Connection[tuple[object, ...]],
) -> None:
    timescale.execute("ALTER TABLE sample SET (timescaledb.enable_columnstore, timescaledb.segmentby = 'entity_id')")
    timescale.execute("""
        CREATE MATERIALIZED VIEW sample_5m WITH (timescaledb.continuous, timescaledb.materialized_only = true) AS
        SELECT entity_id, time_bucket('5 minutes', ts) AS bucket, sum(ops)::int AS ops FROM sample GROUP BY 1, 2
        WITH NO DATA
    """)
    copy_samples(timescale, 180)
    chunk = timescale.execute("SELECT show_chunks('sample')::text").fetchone()
    assert chunk is not None
    timescale.execute(f"CALL convert_to_columnstore('{chunk[0]}')")
    timescale.execute("INSERT INTO sample VALUES (%s, 2, 7) ON CONFLICT DO NOTHING", (T0,))
    timescale.execute("CALL refresh_continuous_aggregate('sample_5m', NULL, NULL)")
    rows = timescale.execute("SELECT entity_id, bucket, ops FROM sample_5m ORDER BY 1, 2 LIMIT 1").fetchall()
    assert rows == [(1, T0, sum(range(15)))]
    assert timescale.execute("SELECT ops FROM sample_5m WHERE entity_id = 2").fetchall() == [(7,)]


def test_connections_keep_their_transactions_apart(empty_timescale_url: str) -> None:
    with connect(empty_timescale_url) as setup:
        setup.execute("DROP TABLE IF EXISTS counter")
        setup.execute("CREATE TABLE counter (n int)")
        setup.execute("INSERT INTO counter VALUES (0)")

    def add(times: int) -> None:
        with connect(empty_timescale_url, autocommit=False) as connection:
            for _ in range(times):
                row = connection.execute("SELECT n FROM counter FOR UPDATE").fetchone()
                assert row is not None
                connection.execute("UPDATE counter SET n = %s", (int(str(row[0])) + 1,))
                connection.commit()

    threads = [threading.Thread(target=add, args=(20,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with connect(empty_timescale_url) as connection:
        assert connection.execute("SELECT n FROM counter").fetchone() == (80,)


def test_a_connection_that_vanishes_inside_a_transaction_blocks_nobody(empty_timescale_url: str) -> None:
    with connect(empty_timescale_url) as setup:
        setup.execute("DROP TABLE IF EXISTS vanished")
        setup.execute("CREATE TABLE vanished (n int)")
    with closing(connect(empty_timescale_url, autocommit=False)) as vanishing:
        vanishing.execute("INSERT INTO vanished VALUES (1)")
        with socket.socket(fileno=os.dup(vanishing.pgconn.socket)) as wire:
            wire.shutdown(socket.SHUT_RDWR)
        with connect(empty_timescale_url) as other:
            assert count(other, "vanished") == 0
