"""What counters make of true values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel_lab import quantise
from gavel_lab.environment import Rounding

TIMES_US = st.floats(0, 1e8)
HAIR_US = 1e-5  # what is a hair below a whole one, by the float32 inside the model, counts as it


@given(TIMES_US)
def test_rounded_milliseconds_are_at_most_half_a_millisecond_off(true_us: float) -> None:
    shown = quantise.milliseconds(np.array([true_us]), "round")[0]
    assert abs(shown * 1000 - true_us) <= 500 + HAIR_US


@given(TIMES_US)
def test_truncated_milliseconds_are_never_above_the_truth_nor_a_whole_one_below(true_us: float) -> None:
    shown = quantise.milliseconds(np.array([true_us]), "truncate")[0]
    assert shown * 1000 - HAIR_US <= true_us < (shown + 1) * 1000


@given(service=st.floats(0, 1e6), queue=st.floats(0, 1e6))
def test_usec_holds_the_queue_on_new_purity_only(service: float, queue: float) -> None:
    parts = np.array([service]), np.array([queue])
    assert abs(quantise.usec_per_op(*parts, queue_in_usec=False)[0] - service) <= 0.5 + HAIR_US
    assert abs(quantise.usec_per_op(*parts, queue_in_usec=True)[0] - service - queue) <= 0.5 + HAIR_US


@pytest.mark.parametrize("rounding", ["round", "truncate"])
def test_no_operations_are_shown_as_zero_as_the_sources_do(rounding: Rounding) -> None:
    nothing = np.array([np.nan])
    assert quantise.milliseconds(nothing, rounding)[0] == quantise.microseconds(nothing)[0] == 0
    assert quantise.count(nothing)[0] == quantise.kilobytes_per_s(nothing)[0] == 0


def test_a_kilobyte_is_1024_bytes() -> None:
    assert quantise.kilobytes_per_s(np.array([10 * 1024.0]))[0] == 10
