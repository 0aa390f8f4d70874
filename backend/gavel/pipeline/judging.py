"""Ledger sums of scopes, judged: layers against what is expected of them, verdict, grade and impact, all rows at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from math import isnan

import numpy as np

from gavel.analysis.coverage import coverage
from gavel.analysis.grade import grades
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import LedgerRows, latency_us, ops_in, timed_ops, too_few
from gavel.analysis.notes import Flags, Notes
from gavel.analysis.segments import SPANS, span_name
from gavel.analysis.verdict import LEAST_SHARE_OF_DEVICE, Case, Reason, Verdicts, case_of, impact, rule
from gavel.db.queries.ledger import LedgerSeries
from gavel.domain.io_path import Certainty, Direction, Grade, Layer
from gavel.domain.scope import ScopeKind
from gavel.pipeline.expecting import ExpectedFrom, Usual

MINUTE = timedelta(minutes=1)
# What the overview and a page without a range look at.
NOW_WIDTH = 5 * MINUTE
# So much of the operations has to have been timed for a number to speak for all of them; counters are cut at different instants.
MOSTLY = 0.95


class State(StrEnum):
    """Why there is a verdict, or none."""

    JUDGED = "judged"
    TOO_FEW = "too_few"
    IDLE = "idle"
    NOT_MEASURED = "not_measured"
    NO_DATA = "no_data"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNumbers:
    """A layer, or neighbouring ones that were not told apart: µs per I/O of the scope, so that all of them add up.

    measured_us: per I/O whose time was measured here, which is `ops_share` of the scope's.
    """

    name: str
    label: str
    layers: tuple[str, ...]
    us: float
    lower_us: float
    upper_us: float
    measured_us: float
    expected_us: float
    excess_us: float
    excess_lower_us: float
    excess_upper_us: float
    share: float | None
    ops_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OccupancyNumbers:
    """I/Os inside a layer on average."""

    name: str
    label: str
    layers: tuple[str, ...]
    ios: float
    lower_ios: float
    upper_ios: float


@dataclass(frozen=True, slots=True)
class Judged:
    """n rows. `states`: why a row has no verdict; then it is `UNKNOWN` and names nothing, whatever its numbers would say.

    total_us: (n,) of everything measured, per I/O; NaN where nothing was. learned: (n, 4) whether a layer's expectation is history.
    """

    rows: LedgerRows
    notes: Notes
    wall_s: Floats
    case: Case
    verdicts: Verdicts
    states: Sequence[State]
    certainties: Sequence[Certainty]
    total_us: Floats
    impact: Floats
    grades: Sequence[Grade]
    learned: Bools

    def __len__(self) -> int:
        return len(self.states)

    @property
    def ops(self) -> Floats:
        return self.rows.ops[:, Direction.ALL]

    def named(self, row: int) -> int | None:
        """Position in `SPANS`."""
        return known_span(self.verdicts.named[row]) if self.states[row] is State.JUDGED else None

    def other(self, row: int) -> int | None:
        return known_span(self.verdicts.other[row]) if self.states[row] is State.JUDGED else None


def judged(found: LedgerSeries, kind: ScopeKind, scope: Flags, usual: Usual, seconds: Floats) -> Judged:
    """Rule on every sum. scope: (n,) position in `usual`; seconds: (n, 24) of each hour of the day that a sum is over."""
    rows, notes = found.rows, found.notes
    expected, chronic = usual.at(scope, seconds, write_share(rows))
    case = case_of(rows, Direction.ALL, expected, _remarks(rows, notes, kind, chronic))
    verdicts = rule(case)
    measured: Bools = np.logical_or.reduce(~np.isnan(case.value), axis=1)
    states = _states(found.minutes, rows, measured)
    wall_s = found.wall_s
    wasted = np.divide(
        impact(verdicts, np.nan_to_num(timed_ops(rows)[:, Direction.ALL]), 1.0),
        wall_s,
        out=np.zeros(len(wall_s)),
        where=wall_s > 0,
    )
    shown = np.where(np.array([state is State.JUDGED for state in states], dtype=np.bool_), wasted, np.nan)
    letters = [_GRADES[letter] for letter in grades(notes.grade_reasons).tolist()]
    total = np.where(measured, np.nansum(case.value, axis=1), np.nan)
    certainties, learned = _certainties(verdicts, states), usual.learned(scope, seconds)
    return Judged(rows, notes, wall_s, case, verdicts, states, certainties, total, shown, letters, learned)


_STATES = {one.value: one for one in State}
_CERTAINTIES = {one.value: one for one in Certainty}
_GRADES = {one.value: one for one in Grade}


def _certainties(verdicts: Verdicts, states: Sequence[State]) -> list[Certainty]:
    return [
        _CERTAINTIES[word] if state is State.JUDGED else Certainty.UNKNOWN
        for word, state in zip(verdicts.certainty.tolist(), states, strict=True)
    ]


def write_share(rows: LedgerRows) -> Floats:
    """(n,) part of the I/Os that are writes; 0 without any."""
    ops = np.nan_to_num(rows.ops)
    whole = ops[:, Direction.ALL]
    return np.divide(ops[:, Direction.WRITE], whole, out=np.zeros_like(whole), where=whole > 0)


def _remarks(rows: LedgerRows, notes: Notes, kind: ScopeKind, chronic: Bools) -> Flags:
    """Of the sum, not of any of its minutes: a VM that had most of its device's I/Os over the window is no minor part of it."""
    reasons = notes.reasons & ~int(Reason.MINOR_PART_OF_DEVICE)
    if kind is ScopeKind.VM:
        minor = rows.ops[:, Direction.ALL] < LEAST_SHARE_OF_DEVICE * np.nan_to_num(notes.device_ops)
        reasons = reasons | np.where(minor, int(Reason.MINOR_PART_OF_DEVICE), 0)
    return reasons | np.where(chronic, int(Reason.CHRONIC), 0)


