"""One timespan of diskspd, from XML or text, and the run that it becomes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from gavel.collectors.load_figures import LoadWay, block_size_text, more_outstanding, percentiles_at, together
from gavel.collectors.load_file import LoadFileError
from gavel.collectors.load_window import RunWindow, given_window, local_window, unplaced, window_between
from gavel.domain.imports import ImportOptions
from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadFigures, LoadRun, LoadWarning

DIRECTIONS: tuple[DirectionName, ...] = ("read", "write", "all")
SLOWEST_PERCENT = 100.0
_LENGTH_SLACK = 0.95
_LONGEST = timedelta(days=365)


@dataclass(slots=True, kw_only=True)
class DiskspdTarget:
    """block_bytes, outstanding (of all its threads): None where not in the file. is_direct: past the cache of the guest."""

    block_bytes: int | None = None
    outstanding: int | None = None
    is_direct: bool | None = None


@dataclass(slots=True, kw_only=True)
class DiskspdSpan:
    """counts: I/Os and bytes by direction. means_us: by direction; none without -L. percentiles_us: by direction and percent, 100 the
    slowest. asked_s, warmup_s, cooldown_s: as they were set; length_s: as it was measured."""

    line: int
    name: str = ""
    version: str = ""
    ran_at: str = ""
    asked_s: float | None = None
    warmup_s: float = 0.0
    cooldown_s: float = 0.0
    length_s: float = 0.0
    targets: list[DiskspdTarget] = field(default_factory=list)
    counts: dict[DirectionName, tuple[int, int]] = field(default_factory=dict)
    means_us: dict[DirectionName, float] = field(default_factory=dict)
    percentiles_us: dict[DirectionName, dict[float, float]] = field(default_factory=dict)


def runs_of_spans(spans: Sequence[DiskspdSpan], file: str, options: ImportOptions) -> list[LoadRun]:
    """Raises LoadFileError for one without a single I/O."""
    runs, before_s = [], 0.0
    for position, span in enumerate(spans, 1):
        window = _window(span, before_s, options, len(spans))
        name = span.name if len(spans) == 1 or not span.name else f"{span.name}, timespan {position}"
        runs.append(_run(span, name or f"timespan {position}", window, file))
        before_s += span.warmup_s + span.length_s + span.cooldown_s
    return runs


def _run(span: DiskspdSpan, name: str, window: RunWindow, file: str) -> LoadRun:
    if sum(span.counts.get("all", (0, 0))) == 0 or span.length_s <= 0:
        raise LoadFileError(file, f"{name}: no I/O was counted. Run diskspd again.", line=span.line)
    figures = [_figures(span, each) for each in DIRECTIONS if span.counts.get(each, (0, 0))[0] > 0]
    outstanding = [target.outstanding for target in span.targets]
    limit = sum(each for each in outstanding if each is not None) if outstanding and None not in outstanding else None
    blocks = {target.block_bytes for target in span.targets}
    direct = [target.is_direct for target in span.targets]
    is_direct = None if not direct or None in direct else all(direct)
    return LoadRun(
        name=name,
        tool="diskspd",
        tool_version=span.version,
        starts_at=window.starts_at,
        ends_at=window.ends_at,
        outstanding_limit=limit or None,
        block_size=block_size_text(blocks.pop()) if len(blocks) == 1 else None,
        is_direct=is_direct,
        figures=figures,
        warnings=[
            *_warnings(span, is_direct),
            *more_outstanding(figures[-1], limit, "are threads and depth those of all targets?"),
            *([window.warning] if window.warning else []),
        ],
    )


def _figures(span: DiskspdSpan, direction: DirectionName) -> LoadFigures:
    ops, size = span.counts[direction]
    percentiles = span.percentiles_us.get(direction, {})
    way = LoadWay(
        ops=ops,
        timed=ops,
        ops_per_s=ops / span.length_s,
        bytes_per_s=size / span.length_s,
        mean_us=span.means_us.get(direction),
        max_us=percentiles.get(SLOWEST_PERCENT),
    )
    return together(direction, [way], percentiles_at(percentiles))


def _warnings(span: DiskspdSpan, is_direct: bool | None) -> Iterator[LoadWarning]:
    if is_direct is False:
        text = "Run without -Sh or -Su: the guest's cache answers, and its latency is not the disk's. Add -Sh."
        yield LoadWarning("buffered", text)
    if not span.means_us:
        yield LoadWarning("no_latency", "Run without -L: no latency was measured, only rates. Add -L.")
    if span.asked_s is not None and span.length_s < span.asked_s * _LENGTH_SLACK:
        yield LoadWarning("stopped_early", f"diskspd was to run for {span.asked_s:.0f} s and ended before.")


def _window(span: DiskspdSpan, before_s: float, options: ImportOptions, runs: int) -> RunWindow:
    """diskspd writes when it was started; warm-up and earlier timespans follow one another."""
    skipped_s = before_s + span.warmup_s
    if skipped_s + span.length_s > _LONGEST.total_seconds():
        return unplaced("The run took more than a year: its minutes are not known.")
    text, is_utc = span.ran_at.removesuffix("UTC").strip(), span.ran_at.endswith("UTC")
    try:
        started = datetime.strptime(text, "%Y/%m/%d %H:%M:%S")  # noqa: DTZ007 (a local time, if it is not UTC)
    except ValueError:
        return given_window(options, span.length_s, skipped_s=skipped_s, runs=runs)
    start = started + timedelta(seconds=skipped_s)
    end = start + timedelta(seconds=span.length_s)
    if is_utc:
        return window_between(start.replace(tzinfo=UTC).timestamp(), end.replace(tzinfo=UTC).timestamp())
    return local_window(start, end, options)
