"""How the clocks of captured hosts stand to those of the arrays: from the I/Os that both count of the same volumes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.capture_offset import CapturedCounts, OffsetProposal, StoredCounts, propose_offset
from gavel.domain.imports import CapturedObject, ImportedCapture
from gavel.domain.inventory import ArrayInventory
from gavel.domain.naming import volume_serial
from gavel.domain.samples import NOT_MEASURED, SampleBatch
from gavel.domain.source import ClockReading, Stream

# Stamps of captures have whole seconds.
_STAMP_ERROR_S = 1.0
# Where I/Os do not say: hosts and arrays of one site follow one time, and each minute says how little is known of it.
ASSUMED_ERROR_S = 5.0
_BUSIEST = 8


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """An array from its export. clock: against the machine that asked."""

    file_name: str
    inventory: ArrayInventory
    batches: Sequence[SampleBatch]
    clock: ClockReading


@dataclass(frozen=True, slots=True)
class HostClock:
    """offset_s: ahead of the time that the arrays' clocks are read against. is_measured: else nothing but the assumption is known."""

    offset_s: float
    error_s: float
    is_measured: bool


def host_clock(capture: ImportedCapture, arrays: Sequence[ArrayFile]) -> HostClock:
    """Without any array there is no other clock, and the host's is the time."""
    if not arrays:
        return HostClock(0.0, _STAMP_ERROR_S, is_measured=True)
    fits = [(array, propose_offset(_pairs(capture, array))) for array in arrays]
    usable = [(array, fit) for array, fit in fits if fit is not None and fit.is_usable]
    if not usable:
        return HostClock(0.0, ASSUMED_ERROR_S, is_measured=False)
    return _against_time(*max(usable, key=lambda pair: pair[1].correlation))


def _against_time(array: ArrayFile, fit: OffsetProposal) -> HostClock:
    """What the I/Os leave open, samples of arrays being 30 s long, is narrowed to what is assumed of clocks of one site."""
    offset_s, error_s = fit.offset_s + array.clock.offset_s, max(fit.error_s, _STAMP_ERROR_S) + array.clock.error_s
    low_s, high_s = max(offset_s - error_s, -ASSUMED_ERROR_S), min(offset_s + error_s, ASSUMED_ERROR_S)
    if low_s >= high_s:
        return HostClock(offset_s, error_s, is_measured=True)
    half_s = (high_s - low_s) / 2
    return HostClock((low_s + high_s) / 2, max(half_s, _STAMP_ERROR_S), is_measured=half_s < ASSUMED_ERROR_S)


def _pairs(capture: ImportedCapture, array: ArrayFile) -> list[tuple[StoredCounts, CapturedCounts]]:
    """The busiest devices of the host whose volumes the array counted."""
    volumes = {volume.serial: volume.key for volume in array.inventory.volumes}
    counted = _counted(array)
    pairs = []
    for device in sorted(_rated(capture), key=lambda each: -float(np.nansum(_rates(each)))):
        stored = counted.get(volumes.get(volume_serial(device.name) or "", ""))
        if stored is not None:
            ops = _rates(device) * capture.length_us / 1e6
            pairs.append((stored, CapturedCounts(end_us=capture.ended_us, length_us=capture.length_us, ops=ops)))
    return pairs[:_BUSIEST]


def _rated(capture: ImportedCapture) -> list[CapturedObject]:
    wanted = {"reads_per_s", "writes_per_s"}
    return [each for each in capture.objects if each.kind == "device" and wanted <= each.columns.keys()]


def _rates(device: CapturedObject) -> np.ndarray:
    rates: np.ndarray = device.columns["reads_per_s"] + device.columns["writes_per_s"]
    return rates


def _counted(array: ArrayFile) -> dict[str, StoredCounts]:
    """By key of a volume."""
    found: dict[str, list[tuple[np.ndarray, ...]]] = {}
    for batch in array.batches:
        if batch.stream is not Stream.ARRAY_VOLUME:
            continue
        reads, writes = batch.values["read_ops"], batch.values["write_ops"]
        ops = np.where((reads == NOT_MEASURED) | (writes == NOT_MEASURED), np.nan, (reads + writes).astype(np.float64))
        for position, key in enumerate(batch.keys):
            own = batch.key_index == position
            found.setdefault(key, []).append((batch.ended_at_us[own], batch.interval_s[own] * 1_000_000, ops[own]))
    return {
        key: _in_order(*(np.concatenate(parts) for parts in zip(*rows, strict=True))) for key, rows in found.items()
    }


def _in_order(end_us: np.ndarray, length_us: np.ndarray, ops: np.ndarray) -> StoredCounts:
    order = np.argsort(end_us, kind="stable")
    return StoredCounts(end_us=end_us[order], length_us=length_us[order], ops=ops[order])
