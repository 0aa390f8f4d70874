"""What may be behind an excess: the busiest virtual disks, devices and volumes of some objects, with their limits.

Always for a set of objects of one kind, so that a list asks as often as a page does. Sums are over each object's own time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.queries.members import DATASTORE_DEVICE, DEVICE_VOLUME, DEVICES_OF_A_VM, DISKS_THROUGH, MEMBERS
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import ledger_columns, packed
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES
from gavel.db.series.modes import Storage
from gavel.domain.io_path import Layer
from gavel.domain.scope import LEAVES, ScopeKind, scope_key
from gavel.domain.source import Stream

Floats = npt.NDArray[np.float64]
# Of each object, those with most I/O-time: the others together explain too little of it.
MOST_DISKS, MOST_DEVICES, MOST_VOLUMES = 8, 4, 4


@dataclass(frozen=True, slots=True)
class ObjectTime:
    """An object with the time [from_at, to_at) that is asked about."""

    id: int
    from_at: datetime
    to_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskLoad:
    """A virtual disk of an object. Times are I/O-time in µs × ops, in the hypervisor and down to the device (`upper_time`), and from the
    SAN on (`lower_time`); service_time: in the kernel's own code; `*_whole`: of all disks of the object together. iops_limit: as it was
    at the end of the time; None: none set.
    """

    subject_id: int
    disk: EntityRef
    vm: EntityRef
    host: EntityRef | None
    instance: str
    controller_type: str
    iops_limit: int | None
    snapshot_depth: int
    io_filters: Sequence[str]
    minutes: int
    ops: float
    upper_time: float
    lower_time: float
    hypervisor_time: float
    service_time: float
    ops_whole: float
    upper_whole: float
    lower_whole: float
    hypervisor_whole: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLoad:
    """A device on a host of an object, with all I/O of that host to it. configured: its own depth; None: not read. carried: the datastore
    or volume on it. Times as in `DiskLoad`; host_kernel_time: at all devices of the object on this host."""

    subject_id: int
    device: EntityRef
    host: EntityRef
    carried: str | None
    configured: int | None
    dsnro: int | None
    is_nvme: bool
    minutes: int
    ops: float
    kernel_time: float
    queue_time: float
    san_time: float
    host_kernel_time: float
    kernel_whole: float
    queue_whole: float
    san_whole: float
    ops_whole: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeLoad:
    """A volume behind an object, with all hosts' I/O to it. qos_*: its own limits; None: none set. group*: of its volume group, where that
    has a limit, with the ids of all volumes that share it.
    """

    subject_id: int
    volume: EntityRef
    array: EntityRef
    is_stretched: bool
    qos_iops_limit: int | None
    qos_bytes_per_s_limit: int | None
    minutes: int
    ops: float
    array_time: float
    qos_time: float
    array_whole: float
    qos_whole: float
    group_name: str | None = None
    group_iops_limit: int | None = None
    group_bytes_per_s_limit: int | None = None
    group_volume_ids: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class QueueIssuer:
    """A VM with I/O at a device from the device's host, during the time of an object. minutes: with I/O."""

    subject_id: int
    device_id: int
    vm: EntityRef
    ops: float
    minutes: int


def sum_of(columns: Sequence[str]) -> str:
    return " + ".join(f"coalesce({name}, 0)" for name in columns)


def _spans(*, first_to: Layer = Layer.ARRAY, last_from: Layer = Layer.GUEST) -> str:
    names = ledger_columns.SPAN_NAMES.items()
    return sum_of([f"all_{name}_time" for (first, last), name in names if first <= first_to and last >= last_from])


def segment_time(name: str) -> str:
    return sum_of([f"read_{name}_time", f"write_{name}_time"])


OPS = sum_of(["read_ops", "write_ops"])
_UPPER, _LOWER = _spans(first_to=Layer.KERNEL), _spans(last_from=Layer.SAN)
_ASKED = "asked AS (SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:los AS timestamptz[]), CAST(:his AS timestamptz[])) a (id, lo, hi))"


