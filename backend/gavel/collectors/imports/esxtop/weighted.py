"""Means over rows. Latencies are weighted by their I/Os, rates by the length of their rows; a plain mean of means appears nowhere."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gavel.collectors.imports.esxtop.capture import EsxtopCapture
from gavel.collectors.imports.esxtop.times import Float64Array

IntpArray: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class LatencyMean:
    """Mean over the I/Os, ± half of the counter's last digit; and the largest of one row, with the end of that row."""

    mean_us: float
    half_us: float
    max_us: float
    max_at_s: float
    ios: float

    @property
    def lower_us(self) -> float:
        return max(0.0, self.mean_us - self.half_us)

    @property
    def upper_us(self) -> float:
        return self.mean_us + self.half_us


@dataclass(frozen=True, slots=True)
class InstantSummary:
    """Of values as they were when the rows were written."""

    mean: float
    min: float
    max: float


def mean_rate(capture: EsxtopCapture, rate: Float64Array | None) -> float | None:
    if rate is None:
        return None
    return _weighted_mean(rate, capture.step_s)


def mean_latency(
    capture: EsxtopCapture, latency_us: Float64Array | None, rate: Float64Array | None
) -> LatencyMean | None:
    """None where it was not captured, or where there was no I/O."""
    if latency_us is None or rate is None:
        return None
    ios = rate * capture.step_s
    usable = ~np.isnan(latency_us) & (ios > 0)
    mean_us = _weighted_mean(latency_us, np.where(usable, ios, np.nan))
    if mean_us is None:
        return None
    slowest = int(np.nanargmax(np.where(usable, latency_us, np.nan)))
    return LatencyMean(
        mean_us=mean_us,
        half_us=capture.latency_half_us,
        max_us=float(latency_us[slowest]),
        max_at_s=float(capture.ended_at_s[slowest]),
        ios=float(ios[usable].sum()),
    )


def combine_directions(
    read_us: Float64Array | None,
    write_us: Float64Array | None,
    reads_per_s: Float64Array | None,
    writes_per_s: Float64Array | None,
) -> tuple[Float64Array | None, Float64Array | None]:
    """Latency of reads and writes together, row by row, and its rate. A direction without I/O counts for nothing."""
    if read_us is None or write_us is None or reads_per_s is None or writes_per_s is None:
        return None, None
    reads = np.where(np.isnan(read_us), 0.0, reads_per_s)
    writes = np.where(np.isnan(write_us), 0.0, writes_per_s)
    rate = reads + writes
    sums = reads * np.nan_to_num(read_us) + writes * np.nan_to_num(write_us)
    mean = np.where(rate > 0, sums / np.where(rate > 0, rate, 1.0), np.nan)
    return _inside(mean, read_us, write_us), rate


def _inside(mean: Float64Array, read_us: Float64Array, write_us: Float64Array) -> Float64Array:
    """A mean is never outside what it is the mean of, whatever floating-point arithmetic makes of it."""
    clipped: Float64Array = np.clip(mean, np.fmin(read_us, write_us), np.fmax(read_us, write_us))
    return clipped


def summarize_instants(values: Float64Array | None, rows: IntpArray | None = None) -> InstantSummary | None:
    """Of these rows, or of all; the first row of a segment, which has no rates, included."""
    if values is None:
        return None
    chosen = values if rows is None else values[rows]
    chosen = chosen[~np.isnan(chosen)]
    return InstantSummary(float(chosen.mean()), float(chosen.min()), float(chosen.max())) if len(chosen) else None


def _weighted_mean(values: Float64Array, weights: Float64Array) -> float | None:
    usable = ~np.isnan(values) & (weights > 0)
    total = float(weights[usable].sum())
    if total <= 0:
        return None
    chosen = values[usable]
    mean = float((chosen * weights[usable]).sum()) / total
    return min(max(mean, float(chosen.min())), float(chosen.max()))
