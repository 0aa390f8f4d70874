"""File systems and containers: a datastore's `info`, its mounts, and `config.fileSystemVolume` of a host."""

from collections.abc import Mapping
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Datastore, EsxiHost
from gavel_lab.vcenter.site import Site

_TEBIBYTE = 1 << 40
_MAX_VIRTUAL_DISK_BYTES = 62 * _TEBIBYTE
_TYPES = {"vmfs": "VMFS", "nfs": "NFS", "vvol": "VVOL"}


def volume_type(datastore: Datastore) -> str:
    """The API's word for a datastore's kind."""
    return _TYPES[datastore.kind]


def volume(site: Site, datastore: Datastore) -> Any:
    return {"vmfs": _vmfs, "nfs": _nas, "vvol": _vvol}[datastore.kind](site, datastore)


def _vmfs(site: Site, datastore: Datastore) -> Any:
    volumes = [site.environment.volumes[index] for index in datastore.extents]
    names = [one.eui if datastore.is_nvme else one.naa for one in volumes]
    return vim.host.VmfsVolume(
        type="VMFS",
        name=datastore.name,
        capacity=datastore.capacity_bytes,
        blockSizeMb=1,
        blockSize=1024,
        unmapGranularity=1024,
        unmapPriority="low",
        maxBlocks=63963136,
        majorVersion=6,
        version="6.82",
        uuid=datastore.uuid,
        extent=[vim.host.ScsiDisk.Partition(diskName=name, partition=1) for name in names],
        vmfsUpgradable=False,
        ssd=True,
        local=False,
        scsiDiskType="native512",
    )


def _nas(site: Site, datastore: Datastore) -> Any:
    if datastore.directory is None:
        raise ValueError(f"datastore {datastore.name!r} is NFS and has no directory")
    address = site.environment.arrays[datastore.array].file_address
    return vim.host.NasVolume(
        type="NFS",
        name=datastore.name,
        capacity=datastore.capacity_bytes,
        remoteHost=address,
        remoteHostNames=[address],
        remotePath=f"/{site.environment.directories[datastore.directory].export_name.lstrip('/')}",
        userName="",
        securityType="AUTH_SYS",
        protocolEndpoint=False,
    )


def _vvol(site: Site, datastore: Datastore) -> Any:
    if datastore.endpoint is None:
        raise ValueError(f"datastore {datastore.name!r} is vVol and has no protocol endpoint")
    array = site.environment.arrays[datastore.array]
    vendor_id = f"com.purestorage:{array.id}"
    endpoints = [
        vim.host.VvolVolume.HostProtocolEndpoint(
            key=site.reference(site.environment.hosts[host].moref),
            protocolEndpoint=[_endpoint(site, host, datastore.endpoint, vendor_id)],
        )
        for host in datastore.hosts
    ]
    return vim.host.VvolVolume(
        type="VVOL",
        name=datastore.name,
        capacity=datastore.capacity_bytes,
        scId=datastore.uuid,
        hostPE=endpoints,
        protocolEndpointType="scsi",
        storageArray=[vim.VasaStorageArray(name=array.name, uuid=vendor_id, vendorId="PURE", modelId=array.model)],
    )


def _endpoint(site: Site, host: int, endpoint: int, vendor_id: str) -> Any:
    device = site.environment.device(host, endpoint)
    return vim.host.ProtocolEndpoint(
        peType="block", type="scsi", uuid=device.name, storageArray=vendor_id, deviceId=device.name
    )


def mount(datastore: Datastore) -> Any:
    return vim.host.MountInfo(
        path=f"/vmfs/volumes/{datastore.uuid}", accessMode="readWrite", mounted=True, accessible=True
    )


def file_system_volumes(site: Site, host: EsxiHost) -> Any:
    mounted = [site.environment.datastores[index] for index in host.datastores]
    return vim.host.FileSystemVolumeInfo(
        volumeTypeList=["VMFS", "NFS", "NFS41", "VVOL", "VFAT"],
        mountInfo=[
            vim.host.FileSystemMountInfo(
                mountInfo=mount(datastore),
                volume=volume(site, datastore),
                vStorageSupport="vStorageSupported" if datastore.kind == "vmfs" else "vStorageUnsupported",
            )
            for datastore in mounted
        ],
    )


_INFO_TYPES: Mapping[str, tuple[Any, str]] = {
    "vmfs": (vim.host.VmfsDatastoreInfo, "vmfs"),
    "nfs": (vim.host.NasDatastoreInfo, "nas"),
    "vvol": (vim.host.VvolDatastoreInfo, "vvolDS"),
}


def info(site: Site, datastore: Datastore) -> Any:
    kind, field = _INFO_TYPES[datastore.kind]
    return kind(
        name=datastore.name,
        url=datastore.url,
        freeSpace=datastore.free_bytes,
        maxFileSize=_MAX_VIRTUAL_DISK_BYTES,
        maxVirtualDiskCapacity=_MAX_VIRTUAL_DISK_BYTES,
        maxMemoryFileSize=_MAX_VIRTUAL_DISK_BYTES,
        timestamp=site.started_at,
        containerId=datastore.uuid if datastore.kind == "vvol" else None,
        **{field: volume(site, datastore)},
        **(
            {"maxPhysicalRDMFileSize": 64 * _TEBIBYTE, "maxVirtualRDMFileSize": _MAX_VIRTUAL_DISK_BYTES}
            if datastore.kind == "vmfs"
            else {}
        ),
    )
