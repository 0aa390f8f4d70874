"""Runs of load tools beside Gavel's layers of the same minutes, and what changed from one run to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from gavel.db.engine import Connection
from gavel.db.queries.load_runs import StoredRun, load_stored_run, runs_tied_to
from gavel.diagnosis.breakdown import DirectionNumbers, waterfall_of
from gavel.diagnosis.diagnose import DiagnosisState, LayerNumbers
from gavel.diagnosis.window import summed
from gavel.domain.io_path import DirectionName, LayerName
from gavel.domain.load_runs import LoadFigures, RunTie
from gavel.views.run_sentence import run_sentence

_MINUTE = timedelta(minutes=1)
FigureName = Literal["ops_per_s", "bytes_per_s", "mean_us", "p50_us", "p95_us", "p99_us", "p999_us", "max_us"]
_FIGURES: tuple[FigureName, ...] = (
    "ops_per_s",
    "bytes_per_s",
    "mean_us",
    "p50_us",
    "p95_us",
    "p99_us",
    "p999_us",
    "max_us",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMinutes:
    """Gavel's minutes that a run is compared with: whole ones within it or, where it holds none, those that it touches (`is_partial`).

    `minutes`: how many of them are in the ledger. `resolution`: of the ledger there; from 5 minutes on it holds time beside the run.
    """

    from_at: datetime
    to_at: datetime
    minutes: int
    resolution: str
    is_partial: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainder:
    """The tool's mean latency − the total latency at Gavel's outermost boundary, with its range. Below 0: the minutes hold slower I/Os that
    are not the tool's."""

    us: float
    lower_us: float
    upper_us: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDirection:
    """What the tool measured of one direction (`figures`), and beside it the minutes of what the run is tied to: the VM or one virtual disk
    of it, or a datastore or volume with the I/Os of all VMs and hosts on it. `ops_ratio`: their IOPS ÷ the tool's;
    above 1 other I/Os were done, too. `not_measured`: layers without a counter; their time is in `remainder`."""

    direction: DirectionName
    figures: LoadFigures
    state: DiagnosisState
    iops: float | None
    ops_ratio: float | None
    total_us: float | None
    layers: tuple[LayerNumbers, ...]
    not_measured: tuple[LayerName, ...]
    remainder: Remainder | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """`window`: null where the file does not say when the run was. `sentence`: what the tool saw, and in which layers the time was."""

    run: StoredRun
    sentence: str
    window: RunMinutes | None
    directions: tuple[ComparedDirection, ...]


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    items: tuple[ComparedRun, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange:
    """A figure of the tool in each run. `change_ratio`: of the value before; null where it was 0 or either is not measured."""

    name: FigureName
    before: float | None
    after: float | None
    change: float | None
    change_ratio: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerChange:
    """A layer (or what was not separable), or the remainder (`name` "remainder", no layers), in each run. `change_us` with its range; null
    where it was measured in one of them only."""

    name: str
    label: str
    layers: tuple[LayerName, ...]
    before_us: float | None
    after_us: float | None
    change_us: float | None
    change_lower_us: float | None
    change_upper_us: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionChanges:
    direction: DirectionName
    figures: tuple[FigureChange, ...]
    layers: tuple[LayerChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChanges:
    """Of directions that both runs have."""

    before: ComparedRun
    after: ComparedRun
    directions: tuple[DirectionChanges, ...]


def compared_runs(connection: Connection, tie: RunTie, limit: int, offset: int) -> ComparedRuns:
    """Newest first."""
    runs, total = runs_tied_to(connection, tie, limit, offset)
    return ComparedRuns(tuple(_compared(connection, run) for run in runs), total)


def run_changes(connection: Connection, before_id: int, after_id: int) -> RunChanges:
    """Raises NotFoundError."""
    before, after = (_compared(connection, load_stored_run(connection, one)) for one in (before_id, after_id))
    own = {each.direction: each for each in before.directions}
    return RunChanges(
        before=before,
        after=after,
        directions=tuple(
            _direction_changes(own[each.direction], each) for each in after.directions if each.direction in own
        ),
    )


def minutes_of_run(starts_at: datetime, ends_at: datetime) -> tuple[datetime, datetime, bool]:
    """The whole minutes within a run, or those that it touches where there is none; and whether they hold time beside it."""
    first, last = starts_at.replace(second=0, microsecond=0), ends_at.replace(second=0, microsecond=0)
    within = first if first == starts_at else first + _MINUTE
    if within < last:
        return within, last, False
    touched = last if last == ends_at else last + _MINUTE
    return first, touched, True


def _compared(connection: Connection, run: StoredRun) -> ComparedRun:
    if run.starts_at is None or run.ends_at is None:
        return _with_sentence(run, None, tuple(_alone(each) for each in run.figures))
    from_at, to_at, is_partial = minutes_of_run(run.starts_at, run.ends_at)
    found = waterfall_of(summed(connection, run.subject.kind, run.subject.id, from_at, to_at, disk_id=run.disk_id))
    window = RunMinutes(
        from_at=found.from_at,
        to_at=found.to_at,
        minutes=found.minutes,
        resolution=found.resolution,
        is_partial=is_partial or found.from_at < from_at or found.to_at > to_at,
    )
    numbers = {each.direction: each for each in found.directions}
    directions = tuple(compare_direction(each, numbers[each.direction]) for each in run.figures)
    return _with_sentence(run, window, directions)


def _with_sentence(run: StoredRun, window: RunMinutes | None, directions: tuple[ComparedDirection, ...]) -> ComparedRun:
    whole = directions[-1]
    remainder_us = None if whole.remainder is None else whole.remainder.us
    text = run_sentence(
        run.tool,
        whole.figures,
        whole.layers,
        whole.not_measured,
        remainder_us,
        subject=run.subject,
        iops=whole.iops,
    )
    return ComparedRun(run=run, sentence=text, window=window, directions=directions)


def _alone(figures: LoadFigures) -> ComparedDirection:
    return ComparedDirection(
        direction=figures.direction,
        figures=figures,
        state=DiagnosisState.NO_DATA,
        iops=None,
        ops_ratio=None,
        total_us=None,
        layers=(),
        not_measured=("guest", "kernel", "san", "array"),
        remainder=None,
    )


def compare_direction(figures: LoadFigures, numbers: DirectionNumbers) -> ComparedDirection:
    """One direction of both sides."""
    ratio = numbers.iops / figures.ops_per_s if numbers.iops is not None and figures.ops_per_s else None
    return ComparedDirection(
        direction=figures.direction,
        figures=figures,
        state=numbers.state,
        iops=numbers.iops,
        ops_ratio=ratio,
        total_us=numbers.total_us,
        layers=numbers.layers,
        not_measured=numbers.not_measured,
        remainder=_remainder(figures.mean_us, numbers),
    )


def _remainder(mean_us: float | None, numbers: DirectionNumbers) -> Remainder | None:
    if mean_us is None or numbers.total_us is None or not numbers.layers:
        return None
    return Remainder(
        us=mean_us - numbers.total_us,
        lower_us=mean_us - sum(layer.upper_us for layer in numbers.layers),
        upper_us=mean_us - sum(layer.lower_us for layer in numbers.layers),
    )


def _direction_changes(before: ComparedDirection, after: ComparedDirection) -> DirectionChanges:
    return DirectionChanges(
        direction=after.direction,
        figures=tuple(
            _figure_change(name, getattr(before.figures, name), getattr(after.figures, name)) for name in _FIGURES
        ),
        layers=tuple(_layer_changes(_spans(before), _spans(after))),
    )


def _figure_change(name: FigureName, before: float | None, after: float | None) -> FigureChange:
    change = None if before is None or after is None else after - before
    ratio = None if change is None or not before else change / before
    return FigureChange(name=name, before=before, after=after, change=change, change_ratio=ratio)


@dataclass(frozen=True, slots=True)
class _Span:
    label: str
    layers: tuple[LayerName, ...]
    range: Remainder


def _spans(compared: ComparedDirection) -> Mapping[str, _Span]:
    """Outermost first: what is left of the tool's latency lies outside all layers."""
    found: dict[str, _Span] = {}
    if compared.remainder is not None:
        found["remainder"] = _Span("Remainder", (), compared.remainder)
    for layer in compared.layers:
        own = Remainder(us=layer.us, lower_us=layer.lower_us, upper_us=layer.upper_us)
        found[layer.name] = _Span(layer.label, layer.layers, own)
    return found


def _layer_changes(before: Mapping[str, _Span], after: Mapping[str, _Span]) -> Sequence[LayerChange]:
    changes = []
    for name in dict.fromkeys([*before, *after]):
        was, now = before.get(name), after.get(name)
        span = now or was
        if span is None:
            continue
        changes.append(
            LayerChange(
                name=name,
                label=span.label,
                layers=span.layers,
                before_us=was.range.us if was else None,
                after_us=now.range.us if now else None,
                change_us=now.range.us - was.range.us if was and now else None,
                change_lower_us=now.range.lower_us - was.range.upper_us if was and now else None,
                change_upper_us=now.range.upper_us - was.range.lower_us if was and now else None,
            )
        )
    return changes
