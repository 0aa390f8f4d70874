"""Text of diskspd: settings, one table per direction, and a table of percentiles, per timespan."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gavel.collectors.imports.diskspd.spans import SLOWEST_PERCENT, DiskspdSpan, DiskspdTarget
from gavel.collectors.load_file import BEYOND_MEASURE, LoadFileError
from gavel.domain.io_path import DirectionName

_TABLES: Final[Mapping[str, DirectionName]] = {"Total IO": "all", "Read IO": "read", "Write IO": "write"}
_PERCENT = re.compile(r"(min|max|\d{1,3}(?:\.\d+)?(?:st|nd|rd|th)|(\d)-nines)$")
_SIZE = re.compile(r"block size: ?(\d{1,12})(KiB|MiB|GiB|B)?$")
_DEPTH = re.compile(r"number of outstanding I/O operations(?: per thread)?: ?(\d{1,9})$")
_THREADS = re.compile(r"threads per file: ?(\d{1,9})$")
_TIMES: Final = {"duration": "asked_s", "warm up time": "warmup_s", "cool down time": "cooldown_s"}
_SECONDS = re.compile(r"(duration|warm up time|cool down time): ?(\d{1,9})s$")
_LENGTH = re.compile(r"actual test time:\s*(\d+(?:\.\d+)?)s$")
_RESULTS = re.compile(r"Results for timespan (\d{1,9})")
_SETTINGS = re.compile(r"timespan:\s+(\d{1,9})$")
_FACTORS: Final = {None: 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_US_PER_MS = 1000.0
_NOT_AVAILABLE = "N/A"


def text_spans(text: str, file: str) -> list[DiskspdSpan]:
    """Raises LoadFileError with the line."""
    reader = _TextSpans(file)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("total test time:"):
            # Of all timespans together, which were read one by one.
            break
        reader.take(line.strip(), number)
    spans = [span for span in reader.spans.values() if span.length_s > 0]
    if not spans or any("all" not in span.counts for span in spans):
        raise LoadFileError(file, "the file breaks off before its table Total IO. Copy the whole output.", line=number)
    for span in spans:
        for target, threads, depth in reader.targets.get(span.line, []):
            target.outstanding = threads * depth
    return spans


class _TextSpans:
    def __init__(self, file: str) -> None:
        self._file = file
        self.spans: dict[int, DiskspdSpan] = {}
        self.targets: dict[int, list[tuple[DiskspdTarget, int, int]]] = {}
        self._span = DiskspdSpan(line=1)
        self._name = self._ran_at = ""
        self._table: DirectionName | None = None
        self._columns: Sequence[str] = ()
        self._take: Callable[[str, int], None] = self._take_setting

    def take(self, line: str, number: int) -> None:
        if settings := _SETTINGS.match(line):
            self._begin(int(settings[1]), number)
        elif results := _RESULTS.match(line):
            self._begin(int(results[1]), number)
            self._span.name, self._span.ran_at = self._name, self._ran_at
            self._take = self._take_result
        else:
            self._take(line, number)

    def _begin(self, timespan: int, line: int) -> None:
        self._span = self.spans.setdefault(timespan, DiskspdSpan(line=line))
        self._take = self._take_setting
        self._table, self._columns = None, ()

    def _take_setting(self, line: str, _number: int) -> None:
        name, _, value = line.partition(":")
        if line.startswith("path:"):
            target = DiskspdTarget(is_direct=False)
            self._span.targets.append(target)
            self.targets.setdefault(self._span.line, []).append((target, 1, 1))
        elif match := _SECONDS.match(line):
            setattr(self._span, _TIMES[match[1]], float(match[2]))
        elif name == "computer name":
            self._name = value.strip()
        elif name == "start time":
            self._ran_at = value.strip()
        elif self._span.targets:
            self._take_target(line)

    def _take_target(self, line: str) -> None:
        own = self.targets[self._span.line]
        target, threads, depth = own[-1]
        if match := _SIZE.match(line):
            target.block_bytes = int(match[1]) * _FACTORS[match[2]]
        elif match := _DEPTH.match(line):
            own[-1] = (target, threads, int(match[1]))
        elif match := _THREADS.match(line):
            own[-1] = (target, int(match[1]), depth)
        elif line.startswith(("software cache disabled", "software and hardware cache disabled")):
            target.is_direct = True

    def _take_result(self, line: str, number: int) -> None:
        if match := _LENGTH.match(line):
            self._span.length_s = self._number(match[1], "actual test time", number)
        elif line in _TABLES:
            self._table, self._columns = _TABLES[line], ()
        elif line.startswith("%-ile") and "|" in line:
            self._table, self._columns = None, [cell.strip() for cell in line.split("|")]
        elif self._table is not None and line.startswith("thread") and "|" in line:
            self._columns = [cell.strip() for cell in line.split("|")][1:]
        elif self._table is not None and line.startswith("total:") and self._columns:
            self._take_total(line, number)
        elif self._table is None and self._columns and "|" in line:
            self._take_percentile(line, number)

    def _take_total(self, line: str, number: int) -> None:
        cells = [cell.strip() for cell in line.removeprefix("total:").split("|")]
        named = dict(zip(self._columns, cells, strict=False))
        if self._table is None or "bytes" not in named or "I/Os" not in named:
            raise LoadFileError(self._file, "a table without bytes and I/Os.", line=number)
        size, ops = (self._number(named[name], name, number) for name in ("bytes", "I/Os"))
        self._span.counts[self._table] = (int(ops), int(size))
        if named.get("AvgLat", _NOT_AVAILABLE) != _NOT_AVAILABLE and ops:
            self._span.means_us[self._table] = self._number(named["AvgLat"], "AvgLat", number) * _US_PER_MS
        # The table of percentiles has a line `total:`, too.
        self._table, self._columns = None, ()

    def _take_percentile(self, line: str, number: int) -> None:
        cells = [cell.strip() for cell in line.split("|")]
        percent = _percent(cells[0])
        if percent is None or len(cells) != len(self._columns):
            return
        for column, cell in zip(self._columns[1:], cells[1:], strict=True):
            direction = _DIRECTIONS.get(column.removesuffix("(ms)").strip())
            if direction is not None and cell != _NOT_AVAILABLE:
                found = self._span.percentiles_us.setdefault(direction, {})
                found[percent] = self._number(cell, column, number) * _US_PER_MS

    def _number(self, text: str, column: str, line: int) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not 0 <= number < BEYOND_MEASURE:
            raise LoadFileError(self._file, f"{column} is {text!r}, no usable number.", line=line)
        return number


_DIRECTIONS: Final[Mapping[str, DirectionName]] = {"Read": "read", "Write": "write", "Total": "all"}


def _percent(text: str) -> float | None:
    """50th, 3-nines (99.9), max."""
    match = _PERCENT.match(text)
    if match is None:
        return None
    if match[2] is not None:
        return round(100 - 10.0 ** (2 - int(match[2])), 9)
    if text in ("min", "max"):
        return 0.0 if text == "min" else SLOWEST_PERCENT
    return float(text[:-2])
