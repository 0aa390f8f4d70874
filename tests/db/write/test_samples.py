"""Samples are written once, whatever is sent how often and in which order."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.db.conftest import Store, put_in_order
from tests.db.environments import array_inventory, batch, every, host_inventory

from gavel.db.engine import transaction
from gavel.db.errors import NotFoundError, SampleRangeError
from gavel.db.write.samples import advance_watermark, watermark
from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream, Watermark

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=2)
DEVICE = host_inventory().devices[0].key


def stored(store: Store, source_id: int) -> list[tuple[object, ...]]:
    return store.rows(
        "SELECT d.key, s.ts, s.read_ops, s.read_gavg_us FROM host_device_sample s JOIN host_device d ON d.id = s.entity_id"
        " WHERE d.source_id = :id ORDER BY 1, 2",
        id=source_id,
    )


def test_what_was_not_measured_is_null_and_zero_stays_zero(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    ends = every(20, HOUR, 3)
    written = store.write(
        source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, read_ops=[0, 7, -1], read_gavg_us=[-1, 0, 5])
    )
    assert (written.rows, written.new_rows, written.unknown_keys) == (3, 3, ())
    assert [row[2:] for row in stored(store, source_id)] == [(0, None), (7, 0), (None, 5)]


def test_late_samples_arrive_where_time_has_put_rows_in_order(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    begin = NOW.replace(hour=NOW.hour // 2 * 2, minute=0, second=20) - timedelta(hours=24)
    ends = every(20, begin, 60)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, ends[:20] + ends[25:], read_ops=1))
    with put_in_order(store, "host_device_sample", NOW):
        written = store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, read_ops=1))
    assert (written.new_rows, written.completed, written.corrected) == (5, 0, 0)
    assert [row[1] for row in stored(store, source_id)] == ends


def test_the_largest_numbers_arrive_as_they_are(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], read_ops=2**31 - 1, read_bytes=2**62))
    query = "SELECT read_ops, read_bytes FROM host_device_sample s JOIN host_device d ON d.id = s.entity_id WHERE source_id = :id"
    assert store.rows(query, id=source_id) == [(2**31 - 1, 2**62)]


@pytest.mark.parametrize("nonsense", [2**31, -2])
def test_a_number_that_fits_no_column_is_refused_by_name(store: Store, nonsense: int) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    with pytest.raises(SampleRangeError, match=rf"host_device: read_gavg_us = {nonsense}"):
        store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], read_ops=1, read_gavg_us=nonsense))
    assert stored(store, source_id) == []


@pytest.mark.parametrize("year", [1970, 9999])
def test_a_stamp_that_is_no_time_is_refused(store: Store, year: int) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    with pytest.raises(SampleRangeError, match="are no times"):
        store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR, datetime(year, 1, 1, tzinfo=UTC)], read_ops=1))
    assert stored(store, source_id) == []


def test_what_is_not_in_the_inventory_is_named_and_never_invented(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    written = store.write(source_id, batch(Stream.HOST_DEVICE, ["nobody", DEVICE], [HOUR], read_ops=1))
    assert (written.rows, written.unknown_keys) == (1, ("nobody",))
    assert store.value("SELECT count(*) FROM host_device WHERE source_id = :id AND key = 'nobody'", id=source_id) == 0


def test_a_newcomer_in_the_inventory_is_no_stranger_any_more(store: Store) -> None:
    inventory = array_inventory()
    source_id = store.with_environment(array_inventory("array-c"), NOW)
    newcomer = batch(Stream.ARRAY_VOLUME, "id-late", [HOUR], 30, read_ops=1)
    assert store.write(source_id, newcomer).unknown_keys == ("id-late",)
    late = type(inventory.volumes[0])("id-late", "late", "0" * 24, None, None, None, False, None, None)
    more = array_inventory("array-c")
    store.take(
        source_id, type(more)(more.array, more.pods, (*more.volumes, late), (), (), (), ()), NOW + timedelta(minutes=5)
    )
    assert store.write(source_id, newcomer).new_rows == 1


def test_samples_of_paths_go_by_the_name_of_their_counters_which_may_become_known_later(store: Store) -> None:
    inventory = host_inventory()
    unnamed = tuple(replace(path, counter=None) for path in inventory.paths)
    source_id = store.with_environment(replace(inventory, paths=unnamed), NOW)
    counters = ["esx-1/p0", "esx-1/p1"]
    told = batch(Stream.PATH, counters, [NOW, NOW], 300, read_ops=[1, 2])
    assert store.write(source_id, told).unknown_keys == tuple(counters)
    by_name = batch(Stream.PATH, "esx-1/vmhba1:C0:T0:L0", [NOW - timedelta(minutes=5)], 300, read_ops=3)
    assert store.write(source_id, by_name).new_rows == 1, "a source that serves runtime names"
    store.take(source_id, inventory, NOW + timedelta(minutes=5))
    written = store.write(source_id, told)
    assert (written.new_rows, written.unknown_keys) == (2, ())
    assert store.rows(
        "SELECT p.name, s.read_ops FROM path_sample s JOIN path p ON p.id = s.entity_id ORDER BY s.read_ops"
    ) == [("vmhba1:C0:T0:L0", 1), ("vmhba1:C0:T1:L0", 2), ("vmhba1:C0:T0:L0", 3)]


def test_samples_of_a_removed_source_are_refused(store: Store) -> None:
    with pytest.raises(NotFoundError, match="2147483647 does not exist"):
        store.write(2**31 - 1, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], read_ops=1))


def test_an_empty_page_is_fine(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    assert store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, [])).rows == 0


def test_any_hour_can_be_written_to_also_long_ago(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    ends = [HOUR - timedelta(days=days) for days in (0, 1, 30, 400)]
    assert store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, read_ops=1)).new_rows == 4


def test_the_watermark_only_moves_forward_and_with_its_samples(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    assert store.advance(source_id, Stream.HOST_DEVICE, HOUR) == HOUR
    assert store.advance(source_id, Stream.HOST_DEVICE, HOUR - timedelta(hours=1)) == HOUR
    with suppress(ZeroDivisionError), transaction(store.engine) as connection:
        advance_watermark(connection, source_id, Stream.HOST_DEVICE, NOW)
        raise ZeroDivisionError
    with transaction(store.engine) as connection:
        assert watermark(connection, source_id, Stream.HOST_DEVICE) == Watermark(HOUR)
        assert watermark(connection, source_id, Stream.PATH) is None


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_order_and_the_repetition_of_arrival_do_not_matter(store: Store, data: st.DataObject) -> None:
    """Pages may overlap, come twice, come late, and cross hours: what is stored is the union."""
    keys = [device.key for device in host_inventory().devices[:3]]
    cells = st.tuples(st.integers(0, 2), st.integers(0, 359))
    pages = data.draw(st.lists(st.lists(cells, min_size=1, max_size=30, unique=True), min_size=1, max_size=6))
    source_id = store.with_environment(host_inventory(), NOW)
    for number, page in enumerate(pages):
        for entity in {entity for entity, _ in page}:
            slots = [slot for whose, slot in page if whose == entity]
            store.write(source_id, page_of(keys[entity], slots))
        if data.draw(st.booleans(), label=f"watermark after page {number}"):
            store.advance(source_id, Stream.HOST_DEVICE, HOUR + timedelta(seconds=20 * max(slot for _, slot in page)))
    wanted = sorted(
        {(keys[e], HOUR + timedelta(seconds=20 * slot), slot, 1000 + slot) for page in pages for e, slot in page}
    )
    assert stored(store, source_id) == wanted


def page_of(key: str, slots: list[int]) -> SampleBatch:
    ends = [HOUR + timedelta(seconds=20 * slot) for slot in slots]
    return batch(Stream.HOST_DEVICE, key, ends, read_ops=slots, read_gavg_us=[1000 + slot for slot in slots])
