"""The estate as positions: which device is whose, what is behind it, and what everything adds up to.

Everything is a position in a list of its kind: hosts, devices, volumes (one on one array), *units* (what a host sees as one thing on the
array side: a volume, the two volumes of a stretched pod under one serial, an NFS directory) and *parts* (a virtual disk on one host; a disk
that moved has two). −1 means none.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats

Index = npt.NDArray[np.int64]
NONE = -1


@dataclass(frozen=True, slots=True)
class Pairs:
    """A relation of many to many: (p,) positions on the left and on the right."""

    left: Index
    right: Index


@dataclass(frozen=True, slots=True)
class Devices:
    """D devices, each on one host. unit: behind it, NONE for a protocol endpoint or a stranger; datastore: whose extent it is.

    configured_depth: I/Os by its settings, NaN unknown. endpoint: device → units of the vVols bound through it on its host.
    """

    host: Index
    unit: Index
    datastore: Index
    configured_depth: Floats
    endpoint: Pairs

    def __len__(self) -> int:
        return len(self.host)


@dataclass(frozen=True, slots=True)
class DiskParts:
    """K virtual disks on hosts. devices: part → devices of its host that carry it (several for a multi-extent datastore).

    unit: its own on the array (vVol, NFS), else NONE. is_whole: nothing but itself tells its datastore's time (vVol, NFS).
    queue_limit: I/Os its controller queues per disk, NaN unknown.
    """

    disk: Index
    vm: Index
    host: Index
    datastore: Index
    unit: Index
    is_whole: Bools
    queue_limit: Floats
    devices: Pairs

    def __len__(self) -> int:
        return len(self.disk)


@dataclass(frozen=True, slots=True)
class Volumes:
    """V volumes. unit: what hosts see it as; array: whose; pod: stretched pod or NONE; mirrored_on_both: of its pod."""

    unit: Index
    array: Index
    pod: Index
    mirrored_on_both: Bools

    def __len__(self) -> int:
        return len(self.unit)


@dataclass(frozen=True, slots=True)
class Topology:
    """Everything together. Counts of the kinds that have no list of their own; unit_array: array of a directory's unit, else NONE.

    host_source, host_cluster: (H,). sources: vCenters.
    """

    devices: Devices
    parts: DiskParts
    volumes: Volumes
    units: int
    unit_array: Index
    disks: int
    vms: int
    datastores: int
    arrays: int
    pods: int
    sources: int
    clusters: int
    host_source: Index
    host_cluster: Index

    @property
    def hosts(self) -> int:
        return len(self.host_source)
