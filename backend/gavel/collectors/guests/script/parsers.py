"""`gavel_disk`: what Gavel's own scripts send, sums since boot with everything that identifies the disk and its VM."""

import re

from gavel.collectors.disk_names import is_linux_disk, physical_disk
from gavel.collectors.guest_lines import LineParser, LineRefusedError, count, named, serial_of, short, uuid_digits
from gavel.collectors.line_protocol import Point
from gavel.domain.guests import (
    DiskCounters,
    DiskIdentity,
    DiskReading,
    GuestAgent,
    GuestDiskKind,
    GuestIdentity,
    LatencyStep,
    RefusalReason,
)

_TOOLS_NAME = re.compile(r"(scsi|nvme|sata|ide)\d{1,2}:\d{1,3}")
_SCSI_ADDRESS = re.compile(r"\d{1,4}:\d{1,3}:\d{1,4}:\d{1,5}")
_KERNEL = re.compile(r"(\d{1,3})\.(\d{1,3})")
# From this version on Linux adds up nanoseconds; before, ticks.
_EXACT_SINCE = (4, 19)
_MOST_ADDRESSES = 8


def gavel_disk(point: Point) -> DiskReading:
    """Raises LineRefusedError."""
    name = named(point.tags, "name", RefusalReason.NO_DISK)
    if not is_linux_disk(name) and physical_disk(name.removeprefix("PhysicalDisk ")) != name:
        raise LineRefusedError(RefusalReason.NOT_A_DISK, f"{name!r} is no whole disk")
    return DiskReading(
        guest=_guest(point),
        agent=GuestAgent.SCRIPT,
        kind=GuestDiskKind.DISK,
        disk=name,
        identity=_identity(point),
        at_us=None if point.at_ns is None else point.at_ns // 1000,
        step=_step(point),
        numbers=_counters(point, name),
        line=point.line,
    )


def _guest(point: Point) -> GuestIdentity:
    addresses = point.tags.get("ip", "").split()
    return GuestIdentity(
        host_name=named(point.tags, "host", RefusalReason.NO_HOST),
        bios_uuid=uuid_digits(point.tags.get("bios_uuid", "")),
        addresses=tuple(short(address, "ip") for address in addresses[:_MOST_ADDRESSES]),
    )


def _identity(point: Point) -> DiskIdentity:
    tools_name = point.tags.get("vdisk", "").lower()
    scsi_address = point.tags.get("scsi", "")
    return DiskIdentity(
        serial=serial_of(point.tags, "wwid", "serial"),
        tools_name=tools_name if _TOOLS_NAME.fullmatch(tools_name) else None,
        scsi_address=scsi_address if _SCSI_ADDRESS.fullmatch(scsi_address) else None,
        capacity_bytes=count(point.fields, "capacity_bytes"),
    )


def _counters(point: Point, name: str) -> DiskCounters:
    """Times in ms from Linux, where their sums wrap; in units of 100 ns from Windows, where they do not."""
    fields = point.fields
    in_ms = "read_time_ms" in fields or "write_time_ms" in fields
    times = (
        [count(fields, f"{part}_time_ms", scale=1000) for part in ("read", "write", "queue")]
        if in_ms
        else [_tenths(count(fields, f"{part}_time_100ns")) for part in ("read", "write", "queue")]
    )
    counters = DiskCounters(
        reads=count(fields, "reads"),
        writes=count(fields, "writes"),
        read_bytes=count(fields, "read_bytes"),
        write_bytes=count(fields, "write_bytes"),
        read_time_us=times[0],
        write_time_us=times[1],
        queue_time_us=times[2],
        wraps_ms=in_ms,
        epoch=short(point.tags["boot_id"], "boot_id") if "boot_id" in point.tags else None,
    )
    if counters.reads is None or counters.writes is None:
        raise LineRefusedError(RefusalReason.NO_COUNTERS, f"{name!r} comes without the fields reads and writes")
    return counters


def _tenths(hundreds_of_ns: int | None) -> int | None:
    """As whole µs."""
    return None if hundreds_of_ns is None else hundreds_of_ns // 10


def _step(point: Point) -> LatencyStep:
    if "read_time_ms" not in point.fields:
        return LatencyStep.MICROSECOND
    match = _KERNEL.match(point.tags.get("kernel", ""))
    is_old = match is not None and (int(match[1]), int(match[2])) < _EXACT_SINCE
    return LatencyStep.TICK if is_old else LatencyStep.MILLISECOND_SUM


PARSERS: dict[str, LineParser] = {"gavel_disk": gavel_disk}
