"""The ledger: I/O-time per minute and scope, additive over time and place (attribution.md §4)."""

from dataclasses import dataclass, fields, replace
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from gavel.analysis.attribution import Attributed
from gavel.analysis.intervals import PART_SHARE, Bools, Floats
from gavel.analysis.segments import SPAN_LAYERS, Parts
from gavel.domain.io_path import SEGMENT_STYLES, SPANS, Direction, Layer, Segment
from gavel.domain.ledger import LedgerRows

LEAST_OPS = 30
KERNEL = SPANS.index((Layer.KERNEL, Layer.KERNEL))
GUEST = SPANS.index((Layer.GUEST, Layer.GUEST))


def rows_of(ways: dict[Direction, Attributed], read_bytes: Floats, write_bytes: Floats) -> LedgerRows:
    """One ledger row per attributed row."""
    every = [ways[direction] for direction in Direction]
    return LedgerRows(
        ops=np.stack([way.ops for way in every], axis=1),
        bytes=np.stack([read_bytes, write_bytes, read_bytes + write_bytes], axis=1),
        **_stacked("segment", [_sums(way.segments, way.ops) for way in every]),
        **_stacked("span", [_sums(way.spans, way.ops) for way in every]),
        outermost_lower=np.stack([_outermost(way) for way in every], axis=1),
    )


def _stacked(parts: str, ways: list[tuple[Floats, Floats, Floats, Floats]]) -> dict[str, Floats]:
    time, lower, upper, ops = (np.stack(one, axis=1) for one in zip(*ways, strict=True))
    return {f"{parts}_time": time, f"{parts}_lower": lower, f"{parts}_upper": upper, f"{parts}_ops": ops}


