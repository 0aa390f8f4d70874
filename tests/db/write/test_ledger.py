"""The ledger in the database: what is written is read, rewriting changes nothing, roll-ups are the sums of their minutes, in both modes."""

import itertools
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
from tests.db.conftest import Store, put_in_order
from tests.db.ledgers import short_ledger_rows as ledger_rows

from gavel.analysis.ledger import rolled_up
from gavel.db.engine import reading, transaction
from gavel.db.queries import ledger_pieces as questions
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.db.series import ledger_columns, maintenance
from gavel.db.write.ledger import FIRST_PARENT, write_ledger
from gavel.domain.io_path import Direction, Segment
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.samples import Int64Array
from gavel.domain.scope import LEAVES, ScopeKind, scope_key, scope_of

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=3)
MINUTE = timedelta(minutes=1)
_ids = itertools.count(1)
_days = itertools.count(1)
Part = TypeVar("Part", LedgerRows, Notes)


@pytest.fixture(scope="module")
def shared_timescale_url(timescale_url: str) -> str:
    """This file's own: in its database roll-ups reach beyond today."""
    return timescale_url


def keys_of(kind: ScopeKind, count: int) -> list[int]:
    """Keys that no other test uses: on TimescaleDB all tests share a database."""
    return [scope_key(kind, next(_ids)) for _ in range(count)]


def unrolled_hour(store: Store) -> datetime:
    """An hour after all that was rolled in this database: TimescaleDB never takes back how far its roll-ups reach."""
    return HOUR + next(_days) * timedelta(days=1) if store.timescale else HOUR


def us(at: datetime) -> int:
    return round(at.timestamp()) * 1_000_000


def grid(keys: list[int], minutes: list[datetime]) -> tuple[Int64Array, Int64Array]:
    """Stamps and keys of every minute of every key, minute by minute as the correlate step makes them."""
    return np.repeat([us(minute) for minute in minutes], len(keys)), np.tile(keys, len(minutes))


def minutes_from(start: datetime, count: int) -> list[datetime]:
    return [start + n * MINUTE for n in range(count)]


def write(
    store: Store,
    where: tuple[Int64Array, Int64Array],
    rows: LedgerRows,
    notes: Notes,
    replace_minutes: tuple[datetime, ...] = (),
) -> int:
    with transaction(store.engine) as connection:
        return write_ledger(connection, *where, rows, notes, replace_minutes=replace_minutes)


def read(store: Store, keys: list[int], lo: datetime, hi: datetime, step: timedelta | None) -> LedgerSeries:
    with reading(store.engine) as connection:
        return ledger(connection, keys, lo, hi, step)


def picked(rows: Part, where: Int64Array | npt.NDArray[np.bool_]) -> Part:
    return type(rows)(**{field.name: getattr(rows, field.name)[where] for field in fields(rows)})


def followed(rows: Part, others: Part) -> Part:
    return type(rows)(
        **{f.name: np.concatenate([getattr(rows, f.name), getattr(others, f.name)]) for f in fields(rows)}
    )


def summed_notes(notes: Notes, scope: Int64Array, scopes: int) -> Notes:
    """Straight from what `Notes` says of itself."""

    def of(name: str, mine: Any) -> Any:
        if name in ledger_columns.FLAGS:
            return np.bitwise_or.reduce(mine)
        if np.isnan(mine).all():
            return np.nan
        return np.nanmax(mine) if name in ledger_columns.WORST else np.nansum(mine)

    names = [field.name for field in fields(Notes)]
    return Notes(**{n: np.array([of(n, getattr(notes, n)[scope == s]) for s in range(scopes)]) for n in names})


def require_same(found: LedgerRows | Notes, wanted: LedgerRows | Notes) -> None:
    """To the 7 digits of `real`; bounds of segments are not stored."""
    for field in fields(wanted):
        got, want = getattr(found, field.name), getattr(wanted, field.name)
        if field.name in ("segment_lower", "segment_upper"):
            assert np.isnan(got).all()
            continue
        np.testing.assert_allclose(got, want, rtol=2e-6, err_msg=field.name)


