"""Reads, writes and their op-weighted sum: from measured chains to segments and spans with bounds."""

from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.chain import Bounds, Chain, bounds, limited, with_derived
from gavel.analysis.fit import estimate
from gavel.analysis.intervals import Bools, Floats, Intervals
from gavel.analysis.segments import ArrayParts, Parts, segments, spans
from gavel.domain.io_path import Boundary, Direction


@dataclass(frozen=True, slots=True)
class OneWay:
    """One direction of n rows: its chain, its ops (n,) and, if the array splits its time, the components."""

    chain: Chain
    ops: Floats
    array: ArrayParts | None = None


@dataclass(frozen=True, slots=True)
class Attributed:
    """One direction, attributed. fitted: (n, 6) boundaries; `lacks_latency`: (n,) ops were done, but no latency was measured."""

    ops: Floats
    limits: Bounds
    fitted: Floats
    segments: Parts
    spans: Parts
    lacks_latency: Bools


def attribute(
    read: OneWay, write: OneWay, driver_limit_us: Floats | None = None, *, begins: Boundary = Boundary.GUEST
) -> dict[Direction, Attributed]:
    """Where the time of n rows goes, by direction.

    begins: boundaries outside of it are evidence about those inside, but no part of the rows.

    driver_limit_us: (n,) Little's bound on the driver time of all I/Os (`chain.depth_bound`), ∞ where unknown. It moves the estimates of
    reads and writes only until their op-weighted sum obeys it; of their own bounds it takes only what it says of both together.
    """
    chains = [with_derived(_with_ops(way)) for way in (read, write)]
    limits = [bounds(chain) for chain in chains]
    fitted = [estimate(chain, limit) for chain, limit in zip(chains, limits, strict=True)]
    ops = [np.where(way.ops > 0, way.ops, 0.0) for way in (read, write)]
    whole = _whole_limits(limits, fitted, ops, driver_limit_us)
    fitted = [_inside(one, begins) for one in _held_under(fitted, limits, whole, ops)]
    limits, whole = [_limits_inside(limit, begins) for limit in limits], _limits_inside(whole, begins)
    reads, writes = (
        _attributed(way, *one)
        for way, one in zip((read, write), zip(chains, limits, fitted, ops, strict=True), strict=True)
    )
    both = _summed([reads, writes], whole)
    reads, writes = _told_by_both(reads, writes, both), _told_by_both(writes, reads, both)
    return {Direction.READ: reads, Direction.WRITE: writes, Direction.ALL: both}


def _inside(fitted: Floats, begins: Boundary) -> Floats:
    return np.where(np.arange(fitted.shape[1]) >= begins, fitted, np.nan)


def _limits_inside(limits: Bounds, begins: Boundary) -> Bounds:
    return replace(limits, present=limits.present & (np.arange(limits.present.shape[1]) >= begins))


def _with_ops(way: OneWay) -> Chain:
    """Without I/O there is no latency, whatever a counter says."""
    idle = ~(way.ops > 0)
    chain, columns = way.chain, idle[:, None]
    blanked = Intervals(
        *(
            np.where(columns, np.nan, x)
            for x in (chain.boundaries.lower, chain.boundaries.upper, chain.boundaries.value)
        )
    )
    return Chain(blanked, chain.kavg, chain.qavg)


def _attributed(way: OneWay, chain: Chain, limits: Bounds, fitted: Floats, ops: Floats) -> Attributed:
    parts = segments(fitted, limits, chain.qavg, way.array)
    return Attributed(ops, limits, fitted, parts, spans(fitted, limits), (ops > 0) & ~limits.present.any(axis=1))


def _mixed(numbers: list[Floats], ops: list[Floats]) -> Floats:
    """Op-weighted mean of reads and writes; a direction without ops has no say, one with ops but no number leaves none."""
    total = ops[0] + ops[1]
    weights = [np.divide(one, total, out=np.zeros_like(total), where=total > 0) for one in ops]
    shaped = [weight.reshape(-1, *(1,) * (numbers[0].ndim - 1)) for weight in weights]
    parts = [np.multiply(x, w, out=np.zeros_like(x), where=w > 0) for x, w in zip(numbers, shaped, strict=True)]
    mixed: Floats = np.where(shaped[0] + shaped[1] > 0, parts[0] + parts[1], np.nan)
    return mixed


