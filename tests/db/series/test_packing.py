"""Rows in short: what is packed is read as before, within the precision of its codes, and can be written to again."""

from dataclasses import fields
from datetime import datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import text
from tests.db.clock import last_afternoon
from tests.db.conftest import Store
from tests.db.environments import batch, every, host_inventory
from tests.db.ledgers import ledger_rows
from tests.db.write.test_ledger import MINUTE, grid, keys_of, minutes_from, read, write

from gavel.db.engine import reading, transaction
from gavel.db.queries import ledger_pieces as questions
from gavel.db.queries.buckets import Bucketed, Entity, bucketed, window
from gavel.db.queries.ledger import LedgerSeries
from gavel.db.series import codes, maintenance, partitions
from gavel.db.series import packed as packed_series
from gavel.db.series.codes import CodeRounding
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream

NOW = last_afternoon()
# The last of its three hours is over for a while.
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=4)
# As large a part of a number as its code may be off.
STEP = float(np.expm1(1 / codes.STEPS))
HOURS = (HOUR, HOUR + timedelta(hours=3))
FIVE_MINUTES = 5 * MINUTE


def packed(store: Store, now: datetime = NOW) -> int:
    """As maintenance does, once the week of every roll-up is over."""
    over = now + timedelta(days=9)
    while maintenance.reorder_closed(store.engine, over):
        pass
    done = 0
    while count := maintenance.pack_closed(store.engine, over + timedelta(minutes=15)):
        done += count
    return done


@pytest.mark.parametrize("rounding", CodeRounding)
def test_a_code_of_what_was_not_measured_is_none(plain: Store, rounding: CodeRounding) -> None:
    code = codes.encoded("v", 16, rounding)
    query = f"SELECT {code}, {codes.decoded(code, 16, 'real')} FROM (SELECT NULL::real AS v) q"
    assert plain.rows(query) == [(None, None)]


@pytest.mark.parametrize("scale", [1, 16, 10_000])
@pytest.mark.parametrize("rounding", CodeRounding)
def test_a_code_is_within_a_step_of_its_number_and_bounds_never_shrink(
    store: Store, rounding: CodeRounding, scale: int
) -> None:
    rng = np.random.default_rng(scale)
    numbers = np.unique(
        np.concatenate([[0, 1, 7, 300, 3600, 16_383, 16_384, 16_385], np.exp(rng.uniform(-6, 27, 3000))])
    )
    again = codes.decoded(codes.encoded("v", scale, rounding), scale, "float8")
    twice = codes.decoded(codes.encoded(again, scale, rounding), scale, "float8")
    query = text(f"SELECT v, {again}, {twice} FROM unnest(CAST(:numbers AS float8[])) v")
    with reading(store.engine) as connection:
        rows = [tuple(row) for row in connection.execute(query, {"numbers": numbers.tolist()})]
    value, once, second = np.array(rows, dtype=np.float64).T
    assert np.array_equal(once, second), "packed again it stays as it is"
    assert (np.abs(once - value) <= np.maximum(value * STEP, 1 / scale) * (1 + 1e-9)).all()
    whole = (value == np.floor(value)) & (value * scale < codes.EXACT_BELOW)
    assert whole.any()
    assert np.array_equal(once[whole], value[whole])
    if rounding is CodeRounding.NEAREST:
        assert (np.abs(once - value) <= np.maximum(value * STEP * 0.51, 0.5 / scale)).all()
    else:
        wider = value - once if rounding is CodeRounding.DOWN else once - value
        assert (wider >= -1e-6 * np.maximum(value * STEP, 1 / scale)).all()


def require_as_before(found: LedgerSeries, before: LedgerSeries) -> None:
    assert (found.keys.tolist(), found.starts_us.tolist()) == (before.keys.tolist(), before.starts_us.tolist())
    for name in ("minutes", "ops_minutes", "outstanding_minutes"):
        assert getattr(found, name).tolist() == getattr(before, name).tolist()
    for part in ("rows", "notes"):
        for field in fields(getattr(before, part)):
            got, want = (getattr(getattr(series, part), field.name) for series in (found, before))
            np.testing.assert_allclose(got, want, rtol=STEP, atol=1 / 16, err_msg=field.name)
    assert (found.notes.reasons == before.notes.reasons).all()
    assert (found.rows.span_lower <= before.rows.span_lower + 1e-6 * before.rows.span_lower).all()
    assert (found.rows.span_upper >= before.rows.span_upper - 1e-6 * before.rows.span_upper).all()
    enclosed = (found.rows.span_lower <= found.rows.span_time) & (found.rows.span_time <= found.rows.span_upper)
    assert enclosed.all()


@pytest.mark.parametrize("step", [FIVE_MINUTES, timedelta(minutes=15), timedelta(hours=1), None])
def test_the_ledger_reads_the_same_when_its_roll_ups_are_packed(
    plain: Store, monkeypatch: pytest.MonkeyPatch, step: timedelta | None
) -> None:
    monkeypatch.setattr(questions, "_WORTHWHILE", 0)
    keys = keys_of(ScopeKind.VM, 3)
    where = grid(keys, minutes_from(HOUR, 170))
    write(plain, where, *ledger_rows(len(where[0])))
    plain.roll(NOW)
    before = read(plain, keys, *HOURS, step)
    assert packed(plain) > 0
    assert plain.value("SELECT count(*) FROM ledger_5m") == plain.value("SELECT count(*) FROM ledger_1h") == 0
    found = read(plain, keys, *HOURS, step)
    assert found.resolution == before.resolution != "1m"
    require_as_before(found, before)


