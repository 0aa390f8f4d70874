"""What-if: the worked cases of the queueing articles number by number, and laws that hold for every workload and every setting."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.analysis.queue_model import PARTS, Ceiling, QueueTimes
from gavel.analysis.queue_response import fit_response, throughput_stays
from gavel.analysis.stretched_write import non_optimized_write_us, optimized_write_us
from gavel.analysis.unread_limit import predict_with_limit
from gavel.analysis.whatif import (
    Knobs,
    Load,
    predict,
)

# 96 threads of 4 KB reads through PVSCSI with 64 and a device with 32 (attribution.md §8).
AS_FOUND = Load(iops=65_000, times=QueueTimes(guest_queue=470, kernel_queue=438, san=92, array=400))
NOW = Knobs(threads=96, virtual_disk_queue=64, device_depth=32)


def seen(*states: tuple[float, float]) -> np.ndarray:
    """A history of minutes in these states: I/Os in flight, driver time in µs."""
    return np.array(states * 6, dtype=np.float64)


def test_what_if_as_found_models_both_waits() -> None:
    now = predict(AS_FOUND, NOW, NOW).now
    assert now.iops == pytest.approx(65_000)
    assert (now.times.guest_queue, now.times.kernel_queue, now.times.driver) == pytest.approx((490, 490, 490), abs=4)
    assert now.times.total == pytest.approx(1_480, abs=4)
    assert (now.times.total - now.times.guest_queue) == pytest.approx(980, abs=8)


def test_what_if_of_the_virtual_disk_queue_alone_moves_the_wait() -> None:
    outlook = predict(AS_FOUND, NOW, replace(NOW, virtual_disk_queue=96))
    for reading in (outlook.slow, outlook.fast):
        assert reading.iops == pytest.approx(65_000)
        assert (reading.times.total, reading.times.kernel_queue) == pytest.approx((1_480, 980), abs=5)
        assert reading.times.guest_queue == pytest.approx(0)
        assert reading.binding is Ceiling.DEVICE_QUEUE


def test_what_if_of_both_queues_is_a_range_that_holds_what_was_seen() -> None:
    then = replace(NOW, virtual_disk_queue=96, device_depth=96)
    outlook = predict(AS_FOUND, NOW, then)
    assert (outlook.slow.iops, outlook.fast.iops) == pytest.approx((65_000, 195_000))
    assert outlook.iops.holds(125_000)
    assert outlook.total.holds(700)
    assert not outlook.is_fitted
    demanded = predict(AS_FOUND, NOW, replace(then, demand_iops=130_000))
    assert demanded.fast.iops == pytest.approx(130_000)
    assert demanded.fast.times.total == pytest.approx(740, abs=2)
    assert demanded.fast.binding is Ceiling.DEMAND


def test_what_if_of_the_device_alone_stops_at_the_virtual_disk() -> None:
    then = replace(NOW, device_depth=96, demand_iops=130_000)
    outlook = predict(AS_FOUND, replace(NOW, demand_iops=130_000), then)
    assert outlook.fast.iops == pytest.approx(130_000)
    assert outlook.fast.times.total == pytest.approx(740, abs=2)
    # With what both states showed of the device as history: 32 in flight took 492 µs, 96 took 768.
    fitted = fit_response(seen((32, 492), (96, 768)))
    assert fitted is not None
    known = predict(AS_FOUND, NOW, replace(NOW, device_depth=96), fitted)
    assert known.is_fitted
    assert known.slow.iops == pytest.approx(102_000, rel=0.005)
    assert known.slow.times.total == pytest.approx(940, abs=6)
    assert known.slow.binding is Ceiling.VIRTUAL_DISK_QUEUE


def test_what_if_history_that_does_not_span_the_new_depth_is_not_used() -> None:
    fitted = fit_response(seen((16, 364), (32, 428), (128, 812)))
    load = Load(iops=32 / 428e-6, times=QueueTimes(array=428))
    now = Knobs(threads=32, device_depth=32)
    inside = predict(load, now, replace(now, threads=96, device_depth=96), fitted)
    assert inside.is_fitted
    assert (inside.slow.times.driver, inside.fast.times.driver) == pytest.approx((684, 684), abs=1)
    assert not predict(load, now, replace(now, threads=300, device_depth=300), fitted).is_fitted


@pytest.mark.parametrize(("far_us", "iops"), [(6_000, 7_805), (8_000, 6_275)])
def test_what_if_over_both_kinds_of_path_is_their_mean(far_us: float, iops: float) -> None:
    near = optimized_write_us(50, 1_000)
    assert (near, non_optimized_write_us(1_000, 1_000)) == (2_200, 6_000)
    mean = (near + far_us) / 2
    load = Load(iops=32 / mean * 1e6, times=QueueTimes(san=mean - 200, array=200), non_optimized_extra_us=far_us - near)
    now = Knobs(threads=32, non_optimized_share=0.5)
    outlook = predict(load, now, replace(now, non_optimized_share=0.0))
    assert outlook.now.iops == pytest.approx(iops, abs=1)
    assert outlook.slow.iops == outlook.fast.iops == pytest.approx(14_545, abs=1)
    assert outlook.slow.times.total == pytest.approx(2_200)


def test_what_if_of_a_deeper_queue_on_fast_storage_holds_what_was_seen() -> None:
    # One VM on an all-flash array: 161,000 IOPS with depth 30, 169,000 with 128.
    load = Load(iops=161_000, times=QueueTimes(array=30 / 161_000 * 1e6))
    outlook = predict(load, Knobs(threads=128, device_depth=30), Knobs(threads=128, device_depth=128))
    assert outlook.iops.holds(169_000)


def test_what_if_of_a_lower_iops_limit_holds_the_rate_and_has_no_open_loop() -> None:
    outlook = predict(AS_FOUND, NOW, replace(NOW, iops_limit=10_000))
    assert outlook.slow.iops == outlook.fast.iops == 10_000
    assert outlook.slow.binding is Ceiling.IOPS_LIMIT
    assert outlook.slow.times.hypervisor > outlook.now.times.hypervisor
    assert outlook.slow.times.driver == pytest.approx(492)
    assert outlook.open_total is None


def test_what_if_of_less_room_has_no_upper_latency_where_threads_are_not_known() -> None:
    # As measured, threads that think between their I/Os are not outstanding; with less room they pile up.
    now = replace(NOW, threads=None)
    outlook = predict(AS_FOUND, now, replace(now, device_depth=8))
    assert outlook.total.high is None
    assert outlook.part("kernel_queue").high is None or outlook.part("guest_queue").high is None
    assert predict(AS_FOUND, NOW, replace(NOW, device_depth=8)).total.high is not None
    noisy = fit_response(np.stack([np.linspace(20, 90, 40), np.linspace(420, 600, 40)], axis=1))
    for depth in (32, 64):
        assert predict(AS_FOUND, now, replace(now, device_depth=depth), noisy).total.high is not None


def test_what_if_history_at_one_count_never_makes_storage_faster_than_it_was() -> None:
    dice = np.random.default_rng(1)
    in_flight = dice.normal(8, 0.02, 40)
    fitted = fit_response(np.stack([in_flight, 900 * in_flight + dice.normal(0, 20, 40)], axis=1))
    assert fitted is not None
    assert fitted.fast.at(1) > 6_000
    load = Load(iops=8 / 7_200e-6, times=QueueTimes(array=7_200))
    now = Knobs(device_depth=8)
    assert predict(load, now, replace(now, device_depth=32), fitted).total.low > 6_000


def test_what_if_of_a_limit_that_was_not_read_holds_with_and_without_one() -> None:
    """Deeper queues help, or a limit that is reached holds IOPS and all that waits with it."""
    unread = replace(NOW, is_limit_read=False)
    deeper = replace(unread, virtual_disk_queue=96, device_depth=96)
    free = predict(AS_FOUND, NOW, replace(deeper, is_limit_read=True))
    outlook = predict_with_limit(AS_FOUND, unread, deeper)
    assert outlook.iops.low == pytest.approx(65_000)
    assert outlook.iops.high == pytest.approx(free.iops.high)
    assert outlook.total.low == pytest.approx(free.total.low)
    assert outlook.total.high == pytest.approx(96 / 65_000 * 1e6)
    assert (outlook.part("hypervisor").high or 0) > (free.part("hypervisor").high or 0) + 400
    assert predict_with_limit(AS_FOUND, NOW, replace(deeper, is_limit_read=True)) == free


def test_what_if_of_a_limit_that_was_not_read_and_is_lifted_may_take_its_wait_away() -> None:
    load = replace(AS_FOUND, iops=1_000, times=QueueTimes(hypervisor=5_000, array=500))
    unread = Knobs(threads=5.5, is_limit_read=False)
    outlook = predict_with_limit(load, unread, replace(unread, is_limit_read=True))
    assert outlook.part("hypervisor").holds(5_000)
    assert outlook.part("hypervisor").low == pytest.approx(0)
    assert outlook.total.low == pytest.approx(500, rel=0.01)


def test_what_if_of_a_deeper_queue_waits_in_the_array_with_all_io_of_the_volume() -> None:
    """32 I/Os of 56 in the array are this queue's: 64 more make 120 of them."""
    load = replace(AS_FOUND, times=replace(AS_FOUND.times, san=0, array=492))
    then = replace(NOW, virtual_disk_queue=96, device_depth=96)
    alone, shared = (predict(replace(load, at_array=one), NOW, then) for one in (None, 56))
    own = load.in_flight
    assert shared.slow.times.array == pytest.approx(492 * (56 + 96 - own) / 56, rel=1e-3)
    assert alone.slow.times.array == pytest.approx(492 * 96 / own, rel=1e-3)
    assert shared.fast == alone.fast
    assert predict(replace(load, at_array=own), NOW, then).slow.iops == pytest.approx(alone.slow.iops)


