"""The default environment as data: which clusters, hosts, datastores and VMs there are, and what part each plays.

A VM's disks are written "controller:workload", the workload being a profile of `gavel_lab.workloads`.
"""

from dataclasses import dataclass, field
from typing import Literal

from gavel_lab.environment import DatastoreKind, Transport

Driver = Literal["nfnic", "lpfc", "qlnativefc", "iscsi_vmk", "nvmetcp"]


@dataclass(frozen=True)
class DriverPlan:
    """What every HBA of a driver has in common."""

    transport: Transport
    model: str
    count: int  # HBAs per host
    first: int  # number of the first vmhba
    lun_queue_depth: int
    parameter: str | None
    queue_size: int | None = None
    number_of_queues: int | None = None


DRIVERS: dict[Driver, DriverPlan] = {
    "nfnic": DriverPlan("fc", "Cisco UCS VIC Fibre Channel Controller", 2, 1, 32, "lun_queue_depth_per_path"),
    "lpfc": DriverPlan("fc", "Emulex LightPulse LPe32002 PCIe Fibre Channel", 2, 1, 30, "lpfc_lun_queue_depth"),
    "qlnativefc": DriverPlan("fc", "QLogic 2772 Dual Port 32Gb Fibre Channel", 2, 1, 64, "ql2xmaxqdepth"),
    "iscsi_vmk": DriverPlan("iscsi", "iSCSI Software Adapter", 1, 64, 128, "iscsivmk_LunQDepth"),
    "nvmetcp": DriverPlan("nvme-tcp", "VMware NVMe over TCP Storage Adapter", 2, 65, 1024, None, 128, 8),
}


@dataclass(frozen=True)
class HostPlan:
    """An ESXi host and the drivers of its HBAs. `module_depth` was set by hand and is more than the default."""

    name: str
    drivers: tuple[Driver, ...]
    module_depth: int | None = None


@dataclass(frozen=True)
class ClusterPlan:
    """A cluster on one of the vCenters."""

    name: str
    vcenter: int
    hosts: tuple[HostPlan, ...]


REPLICATION_FILTER = "EXA_bootbank_examplereplay_2.1.0-1OEM.800"


@dataclass(frozen=True)
class VmPlan:
    """A VM: `disks` lie on its datastore unless written "controller:workload@datastore" or "...@rdm"."""

    name: str
    host: int  # within the cluster
    disks: tuple[str, ...]
    commute: tuple[tuple[int, int], ...] = ()  # (minute, host within the cluster)
    iops_limit: int | None = None  # of its last disk
    group_limit: int | None = None  # of its volume group on the array, on vVols
    io_filter: str | None = None  # of all its disks but the first


@dataclass(frozen=True)
class DatastorePlan:
    """A datastore, the array it comes from, the transport of its devices, the VMs on it."""

    name: str
    cluster: int
    array: int
    vms: tuple[VmPlan, ...]
    story: str | None = None
    kind: DatastoreKind = "vmfs"
    transport: Transport = "fc"
    extents: int = 1
    stretched: bool = False
    iops_limit: int | None = None
    hosts: tuple[int, ...] = field(default=())  # within the cluster; empty: all


CLUSTERS = (
    ClusterPlan(
        "production",
        0,
        (
            HostPlan("esx-01.lab.example", ("nfnic",), module_depth=96),
            HostPlan("esx-02.lab.example", ("lpfc",)),
            HostPlan("esx-03.lab.example", ("qlnativefc",)),
        ),
    ),
    ClusterPlan(
        "general",
        1,
        (
            HostPlan("esx-04.lab.example", ("iscsi_vmk",)),
            HostPlan("esx-05.lab.example", ("iscsi_vmk", "nvmetcp")),
            HostPlan("esx-06.lab.example", ("iscsi_vmk", "nvmetcp")),
        ),
    ),
)


def _media(first: int) -> tuple[VmPlan, ...]:
    """A VM with large I/Os on each host of the first cluster."""
    return tuple(VmPlan(f"media-{first + host:02}", host, ("pvscsi:boot", "pvscsi:media")) for host in range(3))


