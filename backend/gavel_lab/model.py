"""The queueing model: what every I/O path of the environment did in any second, value = f(seed, entity, second).

A server asks `Model.read(by, rows, windows)`. `windows` are half-open spans [start, end) in *lab time*, seconds since the
epoch as float64, shape (w, 2), or (n, w, 2) where each of n rows has windows of its own; convert from a source's clock
with `SourceClock.windows`. Any past or future span can be asked, in any order, and gives the same numbers. Rows are the
`index` of the records in `Environment`.

Time is solved minute by minute, in steps of one second; in steps of five seconds on environments of more than 1,000 loads. Within
a step rates are constant, so a window that cuts a step counts it by its overlap, and both sides see the same numbers.
"""

from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from gavel_lab.blocks import Block, Blocks
from gavel_lab.environment import Environment
from gavel_lab.flows import NONE, FlowTable, Index
from gavel_lab.paths import PathTable
from gavel_lab.placement import Placement
from gavel_lab.reading import MIRRORED_WRITE, READ, WRITE, Floats, Reading
from gavel_lab.solve import BYTES_READ, CHANNELS, READ_TIMES, WRITE_TIMES
from gavel_lab.stories import playing

Rows = Sequence[int] | NDArray[np.int64]

# The record of each flow, NONE where there is none.
_Column = Callable[[FlowTable], Index]
# Which flows of a table count.
_Keep = Callable[[FlowTable], NDArray[np.bool_]]
# (place in the answer, rates) of everything in a block that counts.
_Select = Callable[[Block, NDArray[np.bool_]], tuple[Index, NDArray[np.float32]]]


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
    """Reads any span of the environment. Safe to call from several threads; solved minutes are cached, memory is bounded."""

    def __init__(
        self,
        environment: Environment,
        placement: Placement,
        *,
        cache_bytes: int = 640 * 2**20,
        step_s: int | None = None,
    ) -> None:
        """`step_s`: length of a step where the size of the environment shall not decide it; a divisor of 60."""
        self._environment = environment
        self._paths = PathTable(environment)
        self._blocks = Blocks(environment, placement, cache_bytes, step_s)

    def read(self, by: By, rows: Rows, windows: Floats, *, host: int | None = None) -> Reading:
        """The hosts' truth: sums per row and window, directions read and write. See `Reading` for shapes and units.

        host: only what runs on this ESXi host (its index), as that host sees disks and VMs which come and go.
        """
        if by in (By.PATH, By.ADAPTER):
            return _reading(self._sum(self._select_paths(by.value, rows), len(rows), windows), windows)
        keep: _Keep | None = None if host is None else lambda table: table.column["host"] == host
        return _reading(self._sum(_select(*self._host_view(by), rows), len(rows), windows, keep), windows)

    def read_device_of_vm(self, pairs: Sequence[tuple[int, int]], windows: Floats) -> Reading:
        """One row per (host device index, VM index): the part of one VM, a world, in the I/O of a device."""
        vms, devices = len(self._environment.vms), len(self._environment.devices)

        def column(table: FlowTable) -> Index:
            device, vm = table.column["group"], table.column["vm"]
            return np.where((device >= devices) | (vm < 0), NONE, device * vms + vm)

        select = _select(devices * vms, column, [device * vms + vm for device, vm in pairs])
        return _reading(self._sum(select, len(pairs), windows), windows)

    def read_datastore_of_host(self, pairs: Sequence[tuple[int, int]], windows: Floats) -> Reading:
        """One row per (host index, datastore index): what the datastore.* counters of that host see."""
        stores = len(self._environment.datastores)

        def column(table: FlowTable) -> Index:
            key = table.column["host"] * stores + table.column["datastore"]
            return np.where((table.column["host"] < 0) | (table.column["datastore"] < 0), NONE, key)

        rows = [host * stores + store for host, store in pairs]
        select = _select(len(self._environment.hosts) * stores, column, rows)
        return _reading(self._sum(select, len(rows), windows), windows)

    def read_array(self, by: ArrayBy, rows: Rows, windows: Floats, *, array: int) -> Reading:
        """What one array counts: three directions (read, write, mirrored write).

        Rows are indexes of volumes, array hosts, volume groups, pods, arrays, directories or target ports. A write to a
        stretched volume is a mirrored write, counted on the array that got it or on both
        (`Pod.mirrored_writes_counted_on`). Only the segments array_port and inwards mean something here; the array
        cannot see the others. A row that does not live on `array` is all zero.
        """
        select = self._select_paths("port", rows) if by is ArrayBy.PORT else _select(*self._array_view(by), rows)
        own = self._sum(select, len(rows), windows, lambda table: table.column["array"] == array)
        mirrored = self._sum(
            select, len(rows), windows, lambda table: _is_mirrored(table) & (table.column["array"] == array)
        )
        reading = _with_mirrored(_reading(own, windows), _reading(mirrored, windows))
        if by in (ArrayBy.VOLUME, ArrayBy.POD, ArrayBy.ARRAY):
            column = _constant(array) if by is ArrayBy.ARRAY else self._array_view(by)[1]
            select = _select(self._array_view(by)[0], column, rows)
            from_peer = self._sum(select, len(rows), windows, lambda table: self._is_peers_write(table, array))
            _add(reading, MIRRORED_WRITE, _reading(from_peer, windows))
        return reading

    def device_depths(self, rows: Rows, windows: Floats) -> Floats:
        """(n, w) effective depth of host devices (DQLEN), largest second of the window: one VM doing I/O: the device's
        max queue depth; two or more: min(that, DSNRO); NVMe on HPP: queue size x queues."""
        wanted = np.asarray(rows, dtype=np.int64)
        result = np.zeros((len(wanted), windows.shape[-2]))
        for block, places in self._blocks.touched(windows):
            inside = self._blocks.overlap(block, windows[..., places, :]) > 0
            depth = np.where(inside, block.depth[wanted][:, :, None], 0.0).max(axis=1)
            result[:, places] = np.maximum(result[:, places], depth)
        return result

    def max_queue_depth(self, device: int, at: float) -> int:
        """Device Max Queue Depth of a host device at a lab instant (a story may change it)."""
        phase = playing(self._paths.story_of_device[device], at)
        changed = phase.device_depth if phase else None
        return changed or self._environment.devices[device].max_queue_depth

    def is_path_usable(self, path: int, at: float) -> bool:
        """Whether a path is up at a lab instant (a story may take the optimized ones of a device down: state `dead`)."""
        record = self._environment.paths[path]
        phase = playing(self._paths.story_of_device[record.device], at)
        return not (phase and phase.optimized_paths_down and record.optimized)

    # --- what a row is ----------------------------------------------------------------------------------------------

    def _host_view(self, by: By) -> tuple[int, _Column]:
        """(how many records of that kind there are, function that gives each flow's record)."""
        environment = self._environment
        targets = len(environment.volumes)
        return {
            By.DISK: (len(environment.disks), _named("load", below=len(environment.disks))),
            By.VM: (len(environment.vms), _named("vm")),
            By.DEVICE: (len(environment.devices), _named("group", below=len(environment.devices))),
            By.HOST: (len(environment.hosts), _named("host")),
            By.DATASTORE: (len(environment.datastores), _named("datastore")),
            By.VOLUME: (targets, _named("target", below=targets)),
            By.DIRECTORY: (len(environment.directories), _named("target", minus=targets)),
        }[by]

    def _array_view(self, by: ArrayBy) -> tuple[int, _Column]:
        """The same for the array's view."""
        environment = self._environment
        targets, directories = len(environment.volumes), len(environment.directories)
        pods = [NONE if volume.pod is None else volume.pod for volume in environment.volumes]
        groups = [NONE if volume.volume_group is None else volume.volume_group for volume in environment.volumes]
        return {
            ArrayBy.VOLUME: (targets, _named("target", below=targets)),
            ArrayBy.ARRAY_HOST: (len(environment.array_hosts), _named("array_host")),
            ArrayBy.VOLUME_GROUP: (len(environment.volume_groups), _mapped(groups + [NONE] * directories)),
            ArrayBy.POD: (len(environment.pods), _mapped(pods + [NONE] * directories)),
            ArrayBy.ARRAY: (len(environment.arrays), _named("array")),
            ArrayBy.DIRECTORY: (directories, _named("target", minus=targets)),
        }[by]

    def _select_paths(self, kind: str, rows: Rows) -> _Select:
        """Flows spread over the paths they use; rows are paths, HBAs ("adapter") or target ports ("port")."""
        counts = {"path": self._environment.paths, "adapter": self._environment.hbas, "port": self._environment.ports}
        slots = _slots(rows, len(counts[kind]))
        return lambda block, keep: self._paths.spread(kind, slots, block, keep)

    def _is_peers_write(self, table: FlowTable, array: int) -> NDArray[np.bool_]:
        """Flows that came in by the other array of a stretched pod and whose writes this array counts too."""
        both = [
            volume.pod is not None
            and array in volume.arrays
            and self._environment.pods[volume.pod].mirrored_writes_counted_on == "both"
            for volume in self._environment.volumes
        ]
        counted = np.array(both + [False] * len(self._environment.directories))[table.column["target"]]
        result: NDArray[np.bool_] = counted & _is_mirrored(table) & (table.column["array"] != array)
        return result

    def _sum(self, select: _Select, n: int, windows: Floats, keep: _Keep | None = None) -> Floats:
        """(n, w, CHANNELS) sums over the windows."""
        if windows.ndim == 3:
            return self._sum_by_row(select, n, windows, keep)
        result = np.zeros((n, len(windows), CHANNELS))
        for block, places, overlap in self._blocks.overlaps(windows):
            kept = keep(block.table) if keep else np.ones(len(block.rates), dtype=np.bool_)
            slots, rates = select(block, kept)
            if len(slots):
                # In float64: a window must give the same integers whatever else is read with it.
                sums = rates.astype(np.float64) @ overlap
                np.add.at(result, (slots[:, None], places[None, :]), sums.transpose(0, 2, 1))
        return result

    def _sum_by_row(self, select: _Select, n: int, windows: Floats, keep: _Keep | None) -> Floats:
        """The same over windows of each row's own, (n, w, 2)."""
        result = np.zeros((n, windows.shape[1], CHANNELS))
        for block, places in self._blocks.touched(windows):
            kept = keep(block.table) if keep else np.ones(len(block.rates), dtype=np.bool_)
            slots, rates = select(block, kept)
            if len(slots):
                sums = rates.astype(np.float64) @ self._blocks.overlap(block, windows[slots][:, places])
                np.add.at(result, (slots[:, None], places[None, :]), sums.transpose(0, 2, 1))
        return result


