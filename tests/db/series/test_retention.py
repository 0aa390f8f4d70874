"""How long rows stay is the operator's: checked, in force in both modes, and what went does not come back with a longer length."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory

from gavel.db.engine import reading, transaction
from gavel.db.migrate import set_retention
from gavel.db.queries.buckets import window
from gavel.db.queries.kept import KeptGrain, kept
from gavel.db.series import maintenance, modes, retention
from gavel.db.series.catalog import DEFAULT_KEEP, Mode
from gavel.domain.errors import SettingsError
from gavel.domain.retention import Grain
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEY = host_inventory().devices[0].key
POLICIES = """
    SELECT (config ->> CASE proc_name WHEN 'policy_retention' THEN 'drop_after'
        WHEN 'policy_refresh_continuous_aggregate' THEN 'start_offset' ELSE 'compress_after' END)::interval
    FROM timescaledb_information.jobs j LEFT JOIN timescaledb_information.continuous_aggregates a
        ON (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (j.hypertable_schema, j.hypertable_name)
    WHERE proc_name = :policy AND coalesce(a.view_name, j.hypertable_name) = :series
"""
RETENTION, REFRESH, PACKING = "policy_retention", "policy_refresh_continuous_aggregate", "policy_compression"


@pytest.fixture(name="store")
def restored_store(store: Store) -> Iterator[Store]:
    """As it was, afterwards: that on TimescaleDB is of other files, too."""
    yield store
    kept_always(store, {})


def change(store: Store, chosen: Mapping[Grain, timedelta]) -> list[retention.RetentionChange]:
    with transaction(store.engine) as connection:
        return retention.change(connection, chosen)


def kept_always(store: Store, chosen: Mapping[Grain, timedelta]) -> None:
    """As if the store had kept rows so long from the beginning."""
    change(store, chosen)
    store.run(f"UPDATE storage_mode SET {', '.join(f'{grain}_from = NULL' for grain in Grain)}")
    with transaction(store.engine) as connection:
        retention.fit_policies(connection, modes.storage(connection))


def mode(store: Store) -> Mode:
    return Mode.TIMESCALE if store.timescale else Mode.PLAIN


def policy(store: Store, name: str, series: str) -> timedelta:
    found = store.value(POLICIES, policy=name, series=series)
    assert isinstance(found, timedelta)
    return found


def run_policy(store: Store, name: str, series: str) -> None:
    """Do what the policy does with its stored lengths at `NOW`. A job of TimescaleDB goes by the database's own clock."""
    before = NOW - policy(store, name, series)
    statement = {
        RETENTION: "SELECT drop_chunks(:series, older_than => :before)",
        REFRESH: f"CALL refresh_continuous_aggregate('{series}', :before, :until)",
    }[name]
    with store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        values = {"series": series, "before": before, "until": NOW}
        connection.execute(text(statement), {name: value for name, value in values.items() if f":{name}" in statement})


def drop(store: Store) -> None:
    """What is too old, as the store does it by itself."""
    if store.timescale:
        run_policy(store, RETENTION, "host_device_sample")
    else:
        maintenance.drop_expired(store.engine, NOW)


def filled(store: Store, ago: timedelta) -> int:
    """A source with an hour of samples from so long ago on."""
    source_id = store.with_environment(host_inventory(), NOW)
    store.write(source_id, batch(Stream.HOST_DEVICE, KEY, every(20, NOW - ago, 180), read_ops=5))
    return source_id


def rows(store: Store, table: str, source_id: int) -> object:
    query = f"SELECT count(*) FROM {table} r JOIN host_device d ON d.id = r.entity_id WHERE d.source_id = :id"
    return store.value(query, id=source_id)


def ops(store: Store, source_id: int) -> object:
    query = (
        "SELECT sum(read_ops) FROM host_device_5m r JOIN host_device d ON d.id = r.entity_id WHERE d.source_id = :id"
    )
    return store.value(query, id=source_id)


def since(store: Store, grain: Grain) -> timedelta:
    """How long ago."""
    with reading(store.engine) as connection:
        storage = modes.storage(connection)
        return storage.now - storage.since(grain)


def finest(store: Store, ago: timedelta) -> timedelta:
    """Of the buckets that a chart of ten minutes gets."""
    start = datetime.now(UTC) - ago
    with reading(store.engine) as connection:
        return window(connection, start, start + timedelta(minutes=10), 700).step


def test_retention_is_the_default_of_the_mode_until_it_is_set(store: Store) -> None:
    with reading(store.engine) as connection:
        storage = modes.storage(connection)
    assert {grain: storage.keep(grain) for grain in Grain} == DEFAULT_KEEP[mode(store)]
    assert {grain: storage.now - storage.since(grain) for grain in Grain} == DEFAULT_KEEP[mode(store)]
    assert change(store, {}) == []


def test_retention_that_was_shortened_drops_and_its_sums_stay(store: Store) -> None:
    kept_always(store, {Grain.SAMPLES: 6 * DAY})
    old, young = filled(store, 4 * DAY), filled(store, 5 * HOUR)
    store.roll(NOW)
    assert [rows(store, "host_device_sample", source) for source in (old, young)] == [180, 180]
    (found,) = change(store, {Grain.SAMPLES: 3 * DAY})
    assert (found.grain, found.before, found.after, found.is_default) == (Grain.SAMPLES, 6 * DAY, 3 * DAY, False)
    drop(store)
    assert [rows(store, "host_device_sample", source) for source in (old, young)] == [0, 180]
    assert ops(store, old) == 900


def test_retention_that_was_lengthened_keeps(store: Store) -> None:
    longer = DEFAULT_KEEP[mode(store)][Grain.SAMPLES] + 4 * DAY
    change(store, {Grain.SAMPLES: longer})
    source = filled(store, longer - DAY)
    store.roll(NOW)
    drop(store)
    assert rows(store, "host_device_sample", source) == 180


def test_retention_that_was_lengthened_leaves_sums_of_dropped_samples(store: Store) -> None:
    """Made again from what is left of them, they would be wrong, or gone."""
    kept_always(store, {Grain.SAMPLES: 6 * DAY})
    source = filled(store, 4 * DAY)
    store.roll(NOW)
    change(store, {Grain.SAMPLES: 3 * DAY})
    drop(store)
    change(store, {Grain.SAMPLES: 12 * DAY})
    # A sample of that hour that comes late is all that there would be to make its sum from.
    store.write(source, batch(Stream.HOST_DEVICE, KEY, every(20, NOW - 4 * DAY, 1), read_ops=5))
    if store.timescale:
        run_policy(store, REFRESH, "host_device_5m")
    else:
        maintenance.roll_dirty(store.engine, NOW)
    assert ops(store, source) == 900


def test_retention_decides_which_grain_is_read(store: Store) -> None:
    minute, five = timedelta(minutes=1), timedelta(minutes=5)
    kept_always(store, {Grain.SAMPLES: 5 * DAY, Grain.FIVE_MINUTES: 20 * DAY})
    assert finest(store, 4 * DAY) < minute
    assert [finest(store, ago) for ago in (6 * DAY, 19 * DAY, 21 * DAY)] == [five, five, HOUR]
    change(store, {Grain.SAMPLES: 3 * DAY, Grain.FIVE_MINUTES: 10 * DAY})
    assert finest(store, 2 * DAY) < minute
    assert [finest(store, ago) for ago in (4 * DAY, 9 * DAY, 11 * DAY)] == [five, five, HOUR]
    change(store, {Grain.SAMPLES: 12 * DAY, Grain.FIVE_MINUTES: 40 * DAY})
    assert [finest(store, ago) for ago in (4 * DAY, 9 * DAY, 11 * DAY)] == [five, five, HOUR], (
        "it went under the shorter one"
    )


def test_retention_set_twice_changes_nothing_the_second_time(store: Store) -> None:
    chosen = {Grain.SAMPLES: 3 * DAY, Grain.MINUTES: 9 * DAY, Grain.FIVE_MINUTES: 40 * DAY, Grain.HOURS: 100 * DAY}
    changed = change(store, chosen)
    assert {one.grain: one.after for one in changed} == chosen
    before = store.rows("SELECT * FROM storage_mode")
    assert change(store, chosen) == []
    assert store.rows("SELECT * FROM storage_mode") == before
    assert maintenance.fit_policies(store.engine) == 0
    assert {one.grain: (one.before, one.is_default) for one in change(store, {})} == {
        grain: (length, True) for grain, length in chosen.items()
    }


def test_retention_shortened_and_lengthened_is_whole_from_when_it_was_short(store: Store) -> None:
    change(store, {Grain.MINUTES: 3 * DAY})
    change(store, {Grain.MINUTES: 20 * DAY})
    assert 3 * DAY <= since(store, Grain.MINUTES) < 3 * DAY + HOUR
    # Days later.
    store.run("UPDATE storage_mode SET minutes_from = minutes_from - INTERVAL '5 days'")
    assert 8 * DAY <= since(store, Grain.MINUTES) < 8 * DAY + HOUR
    store.run("UPDATE storage_mode SET minutes_from = minutes_from - INTERVAL '50 days'")
    assert since(store, Grain.MINUTES) == 20 * DAY


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({Grain.SAMPLES: 47 * HOUR}, "GAVEL_KEEP_SAMPLES: 47h is outside the limits, 2d to"),
        ({Grain.SAMPLES: 32 * DAY}, "GAVEL_KEEP_SAMPLES: 32d is outside the limits, 2d to"),
        ({Grain.MINUTES: DAY}, "GAVEL_KEEP_MINUTES: 24h is outside the limits, 2d to 31d"),
        ({Grain.FIVE_MINUTES: 7 * DAY}, "GAVEL_KEEP_5_MINUTES: 7d is outside the limits, 8d to 90d"),
        ({Grain.HOURS: 401 * DAY}, "GAVEL_KEEP_HOURS: 401d is outside the limits, 30d to 400d"),
        (
            {Grain.MINUTES: 31 * DAY},
            r"GAVEL_KEEP_5_MINUTES: 30d \(the default\) is shorter than GAVEL_KEEP_MINUTES, 31d\.",
        ),
        (
            {Grain.FIVE_MINUTES: 40 * DAY, Grain.HOURS: 30 * DAY},
            "GAVEL_KEEP_HOURS: 30d is shorter than GAVEL_KEEP_5_MINUTES, 40d",
        ),
    ],
)
def test_retention_that_cannot_be_is_refused_and_nothing_changes(
    store: Store, chosen: dict[Grain, timedelta], said: str
) -> None:
    before = store.rows("SELECT * FROM storage_mode")
    with pytest.raises(SettingsError, match=said):
        change(store, chosen)
    assert store.rows("SELECT * FROM storage_mode") == before


