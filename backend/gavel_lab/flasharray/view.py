"""One array as its management sees it: the objects of the environment that live here, and what they are called now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gavel_lab.environment import Array, ArrayHost, Connection, Directory, Pod, TargetPort, Volume, VolumeGroup
from gavel_lab.ids import Ids
from gavel_lab.lab import Lab

NO_REFERENCE: Mapping[str, Any] = {"id": None, "name": None, "resource_type": None}


@dataclass(frozen=True)
class RemoteHost:
    """A host object of an array that shares a stretched pod with this one, listed here as `array:host`."""

    host: ArrayHost
    array: Array

    @property
    def name(self) -> str:
        return f"{self.array.name}:{self.host.name}"


class ArrayView:
    """What one array knows. Objects come in the order of their creation, as the vendor lists them."""

    def __init__(self, lab: Lab, array: Array) -> None:
        self.lab = lab
        self.array = array
        self.environment = lab.environment
        self.ids = Ids(lab.environment.seed)

    @property
    def reference(self) -> dict[str, Any]:
        return self.array_reference(self.array.index)

    def array_reference(self, index: int) -> dict[str, Any]:
        array = self.environment.arrays[index]
        return {"id": array.id, "name": array.name, "resource_type": "arrays"}

    @property
    def context(self) -> dict[str, Any]:
        """The fleet context of every row: this array."""
        return self.reference

    def now_ms(self) -> int:
        """What the array's own clock shows."""
        return int(self.lab.clocks.arrays[self.array.index].now() * 1000)

    @cached_property
    def volumes(self) -> tuple[Volume, ...]:
        return tuple(volume for volume in self.environment.volumes if self.array.index in volume.arrays)

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        return tuple(pod for pod in self.environment.pods if self.array.index in pod.arrays)

    @cached_property
    def volume_groups(self) -> tuple[VolumeGroup, ...]:
        return tuple(group for group in self.environment.volume_groups if group.array == self.array.index)

    @cached_property
    def directories(self) -> tuple[Directory, ...]:
        return tuple(directory for directory in self.environment.directories if directory.array == self.array.index)

    @cached_property
    def ports(self) -> tuple[TargetPort, ...]:
        return tuple(self.environment.ports[index] for index in self.array.ports)

    @cached_property
    def hosts(self) -> tuple[ArrayHost, ...]:
        return tuple(host for host in self.environment.array_hosts if host.array == self.array.index)

    @cached_property
    def connections(self) -> tuple[Connection, ...]:
        return tuple(connection for connection in self.environment.connections if connection.array == self.array.index)

    @cached_property
    def remote_connections(self) -> tuple[Connection, ...]:
        """Connections of stretched volumes on the other arrays of their pods."""
        mine = {volume.index for volume in self.volumes if volume.is_stretched}
        return tuple(
            connection
            for connection in self.environment.connections
            if connection.array != self.array.index and connection.volume in mine
        )

    @cached_property
    def remote_hosts(self) -> tuple[RemoteHost, ...]:
        """Host objects of the peers that are connected to a volume both arrays hold."""
        indexes = dict.fromkeys(connection.array_host for connection in self.remote_connections)
        hosts = (self.environment.array_hosts[index] for index in indexes)
        return tuple(RemoteHost(host, self.environment.arrays[host.array]) for host in hosts)

    @cached_property
    def connections_of_volume(self) -> Mapping[int, list[Connection]]:
        by_volume: dict[int, list[Connection]] = defaultdict(list)
        for connection in (*self.connections, *self.remote_connections):
            by_volume[connection.volume].append(connection)
        return by_volume

    @cached_property
    def connections_of_host(self) -> Mapping[int, list[Connection]]:
        by_host: dict[int, list[Connection]] = defaultdict(list)
        for connection in (*self.connections, *self.remote_connections):
            by_host[connection.array_host].append(connection)
        return by_host

    def volume_name(self, volume: int) -> str:
        return self.lab.faults.volume_name(volume)

    def volume_names(self) -> tuple[str, ...]:
        """Names of all volumes now: everything else the array lists never changes."""
        return tuple(map(self.lab.faults.volume_name, (volume.index for volume in self.volumes)))

    def volume_reference(self, volume: int | None) -> dict[str, Any]:
        if volume is None:
            return dict(NO_REFERENCE)
        return {"id": self.environment.volumes[volume].id, "name": self.volume_name(volume), "resource_type": "volumes"}

    def pod_reference(self, pod: int | None) -> dict[str, Any]:
        if pod is None:
            return dict(NO_REFERENCE)
        return {"id": self.environment.pods[pod].id, "name": self.environment.pods[pod].name, "resource_type": "pods"}

    def group_of(self, host: ArrayHost) -> str | None:
        """Host group: the cluster of an ESXi host, NVMe initiators in a group of their own."""
        if host.esxi_host is None:
            return None
        cluster = self.environment.clusters[self.environment.hosts[host.esxi_host].cluster]
        name = f"{cluster.name}-nvme" if host.nqns else cluster.name
        return name if host.array == self.array.index else f"{self.environment.arrays[host.array].name}:{name}"
