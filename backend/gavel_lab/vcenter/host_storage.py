"""What an ESXi host tells about its storage: adapters, devices, paths and NVMe controllers (`config.storageDevice`)."""

from collections.abc import Mapping
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import EsxiHost, Hba, HostDevice, Path, TargetPort
from gavel_lab.vcenter.site import Site

_BLOCK_BYTES = 512
_NVME_IO_QUEUE_UNSET = 0


def storage_device(site: Site, host: EsxiHost) -> Any:
    devices = [site.environment.devices[index] for index in host.devices]
    hbas = [site.environment.hbas[index] for index in host.hbas]
    paths = {device.index: [site.environment.paths[index] for index in device.paths] for device in devices}
    return vim.host.StorageDeviceInfo(
        hostBusAdapter=[_adapter(hba) for hba in hbas],
        scsiLun=[_lun(site, device) for device in devices],
        multipathInfo=vim.host.MultipathInfo(lun=[_multipath(site, device, paths[device.index]) for device in devices]),
        plugStoreTopology=_plug_store(site, hbas, devices, paths),
        nvmeTopology=_nvme_topology(site, hbas, devices, paths),
        softwareInternetScsiEnabled=any(hba.transport == "iscsi" for hba in hbas),
    )


# --- adapters -------------------------------------------------------------------------------------------------------

_ADAPTER_TYPES: Mapping[str, Any] = {
    "fc": vim.host.FibreChannelHba,
    "iscsi": vim.host.InternetScsiHba,
    "nvme-tcp": vim.host.TcpHba,
}


def _adapter_key(hba: Hba) -> str:
    return f"key-{_ADAPTER_TYPES[hba.transport].__name__}-{hba.name}"


def _adapter(hba: Hba) -> Any:
    adapter = _ADAPTER_TYPES[hba.transport](
        key=_adapter_key(hba),
        device=hba.name,
        bus=hba.index % 256,
        status="online",
        model=hba.model,
        driver=hba.driver,
        pci=hba.pci,
        storageProtocol="nvme" if hba.transport == "nvme-tcp" else "scsi",
    )
    if hba.transport == "fc":
        adapter.portWorldWideName = _wwn(hba.wwpn)
        adapter.nodeWorldWideName = _wwn(hba.wwnn)
        adapter.portType = vim.host.FibreChannelHba.PortType.fabric
        adapter.speed = 32
    elif hba.transport == "iscsi":
        _describe_software_iscsi(adapter, hba)
    else:
        adapter.associatedPnic = "vmnic2"
    return adapter


def _describe_software_iscsi(adapter: Any, hba: Hba) -> None:
    kinds = vim.host.InternetScsiHba
    adapter.isSoftwareBased = True
    adapter.canBeDisabled = True
    adapter.iScsiName = hba.iqn
    adapter.discoveryCapabilities = kinds.DiscoveryCapabilities(
        staticTargetDiscoverySettable=True, sendTargetsDiscoverySettable=True
    )
    adapter.discoveryProperties = kinds.DiscoveryProperties(
        staticTargetDiscoveryEnabled=True, sendTargetsDiscoveryEnabled=True
    )
    adapter.authenticationCapabilities = kinds.AuthenticationCapabilities(chapAuthSettable=True)
    adapter.authenticationProperties = kinds.AuthenticationProperties(chapAuthEnabled=False)
    adapter.ipCapabilities = kinds.IPCapabilities()
    adapter.ipProperties = kinds.IPProperties(dhcpConfigurationEnabled=False)


def _wwn(text: str | None) -> int:
    """A world wide name as the signed 64-bit number the API carries."""
    number = int(text or "0", 16)
    return number - (1 << 64) if number >= 1 << 63 else number


# --- devices --------------------------------------------------------------------------------------------------------


_DISPLAYED = {"fc": "PURE Fibre Channel Disk", "iscsi": "PURE iSCSI Disk", "nvme-tcp": "NVMe TCP Disk"}