def _loads(
    members: str, scope: ScopeKind, sums: Mapping[str, str], orders: Sequence[str], wholes: Sequence[str]
) -> str:
    """CTEs `asked` and `best`: of each object's members the busiest by any of `orders`, with sums over its time and `*_whole` over all."""
    series = LEDGER_LEAVES if scope in LEAVES else LEDGER
    names = packed.named_in(series, *sums.values())
    minutes = packed.rows(series, names, of=f"entity_id = {scope_key(scope, 0)} + m.entity_id")
    summed = ", ".join(f"sum({sql})::float8 AS {name}" for name, sql in sums.items())
    whole = ", ".join(f"sum({name}) OVER own AS {name.removesuffix('_time')}_whole" for name in wholes)
    ranks = ", ".join(
        f"row_number() OVER (PARTITION BY subject_id ORDER BY {name} DESC, thing_id) AS rank_{n}"
        for n, name in enumerate(orders)
    )
    wanted = " OR ".join(f"rank_{n} <= :most" for n in range(len(orders)))
    return f"""
        WITH {_ASKED}, member AS MATERIALIZED (SELECT DISTINCT subject_id, entity_id FROM ({members}) m),
        load AS (
            SELECT m.subject_id, m.entity_id AS thing_id, count(*) AS minutes, {summed}
            FROM member m JOIN asked a ON a.id = m.subject_id
            JOIN LATERAL {minutes} l ON l.ts >= a.lo AND l.ts < a.hi
            GROUP BY 1, 2),
        ranked AS (SELECT *, {whole}, {ranks} FROM load WINDOW own AS (PARTITION BY subject_id)),
        best AS (SELECT * FROM ranked WHERE {wanted})
    """


def _begin(objects: Sequence[ObjectTime]) -> datetime:
    return min(one.from_at for one in objects)


def _parameters(objects: Sequence[ObjectTime], most: int) -> dict[str, object]:
    return {
        "ids": [one.id for one in objects],
        "los": [one.from_at for one in objects],
        "his": [one.to_at for one in objects],
        "lo": _begin(objects),
        "hi": max(one.to_at for one in objects),
        "most": most,
    }


def disk_loads(
    connection: Connection, kind: RefKind, objects: Sequence[ObjectTime], storage: Storage
) -> list[DiskLoad]:
    """By object, the busiest first; none of a kind without disks."""
    if kind not in DISKS_THROUGH or not objects:
        return []
    sums = {
        "ops": OPS,
        "upper_time": _UPPER,
        "lower_time": _LOWER,
        "hypervisor_time": segment_time("hypervisor"),
        "service_time": segment_time("kernel_service"),
    }
    loads = storage.pruned(
        _loads(
            f"SELECT * FROM ({DISKS_THROUGH[kind]}) d WHERE subject_id = ANY(CAST(:ids AS int[]))",
            ScopeKind.VM_DISK,
            sums,
            ("upper_time", "lower_time", "hypervisor_time"),
            tuple(sums),
        ),
        _begin(objects),
    )
    rows = connection.execute(
        text(
            f"""{loads} SELECT b.*, k.label, k.instance, k.controller_type, coalesce(k.snapshot_depth, 0) AS snapshot_depth, k.io_filters,
                CASE WHEN e.id IS NULL THEN k.iops_limit ELSE e.before::bigint END AS iops_limit,
                m.id AS vm_id, m.name AS vm_name, h.id AS host_id, h.name AS host_name
            FROM best b JOIN asked a ON a.id = b.subject_id JOIN vm_disk k ON k.id = b.thing_id JOIN vm m ON m.id = k.vm_id
            LEFT JOIN esxi_host h ON h.id = m.host_id
            LEFT JOIN LATERAL (SELECT id, before FROM event WHERE subject_table = 'vm_disk' AND subject_id = k.id
                AND kind = 'iops_limit' AND happened_at > a.hi ORDER BY happened_at LIMIT 1) e ON true
            ORDER BY b.subject_id, b.upper_time DESC, b.thing_id"""
        ),
        _parameters(objects, MOST_DISKS),
    ).mappings()
    return [_disk(row) for row in rows]


def _disk(row: RowMapping) -> DiskLoad:
    return DiskLoad(
        disk=EntityRef(RefKind.VM_DISK, row["thing_id"], row["label"]),
        vm=EntityRef(RefKind.VM, row["vm_id"], row["vm_name"]),
        host=None if row["host_id"] is None else EntityRef(RefKind.HOST, row["host_id"], row["host_name"]),
        **_fields(row, DiskLoad),
    )


