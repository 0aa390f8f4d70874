"""Short ways to write down measured paths."""

import numpy as np

from gavel.analysis.attribution import OneWay
from gavel.analysis.baseline import baseline_us
from gavel.analysis.chain import chain_of
from gavel.analysis.intervals import Floats, Intervals, exactly_around
from gavel.domain.io_path import Boundary


def column(*numbers: float) -> Floats:
    return np.array(numbers, dtype=np.float64)


def plus_minus(value: float, half: float) -> Intervals:
    return exactly_around(column(value), half)


def one_way(boundaries: dict[Boundary, Intervals], iops: float, kavg: Intervals | None = None) -> OneWay:
    return OneWay(chain_of(1, boundaries, kavg), column(iops * 60))


def idle() -> OneWay:
    return OneWay(chain_of(1, {}), column(0))


def by_default(rows: int) -> Floats:
    unknown = np.full(rows, np.nan)
    return baseline_us(unknown, unknown, np.zeros(rows))[0]
