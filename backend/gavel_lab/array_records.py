"""What exists on the arrays' side: the records `gavel_lab.environment` describes and hands on."""

from dataclasses import dataclass
from typing import Literal

Transport = Literal["fc", "iscsi", "nvme-tcp"]
CountedOn = Literal["one", "both"]

PURE_NAA_PREFIX = "naa.624a9370"


@dataclass(frozen=True)
class TargetPort:
    """One front-end port of an array. Exactly one of wwn, iqn and nqn is set; portal is `address:port` on Ethernet."""

    index: int
    array: int
    name: str  # "CT0.FC0", "CT1.ETH4"
    controller: str  # "CT0" or "CT1"
    transport: Transport
    wwn: str | None  # 16 upper-case hex digits without colons
    iqn: str | None
    nqn: str | None
    portal: str | None
    speed_bits_per_s: int  # of its link, as it came up: 32,000,000,000 for 32 Gbit/s

    @property
    def line_rate_bytes_per_s(self) -> float:
        """What its link carries one way: 100 MB/s a Gbit/s of Fibre Channel, whose encoding takes the rest; all of Ethernet's."""
        return self.speed_bits_per_s / (10 if self.transport == "fc" else 8)

    @property
    def is_side_b(self) -> bool:
        """Whether it hangs on fabric B (the odd ports), not A."""
        return int(self.name[-1]) % 2 == 1


@dataclass(frozen=True)
class Array:
    """A FlashArray: one source. `purity` decides the latency semantics, `rest_versions` the fields."""

    index: int
    name: str
    id: str  # uuid; its first 16 hex digits are the prefix of every serial created here
    purity: str  # "6.3.3"
    rest_versions: tuple[str, ...]  # ascending numerically, 1.x and 2.x mixed, as GET /api/api_version lists them
    model: str
    api_token: str
    username: str
    idle_timeout_ms: int
    file_address: str  # virtual interface that serves NFS exports
    ports: tuple[int, ...]  # TargetPort indexes

    @property
    def serial_prefix(self) -> str:
        """First 16 hex digits of the id, upper case: the head of the serial of every volume created on this array."""
        return self.id.replace("-", "")[:16].upper()

    @property
    def rest_version(self) -> str:
        """Newest REST version offered."""
        return self.rest_versions[-1]

    @property
    def queue_in_usec(self) -> bool:
        """Whether usec_per_*_op holds queue time: Purity 6.3.14 and later of 6.3, 6.4.10 and later, all newer lines."""
        version = tuple(int(part) for part in self.purity.split("."))
        return version >= (6, 3, 14) if version[:2] == (6, 3) else version >= (6, 4, 10)


@dataclass(frozen=True)
class Pod:
    """A pod; with two arrays it is stretched (ActiveCluster). `arrays[0]` is the preferred array of the ESXi hosts."""

    index: int
    name: str
    id: str
    arrays: tuple[int, ...]
    inter_array_round_trip_us: float  # part of the service time of every mirrored write
    remote_round_trip_us: float  # host to the non-preferred array and back
    mirrored_writes_counted_on: CountedOn


@dataclass(frozen=True)
class VolumeGroup:
    """A volume group; the lab has one per vVol VM, named as VMware's plug-in does."""

    index: int
    array: int
    name: str
    id: str
    vm: int | None  # the vVol VM it belongs to
    iops_limit: int | None = None  # QoS limit that its volumes share


@dataclass(frozen=True)
class Volume:
    """A volume, visible on every array of `arrays` under one serial. `name` is the full name ("pod::x", "group/x")."""

    index: int
    array: int  # where it was created: prefix of the serial
    arrays: tuple[int, ...]  # where it can be read and written: two for a stretched pod
    name: str
    id: str
    serial: str  # 24 upper-case hex digits
    size_bytes: int
    created_ms: int  # epoch milliseconds
    pod: int | None = None
    volume_group: int | None = None
    iops_limit: int | None = None
    bandwidth_limit_bytes: int | None = None
    is_protocol_endpoint: bool = False
    vvol_id: str | None = None  # tag PURE_VVOL_ID of a vVol's data volume
    vm_instance_uuid: str | None = None  # second tag of that namespace

    @property
    def naa(self) -> str:
        """Canonical SCSI device name."""
        return PURE_NAA_PREFIX + self.serial.lower()

    @property
    def eui(self) -> str:
        """Canonical NVMe device name."""
        serial = self.serial.lower()
        return f"eui.00{serial[:14]}24a937{serial[-10:]}"

    @property
    def is_stretched(self) -> bool:
        """Whether writes are mirrored writes."""
        return len(self.arrays) > 1


@dataclass(frozen=True)
class Directory:
    """A managed directory of FlashArray File with its NFS export."""

    index: int
    array: int
    name: str  # "fs-lab:root"
    id: str
    file_system: str
    path: str
    export_name: str


@dataclass(frozen=True)
class ArrayHost:
    """A host object on one array: an ESXi host (NVMe initiators in an object of their own) or a bare machine."""

    index: int
    array: int
    name: str
    wwns: tuple[str, ...]  # 16 upper-case hex digits without colons
    iqns: tuple[str, ...]
    nqns: tuple[str, ...]
    personality: str | None  # "esxi" or None
    esxi_host: int | None
    preferred_arrays: tuple[int, ...]


@dataclass(frozen=True)
class Connection:
    """A volume connected to a host on one array."""

    index: int
    array: int
    array_host: int
    volume: int
    lun: int
    nsid: int | None  # NVMe namespace id; ESXi shows LUN = nsid - 1
    protocol_endpoint: int | None  # the endpoint volume a vVol is bound through


@dataclass(frozen=True)
class BareLoad:
    """Load on a volume from a machine that is no ESXi host: volumes that nothing on the vCenter side explains."""

    index: int
    array_host: int
    volume: int
    workload: str  # profile in gavel_lab.workloads
