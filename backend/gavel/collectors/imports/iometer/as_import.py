"""A result of Iometer as it is kept: one run per block of results, from its row ALL."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import IO

from gavel.collectors.load_figures import LoadWay, block_size_text, more_outstanding, together
from gavel.collectors.load_file import BEYOND_MEASURE, LoadFileError, bounded, read_text, small_count
from gavel.collectors.load_window import RunWindow, local_window, unplaced
from gavel.domain.imports import ImportOptions
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import ImportedRuns, LoadFigures, LoadRun, LoadWarning
from gavel.domain.text import clean_text

_STAMP = re.compile(r"(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}):(\d{1,3})")
_TEXT_COLUMNS = 3
_SPECIFICATION = "Access Specification Name"
_COLUMNS: dict[DirectionName, tuple[str, str, str, str]] = {
    "read": ("Read IOps", "Average Read Response Time", "Maximum Read Response Time", "Bytes Read"),
    "write": ("Write IOps", "Average Write Response Time", "Maximum Write Response Time", "Bytes Written"),
    "all": ("IOps", "Average Response Time", "Maximum Response Time", ""),
}
_COUNTS: dict[DirectionName, str] = {"read": "Read I/Os", "write": "Write I/Os"}
_NEEDED = (_SPECIFICATION, *(name for columns in _COLUMNS.values() for name in columns if name), *_COUNTS.values())
_US_PER_MS = 1000.0


@dataclass(slots=True, kw_only=True)
class _ResultsBlock:
    """One block. whole: cells by column, of the row ALL. sizes: bytes of the lines of its access specification. ended: local time."""

    line: int
    whole: Mapping[str, str] | None = None
    sizes: list[float] = field(default_factory=list)
    ended: datetime | None = None


def read_import(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedRuns:
    """Raises LoadFileError."""
    reader = _ResultsReader(file)
    for number, line in enumerate(read_text(stream, file).splitlines(), 1):
        reader.take(line.strip(), number)
    if not reader.blocks:
        raise LoadFileError(file, "no results of Iometer in it. Import the CSV that Iometer records (results.csv).")
    return bounded([_run(each, reader.version, file, options) for each in reader.blocks], file)


class _ResultsReader:
    """Lines that begin with an apostrophe say what the lines after them are."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.blocks: list[_ResultsBlock] = []
        self.version = ""
        self._heading = ""
        self._columns: Sequence[str] = ()
        self._sizes: list[float] = []

    def take(self, line: str, number: int) -> None:
        if line.startswith("'"):
            self._take_heading(line, number)
        elif not line:
            return
        elif self._heading == "'Version":
            self.version = line.split(",", 1)[0]
        elif self._heading.startswith("'size,"):
            self._sizes.append(_size(line))
        elif self._heading == "'Time Stamp" and self.blocks and self.blocks[-1].ended is None:
            self.blocks[-1].ended = self._stamp(line, number)
        elif self._columns:
            self._take_row(line, number)

    def _take_heading(self, line: str, number: int) -> None:
        self._heading, self._columns = line, ()
        if line == "'Access specifications":
            self._sizes = []
        elif line.startswith("'Target Type,"):
            self._columns = [cell.strip() for cell in line.removeprefix("'").split(",")]
            missing = [name for name in _NEEDED if name not in self._columns]
            if missing:
                raise LoadFileError(self._file, f"the header has no column {', '.join(missing)}.", line=number)
            self.blocks.append(_ResultsBlock(line=number, sizes=self._sizes))

    def _take_row(self, line: str, number: int) -> None:
        """Names of targets and specifications may hold commas: numbers are counted from the right."""
        cells = line.split(",")
        if len(cells) == len(self._columns) + 1 and not cells[-1]:
            cells.pop()
        numbers = len(self._columns) - _TEXT_COLUMNS
        if len(cells) < len(self._columns):
            reason = f"{len(cells)} cells, and the header has {len(self._columns)} columns: the file is cut short."
            raise LoadFileError(self._file, reason, line=number)
        if cells[0] != "ALL":
            return
        names = [cells[0], cells[1], ",".join(cells[2:-numbers]).strip()]
        self.blocks[-1].whole = dict(zip(self._columns, [*names, *cells[-numbers:]], strict=True))
        self.blocks[-1].line = number

    def _stamp(self, text: str, line: int) -> datetime:
        match = _STAMP.match(text)
        try:
            if match is not None:
                year, month, day, hour, minute, second, ms = (int(part) for part in match.groups())
                return datetime(year, month, day, hour, minute, second, ms * 1000)  # noqa: DTZ001 (a local time)
        except ValueError:
            pass
        raise LoadFileError(self._file, f"{text!r} is no time stamp of Iometer.", line=line)