def test_what_if_of_a_deeper_queue_leaves_less_of_its_wait_where_iops_stay() -> None:
    """Twice the slots and a driver that is no more than 1.1 times as slow: 55 % of the wait."""
    load = Load(iops=16_000, times=QueueTimes(kernel_queue=4_000, array=500), at_array=80)
    now = Knobs(device_depth=8)
    outlook = predict(load, now, replace(now, device_depth=16))
    assert outlook.open_times is not None
    assert outlook.open_times["kernel_queue"].high == pytest.approx(4_000 * 0.55)
    assert outlook.total.high is not None
    assert outlook.total.high < 0.65 * load.times.total
    with_more_admitted = predict(
        load, replace(now, virtual_disk_queue=16), replace(now, virtual_disk_queue=64, device_depth=16)
    )
    assert with_more_admitted.open_times is not None
    assert with_more_admitted.open_times["kernel_queue"].high == pytest.approx(4_000)


def test_what_if_names_the_limit_that_binds_next() -> None:
    names = [name for name, _ in predict(AS_FOUND, NOW, NOW).ceilings]
    assert names[:2] == [Ceiling.DEVICE_QUEUE, Ceiling.VIRTUAL_DISK_QUEUE]
    deeper = predict(AS_FOUND, NOW, replace(NOW, device_depth=128)).ceilings
    assert [name for name, _ in deeper[:2]] == [Ceiling.VIRTUAL_DISK_QUEUE, Ceiling.THREADS]


