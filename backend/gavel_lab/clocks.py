"""Whose clock says what: the lab's own time, and sources whose clocks run ahead of it or behind.

A source's clock shows lab time + offset. Offsets may step at run time (a fault); stamps given before the step keep
their meaning. All instants are seconds since the epoch as float64, UTC.
"""

import os
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gavel_lab.environment import Environment
from gavel_lab.ids import Ids
from gavel_lab.reading import Floats

_OFFSETS_S = (-3.0, 5.0)
_VARIABLE = "GAVEL_TEST_CLOCK"
_VALUE = re.compile(r"[@+-]\d{1,10}(?:\.\d{1,6})?", re.ASCII)


@dataclass(frozen=True)
class MachineClock:
    """The clock of this machine as GAVEL_TEST_CLOCK sets it: shifted, or held still."""

    shift_s: float = 0.0
    held_s: float | None = None

    @classmethod
    def parse(cls, value: str | None) -> "MachineClock":
        """Read a signed number of seconds, or @ and seconds since the epoch. Raises ValueError, which names the variable."""
        if not value:
            return cls()
        if _VALUE.fullmatch(value) is None:
            raise ValueError(
                f"{_VARIABLE}: invalid value {value!r}. Use a signed number of seconds, such as +3600 or -86400.5,"
                " or @ and seconds since 1970, such as @1764547200."
            )
        amount_s = float(value.removeprefix("@"))
        return cls(held_s=amount_s) if value.startswith("@") else cls(shift_s=amount_s)

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time() + self.shift_s if self.held_s is None else self.held_s


_machine_clock = MachineClock.parse(os.environ.get(_VARIABLE))


def machine_time_s() -> float:
    """Seconds since the epoch by the machine's clock. No other module of the lab reads it."""
    return _machine_clock.now()


class LabTime:
    """The lab's time: the machine's, or replayed from `at` at `speed` (0 holds it still)."""

    def __init__(self, at: float | None = None, speed: float = 1.0) -> None:
        self._started = time.monotonic()
        self._at = machine_time_s() if at is None else at
        self._speed = speed if at is not None or _machine_clock.held_s is None else 0.0

    def pass_by(self, seconds: float) -> None:
        """Let so much time pass at once: what is to happen in it has happened, as the lab's past is a function of time."""
        self._at += seconds

    @property
    def is_held(self) -> bool:
        """Whether no time passes."""
        return self._speed == 0

    @property
    def speed(self) -> float:
        """Lab seconds per second."""
        return self._speed

    def now(self) -> float:
        """Lab seconds since the epoch."""
        return self._at + (time.monotonic() - self._started) * self._speed


class SourceClock:
    """The clock of one array, vCenter or ESXi host."""

    def __init__(self, lab_time: LabTime, offset_s: float) -> None:
        self._lab_time = lab_time
        # (from this lab instant on, offset), newest first; replaced as a whole, so readers need no lock.
        self._offsets: tuple[tuple[float, float], ...] = ((-np.inf, offset_s),)

    def now(self) -> float:
        """What this source's clock shows now."""
        return self._lab_time.now() + self.offset_s()

    def offset_s(self) -> float:
        """Source time minus lab time, now."""
        return self._offsets[0][1]

    def shift(self, by_s: float) -> None:
        """Step the clock by so many seconds from now on."""
        self._offsets = ((self._lab_time.now(), self.offset_s() + by_s), *self._offsets)

    def to_lab(self, source_s: Floats) -> Floats:
        """Lab instants of stamps of this clock. One that a backward step gave out twice means the later instant, and one that a forward
        step left out the instant of the step: nothing is known of what comes after it."""
        stamps = np.asarray(source_s, dtype=np.float64)
        result = stamps - self._offsets[-1][1]
        for start, offset in reversed(self._offsets[:-1]):
            result = np.where(stamps - offset >= start, stamps - offset, np.minimum(result, start))
        return result

    def stamps(self, after: float, until: float, length_s: int) -> NDArray[np.int64]:
        """Multiples of `length_s` on this clock with after < stamp <= until: the ends of the sampling windows."""
        first, last = int(np.floor(after / length_s)) + 1, int(np.floor(until / length_s))
        return np.arange(first, last + 1, dtype=np.int64) * length_s

    def windows(self, stamps: NDArray[np.int64], length_s: float) -> Floats:
        """(w, 2) spans in lab time that end at the given stamps of this clock: what `Model.read` takes."""
        ends = self.to_lab(stamps.astype(np.float64))
        return np.stack([ends - length_s, ends], axis=1)


class Clocks:
    """All clocks of an environment: `clocks.arrays[i]`, `clocks.vcenters[i]`, `clocks.hosts[i]`, by index of the record."""

    def __init__(
        self, environment: Environment, lab_time: LabTime, offsets_s: Mapping[str, float] | None = None
    ) -> None:
        """Offsets are functions of the seed within -3..+5 s; `offsets_s` fixes those of named sources and hosts."""
        fixed, ids = offsets_s or {}, Ids(environment.seed)

        def clocks(kind: str, names: Iterable[str]) -> tuple[SourceClock, ...]:
            low, high = _OFFSETS_S
            drawn = {name: round(low + (high - low) * ids.fraction("clock", kind, name), 3) for name in names}
            return tuple(SourceClock(lab_time, fixed.get(name, offset)) for name, offset in drawn.items())

        self.lab_time = lab_time
        self.arrays = clocks("array", (array.name for array in environment.arrays))
        self.vcenters = clocks("vcenter", (vcenter.name for vcenter in environment.vcenters))
        self.hosts = clocks("host", (host.name for host in environment.hosts))
