"""What the wire would carry of a lab: every counter as its server quantises it and its collector reads it, without the servers."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.truth.environments import Drawn
from tests.truth.guests import guest_samples
from tests.truth.layout import Part, volume_rows

from gavel.analysis.gridded import Stretch
from gavel.analysis.observed import (
    DeviceSamples,
    DirectorySamples,
    DiskSamples,
    Observed,
    Proofs,
    Times,
    VolumeSamples,
)
from gavel.analysis.topology import Index
from gavel.collectors.arrays.flasharray.parse import performance_batch
from gavel.collectors.arrays.flasharray.wire import DirectoryPerformance, VolumePerformance
from gavel.collectors.hosts.vcenter.columns import values as columns_of
from gavel.collectors.hosts.vcenter.counters import choose
from gavel.domain.samples import NOT_MEASURED, Precision
from gavel.domain.source import Stream
from gavel_lab.clocks import SourceClock
from gavel_lab.environment import Array, EsxiHost, Vm
from gavel_lab.flasharray.counters import block_columns, file_columns, rounded
from gavel_lab.flasharray.gates import PERFORMANCE_FIELDS
from gavel_lab.model import ArrayBy
from gavel_lab.vcenter.counters import Catalogue
from gavel_lab.vcenter.perf_families import FAMILIES, Family, readings
from gavel_lab.vcenter.perf_windows import REAL_TIME_S, Range, Span, span
from gavel_lab.vcenter.site import Site

_ARRAY_S = 30
_AHEAD_S = 90.0
_DEVICES, _DISKS = FAMILIES[EsxiHost][0], FAMILIES[Vm][0]
_COMPONENTS = ("service", "queue", "qos", "qos_sched", "san")
Columns = dict[str, np.ndarray]


@dataclass
class Collected:
    """Rows of one stream as they come in: things, stamps and columns, part by part."""

    things: list[np.ndarray]
    ends_s: list[np.ndarray]
    clocks: list[np.ndarray]  # (n,) offset, s
    errors: list[np.ndarray]
    columns: dict[str, list[np.ndarray]]

    @classmethod
    def nothing(cls) -> "Collected":
        return cls([], [], [], [], defaultdict(list))

    def add(self, things: np.ndarray, ends_s: np.ndarray, offset_s: Any, error_s: Any, columns: Columns) -> None:
        """Rows of one clock."""
        self.things.append(things)
        self.ends_s.append(ends_s)
        self.clocks.append(np.broadcast_to(offset_s, things.shape))
        self.errors.append(np.broadcast_to(error_s, things.shape))
        for name, column in columns.items():
            self.columns[name].append(column)

    def of(self, name: str) -> np.ndarray:
        """A column as the store gives it back: NaN where nothing was measured."""
        column = _joined(self.columns[name]).astype(np.float64)
        return np.where(column == NOT_MEASURED, np.nan, column)

    def each(self, pattern: str, words: Sequence[str]) -> np.ndarray:
        return np.stack([self.of(pattern.format(word)) for word in words], axis=1)

    def times(self, length_s: int) -> Times:
        ends = (_joined(self.ends_s) * 1_000_000).astype(np.int64)
        offset = np.rint(_joined(self.clocks) * 1e6).astype(np.int64)
        return Times(
            end_us=ends,
            length_us=np.full(len(ends), length_s * 1_000_000, np.int64),
            offset_us=offset,
            error_s=_joined(self.errors),
        )

    @property
    def thing(self) -> Index:
        return _joined(self.things).astype(np.int64)


def _joined(columns: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(columns) if columns else np.zeros(0)


class Wire:
    """One lab's sources. Clock offsets are known as well as the draw says: off by up to the error they are given with."""

    def __init__(self, drawn: Drawn, pushing: frozenset[int] | None = None) -> None:
        """pushing: VMs whose guests push; None: some of them."""
        self._drawn, self._pushing = drawn, pushing
        self._lab, self._environment = drawn.lab, drawn.lab.environment
        off = np.random.default_rng(drawn.lab.environment.seed)
        clocks: list[tuple[Array | EsxiHost, SourceClock]] = [
            *zip(self._environment.arrays, self._lab.clocks.arrays, strict=True),
            *zip(self._environment.hosts, self._lab.clocks.hosts, strict=True),
        ]
        self._offset_s = {
            one.name: clock.offset_s() + drawn.error_s[one.name] * off.uniform(-1, 1) for one, clock in clocks
        }

    def observed(self, stretch: Stretch, parts: tuple[Part, ...], proofs: Proofs) -> Observed:
        """Every sample that touches the stretch, and one more on either side of it."""
        start_s, end_s = 60.0 * stretch.first, 60.0 * (stretch.first + stretch.minutes)
        self._drawn.time.at_s = end_s + _AHEAD_S
        devices, disks = Collected.nothing(), Collected.nothing()
        for vcenter in self._environment.vcenters:
            site = Site(self._lab, vcenter)
            self._read_hosts(site, devices, start_s, end_s)
            self._read_vms(site, disks, start_s, end_s, {part: place for place, part in enumerate(parts)})
        volumes, directories = Collected.nothing(), Collected.nothing()
        for array in self._environment.arrays:
            self._read_volumes(array, volumes, start_s, end_s)
            self._read_directories(array, directories, start_s, end_s)
        guests = guest_samples(self._drawn, stretch, parts, self._pushing)
        return Observed(_devices(devices), _disks(disks), _volumes(volumes), _directories(directories), proofs, guests)

    # --- vCenters -----------------------------------------------------------------------------------------------------

    def _read_hosts(self, site: Site, found: Collected, start_s: float, end_s: float) -> None:
        for host in site.tree.hosts:
            samples = self._span(site, host, host, start_s, end_s)
            columns = _columns(site, Stream.HOST_DEVICE, _DEVICES, [host], samples)
            shape = (len(host.devices), len(samples.stamps))
            things = np.repeat(np.array(host.devices), shape[1])
            found.add(things, np.tile(samples.stamps, shape[0]), *self._clock(host), columns)

    def _read_vms(self, site: Site, found: Collected, start_s: float, end_s: float, places: Mapping[Part, int]) -> None:
        together: dict[bytes, list[tuple[Vm, Span]]] = defaultdict(list)
        for vm in site.tree.vms:
            samples = self._span(site, vm, site.host_of(vm), start_s, end_s)
            together[samples.windows.tobytes()].append((vm, samples))
        for members in together.values():
            samples = members[0][1]
            columns = _columns(site, Stream.VM_DISK, _DISKS, [vm for vm, _ in members], samples)
            hosts = [(disk, host) for vm, own in members for disk in vm.disks for host in self._hosts(site, vm, own)]
            clocks = [self._clock(self._environment.hosts[host]) for _, host in hosts]
            found.add(
                np.array([places[part] for part in hosts]),
                np.concatenate([np.tile(own.stamps, len(vm.disks)) for vm, own in members]),
                np.array([offset for offset, _ in clocks]),
                np.array([error for _, error in clocks]),
                columns,
            )

    def _hosts(self, site: Site, vm: Vm, samples: Span) -> list[int]:
        """The host whose clock stamped each sample."""
        place = self._lab.placement
        if not place.moves(vm.index, float(samples.windows[0, 0]), site.lab_now()):
            return [site.host_of(vm).index] * len(samples.stamps)
        return [place.host_of(vm.index, float(at)) for at in site.clock.to_lab(samples.stamps.astype(np.float64))]

    def _span(self, site: Site, record: Any, host: EsxiHost, start_s: float, end_s: float) -> Span:
        offset = self._lab.clocks.hosts[host.index].offset_s()
        after, until = start_s + offset - REAL_TIME_S, end_s + offset + 2 * REAL_TIME_S
        return span(site, record, Range(after, until, None, REAL_TIME_S))

    def _clock(self, source: EsxiHost | Array) -> tuple[float, float]:
        return self._offset_s[source.name], self._drawn.error_s[source.name]

    # --- arrays -------------------------------------------------------------------------------------------------------

    def _read_volumes(self, array: Array, found: Collected, start_s: float, end_s: float) -> None:
        volumes = [volume.index for volume in self._environment.volumes if array.index in volume.arrays]
        stamps, windows = self._array_windows(array, start_s, end_s)
        reading = self._lab.model.read_array(ArrayBy.VOLUME, volumes, windows, array=array.index)
        columns = block_columns(reading, rounded, queue_in_usec=array.queue_in_usec)
        newest = tuple(int(part) for part in array.rest_version.split("."))
        shown = {name: column for name, column in columns.items() if PERFORMANCE_FIELDS[name] <= newest}
        rows = volume_rows(self._environment)
        places = [rows[volume, array.index] for volume in volumes]
        self._add_array_rows(array, found, Stream.ARRAY_VOLUME, VolumePerformance, places, stamps, shown)

    def _read_directories(self, array: Array, found: Collected, start_s: float, end_s: float) -> None:
        directories = [one.index for one in self._environment.directories if one.array == array.index]
        if not directories:
            return
        stamps, windows = self._array_windows(array, start_s, end_s)
        reading = self._lab.model.read_array(ArrayBy.DIRECTORY, directories, windows, array=array.index)
        places = [len(self._environment.volumes) + directory for directory in directories]
        columns = file_columns(reading, rounded)
        self._add_array_rows(array, found, Stream.ARRAY_DIRECTORY, DirectoryPerformance, places, stamps, columns)

    def _array_windows(self, array: Array, start_s: float, end_s: float) -> tuple[np.ndarray, np.ndarray]:
        clock = self._lab.clocks.arrays[array.index]
        offset = clock.offset_s()
        stamps = clock.stamps(start_s + offset - _ARRAY_S, end_s + offset + 2 * _ARRAY_S, _ARRAY_S)
        return stamps, clock.windows(stamps, float(_ARRAY_S))

    def _add_array_rows(
        self,
        array: Array,
        found: Collected,
        stream: Stream,
        kind: Callable[..., Any],
        places: Sequence[int],
        stamps: np.ndarray,
        columns: Columns,
    ) -> None:
        """As the array's list of rows, read by the collector's own parser."""
        known = set(kind.__struct_fields__)  # type: ignore[attr-defined]
        flat = {name: column.ravel().tolist() for name, column in columns.items() if name in known}
        ends = np.tile(stamps, len(places))
        things = np.repeat(np.array(places), len(stamps))
        rows = [
            kind(id=str(thing), time=int(end) * 1000, **{name: column[row] for name, column in flat.items()})
            for row, (thing, end) in enumerate(zip(things.tolist(), ends.tolist(), strict=True))
        ]
        batch = performance_batch(rows, stream=stream, interval_s=_ARRAY_S)
        found.add(things, batch.ended_at_us / 1e6, *self._clock(array), dict(batch.values))


