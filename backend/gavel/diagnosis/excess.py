"""How far a window is above its baseline: by span, and as I/Os outstanding for it. Excess itself: `analysis.diagnosis.excess_us`."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.segments import span_name
from gavel.diagnosis.diagnose import (
    DiagnosedRows,
    OccupancyNumbers,
    measured_spans,
    named_spans,
    none_if_nan,
    occupancies,
    occupancy,
    span_key,
    span_label,
)
from gavel.domain.io_path import SPANS, Confidence


@dataclass(frozen=True, slots=True)
class LargestExcess:
    """The span that is farthest over what is expected of it, and by how many µs per I/O. is_sure: its lower bound is over, too."""

    span: int
    us: float
    is_sure: bool


def largest_excess(diagnosed: DiagnosedRows, row: int) -> LargestExcess | None:
    """None where nothing is over."""
    case, excess = diagnosed.case, diagnosed.diagnoses.excess[row]
    span = int(excess.argmax())
    if not excess[span] > 0:
        return None
    return LargestExcess(span, float(excess[span]), bool(case.lower[row, span] > case.expected[row, span]))


@dataclass(frozen=True, slots=True)
class SpanExcess:
    """A span, and by how many µs per I/O it is over what is expected of it, at least and at most."""

    span: int
    lower_us: float
    upper_us: float


def open_between(diagnosed: DiagnosedRows, row: int) -> tuple[SpanExcess, ...]:
    """Of both layers of an inconclusive diagnosis; none where it names one, or none."""
    if diagnosed.other(row) is None:
        return ()
    case = diagnosed.case
    over = (np.maximum(bounds[row] - case.expected[row], 0.0) for bounds in (case.lower, case.upper))
    lower, upper = over
    return tuple(
        SpanExcess(span, float(lower[span]), float(upper[span])) for span in sorted(named_spans(diagnosed, row))
    )


# Two positions in `SPANS`, the outer one first.
Pair = tuple[int, int]


def occupancy_of_one(diagnosed: DiagnosedRows, row: int) -> list[OccupancyNumbers]:
    """Layers of one thing, outermost first; the two between which its diagnosis is inconclusive are one, in the outer one's place."""
    layers = occupancies(diagnosed, row)
    pair = _open_pair(diagnosed, row)
    both = [one for one in layers if pair and one.name in map(span_key, pair)]
    if pair is None or len(both) != len(pair):
        return layers
    outer, inner = both
    return [_either(outer, inner, _pair_label(pair)) if one is outer else one for one in layers if one is not inner]


def occupancy_of_parts(
    layers: Sequence[OccupancyNumbers], parts: DiagnosedRows, wall_s: float, only: Sequence[int] | None = None
) -> list[OccupancyNumbers]:
    """Layers of the whole without the I/Os of parts that are inconclusive, and these as "kernel or SAN" after the outer one of both.

    parts: (n,) of the whole, none twice; `only`: which rows of them, None: all. Bounds hold whatever the parts have in truth: it is within
    theirs.
    """
    told = {one.name: one for one in layers}
    either: dict[str, list[OccupancyNumbers]] = defaultdict(list)
    for (outer, inner), rows in _undecided(parts, range(len(parts)) if only is None else only).items():
        both = [occupancy(parts.rows, rows, span, wall_s) for span in (outer, inner)]
        if all(one.name in told for one in both) and sum(one.ios for one in both) > 0:
            taken = [replace(one, ios=min(one.ios, told[one.name].ios)) for one in both]
            told |= {one.name: _without(told[one.name], one) for one in taken}
            either[span_key(outer)].append(_either(taken[0], taken[1], _pair_label((outer, inner))))
    return [one for name, layer in told.items() for one in (layer, *either[name])]


def occupancy_of_rows(parts: DiagnosedRows, rows: Sequence[int]) -> list[OccupancyNumbers]:
    """Layers of several objects together, outermost first, over the minutes of the longest of them; `rows` none twice. Layers between which
    one is inconclusive stand as "kernel or SAN", as in `occupancy_of_parts`. Empty where nothing was measured."""
    if not rows:
        return []
    wall_s = float(parts.wall_s[list(rows)].max())
    spans = sorted({span for row in rows for span in measured_spans(parts.case, row)}, key=lambda span: SPANS[span])
    layers = [occupancy(parts.rows, rows, span, wall_s) for span in spans] if wall_s > 0 else []
    return occupancy_of_parts(layers, parts, wall_s, rows)


def excess_outstanding_of_parts(whole: float, parts: DiagnosedRows) -> float | None:
    """I/Os outstanding because of the excess: those of all parts, which are more than those of their mean where one is below its baseline.

    whole: of the mean, which also knows what is in none of the parts; NaN where it was not judged.
    """
    judged = parts.excess_outstanding[~np.isnan(parts.excess_outstanding)]
    return none_if_nan(np.fmax(whole, judged.sum()) if len(judged) else whole)


def _undecided(parts: DiagnosedRows, rows: Sequence[int]) -> Mapping[Pair, Sequence[int]]:
    found: dict[Pair, list[int]] = defaultdict(list)
    for row in rows:
        pair = _open_pair(parts, row)
        if pair is not None:
            found[pair].append(row)
    return dict(sorted(found.items()))


def _open_pair(diagnosed: DiagnosedRows, row: int) -> Pair | None:
    """The two layers of an inconclusive diagnosis."""
    named, other = diagnosed.named(row), diagnosed.other(row)
    if diagnosed.confidences[row] is not Confidence.INCONCLUSIVE or named is None or other is None:
        return None
    return min(named, other), max(named, other)


def _pair_label(pair: Pair) -> str:
    return f"{span_label(pair[0])} or {span_name(pair[1])}"


def _without(whole: OccupancyNumbers, part: OccupancyNumbers) -> OccupancyNumbers:
    ios = whole.ios - part.ios
    lower, upper = max(whole.lower_ios - part.upper_ios, 0.0), whole.upper_ios - part.lower_ios
    return replace(whole, ios=ios, lower_ios=min(lower, ios), upper_ios=max(upper, ios))


def _either(outer: OccupancyNumbers, inner: OccupancyNumbers, label: str) -> OccupancyNumbers:
    return OccupancyNumbers(
        name=f"{outer.name}_or_{inner.name}",
        label=label,
        layers=tuple(dict.fromkeys((*outer.layers, *inner.layers))),
        ios=outer.ios + inner.ios,
        lower_ios=outer.lower_ios + inner.lower_ios,
        upper_ios=outer.upper_ios + inner.upper_ios,
    )
