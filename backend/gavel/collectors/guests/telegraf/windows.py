"""`inputs.win_perf_counters`: PhysicalDisk and LogicalDisk of Windows, as means since the reading before."""

import re
from collections.abc import Mapping

from gavel.collectors.disk_names import drives_of, is_drive, physical_disk
from gavel.collectors.guest_lines import LineRefusedError, guest_of, named, number
from gavel.collectors.line_protocol import FieldValue, Point
from gavel.domain.guests import (
    DiskIdentity,
    DiskRates,
    DiskReading,
    GuestAgent,
    GuestDiskKind,
    LatencyStep,
    RefusalReason,
)

# The first two as Telegraf's sample configuration has them, the third where a configuration names none.
MEASUREMENTS = ("win_diskio", "win_disk", "win_perf_counters")
_US_PER_S = 1_000_000
_NO_LETTER = re.compile(r"[^a-z]")


def perf_counters(point: Point) -> DiskReading:
    """Raises LineRefusedError."""
    guest = guest_of(point.tags)
    kind, disk = _disk(point)
    drives = drives_of(point.tags["instance"]) if kind is GuestDiskKind.DISK else None
    return DiskReading(
        guest=guest,
        agent=GuestAgent.TELEGRAF,
        kind=kind,
        disk=disk,
        identity=DiskIdentity(drives=drives),
        at_us=None if point.at_ns is None else point.at_ns // 1000,
        step=LatencyStep.MICROSECOND,
        numbers=_rates(point.fields, disk),
        line=point.line,
    )


def _disk(point: Point) -> tuple[GuestDiskKind, str]:
    shown = named(point.tags, "objectname", RefusalReason.NO_DISK)
    instance = named(point.tags, "instance", RefusalReason.NO_DISK)
    if shown == "PhysicalDisk" and (disk := physical_disk(instance)) is not None:
        return GuestDiskKind.DISK, disk
    if shown == "LogicalDisk" and is_drive(instance):
        return GuestDiskKind.LOGICAL, instance.upper()
    raise LineRefusedError(RefusalReason.NOT_A_DISK, f"instance {instance!r} of {shown!r} is no disk")


def _rates(fields: Mapping[str, FieldValue], disk: str) -> DiskRates:
    """Names are compared by their letters alone: versions write `Avg._Disk_sec/Read` and `Avg_Disk_secPerRead`."""
    plain = {_NO_LETTER.sub("", name.lower()).replace("per", ""): value for name, value in fields.items()}
    rates = DiskRates(
        reads_per_s=number(plain, "diskreadssec"),
        writes_per_s=number(plain, "diskwritessec"),
        read_bytes_per_s=number(plain, "diskreadbytessec"),
        write_bytes_per_s=number(plain, "diskwritebytessec"),
        read_latency_us=number(plain, "avgdisksecread", scale=_US_PER_S),
        write_latency_us=number(plain, "avgdisksecwrite", scale=_US_PER_S),
        outstanding=number(plain, "avgdiskqueuelength"),
    )
    if rates.reads_per_s is None or rates.writes_per_s is None:
        raise LineRefusedError(
            RefusalReason.NO_COUNTERS, f"{disk!r} comes without the counters Disk Reads/sec and Disk Writes/sec"
        )
    return rates
