"""Stored samples of both sides as `analysis` takes them: by position, with the offset of the clock that stamped them."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.observed import DeviceSamples, DirectorySamples, DiskSamples, Observed, Proofs, Times, VolumeSamples
from gavel.analysis.topology import Index
from gavel.db.engine import Connection
from gavel.db.queries.correlation import samples
from gavel.domain.samples import NOT_MEASURED, Precision
from gavel.domain.scope import ScopeKind
from gavel.domain.source import GRAIN_S, Stream
from gavel.pipeline.mapping import Estate
from gavel.pipeline.offsets import Offsets

# Samples of a stream that have a say in a minute end within so many of their lengths of it: one across its edge, and the one beside that.
_REACH = 3
_US = 1_000_000
_LATENCIES = ("gavg", "davg", "kavg", "qavg")
_COMPONENTS = ("service", "queue", "qos", "qos_sched", "san")

_Columns = Mapping[str, npt.NDArray[np.int64]]


def observed(
    connection: Connection, estate: Estate, found: Offsets, proofs: Proofs, since: datetime, until: datetime
) -> Observed:
    """All samples that may touch minutes in [since, until), whatever clock stamped them."""
    behind, ahead = found.shifts(np.unique(np.concatenate([found.of_host, found.of_array])))
    reach = {stream: _REACH * timedelta(seconds=GRAIN_S[stream]) for stream in _PARTS}
    read = {
        stream: samples(connection, stream, since + behind - reach[stream], until + ahead + reach[stream])
        for stream in _PARTS
    }
    return Observed(
        devices=_devices(read[Stream.HOST_DEVICE], estate, found),
        disks=_disks(read[Stream.VM_DISK], estate, found),
        volumes=_volumes(read[Stream.ARRAY_VOLUME], estate, found),
        directories=_directories(read[Stream.ARRAY_DIRECTORY], estate, found),
        proofs=proofs,
    )


_PARTS = (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY)


def _known(columns: _Columns, ids: Index) -> tuple[_Columns, Index]:
    """Rows of things that the estate holds, and their positions."""
    entity = columns["entity_id"]
    position = np.searchsorted(ids, entity)
    known = (position < len(ids)) & (ids[np.minimum(position, max(len(ids) - 1, 0))] == entity if len(ids) else False)
    kept: Bools = np.broadcast_to(known, entity.shape)
    return {name: column[kept] for name, column in columns.items()}, position[kept]


def _times(columns: _Columns, found: Offsets, clock: Index) -> Times:
    offset_us, error_s = found.at(clock, columns["ts"])
    return Times(columns["ts"], columns["interval_s"] * _US, offset_us, error_s)


def _measured(columns: _Columns, names: Sequence[str]) -> Floats:
    """(n, len(names)), NaN where not measured; a sample without ops is left out and missed."""
    stacked = np.stack([columns[name] for name in names], axis=1)
    return np.where(stacked == NOT_MEASURED, np.nan, stacked)


def _by_direction(columns: _Columns, directions: Sequence[str], times: Sequence[str]) -> Floats:
    """(n, directions, times) µs per operation."""
    names = [f"{direction}_{time}_us" for direction in directions for time in times]
    return _measured(columns, names).reshape(-1, len(directions), len(times))


def _devices(columns: _Columns, estate: Estate, found: Offsets) -> DeviceSamples:
    columns, device = _known(columns, estate.ids[ScopeKind.HOST_DEVICE])
    host = estate.topology.devices.host[device]
    return DeviceSamples(
        device,
        _times(columns, found, found.of_host[host]),
        _measured(columns, ("read_ops", "write_ops")),
        _measured(columns, ("read_bytes", "write_bytes")),
        _by_direction(columns, ("read", "write"), _LATENCIES),
        _measured(columns, ("queue_depth",))[:, 0],
        columns["precision"] == Precision.MILLISECOND,
    )


def _disks(columns: _Columns, estate: Estate, found: Offsets) -> DiskSamples:
    columns, disk = _known(columns, estate.ids[ScopeKind.VM_DISK])
    part = _parts_at(estate, disk, columns)
    there = part >= 0
    columns, part = {name: column[there] for name, column in columns.items()}, part[there]
    host = estate.topology.parts.host[part]
    return DiskSamples(
        part,
        _times(columns, found, found.of_host[host]),
        _measured(columns, ("read_ops", "write_ops")),
        _measured(columns, ("read_bytes", "write_bytes")),
        _measured(columns, ("read_latency_us", "write_latency_us")),
        _measured(columns, ("read_total_latency_us", "write_total_latency_us")),
        _measured(columns, ("read_outstanding", "write_outstanding")),
    )


def _parts_at(estate: Estate, disk: Index, columns: _Columns) -> Index:
    """Which part of its disk each sample belongs to: where the VM was in the middle of it. −1 for a disk without a host."""
    first = np.full(estate.topology.disks, -1, dtype=np.int64)
    for position, stays in estate.stays.items():
        first[position] = stays[0].part
    part = first[disk]
    middle = columns["ts"] - columns["interval_s"] * (_US // 2)
    for position, stays in estate.stays.items():
        for stay in stays[1:]:
            moved = (disk == position) & (middle >= stay.since_us)
            part[moved] = stay.part
    return part


def _volumes(columns: _Columns, estate: Estate, found: Offsets) -> VolumeSamples:
    columns, volume = _known(columns, estate.ids[ScopeKind.VOLUME])
    directions = ("read", "write", "mirrored_write")
    ops = _measured(columns, [f"{direction}_ops" for direction in directions])
    # An array without stretched pods need not report mirrored writes.
    ops[:, 2] = np.nan_to_num(ops[:, 2])
    return VolumeSamples(
        volume,
        _times(columns, found, found.of_array[estate.topology.volumes.array[volume]]),
        ops,
        _measured(columns, [f"{direction}_bytes" for direction in directions]),
        _by_direction(columns, directions, _COMPONENTS),
    )


def _directories(columns: _Columns, estate: Estate, found: Offsets) -> DirectorySamples:
    columns, directory = _known(columns, estate.directory_ids)
    unit = estate.directory_units[directory]
    return DirectorySamples(
        unit,
        _times(columns, found, found.of_array[estate.topology.unit_array[unit]]),
        _measured(columns, ("read_ops", "write_ops")),
        _measured(columns, ("read_bytes", "write_bytes")),
        _measured(columns, ("read_usec_us", "write_usec_us")),
    )
