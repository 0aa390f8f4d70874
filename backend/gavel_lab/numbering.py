"""The numbers under which things draw their noise: a thing keeps its own, whatever else is built around it."""

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from gavel_lab.build import build_environment
from gavel_lab.environment import Environment
from gavel_lab.noise import Keys

# No number of the default environment has it.
_ADDED = 1 << 63


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Of loads, groups (device queues) and targets (volumes, directories), each in the order of its rows."""

    loads: Keys
    groups: Keys
    targets: Keys


def numbers(environment: Environment) -> Numbers:
    """What is in the default environment has its place there; what was added has a number of its name."""
    default = build_environment(environment.seed)
    return Numbers(
        loads=_numbers(_loads(default), _loads(environment)),
        groups=_numbers(_groups(default), _groups(environment)),
        targets=_numbers(_targets(default), _targets(environment)),
    )


def _numbers(default: Sequence[Hashable], names: Sequence[Hashable]) -> Keys:
    place = {name: number for number, name in enumerate(default)}
    return np.array([place[name] if name in place else _of_name(name) for name in names], dtype=np.uint64)


def _of_name(name: Hashable) -> int:
    return int.from_bytes(hashlib.sha256(repr(name).encode()).digest()[:8], "big") | _ADDED


def _loads(environment: Environment) -> list[Hashable]:
    disks = [("disk", environment.vms[disk.vm].name, disk.instance) for disk in environment.disks]
    return [*disks, *(("bare", name) for name in _bare(environment))]


def _groups(environment: Environment) -> list[Hashable]:
    hosts, volumes = environment.hosts, environment.volumes
    devices = [("device", hosts[device.host].name, volumes[device.volume].name) for device in environment.devices]
    mounts = [("mount", host.name, directory.name) for host in hosts for directory in environment.directories]
    return [*devices, *mounts, *(("bare", name) for name in _bare(environment))]


def _targets(environment: Environment) -> list[Hashable]:
    volumes = [("volume", environment.arrays[volume.array].name, volume.name) for volume in environment.volumes]
    return [*volumes, *(("directory", directory.name) for directory in environment.directories)]


def _bare(environment: Environment) -> list[str]:
    return [environment.volumes[load.volume].name for load in environment.bare_loads]