def _states(minutes: Flags, rows: LedgerRows, measured: Bools) -> list[State]:
    ops = rows.ops[:, Direction.ALL]
    found = np.select(
        [minutes <= 0, np.isnan(ops), ops <= 0, ~measured, too_few(rows)[:, Direction.ALL]],
        [
            State.NO_DATA.value,
            State.NOT_MEASURED.value,
            State.IDLE.value,
            State.NOT_MEASURED.value,
            State.TOO_FEW.value,
        ],
        State.JUDGED.value,
    )
    return [_STATES[state] for state in found.tolist()]


_INSIDE_ARRAY = SPANS.index((Layer.ARRAY, Layer.ARRAY))


def counted_by_both(notes: Notes, rows: LedgerRows) -> tuple[Floats, Floats]:
    """(n,) ops as the hosts counted them, and the array, of what is matched on both sides; NaN where one side is absent.

    A window may hold minutes, and a place things, that the array did not measure: `array_ops` has none of theirs, so host ops are those
    whose time inside the array was measured. Of each direction: what the array did not count at all, it did not time either.
    """
    counted = rows.span_ops[:, : Direction.ALL, _INSIDE_ARRAY].sum(axis=1)
    return np.where(counted > 0, counted, rows.ops[:, Direction.ALL]), notes.array_ops


def covered(notes: Notes, rows: LedgerRows) -> Floats:
    """(n,) host ÷ array ops; NaN where one side is absent."""
    return coverage(*counted_by_both(notes, rows))


@dataclass(frozen=True, slots=True)
class Told:
    """Some spans of a row in words' numbers: µs per I/O that was measured in them, and which part of the timed I/Os that is."""

    us: float
    excess_us: float
    upper_us: float
    share: float


def told(found: Judged, row: int, spans: Sequence[int]) -> Told | None:
    """None where none of them was measured."""
    rows, case, wanted = found.rows, found.case, list(spans)
    inside = np.zeros(len(SPANS))
    inside[wanted] = rows.span_ops[row, Direction.ALL, wanted]
    here, timed = float(ops_in(inside)), _timed(rows, row)
    if not here > 0:
        return None
    # The case is per timed I/O.
    per_io = timed / here
    us, upper = (float(np.nansum(numbers[row, wanted])) * per_io for numbers in (case.value, case.upper))
    return Told(us, float(found.verdicts.excess[row, wanted].sum()) * per_io, upper, min(here / timed, 1.0))


