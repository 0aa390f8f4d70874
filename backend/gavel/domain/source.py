"""What a source is: something that is polled, its streams of samples, its clock and what a preflight finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gavel.domain.errors import CertificateError, SourceError


class SourceKind(StrEnum):
    FLASHARRAY = "flasharray"
    VCENTER = "vcenter"


# By the side they measure: a new vendor's kind stands here, and nothing else asks for one vendor.
ARRAY_SOURCES = (SourceKind.FLASHARRAY,)
HOST_SOURCES = (SourceKind.VCENTER,)


class Stream(StrEnum):
    """A kind of sample a source delivers. The table of a stream is named `<stream>_sample`."""

    ARRAY_VOLUME = "array_volume"
    ARRAY_DIRECTORY = "array_directory"
    ARRAY_WIDE = "array_wide"  # all I/O of an array together
    ARRAY_PORT = "array_port"  # traffic of a target port
    HOST_DEVICE = "host_device"
    VM_DISK = "vm_disk"
    PATH = "path"
    ADAPTER = "adapter"
    HOST_CPU = "host_cpu"  # CPU usage of an ESXi host
    GUEST_DISK = "guest_disk"  # pushed by guests, of no source


# What sources are polled for.
POLLED = tuple(stream for stream in Stream if stream is not Stream.GUEST_DISK)
OF_ARRAYS = (Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY, Stream.ARRAY_WIDE, Stream.ARRAY_PORT)
# What the ledger is made from; a source that does not have one of them yet is waited for.
ATTRIBUTED = (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A source's clock against the local one: `offset_s` = source − local, true within ± `error_s`.

    `subject` is None for the source itself, or the key of an ESXi host whose own clock was read.
    """

    subject: str | None
    offset_s: float
    error_s: float
    read_at: datetime


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a stream is stored, by its source's own clock.

    until: the newest sample. complete_until: by the newest read, everything that was to be expected had come up to here; None when that is
    not known. looked_back_at: where the stream stood when all that may still change was last asked for; None before the first time.
    settle_s: so long after its end a sample is asked for, as learned from this source; None before that. earlier_at: when asking earlier
    is tried next, by Gavel's clock.
    """

    until: datetime
    complete_until: datetime | None = None
    looked_back_at: datetime | None = None
    settle_s: float | None = None
    earlier_at: datetime | None = None


class CheckState(StrEnum):
    OK = "ok"
    WARNING = "warning"  # usable, with a limit that the detail names
    FAILED = "failed"
    SKIPPED = "skipped"  # not reached, because an earlier check failed


@dataclass(frozen=True, slots=True)
class Check:
    """One line of a test. `remedy`: what to do about it, empty when nothing.

    `presented_sha256`: fingerprint (64 hex digits) of the certificate that is not trusted, null unless that is what failed. Compared
    with what the source's own console shows, it may go into the setting `fingerprint_sha256`.
    """

    name: str
    state: CheckState
    detail: str
    remedy: str = ""
    presented_sha256: str | None = None


def failed_check(name: str, error: SourceError, remedy: str) -> Check:
    """The line of a preflight that ended in this error."""
    presented = error.presented_sha256 if isinstance(error, CertificateError) else None
    return Check(name, CheckState.FAILED, str(error), remedy, presented)


@dataclass(frozen=True, slots=True)
class Preflight:
    """What works, what is missing and what it costs to poll this source. `identity`: the array's id or the vCenter's instance UUID."""

    checks: tuple[Check, ...]
    identity: str | None = None

    @property
    def passed(self) -> bool:
        return all(check.state is not CheckState.FAILED for check in self.checks)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run cost on the wire."""

    calls: int = 0
    bytes_received: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.calls + other.calls, self.bytes_received + other.bytes_received)


# The grain in which each stream is kept; of an array as a whole and its ports, how seldom they are read: several samples of 30 s at once.
GRAIN_S: Mapping[Stream, int] = {
    Stream.ARRAY_VOLUME: 30,
    Stream.ARRAY_DIRECTORY: 30,
    Stream.ARRAY_WIDE: 120,
    Stream.ARRAY_PORT: 180,
    Stream.HOST_DEVICE: 20,
    Stream.VM_DISK: 20,
    Stream.PATH: 300,
    Stream.ADAPTER: 20,
    Stream.HOST_CPU: 20,
    Stream.GUEST_DISK: 10,
}
