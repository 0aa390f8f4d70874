"""Intervals of vdbench become a run: rates are plain means, latencies are weighted by I/Os, and the first interval is warm-up."""

import statistics
from collections.abc import Iterator, Sequence
from datetime import timedelta

from gavel.collectors.imports.vdbench.flatfile import FlatRow, FlatRun
from gavel.collectors.load_figures import LoadWay, block_size_text, mean_us, more_outstanding, together
from gavel.collectors.load_file import LoadFileError
from gavel.collectors.load_window import RunWindow, unplaced, window_between
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadFigures, LoadRun, LoadWarning

_US_PER_MS = 1000.0
# vdbench rounds each interval and its own mean.
_MEAN_SLACK = 0.01
_RESPONSES: dict[DirectionName, str] = {"read": "read_resp", "write": "write_resp", "all": "resp"}
# I/Os that wait in vdbench between two intervals; its own files stay within 4 %.
_LITTLE_SLACK = 1.05
_EXPLAINED = "is the number of threads that of all hosts?"


def run_of_flat(run: FlatRun, file: str) -> LoadRun:
    """Raises LoadFileError for a run without an interval, or without a single I/O."""
    measured = _measured(run)
    if not measured:
        raise LoadFileError(
            file, f"run {run.name!r}: none of its intervals is in the file. Copy it again when vdbench has ended."
        )
    step_s = _step_s(run)
    figures = list(_figures(measured, run, step_s))
    if not figures:
        raise LoadFileError(file, f"run {run.name!r}: no I/O was counted. Run vdbench again.", line=measured[0].line)
    limit = _only(row.numbers["threads"] for row in measured)
    outstanding = int(limit) if limit is not None and 0 < limit < 2**31 else None
    window = _window(run, measured, step_s)
    return LoadRun(
        name=run.name,
        tool="vdbench",
        tool_version=run.version,
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=outstanding,
        block_size=block_size_text(_only(row.numbers["xfersize"] for row in measured)),
        is_direct=None,
        figures=figures,
        warnings=[
            *run.warnings,
            *_warnings(run, measured, figures[-1]),
            *more_outstanding(figures[-1], outstanding, _EXPLAINED, slack=_LITTLE_SLACK),
            *([window.warning] if window.warning else []),
        ],
    )


def _measured(run: FlatRun) -> Sequence[FlatRow]:
    """The intervals that vdbench's own mean is over; without it all but the first, or the only one."""
    if run.average is not None:
        first, last, average = run.average
        return [row for row in run.intervals if first <= int(row.label) <= last] or [average]
    return run.intervals[1:] or run.intervals


def _step_s(run: FlatRun) -> float | None:
    """Length of an interval; None where a run has too few to tell."""
    steps = [
        (after.ended - before.ended).total_seconds() / (int(after.label) - int(before.label))
        for before, after in zip(run.intervals, run.intervals[1:], strict=False)
    ]
    return statistics.median(steps) if steps and statistics.median(steps) > 0 else None


def _figures(measured: Sequence[FlatRow], run: FlatRun, step_s: float | None) -> Iterator[LoadFigures]:
    is_whole = run.average is None or measured[0] is not run.average[2]
    length_s = step_s if is_whole else None
    for direction in _RESPONSES:
        ways = [_way(row, direction, length_s) for row in measured]
        counted = [way for way in ways if way is not None]
        if len(counted) < len(ways) or not any(way.ops_per_s for way in counted):
            continue
        summed = together(direction, counted)
        yield LoadFigures(
            direction=direction,
            ops=summed.ops,
            ops_per_s=_mean_rate(summed.ops_per_s, len(counted)),
            bytes_per_s=_mean_rate(summed.bytes_per_s, len(counted)),
            mean_us=summed.mean_us,
            # Slowest I/Os are of reads and writes together.
            max_us=summed.max_us if direction == "all" else None,
            **dict.fromkeys(("p50_us", "p95_us", "p99_us", "p999_us")),
        )


def _mean_rate(sum_per_s: float | None, intervals: int) -> float | None:
    return None if sum_per_s is None else sum_per_s / intervals


def _way(row: FlatRow, direction: DirectionName, length_s: float | None) -> LoadWay | None:
    """Bytes of a direction: as many per I/O as of all together."""
    rate, every, size = row.rate(direction), row.rate("all"), row.bytes_per_s()
    if rate is None or every is None or size is None:
        return None
    response, slowest = row.numbers[_RESPONSES[direction]], row.numbers["resp_max"]
    if response is None and direction != "all" and rate == every:
        response = row.numbers["resp"]
    return LoadWay(
        ops=None if length_s is None else round(rate * length_s),
        timed=rate,
        ops_per_s=rate,
        bytes_per_s=size * rate / every if every else 0.0,
        mean_us=None if response is None else response * _US_PER_MS,
        max_us=None if slowest is None else slowest * _US_PER_MS,
    )


def _window(run: FlatRun, measured: Sequence[FlatRow], step_s: float | None) -> RunWindow:
    if run.base is None:
        return unplaced(run.not_placed)
    before = [row for row in run.intervals if row.ended < measured[0].ended]
    if not run.intervals or (step_s is None and not before):
        return unplaced("The run has a single interval, whose beginning is not in the file: its minutes are not known.")
    start = before[-1].ended if before else measured[0].ended - timedelta(seconds=step_s or 0.0)
    midnight = run.base.timestamp()
    return window_between(midnight + start.total_seconds(), midnight + measured[-1].ended.total_seconds())


def _warnings(run: FlatRun, measured: Sequence[FlatRow], whole: LoadFigures) -> Iterator[LoadWarning]:
    if run.average is None:
        yield LoadWarning(
            "stopped_early", "vdbench wrote no mean of this run: it was ended before. The first interval is left out."
        )
        return
    first, last, average = run.average
    if measured[0] is average:
        yield LoadWarning("means_only", "Only vdbench's own means of this run are in the file, none of its intervals.")
    elif len(measured) != last - first + 1:
        yield LoadWarning("lost_intervals", f"{len(measured)} of {last - first + 1} intervals are in the file.")
    own = mean_us([((average.numbers["resp"] or 0.0) * _US_PER_MS, average.numbers["rate"] or 0.0)])
    if own and whole.mean_us is not None and abs(whole.mean_us - own) > _MEAN_SLACK * own:
        yield LoadWarning("other_mean", "The mean of the intervals differs from vdbench's own by more than 1 %.")


def _only(values: Iterator[float | None]) -> float | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
