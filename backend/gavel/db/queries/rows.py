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
    kind: RefKind
    id: int
    name: str


@dataclass(frozen=True, slots=True)
class ArrayMatch:
    """How a host-side thing was tied to the array (`by`), or in words why it was not (`reason`) and what to do about it (`remedy`).

    `needs_action`: it should be tied; false where no array of Gavel's can be behind it, so that nothing is missing.
    """

    matched: bool
    by: MatchBy | None = None
    reason: str | None = None
    remedy: str | None = None
    needs_action: bool = False


@dataclass(frozen=True, slots=True)
class NewestSides:
    """The newest numbers as the two sides report them, over the minute before `at`. `host_precision_us`: step of the host's counters.

    `host_*` of a VM are its virtual disks': `host_gavg_us` is then the latency at the virtual disk, and DAVG and KAVG are null.
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
    """What `array_internal_us` of a volume consists of, of all its operations, and all of it of mirrored writes alone."""

    service_us: float | None
    queue_us: float | None
    qos_us: float | None
    mirrored_write_us: float | None


@dataclass(frozen=True, slots=True)
class VolumeRecord:
    """`is_protocol_endpoint`: carries vVols, whose I/Os are counted on their own volumes."""

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
    """Of the newest minute. `in_flight_ios`: operations per second × DAVG; `depth_in_force`: as the host reports it, in I/Os."""

    iops: float | None
    gavg_us: float | None
    precision_us: int | None
    in_flight_ios: float | None
    depth_in_force: int | None


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """A device on one host. `volume` is one of the volumes with its serial (a stretched one is on two arrays)."""

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


@dataclass(frozen=True, slots=True)
class VolumeDetail:
    """`peers`: the same serial on the other array of its pod."""

    row: VolumeRecord
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


@dataclass(frozen=True, slots=True)
class DatastoreDetail:
    row: DatastoreRecord
    uuid: str | None
    capacity_bytes: int | None
    extents: tuple[str, ...]
    nfs_export: str | None
    volumes: tuple[VolumeRecord, ...]
    devices: tuple[DeviceRow, ...]
    vms: tuple[EntityRef, ...]
    labels: tuple[Label, ...]


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


@dataclass(frozen=True, slots=True)
class VmDetail:
    row: VmRecord
    disks: tuple[VmDiskRow, ...]


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


@dataclass(frozen=True, slots=True)
class HostDetail:
    row: HostRecord
    hbas: tuple[HbaRow, ...]
    devices: tuple[DeviceRow, ...]
    first_seen_at: datetime
    last_seen_at: datetime
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class ArrayRecord:
    """`facts`: in the words of its vendor. Counts are of what is there."""

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
    """A host as the array knows it. managed_by: the other array whose host it is, where it is named."""

    name: str
    personality: str | None
    is_local: bool
    port_health: PortHealth | None
    managed_by: str | None
    preferred_arrays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArrayDetail:
    row: ArrayRecord
    pods: tuple[PodRow, ...]
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
    """What is on one side only. `shown_at`: whose page shows details. `hosts`: that see it or are connected to it, by name."""

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
