"""Whose I/O-time it is: the thing's time in a layer, split among VMs and among hosts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TypeAlias

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import InLayer, in_layer, non_vm_ops, rolled_up, shares, sum_by_host
from gavel.db.engine import Connection
from gavel.db.queries.leaves import DiskLeaf, device_leaves, disk_leaves, stretched_leaves
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.db.queries.queues import Queue
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.diagnosis.diagnose import none_if_nan
from gavel.diagnosis.window import DiagnosisWindow, WindowSum, summed
from gavel.domain.io_path import Direction, Layer, LayerName
from gavel.domain.ledger import LedgerRows, joined, picked
from gavel.domain.scope import ScopeKind, scope_key, scope_of


@dataclass(frozen=True, slots=True)
class WindowLeaves:
    """n leaves that have minutes in the window. is_shared: on volumes that another array has, too."""

    ids: Sequence[int]
    rows: LedgerRows
    is_shared: Bools

    @classmethod
    def of(cls, series: LedgerSeries, kind: ScopeKind, shared: frozenset[int]) -> "WindowLeaves":
        """Those of one kind."""
        scopes = [scope_of(int(key)) for key in series.keys]
        own = np.array([n for n, (of, _) in enumerate(scopes) if of is kind], dtype=np.int64)
        ids = [scopes[n][1] for n in own.tolist()]
        rows = known_rows(picked(series.rows, own))
        return cls(ids, rows, np.array([one in shared for one in ids], dtype=np.bool_))

    def weighed(self, part: float) -> LedgerRows:
        """Shared ones by this part of them."""
        weights = np.where(self.is_shared, part, 1.0)
        numbers = {field.name: getattr(self.rows, field.name) for field in fields(LedgerRows)}
        return LedgerRows(**{name: one * weights.reshape(-1, *(1,) * (one.ndim - 1)) for name, one in numbers.items()})

    @property
    def ops(self) -> Floats:
        return self.rows.ops[:, Direction.ALL]


@dataclass(frozen=True, slots=True)
class Owned:
    """n owners with sums of what is theirs, in order of name."""

    owners: Sequence[EntityRef]
    rows: LedgerRows


@dataclass(frozen=True, slots=True)
class LeafSet:
    """What a thing is made of. devices: None where it has none of its own (VMs, NFS, vVols); then its disks have all values."""

    kind: RefKind
    disks: WindowLeaves
    vms: Mapping[int, EntityRef]
    disk_hosts: Mapping[int, EntityRef | None]
    alone: frozenset[int]
    devices: WindowLeaves | None
    device_hosts: Mapping[int, EntityRef]

    def by_vm(self, part: float) -> Owned:
        """Of a VM by its disks; part: see `part_of_shared`."""
        return _gathered(self.disks.weighed(part), [self.vms[one] for one in self.disks.ids])

    def by_host(self, part: float) -> Owned:
        """Of a host by its devices, without what waits above them: a disk may be on several."""
        disks, on_hosts = self.disks.weighed(part), [self.disk_hosts[one] for one in self.disks.ids]
        if self.devices is None:
            return _gathered(disks, on_hosts)
        devices = _gathered(self.devices.weighed(part), [self.device_hosts[one] for one in self.devices.ids])
        if self.kind is RefKind.HOST:
            return devices
        over, alone = (
            _gathered(
                disks,
                [
                    owner if (one in self.alone) is wanted else None
                    for one, owner in zip(self.disks.ids, on_hosts, strict=True)
                ],
            )
            for wanted in (False, True)
        )
        return _together(devices, over, alone)

    def part_of_shared(self, ops: float) -> float:
        """Which part of stretched volumes' I/Os the array did: what of its own `ops` other volumes do not explain."""
        speaking = [] if self.devices is None else [self.devices]
        is_alone = np.array([self.devices is None or one in self.alone for one in self.disks.ids], dtype=np.bool_)
        counted = [(leaves.ops, leaves.is_shared) for leaves in speaking]
        counted.append((self.disks.ops[is_alone], self.disks.is_shared[is_alone]))
        shared = sum(float(numbers[is_shared].sum()) for numbers, is_shared in counted)
        others = sum(float(numbers[~is_shared].sum()) for numbers, is_shared in counted)
        return min(max((ops - others) / shared, 0.0), 1.0) if shared > 0 else 1.0