def test_what_if_neighbors_of_a_full_queue_wait_as_the_workload_does_and_gain_when_it_leaves() -> None:
    load = replace(AS_FOUND, iops=30_000, neighbor_iops=35_000)
    now = replace(NOW, threads=None)
    outlook = predict(load, now, replace(now, iops_limit=5_000))
    assert outlook.now.neighbor_us == pytest.approx(930)
    assert outlook.now.neighbor_iops == pytest.approx(35_000)
    assert outlook.slow.neighbor_us < outlook.now.neighbor_us
    assert outlook.slow.neighbor_iops > outlook.now.neighbor_iops


def test_what_if_without_io_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to predict from"):
        predict(Load(iops=0, times=QueueTimes(array=400)), Knobs(), Knobs())


# --- laws -------------------------------------------------------------------------------------------------------------

micros = st.floats(0, 5_000)
depths = st.one_of(st.none(), st.integers(1, 512))
loads = st.builds(
    Load,
    iops=st.floats(50, 200_000),
    times=st.builds(
        QueueTimes,
        guest_queue=micros,
        hypervisor=micros,
        kernel_queue=micros,
        kernel_processing=st.floats(0, 100),
        san=micros,
        array=st.floats(50, 5_000),
    ),
    neighbor_iops=st.one_of(st.just(0.0), st.floats(10, 100_000)),
)
knobs = st.builds(
    Knobs,
    threads=st.one_of(st.none(), st.integers(1, 1_024)),
    virtual_disk_queue=depths,
    device_depth=depths,
    disks=st.integers(1, 8),
    queues=st.integers(1, 8),
    iops_limit=st.one_of(st.none(), st.integers(16, 100_000)),
)


