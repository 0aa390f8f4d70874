"""Whose a place's I/O-time is: hosts by their devices and what their virtual disks have above these; shares of owners in it."""

from dataclasses import dataclass, fields, replace

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.ledger import KERNEL, LedgerRows, place
from gavel.analysis.segments import SPAN_LAYERS, SPANS
from gavel.domain.io_path import Direction, Layer

_ALL = Direction.ALL
_GUEST = SPANS.index((Layer.GUEST, Layer.GUEST))


@dataclass(frozen=True, slots=True)
class InLayer:
    """(n,) I/O-time (µs × ops) in a layer with bounds, reads and writes together. measured: ops that it is of; own: those of them whose
    time in this layer was told apart from its neighbours'."""

    time: Floats
    lower: Floats
    upper: Floats
    measured: Floats
    own: Floats


@dataclass(frozen=True, slots=True)
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
    return InLayer(time, lower, upper, measured, rows.span_ops[:, _ALL, SPANS.index((layer, layer))])


def hosts_of_a_place(devices: LedgerRows, disks: LedgerRows, alone: LedgerRows) -> LedgerRows:
    """(n,) sums by host, as the place itself is told: its devices, above them the disks on these, and disks that speak for themselves.

    Leaves are read without bounds of their segments, so the kernel's come from the disks', which hold what is above the device and what
    is in it; device ops that no disk explains are taken to fare like the others.
    """
    placed = place(devices, disks)
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
        result[:, _ALL, _GUEST] = of_disks[:, _ALL, _GUEST]
        bounds.append(result)
    lower, upper = np.minimum(bounds[0], placed.span_time), np.maximum(bounds[1], placed.span_time)
    placed = replace(placed, span_lower=lower, span_upper=upper)
    return LedgerRows(*(getattr(placed, field.name) + getattr(alone, field.name) for field in fields(LedgerRows)))


def shares(owners: InLayer, whole: InLayer) -> Shares:
    """Of the place's own time in the layer, (1,); where owners have more than that together, of theirs.

    Bounds hold whatever the others have: at least what is certain of the owner in the most there may be, at most what may be its beside
    what is certainly not.
    """
    time, least, most = float(whole.time[0]), float(whole.lower[0]), float(whole.upper[0])
    sums = float(owners.time.sum())
    total, highest = max(time, sums), max(most, float(owners.upper.sum()))
    others = np.maximum(least, owners.upper + owners.lower.sum() - owners.lower)
    value = _part(owners.time, np.full_like(owners.time, total))
    lower = _part(owners.lower, np.full_like(owners.lower, highest))
    upper = _part(owners.upper, others)
    return Shares(value, np.fmin(lower, value), np.fmax(np.minimum(upper, 1.0), value), max(0.0, time - sums))


def _part(numbers: Floats, whole: Floats) -> Floats:
    return np.divide(numbers, whole, out=np.full_like(numbers, np.nan), where=whole > 0)
