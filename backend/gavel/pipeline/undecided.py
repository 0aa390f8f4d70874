"""The estate as its datastores tell it: I/Os of which nobody could decide the layer stand apart, and what one saves makes up for
nothing that another loses."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gavel.analysis.segments import span_name
from gavel.domain.io_path import Certainty
from gavel.pipeline.judging import Judged, OccupancyNumbers, known, occupancy, span_key, span_label

# Two positions in `SPANS`, the outer one first.
Pair = tuple[int, int]


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
            label = f"{span_label(outer)} or {span_name(inner)}"
            either[span_key(outer)].append(_either(taken[0], taken[1], label))
    return [one for name, layer in told.items() for one in (layer, *either[name])]


def impact_of_parts(whole: float, parts: Judged) -> float | None:
    """I/Os that wait for nothing: those of all parts, which are more than those of their mean wherever one is faster than expected.

    whole: of the mean, which also knows what is in none of the parts; NaN where it was not judged.
    """
    judged = parts.impact[~np.isnan(parts.impact)]
    return known(np.fmax(whole, judged.sum()) if len(judged) else whole)


def _undecided(parts: Judged) -> Mapping[Pair, Sequence[int]]:
    found: dict[Pair, list[int]] = defaultdict(list)
    for row, certainty in enumerate(parts.certainties):
        named, other = parts.named(row), parts.other(row)
        if certainty is Certainty.UNDETERMINED and named is not None and other is not None:
            found[min(named, other), max(named, other)].append(row)
    return dict(sorted(found.items()))


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
