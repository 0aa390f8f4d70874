"""Properties of virtual machines."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Vm
from gavel_lab.vcenter.custom_fields import custom_values
from gavel_lab.vcenter.machine_devices import devices, disks_of, mac_address
from gavel_lab.vcenter.site import Site

_HARDWARE_VERSION = "vmx-20"


def _config(site: Site, vm: Vm) -> Any:
    normal = vim.SharesInfo(shares=1000 * vm.cpus, level=vim.SharesInfo.Level.normal)
    allocation = vim.ResourceAllocationInfo(reservation=0, expandableReservation=False, limit=-1, shares=normal)
    return vim.vm.ConfigInfo(
        changeVersion=site.started_at.isoformat(),
        modified=site.started_at,
        name=site.name_of(vm),
        guestId=vm.guest_id,
        guestFullName=_guest_name(vm),
        alternateGuestName="",
        version=_HARDWARE_VERSION,
        uuid=vm.bios_uuid,
        instanceUuid=vm.instance_uuid,
        template=False,
        annotation="",
        files=vim.vm.FileInfo(vmPathName=_path_name(site, vm), logDirectory=_directory(site, vm)),
        flags=vim.vm.FlagInfo(enableLogging=True, diskUuidEnabled=True),
        defaultPowerOps=vim.vm.DefaultPowerOpInfo(powerOffType="soft", resetType="soft", suspendType="hard"),
        hardware=_hardware(site, vm),
        cpuAllocation=allocation,
        memoryAllocation=allocation,
        swapPlacement="inherit",
        firmware="efi",
    )


def _hardware(site: Site, vm: Vm) -> Any:
    return vim.vm.VirtualHardware(
        numCPU=vm.cpus, numCoresPerSocket=1, memoryMB=vm.memory_mb, device=devices(site, vm), virtualICH7MPresent=False
    )


def _guest_name(vm: Vm) -> str:
    return "Microsoft Windows Server 2022 (64-bit)" if "windows" in vm.guest_id.lower() else "Other Linux (64-bit)"


def _directory(site: Site, vm: Vm) -> str:
    return f"[{site.environment.datastores[vm.datastore].name}] {vm.name}/"


def _path_name(site: Site, vm: Vm) -> str:
    return f"{_directory(site, vm)}{vm.name}.vmx"


def _runtime(site: Site, vm: Vm) -> Any:
    host, states = site.host_of(vm), vim.VirtualMachine.ConnectionState
    return vim.vm.RuntimeInfo(
        host=site.reference(host.moref),
        connectionState=states.connected if site.is_connected(host) else states.disconnected,
        powerState=_power_state(site, vm),
        faultToleranceState=vim.VirtualMachine.FaultToleranceState.notConfigured,
        recordReplayState=vim.VirtualMachine.RecordReplayState.inactive,
        toolsInstallerMounted=False,
        numMksConnections=0,
        bootTime=site.started_at - timedelta(days=30) if site.is_on(vm) else None,
        maxCpuUsage=vm.cpus * 2600,
        maxMemoryUsage=vm.memory_mb,
        onlineStandby=False,
        consolidationNeeded=False,
    )


def _power_state(site: Site, vm: Vm) -> Any:
    states = vim.VirtualMachine.PowerState
    return states.poweredOn if site.is_on(vm) else states.poweredOff


def _guest(site: Site, vm: Vm) -> Any:
    running = site.is_on(vm)
    address = f"10.{20 + site.vcenter.index}.{vm.index // 250}.{vm.index % 250 + 1}"
    guest = vim.vm.GuestInfo(
        toolsStatus=vim.vm.GuestInfo.ToolsStatus.toolsOk if running else vim.vm.GuestInfo.ToolsStatus.toolsNotRunning,
        toolsVersionStatus2="guestToolsCurrent",
        toolsRunningStatus="guestToolsRunning" if running else "guestToolsNotRunning",
        toolsVersion="12389",
        guestId=vm.guest_id if running else None,
        guestFullName=_guest_name(vm) if running else None,
        hostName=vm.name if running else None,
        guestState="running" if running else "notRunning",
    )
    if running:
        guest.ipAddress = address
        guest.net = [
            vim.vm.GuestInfo.NicInfo(
                network="VM Network",
                ipAddress=[address],
                macAddress=mac_address(vm),
                connected=True,
                deviceConfigId=4000,
                ipConfig=vim.net.IpConfigInfo(
                    ipAddress=[vim.net.IpConfigInfo.IpAddress(ipAddress=address, prefixLength=16, state="preferred")]
                ),
            )
        ]
        guest.disk = [_guest_disk(vm, number, disk) for number, disk in enumerate(disks_of(site, vm))]
    return guest


def _guest_disk(vm: Vm, number: int, disk: Any) -> Any:
    windows = "windows" in vm.guest_id.lower()
    path = f"{chr(ord('C') + number)}:\\" if windows else ("/" if number == 0 else f"/data{number}")
    return vim.vm.GuestInfo.DiskInfo(
        diskPath=path,
        capacity=disk.capacity_bytes,
        freeSpace=disk.capacity_bytes * 2 // 5,
        filesystemType="NTFS" if windows else "ext4",
        mappings=[vim.vm.GuestInfo.VirtualDiskMapping(key=disk.key)],
    )


def _summary(site: Site, vm: Vm) -> Any:
    usage = _storage(site, vm).perDatastoreUsage
    return vim.vm.Summary(
        vm=site.reference(vm.moref),
        runtime=_runtime(site, vm),
        guest=vim.vm.Summary.GuestSummary(
            guestId=vm.guest_id, hostName=vm.name if site.is_on(vm) else None, toolsRunningStatus="guestToolsRunning"
        ),
        config=vim.vm.Summary.ConfigSummary(
            name=site.name_of(vm),
            template=False,
            vmPathName=_path_name(site, vm),
            memorySizeMB=vm.memory_mb,
            numCpu=vm.cpus,
            numEthernetCards=1,
            numVirtualDisks=len(vm.disks),
            uuid=vm.bios_uuid,
            instanceUuid=vm.instance_uuid,
            guestId=vm.guest_id,
            guestFullName=_guest_name(vm),
        ),
        storage=vim.vm.Summary.StorageSummary(
            committed=sum(one.committed for one in usage),
            uncommitted=sum(one.uncommitted for one in usage),
            unshared=sum(one.unshared for one in usage),
            timestamp=site.started_at,
        ),
        quickStats=vim.vm.Summary.QuickStats(guestHeartbeatStatus="green" if site.is_on(vm) else "gray"),
        overallStatus="green",
        customValue=custom_values(site, vm),
    )


def _storage(site: Site, vm: Vm) -> Any:
    usage: dict[int, Any] = {}
    for disk in disks_of(site, vm):
        entry = usage.setdefault(
            disk.datastore,
            vim.vm.StorageInfo.UsageOnDatastore(
                datastore=site.reference(site.environment.datastores[disk.datastore].moref),
                committed=0,
                uncommitted=0,
                unshared=0,
            ),
        )
        written = 0 if disk.is_rdm else disk.capacity_bytes * 3 // 5 if disk.is_thin else disk.capacity_bytes
        entry.committed += written
        entry.unshared += written
        entry.uncommitted += 0 if disk.is_rdm else disk.capacity_bytes - written
    return vim.vm.StorageInfo(perDatastoreUsage=list(usage.values()), timestamp=site.started_at)


def _layout(site: Site, vm: Vm) -> Any:
    files = [
        vim.vm.FileLayoutEx.FileInfo(
            key=0, name=_path_name(site, vm), type="config", size=4096, uniqueSize=4096, accessible=True
        )
    ]
    chains = []
    for disk in disks_of(site, vm):
        key = len(files)
        flat = disk.file_name.replace(".vmdk", "-flat.vmdk")
        for offset, (name, kind, size) in enumerate(
            ((disk.file_name, "diskDescriptor", 512), (flat, "diskExtent", disk.capacity_bytes))
        ):
            files.append(
                vim.vm.FileLayoutEx.FileInfo(
                    key=key + offset,
                    name=name,
                    type=kind,
                    size=size,
                    uniqueSize=size,
                    backingObjectId=disk.vvol_id,
                    accessible=True,
                )
            )
        unit = vim.vm.FileLayoutEx.DiskUnit(fileKey=[key, key + 1])
        chains.append(vim.vm.FileLayoutEx.DiskLayout(key=disk.key, chain=[unit]))
    return vim.vm.FileLayoutEx(file=files, disk=chains, timestamp=site.started_at)


def _datastores(site: Site, vm: Vm) -> list[Any]:
    used = {vm.datastore, *(disk.datastore for disk in disks_of(site, vm))}
    return [site.reference(site.environment.datastores[index].moref) for index in sorted(used)]


def _network(site: Site, vm: Vm) -> list[Any]:
    return [site.reference(site.tree.networks[site.environment.clusters[vm.cluster].datacenter].moref)]


def _parent(site: Site, vm: Vm) -> Any:
    datacenter = site.environment.datacenters[site.environment.clusters[vm.cluster].datacenter]
    return site.reference(datacenter.vm_folder_moref)


PROPERTIES: Mapping[str, Callable[[Site, Vm], Any]] = {
    "name": lambda site, vm: site.name_of(vm),
    "parent": _parent,
    "config": _config,
    "config.hardware": _hardware,
    "config.hardware.device": devices,
    "config.name": lambda site, vm: site.name_of(vm),
    "config.uuid": lambda _site, vm: vm.bios_uuid,
    "config.instanceUuid": lambda _site, vm: vm.instance_uuid,
    "config.guestId": lambda _site, vm: vm.guest_id,
    "runtime": _runtime,
    "runtime.powerState": _power_state,
    "runtime.host": lambda site, vm: site.reference(site.host_of(vm).moref),
    "guest": _guest,
    "guestHeartbeatStatus": lambda site, vm: "green" if site.is_on(vm) else "gray",
    "summary": _summary,
    "storage": _storage,
    "layoutEx": _layout,
    "datastore": _datastores,
    "network": _network,
    "resourcePool": lambda site, vm: site.reference(site.environment.clusters[vm.cluster].resource_pool_moref),
    "snapshot": lambda _site, _vm: None,
    "rootSnapshot": lambda _site, _vm: [],
}
