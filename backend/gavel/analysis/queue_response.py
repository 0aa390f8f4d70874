"""R(n): how long the driver takes per I/O with n I/Os in flight, from a queue's own history or bounded by two laws (attribution.md §7)."""

from dataclasses import dataclass

import numpy as np

from gavel.analysis.intervals import Floats

LEAST_HISTORY = 10
# Between these percentiles of its scatter around the fit a minute of the history lies.
_SCATTER = (5.0, 95.0)
# A fit through more minutes than this takes them evenly spaced: pairs grow with the square.
_MOST_HISTORY = 400


@dataclass(frozen=True, slots=True)
class Response:
    """Driver time in µs at n in flight: `base_us + slope_us · n`, and none below `least_us`. Both readings of the future are such lines."""

    base_us: float
    slope_us: float = 0.0
    least_us: float = 1.0

    def at(self, in_flight: float) -> float:
        return max(self.base_us + self.slope_us * in_flight, self.least_us)

    def shifted(self, by_us: float) -> "Response":
        """Every I/O takes `by_us` longer, or shorter."""
        return Response(self.base_us + by_us, self.slope_us, max(self.least_us + by_us, 1.0))

    def scaled(self, factor: float) -> "Response":
        """Every I/O takes so many times as long."""
        return Response(self.base_us * factor, self.slope_us * factor, max(self.least_us * factor, 1.0))


@dataclass(frozen=True, slots=True)
class FittedResponse:
    """Of a history that spans [least, most] I/Os in flight."""

    fast: Response
    slow: Response
    least: float
    most: float

    def spans(self, in_flight: float) -> bool:
        return self.least <= in_flight <= self.most


def latency_stays(driver_us: float) -> Response:
    """More in flight changes nothing: throughput grows with it."""
    return Response(driver_us)


def throughput_stays(driver_us: float, in_flight: float) -> Response:
    """More in flight only waits longer: in flight ÷ driver time is what it is (in_flight > 0)."""
    return Response(0.0, driver_us / in_flight)


def throughput_stays_shared(san_us: float, array_us: float, in_flight: float, at_array: float) -> Response:
    """The same on the way to the array, which is the host's own; in the array, what this queue adds waits with all I/Os of the volume.

    at_array: those of all hosts there (in_flight > 0). The line is not below any split of what is added between way and array.
    """
    own = in_flight * array_us / (san_us + array_us)
    every = max(at_array, own)
    if every <= 0:
        return throughput_stays(san_us + array_us, in_flight)
    return Response(array_us * (1 - own / every), san_us / in_flight + array_us * own / in_flight / every)


def fit_response(history: Floats) -> FittedResponse | None:
    """Theil–Sen through (m, 2) of I/Os in flight and driver time in µs; None where there is too little of it, or it is all at one count.

    A slope below 0 is none: R(n) does not fall. No reading is below what a twentieth of the minutes were.
    """
    usable = history[np.isfinite(history).all(axis=1)]
    if len(usable) > _MOST_HISTORY:
        usable = usable[np.linspace(0, len(usable) - 1, _MOST_HISTORY).astype(np.int64)]
    if len(usable) < LEAST_HISTORY:
        return None
    first, second = np.triu_indices(len(usable), k=1)
    run = usable[second, 0] - usable[first, 0]
    rise = (usable[second, 1] - usable[first, 1])[run != 0]
    if len(rise) == 0:
        return None
    # Throughput n ÷ R(n) does not fall with more in flight: noise must not make the line steeper than that.
    in_flight, took = usable[:, 0], usable[:, 1]
    steepest = float(np.median(took / np.maximum(in_flight, 1e-9)))
    slope = min(max(float(np.median(rise / run[run != 0])), 0.0), steepest)
    low, high = (max(0.0, float(np.percentile(took - slope * in_flight, part))) for part in _SCATTER)
    floor = float(np.percentile(took, _SCATTER[0]))
    least, most = float(usable[:, 0].min()), float(usable[:, 0].max())
    if floor <= 0:
        return None
    return FittedResponse(Response(low, slope, floor), Response(high, slope, floor), least, most)
