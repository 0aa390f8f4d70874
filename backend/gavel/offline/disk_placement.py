"""Where the virtual disks of a capture lie: on which of its devices, or NFS volumes, as far as their I/Os say. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gavel.domain.imports import CapturedObject, Float64Array, ImportedCapture
from gavel.offline.disk_devices import assign_disks
from gavel.offline.nfs_volumes import assign_to_volumes


def device_key(host: str, device: CapturedObject) -> str:
    """Of a device, an NFS volume, an adapter or a path: each is called otherwise."""
    return f"{host}/{device.name}"


def vm_key(host: str, vm: str) -> str:
    return f"{host}/{vm}"


def disk_key(host: str, disk: CapturedObject) -> str:
    """A disk of a VM that was captured on this host."""
    return f"{vm_key(host, disk.parent or '')}/{disk.part}"


@dataclass(frozen=True, slots=True)
class PlacedDisk:
    """A virtual disk with the devices or NFS volumes that it is on, or on one or several of which it is; none where the file does not tie
    it to any."""

    host: str
    disk: CapturedObject
    devices: frozenset[str]


def of_kind(capture: ImportedCapture, kind: str) -> list[CapturedObject]:
    return [each for each in capture.objects if each.kind == kind]


def worlds(capture: ImportedCapture) -> list[CapturedObject]:
    return of_kind(capture, "world")


def placed_disks(capture: ImportedCapture) -> list[PlacedDisk]:
    found = _on_devices(capture)
    on_volumes = _on_volumes(capture, found)
    if not on_volumes:
        return found
    return [replace(one, devices=on_volumes.get(disk_key(one.host, one.disk), one.devices)) for one in found]


def volumes_in_use(capture: ImportedCapture) -> Sequence[CapturedObject]:
    """NFS volumes whose I/Os are those of disks that no device carries; none where such disks have more, and so are elsewhere."""
    return of_kind(capture, "nfs_volume") if _on_volumes(capture, _on_devices(capture)) is not None else ()


def carriers(capture: ImportedCapture) -> list[CapturedObject]:
    """What carries virtual disks: devices and NFS volumes."""
    return [*of_kind(capture, "device"), *volumes_in_use(capture)]


def _on_devices(capture: ImportedCapture) -> list[PlacedDisk]:
    disks: dict[str, dict[str, CapturedObject]] = defaultdict(dict)
    for each in of_kind(capture, "virtual_disk"):
        disks[each.parent or ""][each.part or ""] = each
    issued = _issued(capture)
    found = []
    for vm, own in disks.items():
        rates = {part: _rate(each) for part, each in own.items()}
        assigned = assign_disks(rates, issued.get(vm, {}))
        found += [PlacedDisk(capture.host_name, each, assigned[part]) for part, each in own.items()]
    return found


def _on_volumes(capture: ImportedCapture, on_devices: Sequence[PlacedDisk]) -> Mapping[str, frozenset[str]] | None:
    """By key, of disks whose VM does no I/O on any device."""
    volumes = {each.name: _rate(each) for each in of_kind(capture, "nfs_volume")}
    if not volumes:
        return {}
    disks = {disk_key(one.host, one.disk): _rate(one.disk) for one in on_devices if not one.devices}
    return assign_to_volumes(disks, volumes)


def _issued(capture: ImportedCapture) -> Mapping[str, Mapping[str, Float64Array]]:
    """By VM and device, (r,) I/Os per second of the VM's worlds."""
    found: dict[str, dict[str, Float64Array]] = defaultdict(dict)
    for world in worlds(capture):
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
