"""The differences between neighbouring measurements of a datastore, with intervals, against what is expected of them."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.deltas import Difference, Differences, differences
from gavel.analysis.ledger import LedgerRows, rolled_up
from gavel.db.engine import Connection
from gavel.db.queries.leaves import device_leaves, disk_leaves
from gavel.db.queries.rows import RefKind
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind
from gavel.pipeline.expecting import ExpectedFrom, hours_of
from gavel.pipeline.judging import State, covered, expected_from, known, write_share
from gavel.pipeline.owned import known_rows, leaf_sums
from gavel.pipeline.summing import Window, summed

# Name, label and layer of each, outermost first.
_DELTAS = {
    Difference.GUEST_VSCSI: ("Guest − vSCSI", Layer.GUEST),
    Difference.VSCSI_DEVICE: ("vSCSI − device", Layer.KERNEL),
    Difference.DEVICE_DRIVER: ("Device − driver (GAVG − DAVG)", Layer.KERNEL),
    Difference.DRIVER_ARRAY: ("Driver − array (DAVG − array)", Layer.SAN),
}


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
    expected_from: ExpectedFrom | None
    deltas: tuple[Delta, ...]


def deltas(connection: Connection, datastore_id: int, from_at: datetime, to_at: datetime) -> Deltas:
    """Raises NotFoundError, and ValueError for an empty range."""
    found = summed(connection, RefKind.DATASTORE, datastore_id, from_at, to_at)
    told, expected = Differences(*(np.full((1, len(Difference)), np.nan) for _ in range(3))), np.zeros(len(Layer))
    if not found.is_empty:
        disks, devices = _leaves(connection, datastore_id, found.window)
        rows = found.found.rows
        told = differences(rows, disks, devices, covered(found.found.notes, rows))
        hours = hours_of(found.window.from_at, found.window.to_at)[None, :]
        expected = found.usual.at(np.zeros(1, dtype=np.int64), hours, write_share(rows))[0][0]
    return Deltas(
        **found.window.fields,
        state=found.state,
        expected_from=None if found.is_empty else expected_from(found.judged, 0),
        deltas=tuple(_delta(one, told, float(expected[layer])) for one, (_, layer) in _DELTAS.items()),
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


def _delta(which: Difference, told: Differences, usual: float) -> Delta:
    label, layer = _DELTAS[which]
    us, lower, upper = (known(part[0, which]) for part in (told.value, told.lower, told.upper))

    def over(number: float | None) -> float | None:
        return None if number is None else max(0.0, number - usual)

    return Delta(
        name=which.name.lower(),
        label=label,
        layer=layer.name.lower(),
        us=us,
        lower_us=lower,
        upper_us=upper,
        expected_us=usual,
        excess_us=over(us),
        excess_lower_us=over(lower),
        excess_upper_us=over(upper),
    )
