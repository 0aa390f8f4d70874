"""Captures of hosts as an inventory: what a vCenter would say, as far as the files say it. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.domain.imports import CapturedObject, Float64Array, ImportedCapture
from gavel.domain.inventory import (
    Datastore,
    DatastoreType,
    EsxiHost,
    HostDevice,
    HostInventory,
    VcenterInfo,
    Vm,
    VmDisk,
)
from gavel.domain.naming import volume_serial
from gavel.offline.disk_devices import assign_disks


def device_key(host: str, device: CapturedObject) -> str:
    return f"{host}/{device.name}"


def vm_key(host: str, vm: str) -> str:
    return f"{host}/{vm}"


def disk_key(host: str, disk: CapturedObject) -> str:
    """A disk of a VM that was captured on this host."""
    return f"{vm_key(host, disk.parent or '')}/{disk.part}"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A virtual disk with the devices that it is on, or on one or several of which it is; none where the file does not tie it to any."""

    host: str
    disk: CapturedObject
    devices: frozenset[str]


def capture_inventory(
    name: str, captures: Sequence[ImportedCapture], volumes: Mapping[str, str] | None = None
) -> HostInventory:
    """Hosts, devices, VMs and disks of all captures. volumes: names of the arrays' volumes by serial.

    Names of datastores are in no capture: they are called by their volumes, else by their devices.
    """
    devices = {
        device_key(capture.host_name, each): each for capture in captures for each in _of_kind(capture, "device")
    }
    placed = {disk_key(one.host, one.disk): one for capture in captures for one in _placed_disks(capture)}
    stores = _datastores(captures, [one.devices for one in placed.values()], volumes or {})
    store_of = {device: store.key for store in stores for device in store.extents}
    vms = {(one.host, one.disk.parent or "") for one in placed.values()}
    vms |= {(capture.host_name, world.vm_name) for capture in captures for world in _worlds(capture) if world.vm_name}
    return HostInventory(
        vcenter=VcenterInfo(key=f"captures of {name}", name=name, version="", build="", api_version=""),
        clusters=(),
        hosts=tuple(_host(each) for each in sorted({capture.host_name for capture in captures})),
        hbas=(),
        devices=tuple(_device(key, each) for key, each in devices.items()),
        paths=(),
        datastores=tuple(stores),
        vms=tuple(_vm(*each) for each in sorted(vms)),
        disks=tuple(_disk(key, one, store_of) for key, one in placed.items()),
        tasks_are_read=False,
    )


def _of_kind(capture: ImportedCapture, kind: str) -> list[CapturedObject]:
    return [each for each in capture.objects if each.kind == kind]


def _worlds(capture: ImportedCapture) -> list[CapturedObject]:
    return _of_kind(capture, "world")


def _placed_disks(capture: ImportedCapture) -> list[_Placed]:
    disks: dict[str, dict[str, CapturedObject]] = defaultdict(dict)
    for each in _of_kind(capture, "virtual_disk"):
        disks[each.parent or ""][each.part or ""] = each
    issued = _issued(capture)
    found = []
    for vm, own in disks.items():
        rates = {part: _rate(each) for part, each in own.items()}
        assigned = assign_disks(rates, issued.get(vm, {}))
        found += [_Placed(capture.host_name, each, assigned[part]) for part, each in own.items()]
    return found


def _issued(capture: ImportedCapture) -> Mapping[str, Mapping[str, Float64Array]]:
    """By VM and device, (r,) I/Os per second of the VM's worlds."""
    found: dict[str, dict[str, Float64Array]] = defaultdict(dict)
    for world in _worlds(capture):
        if world.vm_name and world.parent:
            before = found[world.vm_name].get(world.parent)
            rate = _rate(world)
            found[world.vm_name][world.parent] = rate if before is None else before + rate
    return found


def _rate(each: CapturedObject) -> Float64Array:
    rates = [np.nan_to_num(each.columns[name]) for name in ("reads_per_s", "writes_per_s") if name in each.columns]
    if not rates:
        return np.zeros(len(next(iter(each.columns.values()))))
    total: Float64Array = np.sum(rates, axis=0)
    return total


def _datastores(
    captures: Sequence[ImportedCapture], together: Sequence[frozenset[str]], volumes: Mapping[str, str]
) -> list[Datastore]:
    """One for each device with I/Os of VMs; devices that one disk may be on, in any combination, are extents of one."""
    hosts: dict[str, set[str]] = defaultdict(set)
    for capture in captures:
        for world in _worlds(capture):
            if world.vm_name and world.parent:
                hosts[world.parent].add(capture.host_name)
    groups: list[set[str]] = [{device} for device in hosts]
    for devices in together:
        meeting = [group for group in groups if group & devices]
        groups = [group for group in groups if not group & devices]
        if meeting:
            groups.append(set().union(*meeting))
    return [_datastore(sorted(group), set().union(*(hosts[device] for device in group)), volumes) for group in groups]


def _datastore(devices: Sequence[str], hosts: set[str], volumes: Mapping[str, str]) -> Datastore:
    more = f" and {len(devices) - 1} more" if len(devices) > 1 else ""
    first = volumes.get(volume_serial(devices[0]) or "", devices[0])
    return Datastore(
        key=devices[0],
        name=f"{first}{more}",
        type=DatastoreType.VMFS,
        uuid=None,
        capacity_bytes=None,
        extents=tuple(devices),
        host_keys=tuple(sorted(hosts)),
    )


def _host(name: str) -> EsxiHost:
    return EsxiHost(
        key=name,
        name=name,
        hardware_uuid=None,
        cluster_key=None,
        version=None,
        build=None,
        connection_state="connected",
        in_maintenance=False,
    )


def _device(key: str, device: CapturedObject) -> HostDevice:
    """The depth in force is in the samples; how it was configured is in no capture."""
    return HostDevice(
        key=key,
        host_key=key.rsplit("/", 1)[0],
        canonical_name=device.name,
        vendor=None,
        model=None,
        queue_depth=None,
        dsnro=None,
        path_policy=None,
        is_protocol_endpoint=False,
    )


def _vm(host: str, name: str) -> Vm:
    return Vm(key=vm_key(host, name), name=name, instance_uuid=None, power_state="poweredOn", host_key=host)


def _disk(key: str, placed: _Placed, store_of: Mapping[str, str]) -> VmDisk:
    instance = placed.disk.part or ""
    store = next((store_of[device] for device in sorted(placed.devices) if device in store_of), None)
    return VmDisk(
        key=key,
        vm_key=vm_key(placed.host, placed.disk.parent or ""),
        instance=instance,
        label=instance,
        controller_type="unknown",
        capacity_bytes=None,
        datastore_key=store,
        backing_path=None,
        backing_uuid=None,
        device_name=None,
        vvol_id=None,
        iops_limit=None,
        snapshot_depth=None,
    )
