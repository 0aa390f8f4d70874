"""Coverage: whether the hosts' ops are all the ops the array saw."""

import numpy as np

from gavel.analysis.intervals import Floats


def coverage(host_ops: Floats, array_ops: Floats) -> Floats:
    """Host ops ÷ array ops of a volume; 1 where both idled, ∞ where only hosts saw I/O, NaN where one side is absent."""
    ratio = np.divide(host_ops, array_ops, out=np.full(np.shape(array_ops), np.inf), where=array_ops > 0)
    idle = (host_ops == 0) & (array_ops == 0)
    unknown = np.isnan(host_ops) | np.isnan(array_ops)
    result: Floats = np.where(unknown, np.nan, np.where(idle, 1.0, ratio))
    return result


def share_of_ops(part: Floats, whole: Floats) -> Floats:
    """A part's share of a whole's ops, 0…1; counters of both are cut at different instants, so a part may seem to exceed its whole."""
    share = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    result: Floats = np.clip(share, 0.0, 1.0)
    return result
