"""What VMware Tools report of a guest: name, addresses, file systems. Some VMs have no tools, and some have them stopped."""

from typing import Any

from pyVmomi import vim

from gavel_lab.environment import Vm
from gavel_lab.vcenter.machine_devices import disks_of, mac_address
from gavel_lab.vcenter.site import Site

_DOMAIN = "corp.lab.example"
# An appliance among so many VMs comes without tools; in another one they have stopped.
_WITHOUT_TOOLS, _STOPPED = 11, 13


def has_tools(vm: Vm) -> bool:
    return vm.index % _WITHOUT_TOOLS != _WITHOUT_TOOLS - 1


def is_reporting(site: Site, vm: Vm) -> bool:
    """Whether tools run in the guest now."""
    return site.is_on(vm) and has_tools(vm) and vm.index % _STOPPED != _STOPPED - 1


def full_name(vm: Vm) -> str:
    return "Microsoft Windows Server 2022 (64-bit)" if "windows" in vm.guest_id.lower() else "Other Linux (64-bit)"


def tools_running(site: Site, vm: Vm) -> str:
    return "guestToolsRunning" if is_reporting(site, vm) else "guestToolsNotRunning"


def tools_version(_site: Site, vm: Vm) -> str:
    return "guestToolsCurrent" if has_tools(vm) else "guestToolsNotInstalled"


def host_name(site: Site, vm: Vm) -> str | None:
    return f"{vm.name}.{_DOMAIN}" if is_reporting(site, vm) else None


def ip_address(site: Site, vm: Vm) -> str | None:
    if not is_reporting(site, vm):
        return None
    return f"10.{20 + site.vcenter.index}.{vm.index // 250}.{vm.index % 250 + 1}"


def interfaces(site: Site, vm: Vm) -> list[Any]:
    """`guest.net`: one network card, with its link-local address of IPv6 as guests have it."""
    address = ip_address(site, vm)
    if address is None:
        return []
    link_local = f"fe80::250:56ff:fe{vm.index >> 16 & 0xFF:02x}:{vm.index & 0xFFFF:04x}"
    configured = [
        vim.net.IpConfigInfo.IpAddress(ipAddress=address, prefixLength=16, state="preferred"),
        vim.net.IpConfigInfo.IpAddress(ipAddress=link_local, prefixLength=64, state="unknown"),
    ]
    return [
        vim.vm.GuestInfo.NicInfo(
            network="VM Network",
            ipAddress=[address, link_local],
            macAddress=mac_address(vm),
            connected=True,
            deviceConfigId=4000,
            ipConfig=vim.net.IpConfigInfo(ipAddress=configured),
        )
    ]


def guest(site: Site, vm: Vm) -> Any:
    states, reporting = vim.vm.GuestInfo.ToolsStatus, is_reporting(site, vm)
    status = states.toolsOk if reporting else states.toolsNotRunning if has_tools(vm) else states.toolsNotInstalled
    return vim.vm.GuestInfo(
        toolsStatus=status,
        toolsVersionStatus2=tools_version(site, vm),
        toolsRunningStatus=tools_running(site, vm),
        toolsVersion="12389" if has_tools(vm) else "0",
        guestId=vm.guest_id if reporting else None,
        guestFullName=full_name(vm) if reporting else None,
        hostName=host_name(site, vm),
        guestState="running" if reporting else "notRunning",
        ipAddress=ip_address(site, vm),
        net=interfaces(site, vm),
        disk=[_disk(vm, number, disk) for number, disk in enumerate(disks_of(site, vm))] if reporting else [],
    )


def _disk(vm: Vm, number: int, disk: Any) -> Any:
    windows = "windows" in vm.guest_id.lower()
    path = f"{chr(ord('C') + number)}:\\" if windows else ("/" if number == 0 else f"/data{number}")
    return vim.vm.GuestInfo.DiskInfo(
        diskPath=path,
        capacity=disk.capacity_bytes,
        freeSpace=disk.capacity_bytes * 2 // 5,
        filesystemType="NTFS" if windows else "ext4",
        mappings=[vim.vm.GuestInfo.VirtualDiskMapping(key=disk.key)],
    )
