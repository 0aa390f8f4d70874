"""Rows that come again as they were do not reach the tables; whatever else comes does, as if nothing were remembered."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, event
from tests.db.conftest import Store
from tests.db.environments import batch, host_inventory

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.write.newest import newest_whole
from gavel.db.write.recent import RecentRows, digests, recent_rows
from gavel.db.write.samples import write_samples
from gavel.domain.samples import NOT_MEASURED, SampleBatch, joined
from gavel.domain.source import Stream

NOW = datetime.now(UTC).replace(microsecond=0)
START = NOW - timedelta(minutes=10)
DEVICES = [device.key for device in host_inventory().devices][:2]
STEP_US = 20_000_000


@contextmanager
def merges(store: Store) -> Iterator[list[str]]:
    """The statements that compare rows in the database."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "ON CONFLICT (entity_id, ts) DO NOTHING" in statement:
            sent.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(store.engine, "before_cursor_execute", note)


def sample(number: int, *, read_ops: int = 7, device: str = DEVICES[0]) -> SampleBatch:
    return batch(Stream.HOST_DEVICE, device, [START + number * timedelta(seconds=20)], read_ops=read_ops, write_ops=1)


def poll(store: Store, source_id: int, *samples: SampleBatch) -> tuple[int, int, int]:
    """One read, and the watermark with it."""
    together = joined(samples)
    written = store.write(source_id, together)
    newest_us = int(together.ended_at_us.max())
    store.advance(source_id, Stream.HOST_DEVICE, datetime.fromtimestamp(newest_us / 1e6, UTC))
    return written.new_rows, written.completed, written.corrected


def table(store: Store, source_id: int) -> list[tuple[object, ...]]:
    query = (
        "SELECT d.key, s.ts, s.read_ops, s.write_ops FROM host_device_sample s JOIN host_device d ON d.id = s.entity_id"
        " WHERE d.source_id = :id ORDER BY 1, 2"
    )
    return store.rows(query, id=source_id)


