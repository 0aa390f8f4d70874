"""`inputs.diskio`: the block devices of Linux, as sums since boot."""

from gavel.collectors.disk_names import is_linux_disk
from gavel.collectors.guest_lines import LineRefusedError, count, guest_of, named, serial_of
from gavel.collectors.line_protocol import Point
from gavel.domain.guests import (
    DiskCounters,
    DiskIdentity,
    DiskReading,
    GuestAgent,
    GuestDiskKind,
    LatencyStep,
    RefusalReason,
)

MEASUREMENTS = ("diskio",)
_US_PER_MS = 1000


def diskio(point: Point) -> DiskReading:
    """Raises LineRefusedError."""
    guest = guest_of(point.tags)
    name = named(point.tags, "name", RefusalReason.NO_DISK)
    if not is_linux_disk(name):
        raise LineRefusedError(
            RefusalReason.NOT_A_DISK, f"{name!r} is no whole disk (a partition, mapped or renamed device)"
        )
    fields = point.fields
    counters = DiskCounters(
        reads=count(fields, "reads"),
        writes=count(fields, "writes"),
        read_bytes=count(fields, "read_bytes"),
        write_bytes=count(fields, "write_bytes"),
        read_time_us=count(fields, "read_time", scale=_US_PER_MS),
        write_time_us=count(fields, "write_time", scale=_US_PER_MS),
        queue_time_us=count(fields, "weighted_io_time", scale=_US_PER_MS),
        wraps_ms=True,
    )
    if counters.reads is None or counters.writes is None:
        raise LineRefusedError(RefusalReason.NO_COUNTERS, f"{name!r} comes without the fields reads and writes")
    return DiskReading(
        guest=guest,
        agent=GuestAgent.TELEGRAF,
        kind=GuestDiskKind.DISK,
        disk=name,
        identity=DiskIdentity(serial=serial_of(point.tags, "wwid", "ID_WWN", "serial", "ID_SERIAL")),
        at_us=None if point.at_ns is None else point.at_ns // 1000,
        step=LatencyStep.MILLISECOND_SUM,
        numbers=counters,
        line=point.line,
    )
