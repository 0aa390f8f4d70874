"""What the lab's model says of a stretch of time, in the units its sources serve, as batches that Gavel's parsers make of it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gavel.collectors.arrays.flasharray import parse, wire
from gavel.collectors.hosts.vcenter import columns
from gavel.collectors.hosts.vcenter.counters import AGGREGATES, choose
from gavel.collectors.hosts.vcenter.csv import PivotedSeries
from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream
from gavel_lab.environment import Array, VCenter
from gavel_lab.flasharray.counters import FC_FRAME_BYTES, block_columns, file_columns, interface_rates, rounded
from gavel_lab.lab import Lab
from gavel_lab.model import ArrayBy, By
from gavel_lab.reading import Floats, Reading
from gavel_lab.vcenter import perf_values
from gavel_lab.vcenter.counters import Catalogue
from gavel_lab.vcenter.perf_values import Readings, Show

_SCHEDULING_FROM = (2, 49)
Shown = TypeVar("Shown", wire.VolumePerformance, wire.DirectoryPerformance, wire.PortPerformance)


@dataclass(frozen=True)
class Stretch:
    """w samples of `interval_s` that end at `ended_at_s` (w,); `spans` (w, k, 2): what is read of the model for each of them."""

    interval_s: int
    ended_at_s: npt.NDArray[np.int64]
    spans: Floats

    def folded(self, reading: Reading) -> Reading:
        """One window per sample out of the reading of all spans, as if all of it had been as they are."""
        read_s = (self.spans[..., 1] - self.spans[..., 0]).sum(axis=1)
        stands_for = self.interval_s / read_s

        def fold(sums: Floats) -> Floats:
            shape = (len(sums), *self.spans.shape[:2], *sums.shape[2:])
            result: Floats = sums.reshape(shape).sum(axis=2)
            result *= stands_for.reshape(-1, *(1,) * (result.ndim - 2))
            return result

        seconds = np.full(len(read_s), float(self.interval_s))
        return Reading(
            seconds=seconds, ops=fold(reading.ops), bytes=fold(reading.bytes), io_time_us=fold(reading.io_time_us)
        )

    @property
    def windows(self) -> Floats:
        return self.spans.reshape(-1, 2)


# --- FlashArray -------------------------------------------------------------------------------------------------------


def of_array(lab: Lab, array: Array, stretch: Stretch) -> Iterator[SampleBatch]:
    """Volumes, directories, ports and all I/O of one array."""
    environment = lab.environment
    volumes = [volume for volume in environment.volumes if array.index in volume.arrays]
    directories = [directory for directory in environment.directories if directory.array == array.index]
    if volumes:
        yield _block_batch(lab, array, stretch, ArrayBy.VOLUME, {volume.index: volume.id for volume in volumes})
    yield of_whole_array(lab, array, stretch)
    yield of_ports(lab, array, stretch)
    if directories:
        rows = [directory.index for directory in directories]
        read = stretch.folded(lab.model.read_array(ArrayBy.DIRECTORY, rows, stretch.windows, array=array.index))
        shown = file_columns(read, rounded)
        files = _items(wire.DirectoryPerformance, [directory.id for directory in directories], shown, stretch)
        yield parse.performance_batch(files, stream=Stream.ARRAY_DIRECTORY, interval_s=stretch.interval_s)


def of_whole_array(lab: Lab, array: Array, stretch: Stretch) -> SampleBatch:
    """All of its I/O together."""
    return _block_batch(lab, array, stretch, ArrayBy.ARRAY, {array.index: array.id})


def of_ports(lab: Lab, array: Array, stretch: Stretch) -> SampleBatch:
    """Traffic of its target ports."""
    ports = [port for port in lab.environment.ports if port.array == array.index]
    rows = [port.index for port in ports]
    read = stretch.folded(lab.model.read_array(ArrayBy.PORT, rows, stretch.windows, array=array.index))
    rates = interface_rates(read, FC_FRAME_BYTES)
    shown = {f"{way}_bytes_per_sec": rates[f"{way}_bytes"] for way in ("received", "transmitted")}
    items = _items(wire.PortPerformance, [port.name for port in ports], shown, stretch)
    return parse.performance_batch(items, stream=Stream.ARRAY_PORT, interval_s=stretch.interval_s)


def _block_batch(lab: Lab, array: Array, stretch: Stretch, by: ArrayBy, ids: Mapping[int, str]) -> SampleBatch:
    """ids: of the rows to read, by their index."""
    read = stretch.folded(lab.model.read_array(by, list(ids), stretch.windows, array=array.index))
    shown = block_columns(read, rounded, queue_in_usec=array.queue_in_usec)
    if tuple(map(int, array.rest_version.split("."))) < _SCHEDULING_FROM:
        shown = {name: column for name, column in shown.items() if not name.startswith("qos_scheduling")}
    items = _items(wire.VolumePerformance, list(ids.values()), shown, stretch)
    stream = Stream.ARRAY_VOLUME if by is ArrayBy.VOLUME else Stream.ARRAY_WIDE
    return parse.performance_batch(items, stream=stream, interval_s=stretch.interval_s)


def _items(
    kind: type[Shown], ids: Sequence[str], shown: Mapping[str, npt.NDArray[np.int64]], stretch: Stretch
) -> list[Shown]:
    """Rows as the wire's structs, stamp by stamp."""
    names = [name for name in kind.__struct_fields__ if name in shown]
    matrix = np.stack([shown[name].T.ravel() for name in names], axis=1).tolist()
    stamps = np.repeat(stretch.ended_at_s * 1000, len(ids)).tolist()
    return [
        kind(id=ids[place % len(ids)], time=stamp, **dict(zip(names, values, strict=True)))
        for place, (stamp, values) in enumerate(zip(stamps, matrix, strict=True))
    ]