@given(loads, knobs, knobs)
def test_what_if_littles_law_holds_in_every_reading(load: Load, now: Knobs, then: Knobs) -> None:
    outlook = predict(load, now, then)
    kept = load.outstanding if now.threads is None else now.threads
    for reading, threads in (
        (outlook.now, kept),
        (outlook.slow, then.threads or kept),
        (outlook.fast, then.threads or kept),
    ):
        assert reading.outstanding == pytest.approx(threads, rel=1e-6)
        assert min(reading.times.values()) >= -1e-6


@given(loads, knobs, knobs)
def test_what_if_no_reading_passes_a_limit(load: Load, now: Knobs, then: Knobs) -> None:
    outlook = predict(load, now, then)
    for reading in (outlook.slow, outlook.fast):
        times = reading.times
        if then.device_depth is not None:
            assert reading.in_flight <= then.device_depth * then.queues * (1 + 1e-6)
        if then.virtual_disk_queue is not None:
            admitted = reading.iops * (times.total - times.guest_queue) / 1e6
            assert admitted <= then.virtual_disk_queue * then.disks * (1 + 1e-6) + 1e-6
        if then.iops_limit is not None:
            assert reading.iops <= then.iops_limit * then.disks * (1 + 1e-9)


@given(loads, knobs, st.integers(1, 512), st.integers(1, 512))
def test_what_if_of_more_depth_is_never_slower_in_the_fast_reading(load: Load, now: Knobs, one: int, more: int) -> None:
    now = replace(now, device_depth=one)
    less = predict(load, now, now)
    then = predict(load, now, replace(now, device_depth=one + more))
    assert then.fast.iops >= less.slow.iops * (1 - 1e-6)
    assert then.total.low <= less.total.low * (1 + 1e-6)


@given(loads, knobs, st.integers(1, 512), st.floats(0, 2_000))
def test_what_if_of_shared_io_in_the_array_is_never_wider(load: Load, now: Knobs, depth: int, at_array: float) -> None:
    then = replace(now, device_depth=depth)
    alone, shared = (predict(replace(load, at_array=one), now, then).total for one in (None, at_array))
    assert shared.low >= alone.low * (1 - 1e-6)
    assert alone.high is None or shared.high is None or shared.high <= alone.high * (1 + 1e-6)


@given(loads, knobs, knobs)
def test_what_if_ranges_hold_both_loops(load: Load, now: Knobs, then: Knobs) -> None:
    outlook = predict(load, now, then)
    for name in PARTS:
        span = outlook.part(name)
        assert span.holds(getattr(outlook.slow.times, name), within=1e-9)
        assert span.holds(getattr(outlook.fast.times, name), within=1e-9)
    assert outlook.total.holds(outlook.slow.times.total)
    assert outlook.iops.holds(outlook.fast.iops)


@given(st.floats(10, 10_000), st.floats(1, 512), st.floats(1, 512))
def test_response_throughput_stays_where_more_only_wait(driver_us: float, now: float, then: float) -> None:
    line = throughput_stays(driver_us, now)
    if line.at(then) > line.least_us:
        assert then / line.at(then) == pytest.approx(now / driver_us)


def test_response_of_too_little_history_or_of_a_single_count_is_none() -> None:
    assert fit_response(np.array([(10.0, 400.0), (20.0, 500.0)])) is None
    assert fit_response(seen((32, 492), (32, 500))) is None
    assert fit_response(np.full((20, 2), np.nan)) is None
