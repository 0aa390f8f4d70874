"""From readings to intervals: nothing is counted twice or invented, whatever counters and clocks do."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.guest_intervals import (
    LONGEST_INTERVAL_US,
    MOST_OFFSET_US,
    DiskInterval,
    GuestClock,
    IntervalQuality,
    LastReading,
    Placed,
    measure_clock,
    measure_interval,
    order_fault,
    place_reading,
)
from gavel.domain.guests import DiskCounters, DiskRates, LatencyStep, Numbers, RefusalReason
from gavel.domain.samples import NOT_MEASURED

S = 1_000_000
NOW = 1_732_400_000 * S
MS_SUM = LatencyStep.MILLISECOND_SUM
WRAP_MS = 2**32


def last(numbers: DiskCounters | None, at_us: int = NOW) -> LastReading:
    return LastReading(at_us, at_us, at_us, numbers)


def interval(
    before: DiskCounters | None, now: Numbers, elapsed_s: float = 10, step: LatencyStep = MS_SUM
) -> DiskInterval | RefusalReason:
    at_us = NOW + round(elapsed_s * S)
    return measure_interval(last(before), at_us, Placed(at_us, IntervalQuality.A), now, step)


def measured(found: DiskInterval | RefusalReason) -> DiskInterval:
    assert isinstance(found, DiskInterval), found
    return found


def grown(before: DiskCounters, ops: int, bytes_per_op: int, latency_ms: int) -> DiskCounters:
    """The counters after so many reads and as many writes."""
    time_us = ops * latency_ms * 1000
    return DiskCounters(
        reads=(before.reads or 0) + ops,
        writes=(before.writes or 0) + ops,
        read_bytes=(before.read_bytes or 0) + ops * bytes_per_op,
        write_bytes=(before.write_bytes or 0) + ops * bytes_per_op,
        read_time_us=(before.read_time_us or 0) + time_us,
        write_time_us=(before.write_time_us or 0) + time_us,
        queue_time_us=(before.queue_time_us or 0) + time_us,
        wraps_ms=True,
    )


START = DiskCounters(0, 0, 0, 0, 0, 0, 0, wraps_ms=True)
STEPS = st.lists(st.tuples(st.integers(0, 5000), st.integers(512, 65536), st.integers(0, 20)), min_size=1, max_size=8)


@given(STEPS)
def test_intervals_add_up_to_what_the_counters_grew_by(steps: list[tuple[int, int, int]]) -> None:
    counters, found = START, []
    for step in steps:
        after = grown(counters, *step)
        found.append(measured(interval(counters, after)))
        counters = after
    for name, total in (("read_ops", counters.reads), ("write_bytes", counters.write_bytes)):
        assert sum(each.values[name] for each in found) == total
    time_us = sum(each.values["read_latency_us"] * each.values["read_ops"] for each in found if each.values["read_ops"])
    assert time_us == counters.read_time_us
    assert sum(each.values["queue_time_ms"] for each in found) * 1000 == counters.queue_time_us


@given(STEPS, st.integers(0, WRAP_MS - 1))
def test_times_that_wrap_at_32_bits_make_the_same_intervals(steps: list[tuple[int, int, int]], begin_ms: int) -> None:
    def wrapped(counters: DiskCounters) -> DiskCounters:
        times = {
            name: (getattr(counters, name) // 1000 + begin_ms) % WRAP_MS * 1000
            for name in ("read_time_us", "write_time_us", "queue_time_us")
        }
        return replace(counters, **times)

    counters = START
    for step in steps:
        after = grown(counters, *step)
        assert interval(wrapped(counters), wrapped(after)) == interval(counters, after)
        counters = after


COUNTERS = st.builds(
    DiskCounters,
    *([st.none() | st.integers(0, 2**62)] * 7),
    wraps_ms=st.booleans(),
    epoch=st.none() | st.sampled_from(["a", "b"]),
)


@given(COUNTERS, COUNTERS, st.floats(0.1, 400))
def test_whatever_counters_do_no_number_is_negative_or_too_large_for_its_column(
    before: DiskCounters, now: DiskCounters, elapsed_s: float
) -> None:
    found = interval(before, now, elapsed_s)
    if isinstance(found, DiskInterval):
        assert found.interval_s >= 1
        for name, value in found.values.items():
            assert value == NOT_MEASURED or 0 <= value < (2**63 if name.endswith("bytes") else 2**31), name


def test_counters_that_began_again_make_no_interval() -> None:
    before = grown(START, 1000, 4096, 1)
    assert interval(before, grown(START, 10, 4096, 1)) is RefusalReason.COUNTER_RESET
    assert (
        interval(replace(before, epoch="boot 1"), replace(grown(before, 1, 1, 1), epoch="boot 2"))
        is RefusalReason.COUNTER_RESET
    )


def test_a_reboot_is_no_wrap() -> None:
    """Only times may wrap: with operations that fell, the time that fell is a reset, too."""
    before = replace(grown(START, 1000, 4096, 1), read_time_us=(WRAP_MS - 5) * 1000)
    assert interval(before, grown(START, 10, 4096, 1)) is RefusalReason.COUNTER_RESET


def test_without_operations_there_is_no_latency() -> None:
    found = measured(interval(START, replace(START, queue_time_us=5000)))
    assert (found.values["read_ops"], found.values["read_latency_us"]) == (0, NOT_MEASURED)
    assert found.values["queue_time_ms"] == 5


def test_what_an_agent_does_not_send_is_not_measured() -> None:
    found = measured(interval(DiskCounters(reads=1, writes=1), DiskCounters(reads=3, writes=1)))
    assert found.values["read_ops"] == 2
    assert {found.values[name] for name in ("read_bytes", "read_latency_us", "queue_time_ms")} == {NOT_MEASURED}


def test_rates_of_windows_become_counts_of_the_interval() -> None:
    rates = DiskRates(16, 2, 65536, 8192, 470.4, 1100, 2.5)
    found = measured(interval(None, rates, step=LatencyStep.MICROSECOND))
    assert (found.values["read_ops"], found.values["write_ops"], found.values["read_bytes"]) == (160, 20, 655_360)
    assert (found.values["read_latency_us"], found.values["queue_time_ms"]) == (470, 25_000)


@pytest.mark.parametrize(
    ("elapsed_s", "expected"),
    [
        (0.2, RefusalReason.IMPLAUSIBLE),
        (301, RefusalReason.GAP),
        (0, RefusalReason.CLOCK_STEP),
        (-5, RefusalReason.CLOCK_STEP),
    ],
)
def test_readings_too_close_or_too_far_apart_make_no_interval(elapsed_s: float, expected: RefusalReason) -> None:
    assert interval(START, grown(START, 1, 1, 1), elapsed_s) is expected


@pytest.mark.parametrize(
    "now",
    [
        replace(START, reads=2**31),
        replace(START, reads=1, read_time_us=2**31),
        replace(START, reads=10, read_time_us=2**60),
    ],
)
def test_numbers_that_no_disk_reaches_are_counted_out(now: DiskCounters) -> None:
    assert interval(START, now) is RefusalReason.IMPLAUSIBLE


# --- clocks -----------------------------------------------------------------------------------------------------------


@given(st.integers(-(10**12), 10**12), st.lists(st.integers(0, 30 * S), min_size=1, max_size=30))
def test_the_clock_is_the_smallest_delay_whatever_delivery_adds(offset_us: int, delays: list[int]) -> None:
    clock = None
    for number, delay in enumerate(delays):
        at_us = NOW + number * 10 * S
        clock = measure_clock(clock, at_us, at_us + offset_us + delay)
    assert clock is not None
    assert offset_us + min(delays) <= clock.offset_us <= offset_us + max(delays)
    if len(delays) * 10 < 600:
        assert clock.offset_us == offset_us + min(delays)


def test_lines_that_were_kept_during_an_outage_do_not_move_the_clock() -> None:
    clock = measure_clock(None, NOW, NOW + 200_000)
    after = measure_clock(clock, NOW + 10 * S, NOW + 1800 * S)
    assert after.offset_us == 200_000
    placed = place_reading(NOW + 10 * S, NOW + 10 * S, NOW + 1800 * S, after)
    assert placed == Placed(NOW + 10 * S, IntervalQuality.A)


def test_a_clock_that_was_set_counts_after_twenty_minutes_at_the_latest() -> None:
    clock = measure_clock(None, NOW, NOW)
    for minute in range(1, 22):
        received_us = NOW + minute * 60 * S
        clock = measure_clock(clock, received_us - 3600 * S, received_us)
    assert clock.offset_us == 3600 * S


@pytest.mark.parametrize(
    ("offset_s", "quality"),
    [(0, IntervalQuality.A), (-1.9, IntervalQuality.A), (2.1, IntervalQuality.B), (-59, IntervalQuality.B)],
)
def test_a_small_offset_keeps_the_guests_own_stamps(offset_s: float, quality: IntervalQuality) -> None:
    clock = GuestClock(round(offset_s * S), NOW, round(offset_s * S))
    assert place_reading(NOW, NOW, NOW, clock) == Placed(NOW, quality)


def test_a_clock_far_off_places_readings_by_arrival_with_their_own_distances() -> None:
    clock = GuestClock(7200 * S, NOW, 7200 * S)
    placed = [place_reading(NOW - 7200 * S - back * S, NOW - 7200 * S, NOW, clock) for back in (20, 10, 0)]
    assert placed == [Placed(NOW - back * S, IntervalQuality.C) for back in (20, 10, 0)]


def test_a_line_without_a_time_is_placed_by_arrival() -> None:
    assert place_reading(None, None, NOW, None) == Placed(NOW, IntervalQuality.C)


@pytest.mark.parametrize("shift_s", [-24 * 3600 - 1, 61, 10**6])
def test_stamps_of_another_day_or_of_the_future_are_refused(shift_s: int) -> None:
    assert place_reading(NOW + shift_s * S, NOW, NOW, GuestClock(0, NOW, 0)) is None


# --- order ------------------------------------------------------------------------------------------------------------


@given(st.integers(-10 * S, 0), st.integers(0, LONGEST_INTERVAL_US))
def test_what_was_read_before_never_follows(step_us: int, later_us: int) -> None:
    fault = order_fault(last(START), NOW + step_us, NOW + step_us, NOW + later_us)
    assert fault is (RefusalReason.REPEATED if step_us == 0 else RefusalReason.OUT_OF_ORDER)


def test_a_replay_is_refused_wherever_it_would_be_placed() -> None:
    """A guest whose lines are placed by arrival: the same request an hour later is placed an hour later."""
    before = LastReading(NOW - 7200 * S, NOW, NOW, START)
    assert order_fault(before, NOW - 7200 * S, NOW + 3600 * S, NOW + 3600 * S) is RefusalReason.REPEATED


def test_a_guest_whose_clock_was_set_back_is_read_again_after_a_pause() -> None:
    raw, received = NOW - 3600 * S, NOW + LONGEST_INTERVAL_US + 1
    assert order_fault(last(START), raw, received, received) is None
    fault = measure_interval(last(START), raw, Placed(received, IntervalQuality.C), START, MS_SUM)
    assert fault is RefusalReason.CLOCK_STEP


def test_an_interval_that_the_clock_jumped_in_is_dropped() -> None:
    placed = Placed(NOW + 10 * S, IntervalQuality.C)
    assert (
        measure_interval(last(START), NOW + 10 * S + MOST_OFFSET_US + 1, placed, START, MS_SUM)
        is RefusalReason.CLOCK_STEP
    )


def test_a_kernel_that_counts_ticks_limits_the_data_quality() -> None:
    found = measured(interval(START, grown(START, 5, 4096, 1), step=LatencyStep.TICK))
    assert found.values["data_quality"] == IntervalQuality.B
    assert found.values["latency_step"] == LatencyStep.TICK
