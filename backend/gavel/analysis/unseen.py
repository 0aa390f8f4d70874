"""I/Os that a counter of whole operations per second does not show: below one a second a disk's reads or writes count as none at all
(attribution.md §3). How long they took is in no counter of the disk; what its devices and the array did in that direction bounds it."""

from dataclasses import replace

import numpy as np

from gavel.analysis.attribution import Attributed, OneWay, attribute
from gavel.analysis.chain import Chain
from gavel.analysis.intervals import Floats, Intervals
from gavel.analysis.topology import Index
from gavel.domain.io_path import Direction

# Fewer than this part of a row's I/Os move its mean by less than its counters leave open anyway.
HARDLY_ANY = 0.02


def over_unseen(
    by_direction: dict[Direction, Attributed], ways: tuple[OneWay, OneWay], limit: Floats, of_devices: Floats
) -> dict[Direction, Attributed]:
    """Rows with bounds, of both directions together, that hold as well if the one that shows none had as many as may be. of_devices: (n, 2)
    ops of the devices below: there can have been no more."""
    both = by_direction[Direction.ALL]
    for way, other in ((0, 1), (1, 0)):
        most = np.fmin(_most(ways[way]), of_devices[:, way])
        seen = ways[other].ops
        rows = np.flatnonzero(~(ways[way].ops > 0) & (seen > 0) & (most > HARDLY_ANY * seen))
        if len(rows):
            pair = [_taken(one, rows) for one in ways]
            pair[way] = replace(pair[way], ops=most[rows])
            as_many = attribute(pair[0], pair[1], limit[rows])[Direction.ALL]
            for own, new, extreme in (
                (both.spans.lower, as_many.spans.lower, np.minimum),
                (both.spans.upper, as_many.spans.upper, np.maximum),
                (both.limits.lower, as_many.limits.lower, np.minimum),
            ):
                own[rows] = np.where(np.isnan(new), own[rows], extreme(own[rows], new))
    return by_direction


def _most(way: OneWay) -> Floats:
    return np.zeros_like(way.ops) if way.between is None else way.between[1]


def _taken(way: OneWay, rows: Index) -> OneWay:
    boundaries, kavg, qavg = (
        Intervals(lower=one.lower[rows], upper=one.upper[rows], value=one.value[rows])
        for one in (way.chain.boundaries, way.chain.kavg, way.chain.qavg)
    )
    return OneWay(Chain(boundaries=boundaries, kavg=kavg, qavg=qavg), way.ops[rows])
