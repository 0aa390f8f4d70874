"""What rules look at of an array as a whole, by its own counters. Rates per second, times in µs per I/O. None: not measured."""

from dataclasses import dataclass
from datetime import datetime

from gavel.findings.model import ObjectRef


@dataclass(frozen=True, slots=True)
class ArraySample:
    """All I/O of an array over `interval_s` seconds."""

    interval_s: int
    iops: float
    service_us: float | None
    queue_us: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualArrayLoad:
    """What hours of an array were like. hours: that were measured, since `from_at`; high_queue_us: the 95th percentile of their queue
    time; iops, service_us: the median of theirs.
    """

    hours: int
    high_queue_us: float
    iops: float
    service_us: float
    from_at: datetime


@dataclass(frozen=True, slots=True)
class GrownVolume:
    """IOPS of a volume as its array counts them, and in the hour before; None where it was not measured then."""

    volume: ObjectRef
    iops: float
    iops_before: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayLoad:
    """An array in [from_at, to_at). usual: before then; None without any history. volumes: with most added I/O, that with most first."""

    source_id: int
    array: ObjectRef
    samples: tuple[ArraySample, ...]
    usual: UsualArrayLoad | None
    volumes: tuple[GrownVolume, ...]
    from_at: datetime
    to_at: datetime
