"""Properties of virtual machines."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Vm
from gavel_lab.vcenter import machine_guest
from gavel_lab.vcenter.custom_fields import custom_values
from gavel_lab.vcenter.machine_devices import devices, disks_of
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
        guestFullName=machine_guest.full_name(vm),
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


def _summary(site: Site, vm: Vm) -> Any:
    usage = _storage(site, vm).perDatastoreUsage
    return vim.vm.Summary(
        vm=site.reference(vm.moref),
        runtime=_runtime(site, vm),
        guest=vim.vm.Summary.GuestSummary(
            guestId=vm.guest_id,
            hostName=machine_guest.host_name(site, vm),
            toolsRunningStatus=machine_guest.tools_running(site, vm),
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
            guestFullName=machine_guest.full_name(vm),
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
    return site.reference(site.tree.vm_folder_of[vm.index])


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
    "guest": machine_guest.guest,
    "guest.toolsRunningStatus": machine_guest.tools_running,
    "guest.toolsVersionStatus2": machine_guest.tools_version,
    "guest.hostName": machine_guest.host_name,
    "guest.ipAddress": machine_guest.ip_address,
    "guest.net": machine_guest.interfaces,
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
