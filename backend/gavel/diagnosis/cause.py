"""The cause of an excess: which object and which binding limit are behind it, how sure that is, and the numbers it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from gavel.db.queries.refs import EntityRef
from gavel.domain.io_path import Confidence
from gavel.findings.binding import BINDING_SHARE

LimitUnit = Literal["IOPS", "I/Os", "bytes/s"]


class CauseKind(StrEnum):
    """What holds the I/Os back; of `NO_SINGLE_CAUSE` nothing that explains half of it, or nothing whose limit binds."""

    IOPS_LIMIT = "iops_limit"
    VIRTUAL_DISK_QUEUE_FULL = "virtual_disk_queue_full"
    SNAPSHOT_CHAIN = "snapshot_chain"
    IO_FILTER = "io_filter"
    TASK = "task"
    HOST_CPU = "host_cpu"
    DEVICE_QUEUE_FULL = "device_queue_full"
    COMPETING_WORLDS = "competing_worlds"
    PATHS_DOWN = "paths_down"
    NON_OPTIMIZED_IO = "non_optimized_io"
    TARGET_PORT = "target_port"
    SLOW_PATH = "slow_path"
    ONE_HOST = "one_host"
    QOS_LIMIT = "qos_limit"
    ARRAY_LOAD = "array_load"
    VOLUME_LOAD = "volume_load"
    UNMONITORED_INITIATORS = "unmonitored_initiators"
    NO_SINGLE_CAUSE = "no_single_cause"


LABELS = {
    CauseKind.IOPS_LIMIT: "IOPS limit",
    CauseKind.VIRTUAL_DISK_QUEUE_FULL: "Virtual disk queue full",
    CauseKind.SNAPSHOT_CHAIN: "Snapshot chain",
    CauseKind.IO_FILTER: "I/O filter",
    CauseKind.TASK: "Task",
    CauseKind.HOST_CPU: "Host CPU",
    CauseKind.DEVICE_QUEUE_FULL: "Device queue full",
    CauseKind.COMPETING_WORLDS: "Competing worlds (DSNRO)",
    CauseKind.PATHS_DOWN: "Paths down",
    CauseKind.NON_OPTIMIZED_IO: "I/O on non-optimized paths",
    CauseKind.TARGET_PORT: "Target port",
    CauseKind.SLOW_PATH: "Slow path",
    CauseKind.ONE_HOST: "One host",
    CauseKind.QOS_LIMIT: "QoS limit",
    CauseKind.ARRAY_LOAD: "Array load",
    CauseKind.VOLUME_LOAD: "Load of a volume",
    CauseKind.UNMONITORED_INITIATORS: "Unmonitored initiators",
    CauseKind.NO_SINGLE_CAUSE: "No single cause",
}
# Finding rules that raise on the same threshold.
FINDINGS = {
    CauseKind.IOPS_LIMIT: "iops-limit-at-work",
    CauseKind.QOS_LIMIT: "iops-limit-at-work",
    CauseKind.VIRTUAL_DISK_QUEUE_FULL: "virtual-disk-queue-full",
    CauseKind.SNAPSHOT_CHAIN: "snapshot-chain",
    CauseKind.TASK: "task-running",
    CauseKind.DEVICE_QUEUE_FULL: "device-queue-full",
    CauseKind.COMPETING_WORLDS: "competing-worlds",
    CauseKind.PATHS_DOWN: "paths-down",
    CauseKind.NON_OPTIMIZED_IO: "non-optimized-io",
    CauseKind.TARGET_PORT: "fan-in-over-port",
    CauseKind.UNMONITORED_INITIATORS: "unmonitored-initiators",
}


# What to do first, without a full stop: of the findings with the same threshold their first advice, which says more once one is open.
ACTIONS = {
    CauseKind.IOPS_LIMIT: "Leave it, if the limit is meant to hold this disk back; otherwise raise or remove it",
    CauseKind.QOS_LIMIT: "Leave it, if the limit protects other volumes; otherwise move VMs with much I/O elsewhere, or raise it",
    CauseKind.VIRTUAL_DISK_QUEUE_FULL: "Leave it, if the application is fast enough; otherwise spread its data over more virtual disks",
    CauseKind.SNAPSHOT_CHAIN: "Delete unused snapshots at a quiet hour, and consolidate",
    CauseKind.IO_FILTER: "Ask the owner of the filter what it waits for, and compare with a disk without it",
    CauseKind.TASK: "Let it finish: the wait ends with the task",
    CauseKind.HOST_CPU: "Move VMs that use much CPU to other hosts of the cluster",
    CauseKind.DEVICE_QUEUE_FULL: "Spread the busiest VMs over more datastores before any queue depth is raised",
    CauseKind.COMPETING_WORLDS: "Spread the VMs over more datastores before DSNRO is raised",
    CauseKind.PATHS_DOWN: "Repair adapter, cable or switch port of the paths that are down, then rescan",
    CauseKind.NON_OPTIMIZED_IO: "Check the path states, and whether a failover was never failed back",
    CauseKind.TARGET_PORT: "Check whether the link came up slower than port and switch can, then spread hosts over more target ports",
    CauseKind.SLOW_PATH: "Check the error counters of this adapter and its switch ports, and the cable between them",
    CauseKind.ONE_HOST: "Compare adapters, drivers and paths of this host with those of the other hosts",
    CauseKind.ARRAY_LOAD: "Move or postpone I/O that can wait; the volumes of the array, sorted by IOPS, show whose it is",
    CauseKind.VOLUME_LOAD: "Check what the busiest VM on this volume is running; move it if other VMs suffer",
    CauseKind.UNMONITORED_INITIATORS: "Check which hosts the array has connected to this volume, and add their vCenter under Sources",
}


@dataclass(frozen=True, slots=True)
class CauseObject:
    """Who or what is behind an excess, or where its limit is. `refs`: outermost first, itself last; empty for what has no page."""

    name: str
    refs: tuple[EntityRef, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseLimit:
    """A limit and how much of it was used, on average over the elevated minutes. is_derived: `used` is IOPS × latency, no counter.

    set_where: where somebody finds the setting; None of what is no setting.
    """

    name: str
    value: float
    used: float
    unit: LimitUnit
    is_derived: bool = False
    set_where: str | None = None

    @property
    def used_share(self) -> float:
        return self.used / self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseEvidence:
    """A number behind a cause, on average over the elevated minutes, with bounds where it has any."""

    label: str
    value: float
    unit: str
    is_derived: bool = False
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class TwinTest:
    """In how many of the elevated minutes the limit binds, and in how many of the normal minutes before."""

    elevated_minutes: int
    binding_minutes: int
    normal_minutes: int
    normal_binding_minutes: int

    @property
    def is_passed(self) -> bool:
        """Without a normal minute nothing contradicts; then it is not proven to be new."""
        binds = self.binding_minutes >= BINDING_SHARE * self.elevated_minutes
        return self.elevated_minutes > 0 and binds and self.normal_binding_minutes == 0

    @property
    def is_new(self) -> bool:
        return self.is_passed and self.normal_minutes > 0


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A number before an onset and after it; None: not measured."""

    label: str
    before: float | None
    after: float | None
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseChange:
    """What was new at the onset: the VM with at least half of the added I/O-time, if its own load grew. Normal minutes before, at most
    15, against the first 5 after."""

    object: CauseObject
    at: datetime
    added_share: float
    changes: tuple[NumberChange, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A possible cause. weight: which part of the layer's I/O-time it explains. share: of `share_of`, what `object` has.

    binds: passed the twin test, or needs none. is_new: did not bind in normal minutes before, of which there were some. is_counted: its
    limit stands in a counter of its own, or in the array's own time. headline: for a row of a table; text: the clause of a sentence,
    without a full stop. needs: what would make it the cause, or exclude it.
    """

    kind: CauseKind
    object: CauseObject | None
    object_count: int = 1
    on: CauseObject | None = None
    weight: float
    share: float | None = None
    share_of: str | None = None
    iops: float | None = None
    limit: CauseLimit | None = None
    twin: TwinTest | None = None
    binds: bool
    is_new: bool
    is_counted: bool
    evidence: tuple[CauseEvidence, ...] = ()
    headline: str
    text: str
    needs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What is behind an excess. confidence: of the cause, not of the layer; None with no single cause, when `candidates` has the top three.

    from_at, to_at: the elevated minutes that it was decided on.
    """

    kind: CauseKind
    confidence: Confidence | None
    headline: str
    text: str
    object: CauseObject | None = None
    object_count: int = 0
    on: CauseObject | None = None
    share: float | None = None
    share_of: str | None = None
    iops: float | None = None
    limit: CauseLimit | None = None
    twin: TwinTest | None = None
    evidence: tuple[CauseEvidence, ...] = ()
    changed: CauseChange | None = None
    candidates: Sequence[Candidate] = ()
    from_at: datetime
    to_at: datetime

    @property
    def label(self) -> str:
        return LABELS[self.kind]

    @property
    def finding(self) -> str | None:
        return FINDINGS.get(self.kind)

    @property
    def action(self) -> str:
        """What to do first; "": nothing is known of it."""
        return ACTIONS.get(self.kind, "")

    @property
    def sentence(self) -> str:
        """ "Cause (confirmed): …" without a full stop."""
        if self.confidence is None:
            return self.text
        return f"Cause ({self.confidence.value}): {self.text}"