def test_retention_limits_of_samples_are_those_of_the_mode(store: Store) -> None:
    longer = {Grain.SAMPLES: 15 * DAY}
    if store.timescale:
        assert [one.after for one in change(store, longer)] == [15 * DAY]
        return
    with pytest.raises(SettingsError, match="15d is outside the limits, 2d to 14d, on plain PostgreSQL"):
        change(store, longer)


def test_retention_policies_of_timescaledb_fit_each_other_after_a_change(store: Store) -> None:
    if not store.timescale:
        with transaction(store.engine) as connection:
            assert retention.fit_policies(connection, modes.storage(connection)) == 0
        return
    assert policy(store, RETENTION, "vm_disk_sample") == 14 * DAY
    assert policy(store, REFRESH, "vm_disk_5m") == 13 * DAY
    chosen = {Grain.SAMPLES: 4 * DAY, Grain.MINUTES: 5 * DAY, Grain.FIVE_MINUTES: 20 * DAY, Grain.HOURS: 60 * DAY}
    change(store, chosen)
    series = {
        Grain.SAMPLES: ("vm_disk_sample", "ledger_leaf_1m"),
        Grain.MINUTES: ("ledger_1m",),
        Grain.FIVE_MINUTES: ("vm_disk_5m", "ledger_5m", "ledger_measured_5m"),
        Grain.HOURS: ("vm_disk_1h", "ledger_1h", "ledger_measured_1h"),
    }
    for grain, names in series.items():
        assert {name: policy(store, RETENTION, name) for name in names} == dict.fromkeys(names, chosen[grain])
    made_from = {"vm_disk_5m": Grain.SAMPLES, "ledger_5m": Grain.MINUTES, "ledger_1h": Grain.FIVE_MINUTES}
    for name, source in made_from.items():
        assert policy(store, REFRESH, name) == chosen[source] - DAY, "what has to be made again is there for a day more"
        assert policy(store, PACKING, name) == HOUR, "what may be made again is packed as soon as all else"
    assert policy(store, PACKING, "vm_disk_sample") == HOUR


