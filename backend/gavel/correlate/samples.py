"""Stored samples of both sides as `analysis` takes them: by position, with the offset of the clock that stamped them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from gavel.analysis.captured import finer_latencies
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.observed import DeviceSamples, DirectorySamples, DiskSamples, Observed, Proofs, Times, VolumeSamples
from gavel.analysis.topology import Index
from gavel.correlate.captured_rows import captured_rows
from gavel.correlate.guests import guest_samples
from gavel.correlate.topology import Environment, parts_at
from gavel.db.engine import Connection
from gavel.db.queries.clocks import Clock
from gavel.db.queries.correlation import samples
from gavel.domain.samples import NOT_MEASURED, SLIT_S, Precision, neighbors
from gavel.domain.scope import ScopeKind
from gavel.domain.source import ATTRIBUTED, GRAIN_S, Stream

_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_US = 1_000_000
# A source is asked for all its clocks before the first reading is stored; a sample is stored soon after it ended.
_UNTIL_STORED_US = 30 * _US
# Bits for µs since the first reading; the clock's number is above them.
_TIME_BITS = 44


@dataclass(frozen=True, slots=True, kw_only=True)
class Offsets:
    """Readings of all clocks, in order of clock and of the stamps that they count from.

    of_host, of_array: clock of each position; the last array is nobody (−1). A host whose own clock was not read has its vCenter's; a clock
    that nobody read has offset 0 and an unknown error (NaN).
    """

    of_host: Index
    of_array: Index
    starts: Index
    keys: Index
    first_us: int
    offset_us: Index
    error_s: Floats

    def at(self, clock: Index, stamps_us: Index) -> tuple[Index, Floats]:
        """(n,) offset in µs and its error in s of samples that `clock` (n,) stamped with `stamps_us` (n,)."""
        elapsed = np.clip(stamps_us - self.first_us, 0, (1 << _TIME_BITS) - 1)
        newest = np.searchsorted(self.keys, (clock << _TIME_BITS) | elapsed, side="right") - 1
        reading = np.maximum(newest, self.starts[clock])
        return self.offset_us[reading], self.error_s[reading]

    def shifts(self, clocks: Index) -> tuple[timedelta, timedelta]:
        """The least and the most that these clocks were ahead."""
        ends = np.append(self.starts[1:], len(self.keys))
        every = np.concatenate([self.offset_us[self.starts[clock] : ends[clock]] for clock in clocks.tolist()])
        return timedelta(microseconds=int(every.min())), timedelta(microseconds=int(every.max()))


def offsets(environment: Environment, readings: Sequence[Clock]) -> Offsets:
    """From readings to clocks by position. Clock 0 belongs to no source."""
    by_clock: dict[tuple[int, str | None], list[Clock]] = defaultdict(list)
    for reading in readings:
        by_clock[reading.source_id, reading.subject].append(reading)
    number = {subject: n for n, subject in enumerate(by_clock, start=1)}
    first_us = min((_counts_from(reading) for reading in readings), default=0)
    rows = [(0, 0, 0, np.nan)]
    for subject, those in by_clock.items():
        rows += [
            (number[subject], _counts_from(one) - first_us, _offset_us(one), one.error_s) for one in _in_order(those)
        ]
    clock, elapsed = (np.array([row[n] for row in rows], dtype=np.int64) for n in (0, 1))
    return Offsets(
        of_host=np.array(
            [number.get(key, number.get((key[0], None), 0)) for key in environment.host_keys], dtype=np.int64
        ),
        of_array=np.array(
            [*(number.get((source, None), 0) for source in environment.array_sources), 0], dtype=np.int64
        ),
        starts=np.searchsorted(clock, np.arange(len(number) + 1)),
        keys=(clock << _TIME_BITS) | elapsed,
        first_us=first_us,
        offset_us=np.array([row[2] for row in rows], dtype=np.int64),
        error_s=np.array([row[3] for row in rows], dtype=np.float64),
    )


def _in_order(readings: Sequence[Clock]) -> list[Clock]:
    """By the stamps that they count from. A clock that was set back gives those out twice: what was read later holds."""
    found: list[Clock] = []
    for one in sorted(readings, key=lambda item: (_counts_from(item), item.read_at)):
        if not found or one.read_at > found[-1].read_at:
            found.append(one)
    return found


def _counts_from(reading: Clock) -> int:
    """µs since 1970 by the clock that was read, as stamps are: of samples that end from then on."""
    read_us = (reading.read_at - _UNIX) // timedelta(microseconds=1)
    return read_us + _offset_us(reading) + _UNTIL_STORED_US


def _offset_us(reading: Clock) -> int:
    return round(reading.offset_s * _US)


# Samples of a stream that have a say in a minute end within so many of their lengths of it: one across its edge, the one beside that, and
# of virtual disks the next; with a slit between them (`analysis.align`).
_REACH = 1 + max(neighbors(stream) for stream in ATTRIBUTED)
_SLITS = timedelta(seconds=_REACH * SLIT_S)
_LATENCIES = ("gavg", "davg", "kavg", "qavg")
_COMPONENTS = ("service", "queue", "qos", "qos_sched", "san")

_Columns = Mapping[str, npt.NDArray[np.int64]]


def observed(
    connection: Connection,
    environment: Environment,
    clock_offsets: Offsets,
    proofs: Proofs,
    since: datetime,
    until: datetime,
) -> Observed:
    """All samples that may touch minutes in [since, until), whatever clock stamped them."""
    behind, ahead = clock_offsets.shifts(np.unique(np.concatenate([clock_offsets.of_host, clock_offsets.of_array])))
    reach = {stream: _REACH * timedelta(seconds=GRAIN_S[stream]) + _SLITS for stream in _PARTS}
    read = {
        stream: samples(connection, stream, since + behind - reach[stream], until + ahead + reach[stream])
        for stream in _PARTS
    }
    devices = _devices(read[Stream.HOST_DEVICE], environment, clock_offsets)
    reached = reach[Stream.HOST_DEVICE]
    captured = captured_rows(connection, environment, since + behind - reached, until + ahead + reached)
    return Observed(
        devices=replace(devices, finer=finer_latencies(devices, captured)) if captured else devices,
        disks=_disks(read[Stream.VM_DISK], environment, clock_offsets),
        volumes=_volumes(read[Stream.ARRAY_VOLUME], environment, clock_offsets),
        directories=_directories(read[Stream.ARRAY_DIRECTORY], environment, clock_offsets),
        proofs=proofs,
        guests=guest_samples(connection, environment, since, until),
    )


_PARTS = (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY)


def _of_environment(columns: _Columns, ids: Index) -> tuple[_Columns, Index]:
    """Rows of things that the environment holds, and their positions."""
    entity = columns["entity_id"]
    position = np.searchsorted(ids, entity)
    known = (position < len(ids)) & (ids[np.minimum(position, max(len(ids) - 1, 0))] == entity if len(ids) else False)
    kept: Bools = np.broadcast_to(known, entity.shape)
    return {name: column[kept] for name, column in columns.items()}, position[kept]


def _times(columns: _Columns, clock_offsets: Offsets, clock: Index) -> Times:
    offset_us, error_s = clock_offsets.at(clock, columns["ts"])
    return Times(end_us=columns["ts"], length_us=columns["interval_s"] * _US, offset_us=offset_us, error_s=error_s)


def _measured(columns: _Columns, names: Sequence[str]) -> Floats:
    """(n, len(names)), NaN where not measured; a sample without ops is left out and missed."""
    stacked = np.stack([columns[name] for name in names], axis=1)
    return np.where(stacked == NOT_MEASURED, np.nan, stacked)


def _by_direction(columns: _Columns, directions: Sequence[str], times: Sequence[str]) -> Floats:
    """(n, directions, times) µs per operation."""
    names = [f"{direction}_{time}_us" for direction in directions for time in times]
    return _measured(columns, names).reshape(-1, len(directions), len(times))


def _devices(columns: _Columns, environment: Environment, clock_offsets: Offsets) -> DeviceSamples:
    columns, device = _of_environment(columns, environment.ids[ScopeKind.HOST_DEVICE])
    host = environment.topology.devices.host[device]
    return DeviceSamples(
        device=device,
        times=_times(columns, clock_offsets, clock_offsets.of_host[host]),
        ops=_measured(columns, ("read_ops", "write_ops")),
        bytes=_measured(columns, ("read_bytes", "write_bytes")),
        latency_us=_by_direction(columns, ("read", "write"), _LATENCIES),
        queue_depth=_measured(columns, ("queue_depth",))[:, 0],
        is_millisecond=columns["precision"] == Precision.MILLISECOND,
        is_captured=_captured(columns),
    )


def _disks(columns: _Columns, environment: Environment, clock_offsets: Offsets) -> DiskSamples:
    columns, disk = _of_environment(columns, environment.ids[ScopeKind.VM_DISK])
    part = parts_at(environment, disk, columns["ts"] - columns["interval_s"] * (_US // 2))
    there = part >= 0
    columns, part = {name: column[there] for name, column in columns.items()}, part[there]
    host = environment.topology.parts.host[part]
    return DiskSamples(
        part=part,
        times=_times(columns, clock_offsets, clock_offsets.of_host[host]),
        ops=_measured(columns, ("read_ops", "write_ops")),
        bytes=_measured(columns, ("read_bytes", "write_bytes")),
        latency_us=_measured(columns, ("read_latency_us", "write_latency_us")),
        total_us=_measured(columns, ("read_total_latency_us", "write_total_latency_us")),
        outstanding=_measured(columns, ("read_outstanding", "write_outstanding")),
        is_captured=_captured(columns),
    )


def _captured(columns: _Columns) -> Bools | None:
    """Rows of an offline environment, which come from captures."""
    captured = columns["precision"] == Precision.ESXTOP
    return captured if captured.any() else None


def _volumes(columns: _Columns, environment: Environment, clock_offsets: Offsets) -> VolumeSamples:
    columns, volume = _of_environment(columns, environment.ids[ScopeKind.VOLUME])
    directions = ("read", "write", "mirrored_write")
    ops = _measured(columns, [f"{direction}_ops" for direction in directions])
    # An array without stretched pods need not report mirrored writes.
    ops[:, 2] = np.nan_to_num(ops[:, 2])
    return VolumeSamples(
        volume=volume,
        times=_times(columns, clock_offsets, clock_offsets.of_array[environment.topology.volumes.array[volume]]),
        ops=ops,
        bytes=_measured(columns, [f"{direction}_bytes" for direction in directions]),
        components_us=_by_direction(columns, directions, _COMPONENTS),
    )


def _directories(columns: _Columns, environment: Environment, clock_offsets: Offsets) -> DirectorySamples:
    columns, directory = _of_environment(columns, environment.directory_ids)
    unit = environment.directory_units[directory]
    return DirectorySamples(
        unit=unit,
        times=_times(columns, clock_offsets, clock_offsets.of_array[environment.topology.unit_array[unit]]),
        ops=_measured(columns, ("read_ops", "write_ops")),
        bytes=_measured(columns, ("read_bytes", "write_bytes")),
        usec_us=_measured(columns, ("read_usec_us", "write_usec_us")),
    )
