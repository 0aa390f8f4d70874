"""Whose clock says what: the lab's own time, and sources whose clocks run ahead of it or behind.

A source's clock shows lab time + offset. Offsets may step at run time (a fault); stamps given before the step keep
their meaning. All instants are seconds since the epoch as float64, UTC.
"""

import numpy as np
from numpy.typing import NDArray

from gavel_lab.reading import Floats


class LabTime:
    """The lab's time: the machine's, or replayed from `at` at `speed` (0 holds it still)."""

    def __init__(self, at: float | None = None, speed: float = 1.0) -> None:
        raise NotImplementedError

    def now(self) -> float:
        """Lab seconds since the epoch."""
        raise NotImplementedError


class SourceClock:
    """The clock of one array, vCenter or ESXi host."""

    def __init__(self, lab_time: LabTime, offset_s: float) -> None:
        raise NotImplementedError

    def now(self) -> float:
        """What this source's clock shows now."""
        raise NotImplementedError

    def offset_s(self) -> float:
        """Source time minus lab time, now."""
        raise NotImplementedError

    def shift(self, by_s: float) -> None:
        """Step the clock by so many seconds from now on."""
        raise NotImplementedError

    def to_lab(self, source_s: Floats) -> Floats:
        """Lab instants of stamps of this clock."""
        raise NotImplementedError

    def stamps(self, after: float, until: float, length_s: int) -> NDArray[np.int64]:
        """Multiples of `length_s` on this clock with after < stamp <= until: the ends of the sampling windows."""
        raise NotImplementedError

    def windows(self, stamps: NDArray[np.int64], length_s: float) -> Floats:
        """(w, 2) spans in lab time that end at the given stamps of this clock: what `Model.read` takes."""
        raise NotImplementedError


class Clocks:
    """All clocks of an estate: `clocks.arrays[i]`, `clocks.vcenters[i]`, `clocks.hosts[i]`, by index of the record."""

    lab_time: LabTime
    arrays: tuple[SourceClock, ...]
    vcenters: tuple[SourceClock, ...]
    hosts: tuple[SourceClock, ...]
