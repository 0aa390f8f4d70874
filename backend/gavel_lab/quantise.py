"""What a counter shows of a true value. Every value leaves the model as a float; here it becomes what the wire carries.

Inputs are float64 arrays of any shape, NaN meaning "no operations, no latency". The real sources show 0 for such a
latency, so NaN becomes 0 here.
"""

import numpy as np
from numpy.typing import NDArray

from gavel_lab.environment import Rounding
from gavel_lab.reading import Floats

Ints = NDArray[np.int64]

MISSING = -1  # what vCenter sends for a sample it does not have

# Sums in another order differ in their last bits. A value that means 1.5 is rounded up, however it was added up.
_HAIR = 1e-6


def milliseconds(true_us: Floats, rounding: Rounding) -> Ints:
    """Whole milliseconds of a time in microseconds, rounded half up or truncated; NaN becomes 0."""
    return _whole(true_us, 1000, half_up=rounding == "round")


def microseconds(true_us: Floats) -> Ints:
    """Whole microseconds, rounded half up; NaN becomes 0."""
    return _whole(true_us)


def count(true: Floats) -> Ints:
    """A rate, depth or summation as the integer nearest to it; NaN becomes 0."""
    return _whole(true)


def kilobytes_per_s(true_bytes_per_s: Floats) -> Ints:
    """Rate in KB/s (1,024 bytes)."""
    return _whole(true_bytes_per_s, 1024)


def usec_per_op(service_us: Floats, queue_us: Floats, *, queue_in_usec: bool) -> Ints:
    """The array's usec_per_*_op: the service time, plus the queue time on the Purity releases that include it.

    Computed from the true values and rounded once, so it may differ by 1 from the sum of the rounded fields.
    """
    return microseconds(service_us + queue_us if queue_in_usec else service_us)


def whole(true: Floats) -> Ints:
    """Truncated to an integer, as the array's aggregated rows are; NaN becomes 0."""
    return _whole(true, half_up=False)


def _whole(values: Floats, unit: int = 1, *, half_up: bool = True) -> Ints:
    """Whole units. Floor division is exact where dividing first could round up to the next unit."""
    finite = np.nan_to_num(np.asarray(values, dtype=np.float64))
    return np.floor_divide(finite + (unit / 2 + _HAIR if half_up else _HAIR), unit).astype(np.int64)
