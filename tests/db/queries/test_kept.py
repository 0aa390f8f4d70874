"""What is kept and what it takes, by the database's own sizes, in both modes."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory

from gavel.db.engine import reading
from gavel.db.queries.kept import Kept, KeptGrain, kept
from gavel.db.series import maintenance
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
    days = (NOW - found.since) / DAY
    assert 1.4 < days < 1.6
    assert found.bytes_a_day == pytest.approx(found.bytes / days, rel=0.03)
    assert found.full_bytes == pytest.approx(found.bytes * 2 / days, rel=0.03), "samples stay for two days"
    assert asked(plain)[KeptGrain.LEAF_MINUTES].since is None, "empty partitions of the coming hours are no history"


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
