"""Many objects' ledger added up by the database: on both databases the same as their rows added up one by one, whatever tables are read."""

from datetime import timedelta

import numpy as np
import pytest
from tests.db.conftest import Store
from tests.db.ledgers import ledger_rows
from tests.db.write.test_ledger import HOUR, MINUTE, NOW, grid, keys_of, minutes_from, read, write

from gavel.db.engine import reading
from gavel.db.queries import ledger_pieces
from gavel.db.queries.ledger_together import SummedSeries, ledger_together
from gavel.db.series.modes import storage
from gavel.domain.io_path import Direction
from gavel.domain.scope import ScopeKind

ALL = Direction.ALL
WHOLE_HOUR = 60 * MINUTE


def together(store: Store, keys: list[int], step: timedelta) -> SummedSeries:
    with reading(store.engine) as connection:
        return ledger_together(connection, keys, HOUR, HOUR + 2 * WHOLE_HOUR, step, storage(connection))


def with_minutes(store: Store) -> list[int]:
    """Five VMs: four with 130 minutes, the last with its first 20."""
    keys = keys_of(ScopeKind.VM, 5)
    for count, of in ((130, keys[:4]), (20, keys[4:])):
        where = grid(of, minutes_from(HOUR, count))
        write(store, where, *ledger_rows(len(where[0])))
    store.roll(NOW)
    return keys


@pytest.mark.parametrize("worthwhile", [10**9, 0])
@pytest.mark.parametrize("step", [MINUTE, 5 * MINUTE, 15 * MINUTE, WHOLE_HOUR])
def test_objects_added_up_by_the_database_are_the_sums_of_their_rows(
    store: Store, monkeypatch: pytest.MonkeyPatch, worthwhile: int, step: timedelta
) -> None:
    keys = with_minutes(store)
    monkeypatch.setattr(ledger_pieces, "_WORTHWHILE", worthwhile)
    found = together(store, keys, step)
    apart = read(store, keys, HOUR, HOUR + 2 * WHOLE_HOUR, step)
    assert found.resolution == apart.resolution
    assert (found.from_at, found.to_at, found.step) == (apart.from_at, apart.to_at, apart.step)
    assert found.starts_us.tolist() == sorted(set(apart.starts_us.tolist()))
    bucket = np.searchsorted(found.starts_us, apart.starts_us)

    def summed(numbers: np.ndarray) -> np.ndarray:
        total = np.zeros((len(found.starts_us), *numbers.shape[1:]))
        np.add.at(total, bucket, numbers)
        return total

    np.testing.assert_allclose(found.ops, summed(apart.rows.ops[:, ALL]), rtol=1e-5)
    np.testing.assert_allclose(found.span_time, summed(apart.rows.span_time[:, ALL]), rtol=1e-4, atol=1)
    np.testing.assert_allclose(found.span_ops, summed(apart.rows.span_ops[:, ALL]), rtol=1e-5, atol=1)
    width = step // MINUTE
    assert found.minutes.tolist() == [width] * len(found.minutes)
    of_fifth = [start < (HOUR + 20 * MINUTE).timestamp() * 1e6 for start in found.starts_us.tolist()]
    assert found.objects.tolist() == [5 if is_there else 4 for is_there in of_fifth]


def test_what_no_object_counted_is_no_zero_when_they_are_added_up(store: Store) -> None:
    (key,) = keys_of(ScopeKind.VM, 1)
    rows, notes = ledger_rows(2)
    rows.ops[:] = np.nan
    for ops in (rows.span_ops, rows.segment_ops, rows.span_time, rows.segment_time):
        ops[:] = 0
    write(store, grid([key], minutes_from(HOUR, 2)), rows, notes)
    found = together(store, [key], MINUTE)
    assert found.minutes.tolist() == [1, 1]
    assert np.isnan(found.ops).all()
    assert found.span_time.sum() == 0


def test_objects_without_a_minute_add_up_to_nothing(store: Store) -> None:
    found = together(store, keys_of(ScopeKind.VM, 2), 5 * MINUTE)
    assert (len(found.starts_us), found.ops.shape, found.span_time.shape) == (0, (0,), (0, 10))
