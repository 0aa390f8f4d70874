"""The queueing model: what every I/O path of the estate did in any second, value = f(seed, entity, second).

A server asks `Model.read(by, rows, windows)`. `windows` are half-open spans [start, end) in *lab time*, seconds since the
epoch as float64, shape (w, 2); convert from a source's clock with `SourceClock.windows`. Any past or future span can be
asked, in any order, and gives the same numbers. Rows are the `index` of the records in `Estate`.
"""

from collections.abc import Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from gavel_lab.estate import Estate
from gavel_lab.placement import Placement
from gavel_lab.reading import Floats, Reading

Rows = Sequence[int] | NDArray[np.int64]


class By(Enum):
    """What a row is. Its number is the `index` of the record of that kind."""

    DISK = "disk"  # virtual disk: the whole chain, guest included
    DEVICE = "device"  # host device, all VMs of the host (host view: look at "device", "driver", kernel_us)
    PATH = "path"  # path of a host device
    ADAPTER = "adapter"  # HBA of a host
    HOST = "host"  # ESXi host, all of its block and NFS I/O
    VM = "vm"
    DATASTORE = "datastore"
    VOLUME = "volume"  # volume, all hosts and both arrays of a pod
    DIRECTORY = "directory"  # FlashArray File directory


class ArrayBy(Enum):
    """What a row of the array's own view is."""

    VOLUME = "volume"
    ARRAY_HOST = "array_host"
    VOLUME_GROUP = "volume_group"
    POD = "pod"
    ARRAY = "array"
    DIRECTORY = "directory"
    PORT = "port"


class Model:
    """Reads any span of the estate. Safe to call from several threads; solved minutes are cached, memory is bounded."""

    def __init__(self, estate: Estate, placement: Placement, *, cache_bytes: int = 256 * 2**20) -> None:
        raise NotImplementedError

    def read(self, by: By, rows: Rows, windows: Floats) -> Reading:
        """The hosts' truth: sums per row and window, directions read and write. See `Reading` for shapes and units."""
        raise NotImplementedError

    def read_datastore_of_host(self, pairs: Sequence[tuple[int, int]], windows: Floats) -> Reading:
        """One row per (host index, datastore index): what the datastore.* counters of that host see."""
        raise NotImplementedError

    def read_array(self, by: ArrayBy, rows: Rows, windows: Floats, *, array: int) -> Reading:
        """What one array counts: three directions (read, write, mirrored write).

        Rows are indexes of volumes, array hosts, volume groups, pods, arrays, directories or target ports. A write to a
        stretched volume is a mirrored write, counted on the array that got it or on both
        (`Pod.mirrored_writes_counted_on`). Only the segments array_port and inwards mean something here; the array
        cannot see the others. A row that does not live on `array` is all zero.
        """
        raise NotImplementedError

    def device_depths(self, rows: Rows, windows: Floats) -> Floats:
        """(n, w) effective depth of host devices (DQLEN), largest second of the window: one VM doing I/O: the device's
        max queue depth; two or more: min(that, DSNRO); NVMe on HPP: queue size x queues."""
        raise NotImplementedError

    def max_queue_depth(self, device: int, at: float) -> int:
        """Device Max Queue Depth of a host device at a lab instant (a story may change it)."""
        raise NotImplementedError

    def is_path_usable(self, path: int, at: float) -> bool:
        """Whether a path is up at a lab instant (a story may take the optimized ones of a device down: state `dead`)."""
        raise NotImplementedError
