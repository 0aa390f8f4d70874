"""How far spans of a judged row are over what is expected of them."""

from dataclasses import dataclass

import numpy as np

from gavel.pipeline.judging import Judged, named_spans


@dataclass(frozen=True, slots=True)
class Furthest:
    """The span that is farthest over what is expected of it, and by how many µs per I/O. is_sure: its lower bound is over, too."""

    span: int
    us: float
    is_sure: bool


def furthest_over(found: Judged, row: int) -> Furthest | None:
    """None where nothing is over."""
    case, excess = found.case, found.verdicts.excess[row]
    span = int(excess.argmax())
    if not excess[span] > 0:
        return None
    return Furthest(span, float(excess[span]), bool(case.lower[row, span] > case.expected[row, span]))


@dataclass(frozen=True, slots=True)
class Over:
    """A span, and by how many µs per I/O it is over what is expected of it, at least and at most."""

    span: int
    lower_us: float
    upper_us: float


def open_between(found: Judged, row: int) -> tuple[Over, ...]:
    """Of both layers that nobody could decide between; none where the verdict names one, or none."""
    if found.other(row) is None:
        return ()
    case = found.case
    over = (np.maximum(bounds[row] - case.expected[row], 0.0) for bounds in (case.lower, case.upper))
    lower, upper = over
    return tuple(Over(span, float(lower[span]), float(upper[span])) for span in sorted(named_spans(found, row)))
