"""What is normal: the latency that is expected of a layer, by its history, its defaults and their caps (attribution.md §5)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats
from gavel.domain.io_path import Layer

LEAST_DAYS = 3
PERCENTILE = 25.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectations:
    """Settings of an array, or (n,) of the arrays behind n scopes: defaults without history, and caps that history cannot lift.

    san_bytes_per_us: payload of the slowest link on the way, in bytes per µs, which are MB/s.
    """

    san_us: float | Floats = 100.0
    array_us: float | Floats = 500.0
    san_cap_us: float | Floats = 300.0
    array_cap_us: float | Floats = 1000.0
    # 16 Gbit/s of Fibre Channel at 100 MB/s each.
    san_bytes_per_us: float | Floats = 1600.0


DEFAULTS = Expectations()


def typical(values: Floats, day: npt.NDArray[np.int64]) -> Floats:
    """(n,) 25th percentile of rows' values (n, m) at one hour of the day over the last 7 days; NaN below three days.

    values: NaN where there is no row of quality A or B; day: (m,) which day each column belongs to.
    """
    known = ~np.isnan(values)
    days = sum(
        (known[:, day == one].any(axis=1).astype(np.int64) for one in np.unique(day)), np.zeros(len(values), np.int64)
    )
    result = np.full(len(values), np.nan)
    enough = days >= LEAST_DAYS
    if enough.any():
        result[enough] = np.nanpercentile(values[enough], PERCENTILE, axis=1)
    return result


def baseline_us(
    san_history: Floats,
    array_history: Floats,
    inter_array_us: Floats,
    settings: Expectations = DEFAULTS,
    bytes_per_op: Floats | float = 0.0,
) -> tuple[Floats, Bools]:
    """(n, 4) expected µs by `Layer`, and (n, 4) where history lies above its cap: "chronic".

    *_history: (n,) from `typical`. inter_array_us: (n,) round trip between a pod's arrays for stretched writes, else 0; it lifts the
    array's default and its cap alike. bytes_per_op: (n,) of its I/Os: their transfer is added to the SAN's default and its cap, and is
    expected at least, whatever size of I/O the history is of.
    """
    result = np.zeros((len(san_history), len(Layer)))
    chronic = np.zeros(result.shape, dtype=np.bool_)
    transfer_us = bytes_per_op / settings.san_bytes_per_us + np.zeros_like(san_history)
    for layer, history, more, default, cap in (
        (Layer.SAN, san_history, transfer_us, settings.san_us, settings.san_cap_us),
        (Layer.ARRAY, array_history, inter_array_us, settings.array_us, settings.array_cap_us),
    ):
        known = np.fmin(history, cap + more)
        learned = np.fmax(known, more) if layer is Layer.SAN else known
        result[:, layer] = np.where(np.isnan(history), default + more, learned)
        chronic[:, layer] = history > cap + more
    return result, chronic
