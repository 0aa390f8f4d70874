"""What a capture comes to, per device and virtual disk: load, latency, queues, where the time is, worst minutes, and whose I/O it is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from gavel.collectors.imports.esxtop.capture import EsxtopCapture, ObjectSeries
from gavel.collectors.imports.esxtop.columns import BOUNDARIES, ObjectKind
from gavel.collectors.imports.esxtop.times import Float64Array
from gavel.collectors.imports.esxtop.weighted import (
    InstantSummary,
    IntpArray,
    LatencyMean,
    combine_directions,
    mean_latency,
    mean_rate,
    summarize_instants,
)

DIRECTIONS = ("read", "write", "all")
INSTANTS = (
    "device_queue_depth",
    "world_queue_depth",
    "active",
    "queued",
    "used_percent",
    "load_ratio",
    "adapter_queue_depth",
)
OTHER_WORLDS = "other worlds"
_RATES = (
    "commands_per_s",
    "reads_per_s",
    "writes_per_s",
    "read_bytes_per_s",
    "write_bytes_per_s",
    "failed_commands_per_s",
    "aborts_per_s",
    "resets_per_s",
)
_MINUTE_S = 60.0
# Fewer I/Os make no minute worth comparing (docs/glossary.md: too few I/Os).
_LEAST_IOS = 30.0
_WORST_MINUTES = 3
# Above this share, a mean over all commands says little about reads and writes.
_MANY_OTHER_COMMANDS = 0.2


@dataclass(frozen=True, slots=True)
class TimePart:
    """A part of the time of an I/O: its mean, and the range that rounding leaves."""

    name: str
    mean_us: float
    lower_us: float
    upper_us: float


@dataclass(frozen=True, slots=True)
class MinuteSummary:
    """One minute of a device, reads and writes together. `layer_us`: by boundary; None where not captured."""

    started_at_s: float
    ios: float
    layer_us: Mapping[str, float | None]
    queued_max: float | None


@dataclass(frozen=True, slots=True)
class WorldShare:
    """I/Os of one VM, or of all worlds of no VM, on one device. `worlds`: how many of its worlds issued any."""

    vm: str | None
    worlds: int
    commands_per_s: float
    share: float
    active_max: float | None
    queued_max: float | None


@dataclass(frozen=True, slots=True)
class ObjectSummary:
    """One device, virtual disk, adapter or NFS volume. What was not captured is not in `rates` or `instants`, and None in `latency`.

    latency: by direction (`DIRECTIONS`) and boundary (`columns.BOUNDARIES`; `guest` is GAVG, or what a VM sees of its virtual disk).
    per_command: `all` is over all commands, since the capture does not split reads from writes. other_share: commands that are neither.
    """

    kind: ObjectKind
    name: str
    vm: str | None
    disk: str | None
    rates: Mapping[str, float]
    latency: Mapping[str, Mapping[str, LatencyMean | None]]
    instants: Mapping[str, InstantSummary]
    time_parts: Mapping[str, tuple[TimePart, ...]]
    worst_minutes: tuple[MinuteSummary, ...]
    worlds: tuple[WorldShare, ...]
    per_command: bool
    other_share: float | None

    @property
    def many_other_commands(self) -> bool:
        return self.other_share is not None and self.other_share > _MANY_OTHER_COMMANDS


@dataclass(frozen=True, slots=True)
class _Directed:
    """Latency by boundary, and its rate, row by row."""

    latency_us: Mapping[str, Float64Array | None]
    rate: Float64Array | None


def summarize(capture: EsxtopCapture) -> list[ObjectSummary]:
    """Devices, NFS volumes and virtual disks (the busiest first), then adapters."""
    worlds = [each for each in capture.objects if each.kind is ObjectKind.WORLD]
    by_device: dict[str, list[ObjectSeries]] = {}
    for world in worlds:
        by_device.setdefault(world.parent or "", []).append(world)
    order = (ObjectKind.DEVICE, ObjectKind.NFS_VOLUME, ObjectKind.VIRTUAL_DISK, ObjectKind.ADAPTER)
    return [
        summary
        for kind in order
        for summary in sorted(
            (
                _summary(capture, each, by_device.get(each.name, []))
                for each in capture.of_kind(kind)
                if kind is not ObjectKind.VIRTUAL_DISK or each.part is not None
            ),
            key=lambda summary: (-summary.rates.get("commands_per_s", 0.0), summary.name),
        )
    ]


def _summary(capture: EsxtopCapture, series: ObjectSeries, worlds: list[ObjectSeries]) -> ObjectSummary:
    directed = {direction: _directed(series, direction) for direction in DIRECTIONS}
    rates = {name: rate for name in _RATES if (rate := mean_rate(capture, series.column(name))) is not None}
    instants = {name: each for name in INSTANTS if (each := summarize_instants(series.column(name))) is not None}
    latency = {
        direction: {boundary: mean_latency(capture, each.latency_us[boundary], each.rate) for boundary in BOUNDARIES}
        for direction, each in directed.items()
    }
    is_disk = series.kind is ObjectKind.VIRTUAL_DISK
    return ObjectSummary(
        kind=series.kind,
        name=series.name,
        vm=series.parent if is_disk else None,
        disk=series.part if is_disk else None,
        rates=rates,
        latency=latency,
        instants=instants,
        time_parts={direction: _time_parts(latency[direction]) for direction in DIRECTIONS},
        worst_minutes=tuple(_worst_minutes(capture, series, directed["all"])),
        worlds=tuple(_world_shares(capture, series, worlds)),
        per_command=_is_per_command(series),
        other_share=_other_share(rates),
    )


def _directed(series: ObjectSeries, direction: str) -> _Directed:
    if direction != "all":
        rate = series.column(f"{direction}s_per_s")
        return _Directed({boundary: _latency(series, direction, boundary) for boundary in BOUNDARIES}, rate)
    if _is_per_command(series):
        latency = {boundary: series.column(f"command_{boundary}_us") for boundary in BOUNDARIES}
        return _Directed(latency, series.column("commands_per_s"))
    combined = {
        boundary: combine_directions(
            _latency(series, "read", boundary),
            _latency(series, "write", boundary),
            series.column("reads_per_s"),
            series.column("writes_per_s"),
        )
        for boundary in BOUNDARIES
    }
    return _Directed({boundary: each[0] for boundary, each in combined.items()}, combined["guest"][1])


def _latency(series: ObjectSeries, direction: str, boundary: str) -> Float64Array | None:
    if series.kind is ObjectKind.VIRTUAL_DISK:
        return series.column(f"{direction}_us") if boundary == "guest" else None
    return series.column(f"{direction}_{boundary}_us")


def _is_per_command(series: ObjectSeries) -> bool:
    return "command_guest_us" in series.columns and "read_guest_us" not in series.columns


def _other_share(rates: Mapping[str, float]) -> float | None:
    commands, reads, writes = (rates.get(name) for name in ("commands_per_s", "reads_per_s", "writes_per_s"))
    if not commands or reads is None or writes is None:
        return None
    return max(0.0, (commands - reads - writes) / commands)


def _time_parts(latency: Mapping[str, LatencyMean | None]) -> tuple[TimePart, ...]:
    """Kernel queue, the rest of the kernel, and what is below the driver. Empty where the kernel was not captured or there was no I/O."""
    kernel, queue, driver = (latency[boundary] for boundary in ("kernel", "queue", "driver"))
    if kernel is None or driver is None:
        return ()
    below = TimePart("san_and_array", driver.mean_us, driver.lower_us, driver.upper_us)
    if queue is None:
        return TimePart("kernel", kernel.mean_us, kernel.lower_us, kernel.upper_us), below
    rest = TimePart(
        "kernel_processing",
        max(0.0, kernel.mean_us - queue.mean_us),
        max(0.0, kernel.lower_us - queue.upper_us),
        max(0.0, kernel.upper_us - queue.lower_us),
    )
    return TimePart("kernel_queue", queue.mean_us, queue.lower_us, queue.upper_us), rest, below


def _worst_minutes(capture: EsxtopCapture, series: ObjectSeries, directed: _Directed) -> Iterator[MinuteSummary]:
    """The minutes of highest latency that have enough I/Os."""
    guest = directed.latency_us["guest"]
    if guest is None or directed.rate is None:
        return
    ios = directed.rate * capture.step_s
    usable = np.flatnonzero(~np.isnan(guest) & (ios > 0))
    if not len(usable):
        return
    middle_s = capture.ended_at_s[usable] - capture.step_s[usable] / 2
    minutes, group = np.unique(np.floor(middle_s / _MINUTE_S), return_inverse=True)
    counts = np.bincount(group, weights=ios[usable])
    means = np.bincount(group, weights=ios[usable] * guest[usable]) / counts
    ranked = [at for at in np.argsort(-means, kind="stable") if counts[at] >= _LEAST_IOS]
    queued = series.column("queued")
    for at in ranked[:_WORST_MINUTES]:
        rows = usable[group == at]
        yield MinuteSummary(
            started_at_s=float(minutes[at]) * _MINUTE_S,
            ios=float(counts[at]),
            layer_us={boundary: _mean_of(directed.latency_us[boundary], ios, rows) for boundary in BOUNDARIES},
            queued_max=None if (in_queue := summarize_instants(queued, rows)) is None else in_queue.max,
        )


def _mean_of(latency_us: Float64Array | None, ios: Float64Array, rows: IntpArray) -> float | None:
    if latency_us is None:
        return None
    rows = rows[~np.isnan(latency_us[rows])]
    weights = ios[rows]
    return float((latency_us[rows] * weights).sum() / weights.sum()) if len(rows) else None


def _world_shares(capture: EsxtopCapture, device: ObjectSeries, worlds: list[ObjectSeries]) -> Iterator[WorldShare]:
    """Per VM, the largest first; worlds of no VM together. Worlds without I/O are left out."""
    totals: dict[str | None, list[tuple[float, ObjectSeries]]] = {}
    for world in worlds:
        rate = mean_rate(capture, world.column("commands_per_s"))
        if rate:
            totals.setdefault(capture.world_vms.get(world.part or ""), []).append((rate, world))
    sums = {vm: sum(rate for rate, _ in each) for vm, each in totals.items()}
    # Rounded rates of many worlds may add up to a little more than the device's.
    whole = max(mean_rate(capture, device.column("commands_per_s")) or 0.0, sum(sums.values()))
    for vm in sorted(sums, key=lambda vm: (vm is None, -sums[vm])):
        members = [series for _, series in totals[vm]]
        yield WorldShare(
            vm=vm,
            worlds=len(members),
            commands_per_s=sums[vm],
            share=sums[vm] / whole,
            active_max=_largest(members, "active"),
            queued_max=_largest(members, "queued"),
        )


def _largest(members: list[ObjectSeries], name: str) -> float | None:
    """The largest sum over the worlds at one instant."""
    columns = [column for each in members if (column := each.column(name)) is not None]
    if not columns:
        return None
    return float(np.nansum(columns, axis=0).max())
