"""The environment while it is being built: growing lists, and the numbers that are handed out on the way."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

from gavel_lab.environment import (
    Array,
    ArrayHost,
    BareLoad,
    Cluster,
    Connection,
    Datacenter,
    Datastore,
    Directory,
    Environment,
    EsxiHost,
    Hba,
    HostDevice,
    Path,
    Pod,
    TargetPort,
    Transport,
    VCenter,
    VirtualDisk,
    Vm,
    Volume,
    VolumeGroup,
)
from gavel_lab.ids import Ids
from gavel_lab.plan import ClusterPlan, DatastorePlan
from gavel_lab.scale import Scale
from gavel_lab.settings import Settings

EPOCH_MS = 1_760_000_000_000  # "created" of the oldest volume


@dataclass
class Draft:
    """Lists ordered by index. Tuples of indexes inside a record are filled in by `freeze` where they grow later."""

    seed: int
    scale: Scale
    settings: Settings
    cluster_plans: tuple[ClusterPlan, ...]
    datastore_plans: tuple[DatastorePlan, ...]
    arrays: list[Array] = field(default_factory=list)
    ports: list[TargetPort] = field(default_factory=list)
    pods: list[Pod] = field(default_factory=list)
    volume_groups: list[VolumeGroup] = field(default_factory=list)
    volumes: list[Volume] = field(default_factory=list)
    directories: list[Directory] = field(default_factory=list)
    array_hosts: list[ArrayHost] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    bare_loads: list[BareLoad] = field(default_factory=list)
    vcenters: list[VCenter] = field(default_factory=list)
    datacenters: list[Datacenter] = field(default_factory=list)
    clusters: list[Cluster] = field(default_factory=list)
    hosts: list[EsxiHost] = field(default_factory=list)
    hbas: list[Hba] = field(default_factory=list)
    devices: list[HostDevice] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    datastores: list[Datastore] = field(default_factory=list)
    vms: list[Vm] = field(default_factory=list)
    disks: list[VirtualDisk] = field(default_factory=list)
    device_of: dict[tuple[int, int], int] = field(default_factory=dict)
    array_host_of: dict[tuple[int, int, bool], int] = field(default_factory=dict)  # (ESXi host, array, is NVMe)
    transport_of: dict[int, Transport] = field(default_factory=dict)  # by datastore index
    devices_of_host: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    datastores_of_host: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _moref_numbers: defaultdict[int, Iterator[int]] = field(default_factory=lambda: defaultdict(lambda: count(8)))
    _serial_numbers: defaultdict[int, Iterator[int]] = field(
        default_factory=lambda: defaultdict(lambda: count(0x11010))
    )
    _luns: defaultdict[int, Iterator[int]] = field(default_factory=lambda: defaultdict(lambda: count(1)))

    @property
    def ids(self) -> Ids:
        """Ids of this seed."""
        return Ids(self.seed)

    def moref(self, vcenter: int, kind: str) -> str:
        """The next managed object id of that kind ("host", "vm", "domain-c") on a vCenter."""
        number = next(self._moref_numbers[vcenter])
        return f"{kind}{number}" if kind[-2:-1] == "-" else f"{kind}-{number}"

    def next_lun(self, cluster: int) -> int:
        """The next LUN of a cluster: every host of it sees a volume under the same number."""
        return next(self._luns[cluster])

    def add_volume(self, array: int, name: str, size_bytes: int, **rest: object) -> int:
        """Create a volume; its serial is the array's prefix and the array's next number."""
        number = next(self._serial_numbers[array])
        volume = Volume(
            index=len(self.volumes),
            array=array,
            arrays=(array,),
            name=name,
            id=self.ids.uuid("volume", array, number),
            serial=f"{self.arrays[array].serial_prefix}{number:08X}",
            size_bytes=size_bytes,
            created_ms=EPOCH_MS + 60_000 * len(self.volumes),
        )
        self.volumes.append(replace(volume, **rest))  # type: ignore[arg-type]  # the caller names fields of Volume
        return volume.index

    def connect(self, array_host: int, volume: int, lun: int, *, nvme: bool, endpoint: int | None = None) -> None:
        """Connect a volume to a host on the host's array."""
        self.connections.append(
            Connection(
                index=len(self.connections),
                array=self.array_hosts[array_host].array,
                array_host=array_host,
                volume=volume,
                lun=lun,
                nsid=lun + 1 if nvme else None,
                protocol_endpoint=endpoint,
            )
        )

    def freeze(self) -> Environment:
        """The finished environment."""
        hosts = (
            replace(
                host,
                devices=tuple(self.devices_of_host[host.index]),
                datastores=tuple(self.datastores_of_host[host.index]),
            )
            for host in self.hosts
        )
        return Environment(
            seed=self.seed,
            arrays=tuple(self.arrays),
            ports=tuple(self.ports),
            pods=tuple(self.pods),
            volume_groups=tuple(self.volume_groups),
            volumes=tuple(self.volumes),
            directories=tuple(self.directories),
            array_hosts=tuple(self.array_hosts),
            connections=tuple(self.connections),
            bare_loads=tuple(self.bare_loads),
            vcenters=tuple(self.vcenters),
            datacenters=tuple(self.datacenters),
            clusters=tuple(self.clusters),
            hosts=tuple(hosts),
            hbas=tuple(self.hbas),
            devices=tuple(self.devices),
            paths=tuple(self.paths),
            datastores=tuple(self.datastores),
            vms=tuple(self.vms),
            disks=tuple(self.disks),
            device_of=self.device_of,
        )
