"""Rows of the store that evidence of the inventory is assembled from."""

from dataclasses import dataclass
from datetime import datetime

from gavel.findings.model import ObjectRef


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """A device on one connected host. group: the cluster, or the vCenter where the host is in none; vendor, model: as SCSI names them.

    paths, paths_down: listed ones, and those that do not work. module: driver of its adapter; None where paths name none.
    """

    id: int
    source: ObjectRef
    host: ObjectRef
    group: ObjectRef
    canonical_name: str
    vendor: str | None
    model: str | None
    queue_depth: int | None
    dsnro: int | None
    path_policy: str | None
    is_protocol_endpoint: bool
    paths: int
    paths_down: int
    module: str | None
    module_depth: int | None
    version: str | None
    build: str | None
    read_at: datetime

    @property
    def source_id(self) -> int:
        return self.source.id


@dataclass(frozen=True, slots=True)
class DownPath:
    """array: whose port it leads to, where the port is known."""

    device_id: int
    adapter_id: int | None
    name: str
    array: str | None


@dataclass(frozen=True, slots=True)
class AdapterPaths:
    """An adapter of which no path works, of two devices or more."""

    id: int
    host_id: int
    name: str
    paths: int
    devices: int


@dataclass(frozen=True, slots=True)
class DeviceOwner:
    """What is on a device name of a source: a datastore, else a volume. vms: that have disks there."""

    object: ObjectRef
    vms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRow:
    """A virtual disk that may be limited, full or on snapshots."""

    source_id: int
    disk: ObjectRef
    vm: ObjectRef
    host: ObjectRef | None
    datastore: ObjectRef | None
    controller_type: str
    iops_limit: int | None
    snapshot_depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedVolume:
    """A volume with QoS limits of its own that waited for one."""

    source_id: int
    volume: ObjectRef
    array: ObjectRef
    iops_limit: int | None
    bytes_per_s_limit: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedGroup:
    """A volume group with limits, of which a volume waited for one."""

    source_id: int
    name: str
    array: ObjectRef
    volumes: tuple[ObjectRef, ...]
    iops_limit: int | None
    bytes_per_s_limit: int | None


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A device of a host that had about as many I/Os in flight as its queue holds."""

    device_id: int
    source_id: int
    canonical_name: str
    is_nvme: bool


@dataclass(frozen=True, slots=True)
class PathUseRow:
    """I/O of one device of a host over its paths, per second."""

    device_id: int
    source_id: int
    canonical_name: str
    host: ObjectRef
    path_policy: str | None
    optimized_paths: int
    iops: float
    non_optimized_iops: float
