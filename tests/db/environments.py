"""A small environment with every kind of datastore, as the two sides tell it, and batches of samples for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.domain.inventory import (
    ArrayDirectory,
    ArrayHost,
    ArrayInfo,
    ArrayInventory,
    ArrayPort,
    Cluster,
    Connection,
    Datastore,
    DatastoreType,
    DirectoryExport,
    EsxiHost,
    Fact,
    Hba,
    HostDevice,
    HostInventory,
    Path,
    Pod,
    PortHealth,
    Protocol,
    VcenterInfo,
    Vm,
    VmDisk,
    Volume,
    VolumeGroup,
)
from gavel.domain.labels import Label, LabelKind
from gavel.domain.samples import COLUMNS, NOT_MEASURED, Int64Array, SampleBatch
from gavel.domain.source import Stream

VVOL = "rfc4122.6c1b16ce"


def serials(tag: int) -> list[str]:
    """Of volumes 0…14 and of the protocol endpoint; another tag, other volumes."""
    return [f"{tag:04X}B5CB91634C470002B2{n:02X}" for n in range(16)]


SERIALS = serials(0x9714)


def naa(serial: str) -> str:
    return f"naa.624a9370{serial.lower()}"


def eui(serial: str) -> str:
    return f"eui.00{serial[:14].lower()}24a937{serial[-10:].lower()}"


def volume(name: str, serial: str, **more: object) -> Volume:
    plain = Volume(
        key=f"id-{name}",
        name=name,
        serial=serial,
        size_bytes=2**40,
        pod_key=None,
        volume_group=None,
        is_protocol_endpoint=False,
        qos_iops_limit=None,
        qos_bytes_per_s_limit=None,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def array_inventory(key: str = "array-a", tag: int = 0x9714) -> ArrayInventory:
    """Volumes 0 (VMFS), 1+2 (multi-extent), 3 (NVMe), 4 (RDM), 5 (stretched), one vVol, a protocol endpoint; one NFS export."""
    serial = serials(tag)
    volumes = [volume(f"v{n}", serial[n], pod_key="pod" if n == 5 else None) for n in range(6)]
    volumes.append(volume("vvol-1", serial[6], vvol_id=f"{VVOL}-{tag}"))
    volumes.append(volume("pe", serial[15], is_protocol_endpoint=True))
    host = ArrayHost("esx-1", "esx-1", "esxi", True, ("52:4A:93:70",), (), (), (), PortHealth("healthy", None))
    return ArrayInventory(
        array=ArrayInfo(key, f"name of {key}", "FA-X70R3", "6.3.3", (Fact("Purity", "6.3.3"),)),
        pods=(Pod("pod", "pod", ("array-a", "array-b"), 2),),
        volumes=tuple(volumes),
        hosts=(host,),
        connections=tuple(Connection("esx-1", None, each.key, 1, None) for each in volumes),
        ports=(ArrayPort("CT0.FC0", "52:4A", None, None, None),),
        exports=(DirectoryExport("export", "nfs01", "/nfs01", "fs:root", enabled=True),),
        directories=(ArrayDirectory("dir-1", "fs:root", "/"),),
        file_addresses=(f"files-{tag}",),
        volume_groups=(VolumeGroup("group-0", "group", 10_000, None),),
    )


def stretched_peer(tag: int = 0x9714) -> ArrayInventory:
    """The other array of the pod: only volume 5, under the same serial."""
    mine = array_inventory("array-b", tag)
    shared = tuple(replace(each, key="peer-5") for each in mine.volumes if each.pod_key)
    return replace(mine, volumes=shared, connections=(), hosts=(), exports=(), directories=(), file_addresses=())


def esxi(name: str) -> EsxiHost:
    return EsxiHost(name, name, f"uuid-{name}", "cluster", "8.0.3", "24022510", "connected", False)


def device(host: str, canonical_name: str) -> HostDevice:
    return HostDevice(
        f"{host}/{canonical_name}", host, canonical_name, "PURE", "FlashArray", 32, 32, "VMW_PSP_RR", False
    )


def disk(vm: str, slot: int, datastore: str, **more: object) -> VmDisk:
    plain = VmDisk(
        key=f"{vm}/scsi0:{slot}",
        vm_key=vm,
        instance=f"scsi0:{slot}",
        label=f"Hard disk {slot + 1}",
        controller_type="pvscsi",
        capacity_bytes=2**36,
        datastore_key=datastore,
        backing_path=None,
        backing_uuid=None,
        device_name=None,
        vvol_id=None,
        iops_limit=None,
        snapshot_depth=0,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def host_inventory(key: str = "vc-1", tag: int = 0x9714) -> HostInventory:
    """Two hosts, one datastore of every kind, one VM with a disk on each of them and an RDM, one idle VM."""
    serial = serials(tag)
    names = [naa(serial[0]), naa(serial[1]), naa(serial[2]), eui(serial[3]), naa(serial[4]), naa(serial[5])]
    names += [naa(serial[15]), "naa.5000c500a1b2c3d4"]
    hosts = ("esx-1", "esx-2")

    def vmfs(name: str, *extents: str) -> Datastore:
        return Datastore(name, name, DatastoreType.VMFS, f"uuid-{name}", 2**40, extents, hosts)

    datastores = (
        vmfs("simple", names[0]),
        vmfs("spanned", names[1], names[2]),
        vmfs("nvme", names[3]),
        vmfs("stretched", names[5]),
        vmfs("local", names[7]),
        vmfs("unknown", naa(serial[14])),
        Datastore("nfs", "nfs", DatastoreType.NFS, None, None, (), hosts, nfs_host=f"files-{tag}", nfs_path="/nfs01"),
        Datastore("nfs-elsewhere", "nfs-elsewhere", DatastoreType.NFS, None, None, (), hosts, "10.0.0.77", "/x"),
        Datastore("vvol", "vvol", DatastoreType.VVOL, None, None, (), hosts, None, None, "vvol:1", ("array-a",)),
    )
    disks = (
        *(disk("vm-1", slot, store) for slot, store in enumerate(("simple", "spanned", "nvme", "stretched", "nfs"))),
        disk("vm-1", 5, "vvol", vvol_id=f"{VVOL}-{tag}"),
        disk("vm-1", 6, "simple", device_name=names[4]),
        disk("vm-2", 0, "simple"),
    )
    return HostInventory(
        vcenter=VcenterInfo(key, f"name of {key}", "8.0.3", "24022510", "8.0.3.0"),
        clusters=(Cluster("cluster", "Cluster A"),),
        hosts=tuple(esxi(host) for host in hosts),
        hbas=tuple(Hba(f"{h}/vmhba1", h, "vmhba1", "nfnic", "VIC", Protocol.FC, "20:00", 32) for h in hosts),
        devices=tuple(device(host, name) for host in hosts for name in names),
        paths=tuple(
            Path(
                f"{h}/p{n}",
                f"{h}/{names[0]}",
                f"{h}/vmhba1",
                "t",
                "active",
                True,
                f"vmhba1:C0:T{n}:L0",
                f"p{n}",
            )
            for h in hosts
            for n in range(2)
        ),
        datastores=datastores,
        vms=(
            Vm("vm-1", "db01", "iu-1", "poweredOn", "esx-1", labels=(Label(LabelKind.ATTRIBUTE, "owner", "ada"),)),
            Vm("vm-2", "web_02%", "iu-2", "poweredOn", "esx-2"),
        ),
        disks=disks,
    )


def stamp_us(at: datetime) -> int:
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def batch(
    stream: Stream,
    key: str | Sequence[str],
    ends: Iterable[datetime],
    interval_s: int = 20,
    /,
    **columns: int | Sequence[int] | Int64Array,
) -> SampleBatch:
    """Rows of one entity at `ends`, or one row of each of several entities at one; columns not given are not measured."""
    keys = (key,) if isinstance(key, str) else tuple(key)
    stamps = np.array([stamp_us(end) for end in ends], dtype=np.int64)
    if len(keys) > 1:
        stamps = np.repeat(stamps, len(keys)) if len(stamps) == 1 else stamps
    index = np.arange(len(stamps)) if len(keys) > 1 else np.zeros(len(stamps), dtype=np.int64)
    values: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int64]]] = {
        name: np.broadcast_to(np.asarray(columns.get(name, NOT_MEASURED), dtype=np.int64), stamps.shape).copy()
        for name in COLUMNS[stream]
    }
    unknown = set(columns) - set(values)
    assert not unknown, f"{stream} has no {unknown}"
    return SampleBatch(
        stream=stream,
        keys=keys,
        key_index=index,
        ended_at_us=stamps,
        interval_s=np.full(len(stamps), interval_s, dtype=np.int64),
        values=values,
    )


def every(seconds: int, first_end: datetime, count: int) -> list[datetime]:
    return [first_end + timedelta(seconds=seconds * n) for n in range(count)]
