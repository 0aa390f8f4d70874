"""The nodes of an object's I/O path, the busiest of each kind, and the sums of their values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.db.engine import Connection
from gavel.db.queries.hops import (
    DiskFacts,
    PathGroup,
    VolumeFacts,
    disk_arrays,
    disk_facts,
    path_groups,
    volume_facts,
)
from gavel.db.queries.leaves import DiskLeaf, disk_leaves
from gavel.db.queries.ledger import LedgerSeries, ledger
from gavel.db.queries.members import members
from gavel.db.queries.queues import Queue, queues
from gavel.db.queries.refs import refs
from gavel.db.queries.rows import EntityRef, RefKind
from gavel.diagnosis.contributors import leaf_sums
from gavel.diagnosis.window import DiagnosisWindow
from gavel.domain.io_path import Direction
from gavel.domain.scope import ScopeKind, scope_key, scope_of
from gavel.domain.source import Stream

# Of each kind, those with the most I/Os inside; the others are counted.
MOST = 6
# With more devices than this, the paths of one stand together, not adapter by adapter.
_BY_ADAPTER = 2


@dataclass(frozen=True, slots=True)
class Loads:
    """Sums of things over the window, by id; those without a minute in it are absent."""

    series: LedgerSeries
    row: Mapping[int, int]

    @classmethod
    def of(cls, series: LedgerSeries) -> "Loads":
        return cls(series, {scope_of(int(key))[1]: n for n, key in enumerate(series.keys)})

    def busiest(self, ids: Iterable[int]) -> list[int]:
        """The first few by I/Os inside, those without a number last."""
        time = np.nan_to_num(self.series.rows.span_time[:, Direction.ALL]).sum(axis=1)
        return sorted(ids, key=lambda item: (-time[self.row[item]] if item in self.row else 0.0, item))[:MOST]


@dataclass(frozen=True, slots=True)
class HopSelection:
    """The busiest first; `*_total` counts all. `disk_queues` and the like are ids behind ids; `all_disks`: also those not shown."""

    disks: Sequence[DiskLeaf]
    disks_total: int
    vms: Sequence[EntityRef]
    vms_total: int
    disk_facts: Mapping[int, DiskFacts]
    queues: Sequence[Queue]
    queues_total: int
    paths: Sequence[PathGroup]
    volumes: Sequence[EntityRef]
    volumes_total: int
    volume_facts: Mapping[int, VolumeFacts]
    disk_queues: Mapping[int, Sequence[int]]
    queue_volumes: Mapping[int, Sequence[int]]
    disk_volumes: Mapping[int, Sequence[int]]
    disk_arrays: Mapping[int, EntityRef]
    all_disks: Sequence[DiskLeaf]
    of_disks: Loads
    of_shown_disks: Loads
    of_queues: Loads
    of_volumes: Loads
    of_arrays: Loads

    @classmethod
    def read(cls, connection: Connection, kind: RefKind, thing_id: int, window: DiagnosisWindow) -> "HopSelection":
        span = (window.from_at, window.to_at)
        leaves = {leaf.disk.id: leaf for leaf in disk_leaves(connection, kind, thing_id)}
        known_queues = {queue.device.id: queue for queue in queues(connection, kind, thing_id)}
        volume_ids = members(connection, kind, Stream.ARRAY_VOLUME, [thing_id]).get(thing_id, [])
        of_volumes = _in_full(connection, ScopeKind.VOLUME, volume_ids, *span)
        of_disks = _by_layer(connection, ScopeKind.VM_DISK, list(leaves), *span)
        of_queues = _by_layer(connection, ScopeKind.HOST_DEVICE, list(known_queues), *span)
        shown_disks, shown_queues = of_disks.busiest(leaves), of_queues.busiest(known_queues)
        shown_volumes = of_volumes.busiest(volume_ids)
        about = volume_facts(connection, shown_volumes)
        on_nfs = disk_arrays(connection, shown_disks)
        arrays = refs(connection, RefKind.ARRAY, on_nfs.values())
        array_ids = {fact.array.id for fact in about.values()} | set(arrays)
        volume_refs = refs(connection, RefKind.VOLUME, shown_volumes)
        return cls(
            disks=[leaves[one] for one in shown_disks],
            disks_total=len(leaves),
            vms=list(dict.fromkeys(leaves[one].vm for one in shown_disks)),
            vms_total=len({leaf.vm for leaf in leaves.values()}),
            disk_facts=disk_facts(connection, shown_disks),
            queues=[known_queues[one] for one in shown_queues],
            queues_total=len(known_queues),
            paths=_grouped(path_groups(connection, shown_queues, *span), len(shown_queues)),
            volumes=[volume_refs[one] for one in shown_volumes],
            volumes_total=len(volume_ids),
            volume_facts=about,
            disk_queues=members(connection, RefKind.VM_DISK, Stream.HOST_DEVICE, shown_disks),
            queue_volumes=members(connection, RefKind.DEVICE, Stream.ARRAY_VOLUME, shown_queues),
            disk_volumes=members(connection, RefKind.VM_DISK, Stream.ARRAY_VOLUME, shown_disks),
            disk_arrays={disk: arrays[array] for disk, array in on_nfs.items()},
            all_disks=list(leaves.values()),
            of_disks=of_disks,
            of_shown_disks=_in_full(connection, ScopeKind.VM_DISK, shown_disks, *span),
            of_queues=of_queues,
            of_volumes=of_volumes,
            of_arrays=_in_full(connection, ScopeKind.ARRAY, sorted(array_ids), *span),
        )

    def arrays(self) -> list[EntityRef]:
        behind = [self.volume_facts[volume.id].array for volume in self.volumes if volume.id in self.volume_facts]
        return list(dict.fromkeys([*behind, *self.disk_arrays.values()]))

    def volumes_of(self, queue: Queue) -> list[int]:
        """Behind a device; behind a protocol endpoint the vVols of the disks that go through it."""
        own = self.queue_volumes.get(queue.device.id)
        through = [d.disk.id for d in self.disks if queue.device.id in self.disk_queues.get(d.disk.id, ())]
        wanted = own if own is not None else [v for disk in through for v in self.disk_volumes.get(disk, ())]
        return self._shown(wanted)

    def volumes_without_queue(self, leaf: DiskLeaf) -> list[int]:
        """Behind a disk whose devices nobody lists (a vVol without its protocol endpoint)."""
        return [] if self.disk_queues.get(leaf.disk.id) else self._shown(self.disk_volumes.get(leaf.disk.id, ()))

    def _shown(self, volume_ids: Iterable[int]) -> list[int]:
        shown = {volume.id for volume in self.volumes}
        return [volume for volume in dict.fromkeys(volume_ids) if volume in shown]


def _by_layer(connection: Connection, kind: ScopeKind, ids: Sequence[int], from_at: datetime, to_at: datetime) -> Loads:
    return Loads.of(leaf_sums(connection, kind, ids, from_at, to_at))


def _in_full(connection: Connection, kind: ScopeKind, ids: Sequence[int], from_at: datetime, to_at: datetime) -> Loads:
    """With segments, too."""
    return Loads.of(ledger(connection, [scope_key(kind, i) for i in ids], from_at, to_at, None))


def _grouped(groups: Sequence[PathGroup], devices: int) -> Sequence[PathGroup]:
    """Adapter by adapter while there is room, else one group per device."""
    if devices <= _BY_ADAPTER:
        return groups
    by_device: dict[int, list[PathGroup]] = {}
    for group in groups:
        by_device.setdefault(group.device_id, []).append(group)
    return [_together(device, own) for device, own in by_device.items()]


def _together(device: int, groups: Sequence[PathGroup]) -> PathGroup:
    rates = [group.iops for group in groups if group.iops is not None]
    timed = [(group.us, group.iops) for group in groups if group.us is not None and group.iops]
    weight = sum(iops for _, iops in timed)
    return PathGroup(
        device_id=device,
        adapter=" + ".join(sorted({group.adapter for group in groups if group.adapter is not None})) or None,
        paths=sum(group.paths for group in groups),
        working=sum(group.working for group in groups),
        iops=sum(rates) if rates else None,
        us=sum(us * iops for us, iops in timed) / weight if weight > 0 else None,
        precision_us=max((group.precision_us for group in groups if group.precision_us is not None), default=None),
    )
