"""What questions about the environment are answered with. Null is "not measured"; latencies are op-weighted means in µs."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from gavel.db.queries.inventory_rows import GuestFacts, Owner
from gavel.db.queries.object_filter import NO_FILTER, ObjectFilter
from gavel.domain.inventory import Fact, PortHealth
from gavel.domain.labels import Label
from gavel.domain.path_policy import PathPolicy

Item = TypeVar("Item")


class RefKind(StrEnum):
    SOURCE = "source"
    ARRAY = "array"
    POD = "pod"
    VOLUME = "volume"
    VCENTER = "vcenter"
    CLUSTER = "cluster"
    HOST = "host"
    DATASTORE = "datastore"
    VM = "vm"
    VM_DISK = "vm_disk"
    DEVICE = "device"
    DIRECTORY = "directory"
    # Everything together: has no page and no row of its own.
    ENVIRONMENT = "environment"


class Sort(StrEnum):
    """Order of a list. The numbers are the newest ones; what has none comes last either way."""

    NAME = "name"
    LATENCY = "latency"
    IOPS = "iops"


class MatchBy(StrEnum):
    NAA = "naa"
    EUI = "eui"
    RDM = "rdm"
    VVOL_TAG = "vvol_tag"
    NFS_EXPORT = "nfs_export"


@dataclass(frozen=True, slots=True)
class EntityRef:
    """Something else by id and name, as a link needs it."""

    kind: RefKind
    id: int
    name: str


@dataclass(frozen=True, slots=True)
class ArrayMatch:
    """How a host-side object was matched to the array, or why not and the remedy. `needs_action`: a match is expected."""

    matched: bool
    by: MatchBy | None = None
    reason: str | None = None
    remedy: str | None = None
    needs_action: bool = False


@dataclass(frozen=True, slots=True)
class NewestSides:
    """The newest complete minute as both sides report it. Null is "not measured"; latencies are op-weighted means in µs.

    `array_*`: volumes and files together (files have no SAN part); `host_*` of an array: devices, and the virtual disks on its files.
    Those of a VM are its virtual disks': `host_gavg_us` is then their latency, and DAVG and KAVG are null.
    `array_read_us`, `array_write_us`: `array_internal_us` of reads and of writes by hosts alone.
    """

    at: datetime | None
    host_iops: float | None
    host_gavg_us: float | None
    host_davg_us: float | None
    host_kavg_us: float | None
    host_precision_us: int | None
    array_iops: float | None
    array_internal_us: float | None
    array_san_us: float | None
    array_read_us: float | None
    array_write_us: float | None


@dataclass(frozen=True, slots=True)
class RecordPage(Generic[Item]):
    """One page of a list; `total` counts all rows that match."""

    items: tuple[Item, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ListQuery:
    """`search` is a part of the name, without regard to case. `source_id` limits to one vCenter or array."""

    search: str = ""
    sort: Sort = Sort.NAME
    descending: bool = False
    limit: int = 100
    offset: int = 0
    source_id: int | None = None
    filter: ObjectFilter = NO_FILTER


@dataclass(frozen=True, slots=True)
class VolumeParts:
    """What `array_internal_us` consists of, over all operations of the newest minute; `mirrored_write_us`: all of it of mirrored writes."""

    service_us: float | None
    queue_us: float | None
    qos_us: float | None
    mirrored_write_us: float | None


@dataclass(frozen=True, slots=True)
class VolumeRecord:
    """`stretched`: on two arrays under one serial; host counters include I/Os to both. `is_protocol_endpoint`: carries vVols,
    whose I/Os are counted on their own volumes."""

    id: int
    name: str
    serial: str
    array: EntityRef
    pod: EntityRef | None
    stretched: bool
    size_bytes: int | None
    qos_iops_limit: int | None
    qos_bytes_per_s_limit: int | None
    is_protocol_endpoint: bool
    datastores: tuple[EntityRef, ...]
    owner: Owner | None
    newest: NewestSides
    parts: VolumeParts


@dataclass(frozen=True, slots=True)
class DeviceNumbers:
    """The newest minute of a device, as its host counts it.

    `in_flight_ios`: operations per second × DAVG, null where that is counted in whole ms.
    `depth_in_force`: the largest that the host reported in that minute; null where it reports none.
    """

    iops: float | None
    gavg_us: float | None
    precision_us: int | None
    in_flight_ios: float | None
    depth_in_force: int | None


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """A device on one host. `queue_depth`, in I/Os, is what is set; `dsnro` where it could be read."""

    id: int
    host: EntityRef
    canonical_name: str
    queue_depth: int | None
    dsnro: int | None
    path_policy: PathPolicy | None
    paths_total: int
    paths_working: int
    volume: EntityRef | None
    match: ArrayMatch
    newest: DeviceNumbers


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeDetail(VolumeRecord):
    """`peers`: the same serial on the other array of its pod."""

    connected_hosts: tuple[str, ...]
    peers: tuple[VolumeRecord, ...]
    devices: tuple[DeviceRow, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class DatastoreRecord:
    id: int
    name: str
    type: str
    vcenter: EntityRef
    hosts: int
    vms: int
    volumes: tuple[EntityRef, ...]
    arrays: tuple[EntityRef, ...]
    match: ArrayMatch
    owner: Owner | None
    newest: NewestSides


@dataclass(frozen=True, slots=True, kw_only=True)
class DatastoreDetail:
    id: int
    name: str
    type: str
    uuid: str | None
    capacity_bytes: int | None
    vcenter: EntityRef
    match: ArrayMatch
    extents: tuple[str, ...]
    nfs_export: str | None
    volumes: tuple[VolumeRecord, ...]
    devices: tuple[DeviceRow, ...]
    vms: tuple[EntityRef, ...]
    owner: Owner | None
    labels: tuple[Label, ...]
    newest: NewestSides


@dataclass(frozen=True, slots=True)
class VmRecord:
    id: int
    name: str
    power_state: str
    vcenter: EntityRef
    host: EntityRef | None
    cluster: EntityRef | None
    datastores: tuple[EntityRef, ...]
    disks: int
    guest: GuestFacts
    labels: tuple[Label, ...]
    owner: Owner | None
    application: Owner | None
    newest: NewestSides


@dataclass(frozen=True, slots=True)
class VmDiskRow:
    """`queue_limit`: outstanding I/Os that its controller allows at the disk; null where the kind of controller has no known limit."""

    id: int
    instance: str
    label: str
    controller_type: str
    capacity_bytes: int | None
    datastore: EntityRef | None
    device: str | None
    volume: EntityRef | None
    match: ArrayMatch
    iops_limit: int | None
    queue_limit: int | None
    snapshot_depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VmDetail(VmRecord):
    vm_disks: tuple[VmDiskRow, ...]


@dataclass(frozen=True, slots=True)
class HostRecord:
    id: int
    name: str
    vcenter: EntityRef
    cluster: EntityRef | None
    version: str | None
    build: str | None
    connection_state: str
    in_maintenance: bool
    devices: int
    vms: int
    owner: Owner | None
    newest: NewestSides


@dataclass(frozen=True, slots=True)
class HbaRow:
    id: int
    device: str
    driver: str | None
    model: str | None
    protocol: str
    address: str | None
    queue_depth: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDetail(HostRecord):
    hbas: tuple[HbaRow, ...]
    host_devices: tuple[DeviceRow, ...]
    first_seen: datetime
    last_seen: datetime
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class ArrayRecord:
    """`version`: of the array's software. `facts`: what else the array says of itself, in its vendor's words."""

    id: int
    name: str
    source: EntityRef
    model: str | None
    version: str
    facts: tuple[Fact, ...]
    volumes: int
    hosts: int
    pods: int
    newest: NewestSides


@dataclass(frozen=True, slots=True)
class PodRow:
    """`arrays`: those of its arrays that Gavel polls."""

    id: int
    name: str
    stretched: bool
    volumes: int
    arrays: tuple[EntityRef, ...]


@dataclass(frozen=True, slots=True)
class ArrayHostRow:
    """A host object of the array. The ports of a host that is not its own (`is_local` false) are not known to it; `managed_by`: the array
    whose host it is, where it is named.
    """

    name: str
    personality: str | None
    is_local: bool
    port_health: PortHealth | None
    managed_by: str | None
    preferred_arrays: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayDetail(ArrayRecord):
    pod_list: tuple[PodRow, ...]
    array_hosts: tuple[ArrayHostRow, ...]


class UnmatchedKind(StrEnum):
    """Sides: datastores, devices, virtual disks and counters of paths are the hosts', volumes and exports the arrays'."""

    DATASTORE = "datastore"
    DEVICE = "device"
    VIRTUAL_DISK = "virtual_disk"
    PATH = "path"
    VOLUME = "volume"
    EXPORT = "export"


@dataclass(frozen=True, slots=True)
class UnmatchedRecord:
    """An object that is on one side only. `shown_at`: the object whose page has details; `hosts`: names of those that see it.

    `needs_action` is false where no polled array can be behind it, or no polled host in front of it.
    """

    kind: UnmatchedKind
    id: int
    name: str
    source: EntityRef
    shown_at: EntityRef
    hosts: tuple[str, ...]
    reason: str
    remedy: str
    needs_action: bool


@dataclass(frozen=True, slots=True)
class UnmatchedQuery:
    """`search` is a part of the name, the reason or a host's name, without regard to case. None is no filter."""

    search: str = ""
    kind: UnmatchedKind | None = None
    needs_action: bool | None = None
    source_id: int | None = None
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class UnmatchedTotal:
    """Of one kind, whatever was asked for."""

    kind: UnmatchedKind
    needs_action: int
    expected: int


@dataclass(frozen=True, slots=True)
class UnmatchedRecords:
    """`total` counts all that fit the question; `counts` has every kind."""

    items: tuple[UnmatchedRecord, ...]
    total: int
    counts: tuple[UnmatchedTotal, ...]
