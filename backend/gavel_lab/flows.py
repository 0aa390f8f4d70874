"""Flows: the rows the model solves and sums. One flow is one load on one host, device, volume and array.

A load is a virtual disk (row = its index) or a bare machine's load (row = number of disks + its index). It has one flow per
host it runs on during the minute, per extent of its datastore and per array of a stretched volume.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gavel_lab.environment import Environment
from gavel_lab.reading import Floats
from gavel_lab.routes import Routes

Index = NDArray[np.int64]
NONE = -1

COLUMNS = (
    "load",  # row of the load
    "vm",
    "host",
    "datastore",  # none for an RDM: the datastore counters do not see it
    "group",  # queue: host device index, then NFS mounts, then bare loads
    "target",  # volume index, or number of volumes + directory index
    "array",
    "array_host",
    "remote",  # 1 on the leg of a stretched volume that goes to the array which is not preferred
    "stretched",  # 1 where writes are mirrored writes
)


class Grouping:
    """Sums rows into `n` groups by an index; order and borders are found once."""

    def __init__(self, index: Index, n: int) -> None:
        self._n = n
        self._order = np.argsort(index, kind="stable")
        ordered = index[self._order]
        self._starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(index) else np.empty(0, np.int64)
        self._present = ordered[self._starts]

    def sum(self, values: Floats) -> Floats:
        """(n, t) sums of (rows, t)."""
        return self._reduce(np.add, values, 0.0)

    def smallest(self, values: Floats, empty: float) -> Floats:
        """(n, t) minima of (rows, t)."""
        return self._reduce(np.minimum, values, empty)

    def _reduce(self, function: np.ufunc, values: Floats, empty: float) -> Floats:
        result = np.full((self._n, values.shape[1]), empty)
        if len(self._present):
            result[self._present] = function.reduceat(values[self._order], self._starts, axis=0)
        return result


@dataclass(frozen=True)
class Sizes:
    """How many loads, groups and targets there are."""

    loads: int
    devices: int
    groups: int
    targets: int


@dataclass(frozen=True)
class FlowTable:
    """Columns of the flows, each (f,); `extent_share` (f,): which part of the load's I/O goes to this extent; `route` (f,): of how many
    `routes` each takes (`gavel_lab.routes`)."""

    sizes: Sizes
    column: dict[str, Index]
    extent_share: Floats
    route: Index
    routes: int

    @cached_property
    def by_load(self) -> Grouping:
        """Flows into loads."""
        return Grouping(self.column["load"], self.sizes.loads)

    @cached_property
    def by_group(self) -> Grouping:
        """Flows into device queues."""
        return Grouping(self.column["group"], self.sizes.groups)

    @cached_property
    def by_target(self) -> Grouping:
        """Flows into volumes and directories."""
        return Grouping(self.column["target"], self.sizes.targets)

    @cached_property
    def by_route(self) -> Grouping:
        """Flows into routes."""
        return Grouping(self.route, self.routes)

    @cached_property
    def worlds(self) -> tuple[Index, Grouping, Grouping]:
        """(pair of each flow, flows into pairs, pairs into groups): a pair is a VM on a device queue."""
        key = self.column["group"] * (self.column["vm"].max() + 2) + self.column["vm"] + 1
        pairs, pair = np.unique(key, return_inverse=True)
        group_of_pair = np.zeros(len(pairs), np.int64)
        group_of_pair[pair] = self.column["group"]
        return pair, Grouping(pair, len(pairs)), Grouping(group_of_pair, self.sizes.groups)


def sizes(environment: Environment) -> Sizes:
    """Counts for an environment: every host has one queue per NFS directory, every bare load one of its own."""
    mounts = len(environment.hosts) * len(environment.directories)
    groups = len(environment.devices) + mounts + len(environment.bare_loads)
    loads = len(environment.disks) + len(environment.bare_loads)
    targets = len(environment.volumes) + len(environment.directories)
    return Sizes(loads, len(environment.devices), groups, targets)


def flow_table(environment: Environment, hosts_of_vm: Sequence[tuple[int, ...]]) -> FlowTable:
    """The flows of a minute in which each VM runs on the given hosts."""
    rows: list[tuple[int, ...]] = []
    shares: list[float] = []
    array_host_of: dict[tuple[int | None, int, bool], int] = {
        (host.esxi_host, host.array, bool(host.nqns)): host.index
        for host in environment.array_hosts
        if host.esxi_host is not None
    }
    for disk in environment.disks:
        for host in hosts_of_vm[disk.vm]:
            added = _disk_flows(environment, disk.index, host, array_host_of)
            rows += added
            shares += [1.0 / max(1, len(disk.volumes))] * len(added)
    rows += _bare_flows(environment)
    shares += [1.0] * len(environment.bare_loads)
    table = np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS))
    column = {name: table[:, place] for place, name in enumerate(COLUMNS)}
    routes = Routes(environment)
    route = routes.of(column["group"], column["array"])
    return FlowTable(sizes(environment), column, np.array(shares), route, routes.count)


def _disk_flows(
    environment: Environment, number: int, host: int, array_host_of: dict[tuple[int | None, int, bool], int]
) -> list[tuple[int, ...]]:
    disk = environment.disks[number]
    datastore = environment.datastores[disk.datastore]
    seen_in = NONE if disk.is_rdm else datastore.index
    if disk.directory is not None:
        group = len(environment.devices) + host * len(environment.directories) + disk.directory
        target = len(environment.volumes) + disk.directory
        return [(number, disk.vm, host, seen_in, group, target, datastore.array, NONE, 0, 0)]
    flows: list[tuple[int, ...]] = []
    for extent in disk.volumes:
        volume = environment.volumes[extent]
        device = environment.device_of[host, extent if datastore.endpoint is None else datastore.endpoint]
        for array in volume.arrays:
            array_host = array_host_of[host, array, environment.devices[device].transport == "nvme-tcp"]
            remote, stretched = int(array != volume.arrays[0]), int(volume.is_stretched)
            flows.append((number, disk.vm, host, seen_in, device, extent, array, array_host, remote, stretched))
    return flows


def _bare_flows(environment: Environment) -> list[tuple[int, ...]]:
    disks, first_group = len(environment.disks), sizes(environment).groups - len(environment.bare_loads)
    return [
        (
            disks + load.index,
            NONE,
            NONE,
            NONE,
            first_group + load.index,
            load.volume,
            environment.array_hosts[load.array_host].array,
            load.array_host,
            0,
            0,
        )
        for load in environment.bare_loads
    ]
