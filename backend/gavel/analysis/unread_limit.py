"""A what-if of virtual disks whose IOPS limit nobody read: without one, and with the lowest that lets through what is measured."""

from collections.abc import Mapping
from dataclasses import replace

from gavel.analysis.queue_model import PARTS
from gavel.analysis.queue_response import FittedResponse
from gavel.analysis.whatif import Knobs, Load, Outlook, PredictedRange, predict


def predict_with_limit(load: Load, now: Knobs, then: Knobs, fitted: FittedResponse | None = None) -> Outlook:
    """What `then` would do; where the limit was not read, the hull of both outlooks. ValueError where nothing can be modelled."""
    free = predict(load, now, then, fitted)
    if now.is_limit_read:
        return free
    lowest = load.iops / now.disks
    # Any other limit lies between the two.
    kept = then if then.is_limit_read else replace(then, iops_limit=lowest)
    held = predict(load, replace(now, iops_limit=lowest), kept, fitted)
    return replace(
        free,
        others=(held.slow, held.fast),
        open_iops=held.open_iops if free.open_iops is None else free.open_iops,
        open_times=_open_hull(free.open_times, held.open_times),
        open_total=_hull(free.open_total, held.open_total),
        is_fitted=free.is_fitted and held.is_fitted,
        is_bounded=free.is_bounded and held.is_bounded,
    )


def _open_hull(
    free: Mapping[str, PredictedRange] | None, held: Mapping[str, PredictedRange] | None
) -> Mapping[str, PredictedRange] | None:
    if free is None or held is None:
        return held if free is None else free
    return {name: _hull(free[name], held[name]) or free[name] for name in PARTS}


def _hull(free: PredictedRange | None, held: PredictedRange | None) -> PredictedRange | None:
    if free is None or held is None:
        return held if free is None else free
    high = None if free.high is None or held.high is None else max(free.high, held.high)
    return PredictedRange(min(free.low, held.low), high)