def _sums(parts: Parts, ops: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    known = ~np.isnan(parts.value)
    weights = np.where(known, ops[:, None], 0.0)
    time, lower, upper = (np.where(known, x, 0.0) * weights for x in (parts.value, parts.lower, parts.upper))
    return time, lower, upper, weights


def _outermost(way: Attributed) -> Floats:
    present = way.limits.present
    first = np.argmax(present, axis=1)
    lower = np.take_along_axis(way.limits.lower, first[:, None], axis=1)[:, 0]
    return np.where(present.any(axis=1), lower, 0.0) * way.ops


def rolled_up(rows: LedgerRows, scope: npt.NDArray[np.int64], scopes: int) -> LedgerRows:
    """Sums over the rows of each scope; `scope` (n,) says which of `scopes` a row belongs to. A scope without rows is all zeros."""
    order = np.argsort(scope, kind="stable")
    present, starts = np.unique(scope[order], return_index=True)

    def summed(numbers: Floats) -> Floats:
        total = np.zeros((scopes, *numbers.shape[1:]))
        if len(starts):
            total[present] = np.add.reduceat(numbers[order], starts, axis=0)
        return total

    return LedgerRows(**{field.name: summed(getattr(rows, field.name)) for field in fields(LedgerRows)})


def merge_disk_segments(device: LedgerRows, disks: LedgerRows) -> LedgerRows:
    """Datastores, hosts, clusters, volumes, arrays (same scopes in both), with nothing counted twice.

    What is below the device comes from `host_device`, guest queue and hypervisor from `vm_disk`. Device ops that no disk explains stay in
    (`non_vm_ops`). Where the kernel's own span was not measured, the hypervisor shows as a segment only.
    """
    result = replace(device, **{name: getattr(device, name).copy() for name in _PLACED})
    for part in ("time", "lower", "upper", "ops"):
        segments, spans = getattr(result, f"segment_{part}"), getattr(result, f"span_{part}")
        from_disks = getattr(disks, f"segment_{part}")
        segments[..., : Segment.KERNEL_QUEUE] = from_disks[..., : Segment.KERNEL_QUEUE]
        spans[..., GUEST] = from_disks[..., Segment.GUEST_QUEUE]
        if part != "ops":
            spans[..., KERNEL] += np.where(result.span_ops[..., KERNEL] > 0, from_disks[..., Segment.HYPERVISOR], 0.0)
    above = disks.segment_lower[..., Segment.GUEST_QUEUE] + disks.segment_lower[..., Segment.HYPERVISOR]
    return replace(result, outermost_lower=device.outermost_lower + above)


_PLACED = tuple(f"{kind}_{part}" for kind in ("segment", "span") for part in ("time", "lower", "upper", "ops"))


def without_ops(rows: LedgerRows, blind: Bools) -> LedgerRows:
    """Ops and bytes NaN where they were not measured: that is no 0."""
    unknown = blind[:, None]
    return replace(rows, ops=np.where(unknown, np.nan, rows.ops), bytes=np.where(unknown, np.nan, rows.bytes))


def non_vm_ops(device: LedgerRows, disks: LedgerRows) -> Floats:
    """(n, 3) device ops that no virtual disk explains: "non-VM I/O"."""
    return np.maximum(device.ops - disks.ops, 0.0)


def latency_us(time: Floats, ops: Floats) -> Floats:
    """I/O-time over the ops it belongs to, µs; NaN where nothing was measured."""
    shaped = np.broadcast_to(ops, time.shape)
    return np.divide(time, shaped, out=np.full_like(time, np.nan), where=shaped > 0)


def timed_ops(rows: LedgerRows) -> Floats:
    """(n, 3) ops whose time was measured, whole or in part: what a mean over everything measured is divided by."""
    return np.minimum(ops_in(rows.span_ops), rows.ops)


def ops_in(span_ops: Floats) -> Floats:
    """(…,) ops that were in any of these spans (…, 10). An I/O is in one span of a layer at most, so the layer that most were in tells."""
    most: Floats = (span_ops @ SPAN_LAYERS).max(axis=-1)
    return most


def occupancy(time: Floats, wall_s: float) -> Floats:
    """I/Os that are inside on average: I/O-time over wall time."""
    return time / (wall_s * 1e6)


def too_few(rows: LedgerRows) -> Bools:
    """(n, 3) under 30 ops: shown greyed, looked at by no alert."""
    return rows.ops < LEAST_OPS


LAYER_SEGMENTS: dict[Layer, tuple[Segment, ...]] = {
    layer: tuple(segment for segment, style in SEGMENT_STYLES.items() if style.layer is layer) for layer in Layer
}
# Rows are stored in single precision: a rest below this part of the total is rounding.
_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """I/O-time (µs × ops) of n rows by direction: segments (n, 3, 9), rests of spans (n, 3, 10), and their sum (n, 3).

    A part that nobody measured is NaN; so is the total of a row without any.
    """

    segments: Floats
    rests: Floats
    total: Floats


def stacked(rows: LedgerRows) -> Stack:
    """A segment is a part of its layer's span, or of a wider one where its layer was not separable; a rest is what segments leave.

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
        segments=np.where(segment_measured, segments, np.nan),
        rests=np.where(span_measured & (rests > 0), rests, np.nan),
        total=np.where(anything, total, np.nan),
    )


def _holding(layer: Layer) -> list[int]:
    """Spans that hold a layer, narrow before wide."""
    found = [(last - first, span) for span, (first, last) in enumerate(SPANS) if first <= layer <= last]
    return [span for _, span in sorted(found)]


_ALL = Direction.ALL


@dataclass(frozen=True, slots=True, kw_only=True)
class InLayer:
    """(n,) I/O-time (µs × ops) in a layer with bounds, reads and writes together. measured: ops that it is of; own: those of them whose
    time in this layer was told apart from its neighbours'."""

    time: Floats
    lower: Floats
    upper: Floats
    measured: Floats
    own: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """(n,) of a whole, 0 to 1, with bounds; NaN where the whole has no time that the share could be of. rest: what no owner has."""

    value: Floats
    lower: Floats
    upper: Floats
    rest: float


def in_layer(rows: LedgerRows, layer: Layer) -> InLayer:
    """Of all spans that hold the layer."""
    holding = SPAN_LAYERS[:, layer]
    sums = (rows.span_time, rows.span_lower, rows.span_upper, rows.span_ops)
    time, lower, upper, measured = (part[:, _ALL] @ holding for part in sums)
    return InLayer(
        time=time, lower=lower, upper=upper, measured=measured, own=rows.span_ops[:, _ALL, SPANS.index((layer, layer))]
    )


def sum_by_host(devices: LedgerRows, disks: LedgerRows, alone: LedgerRows) -> LedgerRows:
    """(n,) sums by host, as the place itself is told: its devices, above them the disks on these, and disks that speak for themselves.

    Leaves are read without bounds of their segments, so the kernel's come from the disks', which hold what is above the device and what
    is in it; device ops that no disk explains are taken to fare like the others.
    """
    placed = merge_disk_segments(devices, disks)
    own, theirs = (rows.span_ops[:, _ALL, KERNEL] for rows in (devices, disks))
    both = (own > 0) & (theirs > 0)
    scale = np.minimum(np.divide(own, theirs, out=np.zeros_like(own), where=both), 1.0)
    unexplained = 1 - np.minimum(np.divide(theirs, own, out=np.zeros_like(own), where=both), 1.0)
    bounds = []
    for name in ("span_lower", "span_upper"):
        of_devices, of_disks = (getattr(rows, name) for rows in (devices, disks))
        together = scale * of_disks[:, _ALL, KERNEL] + unexplained * of_devices[:, _ALL, KERNEL]
        result = getattr(placed, name).copy()
        result[:, _ALL, KERNEL] = np.where(both, together, result[:, _ALL, KERNEL])
        result[:, _ALL, GUEST] = of_disks[:, _ALL, GUEST]
        bounds.append(result)
    lower, upper = np.minimum(bounds[0], placed.span_time), np.maximum(bounds[1], placed.span_time)
    placed = replace(placed, span_lower=lower, span_upper=upper)
    return LedgerRows(
        **{field.name: getattr(placed, field.name) + getattr(alone, field.name) for field in fields(LedgerRows)}
    )


def shares(owners: InLayer, whole: InLayer) -> Shares:
    """Of the place's own time in the layer, (1,); where owners have more than that together, of theirs.

    Bounds hold whatever the others have: at least the lower bound of the owner in the most there may be, at most what may be its beside
    what is certainly not.
    """
    time, least, most = float(whole.time[0]), float(whole.lower[0]), float(whole.upper[0])
    sums = float(owners.time.sum())
    total, highest = max(time, sums), max(most, float(owners.upper.sum()))
    others = np.maximum(least, owners.upper + owners.lower.sum() - owners.lower)
    value = _part(owners.time, np.full_like(owners.time, total))
    lower = _part(owners.lower, np.full_like(owners.lower, highest))
    upper = _part(owners.upper, others)
    return Shares(
        value=value,
        lower=np.fmin(lower, value),
        upper=np.fmax(np.minimum(upper, 1.0), value),
        rest=max(0.0, time - sums),
    )


def _part(numbers: Floats, whole: Floats) -> Floats:
    return np.divide(numbers, whole, out=np.full_like(numbers, np.nan), where=whole > 0)


_SAN = SPANS.index((Layer.SAN, Layer.SAN))
# The array's port time is a difference of boundaries that are sums of whole microseconds.
_PORT_US = 2.0


class Difference(IntEnum):
    """Outermost first."""

    GUEST_VSCSI = 0
    VSCSI_DEVICE = 1
    DEVICE_DRIVER = 2
    DRIVER_ARRAY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """(n, 4) µs per I/O by `Difference`, reads and writes together. value is NaN where one of the two boundaries was not measured;
    lower and upper are NaN there too, and where the leaves that would tell them are no longer kept."""

    value: Floats
    lower: Floats
    upper: Floats


# How many I/Os of a sample fall to either side of a minute's edge scatters (`edges.SCATTERS`), so the shares of devices of unlike hosts in
# the mean of a place are good to so much.
_MIX = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gap:
    value: Floats
    lower: Floats
    upper: Floats


def differences(rows: LedgerRows, disks: LedgerRows, devices: LedgerRows, match_ratio: Floats) -> Differences:
    """Of n places. disks, devices: (n) sums of their virtual disks and of their devices, zeros where there are none; match_ratio: (n,)."""
    gaps = (
        _span(rows, GUEST),
        _above_device(rows, disks, devices),
        _inside_kernel(rows, devices),
        _transit(rows, match_ratio),
    )
    return Differences(
        **{part: np.stack([getattr(gap, part) for gap in gaps], axis=1) for part in ("value", "lower", "upper")}
    )


def _span(rows: LedgerRows, span: int) -> _Gap:
    ops = rows.span_ops[:, _ALL, span]
    times = (rows.span_time, rows.span_lower, rows.span_upper)
    value, lower, upper = (latency_us(part[:, _ALL, span], ops) for part in times)
    return _Gap(value=value, lower=lower, upper=upper)


def _segment(rows: LedgerRows, segment: Segment) -> Floats:
    return latency_us(rows.segment_time[:, _ALL, segment], rows.segment_ops[:, _ALL, segment])


def _above_device(rows: LedgerRows, disks: LedgerRows, devices: LedgerRows) -> _Gap:
    """The kernel of the virtual disks holds it beside that of the devices; their I/Os are taken to fare alike there."""
    outer, inner = _span(disks, KERNEL), _span(devices, KERNEL)
    return _between(_segment(rows, Segment.HYPERVISOR), outer.lower - inner.upper, outer.upper - inner.lower)


def _inside_kernel(rows: LedgerRows, devices: LedgerRows) -> _Gap:
    own = _span(devices, KERNEL)
    told = _segment(rows, Segment.KERNEL_QUEUE) + _segment(rows, Segment.KERNEL_SERVICE)
    return _Gap(
        value=np.where(np.isnan(own.value), told, own.value), lower=own.lower * (1 - _MIX), upper=own.upper * (1 + _MIX)
    )


def _transit(rows: LedgerRows, match_ratio: Floats) -> _Gap:
    """The SAN layer without the array's port, which the array times itself, over all hosts of the volume."""
    port, whole = _segment(rows, Segment.ARRAY_PORT), _span(rows, _SAN)
    share = np.clip(np.nan_to_num(match_ratio), 0.0, 1.0)
    half = _PORT_US + PART_SHARE * (1 - share) * port
    return _between(_segment(rows, Segment.FABRIC), whole.lower - port - half, whole.upper - port + half)


def _between(value: Floats, lower: Floats, upper: Floats) -> _Gap:
    """Never below 0, and never without its own estimate."""
    return _Gap(value=value, lower=np.minimum(np.maximum(lower, 0.0), value), upper=np.maximum(upper, value))