# The device of each VM is looked up VM by VM: as one join, PostgreSQL maps the whole environment.
_DEVICES_OF_VMS = f"""
    SELECT a.id AS subject_id, d.entity_id FROM asked a,
    LATERAL ({DEVICES_OF_A_VM.replace(":id", "a.id")}) d
"""
_CARRIED = f"""
    coalesce(
        (SELECT min(s.name) FROM ({DATASTORE_DEVICE}) x JOIN datastore s ON s.id = x.subject_id
            WHERE x.entity_id = d.id HAVING count(DISTINCT s.id) = 1),
        (SELECT min(v.name) FROM ({DEVICE_VOLUME}) x JOIN volume v ON v.id = x.volume_id
            WHERE x.device_id = d.id HAVING count(DISTINCT v.name) = 1))
"""


def device_loads(
    connection: Connection, kind: RefKind, objects: Sequence[ObjectTime], storage: Storage
) -> list[DeviceLoad]:
    """By object, those with most queue time first; none of a kind without devices."""
    if (kind, Stream.HOST_DEVICE) not in MEMBERS or not objects:
        return []
    of_a_kind = f"SELECT * FROM ({MEMBERS[kind, Stream.HOST_DEVICE]}) d WHERE subject_id = ANY(CAST(:ids AS int[]))"
    sums = {
        "ops": OPS,
        "kernel_time": "coalesce(all_kernel_time, 0)",
        "queue_time": segment_time("kernel_queue"),
        "san_time": "coalesce(all_san_time, 0)",
    }
    loads = storage.pruned(
        _loads(
            _DEVICES_OF_VMS if kind is RefKind.VM else of_a_kind,
            ScopeKind.HOST_DEVICE,
            sums,
            ("kernel_time", "queue_time", "san_time"),
            tuple(sums),
        ),
        _begin(objects),
    )
    rows = connection.execute(
        text(
            f"""{loads}, of_host AS (
                SELECT r.subject_id, d.host_id, sum(r.kernel_time) AS host_kernel_time
                FROM ranked r JOIN host_device d ON d.id = r.thing_id GROUP BY 1, 2)
            SELECT b.*, o.host_kernel_time, d.canonical_name, d.queue_depth AS configured, d.dsnro, h.id AS host_id, h.name AS host_name,
                EXISTS (SELECT FROM path p JOIN hba c ON c.id = p.hba_id
                    WHERE p.host_device_id = d.id AND p.present AND c.protocol LIKE 'nvme%') AS is_nvme, {_CARRIED} AS carried
            FROM best b JOIN host_device d ON d.id = b.thing_id JOIN esxi_host h ON h.id = d.host_id
            JOIN of_host o ON o.subject_id = b.subject_id AND o.host_id = d.host_id
            ORDER BY b.subject_id, b.queue_time DESC, b.kernel_time DESC, b.thing_id"""
        ),
        _parameters(objects, MOST_DEVICES),
    ).mappings()
    return [
        DeviceLoad(
            device=EntityRef(RefKind.DEVICE, row["thing_id"], row["canonical_name"]),
            host=EntityRef(RefKind.HOST, row["host_id"], row["host_name"]),
            **_fields(row, DeviceLoad),
        )
        for row in rows
    ]


