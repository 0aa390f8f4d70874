"""On TimescaleDB: chunks are laid out as the list says, sums that change are made again in what is packed, reals are short."""

from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests.db.conftest import Store
from tests.db.environments import batch, host_inventory

from gavel.db.series.catalog import RAWS, ROLLS, Mode
from gavel.db.series.codes import CodeRounding
from gavel.db.series.digits import shorten, shortened
from gavel.domain.source import Stream

CHUNK = """
    SELECT time_interval FROM timescaledb_information.dimensions d LEFT JOIN timescaledb_information.continuous_aggregates a
        ON (a.materialization_hypertable_schema, a.materialization_hypertable_name) = (d.hypertable_schema, d.hypertable_name)
    WHERE coalesce(a.view_name, d.hypertable_name) = :name
"""
NOW = datetime.now(UTC).replace(microsecond=0)
DEVICE = host_inventory().devices[0].key
REALS = arrays.arrays(
    np.float32,
    st.integers(1, 50),
    elements=st.floats(-(2.0**99), 2.0**99, width=32, allow_subnormal=False) | st.just(np.nan),
)


@pytest.mark.parametrize("name", [*RAWS, *ROLLS])
def test_chunks_are_as_wide_as_the_list_says(store: Store, name: str) -> None:
    if store.timescale:
        assert store.value(CHUNK, name=name) == (RAWS.get(name) or ROLLS[name]).chunk[Mode.TIMESCALE]


def test_sums_that_are_packed_are_made_again_from_a_late_sample(store: Store) -> None:
    """Also where a change may unpack next to nothing: a policy has no say in how much."""
    if not store.timescale:
        return
    source, at = store.with_environment(host_inventory(), NOW - timedelta(days=2)), NOW - timedelta(days=1, hours=3)
    stamps = [at + timedelta(seconds=20 * n) for n in range(90)]
    store.write(source, batch(Stream.HOST_DEVICE, DEVICE, stamps, 20, read_ops=10))
    store.roll(NOW)
    sums = "SELECT sum(read_ops)::int, sum(n)::int FROM host_device_5m JOIN host_device d ON d.id = entity_id WHERE d.source_id = :source"
    before = store.rows(sums, source=source)
    store.run(
        "SELECT compress_chunk(c, if_not_compressed => true) FROM show_chunks('host_device_5m', older_than => now() - INTERVAL '1 hour') c"
    )
    store.run("SET timescaledb.max_tuples_decompressed_per_dml_transaction = 1")
    try:
        store.write(source, batch(Stream.HOST_DEVICE, DEVICE, [at + timedelta(seconds=10)], 20, read_ops=1000))
        store.roll(NOW)
    finally:
        store.run("RESET timescaledb.max_tuples_decompressed_per_dml_transaction")
    assert before == [(900, 90)]
    assert store.rows(sums, source=source) == [(1900, 91)]


@given(REALS)
def test_a_short_real_is_within_a_step_of_its_number_and_bounds_never_shrink(column: npt.NDArray[np.float32]) -> None:
    nearest, down, up = (shorten(column, rounding) for rounding in CodeRounding)
    measured = ~np.isnan(column)
    assert (np.isnan(nearest) == ~measured).all()
    exact = column[measured].astype(np.float64)
    assert (np.abs(nearest[measured] - exact) <= np.abs(exact) * 2.0**-12).all()
    assert (down[measured] <= exact).all()
    assert (exact - down[measured] <= np.abs(exact) * 2.0**-11).all()
    assert (up[measured] >= exact).all()
    assert (up[measured] - exact <= np.abs(exact) * 2.0**-11).all()
    assert (down[measured] <= nearest[measured]).all()
    assert (nearest[measured] <= up[measured]).all()


@given(REALS, st.sampled_from(CodeRounding))
def test_a_short_real_shortened_again_is_the_same(column: npt.NDArray[np.float32], rounding: CodeRounding) -> None:
    once = shorten(column, rounding)
    np.testing.assert_array_equal(shorten(once, rounding), once)


def test_small_whole_numbers_keys_and_stamps_stay_as_they_are() -> None:
    whole = np.arange(4097, dtype=np.float32)
    keys = np.arange(4097, dtype=np.int64) + 2**40
    columns = shortened({"read_ops": whole, "all_array_lower": whole, "all_array_upper": whole, "entity_id": keys})
    for name in ("read_ops", "all_array_lower", "all_array_upper"):
        np.testing.assert_array_equal(columns[name], whole)
    np.testing.assert_array_equal(columns["entity_id"], keys)
