"""Files of databases in a VM: what the database waited for, beside the disk of the guest that holds the file. No layer of the path."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gavel.db.engine import Connection
from gavel.db.queries.database_files import PushedIo, PushedSums, pushed_sums
from gavel.domain.database_files import disk_of_drive, drive_of
from gavel.domain.guests import GuestDiskKind


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDisk:
    """The guest's disk (or its drive) that a file lies on, with the latency that the guest measured there. vm_disk_*: its virtual disk."""

    id: int
    name: str
    is_whole: bool
    vm_disk_id: int | None
    vm_disk_label: str | None
    ios: tuple[PushedIo, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFile:
    """name: instance/database/file. latency of `ios`: how long the database waited per I/O. disk: null where the path does not say which
    one it is, or the guest does not push it."""

    id: int
    name: str
    path: str | None
    host_name: str
    last_seen_at: datetime
    covered_s: float
    ios: tuple[PushedIo, ...]
    disk: FileDisk | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFiles:
    """The ones that waited most come first: latency × IOPS of reads and writes together."""

    from_at: datetime
    to_at: datetime
    items: tuple[DatabaseFile, ...]


def database_files(connection: Connection, vm_id: int, from_at: datetime, to_at: datetime) -> DatabaseFiles:
    pushed = pushed_sums(connection, vm_id, from_at, to_at)
    files = [_file(each, pushed) for each in pushed if each.kind is GuestDiskKind.DATABASE_FILE]
    return DatabaseFiles(from_at=from_at, to_at=to_at, items=tuple(sorted(files, key=_waits, reverse=True)))


def _file(file: PushedSums, pushed: Sequence[PushedSums]) -> DatabaseFile:
    held = disk_of_drive(drive_of(file.path), ((each.id, each.kind, each.name, each.drives) for each in pushed))
    return DatabaseFile(
        id=file.id,
        name=file.name,
        path=file.path,
        host_name=file.host_name,
        last_seen_at=file.last_seen_at,
        covered_s=file.covered_s,
        ios=file.ios,
        disk=next((_disk(each) for each in pushed if each.id == held), None),
    )


def _disk(disk: PushedSums) -> FileDisk:
    return FileDisk(
        id=disk.id,
        name=disk.name,
        is_whole=disk.kind is GuestDiskKind.DISK,
        vm_disk_id=disk.vm_disk_id,
        vm_disk_label=disk.vm_disk_label,
        ios=disk.ios,
    )


def _waits(file: DatabaseFile) -> float:
    return sum(io.iops * (io.latency_us or 0.0) for io in file.ios)
