"""What a what-if starts from: one device queue as it was in a window, who is in it, its settings, and its own history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.queue_model import QueueTimes
from gavel.analysis.queue_response import FittedResponse, fit_response
from gavel.analysis.whatif import Knobs, Load
from gavel.db.engine import Connection
from gavel.db.queries.cause_minutes import cause_minutes
from gavel.db.queries.depths import DeviceQueueSettings, queue_settings
from gavel.db.queries.path_loads import PathLoad, PathTime, path_loads
from gavel.db.queries.queues import Queue, devices_behind, queue_minutes
from gavel.db.queries.refs import EntityRef, RefKind, require
from gavel.db.queries.scopes import ledger_until
from gavel.db.queries.whatif import DeviceStorage, QueueDisk, disks_in_queue, storage_behind
from gavel.db.series import modes
from gavel.domain.controllers import QUEUE_LIMITS
from gavel.domain.errors import GavelError
from gavel.domain.scope import ScopeKind, scope_key
from gavel.findings.minutes import PartMinutes, minutes_at

MINUTE = timedelta(minutes=1)
# A what-if starts from so many minutes, unless a range is given, and fits R(n) through so much history.
WIDTH, HISTORY = 10 * MINUTE, timedelta(hours=24)
# Samples of paths are of five minutes.
_PATH_REACH = timedelta(minutes=20)
_LONGEST = timedelta(days=1)
COMPETING = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US_A_MINUTE, _US_A_SECOND = 60e6, 1e6


class NotPredictableError(GavelError):
    """A what-if has nothing to start from, or its settings contradict each other; says what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueStart:
    """A workload in one device queue over [from_at, to_at). subject: the VM whose I/O it is, or whatever has all I/O of the queue.

    others: VMs in the queue that are not the subject's. is_competing: at least two VMs do I/O there. minutes: that were measured.
    path_share: of I/O on non-optimized paths, None: not measured. fitted: R(n) of its own history;
    history_minutes: of how many. notes: what was not measured or not read, in sentences.
    """

    subject: EntityRef
    queue: Queue
    settings: DeviceQueueSettings
    others: tuple[EntityRef, ...]
    array: EntityRef | None
    load: Load
    knobs: Knobs
    is_competing: bool
    guest_is_measured: bool
    array_is_measured: bool
    path_share: float | None
    fitted: FittedResponse | None
    history_minutes: int
    minutes: int
    from_at: datetime
    to_at: datetime
    notes: tuple[str, ...]


def queues_behind(connection: Connection, kind: RefKind, thing_id: int) -> tuple[EntityRef, tuple[Queue, ...]]:
    """The object and the device queues that its I/O goes through. Raises NotFoundError."""
    subject = require(connection, kind, thing_id)
    if kind is RefKind.DEVICE:
        row = queue_settings(connection, thing_id, _EPOCH, _EPOCH)
        return subject, (Queue(subject, row.host),)
    return subject, devices_behind(connection, kind, thing_id).queues


def load_start(
    connection: Connection,
    kind: RefKind,
    thing_id: int,
    device_id: int | None,
    window: tuple[datetime, datetime] | None,
    now: datetime,
) -> tuple[QueueStart, tuple[Queue, ...]]:
    """The start, and all queues of the object. Without a device: the queue with most I/O. Raises NotFoundError, NotPredictableError."""
    subject, queues = queues_behind(connection, kind, thing_id)
    if not queues:
        raise NotPredictableError(
            f"{subject.name} has no device queue: none of its hosts has a device of it (NFS has none, a VM that is off has none)."
        )
    from_at, to_at = _window(connection, window, now)
    chosen = _chosen(connection, subject, queues, device_id, from_at, to_at)
    return start_of(connection, subject, chosen, from_at, to_at), queues


def _window(
    connection: Connection, window: tuple[datetime, datetime] | None, now: datetime
) -> tuple[datetime, datetime]:
    if window is not None:
        if window[1] - window[0] > _LONGEST:
            raise NotPredictableError(
                "A what-if starts from one day at most: over longer ranges loads and settings mix."
            )
        begin, end = (at - timedelta(seconds=at.second, microseconds=at.microsecond) for at in window)
        return begin, max(end, begin + MINUTE)
    end = ledger_until(connection) or now.replace(second=0, microsecond=0)
    return end - WIDTH, end


