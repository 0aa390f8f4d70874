"""The stack of a row: its parts add up to its spans, and a part that nobody measured is absent."""

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.db.ledgers import ledger_rows

from gavel.analysis.ledger import LAYER_SEGMENTS, rolled_up, stacked
from gavel.domain.io_path import SPANS, Direction, Layer, Segment
from gavel.domain.ledger import LedgerRows

ROWS = 10_000


def row(spans: dict[int, float], segments: dict[Segment, float]) -> LedgerRows:
    """One row of 10 reads; times in µs × ops."""

    def table(size: int, given_: dict[int, float], what: float | None) -> np.ndarray:
        numbers = np.zeros((1, 3, size))
        for index, time in given_.items():
            numbers[:, [Direction.READ, Direction.ALL], index] = time if what is None else what
        return numbers

    ops = np.array([[10.0, 0.0, 10.0]])
    by_number = {int(segment): time for segment, time in segments.items()}
    segment, span = (
        (table(*of, None), table(*of, 0.0), table(*of, 0.0), table(*of, 10.0)) for of in ((9, by_number), (10, spans))
    )
    parts = ("time", "lower", "upper", "ops")
    columns = {f"segment_{name}": column for name, column in zip(parts, segment, strict=True)}
    columns |= {f"span_{name}": column for name, column in zip(parts, span, strict=True)}
    return LedgerRows(ops=ops, bytes=ops, **columns, outermost_lower=np.zeros((1, 3)))


def span(first: Layer, last: Layer) -> int:
    return SPANS.index((first, last))


def test_what_segments_leave_of_a_layer_is_its_rest() -> None:
    found = stacked(row({span(Layer.KERNEL, Layer.KERNEL): 1000.0}, {Segment.KERNEL_QUEUE: 700.0}))
    assert found.segments[0, 0, Segment.KERNEL_QUEUE] == 700
    assert found.rests[0, 0, span(Layer.KERNEL, Layer.KERNEL)] == 300
    assert found.total[0, 0] == 1000
    assert np.isnan(found.total[0, 1])
    assert np.isnan(found.segments[0, 0, Segment.FABRIC])


def test_a_segment_of_a_layer_that_was_not_told_apart_is_part_of_the_wider_span() -> None:
    """The array times its port, though nobody timed the driver."""
    wide = span(Layer.KERNEL, Layer.SAN)
    found = stacked(row({wide: 1000.0}, {Segment.ARRAY_PORT: 50.0}))
    assert (found.rests[0, 0, wide], found.total[0, 0]) == (950, 1000)


def test_a_hypervisor_above_a_kernel_that_nobody_timed_comes_on_top() -> None:
    array = span(Layer.ARRAY, Layer.ARRAY)
    found = stacked(row({array: 400.0}, {Segment.HYPERVISOR: 30.0}))
    assert found.total[0, 0] == 430


def test_the_rounding_of_what_is_stored_is_no_rest() -> None:
    kernel = span(Layer.KERNEL, Layer.KERNEL)
    found = stacked(row({kernel: float(np.float32(1e9 / 3))}, {Segment.KERNEL_QUEUE: 1e9 / 3}))
    assert np.isnan(found.rests[0, 0, kernel])


@settings(max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate])  # a seed has nothing to shrink to
@given(st.integers(0, 2**32 - 1))
def test_parts_add_up_to_the_total_which_holds_every_span_and_every_segment(seed: int) -> None:
    rows, _ = ledger_rows(ROWS, seed)
    for one in (rows, rolled_up(rows, np.arange(ROWS) % 3, 3), rolled_up(rows, np.arange(ROWS) // 3, ROWS)):
        found = stacked(one)
        parts = np.nansum(found.segments, axis=2) + np.nansum(found.rests, axis=2)
        total = np.nan_to_num(found.total)
        np.testing.assert_allclose(parts, total, rtol=1e-12, atol=1e-6)
        spans = np.where(one.span_ops > 0, one.span_time, 0).sum(axis=2)
        segments = np.where(one.segment_ops > 0, one.segment_time, 0).sum(axis=2)
        assert (total >= spans * (1 - 1e-4) - 1e-6).all()
        assert (total >= segments * (1 - 1e-9) - 1e-6).all()
        assert (total <= spans + segments + 1e-6).all()
        assert (np.nan_to_num(found.rests) >= 0).all()


def test_every_segment_belongs_to_one_layer() -> None:
    assert sorted(segment for members in LAYER_SEGMENTS.values() for segment in members) == list(Segment)