def _named(name: str, *, below: int | None = None, minus: int = 0) -> _Column:
    """A column of the flow table; rows not below `below`, or negative after taking away `minus`, belong to nothing."""

    def column(table: FlowTable) -> Index:
        index = table.column[name] - minus
        return index if below is None else np.where(index < below, index, NONE)

    return column


def _mapped(record_of_target: list[int]) -> _Column:
    mapped = np.array(record_of_target, dtype=np.int64)
    return lambda table: mapped[table.column["target"]]


def _constant(record: int) -> _Column:
    return lambda table: np.full_like(table.column["array"], record)


def _is_mirrored(table: FlowTable) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = table.column["stretched"] == 1
    return result


def _slots(rows: Rows, size: int) -> Index:
    """(size + 1,) place of each record in the answer, NONE where it was not asked for; the last one is for NONE."""
    slots = np.full(size + 1, NONE, dtype=np.int64)
    slots[np.asarray(rows, dtype=np.int64)] = np.arange(len(rows))
    return slots


def _select(size: int, column: _Column, rows: Rows) -> _Select:
    slots = _slots(rows, size)

    def select(block: Block, keep: NDArray[np.bool_]) -> tuple[Index, NDArray[np.float32]]:
        slot = slots[np.maximum(column(block.table), NONE)]
        wanted = np.flatnonzero((slot != NONE) & keep)
        return slot[wanted], block.rates[wanted]

    return select


