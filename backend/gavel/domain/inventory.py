"""What exists on a source at one moment: the snapshot that `Collector.inventory()` returns.

Every thing has a `key`, unique within its source and its kind, and used by samples to name the same thing. Keys never hold display names;
names may change. Compound keys join their parts with "/": a host device is `<host key>/<canonical name>`, a VM disk `<vm key>/<instance>`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from gavel.domain.labels import Label, LabelKind
from gavel.domain.tasks import VmTask
from gavel.domain.text import clean_text


class DatastoreType(StrEnum):
    VMFS = "vmfs"
    NFS = "nfs"
    VVOL = "vvol"
    VSAN = "vsan"
    OTHER = "other"


class Protocol(StrEnum):
    FC = "fc"
    ISCSI = "iscsi"
    NVME_FC = "nvme-fc"
    NVME_TCP = "nvme-tcp"
    NVME_RDMA = "nvme-rdma"
    LOCAL = "local"
    UNKNOWN = "unknown"


# --- one side: the array -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fact:
    """Shown as it is."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """`key` is the array's id, `version` that of its software; `facts`: what else a reader should know."""

    key: str
    name: str
    model: str | None
    version: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Pod:
    key: str
    name: str
    array_keys: tuple[str, ...]
    array_count: int


@dataclass(frozen=True, slots=True)
class Volume:
    """`serial` is 24 upper-case hex digits and the same on both arrays of a stretched pod; `vvol_id` from the vendor's vVol tag."""

    key: str
    name: str
    serial: str
    size_bytes: int | None
    pod_key: str | None
    volume_group: str | None
    is_protocol_endpoint: bool
    qos_iops_limit: int | None
    qos_bytes_per_s_limit: int | None
    vvol_id: str | None = None
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class VolumeGroup:
    """Volumes that share limits; `Volume.volume_group` is its name."""

    key: str
    name: str
    qos_iops_limit: int | None
    qos_bytes_per_s_limit: int | None


@dataclass(frozen=True, slots=True)
class PortHealth:
    """Health of a host's ports as reported by the array: `state` (`healthy`, `critical`, `unknown`, …) and its `detail`."""

    state: str
    detail: str | None


@dataclass(frozen=True, slots=True)
class ArrayHost:
    """A host object on the array; `key` is its name, the only identity the array gives it.

    managed_by: the array whose host it is, where it is not this one's (`is_local` false) and the array names the other.
    """

    key: str
    name: str
    personality: str | None
    is_local: bool
    wwns: tuple[str, ...]
    iqns: tuple[str, ...]
    nqns: tuple[str, ...]
    preferred_arrays: tuple[str, ...]
    port_health: PortHealth | None
    managed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Connection:
    """Volume presented to a host (or host group). Both by key; `volume_key` may name a volume the array did not list."""

    host_key: str | None
    host_group: str | None
    volume_key: str
    lun: int | None
    nsid: int | None


@dataclass(frozen=True, slots=True)
class ArrayPort:
    """line_rate_bytes_per_s: what its link carries one way at most; None where the array does not say how fast it is."""

    key: str
    wwn: str | None
    iqn: str | None
    nqn: str | None
    portal: str | None
    line_rate_bytes_per_s: int | None = None


@dataclass(frozen=True, slots=True)
class ArrayDirectory:
    """A managed directory of the array's file system; its samples carry the same key."""

    key: str
    name: str
    path: str | None


@dataclass(frozen=True, slots=True)
class DirectoryExport:
    """An NFS export of the array: what a datastore's remote path is matched with."""

    key: str
    export_name: str
    path: str | None
    directory: str | None
    enabled: bool


@dataclass(frozen=True, slots=True)
class ArrayInventory:
    array: ArrayInfo
    pods: tuple[Pod, ...]
    volumes: tuple[Volume, ...]
    hosts: tuple[ArrayHost, ...]
    connections: tuple[Connection, ...]
    ports: tuple[ArrayPort, ...]
    exports: tuple[DirectoryExport, ...]
    directories: tuple[ArrayDirectory, ...] = ()
    file_addresses: tuple[str, ...] = ()  # addresses NFS clients mount from
    volume_groups: tuple[VolumeGroup, ...] = ()


# --- the other side: vCenter ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VcenterInfo:
    """`key` is the instance UUID: a vCenter restored from a backup keeps it, another one behind the same name does not."""

    key: str
    name: str
    version: str
    build: str
    api_version: str


@dataclass(frozen=True, slots=True)
class Cluster:
    key: str
    name: str
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class HostOption:
    """An advanced option of a host. least, most, usual: its range and default as that host defines them; None: not read."""

    value: int
    least: int | None = None
    most: int | None = None
    usual: int | None = None


@dataclass(frozen=True, slots=True)
class EsxiHost:
    """`options`: those that rules read, by name ("Disk.QFullSampleSize"). `ntp_running`: None where the service was not read."""

    key: str
    name: str
    hardware_uuid: str | None
    cluster_key: str | None
    version: str | None
    build: str | None
    connection_state: str
    in_maintenance: bool
    ntp_running: bool | None = None
    options: Mapping[str, HostOption] = field(default_factory=dict)
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Hba:
    """`key` = `<host key>/<vmhbaN>`. `queue_depth` is the module's per-LUN depth where it could be read."""

    key: str
    host_key: str
    device: str
    driver: str | None
    model: str | None
    protocol: Protocol
    address: str | None  # WWPN, iqn or nqn
    queue_depth: int | None


