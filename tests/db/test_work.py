"""Work that waits: typed rows."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.exc import IntegrityError
from tests.db.conftest import Store

from gavel.db.engine import transaction
from gavel.db.queries.correlation import Change, changes
from gavel.db.schema.work import CORRELATING_GUESTS, PendingWork, WorkKind, correlating, dirty_window, ordering, rolling

AT = datetime(2026, 7, 14, 10, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SOURCE = """
    INSERT INTO source (id, kind, name, address, created_at) OVERRIDING SYSTEM VALUE
    VALUES (7, 'vcenter', 'vcenter', '127.0.0.1', now())
"""


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
