"""What exists in the lab: arrays, vCenters and everything between them, as frozen records.

Conventions, the same for every record:

- `index` is the position of the record in the tuple of that kind in `Environment`, and it is the row number the model uses
  (`Model.read(By.DEVICE, [device.index], ...)`). References to other records are such indexes, never objects:
  `environment.volumes[disk.volumes[0]]`.
- Ids (uuids, serials, morefs, WWNs) are functions of the seed and the record's place, so two builds are equal.
- Sizes are bytes, times are microseconds (`_us`) or seconds (`_s`), depths are numbers of I/Os.
- `gavel_lab.build.build_environment(seed, scale, settings)` makes one.
- What changes with time is *not* here: where a VM runs is `Placement`, a device's depth during a story is
  `Model.device_depths`, a renamed volume is a fault. The records hold the value outside of any story.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gavel_lab.array_records import (
    Array,
    ArrayHost,
    BareLoad,
    Connection,
    CountedOn,
    Directory,
    Pod,
    TargetPort,
    Transport,
    Volume,
    VolumeGroup,
)

__all__ = [
    "Array",
    "ArrayHost",
    "BareLoad",
    "Cluster",
    "Connection",
    "ControllerKind",
    "CountedOn",
    "Datacenter",
    "Datastore",
    "DatastoreKind",
    "Directory",
    "Environment",
    "EsxiHost",
    "Hba",
    "HostDevice",
    "LatestMeans",
    "Path",
    "Pod",
    "Rounding",
    "TargetPort",
    "Transport",
    "VCenter",
    "VirtualDisk",
    "Vm",
    "Volume",
    "VolumeGroup",
]

DatastoreKind = Literal["vmfs", "vvol", "nfs"]
ControllerKind = Literal["pvscsi", "lsi", "nvme"]
Rounding = Literal["round", "truncate"]
LatestMeans = Literal["mean", "last_second"]


# --- vCenter --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VCenter:
    """A vCenter: one source. The last settings say how its hosts' counters are quantised (`gavel_lab.quantise`)."""

    index: int
    name: str
    version: str  # "8.0.3"
    build: str
    api_version: str  # "8.0.3.0"
    instance_uuid: str
    username: str
    password: str
    has_microsecond_family: bool  # storage.latency.* of vSphere 9
    ms_rounding: Rounding
    latest_means: LatestMeans
    slots_fill_s: float  # from the end of a real-time sample until all groups of its counters are there


@dataclass(frozen=True)
class Datacenter:
    """A datacenter with the folders the inventory path needs."""

    index: int
    vcenter: int
    moref: str
    name: str
    vm_folder_moref: str
    host_folder_moref: str
    datastore_folder_moref: str
    network_folder_moref: str


@dataclass(frozen=True)
class Cluster:
    """A cluster of ESXi hosts that share their datastores."""

    index: int
    vcenter: int
    datacenter: int
    moref: str
    name: str
    resource_pool_moref: str
    hosts: tuple[int, ...]


@dataclass(frozen=True)
class Hba:
    """A storage adapter of a host. Row of By.ADAPTER. Initiator: wwpn (and wwnn), iqn or nqn by transport."""

    index: int
    host: int
    name: str  # "vmhba1"
    driver: str  # "nfnic", "lpfc", "qlnativefc", "iscsi_vmk", "nvmetcp"
    model: str
    pci: str
    transport: Transport
    wwnn: str | None
    wwpn: str | None
    iqn: str | None
    nqn: str | None
    lun_queue_depth: int  # what the driver gives each device
    parameter: str | None  # the module parameter that sets it
    parameter_value: str  # "" where it was never set
    queue_size: int | None  # NVMe controllers only
    number_of_queues: int | None


@dataclass(frozen=True)
class EsxiHost:
    """An ESXi host."""

    index: int
    vcenter: int
    cluster: int
    name: str
    moref: str
    uuid: str
    version: str
    build: str
    model: str
    cpu_cores: int
    memory_bytes: int
    address: str
    hbas: tuple[int, ...]
    devices: tuple[int, ...]  # HostDevice indexes
    datastores: tuple[int, ...]


@dataclass(frozen=True)
class HostDevice:
    """A device as one host sees it: volume x host. Row of By.DEVICE."""

    index: int
    host: int
    volume: int  # the endpoint's volume for a protocol endpoint
    name: str  # canonical name: "naa.624a9370..." or "eui.00..."
    uuid: str  # scsiLun.uuid; RDMs refer to it
    key: str  # scsiLun.key
    lun: int
    transport: Transport
    is_protocol_endpoint: bool
    plugin: Literal["NMP", "HPP"]
    policy: str  # "VMW_PSP_RR" (NMP) or "LB-RR" (HPP)
    storage_array_type: str  # "VMW_SATP_ALUA"; "" under HPP
    max_queue_depth: int  # Device Max Queue Depth (scsiLun.queueDepth), outside of stories
    dsnro: int  # No of outstanding IOs with competing worlds
    paths: tuple[int, ...]


