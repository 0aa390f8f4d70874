"""What `latest` latency and I/Os in flight say about the whole of a sample."""

import numpy as np
import pytest

from gavel.analysis.align import Samples
from gavel.analysis.instants import latest_time, scattered, time_in_flight
from gavel.analysis.intervals import Intervals, exactly_around

SECOND = 1_000_000
IOPS = 60_000


def three(ops: float = 20.0 * IOPS) -> Samples:
    """Three samples of 20 s of one disk, reads only."""
    ends = np.arange(1, 4) * 20 * SECOND
    counts = np.stack([np.full(3, ops), np.zeros(3)], axis=1)
    nothing = np.zeros((3, 0))
    value = exactly_around(np.zeros((3, 2, 1)), 0.5)
    clock = np.zeros(3, np.int64)
    return Samples(
        entity=clock,
        start_us=ends - 20 * SECOND,
        end_us=ends,
        offset_us=clock,
        ops=counts,
        value=value,
        counts=nothing,
        levels=nothing,
        error_us=clock,
    )


def reads(*numbers: float) -> np.ndarray:
    return np.stack([np.array(numbers), np.full(3, np.nan)], axis=1)


def test_ios_in_flight_over_iops_are_the_virtual_disks_time() -> None:
    found = time_in_flight(reads(60, 60, 60), three())
    assert found.value[1, 0] == pytest.approx(1000)
    assert (found.lower[1, 0], found.upper[1, 0]) == (pytest.approx(892, abs=1), pytest.approx(1117, abs=1))
    assert np.isnan(found.value[:, 1]).all()


def test_without_io_nothing_in_flight_is_no_time() -> None:
    assert np.isnan(time_in_flight(reads(0, 0, 0), three(ops=0.0)).value).all()


def test_a_change_that_an_instant_may_have_missed_lies_within() -> None:
    found = latest_time(reads(500, 500, 2000), three())
    assert found.value[1, 0] == 500
    assert (found.lower[1, 0], found.upper[1, 0]) == (pytest.approx(449.5), pytest.approx(2200.5))
    assert (found.lower[0, 0], found.upper[0, 0]) == (pytest.approx(449.5), pytest.approx(550.5))


def test_a_counter_that_cuts_off_outstanding_ios_may_have_had_nearly_one_more() -> None:
    """0.6 I/Os on average, told as 0, are 351 µs at 1,708 a second: more than half an I/O allows."""
    found = time_in_flight(reads(0, 0, 0), three(ops=20.0 * 1708))
    assert found.lower[1, 0] == 0
    assert found.upper[1, 0] > 351


def test_an_instant_is_a_measurement_as_far_as_it_strays_within_its_ms_twin() -> None:
    twin = Intervals(lower=np.array([[0.0]]), upper=np.array([[1000.0]]), value=np.array([[500.0]]))
    found = scattered(reads(300, 300, 300), np.array([[120.0]]), twin, three())
    assert (found.lower[1, 0], found.value[1, 0], found.upper[1, 0]) == (180, 300, 420)


def test_a_change_that_an_instant_may_have_come_before_or_after_lies_within() -> None:
    """1.77 ms for 19 s and 0.32 ms in the last: 1.04 ms shown, which is what the counter strays by from neither."""
    twin = Intervals(lower=np.array([[1000.0]]), upper=np.array([[2000.0]]), value=np.array([[1500.0]]))
    found = scattered(reads(1814, 1037, 321), np.array([[582.0]]), twin, three())
    assert (found.lower[1, 0], found.upper[1, 0]) == (1000, 1814)
    assert found.lower[2, 0] == 1000


@pytest.mark.parametrize("reported", [85.0, float("nan")])
def test_an_instant_that_misses_its_twin_leaves_the_twin(reported: float) -> None:
    twin = Intervals(lower=np.array([[84_000.0]]), upper=np.array([[85_000.0]]), value=np.array([[84_500.0]]))
    found = scattered(reads(reported, reported, reported), np.array([[120.0]]), twin, three())
    assert (found.lower[1, 0], found.value[1, 0], found.upper[1, 0]) == (84_000, 84_500, 85_000)