def _columns(site: Site, stream: Stream, family: Family, records: Sequence[Any], samples: Span) -> Columns:
    """The columns of a stream as the collector makes them of the counters that this vCenter serves."""
    vcenter = site.vcenter
    catalogue = Catalogue(
        vcenter_index=vcenter.index, has_microsecond_family=vcenter.has_microsecond_family, generation=0
    )
    served = [key for key in catalogue.id_of if key in family.counters]
    rows = readings(site, family, records, np.stack([samples.windows] * len(records)))
    taken = {name: family.counters[name](rows).ravel() for name in choose(stream, served)}
    length = len(next(iter(taken.values())))
    return columns_of(stream, taken, np.full(length, REAL_TIME_S, np.int64))


# --- as the store gives it back ---------------------------------------------------------------------------------------


def _devices(found: Collected) -> DeviceSamples:
    names = ("gavg", "davg", "kavg", "qavg")
    latency = [found.each(f"{way}_{{}}_us", names) for way in ("read", "write")]
    return DeviceSamples(
        device=found.thing,
        times=found.times(REAL_TIME_S),
        ops=found.each("{}_ops", ("read", "write")),
        bytes=found.each("{}_bytes", ("read", "write")),
        latency_us=np.stack(latency, axis=1),
        queue_depth=found.of("queue_depth"),
        is_millisecond=found.of("precision") == Precision.MILLISECOND,
    )


def _disks(found: Collected) -> DiskSamples:
    ways = ("read", "write")
    return DiskSamples(
        part=found.thing,
        times=found.times(REAL_TIME_S),
        ops=found.each("{}_ops", ways),
        bytes=found.each("{}_bytes", ways),
        latency_us=found.each("{}_latency_us", ways),
        total_us=found.each("{}_total_latency_us", ways),
        outstanding=found.each("{}_outstanding", ways),
    )


def _volumes(found: Collected) -> VolumeSamples:
    ways = ("read", "write", "mirrored_write")
    parts = [found.each(f"{{}}_{component}_us", ways) for component in _COMPONENTS]
    return VolumeSamples(
        volume=found.thing,
        times=found.times(_ARRAY_S),
        ops=found.each("{}_ops", ways),
        bytes=found.each("{}_bytes", ways),
        components_us=np.stack(parts, axis=2),
    )


def _directories(found: Collected) -> DirectorySamples:
    ways = ("read", "write")
    times = found.times(_ARRAY_S)
    return DirectorySamples(
        unit=found.thing,
        times=times,
        ops=found.each("{}_ops", ways),
        bytes=found.each("{}_bytes", ways),
        usec_us=found.each("{}_usec_us", ways),
    )
