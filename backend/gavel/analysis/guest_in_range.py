"""Where the time counts that a guest measured above its virtual disk, when their counters leave open whether there was any.

The guest times every I/O, by a clock of its own; the virtual disk's mean is of samples that may have missed a burst or hold another
minute's. Where the guest's range begins at nothing, and its virtual disk's queue is not full, the guest is right about the whole, and the
time was nearly always spent further in (docs/decisions/every-io-timed-by-itself.md).
"""

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import GUEST


def counted_inside(value: Floats, upper: Floats, rows: Bools) -> tuple[Floats, Floats]:
    """(n, 10) µs per I/O by span, NaN where not measured, with the guest's time of these `rows` counted to the layers below, in proportion
    to their estimates and only as far as their ranges reach; and (n,) µs that were. What finds no room stays the guest's.
    """
    moved = np.zeros(len(value))
    index = np.flatnonzero(rows & (np.nan_to_num(value[:, GUEST]) > 0))
    if len(index) == 0:
        return value, moved
    inside, rest = np.nan_to_num(value[index]), np.nan_to_num(value[index, GUEST])
    whole = rest.copy()
    inside[:, GUEST] = 0.0
    share, most = inside.copy(), np.nan_to_num(upper[index])
    # Each turn fills at least one layer to its upper bound, or places all that is left.
    for _ in range(inside.shape[1]):
        room = np.maximum(most - inside, 0.0)
        weight = np.where(room > 0, share, 0.0)
        total = weight.sum(axis=1, keepdims=True)
        part = np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)
        added = np.minimum(part * rest[:, None], room)
        inside, rest = inside + added, rest - added.sum(axis=1)
    rest = np.clip(rest, 0.0, whole)
    inside[:, GUEST] = rest
    result = value.copy()
    result[index] = np.where(np.isnan(value[index]), np.nan, inside)
    moved[index] = whole - rest
    return result, moved
