"""Two writers at once, and the limits of each role."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, InternalError, OperationalError
from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory

from gavel.db.engine import Role, open_engine, reading
from gavel.db.errors import StorageError
from gavel.db.series import maintenance
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=5)
KEYS = [device.key for device in host_inventory().devices]


def test_two_writers_of_the_same_rows_store_them_once(plain: Store) -> None:
    source_id = plain.with_environment(host_inventory(), NOW)
    pages = [
        batch(Stream.HOST_DEVICE, key, every(20, HOUR + timedelta(seconds=20), 300), read_ops=3) for key in KEYS[:6]
    ]
    with ThreadPoolExecutor(2) as pool:
        forwards = pool.submit(lambda: [plain.write(source_id, page) for page in pages])
        backwards = pool.submit(lambda: [plain.write(source_id, page) for page in reversed(pages)])
        written = [*forwards.result(60), *backwards.result(60)]
    assert sum(page.new_rows for page in written) == 6 * 300
    assert plain.rows("SELECT count(*), count(DISTINCT (entity_id, ts)), sum(read_ops) FROM host_device_sample") == [
        (1800, 1800, 5400)
    ]


def test_writers_and_maintenance_do_not_disturb_one_another(plain: Store) -> None:
    """Late rows arrive in hours that are being rolled, ordered and read; every row is there in the end, in tables and roll-ups."""
    source_id = plain.with_environment(host_inventory(), NOW)

    def write(key: str) -> int:
        ends = every(20, HOUR + timedelta(seconds=20), 540)
        pages = [ends[n : n + 60] for n in range(0, 540, 60)]
        return sum(plain.write(source_id, batch(Stream.HOST_DEVICE, key, page, read_ops=1)).new_rows for page in pages)

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write, key) for key in KEYS[:4]]
        while not all(writer.done() for writer in writers):
            maintenance.maintain(plain.engine, NOW)
        assert [writer.result() for writer in writers] == [540] * 4
    maintenance.maintain(plain.engine, NOW)
    for table, count in (
        ("host_device_sample", "count(*)"),
        ("host_device_5m", "sum(n)"),
        ("host_device_1h", "sum(n)"),
    ):
        assert plain.value(f"SELECT {count} FROM {table}") == 4 * 540, table


@pytest.mark.parametrize(
    ("role", "limits"),
    [
        (Role.API, ("15s", "5s", "1min")),
        (Role.HEALTH, ("5s", "5s", "1min")),
        (Role.WORKER, ("2min", "30s", "2min")),
        (Role.MIGRATIONS, ("0", "0", "0")),
    ],
)
def test_each_role_has_its_limits(postgres_url: str, role: Role, limits: tuple[str, ...]) -> None:
    engine = open_engine(postgres_url, role, application_name="gavel test")
    names = (
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "jit",
        "TimeZone",
        "application_name",
    )
    with reading(engine) as connection:
        found = [connection.scalar(text(f"SHOW {name}")) for name in names]
    engine.dispose()
    assert found == [*limits, "off", "UTC", "gavel test"]


def test_reading_cannot_write(plain: Store) -> None:
    with (
        pytest.raises((InternalError, OperationalError, DBAPIError), match="read-only"),
        reading(plain.engine) as connection,
    ):
        connection.execute(text("DELETE FROM source"))


def test_a_url_of_another_database_is_refused() -> None:
    with pytest.raises(StorageError, match="'mysql'; Gavel needs postgresql"):
        open_engine("mysql://root@localhost/x", Role.API)


def test_the_api_keeps_the_plans_of_more_questions_than_a_round_over_all_pages_has(postgres_url: str) -> None:
    """Asked in turn, they would push one another out of a smaller memory, and each would be planned every time."""
    questions, times = [text(f"SELECT {number}") for number in range(200)], 7
    engine = open_engine(postgres_url, Role.API)
    try:
        for _ in range(times):
            with reading(engine) as connection:
                for question in questions:
                    connection.execute(question)
        with reading(engine) as connection:
            kept = connection.scalar(text("SELECT count(*) FROM pg_prepared_statements"))
    finally:
        engine.dispose()
    assert int(kept or 0) >= len(questions)
