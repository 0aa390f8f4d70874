"""What rules look at of things that several VMs or paths share. Rates per second, times in µs per I/O. None: not measured."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from gavel.findings.model import ObjectRef

# What is slower is compared with the quietest of these times before it, each as long as itself, with I/O in so many of its minutes.
SHARED_WIDTH = timedelta(minutes=10)
QUIET_BEFORE = tuple(timedelta(minutes=minutes) for minutes in (20, 60, 180, 480, 1440))
LEAST_QUIET_MINUTES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLoad:
    """A VM's I/O on the shared object, now and in the quiet reference before. us: latency of its own disks there.

    minutes: in which it did I/O now. normal_iops is 0 where the VM had no I/O there; normal_us None then.
    """

    vm: ObjectRef
    iops: float
    bytes_per_s: float
    us: float | None
    minutes: int
    normal_iops: float
    normal_bytes_per_s: float
    normal_us: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedObject:
    """A device queue of one host, or a volume with all its hosts, whose wait per I/O rose against a quiet time before.

    where: "queue" or "volume". carried: the datastore on it. loads: VMs with I/O now, the busiest first. The reference is
    [normal_from_at, normal_to_at).
    """

    source_id: int
    object: ObjectRef
    where: Literal["queue", "volume"]
    host: ObjectRef | None
    carried: ObjectRef | None
    us: float
    normal_us: float
    loads: tuple[SharedLoad, ...]
    from_at: datetime
    to_at: datetime
    normal_from_at: datetime
    normal_to_at: datetime


@dataclass(frozen=True, slots=True)
class PathShare:
    """A working, optimized path with its mean IOPS. samples: of five minutes each."""

    name: str
    adapter: str | None
    target: str | None
    iops: float
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PathBalance:
    """Active paths of one device on one host over an hour. object: the datastore or volume on it, or the device itself."""

    source_id: int
    object: ObjectRef
    host: ObjectRef
    canonical_name: str
    path_policy: str
    paths: tuple[PathShare, ...]
    from_at: datetime
    to_at: datetime

    @property
    def iops(self) -> float:
        return sum(path.iops for path in self.paths)
