"""What rules look at of sources: clocks, the step of their counters, and what of a day is missing. Times in seconds."""

from dataclasses import dataclass
from datetime import datetime

from gavel.findings.model import ObjectRef


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockState:
    """The clock of a source or of one of its hosts. offset_s: source − Gavel, true within ± error_s.

    least_error_s: the smallest error of the last 10 minutes. earlier_*: an hour before; None: not read then.
    """

    object: ObjectRef
    offset_s: float
    error_s: float
    least_error_s: float
    earlier_offset_s: float | None
    earlier_error_s: float | None
    earlier_at: datetime | None
    read_at: datetime

    @property
    def drift_s(self) -> float | None:
        """By how much the offset changed at least, whatever the errors of both readings hide."""
        if self.earlier_offset_s is None or self.earlier_error_s is None:
            return None
        return max(abs(self.offset_s - self.earlier_offset_s) - self.error_s - self.earlier_error_s, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceClocks:
    """All clocks that are read through one source."""

    source_id: int
    source: ObjectRef
    clocks: tuple[ClockState, ...]
    read_at: datetime


@dataclass(frozen=True, slots=True)
class CoarseHost:
    """A host whose newest device latencies came in steps of 1 ms. version: of ESXi, as it was read."""

    host: ObjectRef
    version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoarseCounters:
    """Hosts of a vCenter that deliver latencies of devices in whole milliseconds. hosts_measured: with any such latency, coarse or not."""

    source_id: int
    source: ObjectRef
    version: str
    hosts: tuple[CoarseHost, ...]
    hosts_measured: int
    read_at: datetime


@dataclass(frozen=True, slots=True)
class StreamGap:
    """What of a stream is missing of the day, all of it or of one reporter (a host or VM). reason: of the longest gap."""

    stream: str
    reporter: ObjectRef | None
    missing_s: float
    gaps: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceGaps:
    """Missing samples of one source over [from_at, to_at)."""

    source_id: int
    source: ObjectRef
    gaps: tuple[StreamGap, ...]
    from_at: datetime
    to_at: datetime
