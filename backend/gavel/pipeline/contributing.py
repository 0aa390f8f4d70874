"""Whose I/O-time it is: the leaves behind a scope, gathered by VM and by host."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import numpy as np

from gavel.analysis.columns import picked
from gavel.analysis.intervals import Floats
from gavel.analysis.ledger import LedgerRows, non_vm_ops, rolled_up
from gavel.analysis.segments import SPAN_LAYERS, SPANS
from gavel.db.engine import Connection
from gavel.db.queries.leaves import device_leaves, disk_leaves
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.db.queries.rows import Ref, RefKind
from gavel.domain.io_path import Direction, Layer
from gavel.domain.scope import ScopeKind, scope_key, scope_of
from gavel.pipeline.summing import Window, summed

MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """`ios`: I/Os of this one inside the layer on average, with bounds; `us` per I/O measured there; `time_share`: of all that
    did I/O.

    is_merged: (a part of) the time is of neighbouring layers that were not told apart.
    """

    subject: Ref
    iops: float
    us: float | None
    ios: float
    lower_ios: float
    upper_ios: float
    time_share: float | None
    is_merged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributors(Window):
    """The largest first; `*_total`: how many did I/O. non_vm_iops: device ops that no virtual disk explains; None without
    devices that were measured."""

    layer: str
    vms: tuple[Contributor, ...]
    vms_total: int
    hosts: tuple[Contributor, ...]
    hosts_total: int
    non_vm_iops: float | None


@dataclass(frozen=True, slots=True)
class Owned:
    """Leaves of one kind: their sums over the window (n,), and who owns each."""

    found: LedgerSeries
    owners: Sequence[Ref | None]

    @property
    def whole(self) -> LedgerRows:
        """(1,) all of them."""
        return rolled_up(known_rows(self.found.rows), np.zeros(len(self.found), dtype=np.int64), 1)


def contributors(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime, layer: Layer
) -> Contributors:
    """VMs (of a VM: its disks) by virtual disks, hosts (of a host: its devices) by devices.

    Where no device is the thing's own (NFS, vVol), hosts are told by the virtual disks of their VMs.

    Raises NotFoundError, and ValueError for an empty range.
    """
    window = summed(connection, kind, thing_id, from_at, to_at).window
    disks, by_host, devices = _owned(connection, kind, thing_id, window.from_at, window.to_at)
    wall_s = (window.to_at - window.from_at).total_seconds()
    hosts = devices if devices is not None else by_host
    vms_listed, hosts_listed = (_ranked(owned, layer, wall_s) for owned in (disks, hosts))
    return Contributors(
        **window.fields,
        layer=layer.name.lower(),
        vms=tuple(vms_listed[:MOST]),
        vms_total=len(vms_listed),
        hosts=tuple(hosts_listed[:MOST]),
        hosts_total=len(hosts_listed),
        non_vm_iops=_not_of_vms(devices, disks, wall_s),
    )


def top_host(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime, layer: Layer, least: float
) -> Ref | None:
    """The host (of a host: its device) with more than `least` of a layer's I/O-time."""
    _, by_host, devices = _owned(connection, kind, thing_id, from_at, to_at)
    ranked = _ranked(devices if devices is not None else by_host, layer, 1.0)
    if ranked and ranked[0].time_share is not None and ranked[0].time_share > least:
        return ranked[0].subject
    return None


def _owned(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime
) -> tuple[Owned, Owned, Owned | None]:
    """Virtual disks by VM, the same by host, and devices by host; None where the thing has none of its own."""
    disks = disk_leaves(connection, kind, thing_id)
    vms = {leaf.disk.id: leaf.disk if kind is RefKind.VM else leaf.vm for leaf in disks}
    disk_hosts = {leaf.disk.id: leaf.host for leaf in disks}
    of_disks = leaf_sums(connection, ScopeKind.VM_DISK, list(vms), from_at, to_at)
    ids = _ids(of_disks)
    by_vm, by_host = Owned(of_disks, [vms[i] for i in ids]), Owned(of_disks, [disk_hosts[i] for i in ids])
    devices = device_leaves(connection, kind, thing_id)
    if not devices:
        return by_vm, by_host, None
    hosts = {leaf.device.id: leaf.device if kind is RefKind.HOST else leaf.host for leaf in devices}
    of_devices = leaf_sums(connection, ScopeKind.HOST_DEVICE, list(hosts), from_at, to_at)
    return by_vm, by_host, Owned(of_devices, [hosts[i] for i in _ids(of_devices)])


def leaf_sums(
    connection: Connection, kind: ScopeKind, ids: Sequence[int], from_at: datetime, to_at: datetime
) -> LedgerSeries:
    """Layers of the leaves with these ids over the window; those without a minute in it have no row."""
    return ledger(connection, [scope_key(kind, i) for i in ids], from_at, to_at, None, Detail.LAYERS)


def _ids(found: LedgerSeries) -> list[int]:
    return [scope_of(int(key))[1] for key in found.keys]


def known_rows(rows: LedgerRows) -> LedgerRows:
    """For sums: what was not read or not measured adds nothing."""
    return LedgerRows(*(np.nan_to_num(getattr(rows, field.name)) for field in fields(LedgerRows)))


def _ranked(owned: Owned, layer: Layer, wall_s: float) -> list[Contributor]:
    """Owners that did I/O, by I/O-time in the layer, then by name."""
    owners = sorted({owner for owner in owned.owners if owner is not None}, key=lambda owner: (owner.name, owner.id))
    position = {owner: n for n, owner in enumerate(owners)}
    kept = np.array([n for n, owner in enumerate(owned.owners) if owner is not None], dtype=np.int64)
    scope = np.array([position[owner] for owner in owned.owners if owner is not None], dtype=np.int64)
    rows = known_rows(owned.found.rows)
    sums = rolled_up(picked(rows, kept), scope, len(owners))
    time, lower, upper = (_in_layer(part, layer) for part in (sums.span_time, sums.span_lower, sums.span_upper))
    measured = _in_layer(sums.span_ops, layer)
    own = SPANS.index((layer, layer))
    ops, whole = sums.ops[:, Direction.ALL], float(time.sum())
    listed = [
        Contributor(
            subject=owner,
            iops=float(ops[n]) / wall_s,
            us=float(time[n] / measured[n]) if measured[n] > 0 else None,
            ios=float(time[n]) / wall_s / 1e6,
            lower_ios=float(lower[n]) / wall_s / 1e6,
            upper_ios=float(upper[n]) / wall_s / 1e6,
            time_share=float(time[n]) / whole if whole > 0 else None,
            is_merged=bool(measured[n] > sums.span_ops[n, Direction.ALL, own]),
        )
        for n, owner in enumerate(owners)
        if ops[n] > 0
    ]
    return sorted(listed, key=lambda one: -one.ios)


def _in_layer(spans: Floats, layer: Layer) -> Floats:
    """(n,) of all spans that hold the layer, reads and writes together."""
    total: Floats = spans[:, Direction.ALL] @ SPAN_LAYERS[:, layer]
    return total


def _not_of_vms(devices: Owned | None, disks: Owned, wall_s: float) -> float | None:
    """None where no device was measured."""
    if devices is None or len(devices.found) == 0:
        return None
    return float(non_vm_ops(devices.whole, disks.whole)[0, Direction.ALL]) / wall_s
