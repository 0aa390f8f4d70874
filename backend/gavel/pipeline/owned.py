"""The leaves behind a thing: sums of its virtual disks and devices over a window, and who owns each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import numpy as np

from gavel.analysis.columns import joined, picked
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import LedgerRows, rolled_up
from gavel.analysis.owners import hosts_of_a_place
from gavel.db.engine import Connection
from gavel.db.queries.leaves import device_leaves, disk_leaves, stretched_leaves
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.db.queries.rows import Ref, RefKind
from gavel.domain.io_path import Direction
from gavel.domain.scope import ScopeKind, scope_key, scope_of


@dataclass(frozen=True, slots=True)
class Leaves:
    """n leaves that have minutes in the window. is_shared: on volumes that another array has, too."""

    ids: Sequence[int]
    rows: LedgerRows
    is_shared: Bools

    @classmethod
    def of(cls, found: LedgerSeries, shared: frozenset[int]) -> "Leaves":
        ids = ids_of(found)
        return cls(ids, known_rows(found.rows), np.array([one in shared for one in ids], dtype=np.bool_))

    def weighed(self, part: float) -> LedgerRows:
        """Shared ones by this part of them."""
        weights = np.where(self.is_shared, part, 1.0)
        numbers = (getattr(self.rows, field.name) for field in fields(LedgerRows))
        return LedgerRows(*(one * weights.reshape(-1, *(1,) * (one.ndim - 1)) for one in numbers))

    @property
    def ops(self) -> Floats:
        return self.rows.ops[:, Direction.ALL]


@dataclass(frozen=True, slots=True)
class Owned:
    """n owners with sums of what is theirs, in order of name."""

    owners: Sequence[Ref]
    rows: LedgerRows


@dataclass(frozen=True, slots=True)
class Behind:
    """What a thing is made of. devices: None where it has none of its own (VMs, NFS, vVols); then its disks tell everything."""

    kind: RefKind
    disks: Leaves
    vms: Mapping[int, Ref]
    disk_hosts: Mapping[int, Ref | None]
    alone: frozenset[int]
    devices: Leaves | None
    device_hosts: Mapping[int, Ref]

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


def behind(connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime) -> Behind:
    """Leaves of the thing as the inventory has it now."""
    disks = disk_leaves(connection, kind, thing_id)
    devices = device_leaves(connection, kind, thing_id)
    shared = stretched_leaves(connection, thing_id) if kind is RefKind.ARRAY else (frozenset[int](), frozenset[int]())
    of_disks = leaf_sums(connection, ScopeKind.VM_DISK, [leaf.disk.id for leaf in disks], from_at, to_at, Detail.ABOVE)
    of_devices = leaf_sums(connection, ScopeKind.HOST_DEVICE, [leaf.device.id for leaf in devices], from_at, to_at)
    return Behind(
        kind,
        Leaves.of(of_disks, shared[0]),
        {leaf.disk.id: leaf.disk if kind is RefKind.VM else leaf.vm for leaf in disks},
        {leaf.disk.id: leaf.host for leaf in disks},
        frozenset(leaf.disk.id for leaf in disks if leaf.is_alone),
        Leaves.of(of_devices, shared[1]) if devices else None,
        {leaf.device.id: leaf.device if kind is RefKind.HOST else leaf.host for leaf in devices},
    )


def leaf_sums(
    connection: Connection,
    kind: ScopeKind,
    ids: Sequence[int],
    from_at: datetime,
    to_at: datetime,
    detail: Detail = Detail.LAYERS,
) -> LedgerSeries:
    """Layers of the leaves with these ids over the window; those without a minute in it have no row."""
    return ledger(connection, [scope_key(kind, i) for i in ids], from_at, to_at, None, detail)


def ids_of(found: LedgerSeries) -> list[int]:
    return [scope_of(int(key))[1] for key in found.keys]


def known_rows(rows: LedgerRows) -> LedgerRows:
    """For sums: what was not read or not measured adds nothing."""
    return LedgerRows(*(np.nan_to_num(getattr(rows, field.name)) for field in fields(LedgerRows)))


def _gathered(rows: LedgerRows, owners: Sequence[Ref | None]) -> Owned:
    """What has no owner is nobody's."""
    known = sorted({owner for owner in owners if owner is not None}, key=lambda owner: (owner.name, owner.id))
    position = {owner: n for n, owner in enumerate(known)}
    kept = np.array([n for n, owner in enumerate(owners) if owner is not None], dtype=np.int64)
    scope = np.array([position[owner] for owner in owners if owner is not None], dtype=np.int64)
    return Owned(known, rolled_up(picked(rows, kept), scope, len(known)))


def _together(devices: Owned, over: Owned, alone: Owned) -> Owned:
    """Owners of any of them."""
    three = (devices, over, alone)
    every = _gathered(joined([one.rows for one in three]), [owner for one in three for owner in one.owners]).owners
    position = {owner: n for n, owner in enumerate(every)}
    spread = (
        rolled_up(one.rows, np.array([position[owner] for owner in one.owners], dtype=np.int64), len(every))
        for one in three
    )
    return Owned(every, hosts_of_a_place(*spread))