def _reading(sums: Floats, windows: Floats) -> Reading:
    """Channels sorted into a reading of reads and writes."""
    spans = np.asarray(windows, dtype=np.float64)
    times = sums[..., READ_TIMES:].reshape(*sums.shape[:2], 2, WRITE_TIMES - READ_TIMES)
    return Reading(
        seconds=spans[..., 1] - spans[..., 0],
        ops=sums[..., :BYTES_READ],
        bytes=sums[..., BYTES_READ:READ_TIMES],
        io_time_us=times,
    )


def _with_mirrored(everything: Reading, mirrored: Reading) -> Reading:
    """Three directions: `mirrored` is the part of `everything` whose writes are mirrored writes."""

    def split(whole: Floats, part: Floats) -> Floats:
        return np.stack([whole[:, :, READ], whole[:, :, WRITE] - part[:, :, WRITE], part[:, :, WRITE]], axis=2)

    return Reading(
        seconds=everything.seconds,
        ops=split(everything.ops, mirrored.ops),
        bytes=split(everything.bytes, mirrored.bytes),
        io_time_us=split(everything.io_time_us, mirrored.io_time_us),
    )


def _add(reading: Reading, direction: int, more: Reading) -> None:
    """Add the writes of `more` to one direction of `reading`."""
    for whole, part in ((reading.ops, more.ops), (reading.bytes, more.bytes), (reading.io_time_us, more.io_time_us)):
        whole[:, :, direction] += part[:, :, WRITE]
