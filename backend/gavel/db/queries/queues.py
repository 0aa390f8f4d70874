"""How full the device queues behind a thing are: I/Os in flight and waiting at each device of a host, against the depth in force."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt
from sqlalchemy import text

from gavel.db.copying import fetch, int_array
from gavel.db.engine import Connection
from gavel.db.queries.members import DEVICES_OF_A_VM, MEMBERS
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import ledger_columns, modes, packed
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
    """A device as one host sees it: each host has a queue of its own for it."""

    device: EntityRef
    host: EntityRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Fullest:
    """The fullest queue of each bucket, in order of time; buckets in which no depth or no time is known are left out.

    starts_us: (n,) µs since 1970; device_id: (n,); in_flight_ios, waiting_ios: (n,) means of the bucket; depth: (n,) its largest.
    """

    starts_us: npt.NDArray[np.int64]
    device_id: npt.NDArray[np.int64]
    in_flight_ios: Floats
    waiting_ios: Floats
    depth: Floats


@dataclass(frozen=True, slots=True)
class DevicesBehind:
    """The devices of a thing, in order of id. endpoints: those that carry vVols, whose I/Os also are of other things."""

    kind: RefKind
    queues: tuple[Queue, ...]
    endpoints: frozenset[int]

    @property
    def leaves(self) -> tuple[Queue, ...]:
        """Those whose I/Os are the thing's: protocol endpoints belong to a host only, and a VM is measured by its disks."""
        if self.kind is RefKind.VM:
            return ()
        is_host = self.kind is RefKind.HOST
        return tuple(queue for queue in self.queues if is_host or queue.device.id not in self.endpoints)


def devices_behind(connection: Connection, kind: RefKind, thing_id: int) -> DevicesBehind:
    """None for a kind that has no devices."""
    if (kind, Stream.HOST_DEVICE) not in MEMBERS:
        return DevicesBehind(kind, (), frozenset())
    members = (
        DEVICES_OF_A_VM
        if kind is RefKind.VM
        else f"SELECT DISTINCT entity_id FROM ({MEMBERS[kind, Stream.HOST_DEVICE]}) m WHERE subject_id = :id"
    )
    rows = connection.execute(
        text(
            "SELECT d.id, d.canonical_name, h.id AS host_id, h.name AS host_name,"
            " EXISTS (SELECT FROM volume v WHERE v.serial = d.volume_serial AND v.is_protocol_endpoint) AS is_endpoint"
            f" FROM ({members}) e JOIN host_device d ON d.id = e.entity_id JOIN esxi_host h ON h.id = d.host_id ORDER BY d.id"
        ),
        {"id": thing_id},
    ).all()
    found = (
        Queue(
            EntityRef(RefKind.DEVICE, row.id, row.canonical_name), EntityRef(RefKind.HOST, row.host_id, row.host_name)
        )
        for row in rows
    )
    return DevicesBehind(kind, tuple(found), frozenset(row.id for row in rows if row.is_endpoint))


def queues(connection: Connection, kind: RefKind, thing_id: int) -> tuple[Queue, ...]:
    """In order of id; protocol endpoints are among them, for vVols wait in their queues."""
    return devices_behind(connection, kind, thing_id).queues


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueMinutes:
    """n minutes of devices, by time, then by device; those that are not in the ledger are left out.

    starts_us: (n,) µs since 1970; device_id: (n,); depth: (n,) in force; in_flight_ios, waiting_ios: (n,) means of the minute; kernel_us:
    (n,) I/O-time in the kernel; ops: (n,). NaN where not measured.
    """

    starts_us: npt.NDArray[np.int64]
    device_id: npt.NDArray[np.int64]
    depth: Floats
    in_flight_ios: Floats
    waiting_ios: Floats
    kernel_us: Floats
    ops: Floats


_MINUTES = packed.rows(
    LEDGER_LEAVES,
    packed.named_in(LEDGER_LEAVES, IN_FLIGHT, _WAITING, "queue_depth all_kernel_time read_ops write_ops"),
    of=packed.of_any("CAST(:keys AS int[])"),
)


_QUEUE_MINUTES = f"""
    SELECT ts, entity_id, queue_depth AS depth, ({IN_FLIGHT})::float8 / :minute AS in_flight_ios,
        ({_WAITING})::float8 / :minute AS waiting_ios, all_kernel_time AS kernel_us,
        coalesce(read_ops, 0) + coalesce(write_ops, 0) AS ops
    FROM {_MINUTES} m WHERE ts < :hi ORDER BY ts, entity_id
"""


def queue_minutes(
    connection: Connection, device_ids: Sequence[int], from_at: datetime, to_at: datetime, storage: modes.Storage
) -> QueueMinutes:
    """Of these devices in [from_at, to_at)."""
    found = fetch(
        connection,
        storage.pruned(_QUEUE_MINUTES, from_at),
        {
            "keys": int_array([scope_key(ScopeKind.HOST_DEVICE, device) for device in device_ids]),
            "lo": from_at,
            "hi": to_at,
            "minute": _MICROSECONDS_A_MINUTE,
        },
        {
            "ts": "us",
            "entity_id": "i8",
            "depth": "f8",
            "in_flight_ios": "f8",
            "waiting_ios": "f8",
            "kernel_us": "f8",
            "ops": "f8",
        },
    )
    devices = np.array([scope_of(int(key))[1] for key in found["entity_id"]], dtype=np.int64)
    return QueueMinutes(
        starts_us=found["ts"],
        device_id=devices,
        depth=found["depth"],
        in_flight_ios=found["in_flight_ios"],
        waiting_ios=found["waiting_ios"],
        kernel_us=found["kernel_us"],
        ops=found["ops"],
    )


def kept_since(storage: modes.Storage) -> datetime:
    """From when on minutes of single devices are kept."""
    return storage.since(LEDGER_LEAVES.grain)


def fullest(
    connection: Connection,
    device_ids: Sequence[int],
    from_at: datetime,
    to_at: datetime,
    step: timedelta | None,
    storage: modes.Storage,
) -> Fullest:
    """Of these devices in each bucket of [from_at, to_at), from the minutes of the ledger that retention has left of them.

    Without a step, the whole range is one bucket.
    """
    bucket = "CAST(:lo AS timestamptz)" if step is None else "date_bin(:step, ts, :epoch)"
    query = f"""
        SELECT DISTINCT ON (b) b, entity_id, in_flight_ios, waiting_ios, depth FROM (
            SELECT entity_id, {bucket} AS b, max(queue_depth) AS depth,
                avg(({IN_FLIGHT})::float8) / :minute AS in_flight_ios, avg(({_WAITING})::float8) / :minute AS waiting_ios
            FROM {_MINUTES} m WHERE ts < :hi GROUP BY 1, 2
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
        storage.pruned(query, from_at),
        parameters,
        {"b": "us", "entity_id": "i8", "in_flight_ios": "f8", "waiting_ios": "f8", "depth": "f8"},
    )
    devices = np.array([scope_of(int(key))[1] for key in found["entity_id"]], dtype=np.int64)
    return Fullest(
        starts_us=found["b"],
        device_id=devices,
        in_flight_ios=found["in_flight_ios"],
        waiting_ios=found["waiting_ios"],
        depth=found["depth"],
    )
