"""Readings become columns in one unit each, and what was not measured is never a number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.collectors.hosts.vcenter.blocks import BLOCK_S, folded, whole_blocks_only
from gavel.collectors.hosts.vcenter.columns import batch, entity_key, part_key, values
from gavel.collectors.hosts.vcenter.csv import PivotedSeries
from gavel.domain.samples import COLUMNS, NOT_MEASURED, Int64Array, Precision, SampleBatch
from gavel.domain.source import Stream

US = 1_000_000


def column(*numbers: int) -> Int64Array:
    return np.array(numbers, dtype=np.int64)


def series(names: list[tuple[str, str]], stamps: list[list[int]], readings: list[list[list[int]]]) -> PivotedSeries:
    """Stamps in seconds per object, readings per counter and object."""
    ends = np.array(stamps, dtype=np.int64) * US
    return PivotedSeries(
        names=tuple(names),
        ended_at_us=ends,
        interval_s=np.full_like(ends, 20),
        values=np.array(readings, dtype=np.int64),
    )


# --- units --------------------------------------------------------------------------------------------------------------


def test_rates_become_operations_and_bytes_of_the_interval() -> None:
    taken = {
        "virtualDisk.numberReadAveraged.average": column(65_000, NOT_MEASURED, 0),
        "virtualDisk.read.average": column(260_000, 5, NOT_MEASURED),
    }
    found = values(Stream.VM_DISK, taken, column(20, 20, 20))
    assert found["read_ops"].tolist() == [1_300_000, NOT_MEASURED, 0]
    assert found["read_bytes"].tolist() == [260_000 * 1024 * 20, 5 * 1024 * 20, NOT_MEASURED]
    assert found["write_ops"].tolist() == [NOT_MEASURED] * 3


def test_exact_counts_are_taken_as_they_are() -> None:
    found = values(Stream.HOST_DEVICE, {"disk.numberRead.summation": column(1_299_987)}, column(20))
    assert found["read_ops"].tolist() == [1_299_987]


def test_milliseconds_become_microseconds_and_say_how_coarse_they_are() -> None:
    found = values(Stream.HOST_DEVICE, {"disk.deviceReadLatency.average": column(1, NOT_MEASURED)}, column(20, 20))
    assert found["read_davg_us"].tolist() == [1000, NOT_MEASURED]
    assert found["precision"].tolist() == [Precision.MILLISECOND, NOT_MEASURED]


def test_a_row_has_latencies_of_one_family_only() -> None:
    taken = {
        "storage.latency.readGavg.average": column(930, NOT_MEASURED),
        "disk.totalReadLatency.average": column(1, 2),
        "disk.deviceReadLatency.average": column(0, 1),
    }
    found = values(Stream.HOST_DEVICE, taken, column(20, 20))
    assert found["read_gavg_us"].tolist() == [930, 2000]
    assert found["read_davg_us"].tolist() == [NOT_MEASURED, 1000]
    assert found["precision"].tolist() == [Precision.MICROSECOND, Precision.MILLISECOND]


def test_a_virtual_disk_keeps_both_twins_of_its_latency() -> None:
    taken = {
        "virtualDisk.readLatencyUS.latest": column(930, NOT_MEASURED),
        "virtualDisk.totalReadLatency.average": column(1, 1),
    }
    found = values(Stream.VM_DISK, taken, column(20, 20))
    assert found["read_latency_us"].tolist() == [930, NOT_MEASURED]
    assert found["read_total_latency_us"].tolist() == [1000, 1000]
    assert found["precision"].tolist() == [Precision.MICROSECOND, Precision.MILLISECOND]


@pytest.mark.parametrize("stream", [Stream.HOST_DEVICE, Stream.VM_DISK, Stream.PATH, Stream.ADAPTER, Stream.HOST_CPU])
def test_every_stream_has_exactly_its_columns_even_without_any_reading(stream: Stream) -> None:
    found = values(stream, {}, column(20))
    assert tuple(found) == COLUMNS[stream]
    assert all(numbers.tolist() == [NOT_MEASURED] for numbers in found.values())


@given(st.lists(st.integers(NOT_MEASURED, 1 << 40), min_size=1, max_size=6))
def test_a_column_is_measured_exactly_where_its_reading_is(numbers: list[int]) -> None:
    taken = {
        "storageAdapter.write.average": column(*numbers),
        "storageAdapter.totalWriteLatency.average": column(*numbers),
    }
    found = values(Stream.ADAPTER, taken, np.full(len(numbers), 20, dtype=np.int64))
    for name in ("write_bytes", "write_latency_us", "precision"):
        assert [number == NOT_MEASURED for number in found[name]] == [number == NOT_MEASURED for number in numbers]
        assert (found[name] >= NOT_MEASURED).all()


# --- rows ---------------------------------------------------------------------------------------------------------------


def rows(found: SampleBatch | None) -> list[tuple[str, int, int]]:
    assert found is not None
    return sorted(
        (found.keys[place], int(end) // US, int(ops))
        for place, end, ops in zip(found.key_index, found.ended_at_us, found.values["read_ops"], strict=True)
    )


def test_the_window_is_open_at_its_start_and_closed_at_its_end() -> None:
    part = series([("host-1", "naa.1")], [[100, 120, 140, 160]], [[[1, 2, 3, 4]]])
    found = batch(
        Stream.HOST_DEVICE, ["disk.numberRead.summation"], part, part_key, since_us=100 * US, until_us=140 * US
    )
    assert rows(found) == [("host-1/naa.1", 120, 2), ("host-1/naa.1", 140, 3)]


def test_the_order_of_the_reply_does_not_matter() -> None:
    forward = series([("host-1", "naa.1")], [[100, 120]], [[[1, 2]]])
    backward = series([("host-1", "naa.1")], [[120, 100]], [[[2, 1]]])
    found = [
        batch(Stream.HOST_DEVICE, ["disk.numberRead.summation"], part, part_key, since_us=0, until_us=200 * US)
        for part in (forward, backward)
    ]
    assert rows(found[0]) == rows(found[1])


def test_aggregates_are_no_objects_and_rows_without_any_reading_are_none() -> None:
    names = [("host-1", ""), ("host-1", "naa.1"), ("host-1", "naa.2")]
    nothing = [NOT_MEASURED, NOT_MEASURED]
    part = series(names, [[100, 120]] * 3, [[[9, 9], [1, NOT_MEASURED], nothing]])
    found = batch(Stream.HOST_DEVICE, ["disk.numberRead.summation"], part, part_key, since_us=0, until_us=200 * US)
    assert rows(found) == [("host-1/naa.1", 100, 1)]


def test_cpu_usage_is_of_the_host_itself_and_not_of_its_single_cpus() -> None:
    part = series([("host-1", ""), ("host-1", "0")], [[100]] * 2, [[[9712], [10_000]]])
    found = batch(Stream.HOST_CPU, ["cpu.usage.average"], part, entity_key, since_us=0, until_us=200 * US)
    assert found is not None
    assert (found.keys, found.key_index.tolist()) == (("host-1",), [0])
    assert found.values["usage_basis_points"].tolist() == [9712]


def test_a_reply_with_nothing_in_the_window_is_no_batch() -> None:
    part = series([("host-1", "naa.1")], [[100]], [[[1]]])
    assert (
        batch(Stream.HOST_DEVICE, ["disk.numberRead.summation"], part, part_key, since_us=100 * US, until_us=200 * US)
        is None
    )


# --- blocks of five minutes ---------------------------------------------------------------------------------------------


def path_rows(stamps: list[int], ops_per_s: list[int], latency_ms: list[int]) -> SampleBatch | None:
    """Folded rows of one path with these samples of 20 s."""
    names = ["storagePath.numberReadAveraged.average", "storagePath.totalReadLatency.average"]
    part = whole_blocks_only(series([("host-1", "path")], [stamps], [[ops_per_s], [latency_ms]]))
    found = batch(Stream.PATH, names, part, part_key, since_us=0, until_us=10_000 * US)
    return None if found is None else folded(found)


BLOCK = list(range(320, 601, 20))  # the fifteen stamps of the block that ends at 600


def test_a_block_sums_operations_and_weighs_latency_by_them() -> None:
    found = path_rows(BLOCK, [5] * 14 + [70], [1] * 14 + [2])
    assert found is not None
    assert found.ended_at_us.tolist() == [600 * US]
    assert found.interval_s.tolist() == [BLOCK_S]
    assert found.values["read_ops"].tolist() == [2800]
    assert found.values["read_latency_us"].tolist() == [1500]
    assert found.values["precision"].tolist() == [Precision.MILLISECOND]


def test_a_block_whose_end_is_not_there_yet_is_left_for_later() -> None:
    assert path_rows(BLOCK[:-1], [100] * 14, [1] * 14) is None


def test_a_block_whose_start_the_source_has_dropped_is_no_block() -> None:
    assert path_rows(BLOCK[3:], [100] * 12, [1] * 12) is None


def test_a_missing_sample_inside_a_block_shortens_what_it_stands_for() -> None:
    found = path_rows(BLOCK, [5] * 14 + [NOT_MEASURED], [1] * 14 + [NOT_MEASURED])
    assert found is not None
    assert found.interval_s.tolist() == [280]
    assert found.values["read_ops"].tolist() == [1400]


def test_a_block_without_operations_has_no_latency() -> None:
    found = path_rows(BLOCK, [0] * 15, [0] * 15)
    assert found is not None
    assert found.values["read_ops"].tolist() == [0]
    assert found.values["read_latency_us"].tolist() == [NOT_MEASURED]


def test_operations_of_unknown_latency_leave_the_block_without_one() -> None:
    found = path_rows(BLOCK, [100] * 15, [1] * 14 + [NOT_MEASURED])
    assert found is not None
    assert found.values["read_latency_us"].tolist() == [NOT_MEASURED]


@given(
    st.lists(st.integers(0, 10**9), min_size=15, max_size=15),
    st.lists(st.integers(0, 10_000), min_size=15, max_size=15),
)
def test_the_latency_of_a_block_lies_between_those_of_its_samples(ops: list[int], latency_ms: list[int]) -> None:
    found = path_rows(BLOCK, ops, latency_ms)
    assert found is not None
    assert found.values["read_ops"].tolist() == [20 * sum(ops)]
    weighing = [latency * 1000 for latency, number in zip(latency_ms, ops, strict=True) if number]
    latency = int(found.values["read_latency_us"][0])
    assert (min(weighing) - 1 <= latency <= max(weighing) + 1) if weighing else latency == NOT_MEASURED