@dataclass(frozen=True, slots=True)
class HostDevice:
    """A LUN or namespace as one host sees it. `queue_depth` from inventory; `dsnro`, `path_policy` where they could be read.

    queue_full_sample_size, queue_full_threshold: of adaptive queue depth, set on the device itself; 0: by the host's options.
    """

    key: str
    host_key: str
    canonical_name: str
    vendor: str | None
    model: str | None
    queue_depth: int | None
    dsnro: int | None
    path_policy: str | None
    is_protocol_endpoint: bool
    is_flash: bool | None = None
    queue_full_sample_size: int | None = None
    queue_full_threshold: int | None = None


# States of paths that carry no I/O, as VMware words them. A path that works is no more than one that the policy uses just now: of a device
# with optimized paths the others work only when those are gone.
DOWN_STATES = ("dead", "disabled", "off")


@dataclass(frozen=True, slots=True)
class Path:
    """`key` = `<host key>/<adapter, target and device>`, which outlives a reboot; where a target is not known, the runtime name.

    `name`: what the inventory calls it, its runtime name such as "vmhba2:C0:T0:L1". `counter`: the instance that its counters
    are served under, None where none fits.
    """

    key: str
    host_device_key: str
    hba_key: str | None
    target: str | None
    state: str
    is_optimized: bool | None
    name: str
    counter: str | None


@dataclass(frozen=True, slots=True)
class UnknownPath:
    """Counters of a path that fit no path of the inventory. `key` = `<host key>/<counter>`; `path_names`: the runtime names
    of the device's paths that no counter fits either."""

    key: str
    host_key: str
    counter: str
    path_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Datastore:
    """`extents` are canonical device names in order; NFS has `nfs_host`/`nfs_path`, vVol its container id instead.

    sioc_*: Storage I/O Control and the latency from which it throttles; None where the datastore has none or it was not read.
    """

    key: str
    name: str
    type: DatastoreType
    uuid: str | None
    capacity_bytes: int | None
    extents: tuple[str, ...]
    host_keys: tuple[str, ...]
    nfs_host: str | None = None
    nfs_path: str | None = None
    vvol_container_id: str | None = None
    vvol_array_ids: tuple[str, ...] = ()
    sioc_enabled: bool | None = None
    sioc_threshold_ms: int | None = None
    labels: tuple[Label, ...] = ()


class ToolsState(StrEnum):
    """Of VMware Tools in a guest: without them running, a VM has no addresses and no DNS name."""

    RUNNING = "running"
    NOT_RUNNING = "not_running"
    NOT_INSTALLED = "not_installed"


@dataclass(frozen=True, slots=True)
class Vm:
    """`dns_name`, `ip_addresses`: as the guest reports them, the primary address first. `folder`: names from the datacenter down, joined by
    "/"; `resource_pool`: likewise from below the cluster's own pool, which is "Resources"."""

    key: str
    name: str
    instance_uuid: str | None
    power_state: str
    host_key: str | None
    bios_uuid: str | None = None
    dns_name: str | None = None
    ip_addresses: tuple[str, ...] = ()
    tools_state: ToolsState | None = None
    folder: str | None = None
    resource_pool: str | None = None
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class VmDisk:
    """`instance` is the counters' own name (`scsi0:1`). `device_name` is set for an RDM, `vvol_id` for a vVol disk. `io_filters`: attached
    to it, by name, or by id where no cluster lists them.
    snapshot_depth: None where it was not read, and neither were limit and filters.
    """

    key: str
    vm_key: str
    instance: str
    label: str
    controller_type: str
    capacity_bytes: int | None
    datastore_key: str | None
    backing_path: str | None
    backing_uuid: str | None
    device_name: str | None
    vvol_id: str | None
    iops_limit: int | None
    snapshot_depth: int | None
    io_filters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HostInventory:
    """`withheld`: what the vCenter keeps from the account, each a sentence with what to do about it. `tasks`: those that run, and
    those that ended within hours; `tasks_are_read`: none of them is missing. `kept_labels`: kinds of labels that were not all read, so
    that one that is missing may still be there.
    """

    vcenter: VcenterInfo
    clusters: tuple[Cluster, ...]
    hosts: tuple[EsxiHost, ...]
    hbas: tuple[Hba, ...]
    devices: tuple[HostDevice, ...]
    paths: tuple[Path, ...]
    datastores: tuple[Datastore, ...]
    vms: tuple[Vm, ...]
    disks: tuple[VmDisk, ...]
    withheld: tuple[str, ...] = ()
    unknown_paths: tuple[UnknownPath, ...] = ()
    tasks: tuple[VmTask, ...] = ()
    tasks_are_read: bool = True
    kept_labels: frozenset[LabelKind] = frozenset()


Inventory: TypeAlias = ArrayInventory | HostInventory


@dataclass(frozen=True, slots=True)
class InventoryTaken:
    """An inventory with the moment it was true, by Gavel's clock. Every text in it is clean, whatever the source sent."""

    inventory: Inventory
    taken_at: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "inventory", _clean(self.inventory))


def _clean(value: Any) -> Any:
    """The value with every text in it as the database and terminals take it; the same object where nothing differs."""
    if type(value) is str:
        return clean_text(value)
    if isinstance(value, tuple):
        cleaned = tuple(map(_clean, value))
        return value if all(new is old for new, old in zip(cleaned, value, strict=True)) else cleaned
    if isinstance(value, Mapping):
        return {_clean(name): _clean(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        given = {name: getattr(value, name) for name in value.__dataclass_fields__}
        changed = {name: new for name, old in given.items() if (new := _clean(old)) is not old}
        return replace(value, **changed) if changed else value
    return value
