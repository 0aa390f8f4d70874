"""Work that waits: typed rows, and what an existing store had waiting goes on being done."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from alembic import command
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError
from tests.db.conftest import Store

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.migrate import configuration
from gavel.db.queries.correlation import Change, changes
from gavel.db.schema.work import CORRELATING_GUESTS, PendingWork, WorkKind, correlating, dirty_window, ordering, rolling

AT = datetime(2026, 7, 14, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TEXTS = ("order vm_disk_sample", "roll vm_disk_5m", "correlate 7", "correlate guests", "correlate late guests")
SOURCE = """
    INSERT INTO source (id, kind, name, address, created_at) OVERRIDING SYSTEM VALUE
    VALUES (7, 'vcenter', 'vcenter', '127.0.0.1', now())
"""


@pytest.fixture
def empty(empty_postgres_url: str) -> Iterator[Engine]:
    engine = open_engine(empty_postgres_url, Role.MIGRATIONS)
    yield engine
    engine.dispose()


def alembic(engine: Engine, name: str, revision: str) -> None:
    with transaction(engine) as connection:
        getattr(command, name)(configuration(connection), revision)


def rows(engine: Engine, columns: str) -> list[tuple[object, ...]]:
    with transaction(engine) as connection:
        query = text(f"SELECT {columns} FROM dirty_window ORDER BY lo")
        return [tuple(row) for row in connection.execute(query)]


def with_texts(engine: Engine, tasks: tuple[str, ...]) -> None:
    """A store as it was before work was typed, each with a window of its own."""
    alembic(engine, "upgrade", "0038")
    note = text("INSERT INTO dirty_window (task, lo, hi) VALUES (:task, :lo, :hi)")
    with transaction(engine) as connection:
        connection.execute(text(SOURCE))
        for position, task in enumerate(tasks):
            connection.execute(note, {"task": task, "lo": AT + position * MINUTE, "hi": AT + (position + 1) * MINUTE})


def test_work_that_waited_as_text_is_read_as_typed_rows_and_back(empty: Engine) -> None:
    with_texts(empty, TEXTS)
    before = rows(empty, "task, lo, hi")
    alembic(empty, "upgrade", "0039")
    assert rows(empty, "kind, series, source_id") == [
        ("order", "vm_disk_sample", None),
        ("roll", "vm_disk_5m", None),
        ("correlate", None, 7),
        ("correlate_guests", None, None),
        ("correlate_late_guests", None, None),
    ]
    with transaction(empty) as connection:
        found = changes(connection, AT + 10 * MINUTE)
    sources = [(change.source_id, change.lo, change.is_held) for change in found]
    assert sources == [(None, AT + 4 * MINUTE, True), (None, AT + 3 * MINUTE, False), (7, AT + 2 * MINUTE, False)]
    alembic(empty, "downgrade", "0038")
    assert rows(empty, "task, lo, hi") == before


def test_work_for_a_source_that_was_removed_meanwhile_is_left_out(empty: Engine) -> None:
    with_texts(empty, ("correlate 7", "correlate 8"))
    alembic(empty, "upgrade", "0039")
    assert rows(empty, "kind, source_id") == [("correlate", 7)]


def test_work_of_guests_goes_with_them_when_the_schema_goes_back(empty: Engine) -> None:
    """Code from before guests reads an id behind "correlate"."""
    with_texts(empty, (*TEXTS, "order guest_disk_sample"))
    alembic(empty, "downgrade", "0031")
    assert rows(empty, "task") == [("order vm_disk_sample",), ("roll vm_disk_5m",), ("correlate 7",)]


def test_work_goes_with_its_source(plain: Store) -> None:
    plain.run(SOURCE)
    with transaction(plain.engine) as connection:
        notes = (correlating(7), CORRELATING_GUESTS, ordering("vm_disk_sample"), rolling("vm_disk_5m"))
        connection.execute(dirty_window.insert(), [work.of(AT, AT + MINUTE) for work in notes])
        found = changes(connection, AT)
    assert {(change.source_id, change.is_held) for change in found} == {(7, False), (None, False)}
    plain.run("DELETE FROM source WHERE id = 7")
    with transaction(plain.engine) as connection:
        assert [(change.source_id, change.lo) for change in changes(connection, AT)] == [(None, AT)]
    assert plain.value("SELECT count(*) FROM dirty_window") == 3


def test_work_held_back_is_a_change_once_its_window_has_ended(plain: Store) -> None:
    with transaction(plain.engine) as connection:
        late = PendingWork(WorkKind.CORRELATE_LATE_GUESTS)
        connection.execute(dirty_window.insert(), late.of(AT, AT + MINUTE))
        assert changes(connection, AT) == ()
        (change,) = changes(connection, AT + MINUTE)
    assert change == Change(change.id, None, AT, AT + MINUTE, is_held=True)


@pytest.mark.parametrize(
    "work",
    [
        PendingWork(WorkKind.ROLL),
        PendingWork(WorkKind.ORDER, series="vm_disk_sample", source_id=7),
        PendingWork(WorkKind.CORRELATE),
        PendingWork(WorkKind.CORRELATE, series="vm_disk_5m", source_id=7),
        PendingWork(WorkKind.CORRELATE_GUESTS, source_id=7),
        correlating(8),
    ],
)
def test_work_is_refused_without_what_its_kind_is_for_or_with_something_else(plain: Store, work: PendingWork) -> None:
    plain.run(SOURCE)
    with pytest.raises(IntegrityError), transaction(plain.engine) as connection:
        connection.execute(dirty_window.insert(), work.of(AT, AT + MINUTE))


def test_work_of_no_kind_is_refused(plain: Store) -> None:
    with pytest.raises(IntegrityError, match="ck_dirty_window_kind"):
        plain.run("INSERT INTO dirty_window (kind, lo, hi) VALUES ('paint', now(), now())")
