"""A result of sqlio as it is kept: one run per block of metrics. It has whole milliseconds, and one direction per run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from gavel.collectors.load_figures import LoadWay, block_size_text, percentiles_of, together
from gavel.collectors.load_file import LoadFileError, bounded, read_text
from gavel.collectors.load_window import given_window
from gavel.domain.imports import ImportOptions
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import ImportedRuns, LoadFigures, LoadRun, LoadWarning

_VERSION = re.compile(r"sqlio v?(\d\S*)")
_BEGIN = re.compile(r"(\d{1,6}) threads? (reading|writing) for (\d{1,9}) secs? (?:from|to) files? (.+)")
_SIZE = re.compile(r"using (\d{1,9})KB (\w+) IOs")
_DEPTH = re.compile(r"enabling multiple I/Os per thread with (\d{1,6}) outstanding")
_METRIC = re.compile(r"(IOs/sec|MBs/sec|Avg_Latency\(ms\)|Max_Latency\(ms\)):\s*(\S+)")
_BINS = re.compile(r"%:([\d\s]+)$")
# 0 to 23 ms, and all above.
_COUNTED_BINS, _CELL_WIDTH = 25, 3
_US_PER_MS = 1000.0


@dataclass(slots=True, kw_only=True)
class _SqlioRun:
    line: int
    threads: int
    direction: DirectionName
    asked_s: int
    target: str
    depth: int = 1
    block_bytes: int | None = None
    is_direct: bool | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    percents: list[int] = field(default_factory=list)


def read_import(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedRuns:
    """Raises LoadFileError."""
    text = read_text(stream, file)
    version = _VERSION.search(text)
    found = list(_runs(text, file))
    if not found:
        raise LoadFileError(file, "no result of sqlio in it. Run sqlio with -LS and import what it prints.")
    return bounded(
        [_run(each, version[1] if version else "", file, options, len(found)) for each in found],
        file,
    )


def _runs(text: str, file: str) -> Iterator[_SqlioRun]:
    run: _SqlioRun | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if begin := _BEGIN.search(line):
            if run is not None:
                yield run
            run = _SqlioRun(
                line=number,
                threads=int(begin[1]),
                direction="read" if begin[2] == "reading" else "write",
                asked_s=int(begin[3]),
                target=begin[4].strip(),
            )
        elif run is not None:
            _take(run, line.strip(), number, file)
    if run is not None:
        yield run


def _take(run: _SqlioRun, line: str, number: int, file: str) -> None:
    if match := _SIZE.search(line):
        run.block_bytes = int(match[1]) * 2**10
    elif match := _DEPTH.search(line):
        run.depth = int(match[1])
    elif line.startswith("buffering set to"):
        run.is_direct = "not file cache" in line or "not use file" in line
    elif match := _METRIC.match(line):
        run.metrics[match[1]] = _number(match[2], match[1], number, file)
    elif (match := _BINS.match(line)) and not run.percents:
        run.percents = _percents(match[1], number, file)


def _percents(text: str, line: int, file: str) -> list[int]:
    """Cells of three characters, which touch at 100; none where they are not as many as there are bins."""
    cells = text.split()
    if len(cells) != _COUNTED_BINS:
        starts = range(0, len(text), _CELL_WIDTH)
        cells = [cell for at in starts if (cell := text[at : at + _CELL_WIDTH].strip())]
    if len(cells) != _COUNTED_BINS:
        return []
    for cell in cells:
        if len(cell) > _CELL_WIDTH or not cell.isdecimal() or int(cell) > 100:
            reason = f"a cell of the histogram is {cell[: _CELL_WIDTH + 1]!r}, no percent."
            raise LoadFileError(file, reason, line=line)
    return [int(cell) for cell in cells]


def _number(text: str, name: str, line: int, file: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1e12:
        raise LoadFileError(file, f"{name} is {text!r}, no usable number.", line=line)
    return number


def _run(run: _SqlioRun, version: str, file: str, options: ImportOptions, runs: int) -> LoadRun:
    if not run.metrics.get("IOs/sec"):
        raise LoadFileError(
            file, "a run without IOs/sec, or with none: it did not end. Run sqlio again.", line=run.line
        )
    window = given_window(options, run.asked_s, runs=runs)
    limit = run.threads * run.depth
    return LoadRun(
        name=run.target,
        tool="sqlio",
        tool_version=version,
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=limit if 0 < limit < 2**31 else None,
        block_size=block_size_text(run.block_bytes),
        is_direct=run.is_direct,
        figures=[_figures(run, direction) for direction in (run.direction, "all")],
        warnings=[*_warnings(run), *([window.warning] if window.warning else [])],
    )


def _figures(run: _SqlioRun, direction: DirectionName) -> LoadFigures:
    rate = run.metrics["IOs/sec"]
    mean_ms, slowest_ms = run.metrics.get("Avg_Latency(ms)"), run.metrics.get("Max_Latency(ms)")
    way = LoadWay(
        ops=round(rate * run.asked_s),
        timed=rate,
        ops_per_s=rate,
        bytes_per_s=run.metrics.get("MBs/sec", 0.0) * 2**20 or rate * (run.block_bytes or 0),
        mean_us=None if mean_ms is None else mean_ms * _US_PER_MS,
        max_us=None if slowest_ms is None else slowest_ms * _US_PER_MS,
    )
    return together(direction, [way], _percentiles(run))


def _percentiles(run: _SqlioRun) -> dict[str, float | None]:
    """From whole percents: what lies in the last bin, or beyond what rounding leaves, is not known."""
    last_us = (_COUNTED_BINS - 1) * _US_PER_MS
    found = percentiles_of({at * _US_PER_MS: count for at, count in enumerate(run.percents)}) if run.percents else {}
    return {
        name: us if name in ("p50_us", "p95_us") and us is not None and us < last_us else None
        for name, us in found.items()
    }


def _warnings(run: _SqlioRun) -> Iterator[LoadWarning]:
    if "Avg_Latency(ms)" not in run.metrics:
        yield LoadWarning("no_latency", "Run without -LS: no latency was measured, only rates.")
    else:
        yield LoadWarning("whole_ms", "sqlio writes whole milliseconds: its latencies are true within 1 ms.")
    if run.is_direct is False:
        yield LoadWarning("buffered", "Run with the file cache: the guest answers, and not the disk. Add -BN or -BH.")
