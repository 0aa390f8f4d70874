"""What the guest of a VM pushed of its databases' files and its disks, added up over a window."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.series import packed
from gavel.db.series.catalog import SAMPLES
from gavel.domain.guest_intervals import MOST_OFFSET_US
from gavel.domain.guests import GuestDiskKind
from gavel.domain.io_path import DirectionName
from gavel.domain.source import Stream

_FARTHEST = timedelta(microseconds=MOST_OFFSET_US)
_DIRECTIONS: tuple[DirectionName, ...] = ("read", "write")


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedIo:
    """Of one direction: I/Os per second of the time that intervals cover, and their mean latency; null where nothing timed them."""

    direction: DirectionName
    iops: float
    latency_us: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedSums:
    """A file or a disk as its guest counted it. drives: letters of a disk's volumes. covered_s: seconds of the window that intervals
    cover; ios: none where these are 0."""

    id: int
    kind: GuestDiskKind
    name: str
    path: str | None
    drives: str | None
    host_name: str
    last_seen_at: datetime
    vm_disk_id: int | None
    vm_disk_label: str | None
    covered_s: float
    ios: tuple[PushedIo, ...]


_NAMES = ("interval_s", *(f"{way}_{name}" for way in _DIRECTIONS for name in ("ops", "latency_us")))
_OF_DISK = packed.rows(
    SAMPLES[Stream.GUEST_DISK],
    _NAMES,
    of="entity_id = d.id",
    lo="CAST(:earliest AS timestamptz)",
    hi="CAST(:latest AS timestamptz)",
)
_SUMS = ", ".join(
    f"sum({way}_ops)::float8 AS {way}_ops, sum({way}_latency_us::float8 * {way}_ops)"
    f" / nullif(sum({way}_ops) FILTER (WHERE {way}_latency_us IS NOT NULL), 0) AS {way}_us"
    for way in _DIRECTIONS
)
# Stamps are the guest's own: its clock is behind by `offset_us`.
_FILES = f"""
    SELECT d.id, d.kind, d.disk AS name, d.path, d.drives, g.host_name, d.last_seen_at, d.vm_disk_id, k.label AS vm_disk_label, s.*
    FROM guest_disk d JOIN guest g ON g.id = d.guest_id JOIN guest_token t ON t.id = g.token_id AND t.revoked_at IS NULL
    LEFT JOIN vm_disk k ON k.id = d.vm_disk_id
    LEFT JOIN LATERAL (
        SELECT sum(interval_s)::float8 AS covered_s, {_SUMS} FROM {_OF_DISK} r
        WHERE ts > :from_at - coalesce(g.offset_us, 0) * interval '1 microsecond'
            AND ts <= :to_at - coalesce(g.offset_us, 0) * interval '1 microsecond'
    ) s ON true
    WHERE d.vm_id = :vm_id ORDER BY d.disk, d.id
"""


def pushed_sums(connection: Connection, vm_id: int, from_at: datetime, to_at: datetime) -> Sequence[PushedSums]:
    """Every file and disk that guests of this VM ever pushed, by name. Intervals count by where they end."""
    limits = {
        "vm_id": vm_id,
        "from_at": from_at,
        "to_at": to_at,
        "earliest": from_at - _FARTHEST,
        "latest": to_at + _FARTHEST,
    }
    return [_pushed(row) for row in connection.execute(text(_FILES), limits).mappings()]


def _pushed(row: RowMapping) -> PushedSums:
    return PushedSums(
        id=row["id"],
        kind=GuestDiskKind(row["kind"]),
        name=row["name"],
        path=row["path"],
        drives=row["drives"],
        host_name=row["host_name"],
        last_seen_at=row["last_seen_at"],
        vm_disk_id=row["vm_disk_id"],
        vm_disk_label=row["vm_disk_label"],
        covered_s=row["covered_s"] or 0.0,
        ios=tuple(_io(row, direction) for direction in _DIRECTIONS) if row["covered_s"] else (),
    )


def _io(row: RowMapping, direction: DirectionName) -> PushedIo:
    ops, covered_s = row[f"{direction}_ops"] or 0.0, row["covered_s"] or 0.0
    return PushedIo(direction=direction, iops=ops / covered_s, latency_us=row[f"{direction}_us"])
