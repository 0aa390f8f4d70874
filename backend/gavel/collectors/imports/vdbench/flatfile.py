"""flatfile.html: rows of named columns, one per interval, and the means that vdbench itself made of them."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta

from gavel.collectors.load_file import LoadFileError, small_count
from gavel.collectors.load_window import NO_ZONE, local_start
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import LoadWarning

_REQUIRED = ("tod", "Run", "Interval", "rate", "MB/sec", "read%", "resp")
_FILE_WORKLOAD = ("Rate", "Read_rate", "ReqstdOps")
_TOD = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?")
_STAMP = re.compile(r"(\d{2})/(\d{2})/(\d{4})-\d{2}:\d{2}:\d{2}-(\S+)")
_SUMMARY = re.compile(r"(avg|std|max)_(\d{1,9})-(\d{1,9})")
_UTC = ("UTC", "GMT", "Z")
_HALF_DAY, _DAY = timedelta(hours=12), timedelta(days=1)
_NOT_AVAILABLE = "n/a"
_MIB = 2**20
NO_DATE = (
    "The file has times of day without a date: the minutes of this run are not known. Import it with the time that vdbench was"
    " started (--started-at) and its UTC offset."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatRow:
    """Of one interval, or of several. ended: time of day at its end, days counted from the first row of the file; numbers: in the file's
    units, None for n/a and for columns that the file does not have."""

    line: int
    label: str
    ended: timedelta
    numbers: Mapping[str, float | None]

    def rate(self, direction: str) -> float | None:
        """Per second, of read, write or all."""
        rate, percent = self.numbers.get("rate"), self.numbers.get("read%")
        if direction == "all" or rate is None:
            return rate
        share = None if percent is None else percent / 100
        return None if share is None else rate * (share if direction == "read" else 1 - share)

    def bytes_per_s(self) -> float | None:
        mib = self.numbers.get("MB/sec")
        return None if mib is None else mib * _MIB


@dataclass(slots=True, kw_only=True)
class FlatRun:
    """One run definition. average: the row of vdbench's own means, with the intervals that it is over.

    base: midnight of the day of the first row of the file, in UTC; None, with the reason, where that is not known.
    """

    name: str
    intervals: list[FlatRow] = field(default_factory=list)
    average: tuple[int, int, FlatRow] | None = None
    version: str = ""
    base: datetime | None = None
    not_placed: str = ""
    warnings: list[LoadWarning] = field(default_factory=list)


def flat_runs(text: str, file: str, options: ImportOptions) -> list[FlatRun]:
    """In their order; none where the text has no flatfile's header. Raises LoadFileError with the line."""
    table = _table(text, file)
    if not table.columns:
        return []
    if not table.runs:
        raise LoadFileError(file, "no interval in it: vdbench was ended before its first. Run it again.")
    base, why = _base(table.first_stamp, table.first_tod, options)
    for run in table.runs:
        run.base, run.not_placed = base, why
        if table.is_cut:
            run.warnings.append(LoadWarning("cut_short", "The file breaks off in its last row, which is left out."))
    return table.runs


def _table(text: str, file: str) -> "_FlatTable":
    table, lines = _FlatTable(file), text.splitlines()
    for number, line in enumerate(lines, 1):
        cells = line.split()
        if not cells or cells[0].startswith(("*", "<")):
            continue
        if cells[0] == "tod":
            table.take_header(cells, number)
        elif table.columns:
            table.take(cells, number, is_cut=number == len(lines) and not text.endswith("\n"))
    return table