def _timed(rows: LedgerRows, row: int) -> float:
    """`timed_ops` of one row alone: an overview asks for a hundred of twenty thousand."""
    return float(np.minimum(ops_in(rows.span_ops[row, Direction.ALL]), rows.ops[row, Direction.ALL]))


def partly_measured(found: Judged, row: int) -> Iterator[tuple[Layer, float]]:
    """Layers that were measured by themselves in some of the timed I/Os only, and in which part of them."""
    timed = _timed(found.rows, row)
    for layer in Layer:
        own = float(found.rows.span_ops[row, Direction.ALL, SPANS.index((layer, layer))])
        if 0 < own < MOSTLY * timed:
            yield layer, own / timed


# --- spans in words ---------------------------------------------------------------------------------------------------


@cache
def span_key(span: int) -> str:
    """As the API names it: "kernel", "san_array"."""
    return "_".join(span_layers(span))


@cache
def span_layers(span: int) -> tuple[str, ...]:
    first, last = SPANS[span]
    return tuple(layer.name.lower() for layer in Layer if first <= layer <= last)


@cache
def span_label(span: int) -> str:
    words = span_name(span)
    return words[0].upper() + words[1:]


def known_span(span: int) -> int | None:
    return None if span < 0 else int(span)


def told_named(found: Judged, row: int) -> tuple[float, float]:
    """µs that are spent in what the verdict names, and the excess of that; both 0 where it names nothing."""
    named = told(found, row, named_spans(found, row))
    return (0.0, 0.0) if named is None else (named.us, named.excess_us)


def expected_us(found: Judged, row: int) -> float | None:
    """Usual µs per I/O of all that was measured; None where nothing was."""
    measured = ~np.isnan(found.case.value[row])
    return float(found.case.expected[row][measured].sum()) if measured.any() else None


def expected_from(found: Judged, row: int) -> ExpectedFrom | None:
    """What `expected_us` rests on; None where neither SAN nor array was measured: of guest and kernel always nothing is expected."""
    layers = {
        layer for span in measured_spans(found.case, row) for layer in (Layer.SAN, Layer.ARRAY) if _holds(span, layer)
    }
    learned = {bool(found.learned[row, layer]) for layer in layers}
    if len(learned) == 1:
        return ExpectedFrom.HISTORY if learned.pop() else ExpectedFrom.SETTING
    return ExpectedFrom.BOTH if learned else None


def _holds(span: int, layer: Layer) -> bool:
    first, last = SPANS[span]
    return first <= layer <= last


def named_spans(found: Judged, row: int) -> list[int]:
    return [span for span in (found.named(row), found.other(row)) if span is not None]


def not_measured(case: Case, row: int) -> tuple[str, ...]:
    """Layers that no span of the row covers."""
    there = {layer for span in measured_spans(case, row) for layer in span_layers(span)}
    return tuple(layer.name.lower() for layer in Layer if layer.name.lower() not in there)


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
        expected_us=expected,
        excess_us=max(0.0, us - expected),
        excess_lower_us=max(0.0, lower - expected),
        excess_upper_us=max(0.0, upper - expected),
        share=us / total_us if total_us > 0 else None,
        ops_share=ops_share,
    )


def occupancies(found: Judged, row: int) -> list[OccupancyNumbers]:
    """Reads and writes together, outermost first."""
    wall_s = float(found.wall_s[row])
    return [occupancy(found.rows, [row], span, wall_s) for span in measured_spans(found.case, row)]


def occupancy(rows: LedgerRows, chosen: Sequence[int], span: int, wall_s: float) -> OccupancyNumbers:
    """I/Os inside a span, of the chosen rows together."""
    sums = (rows.span_time, rows.span_lower, rows.span_upper)
    ios, lower, upper = (float(one[list(chosen), Direction.ALL, span].sum()) / (wall_s * 1e6) for one in sums)
    return OccupancyNumbers(
        name=span_key(span),
        label=span_label(span),
        layers=span_layers(span),
        ios=ios,
        lower_ios=lower,
        upper_ios=upper,
    )


def known(number: float) -> float | None:
    """None for NaN, which is how numbers that were not measured come from the ledger."""
    return None if np.isnan(number) else float(number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The window that is asked about; `until_at`: minutes before it are in the ledger, None before the first one."""

    from_at: datetime
    to_at: datetime
    until_at: datetime | None
