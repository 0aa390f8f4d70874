"""Evidence of the newest minutes: the few objects that may have a finding, with their minutes."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from gavel.db.engine import Connection
from gavel.db.queries import finding_inventory as inventory
from gavel.db.queries import finding_loads as loads
from gavel.db.queries.cause_minutes import CauseMinutes, cause_minutes
from gavel.db.queries.causes import ObjectTime, queue_issuers
from gavel.db.queries.finding_loads import LoadWindow
from gavel.db.series.modes import storage
from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.samples import Int64Array
from gavel.domain.scope import ScopeKind, scope_key
from gavel.findings import binding
from gavel.findings.assemble import host_setting
from gavel.findings.evidence import BusyDisk, FullQueue, HostPathUse, LimitedRate, PathUse, QueueShare, VolumeMatch
from gavel.findings.evidence_rows import DeviceFacts, PathUseRow
from gavel.findings.minutes import PartMinutes, minutes_at, sum_of_minutes
from gavel.findings.model import ObjectRef
from gavel.findings.rules.unmonitored_initiators import MATCH_MINUTES, MATCH_WINDOW

MINUTE = timedelta(minutes=1)
# Samples of paths are of five minutes.
PATH_WINDOW = timedelta(minutes=20)
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True)
class EvidenceWindow:
    """Minutes [from_at, to_at) of the ledger; now: of the evaluation."""

    from_at: datetime
    to_at: datetime
    now: datetime

    @property
    def stamps(self) -> list[datetime]:
        return [self.from_at + n * MINUTE for n in range((self.to_at - self.from_at) // MINUTE)]

    @property
    def narrowed(self) -> LoadWindow:
        return LoadWindow(self.from_at, self.to_at, math.ceil(binding.BINDING_SHARE * len(self.stamps)))


def limited_rates(connection: Connection, window: EvidenceWindow) -> Iterator[LimitedRate]:
    """Volume groups, virtual disks, then volumes."""
    yield from _limited_groups(connection, window)
    disks = loads.disks_at_limit(
        connection, window.narrowed, used=binding.LIMIT_USED, unit=float(binding.COST_UNIT_BYTES)
    )
    of = _minutes_of(connection, ScopeKind.VM_DISK, [one.disk.id for one in disks], window)
    for disk in disks:
        yield LimitedRate(
            source_id=disk.source_id,
            object=disk.disk,
            owner=disk.vm,
            iops_limit=disk.iops_limit,
            bytes_per_s_limit=None,
            minutes=of(disk.disk.id),
            from_at=window.from_at,
            to_at=window.to_at,
        )
    volumes = loads.volumes_at_limit(connection, window.narrowed, wait_us=binding.LEAST_QOS_US)
    of = _minutes_of(connection, ScopeKind.VOLUME, [one.volume.id for one in volumes], window)
    for volume in volumes:
        yield LimitedRate(
            source_id=volume.source_id,
            object=volume.volume,
            owner=volume.array,
            iops_limit=volume.iops_limit,
            bytes_per_s_limit=volume.bytes_per_s_limit,
            minutes=of(volume.volume.id),
            from_at=window.from_at,
            to_at=window.to_at,
        )


def _limited_groups(connection: Connection, window: EvidenceWindow) -> Iterator[LimitedRate]:
    groups = loads.groups_at_limit(connection, window.narrowed, wait_us=binding.LEAST_QOS_US)
    of = _minutes_of(connection, ScopeKind.VOLUME, [volume.id for one in groups for volume in one.volumes], window)
    for group in groups:
        yield LimitedRate(
            source_id=group.source_id,
            object=group.array,
            owner=group.array,
            iops_limit=group.iops_limit,
            bytes_per_s_limit=group.bytes_per_s_limit,
            minutes=sum_of_minutes([of(volume.id) for volume in group.volumes]),
            from_at=window.from_at,
            to_at=window.to_at,
            group=group.name,
            volumes=group.volumes,
        )


def busy_disks(connection: Connection, window: EvidenceWindow) -> Iterator[BusyDisk]:
    disks = loads.busy_disks(
        connection,
        window.narrowed,
        controllers=list(QUEUE_LIMITS),
        outstanding=float(binding.BUSY_LSI),
        snapshots=binding.LONG_CHAIN,
        wait_us=binding.LEAST_HYPERVISOR_US,
    )
    of = _minutes_of(connection, ScopeKind.VM_DISK, [one.disk.id for one in disks], window)
    for disk in disks:
        yield BusyDisk(
            source_id=disk.source_id,
            disk=disk.disk,
            vm=disk.vm,
            host=disk.host,
            datastore=disk.datastore,
            controller_type=disk.controller_type,
            iops_limit=disk.iops_limit,
            snapshot_depth=disk.snapshot_depth,
            minutes=of(disk.disk.id),
            from_at=window.from_at,
            to_at=window.to_at,
        )


def full_queues(connection: Connection, window: EvidenceWindow) -> Iterator[FullQueue]:
    queues = loads.full_queues(connection, window.narrowed, used=binding.DEVICE_QUEUE_USED)
    if not queues:
        return
    names = sorted({(one.source_id, one.canonical_name) for one in queues})
    sharing: Mapping[tuple[int, str], list[DeviceFacts]] = defaultdict(list)
    for device in inventory.devices_named(connection, names):
        sharing[device.source_id, device.canonical_name].append(device)
    owners = inventory.device_owners(connection, names)
    times = [(ObjectTime(one.device_id, window.from_at, window.to_at), one.device_id) for one in queues]
    issuers: Mapping[int, list[QueueShare]] = defaultdict(list)
    of = _minutes_of(connection, ScopeKind.HOST_DEVICE, [one.device_id for one in queues], window)
    whole = {one.device_id: float(np.nansum(of(one.device_id).total("ops"))) for one in queues}
    for issuer in queue_issuers(connection, times, storage(connection)):
        ops = whole[issuer.device_id]
        share = min(issuer.ops / ops, 1.0) if ops > 0 else 0.0
        vm = ObjectRef("vm", issuer.vm.id, issuer.vm.name)
        issuers[issuer.device_id].append(QueueShare(vm, share, issuer.minutes))
    for queue in queues:
        hosts = sharing[queue.source_id, queue.canonical_name]
        own = next((device for device in hosts if device.id == queue.device_id), None)
        if own is None:  # of a host that is not connected now
            continue
        owner = owners.get((queue.source_id, queue.canonical_name))
        yield FullQueue(
            source_id=queue.source_id,
            device=ObjectRef("device", queue.device_id, queue.canonical_name),
            host=own.host,
            carried=None if owner is None else owner.object,
            canonical_name=queue.canonical_name,
            configured=own.queue_depth,
            dsnro=own.dsnro,
            is_nvme=queue.is_nvme,
            hosts=tuple(host_setting(device) for device in hosts),
            issuers=tuple(issuers[queue.device_id]),
            minutes=of(queue.device_id),
            from_at=window.from_at,
            to_at=window.to_at,
        )


def volume_matches(connection: Connection, window: EvidenceWindow) -> Sequence[VolumeMatch]:
    hour = LoadWindow(window.to_at - MATCH_WINDOW, window.to_at, MATCH_MINUTES)
    return loads.unmatched_volumes(connection, hour, match=binding.LEAST_MATCH)


def path_uses(connection: Connection, window: EvidenceWindow) -> Iterator[PathUse]:
    """By datastore, volume or device, with all hosts that have both kinds of paths."""
    from_at = window.to_at - PATH_WINDOW
    rows = loads.path_use(connection, from_at, window.to_at)
    if not rows:
        return
    by_name: Mapping[tuple[int, str], list[PathUseRow]] = defaultdict(list)
    for row in rows:
        by_name[row.source_id, row.canonical_name].append(row)
    owners = inventory.device_owners(connection, sorted(by_name))
    for (source_id, name), own in by_name.items():
        owner = owners.get((source_id, name))
        yield PathUse(
            source_id=source_id,
            object=ObjectRef("device", own[0].device_id, name) if owner is None else owner.object,
            canonical_name=name,
            hosts=tuple(
                HostPathUse(row.host, row.optimized_paths, row.iops, row.non_optimized_iops, row.path_policy)
                for row in own
            ),
            from_at=from_at,
            to_at=window.to_at,
        )


def microseconds(at: datetime) -> int:
    """Since 1970."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def _minutes_of(
    connection: Connection, kind: ScopeKind, ids: Sequence[int], window: EvidenceWindow
) -> Callable[[int], PartMinutes]:
    """By id; NaN for minutes without a row."""
    rows: CauseMinutes = cause_minutes(
        connection, [scope_key(kind, one) for one in ids], window.stamps, storage(connection)
    )
    wanted: Int64Array = np.array([microseconds(at) for at in window.stamps], dtype=np.int64)
    return lambda thing_id: minutes_at(scope_key(kind, thing_id), wanted, rows.keys, rows.starts_us, rows.columns)
