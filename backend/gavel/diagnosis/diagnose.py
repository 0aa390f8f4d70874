"""Ledger sums of scopes: layers against what is expected of them, diagnosis, quality and excess outstanding I/O, all rows at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from math import isnan

import numpy as np

from gavel.analysis.attribution import match_ratio, qualities
from gavel.analysis.diagnosis import LEAST_SHARE_OF_DEVICE, Case, Diagnoses, Reason, case_of, excess_outstanding, rule
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import latency_us, ops_in, timed_ops, too_few
from gavel.analysis.parent_notes import MATERIAL_SHARE
from gavel.analysis.segments import span_name
from gavel.db.queries.ledger import LedgerSeries
from gavel.diagnosis.baselines import BaselineFrom, Usual
from gavel.domain.io_path import SPANS, Confidence, Direction, Layer, LayerName, Quality, Severity
from gavel.domain.ledger import Flags, LedgerRows, Notes
from gavel.domain.scope import ScopeKind

MINUTE = timedelta(minutes=1)
# What the overview and a page without a range look at.
NOW_WIDTH = 5 * MINUTE
# So much of the operations has to have been timed for a number to speak for all of them; counters are cut at different instants.
MOSTLY = 0.95


class DiagnosisState(StrEnum):
    """Why there is a diagnosis, or none."""

    JUDGED = "judged"
    TOO_FEW = "too_few"
    IDLE = "idle"
    NOT_MEASURED = "not_measured"
    NO_DATA = "no_data"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNumbers:
    """A layer, or neighboring layers that are not separable (`name` "san_array", `layers` ["san", "array"]).

    `us` with its range, per I/O of the total, so that layers add up; `baseline_us` for this hour; `excess_us` above it, never below 0,
    with its range; `share`: of the total latency. `ops_share`: share of the I/Os whose time in this layer was measured; `measured_us`:
    latency of these I/Os in the layer.
    """

    name: str
    label: str
    layers: tuple[LayerName, ...]
    us: float
    lower_us: float
    upper_us: float
    measured_us: float
    baseline_us: float
    excess_us: float
    excess_lower_us: float
    excess_upper_us: float
    share: float | None
    ops_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OccupancyNumbers:
    """I/Os that were inside on average: I/O-time ÷ wall time, with bounds."""

    name: str
    label: str
    layers: tuple[LayerName, ...]
    ios: float
    lower_ios: float
    upper_ios: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosedRows:
    """n rows. `states`: why a row has no diagnosis; then it has no severity and names nothing, whatever its numbers would say.

    severities: None without a diagnosis. confidences: None where no layer is named.
    total_us: (n,) of everything measured, per I/O; NaN where nothing was. learned: (n, 4) whether a layer's expectation is history.
    """

    rows: LedgerRows
    notes: Notes
    wall_s: Floats
    case: Case
    diagnoses: Diagnoses
    states: Sequence[DiagnosisState]
    severities: Sequence[Severity | None]
    confidences: Sequence[Confidence | None]
    total_us: Floats
    excess_outstanding: Floats
    qualities: Sequence[Quality]
    learned: Bools

    def __len__(self) -> int:
        return len(self.states)

    @property
    def ops(self) -> Floats:
        return self.rows.ops[:, Direction.ALL]

    def named(self, row: int) -> int | None:
        """Position in `SPANS`."""
        return known_span(self.diagnoses.named[row]) if self.states[row] is DiagnosisState.JUDGED else None

    def other(self, row: int) -> int | None:
        return known_span(self.diagnoses.other[row]) if self.states[row] is DiagnosisState.JUDGED else None

    def has_limited_counters(self, row: int) -> bool:
        """Normal only since the counters are too coarse to show its excess."""
        return self.states[row] is DiagnosisState.JUDGED and bool(self.diagnoses.limited_counters[row])


def diagnose_rows(series: LedgerSeries, kind: ScopeKind, scope: Flags, usual: Usual, seconds: Floats) -> DiagnosedRows:
    """Rule on every sum. scope: (n,) position in `usual`; seconds: (n, 24) of each hour of the day that a sum is over."""
    rows, notes = series.rows, series.notes
    expected, chronic = usual.at(scope, seconds, write_share(rows), bytes_per_op(rows, Direction.ALL))
    case = case_of(rows, Direction.ALL, expected, _remarks(rows, _of_whole(series), kind, chronic))
    diagnoses = rule(case)
    measured: Bools = np.logical_or.reduce(~np.isnan(case.value), axis=1)
    states = _states(series.minutes, rows, measured)
    wall_s = series.wall_s
    timed = np.nan_to_num(timed_ops(rows)[:, Direction.ALL])
    wasted = excess_outstanding(diagnoses.total_excess, timed, wall_s)
    shown = np.where(np.array([state is DiagnosisState.JUDGED for state in states], dtype=np.bool_), wasted, np.nan)
    letters = [_QUALITIES[letter] for letter in qualities(notes.quality_reasons).tolist()]
    total = np.where(measured, np.nansum(case.value, axis=1), np.nan)
    severities, confidences = _severities(diagnoses, states), _confidences(diagnoses, states)
    learned = usual.learned(scope, seconds)
    return DiagnosedRows(
        rows=rows, notes=notes, wall_s=wall_s, case=case, diagnoses=diagnoses, states=states, severities=severities,
        confidences=confidences, total_us=total, excess_outstanding=shown, qualities=letters, learned=learned,
    )  # fmt: skip


_STATES = {one.value: one for one in DiagnosisState}
_SEVERITIES = {one.value: one for one in Severity}
_CONFIDENCES = {one.value: one for one in Confidence}
_QUALITIES = {one.value: one for one in Quality}


def _severities(diagnoses: Diagnoses, states: Sequence[DiagnosisState]) -> list[Severity | None]:
    return [
        _SEVERITIES[word] if state is DiagnosisState.JUDGED else None
        for word, state in zip(diagnoses.severity.tolist(), states, strict=True)
    ]


def _confidences(diagnoses: Diagnoses, states: Sequence[DiagnosisState]) -> list[Confidence | None]:
    """What names no layer has none."""
    return [
        _CONFIDENCES.get(word) if state is DiagnosisState.JUDGED else None
        for word, state in zip(diagnoses.confidence.tolist(), states, strict=True)
    ]


def write_share(rows: LedgerRows) -> Floats:
    """(n,) part of the I/Os that are writes; 0 without any."""
    ops = np.nan_to_num(rows.ops)
    whole = ops[:, Direction.ALL]
    return np.divide(ops[:, Direction.WRITE], whole, out=np.zeros_like(whole), where=whole > 0)


def bytes_per_op(rows: LedgerRows, direction: Direction) -> Floats:
    """(n,) size of the I/Os; 0 without any."""
    ops, carried = np.nan_to_num(rows.ops[:, direction]), np.nan_to_num(rows.bytes[:, direction])
    return np.divide(carried, ops, out=np.zeros_like(ops), where=ops > 0)


def _of_whole(series: LedgerSeries) -> Notes:
    """A sample that is missing in a minute of an hour leaves little open of the hour, nor does it matter there in which minute I/O was."""
    notes = series.notes
    hardly = np.nan_to_num(notes.missing_s) < MATERIAL_SHARE * series.wall_s
    reasons = np.where(hardly, notes.reasons & ~int(Reason.SAMPLE_MISSING), notes.reasons)
    return replace(notes, reasons=np.where(series.minutes > 1, reasons & ~int(Reason.MAYBE_IDLE), reasons))


def _remarks(rows: LedgerRows, notes: Notes, kind: ScopeKind, chronic: Bools) -> Flags:
    """Of the sum, not of any of its minutes: a VM that had most of its device's I/Os over the window is no minor part of it."""
    reasons = notes.reasons & ~int(Reason.MINOR_PART_OF_DEVICE)
    if kind is ScopeKind.VM:
        minor = rows.ops[:, Direction.ALL] < LEAST_SHARE_OF_DEVICE * np.nan_to_num(notes.device_ops)
        reasons = reasons | np.where(minor, int(Reason.MINOR_PART_OF_DEVICE), 0)
    return reasons | np.where(chronic, int(Reason.CHRONIC), 0)


