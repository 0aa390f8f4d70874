"""The ledger: I/O-time per minute and scope, additive over time and place (attribution.md §4)."""

from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from gavel.analysis.attribution import Attributed
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.segments import SPAN_LAYERS, SPANS, Parts
from gavel.domain.io_path import Direction, Layer, Segment

LEAST_OPS = 30
KERNEL = SPANS.index((Layer.KERNEL, Layer.KERNEL))
_GUEST = SPANS.index((Layer.GUEST, Layer.GUEST))


@dataclass(frozen=True, slots=True)
class LedgerRows:
    """n rows of sums: reads, writes and all along axis 1; segments (9) or spans of layers (10) along axis 2. Every field is additive.

    `*_time` is I/O-time in µs × ops, `*_lower` and `*_upper` its bounds, `*_ops` the ops whose time is in it (0 = not measured);
    `outermost_lower` is the lower bound of the outermost boundary, in I/O-time too.
    """

    ops: Floats
    bytes: Floats
    segment_time: Floats
    segment_lower: Floats
    segment_upper: Floats
    segment_ops: Floats
    span_time: Floats
    span_lower: Floats
    span_upper: Floats
    span_ops: Floats
    outermost_lower: Floats

    def __len__(self) -> int:
        return len(self.ops)


def rows_of(ways: dict[Direction, Attributed], read_bytes: Floats, write_bytes: Floats) -> LedgerRows:
    """One ledger row per attributed row."""
    every = [ways[direction] for direction in Direction]
    return LedgerRows(
        np.stack([way.ops for way in every], axis=1),
        np.stack([read_bytes, write_bytes, read_bytes + write_bytes], axis=1),
        *_stacked([_sums(way.segments, way.ops) for way in every]),
        *_stacked([_sums(way.spans, way.ops) for way in every]),
        outermost_lower=np.stack([_outermost(way) for way in every], axis=1),
    )


def _stacked(ways: list[tuple[Floats, Floats, Floats, Floats]]) -> tuple[Floats, Floats, Floats, Floats]:
    time, lower, upper, ops = (np.stack(one, axis=1) for one in zip(*ways, strict=True))
    return time, lower, upper, ops


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

    return LedgerRows(*(summed(getattr(rows, field.name)) for field in fields(LedgerRows)))


def place(device: LedgerRows, disks: LedgerRows) -> LedgerRows:
    """Datastores, hosts, clusters, volumes, arrays (same scopes in both), with nothing counted twice.

    What is below the device comes from `host_device`, guest queue and hypervisor from `vm_disk`. Device ops that no disk explains stay in
    (`non_vm_ops`). Where the kernel's own span was not measured, the hypervisor shows as a segment only.
    """
    result = replace(device, **{name: getattr(device, name).copy() for name in _PLACED})
    for part in ("time", "lower", "upper", "ops"):
        segments, spans = getattr(result, f"segment_{part}"), getattr(result, f"span_{part}")
        from_disks = getattr(disks, f"segment_{part}")
        segments[..., : Segment.KERNEL_QUEUE] = from_disks[..., : Segment.KERNEL_QUEUE]
        spans[..., _GUEST] = from_disks[..., Segment.GUEST_QUEUE]
        if part != "ops":
            spans[..., KERNEL] += np.where(result.span_ops[..., KERNEL] > 0, from_disks[..., Segment.HYPERVISOR], 0.0)
    above = disks.segment_lower[..., Segment.GUEST_QUEUE] + disks.segment_lower[..., Segment.HYPERVISOR]
    return replace(result, outermost_lower=device.outermost_lower + above)


_PLACED = tuple(f"{kind}_{part}" for kind in ("segment", "span") for part in ("time", "lower", "upper", "ops"))


def without_ops(rows: LedgerRows, blind: Bools) -> LedgerRows:
    """Ops and bytes NaN where nobody told them: not measured is no 0."""
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