# --- vCenter ----------------------------------------------------------------------------------------------------------


def of_vcenter(lab: Lab, vcenter: VCenter, stretch: Stretch) -> Iterator[SampleBatch]:
    """Host devices, virtual disks and CPUs of the hosts of one vCenter."""
    environment = lab.environment
    devices = [device for device in environment.devices if environment.hosts[device.host].vcenter == vcenter.index]
    running = {vm.index for vm in environment.vms if vm.vcenter == vcenter.index and vm.is_powered_on}
    disks = [disk for disk in environment.disks if disk.vm in running]
    if devices:
        rows = [device.index for device in devices]
        read = stretch.folded(lab.model.read(By.DEVICE, rows, stretch.windows))
        depths = lab.model.device_depths(rows, stretch.windows).reshape(len(rows), *stretch.spans.shape[:2]).max(axis=2)
        names = [(environment.hosts[device.host].moref, device.name) for device in devices]
        looks = Readings(mean=read, read_latest=lambda: read, rounding=vcenter.ms_rounding, read_depths=lambda: depths)
        yield _batch(Stream.HOST_DEVICE, vcenter, names, perf_values.DEVICES, looks, stretch)
        hosts = [host for host in environment.hosts if host.vcenter == vcenter.index]
        shares = lab.cpu.shares([host.index for host in hosts], stretch.windows)
        cpu = shares.reshape(len(hosts), *stretch.spans.shape[:2]).mean(axis=2)
        looks = Readings(mean=read, read_latest=lambda: read, rounding=vcenter.ms_rounding, read_cpu=lambda: cpu)
        yield _batch(Stream.HOST_CPU, vcenter, [(host.moref, "") for host in hosts], perf_values.CPU, looks, stretch)
    if disks:
        read = stretch.folded(lab.model.read(By.DISK, [disk.index for disk in disks], stretch.windows))
        names = [(environment.vms[disk.vm].moref, disk.instance) for disk in disks]
        looks = Readings(mean=read, read_latest=lambda: read, rounding=vcenter.ms_rounding)
        yield _batch(Stream.VM_DISK, vcenter, names, perf_values.VIRTUAL_DISKS, looks, stretch)


def of_paths(lab: Lab, vcenter: VCenter, stretch: Stretch, without: Collection[int] = ()) -> SampleBatch:
    """Paths of the devices of one vCenter's hosts; without: datastores to leave out, by their index."""
    environment = lab.environment
    left_out = {volume for store in without for volume in environment.datastores[store].extents}
    devices = [
        device
        for device in environment.devices
        if environment.hosts[device.host].vcenter == vcenter.index and device.volume not in left_out
    ]
    rows = [path for device in devices for path in device.paths]
    names = [
        (environment.hosts[device.host].moref, environment.paths[path].uid)
        for device in devices
        for path in device.paths
    ]
    read = stretch.folded(lab.model.read(By.PATH, rows, stretch.windows))
    looks = Readings(mean=read, read_latest=lambda: read, rounding=vcenter.ms_rounding)
    return _batch(Stream.PATH, vcenter, names, perf_values.PATHS, looks, stretch)


def _batch(
    stream: Stream,
    vcenter: VCenter,
    names: Sequence[tuple[str, str]],
    shows: Mapping[str, Show],
    looks: Readings,
    stretch: Stretch,
) -> SampleBatch:
    catalogue = Catalogue(
        vcenter_index=vcenter.index, has_microsecond_family=vcenter.has_microsecond_family, generation=0
    )
    counters = choose(stream, catalogue.id_of.keys() & shows.keys())
    shape = (len(names), len(stretch.ended_at_s))
    series = PivotedSeries(
        names=tuple(names),
        ended_at_us=np.broadcast_to(stretch.ended_at_s * 1_000_000, shape),
        interval_s=np.full(shape, stretch.interval_s, dtype=np.int64),
        values=np.stack([shows[key](looks) for key in counters]),
    )
    until_us = int(stretch.ended_at_s[-1]) * 1_000_000
    key_of = columns.entity_key if stream in AGGREGATES else columns.part_key
    found = columns.batch(stream, counters, series, key_of, since_us=0, until_us=until_us)
    if found is None:
        raise ValueError(f"{vcenter.name}: the model says nothing of {stream}")
    return found
