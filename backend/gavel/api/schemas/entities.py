"""Datastores, VMs, hosts and volumes: lists and single ones."""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.common import Out, Page, Ref, Sides
from gavel.api.schemas.labels import GuestFactsOut, LabelOut, OwnerOut


class Match(Out):
    """How a host-side object was matched to the array, or why not and the remedy. `needs_action`: a match is expected."""

    matched: bool
    by: Literal["naa", "eui", "rdm", "vvol_tag", "nfs_export"] | None
    reason: str | None
    remedy: str | None
    needs_action: bool


class DatastoreRow(Out):
    id: int
    name: str
    type: str
    vcenter: Ref
    hosts: int
    vms: int
    volumes: list[Ref]
    arrays: list[Ref]
    match: Match
    owner: OwnerOut | None
    newest: Sides


class DeviceNumbersOut(Out):
    """The newest minute of a device, as its host counts it.

    `in_flight_ios`: operations per second × DAVG, null where that is counted in whole ms.
    `depth_in_force`: the largest that the host reported in that minute; null where it reports none.
    """

    iops: float | None
    gavg_us: float | None
    precision_us: int | None
    in_flight_ios: float | None
    depth_in_force: int | None


class PathPolicyOut(Out):
    """How ESXi chooses among paths. `text`: as ESXi writes it. `by`: it changes the path after so many I/Os (`iops`), or by latency."""

    text: str
    plugin: str
    by: Literal["iops", "latency"] | None
    iops: int | None


class DeviceOut(Out):
    """A device on one host. `queue_depth`, in I/Os, is what is set; `dsnro` where it could be read."""

    id: int
    host: Ref
    canonical_name: str
    queue_depth: int | None
    dsnro: int | None
    path_policy: PathPolicyOut | None
    paths_total: int
    paths_working: int
    volume: Ref | None
    match: Match
    newest: DeviceNumbersOut


class DatastoreOut(Out):
    id: int
    name: str
    type: str
    uuid: str | None
    capacity_bytes: int | None
    vcenter: Ref
    match: Match
    extents: list[str]
    nfs_export: str | None
    volumes: list["VolumeRow"]
    devices: list[DeviceOut]
    vms: list[Ref]
    owner: OwnerOut | None
    labels: list[LabelOut]
    newest: Sides


class VolumePartsOut(Out):
    """What `array_internal_us` consists of, over all operations of the newest minute; `mirrored_write_us`: all of it of mirrored writes."""

    service_us: float | None
    queue_us: float | None
    qos_us: float | None
    mirrored_write_us: float | None


class VolumeRow(Out):
    """`stretched`: on two arrays under one serial; host counters include I/Os to both. `is_protocol_endpoint`: carries vVols,
    whose I/Os are counted on their own volumes."""

    id: int
    name: str
    serial: str
    array: Ref
    pod: Ref | None
    stretched: bool
    size_bytes: int | None
    qos_iops_limit: int | None
    qos_bytes_per_s_limit: int | None
    is_protocol_endpoint: bool
    datastores: list[Ref]
    owner: OwnerOut | None
    newest: Sides
    parts: VolumePartsOut


class VmRow(Out):
    id: int
    name: str
    power_state: str
    vcenter: Ref
    host: Ref | None
    cluster: Ref | None
    datastores: list[Ref]
    disks: int
    guest: GuestFactsOut
    labels: list[LabelOut]
    owner: OwnerOut | None
    application: OwnerOut | None
    newest: Sides


class VmDiskOut(Out):
    """`queue_limit`: outstanding I/Os that its controller allows at the disk; null where the kind of controller has no known limit."""

    id: int
    instance: str
    label: str
    controller_type: str
    capacity_bytes: int | None
    datastore: Ref | None
    device: str | None
    volume: Ref | None
    match: Match
    iops_limit: int | None
    queue_limit: int | None
    snapshot_depth: int


class VmOut(VmRow):
    vm_disks: list[VmDiskOut]


class HostRow(Out):
    id: int
    name: str
    vcenter: Ref
    cluster: Ref | None
    version: str | None
    build: str | None
    connection_state: str
    in_maintenance: bool
    devices: int
    vms: int
    owner: OwnerOut | None
    newest: Sides


class HbaOut(Out):
    id: int
    device: str
    driver: str | None
    model: str | None
    protocol: str
    address: str | None
    queue_depth: int | None


class HostOut(HostRow):
    hbas: list[HbaOut]
    host_devices: list[DeviceOut]
    first_seen: AwareDatetime
    last_seen: AwareDatetime
    labels: list[LabelOut]


class VolumeOut(VolumeRow):
    connected_hosts: list[str]
    peers: list[VolumeRow]
    devices: list[DeviceOut]
    labels: list[LabelOut]


class SearchHit(Out):
    ref: Ref
    context: str


class FactOut(Out):
    """Shown as it is."""

    label: str
    value: str


class ArrayRow(Out):
    """`version`: of the array's software. `facts`: what else the array says of itself, in its vendor's words."""

    id: int
    name: str
    source: Ref
    model: str | None
    version: str
    facts: list[FactOut]
    volumes: int
    hosts: int
    pods: int
    newest: Sides


class PodOut(Out):
    """`arrays`: those of its arrays that Gavel polls."""

    id: int
    name: str
    stretched: bool
    volumes: int
    arrays: list[Ref]


class PortHealthOut(Out):
    """Health of a host's ports as reported by the array: `state` (`healthy`, `critical`, `unknown`, …) and its `detail`."""

    state: str
    detail: str | None


class ArrayHostOut(Out):
    """A host object of the array. The ports of a host that is not its own (`is_local` false) are not known to it; `managed_by`: the array
    whose host it is, where it is named.
    """

    name: str
    personality: str | None
    is_local: bool
    port_health: PortHealthOut | None
    managed_by: str | None
    preferred_arrays: list[str]


class ArrayOut(ArrayRow):
    pod_list: list[PodOut]
    array_hosts: list[ArrayHostOut]


UnmatchedKind = Literal["datastore", "device", "virtual_disk", "path", "volume", "export"]


class UnmatchedRow(Out):
    """An object that is on one side only. `shown_at`: the object whose page has details; `hosts`: names of those that see it.

    `needs_action` is false where no polled array can be behind it, or no polled host in front of it.
    """

    kind: UnmatchedKind
    id: int
    name: str
    source: Ref
    shown_at: Ref
    hosts: list[str]
    reason: str
    remedy: str
    needs_action: bool


class UnmatchedCount(Out):
    kind: UnmatchedKind
    needs_action: int
    expected: int


class UnmatchedPage(Page[UnmatchedRow]):
    """`counts`: totals of every kind, regardless of the filters."""

    counts: list[UnmatchedCount]