def _states(minutes: Flags, rows: LedgerRows, measured: Bools) -> list[DiagnosisState]:
    ops = rows.ops[:, Direction.ALL]
    found = np.select(
        [minutes <= 0, np.isnan(ops), ops <= 0, ~measured, too_few(rows)[:, Direction.ALL]],
        [
            DiagnosisState.NO_DATA.value,
            DiagnosisState.NOT_MEASURED.value,
            DiagnosisState.IDLE.value,
            DiagnosisState.NOT_MEASURED.value,
            DiagnosisState.TOO_FEW.value,
        ],
        DiagnosisState.JUDGED.value,
    )
    return [_STATES[state] for state in found.tolist()]


_INSIDE_ARRAY = SPANS.index((Layer.ARRAY, Layer.ARRAY))


def matched_ops(notes: Notes, rows: LedgerRows) -> tuple[Floats, Floats]:
    """(n,) ops as the hosts counted them, and the array, of what is matched on both sides; NaN where one side is absent.

    A window may hold minutes, and a place things, that the array did not measure: `array_ops` has none of theirs, so host ops are those
    whose time inside the array was measured. Of each direction: what the array did not count at all, it did not time either.
    """
    counted = rows.span_ops[:, : Direction.ALL, _INSIDE_ARRAY].sum(axis=1)
    return np.where(counted > 0, counted, rows.ops[:, Direction.ALL]), notes.array_ops


