"""The virtual hardware of a VM: controllers, disks and what backs them, as `config.hardware.device` lists it."""

from collections.abc import Iterator
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import ControllerKind, VirtualDisk, Vm
from gavel_lab.vcenter.site import Site

_CONTROLLERS: dict[ControllerKind, tuple[Any, str]] = {
    "pvscsi": (vim.vm.device.ParaVirtualSCSIController, "SCSI controller"),
    "lsi": (vim.vm.device.VirtualLsiLogicController, "SCSI controller"),
    "nvme": (vim.vm.device.VirtualNVMEController, "NVME controller"),
}
_SCSI_CONTROLLER_UNIT = 7  # where a virtual SCSI controller itself sits on its bus
_PCI_CONTROLLER_KEY = 100
_NORMAL_SHARES = 1000


def disks_of(site: Site, vm: Vm) -> list[VirtualDisk]:
    return [site.environment.disks[index] for index in vm.disks]


def devices(site: Site, vm: Vm) -> list[Any]:
    """Controllers first, then disks, then the network card."""
    disks = disks_of(site, vm)
    return [*_controllers(disks), *(_disk(site, vm, disk) for disk in disks), _network_card(site, vm)]


def _controllers(disks: list[VirtualDisk]) -> Iterator[Any]:
    yield vim.vm.device.VirtualPCIController(
        key=_PCI_CONTROLLER_KEY,
        busNumber=0,
        deviceInfo=vim.Description(label="PCI controller 0", summary="PCI controller 0"),
    )
    for key in sorted({disk.controller_key for disk in disks}):
        attached = [disk for disk in disks if disk.controller_key == key]
        first = attached[0]
        kind, label = _CONTROLLERS[first.controller]
        controller = kind(
            key=key,
            busNumber=first.bus,
            controllerKey=_PCI_CONTROLLER_KEY,
            unitNumber=3 + first.bus,
            device=[disk.key for disk in attached],
            deviceInfo=vim.Description(label=f"{label} {first.bus}", summary=kind.__name__.rsplit(".", 1)[-1]),
        )
        if first.controller != "nvme":
            controller.sharedBus = vim.vm.device.VirtualSCSIController.Sharing.noSharing
            controller.scsiCtlrUnitNumber = _SCSI_CONTROLLER_UNIT
            controller.hotAddRemove = True
        yield controller


def _disk(site: Site, vm: Vm, disk: VirtualDisk) -> Any:
    limit = -1 if disk.iops_limit is None else disk.iops_limit
    shares = vim.SharesInfo(shares=_NORMAL_SHARES, level=vim.SharesInfo.Level.normal)
    return vim.vm.device.VirtualDisk(
        key=disk.key,
        controllerKey=disk.controller_key,
        unitNumber=disk.unit,
        capacityInKB=disk.capacity_bytes // 1024,
        capacityInBytes=disk.capacity_bytes,
        deviceInfo=vim.Description(label=disk.label, summary=f"{disk.capacity_bytes // 1024:,} KB"),
        shares=shares,
        storageIOAllocation=vim.StorageResourceManager.IOAllocationInfo(limit=limit, shares=shares, reservation=0),
        diskObjectId=f"{vm.index + 1}-{disk.key}",
        iofilter=[disk.io_filter] if disk.io_filter else [],
        backing=_rdm(site, vm, disk) if disk.is_rdm else _file(site, disk),
    )


def _file(site: Site, disk: VirtualDisk) -> Any:
    return vim.vm.device.VirtualDisk.FlatVer2BackingInfo(
        fileName=disk.file_name,
        datastore=site.reference(site.environment.datastores[disk.datastore].moref),
        diskMode="persistent",
        split=False,
        writeThrough=False,
        thinProvisioned=disk.is_thin,
        eagerlyScrub=not disk.is_thin,
        uuid=disk.backing_uuid,
        backingObjectId=disk.vvol_id,
        digestEnabled=False,
        sharing="sharingNone",
    )


def _rdm(site: Site, vm: Vm, disk: VirtualDisk) -> Any:
    device = site.environment.device(site.host_of(vm).index, disk.volumes[0])
    return vim.vm.device.VirtualDisk.RawDiskMappingVer1BackingInfo(
        fileName=disk.file_name,
        datastore=site.reference(site.environment.datastores[disk.datastore].moref),
        lunUuid=device.uuid,
        deviceName=f"vml.{device.uuid}",
        compatibilityMode=disk.rdm_mode,
        diskMode="independent_persistent" if disk.rdm_mode == "physicalMode" else "persistent",
        uuid=None if disk.rdm_mode == "physicalMode" else disk.backing_uuid,
        sharing="sharingNone",
    )


def mac_address(vm: Vm) -> str:
    tail = vm.index + 1
    return f"00:50:56:{0x80 + (tail >> 16) % 0x40:02x}:{(tail >> 8) & 0xFF:02x}:{tail & 0xFF:02x}"


def _network_card(site: Site, vm: Vm) -> Any:
    network = site.tree.networks[site.environment.clusters[vm.cluster].datacenter]
    return vim.vm.device.VirtualVmxnet3(
        key=4000,
        controllerKey=_PCI_CONTROLLER_KEY,
        unitNumber=7,
        addressType="assigned",
        macAddress=mac_address(vm),
        deviceInfo=vim.Description(label="Network adapter 1", summary="VM Network"),
        backing=vim.vm.device.VirtualEthernetCard.NetworkBackingInfo(
            deviceName="VM Network", network=site.reference(network.moref)
        ),
        connectable=vim.vm.device.VirtualDevice.ConnectInfo(
            startConnected=True, allowGuestControl=True, connected=site.is_on(vm), status="ok"
        ),
    )
