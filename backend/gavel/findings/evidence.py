"""What rules look at: one record per object that may have a finding, loaded by sets and assembled before.

Rates are per second, times in µs per I/O, depths and outstanding in I/Os. None: not measured, or not read.
"""

from dataclasses import dataclass
from datetime import datetime

from gavel.findings.minutes import PartMinutes
from gavel.findings.model import ObjectRef

# --- inventory --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPathCount:
    """Paths of one object from one host. down: their names; left: those that work; least: of the device with the fewest working ones."""

    host: ObjectRef
    total: int
    down: tuple[str, ...]
    least: int

    @property
    def left(self) -> int:
        return self.total - len(self.down)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathEvidence:
    """Paths of a datastore, volume or device on the hosts of one cluster; or all paths of one adapter of a host (`adapter`).

    most: paths that the best connected of the hosts has. devices: canonical names. arrays: names of the arrays that the paths which are
    down lead to, where the array's ports are known. vms: that have disks there.
    """

    source_id: int
    object: ObjectRef
    adapter: str | None
    hosts: tuple[HostPathCount, ...]
    most: int
    devices: tuple[str, ...]
    arrays: tuple[str, ...]
    affected: tuple[ObjectRef, ...]
    vms: int
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSetting:
    """Settings of one device on one host. module: the adapter's driver, with its depth per device where it was read."""

    host: ObjectRef
    queue_depth: int | None
    dsnro: int | None
    path_policy: str | None
    module: str | None
    module_depth: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedDevice:
    """A device that several hosts see. object: the datastore or volume on it, or the device itself."""

    object: ObjectRef
    canonical_name: str
    vendor: str | None
    model: str | None
    hosts: tuple[HostSetting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSettings:
    """Devices whose hosts differ in one setting. object: the cluster of all these hosts, or their vCenter.

    name: a field of `HostSetting`: queue_depth, dsnro or path_policy.
    """

    source_id: int
    object: ObjectRef
    name: str
    devices: tuple[SharedDevice, ...]
    read_at: datetime


# --- the newest minutes -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedRate:
    """A virtual disk with an IOPS limit, a volume with a QoS limit, or a volume group with one. owner: the VM or the array. minutes:
    [from_at, to_at). group: name of the group whose limit it is; object then is the array, `volumes` are the group's, minutes their sums.
    """

    source_id: int
    object: ObjectRef
    owner: ObjectRef
    iops_limit: int | None
    bytes_per_s_limit: int | None
    minutes: PartMinutes
    from_at: datetime
    to_at: datetime
    group: str | None = None
    volumes: tuple[ObjectRef, ...] = ()

    @property
    def is_of_volume(self) -> bool:
        return self.object.kind == "volume"


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyDisk:
    """A virtual disk with many I/Os outstanding, or on snapshots. host, datastore: where it is now. minutes: [from_at, to_at)."""

    source_id: int
    disk: ObjectRef
    vm: ObjectRef
    host: ObjectRef | None
    datastore: ObjectRef | None
    controller_type: str
    iops_limit: int | None
    snapshot_depth: int
    minutes: PartMinutes
    from_at: datetime
    to_at: datetime


@dataclass(frozen=True, slots=True)
class QueueShare:
    """A VM with I/O in a device queue. share: of the queue's I/O; minutes: in which it did I/O."""

    vm: ObjectRef
    share: float
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FullQueue:
    """A device queue of a host that may be full. carried: datastore or volume on it; hosts: all that share the device, with this one.

    issuers: those with most I/O first; minutes: [from_at, to_at).
    """

    source_id: int
    device: ObjectRef
    host: ObjectRef
    carried: ObjectRef | None
    canonical_name: str
    configured: int | None
    dsnro: int | None
    is_nvme: bool
    hosts: tuple[HostSetting, ...]
    issuers: tuple[QueueShare, ...]
    minutes: PartMinutes
    from_at: datetime
    to_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeMatch:
    """I/O of a volume as its monitored hosts issued it and as its array counted it, per second over `minutes` whole minutes."""

    source_id: int
    volume: ObjectRef
    array: ObjectRef
    host_iops: float
    array_iops: float
    minutes: int
    from_at: datetime
    to_at: datetime


@dataclass(frozen=True, slots=True)
class HostPathUse:
    """I/O of one device from one host, per second. optimized_paths: working ones that are optimized."""

    host: ObjectRef
    optimized_paths: int
    iops: float
    non_optimized_iops: float
    path_policy: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathUse:
    """Hosts of one datastore, volume or device that have optimized and other paths to it."""

    source_id: int
    object: ObjectRef
    canonical_name: str
    hosts: tuple[HostPathUse, ...]
    from_at: datetime
    to_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePolicies:
    """Devices of one vendor and model in a cluster (or vCenter) that have the same path policy.

    hosts: with the canonical names of their devices; objects: datastores and volumes on these.
    """

    source_id: int
    object: ObjectRef
    vendor: str
    model: str
    path_policy: str
    hosts: tuple[tuple[ObjectRef, tuple[str, ...]], ...]
    objects: tuple[ObjectRef, ...]
    read_at: datetime
