"""How far each clock ran ahead when it stamped a sample: the newest reading known by then, so that any later look finds the same."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.topology import Index
from gavel.db.queries.correlation import Clock
from gavel.pipeline.mapping import Estate

_UNIX = datetime(1970, 1, 1, tzinfo=UTC)
_US = 1_000_000
# A source is asked for all its clocks before the first reading is stored; a sample is stored soon after it ended.
_UNTIL_STORED_US = 30 * _US
# Bits for µs since the first reading; the clock's number is above them.
_TIME_BITS = 44


@dataclass(frozen=True, slots=True)
class Offsets:
    """Readings of all clocks, in order of clock and of the stamps that they count from.

    of_host, of_array: clock of each position; the last array is nobody (−1). A host whose own clock was not read has its vCenter's; a clock
    that nobody read has offset 0 and an unknown error (NaN).
    """

    of_host: Index
    of_array: Index
    starts: Index
    keys: Index
    first_us: int
    offset_us: Index
    error_s: Floats

    def at(self, clock: Index, stamps_us: Index) -> tuple[Index, Floats]:
        """(n,) offset in µs and its error in s of samples that `clock` (n,) stamped with `stamps_us` (n,)."""
        elapsed = np.clip(stamps_us - self.first_us, 0, (1 << _TIME_BITS) - 1)
        newest = np.searchsorted(self.keys, (clock << _TIME_BITS) | elapsed, side="right") - 1
        reading = np.maximum(newest, self.starts[clock])
        return self.offset_us[reading], self.error_s[reading]

    def shifts(self, clocks: Index) -> tuple[timedelta, timedelta]:
        """The least and the most that these clocks were ahead."""
        ends = np.append(self.starts[1:], len(self.keys))
        every = np.concatenate([self.offset_us[self.starts[clock] : ends[clock]] for clock in clocks.tolist()])
        return timedelta(microseconds=int(every.min())), timedelta(microseconds=int(every.max()))


def offsets(estate: Estate, readings: Sequence[Clock]) -> Offsets:
    """From readings to clocks by position. Clock 0 is nobody's."""
    by_clock: dict[tuple[int, str | None], list[Clock]] = defaultdict(list)
    for reading in readings:
        by_clock[reading.source_id, reading.subject].append(reading)
    number = {subject: n for n, subject in enumerate(by_clock, start=1)}
    first_us = min((_counts_from(reading) for reading in readings), default=0)
    rows = [(0, 0, 0, np.nan)]
    for subject, those in by_clock.items():
        rows += [
            (number[subject], _counts_from(one) - first_us, _offset_us(one), one.error_s) for one in _in_order(those)
        ]
    clock, elapsed = (np.array([row[n] for row in rows], dtype=np.int64) for n in (0, 1))
    return Offsets(
        of_host=np.array([number.get(key, number.get((key[0], None), 0)) for key in estate.host_keys], dtype=np.int64),
        of_array=np.array([*(number.get((source, None), 0) for source in estate.array_sources), 0], dtype=np.int64),
        starts=np.searchsorted(clock, np.arange(len(number) + 1)),
        keys=(clock << _TIME_BITS) | elapsed,
        first_us=first_us,
        offset_us=np.array([row[2] for row in rows], dtype=np.int64),
        error_s=np.array([row[3] for row in rows], dtype=np.float64),
    )


def _in_order(readings: Sequence[Clock]) -> list[Clock]:
    """By the stamps that they count from. A clock that was set back gives those out twice: what was read later holds."""
    found: list[Clock] = []
    for one in sorted(readings, key=lambda one: (_counts_from(one), one.read_at)):
        if not found or one.read_at > found[-1].read_at:
            found.append(one)
    return found


def _counts_from(reading: Clock) -> int:
    """µs since 1970 by the clock that was read, as stamps are: of samples that end from then on."""
    read_us = (reading.read_at - _UNIX) // timedelta(microseconds=1)
    return read_us + _offset_us(reading) + _UNTIL_STORED_US


def _offset_us(reading: Clock) -> int:
    return round(reading.offset_s * _US)
