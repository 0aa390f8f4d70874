"""What drives the queues in each step of time: demand per load, limits, transit times, array speed; stories included."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gavel_lab import noise
from gavel_lab.environment import Environment, Transport, Volume
from gavel_lab.flows import sizes
from gavel_lab.numbering import numbers
from gavel_lab.reading import Floats
from gavel_lab.stories import PHASES, Phase
from gavel_lab.workloads import PROFILES, Workload

UNLIMITED = 1e12
NFS_DEPTH = 256

_FABRIC_US: dict[Transport, float] = {"fc": 88.0, "iscsi": 110.0, "nvme-tcp": 62.0}
_STEADY_STORIES = ("esxi-queuing", "competing-worlds")  # their numbers are compared with published ones
_SERVICE_US = 164.0
_NOISE = 0.03
_STEADY_NOISE = 0.003


@dataclass(kw_only=True)
class Inputs:
    """Arrays of (rows, t), t steps of time; rows are loads, groups (device queues) or targets (volumes, directories).

    threads, think_us, disk_depth, iops_limit,
    hypervisor_us                                       per load; hypervisor_us is spent between virtual disk and device
    max_depth, shared_depth, fabric_us, remote_share,
    kernel_us                                           per group; shared_depth applies from two VMs on;
                                                        remote_share is the part of I/O on paths to the other array;
                                                        kernel_us is kernel service
    service_us, capacity, qos_limit                     per target: read service when idle, ops/s at which its own
                                                        queue bends, limit in ops/s
    """

    threads: Floats
    think_us: Floats
    disk_depth: Floats
    iops_limit: Floats
    hypervisor_us: Floats
    max_depth: Floats
    shared_depth: Floats
    fabric_us: Floats
    remote_share: Floats
    kernel_us: Floats
    service_us: Floats
    capacity: Floats
    qos_limit: Floats


@dataclass(kw_only=True)
class _Cast:
    """Which rows a phase touches."""

    phase: Phase
    disks: dict[str, NDArray[np.int64]]
    groups: NDArray[np.int64]
    targets: NDArray[np.int64]
    busy: NDArray[np.int64]  # groups whose host is busy
    held: NDArray[np.int64]  # disks that wait in the hypervisor: of the VM that a task is on, or with an I/O filter


@dataclass
class Demand:
    """The constant part of the inputs of an environment, and `at` to get them for given seconds."""

    environment: Environment
    read_share: Floats = field(init=False)  # (loads, 1)
    read_bytes: Floats = field(init=False)
    write_bytes: Floats = field(init=False)
    bytes_read: Floats = field(init=False)  # per I/O, on average over reads and writes
    bytes_written: Floats = field(init=False)

    def __post_init__(self) -> None:
        environment = self.environment
        workloads = [disk.workload for disk in environment.disks] + [load.workload for load in environment.bare_loads]
        self._profiles = [PROFILES[workload] for workload in workloads]
        self._sizes = sizes(environment)
        self.read_share = self._of_loads(lambda profile: profile.read_share)
        self.read_bytes = self._of_loads(lambda profile: profile.read_bytes)
        self.write_bytes = self._of_loads(lambda profile: profile.write_bytes)
        self.bytes_read = self.read_share * self.read_bytes
        self.bytes_written = (1 - self.read_share) * self.write_bytes
        own = numbers(environment)
        self._load_keys = noise.keys_of(environment.seed, "load", own.loads)
        self._group_keys = noise.keys_of(environment.seed, "group", own.groups)
        self._target_keys = noise.keys_of(environment.seed, "target", own.targets)
        self._kernel_us = 5.0 + 2.0 * noise.uniform(self._group_keys, np.zeros(1, np.int64))
        self._steady_targets = self._rows_of_stories(_STEADY_STORIES)
        self._constants()
        self._casts = [self._cast(phase) for phase in PHASES]

    def at(self, seconds: NDArray[np.int64]) -> Inputs:
        """Inputs for the steps of time that begin at the given lab seconds."""
        wander = self._wander(seconds)
        service_noise = 0.06 * noise.smooth(self._target_keys, seconds, 300) + noise.uniform(self._target_keys, seconds)
        fabric_noise = noise.uniform(self._group_keys, seconds)
        steps = len(seconds)
        inputs = Inputs(
            threads=np.repeat(self._threads, steps, axis=1),
            think_us=self._think_us * np.exp(-self._swing * wander),
            disk_depth=np.repeat(self._disk_depth, steps, axis=1),
            iops_limit=np.repeat(self._iops_limit, steps, axis=1),
            hypervisor_us=np.zeros((self._sizes.loads, steps)),
            max_depth=np.repeat(self._max_depth, steps, axis=1),
            shared_depth=np.repeat(self._shared_depth, steps, axis=1),
            fabric_us=self._fabric_us * (1 + _STEADY_NOISE * fabric_noise),
            remote_share=np.zeros((self._sizes.groups, steps)),
            kernel_us=np.repeat(self._kernel_us, steps, axis=1),
            service_us=self._service_us * (1 + self._target_noise * service_noise),
            capacity=np.full((self._sizes.targets, steps), 600_000.0),
            qos_limit=np.repeat(self._qos_limit, steps, axis=1),
        )
        for cast in self._casts:
            columns = np.flatnonzero([cast.phase.plays_at(second) for second in seconds])
            if len(columns):
                _play(inputs, cast, columns)
        return inputs

    def _of_loads(self, of: Callable[[Workload], float]) -> Floats:
        return np.array([of(profile) for profile in self._profiles], dtype=np.float64)[:, None]

    def _constants(self) -> None:
        environment = self.environment
        bare = len(environment.bare_loads)
        self._threads = self._of_loads(lambda profile: profile.threads)
        self._think_us = self._of_loads(lambda profile: profile.think_us)
        self._swing = self._of_loads(lambda profile: profile.swing)
        self._disk_depth = _column([disk.queue_depth for disk in environment.disks] + [256] * bare)
        self._iops_limit = _column([disk.iops_limit or UNLIMITED for disk in environment.disks] + [UNLIMITED] * bare)
        mounts = self._sizes.groups - self._sizes.devices - bare
        devices = environment.devices
        self._max_depth = _column([d.max_queue_depth for d in devices] + [NFS_DEPTH] * mounts + [UNLIMITED] * bare)
        shared = [d.max_queue_depth if d.plugin == "HPP" else min(d.max_queue_depth, d.dsnro) for d in devices]
        self._shared_depth = _column(shared + [NFS_DEPTH] * mounts + [UNLIMITED] * bare)
        fabric = [_FABRIC_US[device.transport] for device in devices]
        self._fabric_us = _column(fabric + [_FABRIC_US["iscsi"]] * mounts + [_FABRIC_US["fc"]] * bare)
        near = 1 + 0.06 * noise.uniform(self._group_keys, np.ones(1, np.int64))
        steady = set(self._steady_targets)
        near[[device.index for device in devices if device.volume in steady]] = 1.0
        self._fabric_us *= near
        limits = [_limit_of(environment, volume) for volume in environment.volumes]
        self._qos_limit = _column(limits + [UNLIMITED] * len(environment.directories))
        spread = 1.1 + 0.15 * noise.uniform(self._target_keys, np.ones(1, np.int64))
        spread[self._steady_targets] = 1.0
        self._service_us = _SERVICE_US * spread
        self._target_noise = np.full((self._sizes.targets, 1), _NOISE)
        self._target_noise[self._steady_targets] = _STEADY_NOISE

    def _wander(self, seconds: NDArray[np.int64]) -> Floats:
        """(loads, t): how much busier than usual the guests are, as a logarithm; within about -0.8 and 0.8."""
        slow = noise.smooth(self._load_keys, seconds, 600)
        quick = noise.smooth(self._load_keys ^ np.uint64(1), seconds, 60)
        return 0.45 * slow + 0.25 * quick + 0.1 * noise.uniform(self._load_keys, seconds)

    def _rows_of_stories(self, stories: tuple[str, ...]) -> list[int]:
        return [extent for store in self.environment.datastores if store.story in stories for extent in store.extents]

    def _cast(self, phase: Phase) -> _Cast:
        environment = self.environment
        stores = {store.index for store in environment.datastores if store.story == phase.story}
        targets = self._rows_of_stories((phase.story,))
        devices = [device for device in environment.devices if device.volume in set(targets)]
        busy = [device.index for device in devices if environment.hosts[device.host].name == phase.busy_host]
        disks = {
            workload: _indexes(d.index for d in environment.disks if d.datastore in stores and d.workload == workload)
            for workload in phase.disks
        }
        held = [
            disk.index
            for disk in environment.disks
            if (
                disk.datastore in stores and disk.io_filter is not None
                if phase.task is None
                else environment.vms[disk.vm].name == phase.task.vm
            )
        ]
        return _Cast(
            phase=phase,
            disks=disks,
            groups=_indexes(device.index for device in devices),
            targets=_indexes(targets),
            busy=_indexes(busy),
            held=_indexes(held),
        )


def _play(inputs: Inputs, cast: _Cast, columns: NDArray[np.int64]) -> None:
    """Change the inputs as a phase says, in the steps of time it is on."""
    phase = cast.phase
    for workload, change in phase.disks.items():
        rows = np.ix_(cast.disks[workload], columns)
        inputs.threads[rows] = change.threads
        inputs.think_us[rows] = change.think_us
        if change.queue_depth:
            inputs.disk_depth[rows] = change.queue_depth
    groups, targets = np.ix_(cast.groups, columns), np.ix_(cast.targets, columns)
    if phase.device_depth:
        inputs.max_depth[groups] = phase.device_depth
    if phase.optimized_paths_down:
        inputs.remote_share[groups] = 1.0
    inputs.hypervisor_us[np.ix_(cast.held, columns)] = phase.hypervisor_us
    inputs.kernel_us[np.ix_(cast.busy, columns)] += phase.kernel_us
    inputs.fabric_us[groups] += phase.fabric_us
    inputs.service_us[targets] *= phase.service_scale
    inputs.capacity[targets] *= phase.capacity_scale


def _limit_of(environment: Environment, volume: Volume) -> float:
    """Its own, or the one that it shares with the other volumes of its group (`limit_buckets`)."""
    group = None if volume.volume_group is None else environment.volume_groups[volume.volume_group]
    return volume.iops_limit or (group and group.iops_limit) or UNLIMITED


def limit_buckets(environment: Environment) -> NDArray[np.int64]:
    """(targets,) which QoS limit each volume or directory counts against: volumes without one of their own share that of their group."""
    targets = len(environment.volumes) + len(environment.directories)
    bucket = np.arange(targets, dtype=np.int64)
    first: dict[int, int] = {}
    for volume in environment.volumes:
        group = volume.volume_group
        if group is not None and environment.volume_groups[group].iops_limit and not volume.iops_limit:
            bucket[volume.index] = first.setdefault(group, volume.index)
    return bucket


def _column(values: list[int] | list[float]) -> Floats:
    return np.array(values, dtype=np.float64)[:, None]


def _indexes(values: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(values), dtype=np.int64)
