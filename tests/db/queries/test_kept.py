"""What is kept and what it takes, by the database's own sizes, in both modes."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory
from tests.db.ledgers import ledger_rows
from tests.db.write.test_ledger import grid, minutes_from, write

from gavel.db.engine import reading
from gavel.db.queries.kept import Kept, KeptGrain, kept
from gavel.db.series import maintenance
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)


def asked(store: Store) -> dict[KeptGrain, Kept]:
    with reading(store.engine) as connection:
        return {each.grain: each for each in kept(connection)}


def fill(store: Store, ago: timedelta, rows: int = 60) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    key = host_inventory().devices[0].key
    written = store.write(source_id, batch(Stream.HOST_DEVICE, key, every(20, NOW - ago, rows), read_ops=5))
    assert written.new_rows == rows


def test_kept_sizes_grow_with_rows(store: Store) -> None:
    before = asked(store)
    assert list(before) == list(KeptGrain)
    # Files grow in steps of up to 64 pages: 36 hours of rows are more than what another test's rows left over of one.
    fill(store, timedelta(hours=36), rows=36 * 180)
    store.roll(NOW)
    after = asked(store)
    for grain in (KeptGrain.SAMPLES, KeptGrain.FIVE_MINUTES):
        assert after[grain].bytes > before[grain].bytes
        since = after[grain].since
        assert since is not None
        assert since <= NOW - timedelta(hours=35)
    assert after[KeptGrain.SAMPLES].keep_days == (14 if store.timescale else 2)
    assert after[KeptGrain.HOURS].keep_days == 400


def test_kept_bytes_a_day_are_over_the_days_that_are_there(plain: Store) -> None:
    fill(plain, timedelta(hours=3))
    young = asked(plain)[KeptGrain.SAMPLES]
    assert (young.bytes_a_day, young.full_bytes) == (None, None), "hours are no day"
    fill(plain, timedelta(hours=36))
    found = asked(plain)[KeptGrain.SAMPLES]
    assert found.since is not None
    # By the database's clock, since tests may run long after this file was loaded.
    days = (datetime.now(UTC) - found.since) / DAY
    assert 1.4 < days < 1.6
    assert found.bytes_a_day == pytest.approx(found.bytes / days, rel=0.01)
    assert found.full_bytes == pytest.approx(found.bytes * 2 / days, rel=0.01), "samples stay for two days"
    assert asked(plain)[KeptGrain.LEAF_MINUTES].since is None, "empty partitions of the coming hours are no history"


ENVIRONMENT = scope_key(ScopeKind.ENVIRONMENT, ENVIRONMENT_ID)


def fill_environment(store: Store) -> datetime:
    """Two hours of minutes; returns when they begin."""
    began = NOW.replace(minute=0, second=0) - timedelta(hours=3)
    write(store, grid([ENVIRONMENT], minutes_from(began, 120)), *ledger_rows(120))
    store.roll(NOW)
    return began


def test_kept_sums_begin_when_they_do_and_not_with_their_partition(plain: Store) -> None:
    """That is of a day or a week: by its start, sums of a few hours would grow by a fraction of what they do."""
    began = fill_environment(plain)
    found = asked(plain)
    for grain in (KeptGrain.FIVE_MINUTES, KeptGrain.HOURS):
        assert (found[grain].since, found[grain].bytes_a_day, found[grain].full_bytes) == (began, None, None)


def test_kept_sums_of_a_chunk_begin_with_the_oldest_in_it(store: Store) -> None:
    """Unless there is none of the whole environment: another test's rows are older."""
    fill_environment(store)
    since = asked(store)[KeptGrain.HOURS].since
    assert since is not None
    oldest = "SELECT min(bucket) FROM ledger_1h WHERE entity_id = :key AND bucket < :until"
    width = timedelta(days=28 if store.timescale else 7)
    assert store.value(oldest, key=ENVIRONMENT, until=since + width) in (since, None)


def test_kept_sizes_count_what_is_packed(plain: Store) -> None:
    fill(plain, timedelta(hours=36))
    plain.roll(NOW)
    since = asked(plain)[KeptGrain.FIVE_MINUTES].since
    over = NOW + 2 * DAY
    while maintenance.reorder_closed(plain.engine, over):
        pass
    while maintenance.pack_closed(plain.engine, over + timedelta(minutes=15)):
        pass
    assert plain.value("SELECT count(*) FROM host_device_5m") == 0
    found = asked(plain)[KeptGrain.FIVE_MINUTES]
    assert (found.since, found.bytes > 0) == (since, True)
