"""When rows were written: from the stamps of a segment to UTC, with the clock change inside it, and how long each row's interval was."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gavel.collectors.imports.esxtop.errors import EsxtopRowError

Float64Array: TypeAlias = npt.NDArray[np.float64]

_STAMP = re.compile(rb"\s*(\d{1,2})/(\d{1,2})/(\d{4}) +(\d{1,2}):(\d{2}):(\d{2})(\.\d{1,9})?\s*")
_NO_SECONDS = re.compile(rb"\s*\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4} +\d{1,2}:\d{2}( [AP]M)?\s*", re.IGNORECASE)
_PDH = re.compile(r"\(PDH-[CT]SV 4\.0\) \((?P<zone>.*)\)\((?P<bias>-?\d{1,4})\)")
PDH_PREFIXES = (b"(PDH-CSV", b"(PDH-TSV")
_UTC_NAMES = frozenset({"UTC", "Coordinated Universal Time", "Etc/UTC"})
_LONGEST_BIAS_MIN = 16 * 60
_HOUR_S = 3600.0
# A clock change moves the stamps by an hour, and the row may be a little late.
_CHANGE_FROM_S, _CHANGE_TO_S = 55 * 60.0, 65 * 60.0
# Stamps have whole seconds: one interval alone is ± 1 s.
_ROWS_OF_MEAN_STEP = 10


@dataclass(frozen=True, slots=True)
class TimeZone:
    """What the first cell says: utc = local + bias."""

    name: str
    bias_minutes: int

    @property
    def is_utc(self) -> bool:
        return self.bias_minutes == 0 and self.name in _UTC_NAMES


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A row from which on the local clock stood an hour differently."""

    row: int
    shift_s: float


def parse_zone(cell: str) -> TimeZone | None:
    """The zone of a header's first cell, or None where the cell was cut before it."""
    match = _PDH.fullmatch(cell.strip())
    if match is None or abs(int(match["bias"])) > _LONGEST_BIAS_MIN:
        return None
    return TimeZone(match["zone"], int(match["bias"]))


def parse_stamp(cell: bytes, *, day_first: bool = False) -> float:
    """Local time in seconds, counted as if it were UTC. Raises EsxtopRowError."""
    match = _STAMP.fullmatch(cell)
    if match is None:
        hint = ": without seconds, as spreadsheets save it" if _NO_SECONDS.fullmatch(cell) else ""
        raise EsxtopRowError(f"the first cell is no time MM/DD/YYYY HH:MM:SS but {_shown(cell)}{hint}")
    first, second, year, hour, minute, whole = (int(part) for part in match.groups()[:6])
    month, day = (second, first) if day_first else (first, second)
    try:
        at = datetime(year, month, day, hour, minute, whole, tzinfo=UTC)
    except ValueError as error:
        raise EsxtopRowError(f"the first cell is no time but {_shown(cell)} ({error})") from error
    return at.timestamp() + float(match[7] or 0)


def is_day_first(cell: bytes) -> bool:
    """Whether a stamp can only be DD/MM/YYYY, as some Windows tools write it."""
    match = _STAMP.fullmatch(cell)
    return match is not None and int(match[1]) > 12 >= int(match[2])


def _shown(cell: bytes) -> str:
    return repr(cell[:40].decode("utf-8", "replace"))


def to_utc(local_s: Float64Array, zone: TimeZone) -> tuple[Float64Array, list[ClockChange]]:
    """Instants of the rows. A step of about an hour in a local zone is the clock change; the bias is that of the first row."""
    utc_s = local_s + 60.0 * zone.bias_minutes
    if zone.is_utc or len(local_s) < 3:
        return utc_s, []
    steps = np.diff(local_s)
    excess = steps - np.median(steps)
    changes = []
    for row in np.flatnonzero((np.abs(excess) >= _CHANGE_FROM_S) & (np.abs(excess) <= _CHANGE_TO_S)):
        shift_s = -_HOUR_S if excess[row] > 0 else _HOUR_S
        utc_s[row + 1 :] += shift_s
        changes.append(ClockChange(int(row) + 1, shift_s))
    return utc_s, changes


def mean_steps(utc_s: Float64Array) -> Float64Array:
    """Length of each row's interval: the mean over ten rows around it, without gaps. NaN for a segment of one row."""
    steps = np.diff(utc_s)
    if len(steps) == 0:
        return np.full(len(utc_s), np.nan)
    usual = float(np.median(steps))
    if usual <= 0:
        return np.full(len(utc_s), np.nan)
    plausible = np.abs(steps - usual) <= max(1.0, 0.5 * usual)
    around = np.ones(min(_ROWS_OF_MEAN_STEP, len(steps)))
    counts = np.convolve(plausible.astype(float), around, "full")
    sums = np.convolve(np.where(plausible, steps, 0.0), around, "full")
    begin = (len(around) - 1) // 2
    counts, sums = counts[begin : begin + len(steps)], sums[begin : begin + len(steps)]
    means = np.where(counts > 0, sums / np.maximum(counts, 1), usual)
    return np.concatenate((means[:1], means))


def is_uneven(utc_s: Float64Array) -> bool:
    """Whether the interval varies by more than 20 %, beyond the whole seconds of the stamps."""
    steps = np.diff(utc_s)
    return len(steps) > 1 and float(np.ptp(steps)) > 1.0 + 0.2 * float(np.median(steps))
