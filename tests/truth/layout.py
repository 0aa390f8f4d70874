"""A lab's environment as the positions that the analysis works on."""

import numpy as np

from gavel.analysis.topology import NONE, Devices, DiskParts, Index, Pairs, Topology, Volumes
from gavel_lab.environment import Environment, VirtualDisk
from gavel_lab.lab import Lab

Part = tuple[int, int]


def parts_of(lab: Lab, start_s: float, end_s: float) -> tuple[Part, ...]:
    """(disk, host) of every disk and each host that runs its VM within the span."""
    found: list[Part] = []
    for vm in lab.environment.vms:
        hosts = {lab.placement.host_of(vm.index, start_s)}
        hosts |= {to for _, _, to in lab.placement.moves(vm.index, start_s, end_s)}
        found += [(disk, host) for disk in vm.disks for host in sorted(hosts)]
    return tuple(found)


def topology_of(environment: Environment, parts: tuple[Part, ...]) -> Topology:
    """Hosts, datastores, VMs, disks, arrays keep their places; a volume is a unit, as is a directory after them."""
    rows = [(volume.index, array) for volume in environment.volumes for array in volume.arrays]
    pods = {pod.index for pod in environment.pods if len(pod.arrays) > 1}
    pod_of = [NONE if volume.pod not in pods else volume.pod for volume in environment.volumes]
    both = [pod_of[v] != NONE and environment.pods[pod_of[v]].mirrored_writes_counted_on == "both" for v, _ in rows]
    volumes = Volumes(
        unit=_index(v for v, _ in rows),
        array=_index(array for _, array in rows),
        pod=_index(pod_of[v] for v, _ in rows),
        mirrored_on_both=_bools(both),
    )
    return Topology(
        devices=_devices(environment, parts),
        parts=_parts(environment, parts),
        volumes=volumes,
        units=len(environment.volumes) + len(environment.directories),
        unit_array=_index(
            [NONE] * len(environment.volumes) + [directory.array for directory in environment.directories]
        ),
        disks=len(environment.disks),
        vms=len(environment.vms),
        datastores=len(environment.datastores),
        arrays=len(environment.arrays),
        pods=len(environment.pods),
        sources=len(environment.vcenters),
        clusters=len(environment.clusters),
        host_source=_index(host.vcenter for host in environment.hosts),
        host_cluster=_index(host.cluster for host in environment.hosts),
    )


def volume_rows(environment: Environment) -> dict[Part, int]:
    """(volume, array) → its place among the volumes of the topology."""
    rows = [(volume.index, array) for volume in environment.volumes for array in volume.arrays]
    return {row: place for place, row in enumerate(rows)}


def _devices(environment: Environment, parts: tuple[Part, ...]) -> Devices:
    datastore_of = {volume: store.index for store in environment.datastores for volume in store.extents}
    bound = sorted(
        {
            (_endpoint(environment, disk, host), disk.volumes[0])
            for disk, host in ((environment.disks[number], host) for number, host in parts)
            if disk.vvol_id is not None
        }
    )
    return Devices(
        host=_index(device.host for device in environment.devices),
        unit=_index(NONE if device.is_protocol_endpoint else device.volume for device in environment.devices),
        datastore=_index(datastore_of.get(device.volume, NONE) for device in environment.devices),
        configured_depth=np.array([device.max_queue_depth for device in environment.devices], dtype=np.float64),
        endpoint=Pairs(left=_index(device for device, _ in bound), right=_index(unit for _, unit in bound)),
    )


def _parts(environment: Environment, parts: tuple[Part, ...]) -> DiskParts:
    disks = [environment.disks[disk] for disk, _ in parts]
    pairs = [
        (place, device) for place, (disk, host) in enumerate(parts) for device in _carriers(environment, disk, host)
    ]
    return DiskParts(
        disk=_index(disk for disk, _ in parts),
        vm=_index(disk.vm for disk in disks),
        host=_index(host for _, host in parts),
        datastore=_index(NONE if disk.is_rdm else disk.datastore for disk in disks),
        unit=_index(_own_unit(environment, disk) for disk in disks),
        is_whole=_bools(disk.vvol_id is not None or disk.directory is not None for disk in disks),
        queue_limit=np.array([disk.queue_depth for disk in disks], dtype=np.float64),
        devices=Pairs(left=_index(place for place, _ in pairs), right=_index(device for _, device in pairs)),
    )


def _own_unit(environment: Environment, disk: VirtualDisk) -> int:
    if disk.directory is not None:
        return len(environment.volumes) + disk.directory
    return disk.volumes[0] if disk.vvol_id is not None else NONE


def _endpoint(environment: Environment, disk: VirtualDisk, host: int) -> int:
    endpoint = environment.datastores[disk.datastore].endpoint
    if endpoint is None:
        raise ValueError(f"disk {disk.file_name} is a vVol on a datastore without a protocol endpoint")
    return environment.device_of[host, endpoint]


def _carriers(environment: Environment, number: int, host: int) -> list[int]:
    disk = environment.disks[number]
    if disk.vvol_id is not None:
        return [_endpoint(environment, disk, host)]
    return [environment.device_of[host, volume] for volume in disk.volumes]


def _index(numbers: object) -> Index:
    return np.fromiter(numbers, dtype=np.int64)  # type: ignore[call-overload,no-any-return]


def _bools(flags: object) -> np.ndarray:
    return np.array(list(flags), dtype=np.bool_)  # type: ignore[call-overload]
