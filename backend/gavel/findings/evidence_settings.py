"""Evidence of settings that are set, or not set, on purpose: SIOC of datastores, adaptive queue depth of hosts, preferred arrays.

Latencies are µs per I/O, rates per second, thresholds of SIOC ms. None: not read.
"""

from dataclasses import dataclass
from datetime import datetime

from gavel.findings.model import ObjectRef


@dataclass(frozen=True, slots=True)
class SiocDatastore:
    """versions: of ESXi on the hosts that mount it."""

    datastore: ObjectRef
    threshold_ms: int | None
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashSioc:
    """Datastores of one vCenter that have Storage I/O Control on and only flash devices below."""

    source_id: int
    vcenter: ObjectRef
    datastores: tuple[SiocDatastore, ...]
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HostQueueFull:
    """Adaptive queue depth of one host. sample_size, threshold: its options; least, most: the range of the sample size that it allows.

    devices: canonical names of those on the shared ports for which it is set on the device itself.
    """

    host: ObjectRef
    sample_size: int | None
    threshold: int | None
    least: int | None
    most: int | None
    devices: tuple[str, ...]

    @property
    def is_on(self) -> bool | None:
        """None where neither was read."""
        if self.devices:
            return True
        return None if self.sample_size is None else self.sample_size > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPorts:
    """Target ports that the same hosts use. array: None where no polled array has these ports."""

    source_id: int
    object: ObjectRef
    array: ObjectRef | None
    ports: tuple[str, ...]
    hosts: tuple[HostQueueFull, ...]
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLeg:
    """I/O of one host to the volumes of a stretched pod by the paths to one of its arrays. us comes in steps of `precision_us`."""

    array: ObjectRef
    iops: float
    us: float
    precision_us: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLegs:
    """has_preference: whether the host has a preferred array on any of the pod's arrays; None where no array lists this host."""

    host: ObjectRef
    has_preference: bool | None
    legs: tuple[HostLeg, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchedPod:
    """A pod over several arrays, and the hosts that do I/O to its volumes. objects: datastores, else volumes, on it."""

    source_id: int
    array: ObjectRef
    pod: str
    hosts: tuple[HostLegs, ...]
    objects: tuple[ObjectRef, ...]
    from_at: datetime
    to_at: datetime