def covered(notes: Notes, rows: LedgerRows) -> Floats:
    """(n,) host ÷ array ops; NaN where one side is absent."""
    return match_ratio(*matched_ops(notes, rows))


@dataclass(frozen=True, slots=True)
class SpanSummary:
    """Some spans of a row in words' numbers: µs per I/O that was measured in them, and which part of the timed I/Os that is."""

    us: float
    excess_us: float
    upper_us: float
    share: float


def summarize_spans(diagnosed: DiagnosedRows, row: int, spans: Sequence[int]) -> SpanSummary | None:
    """None where none of them was measured."""
    rows, case, wanted = diagnosed.rows, diagnosed.case, list(spans)
    inside = np.zeros(len(SPANS))
    inside[wanted] = rows.span_ops[row, Direction.ALL, wanted]
    here, timed = float(ops_in(inside)), _timed(rows, row)
    if not here > 0:
        return None
    # The case is per timed I/O.
    per_io = timed / here
    us, upper = (float(np.nansum(numbers[row, wanted])) * per_io for numbers in (case.value, case.upper))
    return SpanSummary(us, float(diagnosed.diagnoses.excess[row, wanted].sum()) * per_io, upper, min(here / timed, 1.0))


def _timed(rows: LedgerRows, row: int) -> float:
    """`timed_ops` of one row alone: an overview asks for a hundred of twenty thousand."""
    return float(np.minimum(ops_in(rows.span_ops[row, Direction.ALL]), rows.ops[row, Direction.ALL]))


def partly_measured(diagnosed: DiagnosedRows, row: int) -> Iterator[tuple[Layer, float]]:
    """Layers that were measured by themselves in some of the timed I/Os only, and in which part of them."""
    timed = _timed(diagnosed.rows, row)
    for layer in Layer:
        own = float(diagnosed.rows.span_ops[row, Direction.ALL, SPANS.index((layer, layer))])
        if 0 < own < MOSTLY * timed:
            yield layer, own / timed


# --- spans in words ---------------------------------------------------------------------------------------------------


@cache
def span_key(span: int) -> str:
    """As the API names it: "kernel", "san_array"."""
    return "_".join(span_layers(span))


@cache
def span_layers(span: int) -> tuple[LayerName, ...]:
    first, last = SPANS[span]
    return tuple(layer.key for layer in Layer if first <= layer <= last)


@cache
def span_label(span: int) -> str:
    words = span_name(span)
    return words[0].upper() + words[1:]


def known_span(span: int) -> int | None:
    return None if span < 0 else int(span)


def summarize_named(diagnosed: DiagnosedRows, row: int) -> tuple[float, float]:
    """µs that are spent in what the diagnosis names, and the excess of that; both 0 where it names nothing."""
    named = summarize_spans(diagnosed, row, named_spans(diagnosed, row))
    return (0.0, 0.0) if named is None else (named.us, named.excess_us)


def baseline_us(diagnosed: DiagnosedRows, row: int) -> float | None:
    """Usual µs per I/O of all that was measured; None where nothing was."""
    measured = ~np.isnan(diagnosed.case.value[row])
    return float(diagnosed.case.expected[row][measured].sum()) if measured.any() else None


