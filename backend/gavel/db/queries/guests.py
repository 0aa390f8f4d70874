"""What guests push, and which virtual disks their disks are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.domain.guest_matching import (
    DiskMatch,
    GuestDiskFacts,
    MatchedBy,
    UnmatchedReason,
    VmDiskFacts,
    VmFacts,
    disk_uuid,
)
from gavel.domain.guests import DiskIdentity, GuestAgent, GuestDiskKind, GuestIdentity

# A guest that sent nothing for so long is no longer matched, and listed only by name.
_MATCHED_FOR = timedelta(days=7)
# A push comes every 10 to 60 s; what is older than this is not coming any more.
LIVE_FOR = timedelta(minutes=3)


@dataclass(frozen=True, slots=True)
class PushedDisk:
    """A disk of a guest. lag_s: since its newest reading arrived. offset_s: Gavel's clock − the guest's, delivery included; None where its
    lines have no time. virtual_disk: the VM and the label of the disk that it is, or may be (`suggested`)."""

    id: int
    token: str
    host_name: str
    peer: str
    agent: GuestAgent
    kind: GuestDiskKind
    disk: str
    serial: str | None
    tools_name: str | None
    first_seen_at: datetime
    last_seen_at: datetime
    lag_s: float
    intervals: int
    offset_s: float | None
    matched_by: MatchedBy | None
    reason: UnmatchedReason | None
    vm_id: int | None
    vm_name: str | None
    vm_disk_id: int | None
    vm_disk_label: str | None
    suggested_id: int | None
    suggested: str | None

    @property
    def match(self) -> str:
        """In words."""
        if self.matched_by is not None:
            return f"{self.vm_name} {self.vm_disk_label} (by {self.matched_by.replace('_', ' ')})"
        if self.reason is None:
            return "not matched yet"
        suggestion = f"; suggested: {self.suggested}, disk {self.suggested_id}" if self.suggested else ""
        return f"not matched: {self.reason.replace('_', ' ')}{suggestion}"


@dataclass(frozen=True, slots=True)
class PushedDisks:
    """A page, and how many there are in all."""

    items: tuple[PushedDisk, ...]
    total: int


@dataclass(frozen=True, slots=True)
class PushSummary:
    """live: disks that sent something lately. lag_s: since the newest reading arrived."""

    guests: int
    disks: int
    live: int
    matched: int
    newest_at: datetime | None
    lag_s: float | None


_DISKS = """
    SELECT d.id, t.name AS token, g.host_name, g.peer, d.agent, d.kind, d.disk, d.serial, d.tools_name, d.first_seen_at, d.last_seen_at,
        d.intervals, g.offset_us, d.matched_by, d.unmatched_reason, m.id AS vm_id, m.name AS vm_name, d.vm_disk_id, k.label, d.suggested_id,
        sm.name || ' ' || sk.label AS suggested, count(*) OVER () AS total
    FROM guest_disk d JOIN guest g ON g.id = d.guest_id JOIN guest_token t ON t.id = g.token_id AND t.revoked_at IS NULL
    LEFT JOIN vm_disk k ON k.id = d.vm_disk_id LEFT JOIN vm m ON m.id = k.vm_id
    LEFT JOIN vm_disk sk ON sk.id = d.suggested_id LEFT JOIN vm sm ON sm.id = sk.vm_id
    WHERE (NOT :unmatched OR (d.vm_disk_id IS NULL AND d.kind = 'disk'))
    ORDER BY lower(g.host_name), d.disk, d.agent, d.id LIMIT :limit OFFSET :offset
"""


def guest_disks(
    connection: Connection, now: datetime, *, unmatched_only: bool = False, limit: int = 500, offset: int = 0
) -> PushedDisks:
    """By name of their guests. unmatched_only: whole disks without a virtual disk."""
    limits = {"unmatched": unmatched_only, "limit": limit, "offset": offset}
    rows = connection.execute(text(_DISKS), limits).mappings().all()
    return PushedDisks(tuple(_pushed(row, now) for row in rows), rows[0]["total"] if rows else 0)


def _pushed(row: RowMapping, now: datetime) -> PushedDisk:
    return PushedDisk(
        id=row["id"],
        token=row["token"],
        host_name=row["host_name"],
        peer=row["peer"],
        agent=GuestAgent(row["agent"]),
        kind=GuestDiskKind(row["kind"]),
        disk=row["disk"],
        serial=row["serial"],
        tools_name=row["tools_name"],
        first_seen_at=row["first_seen_at"],
        last_seen_at=row["last_seen_at"],
        lag_s=max(0.0, (now - row["last_seen_at"]).total_seconds()),
        intervals=row["intervals"],
        offset_s=None if row["offset_us"] is None else row["offset_us"] / 1e6,
        # The virtual disk may be gone since.
        matched_by=MatchedBy(row["matched_by"]) if row["vm_disk_id"] is not None else None,
        reason=UnmatchedReason(row["unmatched_reason"]) if row["unmatched_reason"] else None,
        vm_id=row["vm_id"],
        vm_name=row["vm_name"],
        vm_disk_id=row["vm_disk_id"],
        vm_disk_label=row["label"],
        suggested_id=row["suggested_id"],
        suggested=row["suggested"],
    )


_SUMMARY = """
    SELECT count(DISTINCT d.guest_id) AS guests, count(*) AS disks, count(*) FILTER (WHERE d.last_seen_at > :live) AS live,
        count(d.vm_disk_id) AS matched, max(d.last_seen_at) AS newest_at
    FROM guest_disk d JOIN guest g ON g.id = d.guest_id JOIN guest_token t ON t.id = g.token_id AND t.revoked_at IS NULL
