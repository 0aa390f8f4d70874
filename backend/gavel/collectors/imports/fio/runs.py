"""Jobs of fio become runs: those of one group ran together, so their rates add up and their latencies are weighted by I/Os."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gavel.collectors.imports.fio.jobs import FioJob, FioWay
from gavel.collectors.load_figures import added, more_outstanding, percentiles_at, percentiles_of, together
from gavel.collectors.load_file import LoadFileError, small_count
from gavel.collectors.load_window import RunWindow, unplaced, window_between
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadFigures, LoadRun, LoadWarning

# As options of fio are switched on.
ON = ("1", "true", "")
_TIME = re.compile(r"(\d{1,12})(us|usec|ms|msec|s|m|h|d)?")
_UNITS_S = {
    None: 1.0,
    "us": 1e-6,
    "usec": 1e-6,
    "ms": 1e-3,
    "msec": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86_400.0,
}
_ABORTED = 0.95
_N_SLACK = 0.05
_RATE_SLACK = 0.01
# Groups one after the other: fio writes since when it runs in whole seconds, and setting up a job takes a moment.
_BETWEEN_GROUPS_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FioDocument:
    """One document of a file. ended_at_ms: when fio wrote it."""

    file: str
    line: int
    version: str
    ended_at_ms: float | None
    jobs: Sequence[FioJob]


def groups_of(document: FioDocument) -> list[list[FioJob]]:
    """Jobs that ran together."""
    groups: dict[int, list[FioJob]] = {}
    for job in document.jobs:
        groups.setdefault(job.group, []).append(job)
    return list(groups.values())


def runs_of(document: FioDocument) -> list[LoadRun]:
    """One per group. Raises LoadFileError for a group without a single I/O."""
    groups = groups_of(document)
    windows = _windows(groups, document)
    return [_run(jobs, window, document) for jobs, window in zip(groups, windows, strict=True)]


def _run(jobs: Sequence[FioJob], window: RunWindow, document: FioDocument) -> LoadRun:
    ways = [way for job in jobs for way in job.ways]
    name = ", ".join(dict.fromkeys(job.name for job in jobs)) or "fio"
    if not ways:
        failed = next((job.error for job in jobs if job.error), None)
        why = "no I/O was counted" if failed is None else f"fio ended with error {failed} and counted no I/O"
        raise LoadFileError(document.file, f"job {name!r}: {why}. Run fio again.", line=document.line)
    figures = _figures(ways)
    limit = _outstanding_limit(jobs)
    warnings = [*_warnings(jobs, ways, figures[-1], limit), *([window.warning] if window.warning else [])]
    is_direct = _is_direct(jobs)
    return LoadRun(
        name=name,
        tool="fio",
        tool_version=document.version.removeprefix("fio-"),
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=limit,
        block_size=_only(job.options.get("bs") for job in jobs),
        is_direct=is_direct,
        figures=figures,
        warnings=warnings,
    )


def _figures(ways: Sequence[FioWay]) -> list[LoadFigures]:
    """Those with I/O, and all together at the end."""
    names: tuple[DirectionName, ...] = ("read", "write")
    found = [together(name, own, _percentiles(own)) for name in names if (own := _only_way(ways, name))]
    return [*found, together("all", ways, _percentiles(ways))]


def _only_way(ways: Sequence[FioWay], name: str) -> list[FioWay]:
    return [way for way in ways if way.way == name]


def _percentiles(ways: Sequence[FioWay]) -> dict[str, float | None]:
    """Of several only from their bins: percentiles do not average."""
    if len(ways) == 1 and ways[0].percentiles_us:
        return percentiles_at(ways[0].percentiles_us)
    if not all(way.bins for way in ways) or len({way.is_whole for way in ways}) > 1:
        return {}
    return percentiles_of(added([way.bins for way in ways]))


def _windows(groups: Sequence[Sequence[FioJob]], document: FioDocument) -> list[RunWindow]:
    """Of each group: from when its jobs started where fio says so; otherwise one after the other, up to when the document was written."""
    lengths = [max((way.runtime_s for job in jobs for way in job.ways), default=0.0) for jobs in groups]
    ended = document.ended_at_ms
    starts = [[job.starts_at_ms for job in jobs] for jobs in groups]
    if all(at is not None for each in starts for at in each):
        return [
            _window_of_start(jobs, min(at for at in each if at is not None), length)
            for jobs, each, length in zip(groups, starts, lengths, strict=True)
        ]
    if ended is None:
        return [unplaced("The file has no time stamp: its minutes are not known.")] * len(groups)
    if len(groups) > 1 and not _is_one_after_another(groups, lengths):
        text = (
            "Groups of jobs without the time that each started, and their runtimes do not add up to fio's own: the minutes of this run "
            "are not known. Use fio 3.36 or newer, or one file per group."
        )
        return [unplaced(text)] * len(groups)
    windows: list[RunWindow] = []
    for length in reversed(lengths):
        windows.append(_window(ended - length * 1000, length))
        ended -= length * 1000
    return windows[::-1]


def _window_of_start(jobs: Sequence[FioJob], started_ms: float, length_s: float) -> RunWindow:
    """After the ramp, which fio leaves out of its figures."""
    ramp_s = ramp_of(jobs)
    if ramp_s is None:
        return unplaced(
            "How long the ramp of its jobs took is not known, so its minutes are not. Use one ramp_time for all."
        )
    return _window(started_ms + ramp_s * 1000, length_s)


def ramp_of(jobs: Sequence[FioJob]) -> float | None:
    """In seconds; None where it is not one for all."""
    ramps_s = {seconds_of(job.options.get("ramp_time", "0")) for job in jobs}
    (ramp_s,) = ramps_s if len(ramps_s) == 1 else (None,)
    return None if any("ramp_size" in job.options for job in jobs) else ramp_s


def seconds_of(text: str) -> float | None:
    """A time as fio takes it, seconds without a unit: `90`, `1m`, `500ms`; None for what is none."""
    match = _TIME.fullmatch(text.strip().lower())
    return None if match is None else int(match[1]) * _UNITS_S[match[2]]


def _is_one_after_another(groups: Sequence[Sequence[FioJob]], lengths: Sequence[float]) -> bool:
    elapsed = max((job.elapsed_s or 0.0 for jobs in groups for job in jobs), default=0.0)
    return abs(elapsed - sum(lengths)) <= _BETWEEN_GROUPS_S * len(groups)


def _window(start_ms: float, length_s: float) -> RunWindow:
    return window_between(start_ms / 1000, start_ms / 1000 + length_s)


def _outstanding_limit(jobs: Sequence[FioJob]) -> int | None:
    """Threads × depth. One entry stands for all threads of its job where they are reported as a group."""
    entries = Counter(job.name for job in jobs)
    limit = 0
    for job in jobs:
        depth, threads = (small_count(job.options.get(name, "1")) for name in ("iodepth", "numjobs"))
        if depth is None or threads is None:
            return None
        limit += depth * (threads if entries[job.name] == 1 else 1)
    return limit if 0 < limit < 2**31 else None


def _is_direct(jobs: Sequence[FioJob]) -> bool:
    return all(
        job.options.get("direct", "0") in ON or job.options.get("buffered", "1") in ("0", "false") for job in jobs
    )


def _warnings(
    jobs: Sequence[FioJob], ways: Sequence[FioWay], whole: LoadFigures, limit: int | None
) -> Iterator[LoadWarning]:
    if not _is_direct(jobs):
        yield LoadWarning(
            "buffered",
            "Run without direct=1: the guest's cache answers, and its latency is not the disk's. Add --direct=1.",
        )
    if failed := [job for job in jobs if job.error]:
        text = f"fio ended {failed[0].name!r} with error {failed[0].error}: it did not run to its end."
        yield LoadWarning("failed", text)
    if (asked_s := _asked_s(jobs)) is not None and max(way.runtime_s for way in ways) < asked_s * _ABORTED:
        yield LoadWarning("stopped_early", f"fio was to run for {asked_s:.0f} s and ended before.")
    if sum(job.trims for job in jobs):
        yield LoadWarning("trims", "Trims are left out: Gavel attributes reads and writes.")
    yield from _contradictions(ways, whole, limit)


def _contradictions(ways: Sequence[FioWay], whole: LoadFigures, limit: int | None) -> Iterator[LoadWarning]:
    """Where figures of a file do not go together, and how its percentiles are to be read."""
    yield from more_outstanding(whole, limit, "with group_reporting fio keeps the options of the first job only.")
    if any(abs(way.timed - way.ops) > _N_SLACK * way.ops for way in ways):
        yield LoadWarning(
            "other_count", "The latency rests on another number of I/Os than were done, by more than 5 %."
        )
    if any(way.runtime_s and abs(way.ops / way.runtime_s - way.ops_per_s) > _rate_slack(way) for way in ways):
        yield LoadWarning("other_rate", "IOPS differ from I/Os ÷ runtime by more than 1 %: was the file changed?")
    if any(not way.is_whole and (way.percentiles_us or way.bins) for way in ways):
        yield LoadWarning(
            "completion_percentiles",
            "Percentiles are of the completion latency, without submission. Add --lat_percentiles=1 for the whole.",
        )


def _rate_slack(way: FioWay) -> float:
    return max(_RATE_SLACK * way.ops_per_s, 1.0)


def _asked_s(jobs: Sequence[FioJob]) -> float | None:
    """Of jobs that go by time; others end when their file is through."""
    asked_s = [seconds_of(job.options.get("runtime", "")) for job in jobs if job.options.get("time_based") in ON]
    return max((one for one in asked_s if one is not None), default=None)


def _only(values: Iterator[str | None]) -> str | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
