"""What explains a device queue's depth: its settings, its depth minute by minute, and which VMs did I/O on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.leaves import CARRIED
from gavel.db.queries.members import DATASTORE_DEVICE
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER_LEAVES, SAMPLES
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import Stream


@dataclass(frozen=True, slots=True)
class DeviceQueueSettings:
    """Of a device on one host, as of a time. configured: what it takes from one VM alone; dsnro: once several do I/O. None: not read.

    is_nfs: an NFS volume of a capture, which has no device queue. is_measured: the host itself reported the depth in force, and did not
    leave it to the settings. read_at: newest inventory.
    """

    canonical_name: str
    host: EntityRef
    vcenter: EntityRef
    configured: int | None
    dsnro: int | None
    is_nvme: bool
    is_nfs: bool
    is_measured: bool
    read_at: datetime | None
    carried: str | None
    disks: tuple[tuple[int, EntityRef], ...]


@dataclass(frozen=True, slots=True)
class DepthMinute:
    """kernel_time: I/O-time of the device in the kernel, µs × ops; 0 where it was not measured."""

    at: datetime
    depth: float | None
    ops: float
    kernel_time: float


@dataclass(frozen=True, slots=True)
class VmMinute:
    """What a VM's disks on the device did in a minute, from the device's host; 0 operations are a measured 0."""

    at: datetime
    vm: EntityRef
    ops: float


# A setting that changed later than asked about was what the first change since tells.
_THEN = """
    coalesce((SELECT e.before::int FROM event e WHERE e.subject_table = 'host_device' AND e.subject_id = d.id AND e.kind = '{name}'
        AND e.happened_at > :to_at ORDER BY e.happened_at LIMIT 1), d.{name}) AS {name}
"""
# Virtual disks behind a device: those of its datastores, and its raw device mappings.
_DISKS = f"""
    SELECT k.id, k.vm_id FROM ({DATASTORE_DEVICE}) s JOIN vm_disk k ON k.datastore_id = s.subject_id AND k.device_name IS NULL
    WHERE s.entity_id = :id
    UNION SELECT k.id, k.vm_id FROM host_device d JOIN vm_disk k ON k.source_id = d.source_id AND k.device_name = d.canonical_name
    WHERE d.id = :id
"""
_ENDS = {"lo": "CAST(:from_at AS timestamptz)", "hi": "CAST(:to_at AS timestamptz)"}
_SAMPLES = packed.rows(SAMPLES[Stream.HOST_DEVICE], ("queue_depth",), of="entity_id = d.id", **_ENDS)
_SETTINGS = f"""
    SELECT d.canonical_name, h.id AS host_id, h.name AS host, s.id AS vcenter_id, s.name AS vcenter, s.inventory_at,
        {_THEN.format(name="queue_depth")}, {_THEN.format(name="dsnro")},
        EXISTS (SELECT FROM path p JOIN hba b ON b.id = p.hba_id
            WHERE p.host_device_id = d.id AND p.present AND b.protocol LIKE 'nvme%') AS is_nvme,
        EXISTS (SELECT FROM ({DATASTORE_DEVICE}) n JOIN datastore s ON s.id = n.subject_id
            WHERE n.entity_id = d.id AND s.type = 'nfs') AS is_nfs,
        EXISTS (SELECT FROM {_SAMPLES} m WHERE m.ts > :from_at AND m.queue_depth > 0) AS is_measured,
        {CARRIED} AS carried,
        (SELECT jsonb_agg(jsonb_build_array(k.id, k.vm_id, m.name) ORDER BY k.id) FROM ({_DISKS}) k JOIN vm m ON m.id = k.vm_id) AS disks
    FROM host_device d JOIN esxi_host h ON h.id = d.host_id JOIN source s ON s.id = d.source_id WHERE d.id = :id