DATASTORES = (
    DatastorePlan("sql-01", 0, 0, (VmPlan("sql-01", 0, ("lsi:boot@file-07", "pvscsi:article")),), story="esxi-queuing"),
    DatastorePlan(
        "web-02",
        0,
        0,
        (
            VmPlan("web-01", 0, ("pvscsi:boot", "pvscsi:congested")),
            VmPlan("web-02", 1, ("pvscsi:boot", "pvscsi:congested")),
            VmPlan("web-03", 2, ("pvscsi:boot", "pvscsi:congested")),
            VmPlan("web-04", 1, ("lsi:boot",)),
        ),
        story="san-congestion",
    ),
    DatastorePlan(
        "dwh-03",
        0,
        0,
        (
            VmPlan("dwh-01", 0, ("pvscsi:boot", "pvscsi:throttled", "pvscsi:throttled", "pvscsi:log")),
            VmPlan("dwh-02", 1, ("pvscsi:boot", "pvscsi:throttled")),
            VmPlan("dwh-03", 2, ("pvscsi:boot", "pvscsi:throttled")),
        ),
        story="array-qos",
        iops_limit=12000,
    ),
    DatastorePlan(
        "erp-04",
        0,
        1,
        (
            VmPlan("erp-db-01", 0, ("pvscsi:boot", "pvscsi:overload", "pvscsi:log")),
            VmPlan("erp-db-02", 1, ("pvscsi:boot", "pvscsi:overload", "pvscsi:log")),
            VmPlan("erp-app-01", 2, ("pvscsi:boot", "pvscsi:overload")),
            VmPlan("erp-app-02", 1, ("lsi:boot",)),
        ),
        story="array-overload",
    ),
    DatastorePlan(
        "app-05",
        0,
        1,
        (
            VmPlan("app-main", 2, ("pvscsi:competing",)),
            VmPlan("app-report", 2, ("pvscsi:intruder",)),
            VmPlan("app-03", 0, ("pvscsi:boot", "pvscsi:web")),
        ),
        story="competing-worlds",
    ),
    DatastorePlan(
        "metro-06",
        0,
        0,
        (
            VmPlan("metro-01", 0, ("pvscsi:boot", "pvscsi:metro")),
            VmPlan("metro-02", 1, ("pvscsi:boot", "pvscsi:metro")),
            VmPlan("metro-03", 2, ("pvscsi:boot", "pvscsi:metro")),
            VmPlan("metro-04", 0, ("nvme:metro",)),
        ),
        story="non-optimized-paths",
        stretched=True,
    ),
    DatastorePlan(
        "file-07",
        0,
        0,
        (
            VmPlan(
                "file-01", 0, ("pvscsi:boot", "pvscsi:file", "pvscsi:file", "pvscsi:file"), io_filter=REPLICATION_FILTER
            ),
            VmPlan("file-02", 1, ("pvscsi:boot", "pvscsi:file"), commute=((17, 2), (47, 1))),
            VmPlan("file-03", 2, ("lsi:boot", "lsi:file")),
            VmPlan("file-04", 2, ("nvme:boot",)),
        ),
        story="io-filter",
        extents=2,
    ),
    DatastorePlan(
        "vdi-08",
        1,
        1,
        (
            VmPlan("vdi-01", 0, ("pvscsi:vdi",)),
            VmPlan("vdi-02", 0, ("pvscsi:vdi",)),
            VmPlan("vdi-03", 0, ("lsi:vdi", "pvscsi:noisy")),
            VmPlan("vdi-04", 1, ("pvscsi:vdi",)),
            VmPlan("vdi-05", 2, ("pvscsi:vdi",)),
        ),
        story="noisy-neighbour",
        transport="iscsi",
    ),
    DatastorePlan(
        "mail-09",
        1,
        0,
        (
            VmPlan("mail-01", 0, ("pvscsi:boot", "pvscsi:limited"), iops_limit=1500),
            VmPlan("mail-02", 1, ("pvscsi:boot", "pvscsi:mail")),
            VmPlan("mail-03", 2, ("pvscsi:mail",)),
        ),
        story="vm-iops-limit",
        transport="iscsi",
    ),
    DatastorePlan(
        "archive-10",
        1,
        1,
        (VmPlan("archive-01", 0, ("lsi:idle", "pvscsi:idle")), VmPlan("archive-02", 1, ("pvscsi:idle",))),
        story="idle",
        transport="iscsi",
    ),
    DatastorePlan(
        "nvme-11",
        1,
        1,
        (
            VmPlan("fast-01", 1, ("nvme:boot", "nvme:oltp", "nvme:log")),
            VmPlan("fast-02", 2, ("nvme:boot", "nvme:oltp")),
            VmPlan("fast-03", 1, ("pvscsi:boot", "pvscsi:oltp")),
            VmPlan("fast-04", 2, ("nvme:oltp",)),
        ),
        story="host-cpu",
        transport="nvme-tcp",
        hosts=(1, 2),
    ),
    DatastorePlan(
        "vvol-12",
        1,
        1,
        (
            VmPlan("vvol-01", 0, ("pvscsi:boot", "pvscsi:oltp"), group_limit=6000),
            VmPlan("vvol-02", 1, ("pvscsi:boot", "pvscsi:web")),
            VmPlan("vvol-03", 2, ("pvscsi:boot", "pvscsi:web")),
            VmPlan("vvol-04", 0, ("pvscsi:web",)),
        ),
        kind="vvol",
        story="volume-group-limit",
        transport="iscsi",
    ),
    DatastorePlan(
        "nfs-13",
        1,
        1,
        (
            VmPlan("share-01", 0, ("pvscsi:boot", "pvscsi:file")),
            VmPlan("share-02", 1, ("pvscsi:boot", "pvscsi:file")),
            VmPlan("share-03", 2, ("lsi:boot",)),
            VmPlan("share-04", 2, ("pvscsi:web",)),
        ),
        kind="nfs",
        transport="iscsi",
    ),
    DatastorePlan(
        "general-14",
        1,
        0,
        (
            VmPlan("cluster-01", 0, ("pvscsi:boot", "lsi:oltp@rdm")),
            VmPlan("general-02", 1, ("pvscsi:boot", "pvscsi:web"), commute=((23, 2), (53, 1))),
            VmPlan("general-03", 2, ("lsi:boot", "pvscsi:web", "pvscsi:log")),
        ),
        story="snapshot-consolidation",
        transport="iscsi",
    ),
    DatastorePlan(
        "batch-15",
        1,
        0,
        (VmPlan("batch-01", 0, ("pvscsi:idle",)), VmPlan("batch-02", 1, ("pvscsi:boot", "pvscsi:crowded"))),
        story="guest-queue",
        transport="iscsi",
    ),
    DatastorePlan("media-16", 0, 1, _media(1), story="target-port"),
    DatastorePlan("media-17", 0, 0, _media(4), story="target-port-twin"),
)