# Virtual disks and devices on volumes that another array has, too.
Stretched: TypeAlias = tuple[frozenset[int], frozenset[int]]


def stretched_of(connection: Connection, kind: RefKind, thing_id: int) -> Stretched:
    """Of an array; others have all I/Os of theirs."""
    return stretched_leaves(connection, thing_id) if kind is RefKind.ARRAY else (frozenset(), frozenset())


def load_leaves(
    connection: Connection,
    window_sum: WindowSum,
    disks: Sequence[DiskLeaf],
    devices: Sequence[Queue],
    stretched: Stretched,
) -> LeafSet:
    """Leaves of the thing as the inventory has it now. devices: those whose I/Os are its own."""
    window, kind = window_sum.window, window_sum.kind
    of_disks = [scope_key(ScopeKind.VM_DISK, leaf.disk.id) for leaf in disks]
    of_devices = [scope_key(ScopeKind.HOST_DEVICE, leaf.device.id) for leaf in devices]
    found = ledger(
        connection,
        [*of_disks, *of_devices],
        window.from_at,
        window.to_at,
        None,
        Detail.ABOVE,
        storage=window_sum.storage,
    )
    return LeafSet(
        kind,
        WindowLeaves.of(found, ScopeKind.VM_DISK, stretched[0]),
        {leaf.disk.id: leaf.disk if kind is RefKind.VM else leaf.vm for leaf in disks},
        {leaf.disk.id: leaf.host for leaf in disks},
        frozenset(leaf.disk.id for leaf in disks if leaf.is_alone),
        WindowLeaves.of(found, ScopeKind.HOST_DEVICE, stretched[1]) if devices else None,
        {leaf.device.id: leaf.device if kind is RefKind.HOST else leaf.host for leaf in devices},
    )


def known_rows(rows: LedgerRows) -> LedgerRows:
    """For sums: what was not read or not measured adds nothing."""
    return LedgerRows(**{field.name: np.nan_to_num(getattr(rows, field.name)) for field in fields(LedgerRows)})


def _gathered(rows: LedgerRows, owners: Sequence[EntityRef | None]) -> Owned:
    """Sums by owner; rows without an owner belong to none."""
    known = sorted({owner for owner in owners if owner is not None}, key=lambda owner: (owner.name, owner.id))
    position = {owner: n for n, owner in enumerate(known)}
    kept = np.array([n for n, owner in enumerate(owners) if owner is not None], dtype=np.int64)
    scope = np.array([position[owner] for owner in owners if owner is not None], dtype=np.int64)
    return Owned(known, rolled_up(picked(rows, kept), scope, len(known)))


def _together(devices: Owned, above: Owned, alone: Owned) -> Owned:
    """Owners of any of them."""
    three = (devices, above, alone)
    every = _gathered(joined([one.rows for one in three]), [owner for one in three for owner in one.owners]).owners
    position = {owner: n for n, owner in enumerate(every)}
    spread = (
        rolled_up(one.rows, np.array([position[owner] for owner in one.owners], dtype=np.int64), len(every))
        for one in three
    )
    return Owned(every, sum_by_host(*spread))


MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """`ios`: I/Os of the contributor inside the layer; `us`: latency per I/O. `time_share`: of the object's time in the layer, with range;
    of that of all VMs (hosts) together where this is more; null where that time is 0.

    `is_merged`: (a part of) the time is of neighboring layers that are not separable.
    """

    subject: EntityRef
    iops: float
    us: float | None
    ios: float
    lower_ios: float
    upper_ios: float
    time_share: float | None
    share_lower: float | None
    share_upper: float | None
    is_merged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributors(DiagnosisWindow):
    """Top contributors to the layer's time. `ios`: the object's own outstanding I/Os in the layer, as in its occupancy; null: not measured.

    VMs are measured at their virtual disks, hosts at their devices plus what their disks have above these (devices of a host alone).
    `vms_total`, `hosts_total`: how many did I/O. `vms_ios`, `hosts_ios`: all of theirs in the layer; `vms_rest_ios`, `hosts_rest_ios`:
    of `ios` those of none of them. `non_vm_iops`: device ops that no virtual disk explains; null: no device was measured.
    """

    layer: LayerName
    ios: float | None
    vms: tuple[Contributor, ...]
    vms_total: int
    vms_ios: float
    vms_rest_ios: float | None
    hosts: tuple[Contributor, ...]
    hosts_total: int
    hosts_ios: float
    hosts_rest_ios: float | None
    non_vm_iops: float | None