def test_retention_that_was_lengthened_is_refreshed_as_far_back_as_there_are_samples(store: Store) -> None:
    change(store, {Grain.SAMPLES: 4 * DAY})
    change(store, {Grain.SAMPLES: 12 * DAY})
    if not store.timescale:
        return
    assert policy(store, REFRESH, "vm_disk_5m") == 3 * DAY
    store.run("UPDATE storage_mode SET samples_from = samples_from - INTERVAL '2 days'")
    assert maintenance.fit_policies(store.engine) > 0
    assert policy(store, REFRESH, "vm_disk_5m") == 5 * DAY
    store.run("UPDATE storage_mode SET samples_from = samples_from - INTERVAL '200 days'")
    maintenance.fit_policies(store.engine)
    assert policy(store, REFRESH, "vm_disk_5m") == 11 * DAY


def test_kept_says_what_is_in_force_and_grows_by_the_rows_that_are_there(store: Store) -> None:
    change(store, {Grain.SAMPLES: 10 * DAY})
    filled(store, 9 * DAY)
    change(store, {Grain.SAMPLES: 3 * DAY})
    with reading(store.engine) as connection:
        found = {each.grain: each for each in kept(connection)}
    for grain in (KeptGrain.SAMPLES, KeptGrain.LEAF_MINUTES):
        assert (found[grain].keep_days, found[grain].setting, found[grain].is_default) == (
            3,
            "GAVEL_KEEP_SAMPLES",
            False,
        )
    assert (found[KeptGrain.HOURS].setting, found[KeptGrain.HOURS].is_default) == ("GAVEL_KEEP_HOURS", True)
    samples = found[KeptGrain.SAMPLES]
    assert samples.since is not None
    days = (datetime.now(UTC) - samples.since) / DAY
    assert days > 8
    assert samples.bytes_a_day == pytest.approx(samples.bytes / days, rel=0.01)
    assert samples.full_bytes == pytest.approx(samples.bytes * 3 / days, rel=0.01)


def test_retention_is_set_by_several_processes_at_once_as_by_one(plain: Store, postgres_url: str) -> None:
    assert [one.grain for one in set_retention(postgres_url, {Grain.SAMPLES: 3 * DAY})] == [Grain.SAMPLES]
    assert set_retention(postgres_url, {Grain.SAMPLES: 3 * DAY}) == []
    assert plain.value("SELECT keep_samples FROM storage_mode") == 3 * DAY
