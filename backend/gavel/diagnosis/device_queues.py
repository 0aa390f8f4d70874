"""How full the device queues behind a thing are in a window, and in which of them its I/Os wait."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.diagnosis import QUEUE_FULL
from gavel.analysis.intervals import Bools
from gavel.analysis.ledger import KERNEL
from gavel.db.engine import Connection
from gavel.db.queries.ledger import LedgerSeries
from gavel.db.queries.ledger_pieces import MINUTE
from gavel.db.queries.queues import DevicesBehind, Queue, QueueMinutes, queue_minutes
from gavel.db.queries.refs import EntityRef
from gavel.db.series.modes import Storage
from gavel.diagnosis.breakdown import are_coarse
from gavel.diagnosis.sentences import FullestMinute
from gavel.domain.io_path import Direction

# Rows of devices that are looked through for one queue.
_MOST_ROWS = 20_000
# Of the kernel's time, for a queue to be spoken of as the one where it is spent.
_LEAST_PART = 0.25


@dataclass(frozen=True, slots=True)
class DeviceQueues:
    """The device queues of a thing by device, and their minutes in a window; none where there are too many to look through."""

    known: Mapping[int, Queue]
    minutes: QueueMinutes | None


def device_queues(
    connection: Connection, devices: DevicesBehind, whole: LedgerSeries, storage: Storage
) -> DeviceQueues:
    """Over the window of `whole`."""
    known = {queue.device.id: queue for queue in devices.queues}
    if not known or len(known) * ((whole.to_at - whole.from_at) / MINUTE) > _MOST_ROWS:
        return DeviceQueues({}, None)
    return DeviceQueues(known, queue_minutes(connection, list(known), whole.from_at, whole.to_at, storage))


def named_queue(queues: DeviceQueues, whole: LedgerSeries, *, waits: bool) -> EntityRef | None:
    """Where I/Os wait in the kernel (`waits`): the device in whose queue most of that is; else one whose queue is full. None where there
    is none, and where the kernel's time is in none of the queues.

    whole: the thing's one row over the window.
    """
    if queues.minutes is None:
        return None
    loads = _loads(queues.minutes)
    device_id = _waiting_one(loads, whole) if waits else _full_one(loads)
    return None if device_id is None else queues.known[device_id].device


def fullest_minute(queues: DeviceQueues, whole: LedgerSeries, owner: EntityRef | None) -> FullestMinute | None:
    """The minute of the window in which one queue behind the thing came nearest to its depth; None where that is not known.

    One queue in one minute, for depths add up to a queue that nobody has, and they change. owner: the host or device that is looked at.
    """
    if queues.minutes is None:
        return None
    minutes = queues.minutes
    own = [owner is None or owner in (queues.known[one].device, queues.known[one].host) for one in minutes.device_id]
    usable = np.flatnonzero(np.array(own, dtype=np.bool_) & (minutes.depth > 0) & ~np.isnan(minutes.in_flight_ios))
    if len(usable) == 0:
        return None
    row = usable[np.argmax(minutes.in_flight_ios[usable] / minutes.depth[usable])]
    queue, waiting = queues.known[int(minutes.device_id[row])], float(minutes.waiting_ios[row])
    is_coarse = bool(are_coarse(whole.notes.quality_reasons)[0])
    return FullestMinute(
        host=queue.host.name,
        in_flight_ios=float(minutes.in_flight_ios[row]),
        depth=float(minutes.depth[row]),
        waiting_ios=None if is_coarse or np.isnan(waiting) else waiting,
    )


@dataclass(frozen=True, slots=True)
class QueueDepths:
    """Effective depths (DQLEN) of the device queues in use, the largest of the window each; never added up. `hosts`: of the `queues`."""

    lowest: float
    highest: float
    queues: int
    hosts: int


def queue_depths(queues: DeviceQueues) -> QueueDepths | None:
    """None where no depth is known, or there are too many queues to look through."""
    if queues.minutes is None:
        return None
    minutes = queues.minutes
    in_use = np.flatnonzero((minutes.depth > 0) & (minutes.ops > 0))
    if len(in_use) == 0:
        return None
    found: dict[int, float] = {}
    for device, depth in zip(minutes.device_id[in_use].tolist(), minutes.depth[in_use].tolist(), strict=True):
        found[device] = max(depth, found.get(device, 0.0))
    hosts = {queues.known[device].host.id for device in found}
    return QueueDepths(min(found.values()), max(found.values()), len(found), len(hosts))


@dataclass(frozen=True, slots=True)
class _Load:
    """A queue over the whole window. kernel_us, fill (I/Os in flight ÷ depth): None where not measured."""

    device_id: int
    kernel_us: float | None
    fill: float | None
    ops: float


def _loads(minutes: QueueMinutes) -> list[_Load]:
    """In order of id."""
    return [_load(device, minutes, minutes.device_id == device) for device in np.unique(minutes.device_id).tolist()]


def _load(device_id: int, minutes: QueueMinutes, own: Bools) -> _Load:
    kernel_us, in_flight, depth = (
        one[own][~np.isnan(one[own])] for one in (minutes.kernel_us, minutes.in_flight_ios, minutes.depth)
    )
    is_known = len(in_flight) > 0 and len(depth) > 0 and depth.max() > 0
    return _Load(
        device_id,
        float(kernel_us.sum()) if len(kernel_us) else None,
        float(in_flight.mean() / depth.max()) if is_known else None,
        float(minutes.ops[own].sum()),
    )


def _waiting_one(loads: Sequence[_Load], whole: LedgerSeries) -> int | None:
    """Where most of the wait is; where nobody could tell, the fullest.

    A queue with little of the kernel's time explains nothing of it, unless it is full: counters in whole ms see no time in it.
    """
    used = [one for one in loads if one.ops > 0]
    if not used:
        return None
    busiest = max(used, key=lambda load: (_or_least(load.kernel_us), _or_least(load.fill)))
    all_of_it = float(whole.rows.span_time[0, Direction.ALL, KERNEL])
    explains = not all_of_it > 0 or (busiest.kernel_us or 0.0) >= _LEAST_PART * all_of_it
    return busiest.device_id if explains else _full_one(loads)


def _or_least(number: float | None) -> float:
    return -np.inf if number is None else number


def _full_one(loads: Sequence[_Load]) -> int | None:
    """The fullest, where that is full."""
    fullest = max(loads, key=lambda load: _or_least(load.fill), default=None)
    return None if fullest is None or not _or_least(fullest.fill) >= QUEUE_FULL else fullest.device_id