def baseline_from(diagnosed: DiagnosedRows, row: int) -> BaselineFrom | None:
    """What `baseline_us` rests on; None where neither SAN nor array was measured: of guest and kernel always nothing is expected."""
    layers = {
        layer
        for span in measured_spans(diagnosed.case, row)
        for layer in (Layer.SAN, Layer.ARRAY)
        if _holds(span, layer)
    }
    learned = {bool(diagnosed.learned[row, layer]) for layer in layers}
    if len(learned) == 1:
        return BaselineFrom.HISTORY if learned.pop() else BaselineFrom.SETTING
    return BaselineFrom.BOTH if learned else None


def _holds(span: int, layer: Layer) -> bool:
    first, last = SPANS[span]
    return first <= layer <= last


def named_spans(diagnosed: DiagnosedRows, row: int) -> list[int]:
    return [span for span in (diagnosed.named(row), diagnosed.other(row)) if span is not None]


def not_measured(case: Case, row: int) -> tuple[LayerName, ...]:
    """Layers that no span of the row covers."""
    there = {layer for span in measured_spans(case, row) for layer in span_layers(span)}
    return tuple(layer.key for layer in Layer if layer.key not in there)


_OUTERMOST_FIRST = sorted(range(len(SPANS)), key=SPANS.__getitem__)


def measured_spans(case: Case, row: int) -> Iterator[int]:
    """Outermost first."""
    values = case.value[row].tolist()
    yield from (span for span in _OUTERMOST_FIRST if not isnan(values[span]))


def layer_numbers(case: Case, row: int, rows: LedgerRows, direction: Direction, total_us: float) -> list[LayerNumbers]:
    """Outermost first; `case` is that of the direction of `rows`."""
    ops = float(rows.ops[row, direction])
    if not ops > 0:
        return []
    value, low, high, usual = (part[row].tolist() for part in (case.value, case.lower, case.upper, case.expected))
    # Both are stored in single precision, each rounded by itself.
    shares = np.minimum(rows.span_ops[row, direction] / ops, 1.0).tolist()
    own = latency_us(rows.span_time[row, direction], rows.span_ops[row, direction]).tolist()
    return [
        _layer(span, (value[span], low[span], high[span]), own[span], usual[span], shares[span], total_us)
        for span in measured_spans(case, row)
    ]


def _layer(
    span: int, interval: tuple[float, float, float], own: float, expected: float, ops_share: float, total_us: float
) -> LayerNumbers:
    us, lower, upper = interval
    return LayerNumbers(
        name=span_key(span),
        label=span_label(span),
        layers=span_layers(span),
        us=us,
        lower_us=lower,
        upper_us=upper,
        measured_us=own,
        baseline_us=expected,
        excess_us=max(0.0, us - expected),
        excess_lower_us=max(0.0, lower - expected),
        excess_upper_us=max(0.0, upper - expected),
        share=us / total_us if total_us > 0 else None,
        ops_share=ops_share,
    )


def occupancies(diagnosed: DiagnosedRows, row: int) -> list[OccupancyNumbers]:
    """Reads and writes together, outermost first."""
    wall_s = float(diagnosed.wall_s[row])
    return [occupancy(diagnosed.rows, [row], span, wall_s) for span in measured_spans(diagnosed.case, row)]


def occupancy(rows: LedgerRows, chosen: Sequence[int], span: int, wall_s: float) -> OccupancyNumbers:
    """I/Os inside a span, of the chosen rows together."""
    sums = (rows.span_time, rows.span_lower, rows.span_upper)
    ios, lower, upper = (float(one[list(chosen), Direction.ALL, span].sum()) / (wall_s * 1e6) for one in sums)
    name, label, layers = span_key(span), span_label(span), span_layers(span)
    return OccupancyNumbers(name=name, label=label, layers=layers, ios=ios, lower_ios=lower, upper_ios=upper)


def none_if_nan(number: float) -> float | None:
    """None for NaN, which is how numbers that were not measured come from the ledger."""
    return None if np.isnan(number) else float(number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The window that is asked about; `until_at`: minutes before it are in the ledger, None before the first one."""

    from_at: datetime
    to_at: datetime
    until_at: datetime | None
