"""The differences between neighbouring measurements of a datastore, with intervals, against what is expected of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from gavel.analysis.ledger import Difference, Differences, differences, rolled_up
from gavel.db.engine import Connection
from gavel.db.queries.leaves import device_leaves, disk_leaves
from gavel.db.queries.ledger import Detail, ledger
from gavel.db.queries.refs import RefKind
from gavel.db.series.modes import Storage
from gavel.diagnosis.baselines import BaselineFrom, hours_of
from gavel.diagnosis.contributors import known_rows
from gavel.diagnosis.diagnose import DiagnosisState, baseline_from, bytes_per_op, covered, none_if_nan, write_share
from gavel.diagnosis.window import DiagnosisWindow, summed
from gavel.domain.io_path import Direction, Layer, LayerName
from gavel.domain.ledger import LedgerRows
from gavel.domain.scope import ScopeKind, scope_key

DifferenceName = Literal["guest_vscsi", "vscsi_device", "device_driver", "driver_array"]
# Name, label and layer of each, outermost first.
_DELTAS: Mapping[Difference, tuple[DifferenceName, str, Layer]] = {
    Difference.GUEST_VSCSI: ("guest_vscsi", "Guest − vSCSI", Layer.GUEST),
    Difference.VSCSI_DEVICE: ("vscsi_device", "vSCSI − device", Layer.KERNEL),
    Difference.DEVICE_DRIVER: ("device_driver", "Device − driver (GAVG − DAVG)", Layer.KERNEL),
    Difference.DRIVER_ARRAY: ("driver_array", "Driver − array (DAVG − array)", Layer.SAN),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A difference of neighboring boundaries, reads and writes together, and its baseline; null: not measured."""

    name: DifferenceName
    label: str
    layer: LayerName
    us: float | None
    lower_us: float | None
    upper_us: float | None
    baseline_us: float
    excess_us: float | None
    excess_lower_us: float | None
    excess_upper_us: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deltas(DiagnosisWindow):
    """Outermost first. `driver_array` is compared with the baseline of the whole SAN layer."""

    state: DiagnosisState
    baseline_from: BaselineFrom | None
    deltas: tuple[Delta, ...]


def deltas(connection: Connection, datastore_id: int, from_at: datetime | None, to_at: datetime | None) -> Deltas:
    """Raises NotFoundError, and ValueError for an empty range."""
    found = summed(connection, RefKind.DATASTORE, datastore_id, from_at, to_at)
    nothing, expected = np.full((1, len(Difference)), np.nan), np.zeros(len(Layer))
    told = Differences(value=nothing, lower=nothing, upper=nothing)
    if not found.is_empty:
        disks, devices = _leaves(connection, datastore_id, found.window, found.storage)
        rows = found.series.rows
        told = differences(rows, disks, devices, covered(found.series.notes, rows))
        hours = hours_of(found.window.from_at, found.window.to_at)[None, :]
        expected = found.usual.at(
            np.zeros(1, dtype=np.int64), hours, write_share(rows), bytes_per_op(rows, Direction.ALL)
        )[0][0]
    return Deltas(
        **found.window.fields,
        state=found.state,
        baseline_from=None if found.is_empty else baseline_from(found.diagnosed, 0),
        deltas=tuple(_delta(one, told, float(expected[layer])) for one, (_, _, layer) in _DELTAS.items()),
    )


def _leaves(
    connection: Connection, datastore_id: int, window: DiagnosisWindow, storage: Storage
) -> tuple[LedgerRows, LedgerRows]:
    """(1,) sums of the datastore's virtual disks and of its devices; zeros where there are none any more."""
    disks = [leaf.disk.id for leaf in disk_leaves(connection, RefKind.DATASTORE, datastore_id)]
    devices = [leaf.device.id for leaf in device_leaves(connection, RefKind.DATASTORE, datastore_id)]
    found = (
        ledger(
            connection,
            [scope_key(kind, one) for one in ids],
            window.from_at,
            window.to_at,
            None,
            Detail.LAYERS,
            storage=storage,
        )
        for kind, ids in ((ScopeKind.VM_DISK, disks), (ScopeKind.HOST_DEVICE, devices))
    )
    of_disks, of_devices = (
        rolled_up(known_rows(leaves.rows), np.zeros(len(leaves), dtype=np.int64), 1) for leaves in found
    )
    return of_disks, of_devices


def _delta(which: Difference, differences: Differences, usual: float) -> Delta:
    name, label, layer = _DELTAS[which]
    us, lower, upper = (
        none_if_nan(part[0, which]) for part in (differences.value, differences.lower, differences.upper)
    )

    def above_usual(number: float | None) -> float | None:
        return None if number is None else max(0.0, number - usual)

    return Delta(
        name=name,
        label=label,
        layer=layer.key,
        us=us,
        lower_us=lower,
        upper_us=upper,
        baseline_us=usual,
        excess_us=above_usual(us),
        excess_lower_us=above_usual(lower),
        excess_upper_us=above_usual(upper),
    )
