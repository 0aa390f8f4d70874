"""What really happened: the times of all I/Os that ended in a minute, added up by thing and layer."""

from dataclasses import dataclass

import numpy as np
from tests.truth.per_io import events as e
from tests.truth.per_io.environment import NOWHERE, Environment
from tests.truth.per_io.events import Log
from tests.truth.per_io.product import volume_rows

from gavel.domain.scope import ScopeKind

KERNEL, SAN, ARRAY, GUEST = range(4)
LAYERS = ("kernel", "SAN", "array", "guest")
KINDS = (
    ScopeKind.HOST_DEVICE,
    ScopeKind.VM_DISK,
    ScopeKind.VM,
    ScopeKind.DATASTORE,
    ScopeKind.HOST,
    ScopeKind.VOLUME,
    ScopeKind.ARRAY,
)
_OF_DISKS = (ScopeKind.VM_DISK, ScopeKind.VM)


@dataclass(frozen=True)
class Truth:
    """Of one kind: ops (things, minutes) and time (things, minutes, 4) in µs added up over the I/Os, by layer."""

    ops: np.ndarray
    time_us: np.ndarray


class Reality:
    """Every I/O's time by layer, once for all kinds."""

    def __init__(self, environment: Environment, log: Log) -> None:
        self.environment, self._log, times = environment, log, log.times
        driver = times[e.ACKNOWLEDGED] - times[e.ISSUED]
        array = times[e.QOS] + times[e.QUEUE] + times[e.SERVICE]
        kernel = times[e.DEVICE_DONE] - times[e.DEVICE] - driver
        hypervisor = times[e.DEVICE] - times[e.VSCSI]
        self._layers_us = [1e6 * layer for layer in (kernel, driver - array, array)]
        self._hypervisor_us = 1e6 * hypervisor
        self._guest_us = 1e6 * (times[e.VSCSI] - times[e.GUEST])
        self._minute = np.floor(times[e.DEVICE_DONE] / 60.0)
        known = (log.device != NOWHERE) & (self._minute >= 0) & (self._minute < environment.minutes)
        self._known = np.flatnonzero(known)

    def of(self, kind: ScopeKind) -> Truth:
        """Reads and writes together. A device's time begins at the device: the hypervisor's is no part of it."""
        things, thing = _things(self.environment, self._log, kind)
        kept = self._known[thing[self._known] != NOWHERE]
        group = (thing[kept] * self.environment.minutes + self._minute[kept]).astype(np.int64)
        size = things * self.environment.minutes

        def added(numbers: np.ndarray | None) -> np.ndarray:
            weights = None if numbers is None else numbers[kept]
            return np.bincount(group, weights, minlength=size).reshape(things, self.environment.minutes)

        kernel, san, array = map(added, self._layers_us)
        guest = np.zeros_like(kernel)
        if kind is not ScopeKind.HOST_DEVICE:
            kernel, guest = kernel + added(self._hypervisor_us), added(self._guest_us)
        return Truth(added(None), np.stack([kernel, san, array, guest], axis=2))


def _things(environment: Environment, log: Log, kind: ScopeKind) -> tuple[int, np.ndarray]:
    """How many there are, and which of them each I/O belongs to."""
    if kind is ScopeKind.HOST_DEVICE:
        return len(environment.devices), log.device
    if kind in _OF_DISKS:
        disk = np.array([stream.disk for stream in environment.streams])[log.stream]
        if kind is ScopeKind.VM_DISK:
            return len(environment.disks), disk
        vm = np.array([*(one.vm for one in environment.disks), NOWHERE])
        return len(environment.vm_host), vm[disk]
    if kind is ScopeKind.HOST:
        host = np.array([*(device.host for device in environment.devices), NOWHERE])
        return len(environment.hosts), host[log.device]
    if kind is ScopeKind.DATASTORE:
        store = np.array(
            [environment.store_of_volume.get(volume, NOWHERE) for volume in range(len(environment.volumes))]
        )
        return len(environment.datastores), store[log.volume]
    if kind is ScopeKind.ARRAY:
        return len(environment.arrays), np.array([volume.array for volume in environment.volumes])[log.volume]
    return len(environment.volumes), log.volume


def position(environment: Environment, kind: ScopeKind, things: np.ndarray) -> np.ndarray:
    """(n,) the environment's numbers of the product's things: a stretched volume is one, whichever array counts it."""
    if kind is not ScopeKind.VOLUME:
        return things
    numbers: np.ndarray = np.array([int(key.split("/")[0]) for key in volume_rows(environment)])[things]
    return numbers


def vcenters_of(environment: Environment, kind: ScopeKind, number: int) -> set[int]:
    """The vCenters that measure a thing."""
    if kind is ScopeKind.VM:
        hosts = {environment.vm_host[number]}
    elif kind is ScopeKind.VM_DISK:
        hosts = {environment.vm_host[environment.disks[number].vm]}
    elif kind is ScopeKind.HOST:
        hosts = {number}
    else:
        hosts = {
            device.host for place, device in enumerate(environment.devices) if _is_of(environment, kind, number, place)
        }
    return {environment.hosts[host].vcenter for host in hosts}


def _is_of(environment: Environment, kind: ScopeKind, number: int, place: int) -> bool:
    volume = environment.devices[place].volume
    return (
        number
        == {
            ScopeKind.HOST_DEVICE: place,
            ScopeKind.VOLUME: volume,
            ScopeKind.DATASTORE: environment.store_of_volume.get(volume, NOWHERE),
            ScopeKind.ARRAY: environment.volumes[volume].array,
        }[kind]
    )
