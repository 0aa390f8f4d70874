"""How many I/Os a thing has outstanding, where they wait, and what the queues of its devices hold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.db.engine import Connection
from gavel.db.queries.ledger import LedgerSeries
from gavel.db.queries.ledger_pieces import MINUTE
from gavel.db.queries.queues import Fullest, Queue, fullest, kept_since
from gavel.db.series.modes import Storage
from gavel.domain.io_path import SPANS, Direction, Layer, Segment

# Minutes of devices that are looked through for the fullest queue in one answer.
_MOST_ROWS = 50_000
# So much of the operations has to have been timed for a number to speak for all of them.
_MEASURED = 0.95
_BELOW = [span for span, (first, _) in enumerate(SPANS) if first >= Layer.SAN]
_FROM_DRIVER = [span for span, (first, _) in enumerate(SPANS) if first is Layer.SAN]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueNumbers:
    """(n,) means over the time of each row, reads and writes together; NaN where not measured.

    outstanding_ios: in the virtual disks, as they counted. in_flight_ios: below the kernel, which is what fills the devices' queues.
    waiting_ios: in the kernel, for room in one of them. depth: as stored, of one queue its
    own; over several it is a sum, which is shown nowhere.
    """

    outstanding_ios: Floats
    in_flight_ios: Floats
    waiting_ios: Floats
    depth: Floats


@dataclass(frozen=True, slots=True)
class FullestQueue:
    queues: tuple[Queue, ...]
    numbers: Fullest


def queue_numbers(series: LedgerSeries) -> QueueNumbers:
    """Of every sum, from its I/O-time (Little's law)."""
    rows, wall_s, whole = series.rows, series.wall_s, series.rows.ops[:, Direction.ALL]
    below, from_driver = rows.span_time[:, Direction.ALL, _BELOW], rows.span_ops[:, Direction.ALL, _FROM_DRIVER]
    queue = Segment.KERNEL_QUEUE
    return QueueNumbers(
        outstanding_ios=series.outstanding_ios,
        in_flight_ios=_ios(below.sum(axis=1), from_driver.sum(axis=1), whole, wall_s),
        waiting_ios=_ios(
            rows.segment_time[:, Direction.ALL, queue], rows.segment_ops[:, Direction.ALL, queue], whole, wall_s
        ),
        depth=series.notes.queue_depth,
    )


def _ios(time: Floats, ops: Floats, whole: Floats, wall_s: Floats) -> Floats:
    """None are inside what is idle; NaN where too much of it was not timed."""
    ios: Floats = np.where(ops >= _MEASURED * whole, time / (wall_s * 1e6), np.nan)
    return ios


def fullest_queue(
    connection: Connection, queues: Sequence[Queue], series: LedgerSeries, storage: Storage
) -> FullestQueue | None:
    """Of a thing's queues, in the buckets of `series`; None where there are none, or too many for the range, or most of it has no such
    minutes left.
    """
    since = max(series.from_at, kept_since(storage))
    if series.to_at - since < (series.to_at - series.from_at) / 2:
        return None
    if not queues or len(queues) * ((series.to_at - since) / MINUTE) > _MOST_ROWS:
        return None
    ids = [queue.device.id for queue in queues]
    return FullestQueue(tuple(queues), fullest(connection, ids, series.from_at, series.to_at, series.step, storage))