"""
_OF_DEVICE = packed.rows(
    LEDGER_LEAVES, ("read_ops", "write_ops", "queue_depth", "all_kernel_time"), of="entity_id = :key", **_ENDS
)
_MINUTES = f"""
    SELECT ts, queue_depth, coalesce(read_ops, 0) + coalesce(write_ops, 0) AS ops,
        coalesce(all_kernel_time, 0) AS kernel_time FROM {_OF_DEVICE} l WHERE ts < :to_at ORDER BY ts
"""
# Where a VM was before anybody looked, it is taken to have been where it was seen first.
_VMS = f"""
    WITH stay AS (
        SELECT vm_id, host_id, coalesce(valid_to, 'infinity') AS hi,
            CASE row_number() OVER (PARTITION BY vm_id ORDER BY valid_from) WHEN 1 THEN '-infinity' ELSE valid_from END AS lo
        FROM vm_placement WHERE vm_id = ANY(CAST(:vms AS int[]))
    )
    SELECT l.ts, p.vm_id, sum(coalesce(l.read_ops, 0) + coalesce(l.write_ops, 0)) AS ops
    FROM unnest(CAST(:disks AS int[]), CAST(:vms AS int[])) AS k (key, vm_id) JOIN stay p ON p.vm_id = k.vm_id
    JOIN LATERAL {packed.rows(LEDGER_LEAVES, ("read_ops", "write_ops"), of="entity_id = k.key")} l
        ON ({{within}}) AND l.ts >= p.lo AND l.ts < p.hi
    WHERE p.host_id = (SELECT host_id FROM host_device WHERE id = :id) GROUP BY 1, 2 ORDER BY 1, 2
"""


def queue_settings(connection: Connection, device_id: int, from_at: datetime, to_at: datetime) -> DeviceQueueSettings:
    """As they were at `to_at`, as far as later changes were noticed."""
    row = connection.execute(text(_SETTINGS), {"id": device_id, "from_at": from_at, "to_at": to_at}).one()
    return DeviceQueueSettings(
        row.canonical_name,
        EntityRef(RefKind.HOST, row.host_id, row.host),
        EntityRef(RefKind.SOURCE, row.vcenter_id, row.vcenter),
        row.queue_depth,
        row.dsnro,
        row.is_nvme,
        row.is_nfs,
        row.is_measured,
        row.inventory_at,
        row.carried,
        tuple((disk, EntityRef(RefKind.VM, vm, name)) for disk, vm, name in row.disks or ()),
    )


def depth_minutes(connection: Connection, device_id: int, from_at: datetime, to_at: datetime) -> list[DepthMinute]:
    """In order of time; minutes that are not in the ledger are left out."""
    limits = {"key": scope_key(ScopeKind.HOST_DEVICE, device_id), "from_at": from_at, "to_at": to_at}
    rows = connection.execute(text(_MINUTES), limits)
    return [DepthMinute(row.ts, row.queue_depth, row.ops, row.kernel_time) for row in rows]


def vm_minutes(
    connection: Connection,
    device_id: int,
    disks: Sequence[tuple[int, EntityRef]],
    ranges: Sequence[tuple[datetime, datetime]],
) -> list[VmMinute]:
    """Of the VMs with these virtual disks in any of the ranges, in order of time; VMs that were not measured are left out."""
    within = " OR ".join(f"(l.ts >= :from{n} AND l.ts < :to{n})" for n in range(len(ranges)))
    limits = {f"{edge}{n}": at for n, one in enumerate(ranges) for edge, at in zip(("from", "to"), one, strict=True)}
    keys = [scope_key(ScopeKind.VM_DISK, disk) for disk, _ in disks]
    vms = {vm.id: vm for _, vm in disks}
    parameters = {"id": device_id, "disks": keys, "vms": [vm.id for _, vm in disks]} | limits
    parameters |= {"lo": min(lo for lo, _ in ranges), "hi": max(hi for _, hi in ranges)}
    rows = connection.execute(text(_VMS.format(within=within)), parameters)
    return [VmMinute(row.ts, vms[row.vm_id], row.ops) for row in rows]