@dataclass(frozen=True, slots=True)
class _Split:
    listed: list[Contributor]
    ios: float
    rest_ios: float | None


def contributors(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime | None, to_at: datetime | None, layer: Layer
) -> Contributors:
    """VMs (of a VM: its disks) by virtual disks; hosts (of a host: its devices) by devices, and what their disks have above these.

    Raises NotFoundError, and ValueError for an empty range.
    """
    found = summed(connection, kind, thing_id, from_at, to_at)
    devices, disks = device_leaves(connection, kind, thing_id), disk_leaves(connection, kind, thing_id)
    leaves = load_leaves(connection, found, disks, devices, stretched_of(connection, kind, thing_id))
    return contributors_of(found, leaves, layer)


def contributors_of(window_sum: WindowSum, made_of: LeafSet, layer: Layer) -> Contributors:
    """Without another look at the database."""
    window = window_sum.window
    wall_us = (window.to_at - window.from_at).total_seconds() * 1e6
    own = known_rows(window_sum.series.rows)
    whole = in_layer(_sum(own), layer)
    part = made_of.part_of_shared(float(own.ops[:, Direction.ALL].sum()))
    vms, hosts = (_split(owned, layer, whole, wall_us) for owned in (made_of.by_vm(part), made_of.by_host(part)))
    return Contributors(
        **window.fields,
        layer=layer.key,
        ios=float(whole.time[0]) / wall_us if whole.measured[0] > 0 else None,
        vms=tuple(vms.listed[:MOST]),
        vms_total=len(vms.listed),
        vms_ios=vms.ios,
        vms_rest_ios=vms.rest_ios,
        hosts=tuple(hosts.listed[:MOST]),
        hosts_total=len(hosts.listed),
        hosts_ios=hosts.ios,
        hosts_rest_ios=hosts.rest_ios,
        non_vm_iops=_not_of_vms(made_of, wall_us / 1e6),
    )


def top_host(made_of: LeafSet, window_sum: WindowSum, layer: Layer, least: float) -> EntityRef | None:
    """The host (of a host: its device) with more than `least` of a layer's I/O-time."""
    own = known_rows(window_sum.series.rows)
    owned = made_of.by_host(made_of.part_of_shared(float(own.ops[:, Direction.ALL].sum())))
    ranked = _split(owned, layer, in_layer(_sum(own), layer), 1e6).listed
    if ranked and ranked[0].time_share is not None and ranked[0].time_share > least:
        return ranked[0].subject
    return None


def _sum(rows: LedgerRows) -> LedgerRows:
    """(1,)"""
    return rolled_up(rows, np.zeros(len(rows), dtype=np.int64), 1)


def _split(owned: Owned, layer: Layer, whole: InLayer, wall_us: float) -> _Split:
    """Owners that did I/O, by I/O-time in the layer, then by name."""
    own = in_layer(owned.rows, layer)
    of_whole, ops = shares(own, whole), owned.rows.ops[:, Direction.ALL]
    listed = [
        Contributor(
            subject=owner,
            iops=float(ops[n]) / wall_us * 1e6,
            us=float(own.time[n] / own.measured[n]) if own.measured[n] > 0 else None,
            ios=float(own.time[n]) / wall_us,
            lower_ios=float(own.lower[n]) / wall_us,
            upper_ios=float(own.upper[n]) / wall_us,
            time_share=none_if_nan(of_whole.value[n]),
            share_lower=none_if_nan(of_whole.lower[n]),
            share_upper=none_if_nan(of_whole.upper[n]),
            is_merged=bool(own.measured[n] > own.own[n]),
        )
        for n, owner in enumerate(owned.owners)
        if ops[n] > 0
    ]
    rest = of_whole.rest / wall_us if whole.measured[0] > 0 else None
    return _Split(sorted(listed, key=lambda item: -item.ios), float(own.time.sum()) / wall_us, rest)


def _not_of_vms(made_of: LeafSet, wall_s: float) -> float | None:
    """None where no device was measured."""
    devices, disks = made_of.devices, made_of.disks
    if devices is None or len(devices.ids) == 0:
        return None
    return float(non_vm_ops(_sum(devices.rows), _sum(disks.rows))[0, Direction.ALL]) / wall_s