def require_sums(
    found: LedgerSeries, keys: list[int], where: tuple[Int64Array, Int64Array], data: tuple[LedgerRows, Notes]
) -> None:
    """`found` holds exactly the sums over `where` of its buckets."""
    stamps, owners = where
    step_us, lo = found.step // timedelta(microseconds=1), us(found.from_at)
    inside = (stamps >= lo) & (stamps < us(found.to_at)) & np.isin(owners, keys)
    wanted, scope = np.unique(
        np.stack([owners[inside], (stamps[inside] - lo) // step_us * step_us + lo]), axis=1, return_inverse=True
    )
    scope = scope.ravel()
    assert found.keys.tolist() == wanted[0].tolist()
    assert found.starts_us.tolist() == wanted[1].tolist()
    assert found.minutes.tolist() == np.bincount(scope).tolist()
    require_same(found.rows, rolled_up(picked(data[0], inside), scope, wanted.shape[1]))
    require_same(found.notes, summed_notes(picked(data[1], inside), scope, wanted.shape[1]))


def test_leaves_have_the_smallest_keys() -> None:
    assert all((scope_key(kind, 1) < FIRST_PARENT) == (kind in LEAVES) for kind in ScopeKind)


@pytest.mark.parametrize("kind", [ScopeKind.VM_DISK, ScopeKind.HOST_DEVICE, ScopeKind.DATASTORE, ScopeKind.VOLUME])
def test_what_is_written_is_read(store: Store, kind: ScopeKind) -> None:
    keys = keys_of(kind, 40)
    where = grid(keys, minutes_from(HOUR, 3))
    data = ledger_rows(len(where[0]), seed=kind)
    assert write(store, where, *data) == 120
    found = read(store, keys, HOUR, HOUR + 3 * MINUTE, MINUTE)
    assert (len(found), found.resolution, found.step) == (120, "1m", MINUTE)
    require_sums(found, keys, where, data)


def test_a_batch_of_leaves_and_parents_goes_to_both_tables(store: Store) -> None:
    kinds = (ScopeKind.VM, ScopeKind.VM_DISK, ScopeKind.ARRAY, ScopeKind.HOST_DEVICE)
    keys = [key for kind in kinds for key in keys_of(kind, 3)]
    where = grid(keys, [HOUR])
    write(store, where, *ledger_rows(12))
    for table, wanted in (("ledger_leaf_1m", LEAVES), ("ledger_1m", set(ScopeKind) - LEAVES)):
        found = store.rows(f"SELECT entity_id FROM {table} WHERE entity_id = ANY(:keys)", keys=keys)
        assert {int(str(key)) for (key,) in found} == {key for key in keys if scope_of(key)[0] in wanted}


def test_ops_are_stored_only_for_parts_that_hold_some_of_them(store: Store) -> None:
    (key,) = keys_of(ScopeKind.HOST_DEVICE, 1)
    rows, notes = ledger_rows(1)
    ops, spans = np.array([[100.0, 50.0, 150.0]]), np.zeros((1, 3, 10))
    spans[0, :, 4], spans[0, :, 7], spans[0, :, 9] = ops, (100, 0, 100), (60, 50, 110)
    write(store, grid([key], [HOUR]), replace(rows, ops=ops, span_ops=spans, span_time=spans * 7), notes)
    columns = [f"{way}_{span}_ops" for span in ("kernel", "san", "array") for way in ("read", "write", "all")]
    ((*found,),) = store.rows(f"SELECT {', '.join(columns)} FROM ledger_leaf_1m WHERE entity_id = :key", key=key)
    assert found == [None, None, None, None, None, 100, 60, None, 110]
    times = store.rows(
        "SELECT read_san_time, write_san_time, all_san_time FROM ledger_leaf_1m WHERE entity_id = :key", key=key
    )
    assert times == [(700, None, 700)]


def test_an_idle_minute_is_a_row_without_times(store: Store) -> None:
    (key,) = keys_of(ScopeKind.DATASTORE, 1)
    rows, notes = ledger_rows(1)
    idle = LedgerRows(**{field.name: np.zeros_like(getattr(rows, field.name)) for field in fields(LedgerRows)})
    write(store, grid([key], [HOUR]), idle, notes)
    times = [name for name in ledger_columns.REALS if name.endswith(("_time", "_lower", "_upper"))]
    query = f"SELECT read_ops, write_ops, num_nonnulls({', '.join(times[:80])}), num_nonnulls({', '.join(times[80:])}) FROM ledger_1m"
    assert store.rows(f"{query} WHERE entity_id = :key", key=key) == [(0, 0, 0, 0)]
    found = read(store, [key], HOUR, HOUR + MINUTE, MINUTE)
    assert found.rows.ops.tolist() == [[0, 0, 0]]
    assert found.minutes.tolist() == [1]
    assert not found.rows.span_ops.any()


def test_what_was_not_counted_is_not_zero(store: Store) -> None:
    (key,) = keys_of(ScopeKind.HOST_DEVICE, 1)
    rows, notes = ledger_rows(1)
    unknown = np.full((1, 3), np.nan)
    write(store, grid([key], [HOUR]), replace(rows, bytes=unknown), notes)
    assert np.isnan(read(store, [key], HOUR, HOUR + MINUTE, MINUTE).rows.bytes).all()
    assert (
        store.value("SELECT count(*) FROM ledger_leaf_1m WHERE entity_id = :key AND read_bytes IS NULL", key=key) == 1
    )


def test_writing_the_same_again_changes_nothing(store: Store) -> None:
    keys = keys_of(ScopeKind.VM_DISK, 5) + keys_of(ScopeKind.VM, 5)
    minutes = minutes_from(HOUR, 2)
    where, data = grid(keys, minutes), ledger_rows(20)
    contents = "SELECT * FROM {} WHERE entity_id = ANY(:keys) ORDER BY entity_id, ts"

    def stored() -> list[tuple[object, ...]]:
        return [
            row for table in ("ledger_leaf_1m", "ledger_1m") for row in store.rows(contents.format(table), keys=keys)
        ]

    write(store, where, *data)
    before = stored()
    assert len(before) == 20
    write(store, where, *data, replace_minutes=tuple(minutes))
    assert stored() == before


def test_a_rewritten_minute_replaces_its_rows_and_leaves_others(store: Store) -> None:
    keys = keys_of(ScopeKind.DATASTORE, 4)
    minutes = minutes_from(HOUR, 3)
    where, before = grid(keys, minutes), ledger_rows(12, seed=1)
    write(store, where, *before)
    again, after = grid(keys[:2], minutes[1:2]), ledger_rows(2, seed=2)
    write(store, again, *after, replace_minutes=(minutes[1],))
    rewritten = np.isin(where[0], again[0]) & np.isin(where[1], again[1])
    left = np.flatnonzero(~rewritten)
    found = read(store, keys, HOUR, HOUR + 3 * MINUTE, MINUTE)
    merged = followed(picked(before[0], left), after[0]), followed(picked(before[1], left), after[1])
    both = np.concatenate([where[0][left], again[0]]), np.concatenate([where[1][left], again[1]])
    require_sums(found, keys, both, merged)


def test_a_second_row_of_a_key_and_minute_is_refused_whole(store: Store) -> None:
    keys = keys_of(ScopeKind.VM, 3)
    where, data = grid(keys, [HOUR]), ledger_rows(3)
    write(store, where, *data)
    with pytest.raises(psycopg.errors.UniqueViolation):
        write(store, grid([*keys_of(ScopeKind.VM_DISK, 2), keys[0]], [HOUR]), *ledger_rows(3))
    assert store.value("SELECT count(*) FROM ledger_1m WHERE entity_id = ANY(:keys)", keys=keys) == 3


def test_late_minutes_are_rewritten_where_time_has_put_rows_in_order(store: Store) -> None:
    keys = keys_of(ScopeKind.VM, 12)
    long_ago = HOUR - timedelta(hours=50)
    minutes = minutes_from(long_ago.replace(hour=long_ago.hour // 2 * 2), 20)
    where, data = grid(keys, minutes), ledger_rows(240, seed=11)
    write(store, where, *ledger_rows(240, seed=12))
    with put_in_order(store, "ledger_1m", NOW):
        write(store, where, *data, replace_minutes=tuple(minutes))
    require_sums(read(store, keys, minutes[0], minutes[-1] + MINUTE, MINUTE), keys, where, data)


# --- roll-ups ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [MINUTE, 5 * MINUTE, 15 * MINUTE, timedelta(hours=1), None])
def test_roll_ups_are_the_sums_of_their_minutes_and_join_them_without_a_seam(
    store: Store, step: timedelta | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three hours and a half with gaps, of which the first three hours are rolled; asked from the middle of a bucket."""
    keys = keys_of(ScopeKind.DATASTORE, 3)
    hour = unrolled_hour(store)
    stamps, owners = grid(keys, minutes_from(hour - timedelta(hours=2), 210))
    kept = np.random.default_rng(5).random(len(stamps)) < 0.9
    where = stamps[kept], owners[kept]
    data = ledger_rows(int(kept.sum()), seed=3)
    early = where[0] < us(hour + timedelta(hours=1))
    write(store, (where[0][early], where[1][early]), picked(data[0], early), picked(data[1], early))
    store.roll(hour + timedelta(hours=1, minutes=2))
    write(store, (where[0][~early], where[1][~early]), picked(data[0], ~early), picked(data[1], ~early))
    lo, hi = hour - timedelta(minutes=113), hour + timedelta(minutes=88)
    # From minutes alone; then from every roll-up that tells the same.
    coarsest = "1h" if step is None else {MINUTE: "1m", 5 * MINUTE: "5m", 15 * MINUTE: "5m"}.get(step, "1h")
    for rows, resolution in ((10**9, "1m"), (0, coarsest)):
        monkeypatch.setattr(questions, "_WORTHWHILE", rows)
        found = read(store, keys, lo, hi, step)
        assert found.from_at <= lo < hi <= found.to_at
        assert found.resolution == resolution
        require_sums(found, keys, where, data)
        assert found.wall_s.tolist() == (found.minutes * 60).tolist()


@pytest.mark.parametrize(("table", "width"), [("ledger_5m", 5 * MINUTE), ("ledger_1h", timedelta(hours=1))])
def test_a_bucket_starts_with_its_first_minute(store: Store, table: str, width: timedelta) -> None:
    (key,) = keys_of(ScopeKind.HOST, 1)
    minutes = [HOUR - MINUTE, HOUR]
    write(store, grid([key], minutes), *ledger_rows(2))
    store.roll(NOW)
    found = store.rows(f"SELECT bucket, minutes FROM {table} WHERE entity_id = :key ORDER BY 1", key=key)
    assert found == [(HOUR - width, 1), (HOUR, 1)]


def test_a_rewritten_minute_corrects_its_roll_ups(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_WORTHWHILE", 0)
    keys = keys_of(ScopeKind.VOLUME, 2)
    minutes = minutes_from(HOUR, 60)
    where, data = grid(keys, minutes), ledger_rows(120, seed=7)
    late = np.isin(where[0], [us(minute) for minute in minutes[20:22]])
    write(store, where, *ledger_rows(120, seed=8))
    store.roll(NOW)
    write(store, where, *data, replace_minutes=tuple(minutes))
    again = where[0][late], where[1][late]
    write(store, again, picked(data[0], late), picked(data[1], late), replace_minutes=tuple(minutes[20:22]))
    store.roll(NOW)
    for step, resolution in ((5 * MINUTE, "5m"), (timedelta(hours=1), "1h")):
        found = read(store, keys, HOUR - timedelta(hours=2), NOW, step)
        assert found.resolution == resolution
        require_sums(found, keys, where, data)
    table = "SELECT sum(read_ops::float8) FROM ledger_1h WHERE entity_id = ANY(:keys)"
    assert store.value(table, keys=keys) == pytest.approx(data[0].ops[:, Direction.READ].sum())


def test_roll_ups_hold_the_ops_of_every_part_in_full(store: Store) -> None:
    """One of two minutes lacks the array: its ops are not in the array's, whatever NULL means in a minute."""
    (key,) = keys_of(ScopeKind.DATASTORE, 1)
    rows, notes = ledger_rows(2)
    ops, spans = np.array([[100.0, 0.0, 100.0]] * 2), np.zeros((2, 3, 10))
    spans[0, :, 9] = ops[0]
    write(store, grid([key], minutes_from(HOUR, 2)), replace(rows, ops=ops, span_ops=spans, span_time=spans * 3), notes)
    store.roll(NOW)
    for table in ("ledger_5m", "ledger_1h"):
        query = f"SELECT read_ops, read_array_ops, write_array_ops, all_array_ops, read_array_time FROM {table}"
        assert store.rows(f"{query} WHERE entity_id = :key", key=key) == [(200, 100, None, 100, 300)]


@pytest.mark.parametrize("step", [MINUTE, None])
def test_layers_alone_are_the_same_layers(store: Store, step: timedelta | None) -> None:
    keys = keys_of(ScopeKind.VM, 3)
    write(store, grid(keys, minutes_from(HOUR, 4)), *ledger_rows(12))
    with reading(store.engine) as connection:
        whole, layers = (
            ledger(connection, keys, HOUR, HOUR + 4 * MINUTE, step, detail)
            for detail in (Detail.EVERYTHING, Detail.LAYERS)
        )
    require_same(layers.notes, whole.notes)
    for name in ("span_time", "span_lower", "span_upper", "span_ops", "outermost_lower"):
        got, want = getattr(layers.rows, name), getattr(whole.rows, name)
        assert np.array_equal(got[:, Direction.ALL], want[:, Direction.ALL]), name
        assert np.isnan(got[:, : Direction.ALL]).all(), "what was not read is no zero"
    assert np.array_equal(layers.rows.ops, whole.rows.ops)
    assert np.array_equal(layers.rows.bytes, whole.rows.bytes)
    assert np.isnan(layers.rows.segment_time).all()


def test_times_alone_are_the_times_of_layers_without_bounds(store: Store) -> None:
    keys = keys_of(ScopeKind.VM, 3)
    write(store, grid(keys, minutes_from(HOUR, 4)), *ledger_rows(12))
    with reading(store.engine) as connection:
        asked = (connection, keys, HOUR, HOUR + 4 * MINUTE, 2 * MINUTE)
        layers, times = (ledger(*asked, detail).rows for detail in (Detail.LAYERS, Detail.TIMES))
    for name in ("ops", "span_time", "span_ops", "bytes", "span_lower", "span_upper", "outermost_lower"):
        want = getattr(layers, name) if name.endswith(("ops", "time")) else np.nan
        assert np.array_equal(getattr(times, name), np.broadcast_to(want, getattr(times, name).shape), equal_nan=True)


def test_what_is_above_the_device_is_read_beside_the_layers(store: Store) -> None:
    keys = keys_of(ScopeKind.VM, 3)
    write(store, grid(keys, minutes_from(HOUR, 4)), *ledger_rows(12))
    with reading(store.engine) as connection:
        whole, layers, above = (ledger(connection, keys, HOUR, HOUR + 4 * MINUTE, None, detail).rows for detail in (
            Detail.EVERYTHING, Detail.LAYERS, Detail.ABOVE
        ))  # fmt: skip
    assert np.array_equal(above.span_time, layers.span_time, equal_nan=True)
    for name in ("segment_time", "segment_ops"):
        got, want = getattr(above, name)[:, Direction.ALL], getattr(whole, name)[:, Direction.ALL]
        assert np.array_equal(got[:, : Segment.KERNEL_QUEUE], want[:, : Segment.KERNEL_QUEUE])
        assert np.isnan(got[:, Segment.KERNEL_QUEUE :]).all(), "what was not read is no zero"


# --- what is left of it -----------------------------------------------------------------------------------------------


def test_old_ranges_are_told_in_the_steps_that_are_left(store: Store) -> None:
    (parent,), (leaf,) = keys_of(ScopeKind.VM, 1), keys_of(ScopeKind.VM_DISK, 1)
    ago = {days: read(store, [parent], NOW - timedelta(days=days), NOW, MINUTE).step for days in (7, 9, 29, 31, 500)}
    assert ago == {7: MINUTE, 9: 5 * MINUTE, 29: 5 * MINUTE, 31: timedelta(hours=1), 500: timedelta(hours=1)}
    assert read(store, [parent], NOW - timedelta(days=9), NOW, 7 * MINUTE).step == 10 * MINUTE
    assert read(store, [leaf], NOW - timedelta(days=9), NOW, MINUTE).step == MINUTE


def test_an_empty_answer_is_empty_and_a_senseless_question_refused(store: Store) -> None:
    (parent,), (leaf,) = keys_of(ScopeKind.VM, 1), keys_of(ScopeKind.VM_DISK, 1)
    for step in (MINUTE, None):
        found = read(store, [parent], HOUR, NOW, step)
        assert (len(found), found.rows.span_time.shape, len(found.notes)) == (0, (0, 3, 10), 0)
    with pytest.raises(ValueError, match="range is empty"):
        read(store, [parent], NOW, NOW, None)
    with pytest.raises(ValueError, match="whole minutes"):
        read(store, [parent], HOUR, NOW, timedelta(seconds=90))
    with pytest.raises(ValueError, match="ask for them apart"):
        read(store, [parent, leaf], HOUR, NOW, None)


def test_partitions_of_the_ledger_are_ordered_and_expire_each_at_its_own_time(plain: Store) -> None:
    keys = keys_of(ScopeKind.VM_DISK, 5) + keys_of(ScopeKind.VM, 5)
    for minute in minutes_from(HOUR, 10):
        write(plain, grid(keys, [minute]), *ledger_rows(10))
    in_place = [
        f"SELECT entity_id, ts FROM {table}_{HOUR:%Y%m%dt%H} ORDER BY ctid" for table in ("ledger_leaf_1m", "ledger_1m")
    ]
    before = [plain.rows(query) for query in in_place]
    assert all(len(rows) == 50 and rows != sorted(rows) for rows in before)
    maintenance.reorder_closed(plain.engine, NOW)
    assert [plain.rows(query) for query in in_place] == [sorted(rows) for rows in before]
    count = "SELECT (SELECT count(*) FROM ledger_leaf_1m), (SELECT count(*) FROM ledger_1m)"
    maintenance.maintain(plain.engine, HOUR + timedelta(hours=49, minutes=1))
    assert plain.rows(count) == [(0, 50)]
    maintenance.maintain(plain.engine, HOUR + timedelta(days=8, hours=1, minutes=1))
    assert plain.rows(count) == [(0, 0)]
    assert plain.value("SELECT sum(minutes) FROM ledger_1h") == 50


def test_minutes_of_the_past_make_their_own_partitions(plain: Store) -> None:
    keys = keys_of(ScopeKind.VM_DISK, 2)
    long_ago = HOUR - timedelta(hours=30)
    write(plain, grid(keys, [long_ago, long_ago + timedelta(hours=2)]), *ledger_rows(4))
    assert plain.value("SELECT count(*) FROM ledger_leaf_1m") == 4