"""


def push_summary(connection: Connection, now: datetime) -> PushSummary:
    row = connection.execute(text(_SUMMARY), {"live": now - LIVE_FOR}).one()
    lag_s = None if row.newest_at is None else max(0.0, (now - row.newest_at).total_seconds())
    return PushSummary(row.guests, row.disks, row.live, row.matched, row.newest_at, lag_s)


# --- matching ---------------------------------------------------------------------------------------------------------

_FACTS = """
    SELECT d.id, g.token_id, g.host_name, g.bios_uuid, g.addresses, d.kind, d.serial, d.tools_name, d.scsi_address, d.capacity_bytes,
        t.vm_names, coalesce(CASE WHEN d.matched_by = 'hand' THEN d.vm_disk_id END, former.vm_disk_id) AS tied_to
    FROM guest_disk d JOIN guest g ON g.id = d.guest_id JOIN guest_token t ON t.id = g.token_id AND t.revoked_at IS NULL
    LEFT JOIN LATERAL (
        SELECT o.vm_disk_id FROM guest_token ot JOIN guest og ON og.token_id = ot.id AND og.key = g.key
        JOIN guest_disk o ON o.guest_id = og.id AND (o.agent, o.kind, o.disk) = (d.agent, d.kind, d.disk)
        WHERE ot.name = t.name AND ot.revoked_at IS NOT NULL AND o.matched_by = 'hand' AND o.vm_disk_id IS NOT NULL
        ORDER BY ot.id DESC LIMIT 1
    ) former ON d.vm_disk_id IS NULL
    WHERE d.last_seen_at > :since ORDER BY d.id
"""


def guest_disk_facts(connection: Connection, now: datetime) -> Sequence[GuestDiskFacts]:
    """Disks that were pushed lately with a valid token. A tie by hand outlives the replacement of the token by one of the same name."""
    return [
        GuestDiskFacts(
            row.id,
            row.token_id,
            GuestIdentity(row.host_name, row.bios_uuid, tuple(row.addresses)),
            GuestDiskKind(row.kind),
            DiskIdentity(row.serial, row.tools_name, row.scsi_address, row.capacity_bytes),
            row.tied_to,
            None if row.vm_names is None else frozenset(row.vm_names),
        )
        for row in connection.execute(text(_FACTS), {"since": now - _MATCHED_FOR})
    ]


def vm_facts(connection: Connection) -> Sequence[VmFacts]:
    rows = connection.execute(
        text("SELECT id, name, instance_uuid, bios_uuid, dns_name, ip_addresses FROM vm WHERE present")
    )
    return [
        VmFacts(
            row.id,
            _uuids(row.instance_uuid, row.bios_uuid),
            frozenset(name.lower() for name in (row.name, row.dns_name) if name),
            frozenset(row.ip_addresses),
        )
        for row in rows
    ]


def _uuids(*written: str | None) -> frozenset[str]:
    return frozenset(uuid.replace("-", "").lower() for uuid in written if uuid)


def vm_disk_facts(connection: Connection) -> Sequence[VmDiskFacts]:
    rows = connection.execute(
        text(
            "SELECT k.id, k.vm_id, k.instance, k.backing_uuid, k.device_name, k.capacity_bytes"
            " FROM vm_disk k JOIN vm m ON m.id = k.vm_id AND m.present WHERE k.present ORDER BY k.id"
        )
    )
    return [
        VmDiskFacts(row.id, row.vm_id, row.instance, disk_uuid(row.backing_uuid), row.device_name, row.capacity_bytes)
        for row in rows
    ]


def stored_matches(connection: Connection) -> Mapping[int, DiskMatch]:
    """By disk, as they were found out or tied."""
    rows = connection.execute(
        text("SELECT id, vm_disk_id, matched_by, unmatched_reason, suggested_id, vm_id FROM guest_disk")
    )
    return {
        row.id: DiskMatch(
            row.id,
            row.vm_disk_id,
            MatchedBy(row.matched_by) if row.matched_by else None,
            UnmatchedReason(row.unmatched_reason) if row.unmatched_reason else None,
            row.suggested_id,
            row.vm_id,
        )
        for row in rows
    }


_STAMP = """
    SELECT (SELECT array_agg((id, inventory_revision)::text ORDER BY id) FROM source) AS inventories,
        (SELECT md5(coalesce(string_agg(concat_ws('|', d.id, d.serial, d.tools_name, d.scsi_address, d.capacity_bytes, d.vm_disk_id,
            d.matched_by, d.unmatched_reason, d.vm_id, g.host_name, g.bios_uuid, g.addresses), ',' ORDER BY d.id), ''))
        FROM guest_disk d JOIN guest g ON g.id = d.guest_id) AS disks,
        (SELECT array_agg(id ORDER BY id) FROM guest_token WHERE revoked_at IS NULL) AS tokens
"""


def matching_stamp(connection: Connection) -> object:
    """Equal stamps: nothing that matching looks at has changed."""
    return tuple(connection.execute(text(_STAMP)).one())


def virtual_disk_id(connection: Connection, vm: str, instance: str) -> int:
    """By the name of its VM. Raises NotFoundError, also where several VMs have that name."""
    query = text(
        "SELECT k.id FROM vm_disk k JOIN vm m ON m.id = k.vm_id"
        " WHERE k.present AND m.present AND lower(m.name) = lower(:vm) AND k.instance = :instance"
    )
    found = connection.scalars(query, {"vm": vm, "instance": instance}).all()
    if len(found) != 1:
        raise NotFoundError(f"{len(found)} virtual disks are {instance} of a VM named {vm!r}; there has to be one.")
    return int(found[0])
