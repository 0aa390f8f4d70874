"""What guests of the small environment push beside it."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from tests.analysis.small_environment import KB, times

from gavel.analysis.observed import GuestSamples, Observed


def with_guests(
    observed: Observed,
    pushed: Mapping[int, tuple[float, float, float]],
    *,
    half_width_us: float = 1.0,
    is_coarse: bool = False,
    by_arrival: bool = False,
) -> Observed:
    """pushed: I/Os per second (reads, writes) and µs of each part that pushes, every 10 s of the minute."""
    part = np.repeat(np.array(sorted(pushed), dtype=np.int64), 6)
    numbers = np.array([pushed[one] for one in part.tolist()], dtype=np.float64).reshape(-1, 3)
    rows, stamps = len(part), times(len(part), 10)
    if by_arrival:
        stamps = replace(stamps, error_s=np.full(rows, np.nan))
    ops = numbers[:, :2] * 10
    latency = np.where(ops > 0, numbers[:, 2:], np.nan)
    guests = GuestSamples(
        part=part,
        times=stamps,
        ops=ops,
        bytes=ops * KB,
        latency_us=latency,
        half_width_us=np.full((rows, 2), half_width_us),
        is_coarse=np.full(rows, is_coarse),
        by_arrival=np.full(rows, by_arrival),
    )
    return replace(observed, guests=guests)