def _size(line: str) -> float:
    """Bytes of one line of an access specification that is all of it; otherwise none that all I/Os have."""
    cells = line.split(",")
    try:
        size = float(cells[0]) if len(cells) > 1 and float(cells[1]) == 100 else math.nan
        return size if size < BEYOND_MEASURE else math.nan
    except ValueError:
        return math.nan


def _run(results: _ResultsBlock, version: str, file: str, options: ImportOptions) -> LoadRun:
    if results.whole is None:
        raise LoadFileError(file, "results without the row ALL. Record results of all targets.", line=results.line)
    row = _WholeRow(file, results.line, results.whole)
    ops = {direction: row.number(name) for direction, name in _COUNTS.items()}
    rate = row.number("IOps")
    if sum(ops.values()) == 0 or rate == 0:
        raise LoadFileError(file, "no I/O was counted. Run Iometer again.", line=results.line)
    length_s = sum(ops.values()) / rate
    figures = list(_figures(row, ops, length_s))
    limit = row.outstanding()
    window = _window(results, length_s, options)
    (size,) = results.sizes if len(results.sizes) == 1 else (None,)
    return LoadRun(
        name=results.whole[_SPECIFICATION] or "Iometer",
        tool="iometer",
        tool_version=version,
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=limit,
        block_size=None if size is None or math.isnan(size) else block_size_text(size),
        is_direct=None,
        figures=figures,
        warnings=[
            *row.warnings(),
            *more_outstanding(figures[-1], limit, "do all workers use all disks?"),
            *([window.warning] if window.warning else []),
        ],
    )


def _figures(row: "_WholeRow", ops: Mapping[DirectionName, float], length_s: float) -> Iterator[LoadFigures]:
    ways: dict[DirectionName, LoadWay] = {}
    for direction, count in ops.items():
        if count == 0:
            continue
        rate, mean, slowest, size = _COLUMNS[direction]
        ways[direction] = LoadWay(
            ops=int(count),
            timed=count,
            ops_per_s=row.number(rate),
            bytes_per_s=row.number(size) / length_s,
            mean_us=row.number(mean) * _US_PER_MS,
            max_us=row.number(slowest) * _US_PER_MS,
        )
        yield together(direction, [ways[direction]])
    yield together("all", list(ways.values()))


@dataclass(frozen=True, slots=True)
class _WholeRow:
    file: str
    line: int
    cells: Mapping[str, str]

    def number(self, name: str) -> float:
        try:
            number = float(self.cells[name])
        except ValueError:
            number = math.nan
        if not 0 <= number < BEYOND_MEASURE:
            reason = f"column {name} is {self.cells[name]!r}, no usable number."
            raise LoadFileError(self.file, reason, line=self.line)
        return number

    def outstanding(self) -> int | None:
        """Of each target × targets; None where workers differ, which Iometer writes as a number below 0."""
        depth, targets = (small_count(self.cells.get(name, "")) for name in ("Queue Depth", "# Disks"))
        if depth is None or targets is None:
            return None
        limit = depth * targets
        return limit if 0 < limit < 2**31 else None

    def warnings(self) -> Iterator[LoadWarning]:
        errors = self.cells.get("Errors", "0")
        if errors.isdecimal() and errors.strip("0"):
            yield LoadWarning("failed", f"Iometer counted {clean_text(errors, 20)} I/Os with errors.")


def _window(results: _ResultsBlock, length_s: float, options: ImportOptions) -> RunWindow:
    """Iometer writes when the run ended; I/Os ÷ IOPS is how long it was measured, without the ramp."""
    if results.ended is None:
        return unplaced("The file breaks off before the time stamp of this run: its minutes are not known.")
    if length_s > timedelta(days=365).total_seconds():
        return unplaced("I/Os ÷ IOPS is more than a year: the minutes of this run are not known.")
    return local_window(results.ended - timedelta(seconds=length_s), results.ended, options)
