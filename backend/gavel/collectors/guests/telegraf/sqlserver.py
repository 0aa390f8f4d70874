"""`inputs.sqlserver`: files of databases, timed by SQL Server itself, as sums since the instance started."""

from gavel.collectors.guest_lines import LineRefusedError, count, guest_of, named, short
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

MEASUREMENTS = ("sqlserver_database_io",)
_US_PER_MS = 1000


def database_io(point: Point) -> DiskReading:
    """The fields `read_latency_ms` and `write_latency_ms` are sums of waits, whatever their names say. Raises LineRefusedError."""
    guest, instance = _instance(point)
    database = named(point.tags, "database_name", RefusalReason.NO_DISK)
    file = named(point.tags, "logical_filename", RefusalReason.NO_DISK)
    fields = point.fields
    counters = DiskCounters(
        reads=count(fields, "reads"),
        writes=count(fields, "writes"),
        read_bytes=count(fields, "read_bytes"),
        write_bytes=count(fields, "write_bytes"),
        read_time_us=count(fields, "read_latency_ms", scale=_US_PER_MS),
        write_time_us=count(fields, "write_latency_ms", scale=_US_PER_MS),
    )
    if counters.reads is None or counters.writes is None:
        raise LineRefusedError(RefusalReason.NO_COUNTERS, f"file {file!r} comes without the fields reads and writes")
    return DiskReading(
        guest=guest,
        agent=GuestAgent.TELEGRAF,
        kind=GuestDiskKind.DATABASE_FILE,
        disk=short(f"{instance}/{database}/{file}", "logical_filename"),
        identity=DiskIdentity(path=_path(point)),
        at_us=None if point.at_ns is None else point.at_ns // 1000,
        step=LatencyStep.MILLISECOND_SUM,
        numbers=counters,
        line=point.line,
    )


def _path(point: Point) -> str | None:
    """Where the file lies; a file without one is a file nevertheless."""
    path = point.tags.get("physical_filename", "").strip()
    return short(path, "physical_filename") if path else None


def _instance(point: Point) -> tuple[GuestIdentity, str]:
    """The machine of the instance, which one Telegraf may ask over the network, and what the instance is called there."""
    if "sql_instance" not in point.tags:
        return guest_of(point.tags), "MSSQLSERVER"
    written = named(point.tags, "sql_instance", RefusalReason.NO_HOST)
    machine, _, instance = written.replace("\\", ":").partition(":")
    if not machine:
        raise LineRefusedError(RefusalReason.NO_HOST, f"sql_instance {written!r} names no machine")
    return GuestIdentity(machine), instance or "MSSQLSERVER"