def volume_loads(
    connection: Connection, kind: RefKind, objects: Sequence[ObjectTime], storage: Storage
) -> list[VolumeLoad]:
    """By object, those with most time in the array first; none of a kind without volumes."""
    if (kind, Stream.ARRAY_VOLUME) not in MEMBERS or not objects:
        return []
    sums = {"ops": OPS, "array_time": "coalesce(all_array_time, 0)", "qos_time": segment_time("array_qos")}
    loads = storage.pruned(
        _loads(
            f"SELECT * FROM ({MEMBERS[kind, Stream.ARRAY_VOLUME]}) d WHERE subject_id = ANY(CAST(:ids AS int[]))",
            ScopeKind.VOLUME,
            sums,
            ("array_time", "qos_time"),
            ("array_time", "qos_time"),
        ),
        _begin(objects),
    )
    rows = connection.execute(
        text(
            f"""{loads} SELECT b.*, v.name, v.qos_iops_limit, v.qos_bytes_per_s_limit, s.id AS array_id, s.name AS array_name,
                g.name AS group_name, g.qos_iops_limit AS group_iops_limit, g.qos_bytes_per_s_limit AS group_bytes_per_s_limit,
                ARRAY(SELECT m.id FROM volume m WHERE m.source_id = g.source_id AND m.volume_group = g.name AND m.present ORDER BY m.id)
                    AS group_volume_ids,
                EXISTS (SELECT FROM volume o WHERE o.serial = v.serial AND o.source_id <> v.source_id AND o.present) AS is_stretched
            FROM best b JOIN volume v ON v.id = b.thing_id JOIN storage_array s ON s.source_id = v.source_id AND s.present
            LEFT JOIN volume_group g ON g.source_id = v.source_id AND g.name = v.volume_group AND g.present
                AND (g.qos_iops_limit > 0 OR g.qos_bytes_per_s_limit > 0)
            ORDER BY b.subject_id, b.array_time DESC, b.thing_id"""
        ),
        _parameters(objects, MOST_VOLUMES),
    ).mappings()
    return [
        VolumeLoad(
            volume=EntityRef(RefKind.VOLUME, row["thing_id"], row["name"]),
            array=EntityRef(RefKind.ARRAY, row["array_id"], row["array_name"]),
            **_fields(row, VolumeLoad),
        )
        for row in rows
    ]


def _fields(row: RowMapping, of: type) -> dict[str, Any]:
    return {name: row[name] for name in of.__dataclass_fields__ if name in row}  # type: ignore[attr-defined]


_MINUTES_OF_DISKS = packed.rows(
    LEDGER_LEAVES, packed.named_in(LEDGER_LEAVES, OPS), of=f"entity_id = {scope_key(ScopeKind.VM_DISK, 0)} + k.disk_id"
)
# Where a VM was before anything was read, it is taken to have been where it was seen first.
_ISSUERS = f"""
    WITH asked AS (
        SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:devices AS int[]), CAST(:los AS timestamptz[]), CAST(:his AS timestamptz[]))
            a (id, device_id, lo, hi)),
    disk AS MATERIALIZED (
        SELECT DISTINCT a.id, a.device_id, a.lo, a.hi, d.host_id, k.id AS disk_id, k.vm_id FROM asked a
        JOIN host_device d ON d.id = a.device_id
        JOIN LATERAL (
            SELECT k.id, k.vm_id FROM datastore_extent x JOIN vm_disk k ON k.datastore_id = x.datastore_id AND k.device_name IS NULL
            WHERE x.canonical_name = d.canonical_name
            UNION ALL SELECT k.id, k.vm_id FROM vm_disk k WHERE k.source_id = d.source_id AND k.device_name = d.canonical_name) k ON true),
    stay AS (
        SELECT vm_id, host_id, coalesce(valid_to, 'infinity') AS hi,
            CASE row_number() OVER (PARTITION BY vm_id ORDER BY valid_from) WHEN 1 THEN '-infinity' ELSE valid_from END AS lo
        FROM vm_placement WHERE vm_id IN (SELECT vm_id FROM disk))
    SELECT k.id, k.device_id, m.id AS vm_id, m.name AS vm_name, sum({OPS})::float8 AS ops,
        count(DISTINCT l.ts) FILTER (WHERE {OPS} > 0) AS minutes
    FROM disk k JOIN stay p ON p.vm_id = k.vm_id AND p.host_id = k.host_id JOIN vm m ON m.id = k.vm_id
    JOIN LATERAL {_MINUTES_OF_DISKS} l ON l.ts >= k.lo AND l.ts < k.hi AND l.ts >= p.lo AND l.ts < p.hi
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, ops DESC, 3
"""


def queue_issuers(
    connection: Connection, devices: Sequence[tuple[ObjectTime, int]], storage: Storage
) -> list[QueueIssuer]:
    """Of each device the VMs that its host ran then, those with most I/O first."""
    if not devices:
        return []
    objects = [one for one, _ in devices]
    parameters = _parameters(objects, 0) | {"devices": [device for _, device in devices]}
    rows = connection.execute(text(storage.pruned(_ISSUERS, _begin(objects))), parameters)
    return [
        QueueIssuer(row.id, row.device_id, EntityRef(RefKind.VM, row.vm_id, row.vm_name), row.ops, row.minutes)
        for row in rows
    ]
