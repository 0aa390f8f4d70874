"""The nodes of an object's I/O path, the busiest of each kind, and the sums of their values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.db.engine import Connection
from gavel.db.queries.hops import (
    DiskFacts,
    HopPairs,
    PathGroup,
    VolumeFacts,
    disk_facts,
    hop_pairs,
    path_groups,
    volume_facts,
)
from gavel.db.queries.leaves import DiskLeaf, disk_leaves
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.db.queries.queues import Queue, queues
from gavel.db.queries.refs import EntityRef
from gavel.diagnosis.window import WindowSum
from gavel.domain.io_path import Direction
from gavel.domain.scope import ScopeKind, scope_key, scope_of

# Of each kind, those with the most I/Os inside; the others are counted.
MOST = 6
# With more devices than this, the paths of one stand together, not adapter by adapter.
_BY_ADAPTER = 2


@dataclass(frozen=True, slots=True)
class Loads:
    """Sums of things of one kind over the window; row: by id. Those without a minute in it are absent."""

    series: LedgerSeries
    row: Mapping[int, int]

    @classmethod
    def of(cls, series: LedgerSeries, kind: ScopeKind) -> "Loads":
        scopes = (scope_of(int(key)) for key in series.keys)
        return cls(series, {thing_id: n for n, (of, thing_id) in enumerate(scopes) if of is kind})

    def busiest(self, ids: Iterable[int]) -> list[int]:
        """The first few by I/Os inside, those without a number last."""
        time = np.nan_to_num(self.series.rows.span_time[:, Direction.ALL]).sum(axis=1)
        return sorted(ids, key=lambda item: (-time[self.row[item]] if item in self.row else 0.0, item))[:MOST]


@dataclass(frozen=True, slots=True, kw_only=True)
class HopSelection:
    """The busiest first; `*_total` counts all. volume_facts: of all volumes; `all_disks`: also those not shown."""

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
    pairs: HopPairs
    all_disks: Sequence[DiskLeaf]
    of_disks: Loads
    of_shown_disks: Loads
    of_queues: Loads
    of_volumes: Loads
    of_arrays: Loads

    @classmethod
    def load(cls, connection: Connection, whole: WindowSum) -> "HopSelection":
        window, kind = whole.window, whole.kind
        thing_id, span = window.subject.id, (window.from_at, window.to_at)
        leaves = {leaf.disk.id: leaf for leaf in disk_leaves(connection, kind, thing_id)}
        devices = {queue.device.id: queue for queue in queues(connection, kind, thing_id)}
        facts = volume_facts(connection, kind, thing_id)
        of_leaves = _sums(connection, whole, {ScopeKind.VM_DISK: leaves, ScopeKind.HOST_DEVICE: devices}, Detail.LAYERS)
        of_disks, of_queues = of_leaves[ScopeKind.VM_DISK], of_leaves[ScopeKind.HOST_DEVICE]
        shown_disks, shown_queues = of_disks.busiest(leaves), of_queues.busiest(devices)
        about_disks = disk_facts(connection, shown_disks)
        behind = {fact.array for fact in facts.values()} | {fact.array for fact in about_disks.values()}
        arrays = sorted(array.id for array in behind if array is not None)
        below = _sums(connection, whole, {ScopeKind.VOLUME: facts, ScopeKind.ARRAY: arrays})
        of_volumes = below[ScopeKind.VOLUME]
        return cls(
            disks=[leaves[disk] for disk in shown_disks],
            disks_total=len(leaves),
            vms=list(dict.fromkeys(leaves[disk].vm for disk in shown_disks)),
            vms_total=len({leaf.vm for leaf in leaves.values()}),
            disk_facts=about_disks,
            queues=[devices[device] for device in shown_queues],
            queues_total=len(devices),
            paths=_grouped(path_groups(connection, shown_queues, *span), len(shown_queues)),
            volumes=[facts[volume].volume for volume in of_volumes.busiest(facts)],
            volumes_total=len(facts),
            volume_facts=facts,
            pairs=hop_pairs(connection, shown_disks, shown_queues),
            all_disks=list(leaves.values()),
            of_disks=of_disks,
            of_shown_disks=_sums(connection, whole, {ScopeKind.VM_DISK: shown_disks})[ScopeKind.VM_DISK],
            of_queues=of_queues,
            of_volumes=of_volumes,
            of_arrays=below[ScopeKind.ARRAY],
        )

    def arrays(self) -> list[EntityRef]:
        behind = (self.volume_facts[volume.id].array for volume in self.volumes)
        on_nfs = (self.disk_facts[leaf.disk.id].array for leaf in self.disks)
        return list(dict.fromkeys(array for array in (*behind, *on_nfs) if array is not None))

    def volumes_of(self, queue: Queue) -> list[int]:
        """Behind a device; behind a protocol endpoint the vVols of the disks that go through it."""
        own = self.pairs.queue_volumes.get(queue.device.id)
        through = [d.disk.id for d in self.disks if queue.device.id in self.pairs.disk_queues.get(d.disk.id, ())]
        wanted = own if own is not None else [v for disk in through for v in self.pairs.disk_volumes.get(disk, ())]
        return self._shown(wanted)

    def volumes_without_queue(self, leaf: DiskLeaf) -> list[int]:
        """Behind a disk whose devices nobody lists (a vVol without its protocol endpoint)."""
        return (
            []
            if self.pairs.disk_queues.get(leaf.disk.id)
            else self._shown(self.pairs.disk_volumes.get(leaf.disk.id, ()))
        )

    def _shown(self, volume_ids: Iterable[int]) -> list[int]:
        shown = {volume.id for volume in self.volumes}
        return [volume for volume in dict.fromkeys(volume_ids) if volume in shown]


def _sums(
    connection: Connection,
    whole: WindowSum,
    ids: Mapping[ScopeKind, Iterable[int]],
    detail: Detail = Detail.EVERYTHING,
) -> Mapping[ScopeKind, Loads]:
    """Of things by kind, in one question: leaves, or what they add up to."""
    keys = [scope_key(kind, thing_id) for kind, of_kind in ids.items() for thing_id in of_kind]
    window = whole.window
    series = ledger(connection, keys, window.from_at, window.to_at, None, detail, storage=whole.storage)
    return {kind: Loads.of(series, kind) for kind in ids}


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