def _chosen(
    connection: Connection,
    subject: EntityRef,
    queues: Sequence[Queue],
    device_id: int | None,
    from_at: datetime,
    to_at: datetime,
) -> Queue:
    if device_id is not None:
        found = next((queue for queue in queues if queue.device.id == device_id), None)
        if found is None:
            raise NotPredictableError(f"Device {device_id} carries no I/O of {subject.name}.")
        return found
    minutes = queue_minutes(
        connection, [queue.device.id for queue in queues], from_at, to_at, modes.storage(connection)
    )
    busy = {queue.device.id: float(np.nansum(minutes.ops[minutes.device_id == queue.device.id])) for queue in queues}
    return max(queues, key=lambda queue: (busy[queue.device.id], -queue.device.id))


def start_of(
    connection: Connection, subject: EntityRef, queue: Queue, from_at: datetime, to_at: datetime
) -> QueueStart:
    """Of the VM's part of a queue, or of all of it for every other kind. Raises NotPredictableError."""
    device_id, is_vm = queue.device.id, subject.kind is RefKind.VM
    settings = queue_settings(connection, device_id, from_at, to_at)
    disks = disks_in_queue(connection, device_id, [disk for disk, _ in settings.disks])
    storage = storage_behind(connection, device_id)
    kept = modes.storage(connection)
    parts = _parts(connection, device_id, disks, storage, from_at, to_at, kept)
    active = [one for one in disks if _is_active(parts.disks[one.id])]
    vms = {one.vm for one in active}
    own = [one for one in disks if not is_vm or one.vm.id == subject.id]
    measured = _measured(subject, parts, [parts.disks[one.id] for one in own], is_vm=is_vm)
    paths = _paths(path_loads(connection, [_path_time(device_id, from_at, to_at)]))
    busy = [one for one in own if one in active] or own
    knobs, notes = _knobs(settings, parts.device, busy, is_competing=len(vms) >= COMPETING)
    history = _history(connection, device_id, to_at, kept)
    return QueueStart(
        subject=subject,
        queue=queue,
        settings=settings,
        others=tuple(sorted(vms - {subject}, key=lambda vm: vm.name)) if is_vm else (),
        array=None if storage is None else storage.array,
        load=replace(measured.load, non_optimized_extra_us=paths.extra_us),
        knobs=replace(knobs, non_optimized_share=paths.share or 0.0),
        is_competing=len(vms) >= COMPETING,
        guest_is_measured=measured.guest_is_measured,
        array_is_measured=measured.array_is_measured,
        path_share=paths.share,
        fitted=fit_response(history),
        history_minutes=int(np.isfinite(history).all(axis=1).sum()),
        minutes=measured.minutes,
        from_at=from_at,
        to_at=to_at,
        notes=(*notes, *measured.notes),
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """Minutes of a device, of its disks by id, and of the whole array and the volume behind it."""

    device: PartMinutes
    disks: Mapping[int, PartMinutes]
    array: PartMinutes | None
    volume: PartMinutes | None


def _parts(
    connection: Connection,
    device_id: int,
    disks: Sequence[QueueDisk],
    storage: DeviceStorage | None,
    from_at: datetime,
    to_at: datetime,
    kept: modes.Storage,
) -> _Parts:
    stamps = [from_at + n * MINUTE for n in range((to_at - from_at) // MINUTE)]
    device_key = scope_key(ScopeKind.HOST_DEVICE, device_id)
    disk_keys = {one.id: scope_key(ScopeKind.VM_DISK, one.id) for one in disks}
    array_key = None if storage is None else scope_key(ScopeKind.ARRAY, storage.array.id)
    volume_id = None if storage is None else storage.volume_id
    volume_key = None if volume_id is None else scope_key(ScopeKind.VOLUME, volume_id)
    keys = [one for one in (device_key, *disk_keys.values(), array_key, volume_key) if one is not None]
    rows = cause_minutes(connection, keys, stamps, kept)
    wanted = np.array([(at - _EPOCH) // timedelta(microseconds=1) for at in stamps], dtype=np.int64)

    def of(key: int) -> PartMinutes:
        return minutes_at(key, wanted, rows.keys, rows.starts_us, rows.columns)

    return _Parts(
        device=of(device_key),
        disks={disk_id: of(key) for disk_id, key in disk_keys.items()},
        array=None if array_key is None else of(array_key),
        volume=None if volume_key is None else of(volume_key),
    )


def _is_active(part: PartMinutes) -> bool:
    """Whether a disk did I/O in at least half of the minutes that were measured."""
    ops = part.total("ops")
    measured = ops[np.isfinite(ops)]
    return len(measured) > 0 and 2 * int((measured > 0).sum()) >= len(measured)


def _history(connection: Connection, device_id: int, to_at: datetime, kept: modes.Storage) -> Floats:
    """(m, 2) of the queue's minutes before: I/Os in flight, driver time in µs."""
    minutes = queue_minutes(connection, [device_id], to_at - HISTORY, to_at, kept)
    ops = np.where(minutes.ops > 0, minutes.ops, np.nan)
    return np.stack([minutes.in_flight_ios, minutes.in_flight_ios * _US_A_MINUTE / ops], axis=1)


# --- the load ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Measured:
    load: Load
    guest_is_measured: bool
    array_is_measured: bool
    minutes: int
    notes: tuple[str, ...]


def _measured(subject: EntityRef, parts: _Parts, disks: Sequence[PartMinutes], *, is_vm: bool) -> _Measured:
    """The means of the minutes in which the device was measured. Raises NotPredictableError where there are none with I/O."""
    device = parts.device
    usable = (device.total("ops") > 0) & np.isfinite(device.total("in_flight_time"))
    minutes = int(usable.sum())
    every = float(device.total("ops")[usable].sum())
    of_disks = _sum(disks, "ops", usable)
    own = min(of_disks, every) if is_vm else every
    if minutes == 0 or own <= 0:
        raise NotPredictableError(
            f"Nothing to start from: {subject.name} did no measured I/O through this queue in this time."
        )
    queue, kernel, driver, array = (
        _sum([device], name, usable) / every for name in ("queue_time", "kernel_time", "in_flight_time", "array_time")
    )
    if driver <= 0:
        raise NotPredictableError(
            "Nothing to start from: the time in the driver (DAVG) of this queue was not measured."
        )
    array = min(array, driver)
    hypervisor, guest = (_sum(disks, name, usable) / max(of_disks, 1.0) for name in ("hypervisor_time", "guest_time"))
    # The sum of what nobody measured is 0.
    has_guest = guest > 0
    seconds = 60.0 * minutes
    return _Measured(
        Load(
            iops=own / seconds,
            times=QueueTimes(
                guest_queue=guest,
                hypervisor=hypervisor,
                kernel_queue=queue,
                kernel_processing=max(0.0, kernel - queue),
                san=driver - array if array > 0 else 0.0,
                array=array if array > 0 else driver,
            ),
            neighbor_iops=(every - own) / seconds if is_vm else 0.0,
            array_iops=_array_iops(parts.array, usable),
            at_array=_at_array(parts.volume, usable) if array > 0 else None,
        ),
        has_guest,
        array > 0,
        minutes,
        _gaps(has_guest=has_guest, has_array=array > 0),
    )


def _array_iops(array: PartMinutes | None, usable: Bools) -> float | None:
    if array is None:
        return None
    iops = array.array_iops[usable]
    return float(np.nanmean(iops)) if np.isfinite(iops).any() else None


def _at_array(volume: PartMinutes | None, usable: Bools) -> float | None:
    """I/Os of all hosts on the volume that are in the array, over the minutes in which it was measured."""
    if volume is None:
        return None
    ops = volume.total("ops")[usable]
    per_io = volume.total("array_time")[usable] / np.where(ops > 0, ops, np.nan)
    inside = volume.array_iops[usable] * per_io / _US_A_SECOND
    return float(np.nanmean(inside)) if np.isfinite(inside).any() else None


def _sum(parts: Sequence[PartMinutes], name: str, usable: Bools) -> float:
    return float(sum(np.nansum(part.total(name)[usable]) for part in parts))


def _gaps(*, has_guest: bool, has_array: bool) -> tuple[str, ...]:
    guest = "Guest not measured: outstanding I/O is counted at the virtual disk; more may wait in the guest."
    array = "Array not measured: SAN and array are shown as one part."
    return tuple(text for text, is_there in ((guest, has_guest), (array, has_array)) if not is_there)


@dataclass(frozen=True, slots=True)
class _Paths:
    """share: of the I/O on non-optimized paths, 0 to 1; extra_us: what it takes longer there. None: not measured."""

    share: float | None
    extra_us: float | None


def _path_time(device_id: int, from_at: datetime, to_at: datetime) -> PathTime:
    return PathTime(device_id, device_id, min(from_at, to_at - _PATH_REACH), to_at, None, None)


def _paths(loads: Sequence[PathLoad]) -> _Paths:
    by_kind: dict[bool, tuple[float, float, float]] = {}
    for one in loads:
        if one.is_optimized is None or one.iops is None:
            continue
        iops, timed, took = by_kind.get(one.is_optimized, (0.0, 0.0, 0.0))
        timed_iops = 0.0 if one.us is None else one.iops
        by_kind[one.is_optimized] = (iops + one.iops, timed + timed_iops, took + timed_iops * (one.us or 0.0))
    every = sum(iops for iops, _, _ in by_kind.values())
    if every <= 0:
        return _Paths(None, None)
    share = by_kind.get(False, (0.0, 0.0, 0.0))[0] / every
    means = [
        took / timed for _, timed, took in (by_kind.get(kind, (0.0, 0.0, 0.0)) for kind in (False, True)) if timed > 0
    ]
    return _Paths(share, max(0.0, means[0] - means[1]) if len(means) == len(_KINDS_OF_PATHS) else None)


_KINDS_OF_PATHS = ("non-optimized", "optimized")


# --- settings ---------------------------------------------------------------------------------------------------------


def _knobs(
    settings: DeviceQueueSettings, device: PartMinutes, disks: Sequence[QueueDisk], *, is_competing: bool
) -> tuple[Knobs, tuple[str, ...]]:
    """As they are, and what of them is not known."""
    notes: list[str] = []
    depth: float | None = device.usual_depth
    if depth is None or np.isnan(depth):
        depth = predicted_depth(settings, settings.configured, settings.dsnro, is_competing=is_competing)
    if depth is None:
        notes.append(
            "Device queue depth not read: the queue is taken to have no limit unless its present depth is given."
        )
    limits = [QUEUE_LIMITS.get(one.controller_type) for one in disks]
    queue = min((one for one in limits if one is not None), default=None) if all(limits) else None
    if queue is None:
        notes.append("Virtual disk queue not known for this controller: it is taken to have no limit unless given.")
    is_limit_read = all(one.is_limit_read for one in disks)
    if not is_limit_read:
        notes.append(
            "IOPS limit not known: ranges cover no limit and one that today's IOPS have reached. Enter the limit to narrow them."
        )
    iops_limits = [one.iops_limit for one in disks]
    set_limits = [one for one in iops_limits if one is not None]
    limit = sum(set_limits) / len(disks) if set_limits and len(set_limits) == len(disks) else None
    if set_limits and limit is None:
        notes.append(
            f"{len(set_limits)} of {len(disks)} virtual disks have an IOPS limit: limits of single disks are not modeled here."
        )
    knobs = Knobs(
        virtual_disk_queue=queue,
        device_depth=depth,
        disks=max(1, len(disks)),
        iops_limit=limit,
        is_limit_read=is_limit_read,
    )
    return knobs, tuple(notes)


def predicted_depth(
    settings: DeviceQueueSettings, configured: int | None, dsnro: int | None, *, is_competing: bool
) -> float | None:
    """The effective depth that these settings give; None where one that matters is not known."""
    if settings.is_nvme or not is_competing:
        return None if configured is None else float(configured)
    return None if configured is None or dsnro is None else float(min(configured, dsnro))
