"""Guest latency that counters leave open: which layer an excess is counted to where the guest's range begins at nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analysis.building import column
from tests.analysis.test_rules import NAN, case_between

from gavel.analysis.diagnosis import Case, Reason, rule
from gavel.analysis.guest_in_range import counted_inside
from gavel.domain.io_path import SPANS, Layer

KERNEL, SAN, ARRAY, GUEST = (
    SPANS.index((layer, layer)) for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY, Layer.GUEST)
)
Range = tuple[float, float, float]
BASELINE = {KERNEL: 0.0, SAN: 100.0, ARRAY: 500.0, GUEST: 0.0}


def measured(
    kernel: Range, san: Range, array: Range, guest: Range, reasons: Reason = Reason.NONE, outermost: float = 0
) -> Case:
    """Each layer's estimate, lower and upper bound."""
    value, lower, upper, expected = (np.full((1, 10), NAN) for _ in range(4))
    for span, numbers in ((KERNEL, kernel), (SAN, san), (ARRAY, array), (GUEST, guest)):
        value[0, span], lower[0, span], upper[0, span] = numbers
        expected[0, span] = BASELINE[span]
    return case_between(value, lower, upper, column(outermost), expected=expected, reasons=int(reasons))


# Minutes of the per-I/O campaign that named a guest in which nothing had waited (harsh environments 25, 35 and 19).
@pytest.mark.parametrize(
    ("case", "layer"),
    [
        (measured((0, 0, 906), (352, 0, 784), (190, 159, 236), (580, 0, 1113), outermost=371), SAN),
        (measured((0, 0, 1050), (110, 0, 1050), (616, 19, 1069), (348, 19, 824), outermost=659), ARRAY),
        (measured((0, 0, 906), (6, 0, 906), (556, 0, 1412), (428, 0, 1020), outermost=801), ARRAY),
    ],
)
def test_guest_latency_that_its_counters_leave_open_is_no_cause(case: Case, layer: int) -> None:
    found = rule(case)
    assert found.named[0] == layer
    assert found.other[0] != GUEST
    assert found.excess[0, GUEST] < 0.3 * found.excess[0, layer]
    assert Reason.GUEST_WITHIN_RANGE in Reason(int(found.reasons[0]))


def test_guest_latency_that_is_sure_or_too_much_to_be_open_stays_the_guests() -> None:
    san, array, kernel = (100, 90, 110), (400, 390, 410), (10, 0, 2000)
    for guest in ((470, 430, 600), (801, 0, 2000)):
        found = rule(measured(kernel, san, array, guest))
        assert found.named[0] == GUEST
        assert found.excess[0, GUEST] == guest[0]
        assert Reason.GUEST_WITHIN_RANGE not in Reason(int(found.reasons[0]))


def test_guest_latency_is_the_guests_where_its_virtual_disks_queue_is_full() -> None:
    rows = (100, 0, 900), (150, 0, 900), (500, 0, 900), (700, 0, 900)
    assert rule(measured(*rows, outermost=600)).named[0] != GUEST
    found = rule(measured(*rows, reasons=Reason.VIRTUAL_DISK_QUEUE_FULL, outermost=600))
    assert found.named[0] == GUEST
    assert Reason.GUEST_WITHIN_RANGE not in Reason(int(found.reasons[0]))


def test_guest_latency_without_room_further_in_stays_the_guests() -> None:
    value, upper = np.full((2, 10), NAN), np.full((2, 10), NAN)
    value[:, KERNEL], upper[:, KERNEL] = (10.0, 0.0), (15.0, 30.0)
    value[:, GUEST], upper[:, GUEST] = 100.0, 200.0
    inside, moved = counted_inside(value, upper, np.array([True, True]))
    # An estimate of nothing says of no layer that the time was spent there.
    assert inside[:, [KERNEL, GUEST]].tolist() == [[15.0, 95.0], [0.0, 100.0]]
    assert moved.tolist() == [5.0, 0.0]


amounts = st.floats(0, 1e5)


@given(st.lists(st.tuples(amounts, amounts), min_size=4, max_size=4), st.booleans())
def test_guest_latency_counted_inside_adds_up_and_stays_within_ranges(
    layers: list[tuple[float, float]], is_in_doubt: bool
) -> None:
    value, upper = np.full((1, 10), NAN), np.full((1, 10), NAN)
    for span, (us, room) in zip((KERNEL, SAN, ARRAY, GUEST), layers, strict=True):
        value[0, span], upper[0, span] = us, us + room
    inside, moved = counted_inside(value, upper, np.array([is_in_doubt]))
    assert np.nansum(inside) == pytest.approx(np.nansum(value), abs=1e-6)
    assert np.isnan(inside).tolist() == np.isnan(value).tolist()
    others = [KERNEL, SAN, ARRAY]
    assert (inside[0, others] >= value[0, others]).all()
    assert (inside[0, others] <= upper[0, others] + 1e-6).all()
    assert 0 <= moved[0] <= value[0, GUEST]
    if not is_in_doubt:
        np.testing.assert_array_equal(inside, value)
