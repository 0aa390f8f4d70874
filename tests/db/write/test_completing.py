"""Samples that a source fills or changes after it first listed them: the row follows, once, and everything made from it is made again."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.db.conftest import Store, put_in_order
from tests.db.environments import array_inventory, batch, every, host_inventory

from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.samples import NOT_MEASURED, Precision, SampleBatch
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=2)
DEVICES = [device.key for device in host_inventory().devices]
DEVICE = DEVICES[0]
# Half of a sample: what the group of the rates holds, without the group of the latencies.
HALF = {"read_ops": 100, "write_ops": 40, "read_bytes": 4096}
WHOLE = HALF | {"read_gavg_us": 900, "read_davg_us": 700, "read_kavg_us": 200, "precision": int(Precision.MICROSECOND)}


def columns(store: Store, source_id: int, names: str = "read_ops, read_gavg_us, read_davg_us") -> list[object]:
    query = f"SELECT {names} FROM host_device_sample s JOIN host_device d ON d.id = s.entity_id WHERE d.source_id = :id ORDER BY d.key, ts"
    return list(store.rows(query, id=source_id))


def counts(store: Store, source_id: int, sent: SampleBatch) -> tuple[int, int, int]:
    written = store.write(source_id, sent)
    return written.new_rows, written.completed, written.corrected


def placed(store: Store, source_id: int) -> list[tuple[object, ...]]:
    """Where the rows lie and which transaction wrote them: a row that is written again lies elsewhere."""
    query = (
        "SELECT s.entity_id, s.ts, s.ctid::text, s.xmin::text FROM host_device_sample s JOIN host_device d ON d.id = s.entity_id"
        " WHERE d.source_id = :id ORDER BY 1, 2"
    )
    return store.rows(query, id=source_id)


def noted(store: Store, source_id: int) -> list[tuple[object, ...]]:
    return store.rows(
        "SELECT lo, hi FROM dirty_window WHERE kind = 'correlate' AND source_id = :id ORDER BY id", id=source_id
    )


@pytest.mark.parametrize("is_looked_back_at", [False, True])
def test_a_row_that_came_half_filled_is_completed_by_the_later_answer(store: Store, is_looked_back_at: bool) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    ends = every(20, HOUR, 180)
    assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **HALF)) == (180, 0, 0)
    if is_looked_back_at:
        store.advance(source_id, Stream.HOST_DEVICE, HOUR + timedelta(hours=1))
    assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **WHOLE)) == (0, 180, 0)
    assert columns(store, source_id) == [(100, 900, 700)] * 180


def test_a_value_that_is_not_measured_any_more_erases_none(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], **WHOLE))
    assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], **HALF)) == (0, 0, 0)
    assert columns(store, source_id) == [(100, 900, 700)]


def test_of_two_different_values_the_later_counts_and_the_change_is_counted(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, every(20, HOUR, 2), read_ops=[5, 6]))
    later = batch(Stream.HOST_DEVICE, DEVICE, every(20, HOUR, 3), read_ops=[5, 99, 7])
    assert counts(store, source_id, later) == (1, 0, 1)
    assert columns(store, source_id, "read_ops") == [(5,), (99,), (7,)]


def test_a_row_that_is_filled_and_changed_at_once_counts_as_corrected(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], **HALF))
    assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], **WHOLE | {"read_ops": 101})) == (0, 0, 1)
    assert columns(store, source_id) == [(101, 900, 700)]


def test_a_replay_changes_nothing_and_writes_nothing(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    sent = batch(Stream.HOST_DEVICE, DEVICE, every(20, HOUR, 200), read_ops=list(range(200)), read_gavg_us=-1)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, every(20, HOUR, 200), read_gavg_us=7))
    store.write(source_id, sent)
    rows, windows = columns(store, source_id), store.rows("SELECT id FROM dirty_window ORDER BY 1")
    where = [] if store.timescale else placed(store, source_id)
    assert counts(store, source_id, sent) == (0, 0, 0)
    store.advance(source_id, Stream.HOST_DEVICE, HOUR + timedelta(hours=2))
    assert counts(store, source_id, sent) == (0, 0, 0)
    assert columns(store, source_id) == rows
    assert store.rows("SELECT id FROM dirty_window ORDER BY 1") == windows, "nothing is to be made again"
    assert store.timescale or placed(store, source_id) == where, "a row that did not change was written again"


def test_rows_that_did_not_change_beside_one_that_did_are_not_written_again(plain: Store) -> None:
    source_id = plain.with_environment(host_inventory(), NOW)
    plain.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, every(20, HOUR, 50), **WHOLE))
    before = placed(plain, source_id)
    gavg = [900] * 49 + [901]
    assert counts(
        plain, source_id, batch(Stream.HOST_DEVICE, DEVICE, every(20, HOUR, 50), **WHOLE | {"read_gavg_us": gavg})
    ) == (0, 0, 1)
    after = placed(plain, source_id)
    assert after[:49] == before[:49]
    assert after[49] != before[49]


def test_the_minutes_of_a_changed_row_and_only_those_are_to_be_written_again(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    ends = every(20, HOUR, 180)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **HALF))
    before = len(noted(store, source_id))
    davg = [NOT_MEASURED] * 100 + [700] + [NOT_MEASURED] * 79
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **HALF, read_davg_us=davg))
    # It and its neighbors, with a slit between them.
    sample, slit = timedelta(seconds=20), timedelta(seconds=1)
    assert noted(store, source_id)[before:] == [(ends[100] - 2 * sample - slit, ends[100] + sample + slit)]


def test_roll_ups_follow_a_completed_row(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    ends = every(20, HOUR + timedelta(seconds=20), 180)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **HALF))
    store.roll(NOW)
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **WHOLE))
    store.roll(NOW)
    for table, buckets in (("host_device_5m", 12), ("host_device_1h", 1)):
        query = (
            f"SELECT count(*), sum(read_davg_us_sum), sum(read_ops) FROM {table} r JOIN host_device d ON d.id = r.entity_id"
            " WHERE source_id = :id"
        )
        assert store.rows(query, id=source_id) == [(buckets, 180 * 100 * 700.0, 180 * 100)], table


def test_a_row_that_time_has_put_in_order_is_completed_too(store: Store) -> None:
    """On TimescaleDB in a chunk that is packed already, of which only the changed devices are unpacked."""
    source_id = store.with_environment(host_inventory(), NOW)
    begin = NOW.replace(hour=NOW.hour // 2 * 2, minute=0, second=20) - timedelta(hours=24)
    ends = every(20, begin, 60)
    for key in DEVICES[:2]:
        store.write(source_id, batch(Stream.HOST_DEVICE, key, ends, **HALF))
    with put_in_order(store, "host_device_sample", NOW):
        assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **HALF)) == (0, 0, 0)
        assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, ends, **WHOLE)) == (0, 60, 0)
    wanted = {DEVICES[0]: (100, 900, 700), DEVICES[1]: (100, None, None)}
    assert columns(store, source_id) == [wanted[key] for key in sorted(wanted) for _ in ends]


def test_latencies_of_a_row_never_mix_two_precisions(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    coarse = {"read_gavg_us": 1000, "read_davg_us": 1000, "read_kavg_us": 0, "precision": int(Precision.MILLISECOND)}
    fine = {"read_gavg_us": 900, "read_davg_us": 700, "precision": int(Precision.MICROSECOND)}
    names = "read_ops, read_gavg_us, read_davg_us, read_kavg_us, precision"
    store.write(source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], read_ops=5, **coarse))
    # Its finer counters were filled later: that completes the sample.
    assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], read_ops=5, **fine)) == (0, 1, 0)
    assert columns(store, source_id, names) == [(5, 900, 700, None, 1)]
    assert counts(store, source_id, batch(Stream.HOST_DEVICE, DEVICE, [HOUR], read_ops=5, **coarse)) == (0, 0, 0)
    assert columns(store, source_id, names) == [(5, 900, 700, None, 1)]


def test_an_answer_over_fewer_samples_does_not_replace_one_over_more(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    rows = {
        seconds: batch(Stream.HOST_DEVICE, DEVICE, [HOUR], seconds, read_ops=seconds * 10) for seconds in (280, 300)
    }
    assert [counts(store, source_id, rows[seconds]) for seconds in (280, 300, 280)] == [(1, 0, 0), (0, 1, 0), (0, 0, 0)]
    assert columns(store, source_id, "read_ops, interval_s") == [(3000, 300)]


def test_of_two_rows_of_one_key_in_an_answer_the_later_counts_however_often_it_comes(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    doubled = batch(Stream.HOST_DEVICE, DEVICE, [HOUR, HOUR], read_ops=[1, 2])
    assert [counts(store, source_id, doubled) for _ in range(3)] == [(1, 0, 0), (0, 0, 0), (0, 0, 0)]
    assert columns(store, source_id, "read_ops") == [(2,)]


def test_array_rows_are_completed_as_well(store: Store) -> None:
    source_id = store.with_environment(array_inventory(), NOW)
    ends = every(30, HOUR, 10)
    store.write(source_id, batch(Stream.ARRAY_VOLUME, "id-v0", ends, 30, read_ops=3))
    later = batch(Stream.ARRAY_VOLUME, "id-v0", ends, 30, read_ops=3, read_service_us=250)
    assert counts(store, source_id, later) == (0, 10, 0)


def test_two_writers_that_change_the_same_rows_in_opposite_order_both_end(plain: Store) -> None:
    """Live collection and backfill of one source: each page would wait for a row that the other one holds."""
    source_id = plain.with_environment(host_inventory(), NOW)
    ends = every(20, HOUR + timedelta(seconds=20), 30)
    for key in DEVICES[:8]:
        plain.write(source_id, batch(Stream.HOST_DEVICE, key, ends, **HALF))

    def all_in_one(keys: list[str], davg_us: int) -> None:
        with transaction(plain.engine) as connection:
            for key in keys:
                write_samples(connection, source_id, batch(Stream.HOST_DEVICE, key, ends, **HALF, read_davg_us=davg_us))

    with ThreadPoolExecutor(2) as pool:
        for turn in range(10):
            forwards = pool.submit(all_in_one, DEVICES[:8], 2 * turn)
            backwards = pool.submit(all_in_one, DEVICES[7::-1], 2 * turn + 1)
            forwards.result(30)
            backwards.result(30)
            found = {row[0] for row in plain.rows("SELECT read_davg_us FROM host_device_sample")}
            assert found in ({2 * turn}, {2 * turn + 1}), "a writer's rows are half in"


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    answers=st.lists(
        st.dictionaries(st.integers(0, 5), st.tuples(st.integers(-1, 3), st.integers(-1, 3)), min_size=1, max_size=6),
        min_size=1,
        max_size=6,
    )
)
def test_what_is_stored_is_the_newest_measured_value_of_every_column(
    store: Store, answers: list[dict[int, tuple[int, int]]]
) -> None:
    """Whatever comes in which order, and each answer twice: completed, corrected and new rows add up to every row that changed."""
    source_id = store.with_environment(host_inventory(), NOW)
    wanted: dict[int, list[int]] = {}
    for answer in answers:
        slots = sorted(answer)
        values = np.array([answer[slot] for slot in slots])
        ends = [HOUR + timedelta(seconds=20 * slot) for slot in slots]
        sent = batch(Stream.HOST_DEVICE, DEVICE, ends, read_ops=values[:, 0], read_gavg_us=values[:, 1])
        before = {slot: list(row) for slot, row in wanted.items()}
        for slot in slots:
            row = wanted.setdefault(slot, [NOT_MEASURED, NOT_MEASURED])
            wanted[slot] = [new if new != NOT_MEASURED else old for new, old in zip(answer[slot], row, strict=True)]
        assert sum(counts(store, source_id, sent)) == sum(before.get(slot) != wanted[slot] for slot in slots)
        assert counts(store, source_id, sent) == (0, 0, 0)
    stored = [tuple(None if v == NOT_MEASURED else v for v in wanted[slot]) for slot in sorted(wanted)]
    assert columns(store, source_id, "read_ops, read_gavg_us") == stored
