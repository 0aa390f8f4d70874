"""Whether a capture agrees with itself: what esxtop's counters of one device must add up to, row by row."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.collectors.imports.esxtop.capture import EsxtopCapture, ObjectSeries
from gavel.collectors.imports.esxtop.columns import CounterDirection, ObjectKind
from gavel.collectors.imports.esxtop.times import Float64Array

# Below one I/O per second the last digits say little.
_LEAST_RATE = 1.0
# Each of three latencies is rounded: they may miss each other by twice the last digit.
_TOLERANCE_IN_HALF_DIGITS = 4.0
_USED_TOLERANCE_PERCENT = 1.0
_LOAD_TOLERANCE = 0.02
_MOST_OTHER_COMMANDS = 0.05
_MOST_FAILED = 0.01
_RATES = {
    CounterDirection.READ: "reads_per_s",
    CounterDirection.WRITE: "writes_per_s",
    CounterDirection.COMMAND: "commands_per_s",
}

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """One relation of one device: in how many rows it was tested, and in how many it does not hold."""

    device: str
    relation: str
    rows: int
    failed: int


def self_checks(capture: EsxtopCapture) -> list[SelfCheck]:
    """Only relations that could be tested in at least one row."""
    checks = []
    for device in capture.of_kind(ObjectKind.DEVICE):
        for relation, tested, failed in _relations(device, capture.latency_half_us):
            if rows := int(tested.sum()):
                checks.append(SelfCheck(device.name, relation, rows, int((tested & failed).sum())))
    return checks


def is_consistent(checks: list[SelfCheck]) -> bool:
    """Whether each relation fails in at most 1 % of the rows, over all devices."""
    relations = {check.relation for check in checks}
    return all(
        sum(each.failed for each in checks if each.relation == relation)
        <= _MOST_FAILED * sum(each.rows for each in checks if each.relation == relation)
        for relation in relations
    )


def _relations(device: ObjectSeries, half_us: float) -> Iterator[tuple[str, Mask, Mask]]:
    """Name, rows tested, rows where it fails."""
    tolerance_us = _TOLERANCE_IN_HALF_DIGITS * half_us * (1 + 1e-9)
    for direction in CounterDirection:
        busy = _at_least(device.column(_RATES[direction]), _LEAST_RATE)
        guest, kernel, queue, driver = (
            device.column(f"{direction}_{boundary}_us") for boundary in ("guest", "kernel", "queue", "driver")
        )
        if busy is None:
            continue
        if guest is not None and kernel is not None and driver is not None:
            gap = np.abs(guest - driver - kernel)
            yield f"GAVG = DAVG + KAVG, per {direction}", busy & ~np.isnan(gap), gap > tolerance_us
        if queue is not None and kernel is not None:
            gap = queue - kernel
            yield f"QAVG within KAVG, per {direction}", busy & ~np.isnan(gap), gap > tolerance_us
    yield from _queue_relations(device)
    yield from _mean_relation(device, tolerance_us)


def _queue_relations(device: ObjectSeries) -> Iterator[tuple[str, Mask, Mask]]:
    busy = _at_least(device.column("commands_per_s"), _LEAST_RATE)
    depth, active, queued = (device.column(name) for name in ("device_queue_depth", "active", "queued"))
    if busy is None or depth is None or active is None:
        return
    usable = busy & (depth > 0)
    slots = np.maximum(depth, 1.0)
    used, load = device.column("used_percent"), device.column("load_ratio")
    if used is not None:
        gap = np.abs(used - 100.0 * active / slots)
        yield "%USD = ACTV / DQLEN", usable & ~np.isnan(gap), gap > _USED_TOLERANCE_PERCENT
    if load is not None and queued is not None:
        gap = np.abs(load - (active + queued) / slots)
        yield "LOAD = (ACTV + QUED) / DQLEN", usable & ~np.isnan(gap), gap > _LOAD_TOLERANCE


def _mean_relation(device: ObjectSeries, tolerance_us: float) -> Iterator[tuple[str, Mask, Mask]]:
    """The latency per command lies between those per read and per write, unless there are many other commands."""
    commands, reads, writes = (device.column(name) for name in _RATES_IN_ORDER)
    per_command, per_read, per_write = (device.column(f"{direction}_guest_us") for direction in _DIRECTIONS_IN_ORDER)
    if commands is None or reads is None or writes is None:
        return
    if per_command is None or per_read is None or per_write is None:
        return
    others = commands - reads - writes
    usable = (reads + writes >= _LEAST_RATE) & (others <= _MOST_OTHER_COMMANDS * commands) & ~np.isnan(per_command)
    usable &= ~(np.isnan(per_read) & np.isnan(per_write))
    low, high = np.fmin(per_read, per_write), np.fmax(per_read, per_write)
    outside = np.maximum(low - per_command, per_command - high)
    yield "GAVG per command between those per read and per write", usable, outside > tolerance_us


_DIRECTIONS_IN_ORDER = (CounterDirection.COMMAND, CounterDirection.READ, CounterDirection.WRITE)
_RATES_IN_ORDER = tuple(_RATES[direction] for direction in _DIRECTIONS_IN_ORDER)


def _at_least(values: Float64Array | None, least: float) -> Mask | None:
    return None if values is None else values >= least
