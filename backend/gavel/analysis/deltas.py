"""Differences of neighbouring measurements of a place: guest − vSCSI, vSCSI − device, device − driver, driver − array, with intervals."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from gavel.analysis.intervals import PART_SHARE, Floats
from gavel.analysis.ledger import KERNEL, LedgerRows, latency_us
from gavel.analysis.segments import SPANS
from gavel.domain.io_path import Direction, Layer, Segment

_ALL = Direction.ALL
_GUEST, _SAN = SPANS.index((Layer.GUEST, Layer.GUEST)), SPANS.index((Layer.SAN, Layer.SAN))
# The array's port time is a difference of boundaries that are sums of whole microseconds.
_PORT_US = 2.0


class Difference(IntEnum):
    """Outermost first."""

    GUEST_VSCSI = 0
    VSCSI_DEVICE = 1
    DEVICE_DRIVER = 2
    DRIVER_ARRAY = 3


@dataclass(frozen=True, slots=True)
class Differences:
    """(n, 4) µs per I/O by `Difference`, reads and writes together. value is NaN where one of the two boundaries was not measured;
    lower and upper are NaN there too, and where the leaves that would tell them are no longer kept."""

    value: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True, slots=True)
class _Gap:
    value: Floats
    lower: Floats
    upper: Floats


def differences(rows: LedgerRows, disks: LedgerRows, devices: LedgerRows, coverage: Floats) -> Differences:
    """Of n places. disks, devices: (n) sums of their virtual disks and of their devices, zeros where there are none; coverage: (n,)."""
    gaps = (
        _span(rows, _GUEST),
        _above_device(rows, disks, devices),
        _inside_kernel(rows, devices),
        _transit(rows, coverage),
    )
    return Differences(
        *(np.stack([getattr(gap, part) for gap in gaps], axis=1) for part in ("value", "lower", "upper"))
    )


def _span(rows: LedgerRows, span: int) -> _Gap:
    ops = rows.span_ops[:, _ALL, span]
    times = (rows.span_time, rows.span_lower, rows.span_upper)
    return _Gap(*(latency_us(part[:, _ALL, span], ops) for part in times))


def _segment(rows: LedgerRows, segment: Segment) -> Floats:
    return latency_us(rows.segment_time[:, _ALL, segment], rows.segment_ops[:, _ALL, segment])


def _above_device(rows: LedgerRows, disks: LedgerRows, devices: LedgerRows) -> _Gap:
    """The kernel of the virtual disks holds it beside that of the devices; their I/Os are taken to fare alike there."""
    outer, inner = _span(disks, KERNEL), _span(devices, KERNEL)
    return _between(_segment(rows, Segment.HYPERVISOR), outer.lower - inner.upper, outer.upper - inner.lower)


def _inside_kernel(rows: LedgerRows, devices: LedgerRows) -> _Gap:
    own = _span(devices, KERNEL)
    told = _segment(rows, Segment.KERNEL_QUEUE) + _segment(rows, Segment.KERNEL_SERVICE)
    return _Gap(np.where(np.isnan(own.value), told, own.value), own.lower, own.upper)


def _transit(rows: LedgerRows, coverage: Floats) -> _Gap:
    """The SAN layer without the array's port, which the array times itself, over all hosts of the volume."""
    port, whole = _segment(rows, Segment.ARRAY_PORT), _span(rows, _SAN)
    share = np.clip(np.nan_to_num(coverage), 0.0, 1.0)
    half = _PORT_US + PART_SHARE * (1 - share) * port
    return _between(_segment(rows, Segment.FABRIC), whole.lower - port - half, whole.upper - port + half)


def _between(value: Floats, lower: Floats, upper: Floats) -> _Gap:
    """Never below 0, and never without its own estimate."""
    return _Gap(value, np.minimum(np.maximum(lower, 0.0), value), np.maximum(upper, value))
