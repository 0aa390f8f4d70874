"""totals.html: the means of each run, in columns whose names stand in two lines one below the other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from gavel.collectors.load_figures import LoadWay, block_size_text, more_outstanding, together
from gavel.collectors.load_file import BEYOND_MEASURE, LoadFileError
from gavel.collectors.load_window import RunWindow, local_window, unplaced
from gavel.domain.imports import ImportOptions
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadFigures, LoadRun, LoadWarning

_HEAD = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}), (\d{4})\s+interval\s+(.+)")
_START = re.compile(r"Starting RD=([^;<\s]+)(.*)")
_ROW = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})\.(\d{3})\s+avg_(\d{1,9})-(\d{1,9})\s+(.+)")
_OPTION = re.compile(r"\b(elapsed|warmup|threads)=(\d{1,9})\b")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_RATE, _MIB_PER_S, _SIZE = "i/o rate", "MB/sec 1024**2", "bytes i/o"
_PERCENT, _RESPONSE = "read pct", "resp time"
_NEEDED = (_RATE, _MIB_PER_S, _SIZE, _PERCENT, _RESPONSE, "read resp", "write resp")
_SLOWEST: dict[DirectionName, str] = {"read": "read max", "write": "write max", "all": "resp max"}
_RESPONSES: dict[DirectionName, str] = {"read": "read resp", "write": "write resp", "all": _RESPONSE}
_HALF_DAY, _DAY = timedelta(hours=12), timedelta(days=1)
_FLATFILE = "Import flatfile.html instead."


@dataclass(frozen=True, slots=True, kw_only=True)
class _RunMeans:
    """One row of means. ended: by the machine's clock. seconds: that it is over, where the run's length is in the file."""

    name: str
    line: int
    ended: datetime
    seconds: float | None
    threads: int | None
    numbers: Mapping[str, float]


def total_runs(text: str, file: str, options: ImportOptions) -> list[LoadRun]:
    """Raises LoadFileError with the line."""
    runs = [_run(each, file, options) for each in _means(text, file)]
    if not runs:
        raise LoadFileError(file, f"no means of a run in it: vdbench was ended before. {_FLATFILE}")
    return runs


def _means(text: str, file: str) -> Iterator[_RunMeans]:
    columns: Sequence[str] = ()
    day, last = datetime(1970, 1, 1, tzinfo=UTC), timedelta()
    name, settings = "vdbench", dict[str, int]()
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if started := _START.search(line):
            name, settings = started[1], {key: int(value) for key, value in _OPTION.findall(started[2])}
        elif head := _HEAD.match(line.strip()):
            columns = _columns(head[4], lines[number] if number < len(lines) else "", file, number)
            day = _day(head, file, number)
        elif row := _ROW.match(line.strip()):
            at = timedelta(hours=int(row[1]), minutes=int(row[2]), seconds=int(row[3]), milliseconds=int(row[4]))
            if last - at > _HALF_DAY:
                day += _DAY
            last = at
            numbers = _numbers(row[7], columns, file, number)
            length = settings.get("elapsed")
            whole = None if length is None else length + settings.get("warmup", 0)
            share = (int(row[6]) - int(row[5]) + 1) / max(int(row[6]), 1)
            yield _RunMeans(
                name=name,
                line=number,
                ended=(day + at).replace(tzinfo=None),
                seconds=None if whole is None else whole * share,
                threads=settings.get("threads"),
                numbers=numbers,
            )


def _columns(upper: str, lower: str, file: str, line: int) -> Sequence[str]:
    """Names from both lines. A header of another version is refused: a column more, and all numbers would be of the wrong one."""
    above, below = upper.split(), lower.split()
    columns = [f"{first} {second}" for first, second in zip(above, below, strict=False)]
    if len(above) != len(below) or any(name not in columns for name in _NEEDED):
        raise LoadFileError(file, f"a header that Gavel does not know. {_FLATFILE}", line=line)
    return columns


def _day(head: re.Match[str], file: str, line: int) -> datetime:
    try:
        return datetime(int(head[3]), _MONTHS.index(head[1]) + 1, int(head[2]), tzinfo=UTC)
    except ValueError as error:
        raise LoadFileError(file, f"{head[1]} {head[2]}, {head[3]} is no date.", line=line) from error


def _numbers(text: str, columns: Sequence[str], file: str, line: int) -> Mapping[str, float]:
    cells = text.split()
    if len(cells) != len(columns):
        raise LoadFileError(
            file, f"{len(cells)} numbers, and the header has {len(columns)} columns. {_FLATFILE}", line=line
        )
    try:
        numbers = dict(zip(columns, map(float, cells), strict=True))
    except ValueError as error:
        raise LoadFileError(file, f"a cell is no number ({error}). {_FLATFILE}", line=line) from error
    if not all(0 <= number < BEYOND_MEASURE for number in numbers.values()) or numbers[_PERCENT] > 100:
        raise LoadFileError(file, "a number below 0 or beyond measure.", line=line)
    return numbers


def _run(mean: _RunMeans, file: str, options: ImportOptions) -> LoadRun:
    if mean.numbers[_RATE] == 0:
        raise LoadFileError(file, f"run {mean.name!r}: no I/O was counted. Run vdbench again.", line=mean.line)
    window = _window(mean, options)
    figures = list(_figures(mean))
    text = f"Means of whole runs, rounded. {_FLATFILE[:-1]} for latency over time."
    return LoadRun(
        name=mean.name,
        tool="vdbench",
        tool_version="",
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=mean.threads,
        block_size=block_size_text(mean.numbers[_SIZE]),
        is_direct=None,
        figures=figures,
        warnings=[
            LoadWarning("means_only", text),
            *more_outstanding(figures[-1], mean.threads, "is the number of threads that of all hosts?"),
            *([window.warning] if window.warning else []),
        ],
    )


def _figures(mean: _RunMeans) -> Iterator[LoadFigures]:
    rate, reads = mean.numbers[_RATE], mean.numbers[_PERCENT] / 100
    size = mean.numbers[_MIB_PER_S] * 2**20
    shares: dict[DirectionName, float] = {"read": reads, "write": 1 - reads, "all": 1.0}
    for direction, share in shares.items():
        if share <= 0:
            continue
        slowest = mean.numbers.get(_SLOWEST[direction])
        way = LoadWay(
            ops=None if mean.seconds is None else round(rate * share * mean.seconds),
            timed=rate * share,
            ops_per_s=rate * share,
            bytes_per_s=size * share,
            mean_us=mean.numbers[_RESPONSES[direction]] * 1000,
            max_us=None if slowest is None else slowest * 1000,
        )
        yield together(direction, [way])


def _window(mean: _RunMeans, options: ImportOptions) -> RunWindow:
    if mean.seconds is None:
        return unplaced(f"How long the run took is not in the file, so its minutes are not known. {_FLATFILE}")
    return local_window(mean.ended - timedelta(seconds=mean.seconds), mean.ended, options)