@dataclass(frozen=True)
class Path:
    """One path of a host device: HBA to target port. Row of By.PATH. `optimized` is its ALUA state."""

    index: int
    device: int
    hba: int
    port: int
    array: int
    name: str  # "vmhba1:C0:T2:L4"
    uid: str  # adapter, target and device identifiers joined: instance of the storagePath counters
    optimized: bool


@dataclass(frozen=True)
class Datastore:
    """A datastore. VMFS: `extents` are volumes (NVMe namespaces: `is_nvme`); NFS: `directory`; vVol: `endpoint`."""

    index: int
    vcenter: int
    datacenter: int
    cluster: int
    name: str
    moref: str
    kind: DatastoreKind
    uuid: str  # VMFS uuid "xxxxxxxx-xxxxxxxx-xxxx-xxxxxxxxxxxx", vVol container id, or NFS id: instance of datastore.*
    url: str
    capacity_bytes: int
    free_bytes: int
    extents: tuple[int, ...]
    is_nvme: bool
    directory: int | None
    endpoint: int | None  # volume index of the vVol protocol endpoint
    array: int
    hosts: tuple[int, ...]
    story: str | None  # name of the story that plays here (gavel_lab.stories)


@dataclass(frozen=True)
class Vm:
    """A virtual machine. Where it runs at an instant: `Placement.host_of`; `home_host` is where it starts the hour."""

    index: int
    vcenter: int
    cluster: int
    name: str
    moref: str
    instance_uuid: str
    bios_uuid: str
    home_host: int
    is_powered_on: bool
    guest_id: str
    cpus: int
    memory_mb: int
    datastore: int  # where its configuration lives
    disks: tuple[int, ...]
    commute: tuple[tuple[int, int], ...]  # (minute of the hour, host): vMotions of the schedule, every hour


@dataclass(frozen=True)
class VirtualDisk:
    """A virtual disk. Row of By.DISK. `instance` is the one of the virtualDisk counters."""

    index: int
    vm: int
    key: int
    label: str
    controller: ControllerKind
    controller_key: int
    bus: int
    unit: int
    capacity_bytes: int
    datastore: int  # of an RDM: where its mapping file lies
    volumes: tuple[int, ...]  # what holds the data: one, or all extents; empty on NFS
    directory: int | None
    file_name: str  # "[datastore] vm/vm_1.vmdk"
    backing_uuid: str
    is_thin: bool
    is_rdm: bool
    rdm_mode: Literal["physicalMode", "virtualMode"] | None
    vvol_id: str | None  # backingObjectId
    iops_limit: int | None  # storageIOAllocation.limit
    queue_depth: int  # virtual disk queue limit (64 on PVSCSI, 32 on LSI); not visible in vCenter
    workload: str  # profile in gavel_lab.workloads; also the part the disk plays in a story
    io_filter: str | None = None  # id of the I/O filter that is attached to it

    @property
    def instance(self) -> str:
        """`scsi0:1` or `nvme0:1`."""
        return f"{'nvme' if self.controller == 'nvme' else 'scsi'}{self.bus}:{self.unit}"


# --- everything -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Environment:
    """The whole lab. Every tuple is ordered by `index`."""

    seed: int
    arrays: tuple[Array, ...]
    ports: tuple[TargetPort, ...]
    pods: tuple[Pod, ...]
    volume_groups: tuple[VolumeGroup, ...]
    volumes: tuple[Volume, ...]
    directories: tuple[Directory, ...]
    array_hosts: tuple[ArrayHost, ...]
    connections: tuple[Connection, ...]
    bare_loads: tuple[BareLoad, ...]
    vcenters: tuple[VCenter, ...]
    datacenters: tuple[Datacenter, ...]
    clusters: tuple[Cluster, ...]
    hosts: tuple[EsxiHost, ...]
    hbas: tuple[Hba, ...]
    devices: tuple[HostDevice, ...]
    paths: tuple[Path, ...]
    datastores: tuple[Datastore, ...]
    vms: tuple[Vm, ...]
    disks: tuple[VirtualDisk, ...]
    device_of: Mapping[tuple[int, int], int] = field(repr=False)  # (host, volume) -> HostDevice index

    def device(self, host: int, volume: int) -> HostDevice:
        """The device through which `host` reaches `volume` (for a vVol: ask with its endpoint's volume)."""
        return self.devices[self.device_of[host, volume]]
