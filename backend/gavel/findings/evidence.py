"""What rules look at: one record per object that may have a finding, loaded by sets and assembled before.

Rates are per second, times in µs per I/O, depths and outstanding in I/Os. None: not measured, or not read.
"""

from dataclasses import dataclass
from datetime import datetime

from gavel.findings.model import ObjectRef

# --- inventory --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPathCount:
    """Paths of one object from one host. down: their names; left: those that work; least: of the device with the fewest working ones."""

    host: ObjectRef
    total: int
    down: tuple[str, ...]
    least: int

    @property
    def left(self) -> int:
        return self.total - len(self.down)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathEvidence:
    """Paths of a datastore, volume or device on the hosts of one cluster; or all paths of one adapter of a host (`adapter`).

    most: paths that the best connected of the hosts has. devices: canonical names. arrays: names of the arrays that the paths which are
    down lead to, where the array's ports are known. vms: that have disks there.
    """

    source_id: int
    object: ObjectRef
    adapter: str | None
    hosts: tuple[HostPathCount, ...]
    most: int
    devices: tuple[str, ...]
    arrays: tuple[str, ...]
    affected: tuple[ObjectRef, ...]
    vms: int
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSetting:
    """Settings of one device on one host. module: the adapter's driver, with its depth per device where it was read."""

    host: ObjectRef
    queue_depth: int | None
    dsnro: int | None
    path_policy: str | None
    module: str | None
    module_depth: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedDevice:
    """A device that several hosts see. object: the datastore or volume on it, or the device itself."""

    object: ObjectRef
    canonical_name: str
    vendor: str | None
    model: str | None
    hosts: tuple[HostSetting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSettings:
    """Devices whose hosts differ in one setting. object: the cluster of all these hosts, or their vCenter.

    name: a field of `HostSetting`: queue_depth, dsnro or path_policy.
    """

    source_id: int
    object: ObjectRef
    name: str
    devices: tuple[SharedDevice, ...]
    read_at: datetime
