"""Captures of hosts as an inventory: what a vCenter would say, as far as the files say it. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from gavel.domain.imports import CapturedObject, ImportedCapture
from gavel.domain.inventory import (
    Datastore,
    DatastoreType,
    EsxiHost,
    Hba,
    HostDevice,
    HostInventory,
    Path,
    Protocol,
    VcenterInfo,
    Vm,
    VmDisk,
)
from gavel.domain.naming import volume_serial
from gavel.offline.disk_placement import (
    PlacedDisk,
    carriers,
    device_key,
    disk_key,
    of_kind,
    placed_disks,
    vm_key,
    volumes_in_use,
    worlds,
)
from gavel.offline.path_devices import adapter_of, devices_of_paths

# An NFS volume is to its disks what a device is: its latency is from the kernel on, and it has no parts.
_NFS_MODEL = "NFS volume"
# As VMware calls the state of a path that carries I/Os.
_WORKS = "active"
_T = TypeVar("_T", Hba, Path)


def capture_inventory(
    name: str, captures: Sequence[ImportedCapture], volumes: Mapping[str, str] | None = None
) -> HostInventory:
    """Hosts, devices, VMs and disks of all captures. volumes: names of the arrays' volumes by serial.

    Names of datastores are in no capture: they are called by their volumes, else by their devices.
    """
    devices = {device_key(capture.host_name, each): each for capture in captures for each in carriers(capture)}
    placed = {disk_key(one.host, one.disk): one for capture in captures for one in placed_disks(capture)}
    stores = _datastores(captures, [one.devices for one in placed.values()], volumes or {})
    store_of = {device: store.key for store in stores for device in store.extents}
    vms = {(one.host, one.disk.parent or "") for one in placed.values()}
    vms |= {(capture.host_name, world.vm_name) for capture in captures for world in worlds(capture) if world.vm_name}
    return HostInventory(
        vcenter=VcenterInfo(key=f"captures of {name}", name=name, version="", build="", api_version=""),
        clusters=(),
        hosts=tuple(_host(each) for each in sorted({capture.host_name for capture in captures})),
        hbas=_each_once(_hba(capture.host_name, each) for capture in captures for each in of_kind(capture, "adapter")),
        devices=tuple(_device(key, each) for key, each in devices.items()),
        paths=_each_once(path for capture in captures for path in _paths(capture)),
        datastores=tuple(stores),
        vms=tuple(_vm(*each) for each in sorted(vms)),
        disks=tuple(_disk(key, one, store_of) for key, one in placed.items()),
        tasks_are_read=False,
    )


def _datastores(
    captures: Sequence[ImportedCapture], together: Sequence[frozenset[str]], volumes: Mapping[str, str]
) -> list[Datastore]:
    """One for each device with I/Os of VMs, and for each NFS volume; those that one disk may be on, in any combination, are extents of
    one."""
    hosts: dict[str, set[str]] = defaultdict(set)
    files: set[str] = set()
    for capture in captures:
        for world in worlds(capture):
            if world.vm_name and world.parent:
                hosts[world.parent].add(capture.host_name)
        for volume in volumes_in_use(capture):
            hosts[volume.name].add(capture.host_name)
            files.add(volume.name)
    groups: list[set[str]] = [{device} for device in hosts]
    for devices in together:
        meeting = [group for group in groups if group & devices]
        groups = [group for group in groups if not group & devices]
        if meeting:
            groups.append(set().union(*meeting))
    return [
        _datastore(
            sorted(group),
            set().union(*(hosts[device] for device in group)),
            volumes,
            DatastoreType.NFS if group <= files else DatastoreType.VMFS,
        )
        for group in groups
    ]


def _datastore(devices: Sequence[str], hosts: set[str], volumes: Mapping[str, str], kind: DatastoreType) -> Datastore:
    more = f" and {len(devices) - 1} more" if len(devices) > 1 else ""
    first = volumes.get(volume_serial(devices[0]) or "", devices[0])
    return Datastore(
        key=devices[0],
        name=f"{first}{more}",
        type=kind,
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
        model=_NFS_MODEL if device.kind == "nfs_volume" else None,
        queue_depth=None,
        dsnro=None,
        path_policy=None,
        is_protocol_endpoint=False,
    )


def _hba(host: str, adapter: CapturedObject) -> Hba:
    """Its own queue depth (AQLEN) is in the samples; driver, protocol and address are in no capture."""
    return Hba(
        key=device_key(host, adapter),
        host_key=host,
        device=adapter.name,
        driver=None,
        model=None,
        protocol=Protocol.UNKNOWN,
        address=None,
        queue_depth=None,
    )


def _paths(capture: ImportedCapture) -> Iterator[Path]:
    """Those with I/Os, of which these say the device. Which other paths there are, and their state, is in no capture."""
    host = capture.host_name
    adapters = {each.name for each in of_kind(capture, "adapter")}
    for name, device in devices_of_paths(capture).items():
        adapter = adapter_of(name)
        yield Path(
            key=f"{host}/{name}",
            host_device_key=f"{host}/{device}",
            hba_key=f"{host}/{adapter}" if adapter in adapters else None,
            target=None,
            state=_WORKS,
            is_optimized=None,
            name=name,
            counter=None,
        )


def _each_once(things: Iterable[_T]) -> tuple[_T, ...]:
    """By key, where several captures are of one host."""
    return tuple({each.key: each for each in things}.values())


def _vm(host: str, name: str) -> Vm:
    return Vm(key=vm_key(host, name), name=name, instance_uuid=None, power_state="poweredOn", host_key=host)


def _disk(key: str, placed: PlacedDisk, store_of: Mapping[str, str]) -> VmDisk:
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
