"""Which host each VM runs on and whether it is on, as a function of time: the environment's schedule, and what is asked for at run time."""

import threading

import numpy as np
from numpy.typing import NDArray

from gavel_lab.environment import Environment
from gavel_lab.stories import HOUR_S

Move = tuple[float, int, int]


class Placement:
    """Where VMs run. Times are lab seconds since the epoch. Thread-safe."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._home = np.array([vm.home_host for vm in environment.vms], dtype=np.int64)
        self._commuters = [vm.index for vm in environment.vms if vm.commute]
        self._moved: tuple[Move, ...] = ()  # (at, vm, host), oldest first
        self._switched: tuple[tuple[float, int, bool], ...] = ()  # (at, vm, on), oldest first
        self._lock = threading.Lock()

    def host_of(self, vm: int, at: float) -> int:
        """Index of the host that runs the VM at that instant."""
        moved = [host for when, mover, host in self._moved if mover == vm and when <= at]
        return moved[-1] if moved else self._scheduled(vm, at)

    def moves(self, vm: int, start: float, end: float) -> list[Move]:
        """vMotions of the VM with start <= at < end, oldest first: (at, from host, to host)."""
        instants = {when for when, mover, _ in self._moved if mover == vm}
        for hour in range(int(start // HOUR_S), int(end // HOUR_S) + 1):
            instants |= {float(hour * HOUR_S + 60 * minute) for minute, _ in self._environment.vms[vm].commute}
        steps = [
            (at, self.host_of(vm, at - 1e-3), self.host_of(vm, at)) for at in sorted(instants) if start <= at < end
        ]
        return [step for step in steps if step[1] != step[2]]

    def move(self, vm: int, host: int, at: float) -> None:
        """vMotion `vm` to `host` from `at` on, for good. Raises ValueError where the host cannot run it."""
        record = self._environment.vms[vm]
        datastores = {self._environment.disks[disk].datastore for disk in record.disks}
        if host not in self._environment.clusters[record.cluster].hosts:
            raise ValueError(f"{self._environment.hosts[host].name} is not in the cluster of {record.name}")
        if not datastores <= set(self._environment.hosts[host].datastores):
            raise ValueError(f"{self._environment.hosts[host].name} does not see all datastores of {record.name}")
        with self._lock:
            self._moved = tuple(sorted((*self._moved, (at, vm, host))))

    def switch(self, vm: int, at: float, *, on: bool) -> None:
        """Power `vm` on or off from `at` on. Raises ValueError where it is so already."""
        if self.is_on(vm, at) is on:
            raise ValueError(f"{self._environment.vms[vm].name} is {'on' if on else 'off'} already")
        with self._lock:
            self._switched = tuple(sorted((*self._switched, (at, vm, on))))

    def is_on(self, vm: int, at: float) -> bool:
        """Whether the VM runs at that instant."""
        switched = [on for when, which, on in self._switched if which == vm and when <= at]
        return switched[-1] if switched else self._environment.vms[vm].is_powered_on

    def switches(self, vm: int) -> tuple[float, ...]:
        """The instants at which the VM was powered on or off, oldest first."""
        return tuple(at for at, which, _ in self._switched if which == vm)

    def off(self, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(VMs, t) where a VM is off."""
        off = np.repeat(
            np.array([not vm.is_powered_on for vm in self._environment.vms], dtype=bool)[:, None], len(starts), 1
        )
        for when, vm, on in self._switched:
            off[vm, starts >= when] = not on
        return off

    def changes(self, start: float, end: float) -> tuple[Move, ...]:
        """Everything that moves with start < at <= end, any VM: (at, vm, to host), oldest first."""
        movers = {*self._commuters, *(vm for _, vm, _ in self._moved)}
        found = [(at, vm, to) for vm in movers for at, _, to in self.moves(vm, start, end + 1e-3) if start < at <= end]
        return tuple(sorted(found))

    def hosts_at(self, at: float) -> NDArray[np.int64]:
        """(VMs,) host index of every VM at an instant."""
        hosts = self._home.copy()
        for vm in {*self._commuters, *(vm for _, vm, _ in self._moved)}:
            hosts[vm] = self.host_of(vm, at)
        return hosts

    def version(self, end: float) -> int:
        """How many changes asked for at run time happen before `end`: what was solved for an older version is stale."""
        return sum(at < end for at, _, _ in (*self._moved, *self._switched))

    def _scheduled(self, vm: int, at: float) -> int:
        record = self._environment.vms[vm]
        if not record.commute:
            return record.home_host
        done = [host for minute, host in record.commute if 60 * minute <= at % HOUR_S]
        return done[-1] if done else record.commute[-1][1]