def _whole_limits(
    limits: list[Bounds], fitted: list[Floats], ops: list[Floats], driver_limit_us: Floats | None
) -> Bounds:
    """Bounds of the op-weighted sum, held under Little's bound where the driver time of all its I/Os is known."""
    present = ~np.isnan(_mixed(fitted, ops))
    busy = ops[0] + ops[1] > 0
    lower = np.where(busy[:, None], _mixed([one.lower for one in limits], ops), 0.0)
    upper = np.where(busy[:, None], _mixed([one.upper for one in limits], ops), np.inf)
    gap = np.where(busy, _mixed([one.disagreement_us for one in limits], ops), 0.0)
    whole = Bounds(lower, np.maximum(upper, lower), present, gap)
    if driver_limit_us is None:
        return whole
    return limited(whole, np.where(present[:, Boundary.DRIVER], driver_limit_us, np.inf))


def _held_under(fitted: list[Floats], limits: list[Bounds], whole: Bounds, ops: list[Floats]) -> list[Floats]:
    """Both directions' driver (and what is inside it) moved by one common share of their room towards their lower bounds, so that their sum
    obeys the bounds of the whole."""
    lowest = [limit.lower[:, Boundary.DRIVER] for limit in limits]
    driver = [one[:, Boundary.DRIVER] for one in fitted]
    over = _mixed(driver, ops) - whole.upper[:, Boundary.DRIVER]
    room = _mixed([x - low for x, low in zip(driver, lowest, strict=True)], ops)
    share = np.minimum(np.divide(over, room, out=np.zeros_like(over), where=(over > 0) & (room > 0)), 1.0)
    return [_lowered(one, x - share * (x - low)) for one, x, low in zip(fitted, driver, lowest, strict=True)]


def _lowered(fitted: Floats, driver: Floats) -> Floats:
    moved = fitted.copy()
    inside = moved[:, Boundary.DRIVER :]
    cap = np.where(np.isnan(driver), np.inf, driver)[:, None]
    moved[:, Boundary.DRIVER :] = np.where(np.isnan(inside), np.nan, np.minimum(inside, cap))
    return moved


def _summed(ways: list[Attributed], whole: Bounds) -> Attributed:
    ops = [way.ops for way in ways]
    fitted = _mixed([way.fitted for way in ways], ops)
    parts = Parts(*(_mixed([getattr(way.segments, name) for way in ways], ops) for name in ("value", "lower", "upper")))
    layers = _summed_spans(ways, spans(fitted, whole), ops)
    lacking = (ops[0] + ops[1] > 0) & ~whole.present.any(axis=1)
    return Attributed(ops[0] + ops[1], whole, fitted, parts, layers, lacking)


def _summed_spans(ways: list[Attributed], own: Parts, ops: list[Floats]) -> Parts:
    """Spans that both directions have are their sum; else the whole's own.

    Each direction's bounds hold, so their sum does; the whole's own edges may say more, above all with Little's bound. They speak of
    the same stretch only where the estimates agree: one direction's kernel may start at the virtual disk, the other's at the device.
    """
    value, lower, upper = (
        _mixed([getattr(way.spans, name) for way in ways], ops) for name in ("value", "lower", "upper")
    )
    alone, same = np.isnan(value), np.isclose(value, own.value, rtol=1e-9, atol=1e-6)
    low = np.where(alone, own.lower, np.where(same, np.fmax(own.lower, lower), lower))
    high = np.where(alone, own.upper, np.where(same, np.fmin(own.upper, upper), upper))
    return Parts(np.where(alone, own.value, value), low, np.fmax(low, high))


def _told_by_both(way: Attributed, other: Attributed, both: Attributed) -> Attributed:
    """Bounds of spans no wider than those of both directions leave: at most all there may be without what is certain of the other.

    Where the whole's stretch is not the sum of both, it says nothing about one of them.
    """
    own, rest = way.ops[:, None], other.ops[:, None]
    idle = rest <= 0
    value, low, high = (np.where(idle, 0.0, getattr(other.spans, name)) * rest for name in ("value", "lower", "upper"))
    total = both.ops[:, None]
    same = np.isclose(both.spans.value * total, way.spans.value * own + value, rtol=1e-9, atol=1e-6)
    shares = own > 0
    least = np.divide(both.spans.lower * total - high, own, out=np.full_like(value, -np.inf), where=shares & same)
    most = np.divide(both.spans.upper * total - low, own, out=np.full_like(value, np.inf), where=shares & same)
    spans_ = way.spans
    lower = np.minimum(np.maximum(spans_.lower, least), spans_.value)
    upper = np.maximum(np.minimum(spans_.upper, most), spans_.value)
    return replace(way, spans=Parts(spans_.value, lower, upper))
