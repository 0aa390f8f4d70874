"""Minutes whose samples are gone in part, or may be, stay as they were written."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy import text
from tests.correlate.conftest import Preparation
from tests.correlate.correlated import START, Environment, begin

from gavel.correlate.run import GRACE, MINUTE
from gavel.db.engine import transaction
from gavel.db.queries.correlation import LedgerProgress, save_progress
from gavel.db.series import maintenance
from gavel.domain.scope import ScopeKind

pytestmark = pytest.mark.usefixtures("prepared")

DAY = timedelta(days=1)
WRITTEN_AT = START + 3 * MINUTE + GRACE


def written(environment: Environment) -> None:
    """Minutes of both sides from START on."""
    begin(environment)
    environment.both(START, 3)
    environment.correlate(WRITTEN_AT)


@pytest.fixture
def prepared() -> Preparation:
    return written


def ledger(environment: Environment) -> list[tuple[object, ...]]:
    kinds = (ScopeKind.DATASTORE, ScopeKind.VOLUME, ScopeKind.ARRAY)
    columns = "entity_id, read_ops, all_array_time, all_kernel_time, quality_reasons"
    return [row for kind in kinds for row in environment.rows(kind, columns) if row[0] < 3]


def samples_gone(environment: Environment) -> datetime:
    """Three days later, when they have been dropped; minutes were written meanwhile, as on every day."""
    now = START + 3 * DAY
    with transaction(environment.engine) as connection:
        save_progress(connection, LedgerProgress(now, None, frozenset()))
    maintenance.roll_dirty(environment.engine, START + DAY)
    maintenance.drop_expired(environment.engine, now)
    assert environment.count("SELECT count(*) FROM host_device_sample") == 0
    return now


def late(environment: Environment) -> None:
    """What one side says of the second minute, otherwise than before."""
    environment.hosts(START + MINUTE, 1, gavg_us=2_000)


def test_a_sample_later_than_retention_leaves_its_minute_as_it_was(environment: Environment) -> None:
    before, now = ledger(environment), samples_gone(environment)
    late(environment)
    environment.correlate(now + MINUTE)
    assert before
    assert ledger(environment) == before
    assert environment.count("SELECT count(*) FROM dirty_minute") == 0
    assert environment.count("SELECT count(*) FROM dirty_window WHERE kind = 'correlate'") == 0


def test_a_minute_that_waited_until_its_samples_went_stays_as_it_was(environment: Environment) -> None:
    before, now = ledger(environment), samples_gone(environment)
    late(environment)
    with transaction(environment.engine) as connection:
        connection.execute(text("DELETE FROM dirty_window WHERE kind = 'correlate'"))
        at = START + MINUTE
        connection.execute(text("INSERT INTO dirty_minute (minute, is_late) VALUES (:at, true)"), {"at": at})
    environment.correlate(now)
    assert ledger(environment) == before
    assert environment.count("SELECT count(*) FROM dirty_minute") == 0


def test_a_late_sample_within_retention_still_makes_its_minute_again(environment: Environment) -> None:
    before = ledger(environment)
    late(environment)
    environment.correlate(WRITTEN_AT)
    assert ledger(environment) != before