def test_what_is_looked_back_at_and_known_reaches_no_table(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    assert poll(store, source_id, *map(sample, range(4))) == (4, 0, 0)
    with merges(store) as sent:
        assert poll(store, source_id, *map(sample, range(1, 5))) == (1, 0, 0)
    assert sent == []


def test_one_that_changed_is_compared_and_the_others_are_not(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    poll(store, source_id, *map(sample, range(4)))
    with merges(store) as sent:
        assert poll(store, source_id, sample(1), sample(2, read_ops=8), sample(3), sample(4)) == (1, 0, 1)
    assert len(sent) == 1
    assert [row[2] for row in table(store, source_id)] == [7, 7, 8, 7, 7]


def test_a_value_that_changes_and_changes_back_is_stored_as_it_came_last(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    for read_ops, expected in ((7, (1, 0, 0)), (8, (0, 0, 1)), (7, (0, 0, 1)), (7, (0, 0, 0))):
        assert poll(store, source_id, sample(0, read_ops=read_ops)) == expected
    assert [row[2] for row in table(store, source_id)] == [7]


def test_backfill_of_a_stretch_that_is_remembered_is_remembered_too(store: Store) -> None:
    """A gap may end where live reading began: both know the rows there."""
    source_id = store.with_environment(host_inventory(), NOW)
    poll(store, source_id, *map(sample, range(4)))
    assert store.write(source_id, sample(2, read_ops=9)).corrected == 1
    assert poll(store, source_id, *map(sample, range(4))) == (0, 0, 1)
    assert [row[2] for row in table(store, source_id)] == [7, 7, 7, 7]


def test_after_a_crash_that_emptied_the_memory_nothing_is_lost_or_doubled(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    poll(store, source_id, *map(sample, range(4)))
    store.run("TRUNCATE recent_samples")
    assert poll(store, source_id, sample(2), sample(3, read_ops=8), sample(4)) == (1, 0, 1)
    assert [row[2] for row in table(store, source_id)] == [7, 7, 7, 8, 7]


def test_after_a_crash_it_is_not_known_who_is_missing_until_the_next_read(store: Store) -> None:
    """Else the newest sample of a host that comes late, right after a crash, would never be asked for."""
    source_id = store.with_environment(host_inventory(), NOW)
    both = [sample(number, device=device) for number in range(2) for device in DEVICES]
    assert store.write(source_id, joined(both)).complete_until is None
    assert store.write(source_id, sample(2)).complete_until == START + timedelta(seconds=20)
    store.run("TRUNCATE recent_samples")
    store.write(source_id, sample(-9))  # of backfill, which says nothing about now
    assert store.write(source_id, sample(3)).complete_until is None
    assert store.write(source_id, joined([sample(number, device=DEVICES[1]) for number in range(2, 4)])).complete_until


reads = st.lists(
    st.lists(
        st.tuples(st.sampled_from(DEVICES), st.integers(0, 9), st.sampled_from([NOT_MEASURED, 0, 1, 2])),
        min_size=1,
        max_size=6,
    ),
    min_size=1,
    max_size=6,
)


@pytest.fixture
def pair(store: Store) -> list[int]:
    """Two sources with the same objects, for all examples: an inventory takes longer to store than an example."""
    return [store.with_environment(host_inventory(), NOW) for _ in range(2)]


def clear(store: Store, source_ids: list[int]) -> None:
    """As if nothing had ever been read of them."""
    store.run(
        "DELETE FROM host_device_sample s USING host_device d WHERE d.id = s.entity_id AND d.source_id = ANY(:ids)",
        ids=source_ids,
    )
    for name in ("recent_samples", "watermark"):
        store.run(f"DELETE FROM {name} WHERE source_id = ANY(:ids)", ids=source_ids)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(reads)
def test_whatever_comes_in_whatever_order_is_stored_and_counted_as_if_nothing_were_remembered(
    store: Store, pair: list[int], reads: list[list[tuple[str, int, int]]]
) -> None:
    clear(store, pair)
    remembering, forgetting = pair
    for read in reads:
        samples = [sample(number, read_ops=read_ops, device=device) for device, number, read_ops in read]
        store.run("DELETE FROM recent_samples WHERE source_id = :id", id=forgetting)
        assert poll(store, remembering, *samples) == poll(store, forgetting, *samples)
        assert table(store, remembering) == table(store, forgetting)


def rows(*cells: tuple[int, int, int], values: int = 2) -> RecentRows:
    """Of (entity, sample, measured values)."""
    columns = {
        "ts": np.array([(1_000 + number) * STEP_US for _, number, _ in cells]),
        "entity_id": np.array([entity for entity, _, _ in cells]),
        "interval_s": np.full(len(cells), 20),
    }
    for value in range(values):
        columns[f"v{value}"] = np.array([1 if value < measured else NOT_MEASURED for _, _, measured in cells])
    return RecentRows.of(columns, digests(columns))


@pytest.mark.parametrize(
    ("cells", "complete"),
    [
        (((1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 2, 2)), 2),
        (((1, 1, 2), (1, 2, 1), (2, 1, 2), (2, 2, 2)), 1),  # half filled
        (((1, 1, 1), (1, 2, 1), (2, 1, 2), (2, 2, 2)), 2),  # that one never has more
        (((1, 1, 2), (2, 1, 2), (2, 2, 2)), 1),  # one is a sample late
        (((1, 0, 2), (2, 1, 2), (2, 2, 2)), 0),
        (((1, 0, 2), (1, 2, 2), (2, 1, 2), (2, 2, 2)), 0),  # one was left out between two others
    ],
)
def test_a_stream_is_complete_up_to_where_nothing_is_half_filled_or_late(
    cells: tuple[tuple[int, int, int], ...], complete: int
) -> None:
    assert rows(*cells).complete_until_us(STEP_US) == (1_000 + complete) * STEP_US


def test_one_that_was_left_out_of_the_newest_read_is_late_until_it_is_four_samples_old() -> None:
    known = rows((1, 0, 2), (2, 0, 2))
    told = []
    for number in range(1, 6):
        known = known.followed_by(rows((2, number, 2)))
        told.append((known.complete_until_us(STEP_US) or 0) // STEP_US - 1_000)
    assert told == [0, 0, 0, 4, 5]


@pytest.mark.parametrize(
    ("cells", "whole"),
    [
        (((1, 1, 2), (1, 2, 2), (2, 2, 2), (7, 1, 2)), (2, 1)),
        (((1, 1, 2), (1, 2, 2), (2, 1, 2), (2, 2, 1), (7, 1, 2)), (1, 1)),  # one of two disks is half filled
        (((1, 1, 1), (1, 2, 2), (2, 2, 2), (7, 1, 2)), (2, 1)),  # what stayed half filled before is not waited for
        (((2, 2, 2),), (2, None)),
    ],
)
def test_an_owner_is_as_far_as_its_newest_sample_that_has_come_whole(
    cells: tuple[tuple[int, int, int], ...], whole: tuple[int, int | None]
) -> None:
    """Entities 1 and 2 are of the first owner, 7 is of the second."""
    known = rows(*cells)
    owner = np.where(known.rows["entity"] < 7, 0, 1)
    ends = [0 if number is None else (1_000 + number) * STEP_US for number in whole]
    assert known.newest_whole_us(owner, 2, STEP_US).tolist() == ends


def test_whose_samples_are_stored_is_told_by_host(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    poll(store, source_id, sample(1, device=DEVICES[0]), sample(2, device=DEVICES[0]))
    with store.engine.connect() as connection:
        found = newest_whole(connection, source_id, Stream.HOST_DEVICE, by_owner=True)
        alone = newest_whole(connection, source_id, Stream.HOST_DEVICE, by_owner=False)
    newest_us = round((START + timedelta(seconds=40)).timestamp() * 1e6)
    told = dict(zip(found.names, found.ended_us.tolist(), strict=True))
    assert told.pop(DEVICES[0].partition("/")[0]) == newest_us
    assert set(told.values()) <= {0}
    assert (alone.names, alone.ended_us.tolist()) == ((), [newest_us])


def test_what_is_remembered_outlasts_its_keeping() -> None:
    known = rows((1, 1, 2), (1, 2, 1), (7, 2, 2))
    again = RecentRows.unpacked(known.packed())
    assert (again.base_us, again.rows.tolist()) == (known.base_us, known.rows.tolist())


def remembered(engine: Engine, source_id: int) -> RecentRows:
    with engine.connect() as connection:
        return recent_rows(connection, source_id, Stream.HOST_DEVICE)


@contextmanager
def other_process(store: Store) -> Iterator[Store]:
    """One that keeps nothing of what the first one does."""
    engine = open_engine(store.engine.url.render_as_string(hide_password=False), Role.WORKER)
    try:
        yield Store(engine, store.timescale)
    finally:
        engine.dispose()


def test_what_another_process_wrote_is_not_missed(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    poll(store, source_id, sample(1))
    with other_process(store) as other:
        poll(other, source_id, sample(2))
        newest = remembered(store.engine, source_id)
        assert newest.rows.tolist() == remembered(other.engine, source_id).rows.tolist()
        assert len(newest.rows) == 2
        poll(store, source_id, sample(3))
        assert len(remembered(other.engine, source_id).rows) == 3


def test_what_a_transaction_took_back_is_not_remembered(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    poll(store, source_id, sample(1))
    with store.engine.connect() as connection:
        write_samples(connection, source_id, sample(2))
        within = recent_rows(connection, source_id, Stream.HOST_DEVICE)
        connection.rollback()
    assert len(within.rows) == 2
    assert len(remembered(store.engine, source_id).rows) == 1
    assert poll(store, source_id, sample(1), sample(2)) == (1, 0, 0)


def test_several_writes_of_one_transaction_are_remembered_as_the_last_of_them(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    with transaction(store.engine) as connection:
        for number in (1, 2):
            write_samples(connection, source_id, sample(number))
        with suppress(ZeroDivisionError), connection.begin_nested():
            write_samples(connection, source_id, sample(3))
            raise ZeroDivisionError
    with other_process(store) as other:
        of_other = remembered(other.engine, source_id)
    assert remembered(store.engine, source_id).rows.tolist() == of_other.rows.tolist()
    assert len(of_other.rows) == 2


def test_what_is_known_is_not_read_again(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    poll(store, source_id, sample(1))
    with patch.object(RecentRows, "unpacked", side_effect=AssertionError):
        assert len(remembered(store.engine, source_id).rows) == 1
    store.run("DELETE FROM recent_samples WHERE source_id = :id", id=source_id)
    assert len(remembered(store.engine, source_id).rows) == 0
