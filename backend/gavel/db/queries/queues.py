"""How full the device queues behind a thing are: I/Os in flight and waiting at each device of a host, against the depth in force."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt
from sqlalchemy import text

from gavel.db.copying import fetch
from gavel.db.engine import Connection
from gavel.db.queries.members import DEVICES_OF_A_VM, MEMBERS
from gavel.db.queries.rows import EntityRef, RefKind
from gavel.db.series import ledger_columns, modes
from gavel.db.series.catalog import EPOCH, LEDGER_LEAVES
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind, scope_key, scope_of
from gavel.domain.source import Stream

Floats = npt.NDArray[np.float64]
# Below the kernel, and runs of layers in which nobody timed where the kernel ends.
_BELOW = [f"all_{name}_time" for (first, _), name in ledger_columns.SPAN_NAMES.items() if first >= Layer.SAN]
_UNSPLIT = [
    f"all_{name}_time" for (first, last), name in ledger_columns.SPAN_NAMES.items() if first <= Layer.KERNEL < last
]
_IDLE = "WHEN coalesce(read_ops, write_ops) IS NOT NULL AND coalesce(read_ops, 0) + coalesce(write_ops, 0) = 0 THEN 0"
IN_FLIGHT = (
    f"CASE {_IDLE} WHEN num_nonnulls({', '.join(_UNSPLIT)}) = 0 AND num_nonnulls({', '.join(_BELOW)}) > 0"
    f" THEN {' + '.join(f'coalesce({name}, 0)' for name in _BELOW)} END"
)
_WAITING = (
    f"CASE {_IDLE} WHEN num_nonnulls(read_kernel_queue_time, write_kernel_queue_time) > 0"
    " THEN coalesce(read_kernel_queue_time, 0) + coalesce(write_kernel_queue_time, 0) END"
)
_MICROSECONDS_A_MINUTE = 60e6


@dataclass(frozen=True, slots=True)
class Queue:
    """A device as one host sees it, with a queue of its own."""

    device: EntityRef
    host: EntityRef


@dataclass(frozen=True, slots=True)
class Fullest:
    """The fullest queue of each bucket, in order of time; buckets in which no depth or no time is known are left out.

    starts_us: (n,) µs since 1970; device_id: (n,); in_flight_ios, waiting_ios: (n,) means of the bucket; depth: (n,) its largest.
    """

    starts_us: npt.NDArray[np.int64]
    device_id: npt.NDArray[np.int64]
    in_flight_ios: Floats
    waiting_ios: Floats
    depth: Floats


def queues(connection: Connection, kind: RefKind, thing_id: int) -> Sequence[Queue]:
    """In order of id; protocol endpoints are among them, for vVols wait in their queues. None for a kind that has no devices."""
    if (kind, Stream.HOST_DEVICE) not in MEMBERS:
        return ()
    members = (
        DEVICES_OF_A_VM
        if kind is RefKind.VM
        else f"SELECT DISTINCT entity_id FROM ({MEMBERS[kind, Stream.HOST_DEVICE]}) m WHERE subject_id = :id"
    )
    rows = connection.execute(
        text(
            "SELECT d.id, d.canonical_name, h.id AS host_id, h.name AS host_name FROM"
            f" ({members}) e JOIN host_device d ON d.id = e.entity_id JOIN esxi_host h ON h.id = d.host_id ORDER BY d.id"
        ),
        {"id": thing_id},
    )
    return [
        Queue(
            EntityRef(RefKind.DEVICE, row.id, row.canonical_name), EntityRef(RefKind.HOST, row.host_id, row.host_name)
        )
        for row in rows
    ]


def depths_in_use(
    connection: Connection, device_ids: Sequence[int], from_at: datetime, to_at: datetime
) -> Mapping[int, float]:
    """By device, of those that did I/O in [from_at, to_at) and whose depth is known: the largest of these minutes."""
    rows = connection.execute(
        text(
            f"SELECT entity_id, max(queue_depth) AS depth FROM {LEDGER_LEAVES.name}"
            " WHERE entity_id = ANY(CAST(:keys AS int[])) AND ts >= :lo AND ts < :hi AND queue_depth > 0"
            " AND coalesce(read_ops, 0) + coalesce(write_ops, 0) > 0 GROUP BY entity_id"
        ),
        {"keys": [scope_key(ScopeKind.HOST_DEVICE, device) for device in device_ids], "lo": from_at, "hi": to_at},
    )
    return {scope_of(row.entity_id)[1]: float(row.depth) for row in rows}


def kept_since(connection: Connection) -> datetime:
    """From when on minutes of single devices are kept."""
    keep = LEDGER_LEAVES.keep[modes.stored(connection)]
    since: datetime = connection.execute(text("SELECT now() - :keep"), {"keep": keep}).scalar_one()
    return since


def fullest(
    connection: Connection, device_ids: Sequence[int], from_at: datetime, to_at: datetime, step: timedelta | None
) -> Fullest:
    """Of these devices in each bucket of [from_at, to_at), from the minutes of the ledger that retention has left of them.

    Without a step, the whole range is one bucket.
    """
    bucket = "CAST(:lo AS timestamptz)" if step is None else "date_bin(:step, ts, :epoch)"
    query = f"""
        SELECT DISTINCT ON (b) b, entity_id, in_flight_ios, waiting_ios, depth FROM (
            SELECT entity_id, {bucket} AS b, max(queue_depth) AS depth,
                avg(({IN_FLIGHT})::float8) / :minute AS in_flight_ios, avg(({_WAITING})::float8) / :minute AS waiting_ios
            FROM {LEDGER_LEAVES.name} WHERE entity_id = ANY(CAST(:keys AS int[])) AND ts >= :lo AND ts < :hi GROUP BY 1, 2
        ) q WHERE depth > 0 AND in_flight_ios IS NOT NULL ORDER BY b, in_flight_ios / depth DESC, entity_id
    """
    parameters = {
        "keys": [scope_key(ScopeKind.HOST_DEVICE, device) for device in device_ids],
        "step": step,
        "epoch": EPOCH,
        "lo": from_at,
        "hi": to_at,
        "minute": _MICROSECONDS_A_MINUTE,
    }
    found = fetch(
        connection,
        query,
        parameters,
        {"b": "us", "entity_id": "i8", "in_flight_ios": "f8", "waiting_ios": "f8", "depth": "f8"},
    )
    devices = np.array([scope_of(int(key))[1] for key in found["entity_id"]], dtype=np.int64)
    return Fullest(found["b"], devices, found["in_flight_ios"], found["waiting_ios"], found["depth"])
