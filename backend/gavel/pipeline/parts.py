"""The bands of a stack in I/O path order: each layer's segments, then what of the layer no segment explains; with their names."""

from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.grade import GradeReason
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import LedgerRows
from gavel.analysis.notes import Flags
from gavel.analysis.segments import SPANS
from gavel.analysis.stack import LAYER_SEGMENTS, Stack, stacked
from gavel.domain.io_path import Layer, Segment
from gavel.pipeline.judging import span_key, span_label

SEGMENT_WORDS = {
    Segment.GUEST_QUEUE: "Guest queue",
    Segment.HYPERVISOR: "Hypervisor",
    Segment.KERNEL_QUEUE: "Kernel queue",
    Segment.KERNEL_SERVICE: "Kernel service",
    Segment.FABRIC: "Fabric",
    Segment.ARRAY_PORT: "Array port",
    Segment.ARRAY_QOS: "Array QoS limit",
    Segment.ARRAY_QUEUE: "Array queue",
    Segment.ARRAY_SERVICE: "Array service",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A segment of layer `layer`, or (`is_rest`) what is left of a layer, or of several that were not told apart."""

    name: str
    label: str
    layer: str
    is_rest: bool
    position: int

    def times(self, stack: Stack) -> Floats:
        """(n, 3) I/O-time by direction; NaN where not measured."""
        column: Floats = (stack.rests if self.is_rest else stack.segments)[:, :, self.position]
        return column


def _parts() -> tuple[Part, ...]:
    found: list[Part] = []
    for first in Layer:
        own = SPANS.index((first, first))
        found += [
            Part(segment.name.lower(), SEGMENT_WORDS[segment], span_key(own), is_rest=False, position=int(segment))
            for segment in LAYER_SEGMENTS[first]
        ]
        for last in Layer:
            if first <= last:
                span = SPANS.index((first, last))
                words = "not split" if first is last is not Layer.KERNEL else "not told apart"
                label = f"{span_label(span)}, {words}"
                found.append(Part(f"{span_key(span)}_rest", label, span_key(span), is_rest=True, position=span))
    return tuple(found)


# Outermost first.
PARTS = _parts()
_KERNEL, _KERNEL_PARTS = SPANS.index((Layer.KERNEL, Layer.KERNEL)), list(LAYER_SEGMENTS[Layer.KERNEL])


def are_coarse(grade_reasons: Flags) -> Bools:
    """(n,) whether whole milliseconds leave open which of the kernel's segments the time is in."""
    coarse: Bools = (grade_reasons & int(GradeReason.MILLISECONDS)) != 0
    return coarse


def told_stack(rows: LedgerRows, grade_reasons: Flags) -> Stack:
    """`stacked`, with the kernel's segments of coarse rows in one rest: what is not known is not drawn. The total stays."""
    stack = stacked(rows)
    own = stack.segments[:, :, _KERNEL_PARTS]
    merged = are_coarse(grade_reasons)[:, None] & ~np.isnan(own).all(axis=2)
    segments, rests = stack.segments.copy(), stack.rests.copy()
    rests[:, :, _KERNEL] = np.where(
        merged, np.nansum(own, axis=2) + np.nan_to_num(rests[:, :, _KERNEL]), rests[:, :, _KERNEL]
    )
    segments[:, :, _KERNEL_PARTS] = np.where(merged[:, :, None], np.nan, own)
    return replace(stack, segments=segments, rests=rests)
