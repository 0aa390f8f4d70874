"""Which minutes of a window are elevated, and which before them were normal: the two sides that a cause is compared on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.db.queries.ledger import LedgerSeries
from gavel.diagnosis.diagnose import MINUTE, DiagnosedRows, DiagnosisState
from gavel.domain.io_path import Severity

# Normal minutes in between that do not end a run of elevated ones.
_LONGEST_GAP = 2 * MINUTE
# So many of each side are looked at, the newest.
MOST_ELEVATED, MOST_NORMAL = 60, 15
# Minutes that show what was new at the onset.
FIRST_AFTER = 5


@dataclass(frozen=True, slots=True)
class Episode:
    """The longest run of elevated minutes of a window (gaps up to 2 min), the newest of equals.

    elevated: starts of its minutes inside the window, in order. normal: of the newest normal minutes before it, in order; not those that
    border on an elevated one, for load that begins within a minute is in it already; none where there are none within 24 h. first: its
    first minutes, also those before the window; none where its onset is not known. onset_at: None where it may have begun before
    everything that was read; begun_at: its first minute of all that was read.
    """

    elevated: tuple[datetime, ...]
    normal: tuple[datetime, ...]
    first: tuple[datetime, ...]
    onset_at: datetime | None
    begun_at: datetime

    @property
    def from_at(self) -> datetime:
        return self.elevated[0]

    @property
    def to_at(self) -> datetime:
        return self.elevated[-1] + MINUTE

    @property
    def stamps(self) -> frozenset[datetime]:
        return frozenset((*self.elevated, *self.normal, *self.first))


@dataclass(frozen=True, slots=True)
class _Step:
    at: datetime
    is_elevated: bool


def episode_of(
    minutes: LedgerSeries,
    diagnosed: DiagnosedRows,
    rows: Sequence[int],
    window: tuple[datetime, datetime],
) -> Episode | None:
    """Of one object. rows: its minutes in `minutes` and `diagnosed`, in order of time. None where no minute of the window was elevated."""
    steps = _steps(minutes, diagnosed, rows)
    runs = [run for run in _runs(steps) if any(window[0] <= one < window[1] for one in run)]
    if not runs:
        return None
    run = max(runs, key=lambda minutes: (sum(window[0] <= one < window[1] for one in minutes), minutes[-1]))
    inside = [one for one in run if window[0] <= one < window[1]][-MOST_ELEVATED:]
    normal = _normal_before(steps, run[0])
    is_onset_known = any(one.at < run[0] for one in steps)
    return Episode(
        elevated=tuple(inside),
        normal=tuple(normal[-MOST_NORMAL:]),
        first=tuple(run[:FIRST_AFTER]) if is_onset_known else (),
        onset_at=run[0] if is_onset_known else None,
        begun_at=run[0],
    )


def with_normal_before(
    episode: Episode, earlier: LedgerSeries, diagnosed: DiagnosedRows, rows: Sequence[int]
) -> Episode:
    """An episode without normal minutes, with those of the newest normal steps before it, of some width."""
    width = round(earlier.step / MINUTE)
    starts = [one.at for one in _steps(earlier, diagnosed, rows) if not one.is_elevated and one.at < episode.begun_at]
    normal = [start + n * MINUTE for start in starts for n in range(width)]
    return replace(episode, normal=tuple(normal[-MOST_NORMAL:]))


def _steps(series: LedgerSeries, diagnosed: DiagnosedRows, rows: Sequence[int]) -> list[_Step]:
    """Minutes that have a diagnosis."""
    return [
        _Step(_at(series, row), diagnosed.severities[row] is not Severity.NORMAL)
        for row in rows
        if diagnosed.states[row] is DiagnosisState.JUDGED
    ]


def _normal_before(steps: Sequence[_Step], before: datetime) -> list[datetime]:
    """Without those that border on an elevated one."""
    elevated = {step.at for step in steps if step.is_elevated}
    edges = {at + MINUTE for at in elevated} | {at - MINUTE for at in elevated}
    return [step.at for step in steps if not step.is_elevated and step.at < before and step.at not in edges]


def _runs(steps: Sequence[_Step]) -> list[list[datetime]]:
    runs: list[list[datetime]] = []
    for step in steps:
        if not step.is_elevated:
            continue
        if runs and step.at - (runs[-1][-1] + MINUTE) <= _LONGEST_GAP:
            runs[-1].append(step.at)
        else:
            runs.append([step.at])
    return runs


def _at(series: LedgerSeries, row: int) -> datetime:
    return datetime.fromtimestamp(int(series.starts_us[row]) / 1e6, UTC)


def stamps_us(stamps: Sequence[datetime]) -> np.ndarray:
    """(n,) µs since 1970."""
    return np.array([(one - _EPOCH) // timedelta(microseconds=1) for one in stamps], dtype=np.int64)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
