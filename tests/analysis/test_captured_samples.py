"""Samples that were read from a capture: their means are true within half of its last digit, whatever is proven of a vCenter's counters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analysis.test_captured import SECOND, sample

from gavel.analysis.align import tidied
from gavel.analysis.gridded import IS_COARSE, TOTAL, Stretch, device_minutes, disk_minutes, disk_samples
from gavel.analysis.intervals import Rounding
from gavel.analysis.observed import DeviceSamples, DiskSamples, Latest, Proofs, Times

ONE_MINUTE, OF_FIRST = Stretch(0, 1), np.array([0])


def proofs(rounding: Rounding, latest: Latest) -> Proofs:
    return Proofs(rounding=np.full((1, 5), int(rounding)), latest=np.array([int(latest)]))


def captured_device(latency_us: float) -> DeviceSamples:
    one = sample(2000.0, 20.0, precision_ms=False)
    return DeviceSamples(
        device=one.device,
        times=one.times,
        ops=one.ops,
        bytes=one.bytes,
        latency_us=np.full((1, 2, 4), latency_us),
        queue_depth=one.queue_depth,
        is_millisecond=one.is_millisecond,
        is_captured=np.array([True]),
    )


def captured_disk(total_us: float) -> DiskSamples:
    times = Times(
        end_us=np.array([40 * SECOND]),
        length_us=np.array([20 * SECOND]),
        offset_us=np.array([0]),
        error_s=np.array([0.1]),
    )
    return DiskSamples(
        part=np.array([0]),
        times=times,
        ops=np.array([[2000.0, 0.0]]),
        bytes=np.zeros((1, 2)),
        latency_us=np.full((1, 2), -1.0),
        total_us=np.array([[total_us, -1.0]]),
        outstanding=np.full((1, 2), -1.0),
        is_captured=np.array([True]),
    )


@given(st.floats(0, 50_000), st.sampled_from(Rounding))
def test_captured_latency_of_a_device_holds_the_truth_behind_its_last_digit(true_us: float, rounding: Rounding) -> None:
    shown_us = float(round(round(true_us / 10) * 10))
    found = device_minutes(captured_device(shown_us), OF_FIRST, proofs(rounding, Latest.UNPROVEN), 1, ONE_MINUTE)
    lower, upper = found.value.lower[0, 0, 0], found.value.upper[0, 0, 0]
    # Forty seconds of the minute are not there: they may have been none, or twice as slow.
    unseen = shown_us * 2 / 3
    assert lower <= true_us <= upper
    assert upper - lower <= 11 + 2 * unseen + 1e-6


@pytest.mark.parametrize("latest", Latest)
@given(true_us=st.floats(11, 50_000), rounding=st.sampled_from(Rounding))
def test_captured_latency_of_a_virtual_disk_is_a_mean_and_not_coarse(
    latest: Latest, true_us: float, rounding: Rounding
) -> None:
    shown_us = float(round(round(true_us / 10) * 10))
    raw = disk_samples(captured_disk(shown_us))
    found = disk_minutes(raw, tidied(raw), OF_FIRST, proofs(rounding, latest), 1, ONE_MINUTE)
    lower, upper = (ends[0, 0, TOTAL] for ends in (found.value.lower, found.value.upper))
    assert lower <= true_us <= upper
    assert upper - lower <= 11 + 2 * shown_us * 2 / 3 + 1e-6
    assert found.highest[0, IS_COARSE] == 0
    assert np.isnan(found.value.value[0, 1]).all()
