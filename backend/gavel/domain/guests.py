"""What guest operating systems push: readings of their own disks, and why a line or an interval is not used.

A guest is a running operating system; its disks are what it sees as disks. Which VM and which virtual disk these are is found by matching.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TypeAlias

# Of measurements, tags, fields and host names that are kept. Longer ones are refused, never cut: a cut name is another name.
LONGEST_NAME = 256


class GuestAgent(StrEnum):
    """What reads the counters in the guest."""

    TELEGRAF = "telegraf"
    OPENTELEMETRY = "opentelemetry"
    SCRIPT = "script"  # one of Gavel's own


class GuestDiskKind(StrEnum):
    DISK = "disk"  # a whole disk of the operating system
    LOGICAL = "logical"  # a volume of Windows (`C:`), which may span disks
    DATABASE_FILE = "database_file"  # a file of SQL Server, timed by the database


class LatencyStep(IntEnum):
    """How finely a guest times its I/Os; stored with each interval."""

    MICROSECOND = 1
    # A sum in whole ms, cut: its mean over the interval is true within 1 ms ÷ operations.
    MILLISECOND_SUM = 2
    # Kernels before 4.19 time each I/O in ticks of 1 to 10 ms.
    TICK = 3


class RefusalReason(StrEnum):
    """Why a line, or the interval that ends with it, is not used."""

    MALFORMED = "malformed"
    TOO_LONG = "too_long"
    UNKNOWN_MEASUREMENT = "unknown_measurement"
    NO_DISK = "no_disk"
    NO_HOST = "no_host"
    NOT_A_DISK = "not_a_disk"
    NO_COUNTERS = "no_counters"
    NOT_A_NUMBER = "not_a_number"
    OUTSIDE_TIME = "outside_time"
    OUT_OF_ORDER = "out_of_order"
    REPEATED = "repeated"
    COUNTER_RESET = "counter_reset"
    GAP = "gap"
    CLOCK_STEP = "clock_step"
    IMPLAUSIBLE = "implausible"
    NOT_ALLOWED = "not_allowed"  # the token may write for other VMs only
    TOO_MANY = "too_many"  # disks of one guest, or guests of one token


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """`line`: its number in the request, from 1. `detail`: what exactly, with the text that is at fault."""

    line: int
    reason: RefusalReason
    detail: str


@dataclass(frozen=True, slots=True)
class GuestIdentity:
    """By what a guest names itself. `bios_uuid`: 32 hex digits in the guest's own byte order."""

    host_name: str
    bios_uuid: str | None = None
    addresses: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Natural key among the guests of one token: one operating system keeps it over reboots."""
        return f"bios:{self.bios_uuid}" if self.bios_uuid else f"host:{self.host_name.lower()}"


@dataclass(frozen=True, slots=True)
class DiskIdentity:
    """Whatever may say which virtual disk it is: `serial` as the guest reads it (a serial number, WWN or wwid), `tools_name` from VMware
    Tools (`scsi0:1`), `scsi_address` (`0:0:1:0`: host, channel, target, LUN). Of Windows `drives`: the letters of the disk's volumes
    (`C: D:`). `path`: of a database's file, as the database calls it."""

    serial: str | None = None
    tools_name: str | None = None
    scsi_address: str | None = None
    capacity_bytes: int | None = None
    drives: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class DiskCounters:
    """Sums since the disk was found, None where the agent does not send one; times in µs.

    `wraps_ms`: times come from 32-bit counters of ms, which begin at 0 again after 2³² ms. `epoch`: changes when all begin at 0 again.
    """

    reads: int | None = None
    writes: int | None = None
    read_bytes: int | None = None
    write_bytes: int | None = None
    read_time_us: int | None = None
    write_time_us: int | None = None
    queue_time_us: int | None = None
    wraps_ms: bool = False
    epoch: str | None = None


@dataclass(frozen=True, slots=True)
class DiskRates:
    """Means over the interval since the agent's reading before, None where it does not send one."""

    reads_per_s: float | None = None
    writes_per_s: float | None = None
    read_bytes_per_s: float | None = None
    write_bytes_per_s: float | None = None
    read_latency_us: float | None = None
    write_latency_us: float | None = None
    outstanding: float | None = None


Numbers: TypeAlias = DiskCounters | DiskRates


@dataclass(frozen=True, slots=True)
class DiskReading:
    """One disk at one moment. `at_us`: µs since 1970 by the guest's clock, None where the line has no time. `line`: as in RefusedLine."""

    guest: GuestIdentity
    agent: GuestAgent
    kind: GuestDiskKind
    disk: str
    identity: DiskIdentity
    at_us: int | None
    step: LatencyStep
    numbers: Numbers
    line: int = 0


@dataclass(frozen=True, slots=True)
class PushedReadings:
    """What one request holds: readings in its order, and lines that are not used."""

    readings: tuple[DiskReading, ...]
    refused: tuple[RefusedLine, ...]
