"""Virtual machines and their disks: which counter instance, which datastore, device or vVol is behind each."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter import guest_facts
from gavel.collectors.hosts.vcenter.guest_facts import Container
from gavel.collectors.hosts.vcenter.parse import Properties, custom_attributes, moid
from gavel.domain.inventory import Vm, VmDisk

VM_PROPERTIES: Final = (
    "name",
    "config.instanceUuid",
    "config.template",
    "config.hardware.device",
    "runtime.powerState",
    "runtime.host",
    "customValue",
    *guest_facts.GUEST_PROPERTIES,
)

_BUSES: Final = {
    vim.vm.device.VirtualSCSIController: "scsi",
    vim.vm.device.VirtualNVMEController: "nvme",
    vim.vm.device.VirtualSATAController: "sata",
    vim.vm.device.VirtualIDEController: "ide",
}
_NAMES: Final = (
    (vim.vm.device.ParaVirtualSCSIController, "PVSCSI"),
    (vim.vm.device.VirtualLsiLogicSASController, "LSI Logic SAS"),
    (vim.vm.device.VirtualLsiLogicController, "LSI Logic"),
    (vim.vm.device.VirtualBusLogicController, "BusLogic"),
    (vim.vm.device.VirtualNVMEController, "NVMe"),
    (vim.vm.device.VirtualSATAController, "SATA"),
    (vim.vm.device.VirtualIDEController, "IDE"),
)


def storage_devices(devices: Iterable[Any]) -> list[Any]:
    """The part of a VM's hardware that has to do with disks; the rest of it is much larger."""
    kinds = (vim.vm.device.VirtualDisk, vim.vm.device.VirtualController)
    return [device for device in devices if isinstance(device, kinds)]


def is_template(properties: Properties) -> bool:
    return bool(properties.get("config.template", False))


def vm(key: str, properties: Properties, field_names: Mapping[int, str], containers: Mapping[str, Container]) -> Vm:
    """`field_names`: the vCenter's custom attributes, key → name. `containers`: folders and pools by id."""
    at = properties.get("runtime.host")
    return Vm(
        key=key,
        name=properties.get("name", key),
        instance_uuid=properties.get("config.instanceUuid"),
        power_state=str(properties.get("runtime.powerState", "unknown")),
        host_key=moid(at) if at else None,
        bios_uuid=properties.get("config.uuid"),
        dns_name=guest_facts.dns_name(properties),
        ip_addresses=guest_facts.ip_addresses(properties),
        tools_state=guest_facts.tools_state(properties),
        folder=guest_facts.folder_path(properties.get("parent"), containers),
        resource_pool=guest_facts.pool_path(properties.get("resourcePool"), containers),
        labels=custom_attributes(properties, field_names),
    )


def disks(
    vm_key: str, properties: Properties, canonical_names: Mapping[str, str], vvol_datastores: Collection[str]
) -> Iterator[VmDisk]:
    """The VM's virtual disks.

    canonical_names: uuid of a LUN → its device name, for raw device mappings. vvol_datastores: keys of the datastores
    whose object ids are vVols (vSAN has object ids too).
    """
    devices = properties.get("config.hardware.device", ())
    controllers = {device.key: device for device in devices if isinstance(device, vim.vm.device.VirtualController)}
    for disk in devices:
        if not isinstance(disk, vim.vm.device.VirtualDisk):
            continue
        controller = controllers.get(disk.controllerKey or 0)
        if controller is not None and disk.unitNumber is not None:
            yield _disk(vm_key, disk, controller, canonical_names, vvol_datastores)


def _disk(
    vm_key: str, disk: Any, controller: Any, canonical_names: Mapping[str, str], vvol_datastores: Collection[str]
) -> VmDisk:
    backing = disk.backing
    instance = f"{_bus(controller)}{controller.busNumber}:{disk.unitNumber}"
    limit = disk.storageIOAllocation.limit if disk.storageIOAllocation else None
    store = getattr(backing, "datastore", None)
    datastore_key = moid(store) if store else None
    return VmDisk(
        key=f"{vm_key}/{instance}",
        vm_key=vm_key,
        instance=instance,
        label=disk.deviceInfo.label if disk.deviceInfo else instance,
        controller_type=_controller_type(controller),
        capacity_bytes=disk.capacityInBytes or (disk.capacityInKB or 0) * 1024 or None,
        datastore_key=datastore_key,
        backing_path=getattr(backing, "fileName", None) or None,
        backing_uuid=getattr(backing, "uuid", None) or None,
        device_name=_mapped_device(backing, canonical_names),
        vvol_id=(backing.backingObjectId or None) if datastore_key in vvol_datastores else None,
        iops_limit=limit if limit is not None and limit > 0 else None,
        snapshot_depth=_ancestors(backing),
        io_filters=tuple(sorted(disk.iofilter or ())),
    )


def _bus(controller: Any) -> str:
    return next((bus for kind, bus in _BUSES.items() if isinstance(controller, kind)), "disk")


def _controller_type(controller: Any) -> str:
    return next((name for kind, name in _NAMES if isinstance(controller, kind)), type(controller).__name__)


def _mapped_device(backing: Any, canonical_names: Mapping[str, str]) -> str | None:
    """Canonical name of the device behind a raw device mapping; what the backing calls it where no host shows it."""
    if not isinstance(backing, vim.vm.device.VirtualDisk.RawDiskMappingVer1BackingInfo):
        return None
    return canonical_names.get(backing.lunUuid or "") or backing.deviceName or backing.lunUuid or None


def _ancestors(backing: Any) -> int:
    depth = 0
    while (backing := getattr(backing, "parent", None)) is not None:
        depth += 1
    return depth
