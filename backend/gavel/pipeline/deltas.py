"""The differences between neighbouring measurements of a datastore, with intervals, against what is expected of them."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.intervals import PART_SHARE
from gavel.analysis.ledger import KERNEL, LedgerRows, rolled_up
from gavel.analysis.segments import SPANS
from gavel.db.engine import Connection
from gavel.db.queries.leaves import device_leaves, disk_leaves
from gavel.db.queries.rows import RefKind
from gavel.domain.io_path import Direction, Layer, Segment
from gavel.domain.scope import ScopeKind
from gavel.pipeline.contributing import known_rows, leaf_sums
from gavel.pipeline.expecting import hours_of
from gavel.pipeline.judging import State, covered, write_share
from gavel.pipeline.summing import Sum, Window, summed

_ALL = Direction.ALL
_GUEST, _SAN = SPANS.index((Layer.GUEST, Layer.GUEST)), SPANS.index((Layer.SAN, Layer.SAN))
# The array's port time is a difference of boundaries that are sums of whole microseconds.
_PORT_US = 2.0


@dataclass(frozen=True, slots=True)
class Gap:
    """µs per I/O and its interval; None where one of the two was not measured, or (bounds) its leaves are no longer kept."""

    us: float | None
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A difference and what it is over what is expected of it, never below 0."""

    name: str
    label: str
    layer: str
    us: float | None
    lower_us: float | None
    upper_us: float | None
    expected_us: float
    excess_us: float | None
    excess_lower_us: float | None
    excess_upper_us: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deltas(Window):
    """Outermost first, reads and writes together."""

    state: State
    deltas: tuple[Delta, ...]


_NOTHING = Gap(None)


def deltas(connection: Connection, datastore_id: int, from_at: datetime, to_at: datetime) -> Deltas:
    """Raises NotFoundError, and ValueError for an empty range."""
    found = summed(connection, RefKind.DATASTORE, datastore_id, from_at, to_at)
    guest = above = inside = transit = _NOTHING
    expected = np.zeros(len(Layer))
    if not found.is_empty:
        disks, devices = _leaves(connection, datastore_id, found.window)
        rows = found.found.rows
        guest, above = _span(rows, _GUEST), _above_device(rows, disks, devices)
        inside, transit = _inside_kernel(rows, devices), _transit(found)
        hours = hours_of(found.window.from_at, found.window.to_at)[None, :]
        expected = found.usual.at(np.zeros(1, dtype=np.int64), hours, write_share(rows))[0][0]
    return Deltas(
        **found.window.fields,
        state=found.state,
        deltas=(
            _delta("guest_vscsi", "Guest − vSCSI", Layer.GUEST, guest, expected),
            _delta("vscsi_device", "vSCSI − device", Layer.KERNEL, above, expected),
            _delta("device_driver", "Device − driver (GAVG − DAVG)", Layer.KERNEL, inside, expected),
            _delta("driver_array", "Driver − array (DAVG − array)", Layer.SAN, transit, expected),
        ),
    )


def _leaves(connection: Connection, datastore_id: int, window: Window) -> tuple[LedgerRows, LedgerRows]:
    """(1,) sums of the datastore's virtual disks and of its devices; zeros where there are none any more."""
    disks = [leaf.disk.id for leaf in disk_leaves(connection, RefKind.DATASTORE, datastore_id)]
    devices = [leaf.device.id for leaf in device_leaves(connection, RefKind.DATASTORE, datastore_id)]
    found = (
        leaf_sums(connection, kind, ids, window.from_at, window.to_at)
        for kind, ids in ((ScopeKind.VM_DISK, disks), (ScopeKind.HOST_DEVICE, devices))
    )
    of_disks, of_devices = (
        rolled_up(known_rows(leaves.rows), np.zeros(len(leaves), dtype=np.int64), 1) for leaves in found
    )
    return of_disks, of_devices


def _span(rows: LedgerRows, span: int) -> Gap:
    ops = float(rows.span_ops[0, _ALL, span])
    if not ops > 0:
        return _NOTHING
    us, lower, upper = (float(part[0, _ALL, span]) / ops for part in (rows.span_time, rows.span_lower, rows.span_upper))
    return Gap(us, (lower, upper))


def _segment(rows: LedgerRows, segment: Segment) -> float | None:
    ops = float(rows.segment_ops[0, _ALL, segment])
    return float(rows.segment_time[0, _ALL, segment]) / ops if ops > 0 else None


def _above_device(rows: LedgerRows, disks: LedgerRows, devices: LedgerRows) -> Gap:
    """The kernel of the virtual disks holds it beside that of the devices; their I/Os are taken to fare alike there."""
    us = _segment(rows, Segment.HYPERVISOR)
    outer, inner = _span(disks, KERNEL), _span(devices, KERNEL)
    if us is None or outer.bounds is None or inner.bounds is None:
        return Gap(us)
    return _between(us, outer.bounds[0] - inner.bounds[1], outer.bounds[1] - inner.bounds[0])


def _inside_kernel(rows: LedgerRows, devices: LedgerRows) -> Gap:
    found = _span(devices, KERNEL)
    if found.us is not None:
        return found
    queue, service = (_segment(rows, segment) for segment in (Segment.KERNEL_QUEUE, Segment.KERNEL_SERVICE))
    return _NOTHING if queue is None or service is None else Gap(queue + service)


def _transit(found: Sum) -> Gap:
    """The SAN layer without the array's port, which the array times itself, over all hosts of the volume."""
    rows = found.found.rows
    us, port, whole = _segment(rows, Segment.FABRIC), _segment(rows, Segment.ARRAY_PORT), _span(rows, _SAN)
    if us is None or port is None or whole.bounds is None:
        return Gap(us)
    share = float(np.clip(np.nan_to_num(covered(found.found.notes, rows.ops[:, _ALL])[0]), 0.0, 1.0))
    half = _PORT_US + PART_SHARE * (1 - share) * port
    return _between(us, whole.bounds[0] - port - half, whole.bounds[1] - port + half)


def _between(us: float, lower: float, upper: float) -> Gap:
    """Never below 0, and never without its own estimate."""
    return Gap(us, (min(max(0.0, lower), us), max(upper, us)))


def _delta(name: str, label: str, layer: Layer, gap: Gap, expected: np.ndarray) -> Delta:
    usual = float(expected[layer])
    lower, upper = gap.bounds if gap.bounds is not None else (None, None)

    def over(number: float | None) -> float | None:
        return None if number is None else max(0.0, number - usual)

    return Delta(
        name=name,
        label=label,
        layer=layer.name.lower(),
        us=gap.us,
        lower_us=lower,
        upper_us=upper,
        expected_us=usual,
        excess_us=over(gap.us),
        excess_lower_us=over(lower),
        excess_upper_us=over(upper),
    )
