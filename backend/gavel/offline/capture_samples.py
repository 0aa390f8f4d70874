"""Rows of a capture as samples of its host: of 20 s where rows are shorter, of paths five minutes, by the host's own clock. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.domain.errors import SettingsError
from gavel.domain.imports import CapturedObject, Float64Array, ImportedCapture, Int64Array
from gavel.domain.samples import COLUMNS, NOT_MEASURED, Precision, SampleBatch
from gavel.domain.source import GRAIN_S, Stream
from gavel.offline.disk_placement import carriers, device_key, disk_key, of_kind
from gavel.offline.path_devices import devices_of_paths

_US = 1_000_000
_WAYS = ("read", "write")
# Minutes are made of whole samples, none of which may be longer than one.
LONGEST_STEP_S = 60
_LATENCIES = {"gavg": "guest", "davg": "driver", "kavg": "kernel", "qavg": "queue"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroups:
    """Rows that become one sample each: `rows` in order, `starts` the position of each group's first among them.

    ended_us, interval_s: (g,) of the groups. weight_us: (r,) length of each row.
    """

    rows: Int64Array
    starts: Int64Array
    ended_us: Int64Array
    interval_s: Int64Array
    weight_us: Int64Array


def group_rows(capture: ImportedCapture, stream: Stream = Stream.HOST_DEVICE) -> RowGroups:
    """Neighboring rows that end within the same sample of the stream. Raises SettingsError where rows are further apart than a minute is
    long."""
    ended_s = np.round(capture.ended_us / _US).astype(np.int64)
    length_s = np.diff(ended_s, prepend=ended_s[0])
    # The first row has no rates; where two have one stamp, nothing is known of the time between.
    usable = np.flatnonzero((length_s > 0) & (length_s <= LONGEST_STEP_S))
    if len(usable) == 0:
        raise SettingsError(
            f"{capture.host_name}: rows are {int(np.median(length_s[1:]))} s apart. A minute is made of samples that are no longer"
            f" than itself: capture with a step of at most {LONGEST_STEP_S} s, as `esxtop -b -a -d 5`."
        )
    bucket = (ended_s[usable] - 1) // GRAIN_S[stream]
    begins = (np.diff(bucket) != 0) | (np.diff(usable) != 1)
    starts = np.concatenate([[0], np.flatnonzero(begins) + 1])
    last = np.concatenate([starts[1:], [len(usable)]]) - 1
    return RowGroups(
        rows=usable,
        starts=starts,
        ended_us=ended_s[usable[last]] * _US,
        interval_s=np.add.reduceat(length_s[usable], starts),
        weight_us=length_s[usable] * _US,
    )


def capture_batches(capture: ImportedCapture) -> list[SampleBatch]:
    """Samples of what the capture has of its host; a counter that the file does not have is not measured."""
    groups, blocks = group_rows(capture), group_rows(capture, Stream.PATH)
    host = capture.host_name
    disks, adapters = of_kind(capture, "virtual_disk"), of_kind(capture, "adapter")
    assigned = devices_of_paths(capture)
    paths = [each for each in of_kind(capture, "path") if each.name in assigned]
    found = [
        _batch(
            Stream.HOST_DEVICE, groups, [(device_key(host, each), _device(each, groups)) for each in carriers(capture)]
        ),
        _batch(Stream.VM_DISK, groups, [(disk_key(host, each), _disk(each, groups)) for each in disks]),
        _batch(Stream.ADAPTER, groups, [(device_key(host, each), _adapter(each, groups)) for each in adapters]),
        _batch(Stream.PATH, blocks, [(device_key(host, each), _through(each, blocks)) for each in paths]),
    ]
    return [batch for batch in found if len(batch)]


def _batch(stream: Stream, groups: RowGroups, rows: Sequence[tuple[str, Mapping[str, Int64Array]]]) -> SampleBatch:
    """Samples whose I/Os were counted; the others would say nothing."""
    count = len(groups.ended_us)
    nothing = np.full(count, NOT_MEASURED, dtype=np.int64)
    every = {
        name: np.concatenate([columns.get(name, nothing) for _, columns in rows] or [nothing[:0]])
        for name in COLUMNS[stream]
    }
    kept = np.flatnonzero(every["read_ops"] != NOT_MEASURED)
    return SampleBatch(
        stream=stream,
        keys=tuple(key for key, _ in rows),
        key_index=np.repeat(np.arange(len(rows)), count)[kept],
        ended_at_us=np.tile(groups.ended_us, len(rows))[kept],
        interval_s=np.tile(groups.interval_s, len(rows))[kept],
        values={name: column[kept] for name, column in every.items()},
    )


def _device(each: CapturedObject, groups: RowGroups) -> dict[str, Int64Array]:
    columns = _traffic(each, groups)
    for way in _WAYS:
        for name, boundary in _LATENCIES.items():
            columns[f"{way}_{name}_us"] = _latency(each, groups, f"{way}_{boundary}_us", f"{way}s_per_s")
    columns["queue_depth"] = _integers(_mean(each, groups, "device_queue_depth"))
    columns["aborts"] = _count(each, groups, "aborts_per_s")
    columns["bus_resets"] = _count(each, groups, "resets_per_s")
    return columns


def _disk(each: CapturedObject, groups: RowGroups) -> dict[str, Int64Array]:
    columns = _traffic(each, groups)
    for way in _WAYS:
        columns[f"{way}_total_latency_us"] = _latency(each, groups, f"{way}_us", f"{way}s_per_s")
    return columns


def _adapter(each: CapturedObject, groups: RowGroups) -> dict[str, Int64Array]:
    """How many I/Os are in its queue, and before it, is in no capture."""
    return _through(each, groups) | {"queue_depth": _integers(_mean(each, groups, "adapter_queue_depth"))}


def _through(each: CapturedObject, groups: RowGroups) -> dict[str, Int64Array]:
    """An adapter or a path, with the latency of the I/Os that go through it."""
    columns = _traffic(each, groups)
    for way in _WAYS:
        columns[f"{way}_latency_us"] = _latency(each, groups, f"{way}_guest_us", f"{way}s_per_s")
    return columns


def _traffic(each: CapturedObject, groups: RowGroups) -> dict[str, Int64Array]:
    found = {f"{way}_ops": _count(each, groups, f"{way}s_per_s") for way in _WAYS}
    found |= {f"{way}_bytes": _count(each, groups, f"{way}_bytes_per_s") for way in _WAYS}
    return found | {"precision": np.full(len(groups.ended_us), int(Precision.ESXTOP), dtype=np.int64)}


def _count(each: CapturedObject, groups: RowGroups, rate: str) -> Int64Array:
    """Of a rate, how many there were in each sample."""
    return _integers(_mean(each, groups, rate) * groups.interval_s)


def _mean(each: CapturedObject, groups: RowGroups, counter: str) -> Float64Array:
    """(g,) over time; NaN where the file does not have it, or a row of the sample has none."""
    values = each.columns.get(counter)
    if values is None:
        return np.full(len(groups.starts), np.nan)
    weighted = np.add.reduceat(values[groups.rows] * groups.weight_us, groups.starts)
    mean: Float64Array = weighted / np.add.reduceat(groups.weight_us, groups.starts)
    return mean


def _latency(each: CapturedObject, groups: RowGroups, name: str, rate: str) -> Int64Array:
    """Over the I/Os of the sample; not measured without any, and where rows with I/Os have no latency."""
    values, rates = each.columns.get(name), each.columns.get(rate)
    if values is None or rates is None:
        return _integers(np.full(len(groups.starts), np.nan))
    latency, ios = values[groups.rows], rates[groups.rows] * groups.weight_us
    total = np.add.reduceat(ios, groups.starts)
    # Rows without I/Os have no latency, and no weight.
    spent = np.add.reduceat(np.where(ios > 0, latency * ios, 0.0), groups.starts)
    return _integers(np.divide(spent, total, out=np.full(len(total), np.nan), where=total > 0))


def _integers(values: Float64Array) -> Int64Array:
    return np.where(np.isnan(values), NOT_MEASURED, np.round(np.nan_to_num(values))).astype(np.int64)