class _FlatTable:
    def __init__(self, file: str) -> None:
        self._file = file
        self.columns: Sequence[str] = ()
        self.runs: list[FlatRun] = []
        self.is_cut = False
        self.first_stamp: str | None = None
        self.first_tod = timedelta()
        self._day = timedelta()
        self._last: timedelta | None = None

    def take_header(self, cells: Sequence[str], line: int) -> None:
        missing = [name for name in _REQUIRED if name not in cells]
        if missing and any(name in cells for name in _FILE_WORKLOAD):
            reason = (
                "a workload on files (FWD), whose operations are no I/Os of a disk. Run a workload on storage (SD)."
            )
            raise LoadFileError(self._file, reason, line=line)
        if missing:
            raise LoadFileError(self._file, f"the header has no column {', '.join(missing)}.", line=line)
        self.columns = cells

    def take(self, cells: Sequence[str], line: int, *, is_cut: bool) -> None:
        if len(cells) != len(self.columns):
            if is_cut:
                self.is_cut = True
                return
            reason = f"{len(cells)} cells, and the header has {len(self.columns)} columns. Import the file as vdbench wrote it."
            raise LoadFileError(self._file, reason, line=line)
        named = dict(zip(self.columns, cells, strict=True))
        row = self._row(named, line)
        summary = _SUMMARY.fullmatch(row.label)
        run = self._run(named["Run"], row, is_summary=summary is not None)
        version = named.get("version", _NOT_AVAILABLE)
        run.version = run.version or (version if version != _NOT_AVAILABLE else "")
        if summary is None:
            run.intervals.append(row)
        elif summary[1] == "avg":
            run.average = (int(summary[2]), int(summary[3]), row)

    def _run(self, name: str, row: FlatRow, *, is_summary: bool) -> FlatRun:
        """A run ends with its means, with another name, or where intervals begin anew."""
        last = self.runs[-1] if self.runs else None
        if last is not None and last.name == name:
            if is_summary:
                return last
            if last.average is None and (not last.intervals or int(row.label) > int(last.intervals[-1].label)):
                return last
        self.runs.append(FlatRun(name=name))
        return self.runs[-1]

    def _row(self, named: Mapping[str, str], line: int) -> FlatRow:
        label = named["Interval"]
        if small_count(label) is None and _SUMMARY.fullmatch(label) is None:
            raise LoadFileError(self._file, f"column Interval is {label!r}, no number of an interval.", line=line)
        ended = self._ended(named["tod"], line)
        if self.first_stamp is None:
            self.first_stamp = named.get("timestamp", "")
            self.first_tod = ended
        return FlatRow(line=line, label=label, ended=ended, numbers=dict(self._numbers(named, line)))

    def _ended(self, text: str, line: int) -> timedelta:
        match = _TOD.fullmatch(text)
        if match is None or int(match[1]) > 23 or int(match[2]) > 59 or int(match[3]) > 59:
            raise LoadFileError(self._file, f"column tod is {text!r}, no time of day.", line=line)
        fraction = float(f"0.{match[4] or 0}")
        at = timedelta(hours=int(match[1]), minutes=int(match[2]), seconds=int(match[3]) + fraction) + self._day
        if self._last is not None and self._last - at > _HALF_DAY:
            self._day += _DAY
            at += _DAY
        self._last = at
        return at

    def _numbers(self, named: Mapping[str, str], line: int) -> Iterator[tuple[str, float | None]]:
        for name in ("rate", "MB/sec", "read%", "resp", "read_resp", "write_resp", "resp_max", "xfersize", "threads"):
            text = named.get(name, _NOT_AVAILABLE)
            yield name, None if text == _NOT_AVAILABLE else self._number(name, text, line)

    def _number(self, name: str, text: str, line: int) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (name == "read%" and number > 100):
            raise LoadFileError(self._file, f"column {name} is {text!r}, no usable number.", line=line)
        return number


def _base(stamp: str | None, first: timedelta, options: ImportOptions) -> tuple[datetime | None, str]:
    """Midnight of the first row's day: from the column timestamp, or from when vdbench was started."""
    match = _STAMP.fullmatch(stamp or "")
    if match is not None:
        try:
            day = datetime(int(match[3]), int(match[1]), int(match[2]), tzinfo=UTC)
        except ValueError:
            return None, f"The column timestamp is {stamp!r}, no date."
        if match[4].upper() in _UTC:
            return day, ""
        if options.utc_bias_minutes is None:
            # Abbreviations of zones are used several times over.
            return None, NO_ZONE
        return day + timedelta(minutes=options.utc_bias_minutes), ""
    start = local_start(options)
    if start is None or options.utc_bias_minutes is None:
        return None, NO_DATE
    day = datetime.combine(start.date(), time(), UTC) + timedelta(minutes=options.utc_bias_minutes)
    # Started before midnight, first row after it.
    is_next = timedelta(hours=start.hour, minutes=start.minute) - first > _HALF_DAY
    return day + (_DAY if is_next else timedelta()), ""
