"""From a reading to the integers of a row: the latency semantics of both Purity generations, and what idleness shows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gavel_lab.flasharray.counters import block_columns, file_columns, rounded, truncated
from gavel_lab.flasharray.gates import DIRECTIONS, PERFORMANCE_FIELDS
from gavel_lab.reading import SEGMENT, SEGMENTS, Reading

SECONDS = 30.0
LATENCIES = ("usec_per", "service_usec_per", "queue_usec_per", "san_usec_per", "qos_rate_limit_usec_per")


def reading_of(ops_per_s: np.ndarray, size: np.ndarray, segment_us: np.ndarray) -> Reading:
    ops = ops_per_s * SECONDS
    return Reading(seconds=np.array([SECONDS]), ops=ops, bytes=ops * size, io_time_us=ops[..., None] * segment_us)


def floats(shape: tuple[int, ...], highest: float) -> st.SearchStrategy[np.ndarray]:
    return arrays.arrays(np.float64, shape, elements=st.floats(0, highest, allow_subnormal=False))


readings = st.builds(reading_of, floats((4, 1, 3), 1e5), floats((4, 1, 3), 1e6), floats((4, 1, 3, len(SEGMENTS)), 1e5))


@given(readings)
def test_old_usec_is_the_service_time_and_new_usec_holds_the_queue_too(reading: Reading) -> None:
    old = block_columns(reading, rounded, queue_in_usec=False)
    new = block_columns(reading, rounded, queue_in_usec=True)
    for direction in DIRECTIONS:
        service, queue = old[f"service_usec_per_{direction}_op"], old[f"queue_usec_per_{direction}_op"]
        assert np.array_equal(old[f"usec_per_{direction}_op"], service)
        assert np.array_equal(new[f"service_usec_per_{direction}_op"], service)
        assert np.abs(new[f"usec_per_{direction}_op"] - service - queue).max() <= 1


@given(readings)
def test_every_counter_is_the_nearest_integer_and_none_is_negative(reading: Reading) -> None:
    columns = block_columns(reading, rounded, queue_in_usec=True)
    assert all((column >= 0).all() for column in columns.values())
    for place, direction in enumerate(DIRECTIONS):
        rate = reading.ops_per_s()[..., place]
        assert np.abs(columns[f"{direction}s_per_sec"] - rate).max() <= 0.5
        busy = columns[f"{direction}s_per_sec"] > 0
        san = np.nan_to_num(reading.segment_us("array_port"))[..., place]
        assert np.all(np.abs(columns[f"san_usec_per_{direction}_op"] - san)[busy] <= 0.5 + 1e-6)


@given(readings)
def test_a_direction_without_operations_shows_no_latency_and_no_size(reading: Reading) -> None:
    columns = block_columns(reading, rounded, queue_in_usec=True)
    for direction in DIRECTIONS:
        idle = columns[f"{direction}s_per_sec"] == 0
        for latency in LATENCIES:
            assert not columns[f"{latency}_{direction}_op"][idle].any()
        assert not columns[f"bytes_per_{direction}"][idle].any()


@given(readings)
def test_a_row_has_every_counter_of_the_newest_version(reading: Reading) -> None:
    columns = block_columns(reading, rounded, queue_in_usec=True)
    assert PERFORMANCE_FIELDS.keys() - {"name", "time", "service_usec_per_read_op_cache_reduction"} == columns.keys()


@given(readings)
def test_san_and_limit_are_never_in_usec(reading: Reading) -> None:
    changed = reading.io_time_us.copy()
    changed[..., [SEGMENT["array_port"], SEGMENT["array_qos"]]] *= 7
    other = Reading(seconds=reading.seconds, ops=reading.ops, bytes=reading.bytes, io_time_us=changed)
    for semantics in (True, False):
        before = block_columns(reading, rounded, queue_in_usec=semantics)
        after = block_columns(other, rounded, queue_in_usec=semantics)
        for direction in DIRECTIONS:
            assert np.array_equal(before[f"usec_per_{direction}_op"], after[f"usec_per_{direction}_op"])


def test_aggregated_rows_are_truncated() -> None:
    values = np.array([207.99, 5.0 - 1e-9, 0.0, np.nan])
    assert truncated(values).tolist() == [207, 5, 0, 0]
    assert rounded(values).tolist() == [208, 5, 0, 0]


def test_the_size_of_all_operations_is_the_captured_one() -> None:
    """96 reads of 30,368 bytes, 35 writes of 64,366 and 213 mirrored writes of 5,730: a real array showed 18,571."""
    rates, sizes = np.array([[[96.0, 35.0, 213.0]]]), np.array([[[30_368.0, 64_366.0, 5_730.0]]])
    reading = reading_of(rates, sizes, np.zeros((1, 1, 3, len(SEGMENTS))))
    assert block_columns(reading, rounded, queue_in_usec=False)["bytes_per_op"].item() == 18_571


def test_a_directory_shows_one_latency_per_direction() -> None:
    segments = np.zeros((1, 1, 3, len(SEGMENTS)))
    segments[..., SEGMENT["array_service"]] = 400
    segments[..., SEGMENT["array_queue"]] = 30
    segments[..., SEGMENT["array_port"]] = 50
    columns = file_columns(reading_of(np.full((1, 1, 3), 10.0), np.full((1, 1, 3), 4096.0), segments), rounded)
    assert columns["usec_per_read_op"].item() == columns["usec_per_write_op"].item() == 430
    assert "san_usec_per_read_op" not in columns


@pytest.mark.parametrize("whole", [rounded, truncated])
def test_nothing_at_all_is_all_zero(whole: object) -> None:
    nothing = reading_of(np.zeros((1, 1, 3)), np.zeros((1, 1, 3)), np.zeros((1, 1, 3, len(SEGMENTS))))
    columns = block_columns(nothing, whole, queue_in_usec=True)  # type: ignore[arg-type]
    assert not any(column.any() for column in columns.values())
