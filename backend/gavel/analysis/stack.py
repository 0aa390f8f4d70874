"""A ledger row as a stack: which parts its time has, so that they add up to the whole."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.ledger import LedgerRows
from gavel.analysis.segments import SPANS
from gavel.domain.io_path import Layer, Segment

LAYER_SEGMENTS: dict[Layer, tuple[Segment, ...]] = {
    Layer.GUEST: (Segment.GUEST_QUEUE,),
    Layer.KERNEL: (Segment.HYPERVISOR, Segment.KERNEL_QUEUE, Segment.KERNEL_SERVICE),
    Layer.SAN: (Segment.FABRIC, Segment.ARRAY_PORT),
    Layer.ARRAY: (Segment.ARRAY_QOS, Segment.ARRAY_QUEUE, Segment.ARRAY_SERVICE),
}
# Rows are stored in single precision: a rest below this part of the total is rounding.
_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True)
class Stack:
    """I/O-time (µs × ops) of n rows by direction: segments (n, 3, 9), rests of spans (n, 3, 10), and their sum (n, 3).

    A part that nobody measured is NaN; so is the total of a row without any.
    """

    segments: Floats
    rests: Floats
    total: Floats


def stacked(rows: LedgerRows) -> Stack:
    """A segment is a part of its layer's span, or of a wider one where its layer was not told apart; a rest is what segments leave.

    A segment that no span has room for (the hypervisor above a kernel nobody measured) comes on top.
    """
    segment_measured, span_measured = rows.segment_ops > 0, rows.span_ops > 0
    segments = np.where(segment_measured, rows.segment_time, 0.0)
    rests = np.where(span_measured, rows.span_time, 0.0)
    whole = rests.sum(axis=2)
    for layer, members in LAYER_SEGMENTS.items():
        need = segments[:, :, list(members)].sum(axis=2)
        for span in _holding(layer):
            taken = np.minimum(rests[:, :, span], need)
            rests[:, :, span] -= taken
            need = need - taken
    rests[rests <= _ROUNDING * whole[:, :, None]] = 0.0
    total = segments.sum(axis=2) + rests.sum(axis=2)
    anything = segment_measured.any(axis=2) | span_measured.any(axis=2)
    return Stack(
        np.where(segment_measured, segments, np.nan),
        np.where(span_measured & (rests > 0), rests, np.nan),
        np.where(anything, total, np.nan),
    )


def _holding(layer: Layer) -> list[int]:
    """Spans that hold a layer, narrow before wide."""
    found = [(last - first, span) for span, (first, last) in enumerate(SPANS) if first <= layer <= last]
    return [span for _, span in sorted(found)]
