"""Latency logs without fio's result: one run per name that was given to them, with the figures that its rows hold."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gavel.collectors.imports.fio.log_series import log_series
from gavel.collectors.imports.fio.logs import FioLog, LoggedIos
from gavel.collectors.load_figures import LoadWay, block_size_text, percentiles_of, together
from gavel.collectors.load_file import LoadFileError
from gavel.collectors.load_window import RunWindow, unplaced, window_between
from gavel.domain.imports import ImportOptions
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadFigures, LoadRun, LoadWarning

# fio 3: a log alone does not say whether it is of fio 2, which has microseconds.
_US_PER_NS = 1e-3
_DIRECTIONS: tuple[DirectionName, ...] = ("read", "write")
_LOG_ONLY = LoadWarning(
    "log_only",
    "From latency logs alone: settings are not in them. Import them together with fio's JSON.",
)
_AVERAGES_ONLY = LoadWarning(
    "averages_only",
    "The log has averages, and not of how many I/Os: no IOPS and no mean over all I/Os. Import it together with fio's JSON.",
)
_NO_START = (
    "The log has times since fio was started: its minutes are not known. Give that time (--started-at), or run fio with"
    " --log_unix_epoch=1."
)


def runs_of_logs(logs: Sequence[FioLog], options: ImportOptions) -> list[LoadRun]:
    """Raises LoadFileError where none of them has a row."""
    by_prefix: dict[str, list[FioLog]] = {}
    for log in logs:
        if not log.is_empty:
            by_prefix.setdefault(log.name.prefix, []).append(log)
    if not by_prefix:
        raise LoadFileError(
            logs[0].name.file, "no row in it. Import the log of latencies that fio wrote (NAME_lat.1.log)."
        )
    return [_run(prefix, own, options, len(by_prefix)) for prefix, own in by_prefix.items()]


def _run(prefix: str, logs: Sequence[FioLog], options: ImportOptions, runs: int) -> LoadRun:
    window, start_ms = _window(logs, options, runs)
    whole = next((own for phase in ("lat", "clat") if (own := [log for log in logs if log.name.phase == phase])), [])
    if not whole:
        reason = "submission alone is no latency of I/Os. Import the logs that end in _lat and _clat, too."
        raise LoadFileError(logs[0].name.file, reason)
    length_s = max((max(log.last_ms for log in whole) - min(log.first_ms for log in whole)) / 1000, 1.0)
    is_counted = any(log.seconds for log in whole)
    blocks = set[int]().union(*(log.blocks for log in whole))
    placed = start_ms is not None
    return LoadRun(
        name=prefix or "fio",
        tool="fio",
        tool_version="",
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=None,
        block_size=block_size_text(blocks.pop()) if len(blocks) == 1 else None,
        is_direct=None,
        figures=_counted(whole, length_s) if is_counted else _unknown(whole),
        warnings=[
            _LOG_ONLY,
            *([] if is_counted else [_AVERAGES_ONLY]),
            *([window.warning] if window.warning else []),
        ],
        series=log_series(logs, start_ms or 0.0, _US_PER_NS, are_maxima=False) if placed else (),
    )


def _window(logs: Sequence[FioLog], options: ImportOptions, runs: int) -> tuple[RunWindow, float | None]:
    """From the first row to the last, and where relative times begin; None where that is not known."""
    first_ms, last_ms = min(log.first_ms for log in logs), max(log.last_ms for log in logs)
    if all(log.is_absolute for log in logs):
        return window_between(first_ms / 1000, max(last_ms, first_ms + 1000) / 1000), 0.0
    if options.started_at is None:
        return unplaced(_NO_START), None
    if runs > 1:
        return unplaced("Logs of several runs have one start: import those of each run by themselves."), None
    start_s = options.started_at.timestamp()
    return window_between(start_s + first_ms / 1000, start_s + max(last_ms, first_ms + 1000) / 1000), start_s * 1000


def _counted(logs: Sequence[FioLog], length_s: float) -> list[LoadFigures]:
    ways = {direction: way for direction in _DIRECTIONS if (way := _way(logs, direction, length_s)) is not None}
    figures = [together(direction, [way], percentiles_of(_bins(logs, [direction]))) for direction, way in ways.items()]
    return [*figures, together("all", list(ways.values()), percentiles_of(_bins(logs, list(ways))))]


def _way(logs: Sequence[FioLog], direction: DirectionName, length_s: float) -> LoadWay | None:
    ios = list(_ios(logs, direction))
    ops = sum(each.ops for each in ios)
    if ops == 0:
        return None
    return LoadWay(
        ops=ops,
        timed=ops,
        ops_per_s=ops / length_s,
        bytes_per_s=sum(each.bytes for each in ios) / length_s,
        mean_us=sum(each.time for each in ios) / ops * _US_PER_NS,
        max_us=max(each.slowest for each in ios) * _US_PER_NS,
    )


def _ios(logs: Sequence[FioLog], direction: DirectionName) -> Iterator[LoggedIos]:
    for log in logs:
        for (name, _), ios in log.seconds.items():
            if name == direction:
                yield ios


def _bins(logs: Sequence[FioLog], directions: Sequence[DirectionName]) -> dict[float, int]:
    whole: Counter[int] = Counter()
    for log in logs:
        for direction in directions:
            whole.update(log.bins.get(direction, {}))
    return {value * _US_PER_NS: count for value, count in whole.items()}


def _unknown(logs: Sequence[FioLog]) -> list[LoadFigures]:
    """Averages of unequal numbers of I/Os: which directions there were, and nothing of them."""
    there = {row.direction for log in logs for row in log.averages}
    directions: list[DirectionName] = [each for each in _DIRECTIONS if each in there]
    return [
        LoadFigures(
            direction=direction,
            ops=None,
            ops_per_s=None,
            bytes_per_s=None,
            mean_us=None,
            max_us=None,
            p50_us=None,
            p95_us=None,
            p99_us=None,
            p999_us=None,
        )
        for direction in (*directions, "all")
    ]
