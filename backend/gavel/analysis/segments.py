"""Segments and layers: differences between neighbouring boundaries that were measured (attribution.md §2).

A *span* is an unbroken run of layers between two measured edges. Four of them are the single layers; the others are what remains when an
inner edge is missing ("SAN + array"). Every row fills each layer at most once, so spans of a row add up to its outermost boundary.
"""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.chain import Bounds
from gavel.analysis.intervals import Floats, Intervals
from gavel.domain.io_path import SPANS, Boundary, Layer, Segment

# (10, 4) which layers a span covers.
SPAN_LAYERS = np.array([[first <= layer <= last for layer in Layer] for first, last in SPANS], dtype=np.float64)
_WORDS = {Layer.GUEST: "guest", Layer.KERNEL: "kernel", Layer.SAN: "SAN", Layer.ARRAY: "array"}
_EDGES = (Boundary.GUEST, Boundary.VSCSI, Boundary.DRIVER, Boundary.ARRAY_INTERNAL)


def span_name(span: int) -> str:
    """How a span is written: "kernel", "SAN + array"."""
    first, last = SPANS[span]
    return " + ".join(_WORDS[layer] for layer in Layer if first <= layer <= last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Per row the estimate and bounds in µs of each segment (n, 9) or span (n, 10); NaN where it is not measured by itself."""

    value: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayParts:
    """The array's own components, each (n,): QoS limit and scheduling, queue, service. Absent where the array does not split its time."""

    qos: Intervals
    queue: Intervals
    service: Intervals


def spans(fitted: Floats, limits: Bounds) -> Parts:
    """Layers of every row, merged where an inner edge is missing; bounds come from a span's own outer and inner edge."""
    values, lows, highs = (_layer_edges(numbers, fitted) for numbers in (fitted, limits.lower, limits.upper))
    here = ~np.isnan(values)
    value, lower, upper = (np.full((len(fitted), len(SPANS)), np.nan) for _ in range(3))
    for index, (first, last) in enumerate(SPANS):
        outer, inner = int(first), int(last) + 1
        rows = here[:, outer] & here[:, inner] & ~here[:, outer + 1 : inner].any(axis=1)
        differences = _difference(values, lows, highs, outer, inner)
        for target, numbers in zip((value, lower, upper), differences, strict=True):
            target[rows, index] = numbers[rows]
    return Parts(value=value, lower=lower, upper=upper)


def _layer_edges(numbers: Floats, fitted: Floats) -> Floats:
    """(n, 5) the four layers' outer edges and zero; without guest and vscsi the kernel starts at the device."""
    here = ~np.isnan(fitted)
    edges = np.where(here, numbers, np.nan)[:, list(_EDGES)]
    starts_at_device = ~here[:, Boundary.GUEST] & ~here[:, Boundary.VSCSI]
    edges[:, 1] = np.where(starts_at_device & here[:, Boundary.DEVICE], numbers[:, Boundary.DEVICE], edges[:, 1])
    return np.concatenate([edges, np.zeros((len(edges), 1))], axis=1)


def _difference(values: Floats, lows: Floats, highs: Floats, outer: int, inner: int) -> tuple[Floats, Floats, Floats]:
    low = np.maximum(lows[:, outer] - highs[:, inner], 0.0)
    high = np.maximum(highs[:, outer] - lows[:, inner], 0.0)
    return values[:, outer] - values[:, inner], low, high


def segments(fitted: Floats, limits: Bounds, qavg: Intervals, array: ArrayParts | None = None) -> Parts:
    """The nine segments of every row; one whose edges are not both measured is absent, and its time stays in its layer's span."""
    value, lower, upper = (np.full((len(fitted), len(Segment)), np.nan) for _ in range(3))
    result = Parts(value=value, lower=lower, upper=upper)
    edges = np.concatenate([fitted, np.zeros((len(fitted), 1))], axis=1)
    for segment, outer in (
        (Segment.GUEST_QUEUE, Boundary.GUEST),
        (Segment.HYPERVISOR, Boundary.VSCSI),
        (Segment.FABRIC, Boundary.DRIVER),
        (Segment.ARRAY_PORT, Boundary.ARRAY),
    ):
        numbers = _difference(edges, limits.lower, limits.upper, outer, outer + 1)
        _put(result, segment, _where_known(numbers))
    _split_kernel(result, fitted, limits, qavg)
    if array is not None:
        _split_array(result, fitted[:, Boundary.ARRAY_INTERNAL], limits, array)
    return result


def _put(parts: Parts, segment: Segment, numbers: tuple[Floats, Floats, Floats]) -> None:
    parts.value[:, segment], parts.lower[:, segment], parts.upper[:, segment] = numbers


def _where_known(numbers: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats, Floats]:
    value, low, high = numbers
    known = ~np.isnan(value)
    return value, np.where(known, low, np.nan), np.where(known, high, np.nan)


def _split_kernel(parts: Parts, fitted: Floats, limits: Bounds, qavg: Intervals) -> None:
    """device − driver in QAVG and the rest. QAVG limits only its own segment; where the chain leaves less room, the chain wins."""
    whole, low, high = _difference(fitted, limits.lower, limits.upper, Boundary.DEVICE, Boundary.DRIVER)
    queue = np.minimum(qavg.value, whole)
    queue_low, queue_high = np.minimum(qavg.lower, queue), np.maximum(np.minimum(qavg.upper, high), queue)
    _put(parts, Segment.KERNEL_QUEUE, _where_known((queue, queue_low, queue_high)))
    service = whole - queue
    service_low = np.minimum(np.maximum(low - queue_high, 0.0), service)
    service_high = np.maximum(high - queue_low, service)
    _put(parts, Segment.KERNEL_SERVICE, _where_known((service, service_low, service_high)))


def _split_array(parts: Parts, internal: Floats, limits: Bounds, array: ArrayParts) -> None:
    """The fitted time inside the array in the proportions the array reports; what it cannot apportion is service."""
    total = array.qos.value + array.queue.value + array.service.value
    scale = np.divide(internal, total, out=np.ones_like(internal), where=total > 0)
    qos, queue = (np.minimum(part.value * scale, internal) for part in (array.qos, array.queue))
    values = (qos, queue, np.where(np.isnan(total), np.nan, np.maximum(internal - qos - queue, 0.0)))
    highest = limits.upper[:, Boundary.ARRAY_INTERNAL]
    measured = zip(
        (Segment.ARRAY_QOS, Segment.ARRAY_QUEUE, Segment.ARRAY_SERVICE),
        (array.qos, array.queue, array.service),
        values,
        strict=True,
    )
    for segment, part, value in measured:
        _put(
            parts,
            segment,
            _where_known((value, np.minimum(part.lower, value), np.maximum(np.minimum(part.upper, highest), value))),
        )