def filled(store: Store) -> int:
    source_id = store.with_environment(host_inventory(), NOW)
    values = {
        "read_ops": 5,
        "read_bytes": 123_456_789,
        "read_gavg_us": 100,
        "aborts": 0,
        "queue_depth": 32,
        "precision": 1,
    }
    key = host_inventory().devices[0].key
    store.write(source_id, batch(Stream.HOST_DEVICE, key, every(20, HOUR + timedelta(seconds=20), 540), **values))
    store.roll(NOW)
    found = store.value("SELECT id FROM host_device WHERE key = :key", key=key)
    assert isinstance(found, int)
    return found


def charted(store: Store, device: int, points: int) -> Bucketed:
    with reading(store.engine) as connection:
        asked = window(connection, *HOURS, points)
        return bucketed(connection, {Stream.HOST_DEVICE: [Entity(device, 0.0)]}, asked, parts=True)[Stream.HOST_DEVICE]


@pytest.mark.parametrize("points", [36, 3])
def test_counters_read_the_same_when_their_roll_ups_are_packed(plain: Store, points: int) -> None:
    device = filled(plain)
    before = charted(plain, device, points)
    assert packed(plain) > 0
    assert plain.value("SELECT count(*) FROM host_device_5m") == 0
    found = charted(plain, device, points)
    assert found.resolution == before.resolution != "raw"
    for name, column in before.columns[device].items():
        assert [number is None for number in found.columns[device][name]] == [number is None for number in column], name
        got, want = (np.array(numbers, dtype=float) for numbers in (found.columns[device][name], column))
        np.testing.assert_allclose(got, want, rtol=STEP, err_msg=name)


def test_a_late_sample_unpacks_its_day_and_the_day_is_packed_again(plain: Store) -> None:
    filled(plain)
    packed(plain)
    other = host_inventory().devices[1].key
    (source_id,) = plain.rows("SELECT id FROM source")[0]
    plain.write(int(str(source_id)), batch(Stream.HOST_DEVICE, other, [HOUR + MINUTE], read_ops=7))
    plain.roll(NOW)
    assert plain.rows("SELECT count(*), sum(n), sum(read_ops) FROM host_device_5m") == [(37, 541, 5 * 540 + 7)]
    assert plain.value("SELECT count(*) FROM host_device_5m_packed") == 0
    maintenance.reorder_closed(plain.engine, NOW + timedelta(days=9))
    packed(plain)
    assert plain.value("SELECT count(*) FROM host_device_5m") == 0
    assert plain.value("SELECT sum(cardinality(at)) FROM host_device_5m_packed") == 37


def test_a_day_is_packed_once_it_is_over_in_order_and_nothing_is_to_be_made_of_it(plain: Store) -> None:
    filled(plain)
    midnight = (HOUR + timedelta(days=1)).replace(hour=0)
    maintenance.reorder_closed(plain.engine, midnight + timedelta(minutes=30))
    maintenance.pack_closed(plain.engine, midnight + timedelta(minutes=119))
    assert plain.value("SELECT count(*) FROM host_device_5m") == 36, "the day has only just ended"
    with transaction(plain.engine) as connection:
        connection.execute(
            text("INSERT INTO dirty_window (kind, series, lo, hi) VALUES ('roll', 'host_device_1h', :at, :at)"),
            {"at": HOUR},
        )
    maintenance.pack_closed(plain.engine, midnight + timedelta(minutes=121))
    assert plain.value("SELECT count(*) FROM host_device_5m") == 36, "an hour is still to be made of it"
    plain.roll(NOW)
    maintenance.reorder_closed(plain.engine, midnight + timedelta(minutes=122))
    maintenance.pack_closed(plain.engine, midnight + timedelta(minutes=140))
    assert plain.value("SELECT count(*) FROM host_device_5m") == 0


def test_what_is_packed_goes_with_its_retention_and_comes_back_whole(plain: Store) -> None:
    filled(plain)
    rows = "SELECT entity_id, bucket, n, covered_s, read_ops, read_ops_s, read_gavg_us_sum, queue_depth_max FROM host_device_5m"
    before = sorted(plain.rows(rows))
    packed(plain)
    with transaction(plain.engine) as connection:
        for series in packed_series.PACKED.values():
            if wanted := partitions.existing(connection, series):
                partitions.open_for_writing(connection, series, wanted)
    assert sorted(plain.rows(rows)) == before
    packed(plain)
    maintenance.drop_expired(plain.engine, NOW + timedelta(days=40))
    assert plain.value("SELECT count(*) FROM host_device_5m_packed") == 0
    assert plain.value("SELECT sum(cardinality(at)) FROM host_device_1h_packed") == 3
