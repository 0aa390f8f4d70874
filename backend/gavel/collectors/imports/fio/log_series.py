"""Latency logs of the jobs of one run put together over time: I/Os add up; averages do not, so they keep their range."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from math import ceil, floor
from statistics import median
from typing import Final

from gavel.collectors.imports.fio.logs import FioLog, LoggedAverage, LoggedIos
from gavel.collectors.load_file import LoadFileError
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadSeries, PhaseName

# A chart has room for no more; they divide, or are divided by, the minutes that they are shown beside.
_MOST_BUCKETS = 720
_STEPS_S: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 21_600, 86_400)
_PHASES: Final[tuple[PhaseName, ...]] = ("lat", "clat", "slat")
_DIRECTIONS: Final[tuple[DirectionName, ...]] = ("read", "write")
# A bucket may be finer than the averages by the jitter of their ends.
_JITTER = 0.9
_MOST_PERCENTILE = 0.9


@dataclass(frozen=True, slots=True)
class LogGrid:
    """Buckets that all series of a run share. first_s: of the first one, by the clock of the logs; window_ms: of averages."""

    starts_at: datetime
    first_s: int
    step_s: int
    count: int
    window_ms: float | None
    us_per_unit: float


def log_series(logs: Sequence[FioLog], start_ms: float, us_per_unit: float, *, are_maxima: bool) -> list[LoadSeries]:
    """By phase and direction. start_ms: when the jobs were started, since 1970; not needed by absolute logs. are_maxima: log_max_value.

    Raises LoadFileError for logs that do not go together.
    """
    if len({(log.is_absolute, bool(log.seconds)) for log in logs}) > 1:
        reason = "averages and single I/Os, or times since 1970 and since its start, within one run. Import its logs one by one."
        raise LoadFileError(logs[0].name.file, reason)
    grid = _grid(logs, 0.0 if logs[0].is_absolute else start_ms, us_per_unit)
    found = []
    for phase in _PHASES:
        own = [log for log in logs if log.name.phase == phase]
        if grid.window_ms is None:
            found += _counted(phase, own, grid)
        else:
            found += _averaged(phase, own, grid, grid.window_ms, are_maxima=are_maxima)
    return found


def _grid(logs: Sequence[FioLog], zero_ms: float, us_per_unit: float) -> LogGrid:
    if logs[0].seconds:
        window_ms = None
        seconds = [second for log in logs for _, second in log.seconds]
        first_s, end_s = min(seconds), max(seconds) + 1
    else:
        window_ms = max(_window_ms(log) for log in logs)
        first_s = floor(max(min(log.first_ms for log in logs) - window_ms, 0) / 1000)
        end_s = ceil(max(log.last_ms for log in logs) / 1000)
    if (end_s - first_s) / _STEPS_S[-1] > _MOST_BUCKETS:
        reason = "its first and last times are more than a year apart. Import the log as fio wrote it."
        raise LoadFileError(logs[0].name.file, reason)
    wanted = max((window_ms or 0) / 1000 * _JITTER, (end_s - first_s) / _MOST_BUCKETS)
    step = next((each for each in _STEPS_S if each >= wanted), _STEPS_S[-1])
    first = first_s // step * step
    count = max(1, -((first - end_s) // step))
    return LogGrid(datetime.fromtimestamp(zero_ms / 1000 + first, UTC), first, step, count, window_ms, us_per_unit)


def _counted(phase: PhaseName, logs: Sequence[FioLog], grid: LogGrid) -> list[LoadSeries]:
    """Of every I/O, reads and writes together as well."""
    whole: dict[DirectionName, list[LoggedIos]] = {}
    for log in logs:
        for (direction, second), ios in log.seconds.items():
            for name in (direction, "all"):
                buckets = whole.setdefault(name, [LoggedIos() for _ in range(grid.count)])
                _merge(buckets[(second - grid.first_s) // grid.step_s], ios)
    return [
        LoadSeries(
            direction=direction,
            phase=phase,
            starts_at=grid.starts_at,
            step_s=grid.step_s,
            grain_s=None,
            ops=[each.ops for each in buckets],
            mean_us=[each.time / each.ops * grid.us_per_unit if each.ops else None for each in buckets],
            lowest_us=None,
            highest_us=None,
            max_us=[each.slowest * grid.us_per_unit if each.ops else None for each in buckets],
        )
        for direction, buckets in sorted(whole.items(), key=lambda pair: ("read", "write", "all").index(pair[0]))
    ]


def _merge(bucket: LoggedIos, ios: LoggedIos) -> None:
    bucket.ops += ios.ops
    bucket.time += ios.time
    bucket.slowest = max(bucket.slowest, ios.slowest)


def _averaged(
    phase: PhaseName, logs: Sequence[FioLog], grid: LogGrid, window_ms: float, *, are_maxima: bool
) -> list[LoadSeries]:
    """By direction: averages of unequal numbers of I/Os have no mean, so reads and writes are not put together."""
    found = []
    for direction in _DIRECTIONS:
        rows = [row for log in logs for row in log.averages if row.direction == direction]
        if rows:
            found.append(
                _of_averages(direction, phase, _overlapped(rows, window_ms, grid), grid, are_maxima=are_maxima)
            )
    return found


def _overlapped(
    rows: Sequence[LoggedAverage], window_ms: float, grid: LogGrid
) -> list[list[tuple[float, LoggedAverage]]]:
    """By bucket: the averages that overlap it, each with the time of it that they cover."""
    buckets: list[list[tuple[float, LoggedAverage]]] = [[] for _ in range(grid.count)]
    step_ms, zero_ms = grid.step_s * 1000, grid.first_s * 1000
    for row in rows:
        start_ms, end_ms = row.ended_ms - window_ms - zero_ms, row.ended_ms - zero_ms
        for position in range(max(0, floor(start_ms / step_ms)), min(grid.count, ceil(end_ms / step_ms))):
            covered_ms = min(end_ms, (position + 1) * step_ms) - max(start_ms, position * step_ms)
            if covered_ms > 0:
                buckets[position].append((covered_ms, row))
    return buckets


def _of_averages(
    direction: DirectionName,
    phase: PhaseName,
    buckets: Sequence[Sequence[tuple[float, LoggedAverage]]],
    grid: LogGrid,
    *,
    are_maxima: bool,
) -> LoadSeries:
    unit = grid.us_per_unit
    values = [[row.value * unit for _, row in rows] for rows in buckets]
    highest = [max(each, default=None) for each in values]
    slowest = [
        max((row.slowest * unit for _, row in rows if row.slowest is not None), default=None) for rows in buckets
    ]
    nothing: list[float | None] = [None] * len(buckets)
    return LoadSeries(
        direction=direction,
        phase=phase,
        starts_at=grid.starts_at,
        step_s=grid.step_s,
        grain_s=None if grid.window_ms is None else grid.window_ms / 1000,
        ops=None,
        mean_us=nothing if are_maxima else [_over_time(rows, unit) for rows in buckets],
        lowest_us=None if are_maxima else [min(each, default=None) for each in values],
        highest_us=None if are_maxima else highest,
        max_us=highest if are_maxima else slowest,
    )


def _over_time(rows: Sequence[tuple[float, LoggedAverage]], us_per_unit: float) -> float | None:
    whole = sum(covered for covered, _ in rows)
    return sum(covered * row.value for covered, row in rows) / whole * us_per_unit if rows else None


def _window_ms(log: FioLog) -> float:
    """That each average is of: from one end to the next. Jobs that share a log write theirs within a moment, and some windows are idle."""
    gaps: list[int] = []
    for direction in _DIRECTIONS:
        ends = [row.ended_ms for row in log.averages if row.direction == direction]
        gaps += [later - earlier for earlier, later in pairwise(ends) if later > earlier]
    if not gaps:
        return 1000.0 if log.is_absolute else float(max(log.last_ms, 1))
    long = sorted(gaps)[int(len(gaps) * _MOST_PERCENTILE)] / 2
    return float(median(gap for gap in gaps if gap >= long))