def display_name(device: HostDevice) -> str:
    return f"{_DISPLAYED[device.transport]} ({device.name})"


def _lun(site: Site, device: HostDevice) -> Any:
    volume = site.environment.volumes[device.volume]
    nvme = device.transport == "nvme-tcp"
    return vim.host.ScsiDisk(
        deviceName=f"/vmfs/devices/disks/{device.name}",
        devicePath=f"/vmfs/devices/disks/{device.name}",
        deviceType="disk",
        lunType="disk",
        key=device.key,
        uuid=device.uuid,
        descriptor=[
            vim.host.ScsiLun.Descriptor(quality="highQuality", id=device.name),
            vim.host.ScsiLun.Descriptor(quality="highQuality", id=f"vml.{device.uuid}"),
        ],
        canonicalName=device.name,
        displayName=display_name(device),
        vendor="NVMe" if nvme else "PURE",
        model="Pure Storage FlashArray" if nvme else "FlashArray",
        revision="8888",
        scsiLevel=7 if nvme else 6,
        serialNumber=volume.serial,
        queueDepth=site.lab.model.max_queue_depth(device.index, site.lab_now()),
        operationalState=["ok"],
        vStorageSupport="vStorageSupported",
        protocolEndpoint=device.is_protocol_endpoint,
        perenniallyReserved=False,
        applicationProtocol="NVMe" if nvme else "SCSI",
        capacity=vim.host.DiskDimensions.Lba(blockSize=_BLOCK_BYTES, block=volume.size_bytes // _BLOCK_BYTES),
        ssd=True,
        localDisk=False,
        scsiDiskType="native512",
    )


# --- paths ----------------------------------------------------------------------------------------------------------


def _multipath(site: Site, device: HostDevice, paths: list[Path]) -> Any:
    key = f"key-vim.host.MultipathInfo.LogicalUnit-{device.uuid}"
    return vim.host.MultipathInfo.LogicalUnit(
        key=key,
        id=device.uuid,
        lun=device.key,
        policy=_policy(device),
        storageArrayTypePolicy=vim.host.MultipathInfo.LogicalUnitStorageArrayTypePolicy(
            policy=device.storage_array_type
        )
        if device.storage_array_type
        else None,
        path=[_path(site, path, key, _working(site, paths)) for path in paths],
    )


def _policy(device: HostDevice) -> Any:
    if device.plugin == "HPP":
        return vim.host.MultipathInfo.HppLogicalUnitPolicy(policy=device.policy, iops=1000, bytes=10 * 1024 * 1024)
    return vim.host.MultipathInfo.LogicalUnitPolicy(policy=device.policy)


def path_state(site: Site, path: Path) -> str:
    """`active`, `standby` (not used while the pod's own array answers) or `dead`."""
    return "active" if site.lab.model.is_path_usable(path.index, site.lab_now()) else "dead"


def _working(site: Site, paths: list[Path]) -> set[int]:
    """Indexes of those that the policy sends I/O to: active and optimized ones, the others only where none of those is left."""
    active = [path for path in paths if path_state(site, path) == "active"]
    return {path.index for path in [path for path in active if path.optimized] or active}


def _path(site: Site, path: Path, lun_key: str, working: set[int]) -> Any:
    state = path_state(site, path)
    return vim.host.MultipathInfo.Path(
        key=f"key-vim.host.MultipathInfo.Path-{path.name}",
        name=path.name,
        pathState=state,
        state=state,
        isWorkingPath=path.index in working,
        adapter=_adapter_key(site.environment.hbas[path.hba]),
        lun=lun_key,
        transport=_transport(site.environment.ports[path.port]),
    )


def _transport(port: TargetPort) -> Any:
    if port.transport == "fc":
        number = _wwn(port.wwn)
        return vim.host.FibreChannelTargetTransport(portWorldWideName=number, nodeWorldWideName=number)
    if port.transport == "iscsi":
        return vim.host.InternetScsiTargetTransport(
            iScsiName=port.iqn, iScsiAlias="", address=[port.portal] if port.portal else []
        )
    return vim.host.TcpTargetTransport()


def _plug_store(site: Site, hbas: list[Hba], devices: list[HostDevice], paths: dict[int, list[Path]]) -> Any:
    """Where a path's adapter, channel, target and LUN numbers stand: its runtime name in pieces."""
    topology: Any = vim.host.PlugStoreTopology
    listed: list[Any] = []
    for device in devices:
        for path in paths[device.index]:
            channel, target, lun = (int(part[1:]) for part in path.name.split(":")[1:])
            hba = site.environment.hbas[path.hba]
            listed.append(
                topology.Path(
                    key=f"key-vim.host.PlugStoreTopology.Path-{path.name}",
                    name=path.name,
                    channelNumber=channel,
                    targetNumber=target,
                    lunNumber=lun,
                    adapter=f"key-vim.host.PlugStoreTopology.Adapter-{hba.name}",
                    target=f"key-vim.host.PlugStoreTopology.Target-{site.environment.ports[path.port].name}",
                    device=f"key-vim.host.PlugStoreTopology.Device-{device.uuid}",
                )
            )
    adapters = [
        topology.Adapter(
            key=f"key-vim.host.PlugStoreTopology.Adapter-{hba.name}",
            adapter=_adapter_key(hba),
            path=[one.key for one in listed if one.adapter.endswith(f"-{hba.name}")],
        )
        for hba in hbas
    ]
    return topology(adapter=adapters, path=listed)


# --- NVMe -----------------------------------------------------------------------------------------------------------


def _nvme_topology(site: Site, hbas: list[Hba], devices: list[HostDevice], paths: dict[int, list[Path]]) -> Any:
    interfaces = [
        vim.host.NvmeTopology.Interface(
            key=f"key-vim.host.NvmeTopology.Interface-{hba.name}",
            adapter=_adapter_key(hba),
            connectedController=_controllers(site, hba, devices, paths),
        )
        for hba in hbas
        if hba.transport == "nvme-tcp"
    ]
    return vim.host.NvmeTopology(adapter=interfaces) if interfaces else None


def _controllers(site: Site, hba: Hba, devices: list[HostDevice], paths: dict[int, list[Path]]) -> list[Any]:
    """One controller per target port the adapter reaches."""
    reached: dict[int, list[HostDevice]] = {}
    for device in devices:
        for path in paths[device.index]:
            if path.hba == hba.index:
                reached.setdefault(path.port, []).append(device)
    controllers = []
    for number, (port_index, behind) in enumerate(sorted(reached.items())):
        port = site.environment.ports[port_index]
        name = f"{port.nqn}#{hba.name}#{port.portal}"
        controllers.append(
            vim.host.NvmeController(
                key=f"key-vim.host.NvmeController-{name}",
                controllerNumber=256 + number,
                subnqn=port.nqn,
                name=name,
                associatedAdapter=_adapter_key(hba),
                transportType="tcp",
                fusedOperationSupported=True,
                numberOfQueues=hba.number_of_queues or _NVME_IO_QUEUE_UNSET,
                queueSize=hba.queue_size or _NVME_IO_QUEUE_UNSET,
                attachedNamespace=[_namespace(site, name, device) for device in behind],
                vendorId="0x1d1d",
                model="Pure Storage FlashArray",
                serialNumber=site.environment.arrays[port.array].serial_prefix,
                firmwareVersion=site.environment.arrays[port.array].purity,
            )
        )
    return controllers


def _namespace(site: Site, controller: str, device: HostDevice) -> Any:
    volume = site.environment.volumes[device.volume]
    return vim.host.NvmeNamespace(
        key=f"key-vim.host.NvmeNamespace-{device.name}@{controller}",
        name=device.name,
        id=device.lun + 1,
        blockSize=_BLOCK_BYTES,
        capacityInBlocks=volume.size_bytes // _BLOCK_BYTES,
    )
