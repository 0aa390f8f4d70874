"""What a knob would do: closed and open loop, and what paths of a stretched volume cost (attribution.md §7).

Answers are ranges between two readings of the future; nothing here claims a point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Floats

LEAST_HISTORY = 10
_QUARTILES = (25.0, 75.0)


@dataclass(frozen=True, slots=True)
class PredictedRange:
    """Both readings, µs or per second as the name of the field says."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Limits:
    """outstanding: I/Os the guest keeps in flight; virtual_disk: its queue limit; device: effective depth."""

    outstanding: float
    virtual_disk: float
    device: float

    @property
    def in_flight(self) -> float:
        return min(self.outstanding, self.virtual_disk, self.device)

    @property
    def binding(self) -> str:
        """The limit that holds the number in flight, the innermost of equals."""
        names = {
            "device queue depth": self.device,
            "virtual disk queue": self.virtual_disk,
            "outstanding I/Os": self.outstanding,
        }
        return min(names, key=lambda name: names[name])


@dataclass(frozen=True, slots=True)
class Reading:
    """One modelled state: times in µs per I/O, I/Os per second."""

    iops: float
    guest_wait_us: float
    kernel_wait_us: float
    driver_us: float
    total_us: float


@dataclass(frozen=True, slots=True)
class Outlook:
    """A closed loop under new limits. slowest and fastest: both readings; binding: the limit that holds it; fitted: from own history."""

    slowest: Reading
    fastest: Reading
    binding: str
    fitted: bool


def closed_loop(limits: Limits, driver_us: float) -> Reading:
    """N outstanding I/Os through a virtual-disk queue P and a device depth D at a given driver response (all > 0)."""
    in_flight, admitted = limits.in_flight, min(limits.outstanding, limits.virtual_disk)
    per_us = in_flight / driver_us
    guest, kernel = (limits.outstanding - admitted) / per_us, (admitted - in_flight) / per_us
    return Reading(per_us * 1e6, guest, kernel, driver_us, limits.outstanding / per_us)


def response(
    now_in_flight: float, now_driver_us: float, in_flight: float, history: Floats | None = None
) -> tuple[PredictedRange, bool]:
    """Driver time at `in_flight`, and whether it was fitted.

    history: (m, 2) of in-flight count and driver latency of the same scope; used where it spans `in_flight`. Without it the answer lies
    between "latency stays" and "throughput stays".
    """
    fitted = None if history is None else _theil_sen(history, in_flight)
    if fitted is not None:
        return fitted, True
    same_throughput = now_driver_us * in_flight / now_in_flight
    return PredictedRange(min(now_driver_us, same_throughput), max(now_driver_us, same_throughput)), False


def _theil_sen(history: Floats, at: float) -> PredictedRange | None:
    known = history[np.isfinite(history).all(axis=1)]
    if len(known) < LEAST_HISTORY or not known[:, 0].min() <= at <= known[:, 0].max():
        return None
    first, second = np.triu_indices(len(known), k=1)
    run = known[second, 0] - known[first, 0]
    rise = (known[second, 1] - known[first, 1])[run != 0]
    if len(rise) == 0:
        return None
    slope = float(np.median(rise / run[run != 0]))
    residual = known[:, 1] - slope * known[:, 0]
    low, high = (slope * at + float(np.percentile(residual, quartile)) for quartile in _QUARTILES)
    return PredictedRange(low, high) if low > 0 else None


def closed_loop_outlook(now: Limits, now_driver_us: float, then: Limits, history: Floats | None = None) -> Outlook:
    """What new limits would do to a workload that keeps its I/Os outstanding."""
    driver, fitted = response(now.in_flight, now_driver_us, then.in_flight, history)
    return Outlook(closed_loop(then, driver.high), closed_loop(then, driver.low), then.binding, fitted)


def open_loop(
    iops: float, guest_wait_us: float, kernel_wait_us: float, driver_us: float, then: Limits
) -> Mapping[str, PredictedRange]:
    """IOPS stay, waits shrink: what is left of each wait under new limits, `guest_wait_us` and `kernel_wait_us`.

    A limit above what is then in flight on average can take a wait away altogether; one below leaves it as it is.
    """
    in_driver = iops * driver_us / 1e6
    in_kernel = iops * (driver_us + kernel_wait_us) / 1e6
    guest = 0.0 if in_kernel < then.virtual_disk else guest_wait_us
    kernel = 0.0 if in_driver < then.device else kernel_wait_us
    return {
        "guest_wait_us": PredictedRange(guest, guest_wait_us),
        "kernel_wait_us": PredictedRange(kernel, kernel_wait_us),
    }


def optimized_write_us(host_one_way_us: float, between_arrays_one_way_us: float) -> float:
    """A SCSI write to the near array of a stretched volume: four trips to the host, two between the arrays."""
    return 4 * host_one_way_us + 2 * between_arrays_one_way_us


def non_optimized_write_us(far_one_way_us: float, between_arrays_one_way_us: float) -> float:
    """The same write sent to the far array, which asks the near one."""
    return 4 * far_one_way_us + 2 * between_arrays_one_way_us


def over_paths(times_us: Sequence[float], shares: Sequence[float]) -> float:
    """Mean time over paths, weighted by their share of ops (any positive scale)."""
    return float(np.average(np.asarray(times_us, dtype=np.float64), weights=np.asarray(shares, dtype=np.float64)))
