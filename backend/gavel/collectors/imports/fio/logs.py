"""Latency logs as `--write_lat_log` writes them: each I/O, or with `--log_avg_msec` averages, of which none says of how many I/Os it is."""

import gzip
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Final

from gavel.collectors.load_file import LoadFileError
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import PhaseName

MOST_ROWS: Final = 4_000_000
_NAME = re.compile(r"(?P<prefix>.*)_(?P<phase>lat|clat|slat)(?:\.(?P<job>\d{1,6}))?\.log(?:\.gz)?")
_DIRECTIONS: Final[Mapping[int, DirectionName]] = {0: "read", 1: "write"}
# Trims and syncs: Gavel attributes reads and writes.
_LEFT_OUT = (2, 3)
_LONGEST_LINE = 4096
# Of fio: time, value, direction, block size, then what its options add.
_LEAST_CELLS, _MOST_CELLS = 4, 8
# Earlier stamps are since the job's start: 1973 is before any of fio.
_EPOCH_MS = 100_000_000_000
_BIN_BITS = 7


@dataclass(frozen=True, slots=True)
class LogName:
    """What a log's name says. prefix: as it was given to fio; job: its number, None where jobs share a log."""

    file: str
    prefix: str
    phase: PhaseName
    job: int | None


@dataclass(slots=True)
class LoggedIos:
    """I/Os of one direction within one second; latencies in the log's own unit."""

    ops: int = 0
    time: int = 0
    slowest: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class LoggedAverage:
    """One window of one job. ended_ms: its end."""

    ended_ms: int
    direction: DirectionName
    value: int
    slowest: int | None


@dataclass(slots=True)
class FioLog:
    """One log, in ns or as fio 2 µs; times in ms since 1970 (`is_absolute`) or since the start of its job. It has `seconds`, or `averages`.

    bins: I/Os by latency, within 1 %.
    """

    name: LogName
    is_absolute: bool = False
    first_ms: int = 0
    last_ms: int = 0
    seconds: dict[tuple[DirectionName, int], LoggedIos] = field(default_factory=dict)
    averages: list[LoggedAverage] = field(default_factory=list)
    bins: dict[DirectionName, Counter[int]] = field(default_factory=dict)
    blocks: set[int] = field(default_factory=set)

    @property
    def is_empty(self) -> bool:
        return not self.seconds and not self.averages


def log_name(file: str) -> LogName | None:
    """None for what is no log of latencies."""
    match = _NAME.fullmatch(file)
    if match is None:
        return None
    phase: PhaseName = "clat" if match["phase"] == "clat" else "slat" if match["phase"] == "slat" else "lat"
    return LogName(file, match["prefix"], phase, None if match["job"] is None else int(match["job"]))


def read_log(stream: IO[bytes], name: LogName) -> FioLog:
    """Raises LoadFileError with line and reason, and what gzip raises."""
    log, width = FioLog(name), 0
    lines = gzip.GzipFile(fileobj=stream) if name.file.endswith(".gz") else stream
    for count, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE), b""), 1):
        cells = line.split(b",")
        try:
            numbers = [int(cell) for cell in cells[:_LEAST_CELLS]]
        except ValueError as error:
            raise _refused(name, count, line) from error
        if count == 1:
            width, log.first_ms = len(cells), numbers[0]
            log.is_absolute = numbers[0] >= _EPOCH_MS
        if len(cells) != width or not _LEAST_CELLS <= width <= _MOST_CELLS or min(numbers) < 0:
            raise _refused(name, count, line)
        if count > MOST_ROWS:
            reason = f"more than {MOST_ROWS} rows. Run fio with --log_avg_msec=1000."
            raise LoadFileError(name.file, reason, line=count)
        _add(log, numbers, cells, count)
    return log


def _add(log: FioLog, numbers: list[int], cells: list[bytes], count: int) -> None:
    at_ms, value, third, fourth = numbers
    slowest: int | None = None
    if third >= value and third not in _DIRECTIONS and third not in _LEFT_OUT:
        # log_window_value=both has the slowest I/O of a window behind its mean.
        slowest, third, fourth = third, fourth, 0
    if third in _LEFT_OUT:
        return
    direction = _DIRECTIONS.get(third)
    if direction is None or (at_ms >= _EPOCH_MS) != log.is_absolute or (fourth > 0 and log.averages):
        raise _refused(log.name, count, b",".join(cells))
    log.first_ms, log.last_ms = min(log.first_ms, at_ms), max(log.last_ms, at_ms)
    if fourth == 0:
        if log.seconds:
            raise _refused(log.name, count, b",".join(cells))
        log.averages.append(LoggedAverage(at_ms, direction, value, slowest))
        return
    ios = log.seconds.get((direction, at_ms // 1000))
    if ios is None:
        ios = log.seconds[direction, at_ms // 1000] = LoggedIos()
    ios.ops += 1
    ios.time += value
    ios.bytes += fourth
    ios.slowest = max(ios.slowest, value)
    log.blocks.add(fourth)
    log.bins.setdefault(direction, Counter())[_bin(value)] += 1


def _bin(value: int) -> int:
    """The middle of the bin that a latency is in."""
    shift = max(0, value.bit_length() - _BIN_BITS)
    return (value >> shift << shift) + (1 << shift >> 1)


def _refused(name: LogName, line: int, row: bytes) -> LoadFileError:
    shown = row[:60].decode("utf-8", "replace").strip()
    reason = f"{shown!r} is no row of this log (time, latency, direction, block size). Import the file as fio wrote it."
    return LoadFileError(name.file, reason, line=line)
