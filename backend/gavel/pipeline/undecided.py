"""I/Os of which nobody could decide the layer stand apart, of one thing and of the estate; and in the estate, what one datastore
saves makes up for nothing that another loses."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gavel.analysis.segments import span_name
from gavel.domain.io_path import Certainty
from gavel.pipeline.judging import Judged, OccupancyNumbers, known, occupancies, occupancy, span_key, span_label

# Two positions in `SPANS`, the outer one first.
Pair = tuple[int, int]


def occupancy_of_one(found: Judged, row: int) -> list[OccupancyNumbers]:
    """Layers of one thing, outermost first; the two between which its verdict is undetermined are one, in the outer one's place."""
    layers = occupancies(found, row)
    pair = _open_pair(found, row)
    both = [one for one in layers if pair and one.name in map(span_key, pair)]
    if pair is None or len(both) != len(pair):
        return layers
    outer, inner = both
    return [_either(outer, inner, _pair_label(pair)) if one is outer else one for one in layers if one is not inner]


def occupancy_of_parts(layers: Sequence[OccupancyNumbers], parts: Judged, wall_s: float) -> list[OccupancyNumbers]:
    """Layers of the whole without the I/Os of parts that are undetermined, and these as "kernel or SAN" after the outer one of both.

    parts: (n,) of the whole, none twice. Bounds hold whatever the parts have in truth: it is within theirs.
    """
    told = {one.name: one for one in layers}
    either: dict[str, list[OccupancyNumbers]] = defaultdict(list)
    for (outer, inner), rows in _undecided(parts).items():
        both = [occupancy(parts.rows, rows, span, wall_s) for span in (outer, inner)]
        if all(one.name in told for one in both) and sum(one.ios for one in both) > 0:
            taken = [replace(one, ios=min(one.ios, told[one.name].ios)) for one in both]
            told |= {one.name: _without(told[one.name], one) for one in taken}
            either[span_key(outer)].append(_either(taken[0], taken[1], _pair_label((outer, inner))))
    return [one for name, layer in told.items() for one in (layer, *either[name])]


def impact_of_parts(whole: float, parts: Judged) -> float | None:
    """I/Os that wait needlessly: those of all parts, which are more than those of their mean wherever one is faster than expected.

    whole: of the mean, which also knows what is in none of the parts; NaN where it was not judged.
    """
    judged = parts.impact[~np.isnan(parts.impact)]
    return known(np.fmax(whole, judged.sum()) if len(judged) else whole)


def _undecided(parts: Judged) -> Mapping[Pair, Sequence[int]]:
    found: dict[Pair, list[int]] = defaultdict(list)
    for row in range(len(parts.certainties)):
        pair = _open_pair(parts, row)
        if pair is not None:
            found[pair].append(row)
    return dict(sorted(found.items()))


def _open_pair(found: Judged, row: int) -> Pair | None:
    """The two layers between which nobody could decide."""
    named, other = found.named(row), found.other(row)
    if found.certainties[row] is not Certainty.UNDETERMINED or named is None or other is None:
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
