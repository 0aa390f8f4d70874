"""Reads, writes and their op-weighted sum: from measured chains to segments and spans with bounds."""

from dataclasses import dataclass, replace
from enum import IntFlag

import numpy as np
import numpy.typing as npt

from gavel.analysis.chain import Bounds, Chain, bounds, estimate, limited, with_derived
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.segments import ArrayParts, Parts, segments, spans
from gavel.domain.io_path import Boundary, Direction, Quality


@dataclass(frozen=True, slots=True)
class OneWay:
    """One direction of n rows: its chain, its ops (n,) and, if the array splits its time, the components.

    between: (n,) each, fewest and most ops that there can have been; None where they are exact.
    """

    chain: Chain
    ops: Floats
    array: ArrayParts | None = None
    between: tuple[Floats, Floats] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributed:
    """One direction, attributed. fitted: (n, 6) boundaries; `lacks_latency`: (n,) ops were done, but no latency was measured."""

    ops: Floats
    limits: Bounds
    fitted: Floats
    segments: Parts
    spans: Parts
    lacks_latency: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixes:
    """(n,) by how much the part that reads are of the I/Os may be less, and more, in rows that read and wrote: at a minute's edge, and
    where I/Os are counted per second, it is open how many of either there were."""

    fewer: Floats
    more: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """Reads and writes of n rows, fitted and bounded, before it is said where the rows begin."""

    ways: tuple[OneWay, OneWay]
    chains: tuple[Chain, Chain]
    limits: tuple[Bounds, Bounds]
    fitted: tuple[Floats, Floats]
    ops: tuple[Floats, Floats]
    whole: Bounds
    mixes: Mixes | None = None


def attribute(
    read: OneWay, write: OneWay, driver_limit_us: Floats | None = None, *, begins: Boundary = Boundary.GUEST
) -> dict[Direction, Attributed]:
    """Where the time of n rows goes, by direction. Arguments as those of `solve` and `attributed_from`."""
    return attributed_from(solve(read, write, driver_limit_us), begins)


def solve(read: OneWay, write: OneWay, driver_limit_us: Floats | None = None) -> Solved:
    """The chains of both directions, fitted inside their bounds.

    driver_limit_us: (n,) Little's bound on the driver time of all I/Os (`chain.depth_bound`), ∞ where unknown. It moves the estimates of
    reads and writes only until their op-weighted sum obeys it; of their own bounds it takes only what it says of both together.
    """
    chains = [with_derived(_with_ops(way)) for way in (read, write)]
    limits = [bounds(chain) for chain in chains]
    fitted = [estimate(chain, limit) for chain, limit in zip(chains, limits, strict=True)]
    ops = [np.where(way.ops > 0, way.ops, 0.0) for way in (read, write)]
    mixes = _mixes((read, write), ops)
    whole = _whole_limits(limits, fitted, ops, driver_limit_us, mixes)
    held = _held_under(fitted, limits, whole, ops)
    return Solved(
        ways=(read, write),
        chains=(chains[0], chains[1]),
        limits=(limits[0], limits[1]),
        fitted=(held[0], held[1]),
        ops=(ops[0], ops[1]),
        whole=whole,
        mixes=mixes,
    )


def attributed_from(solved: Solved, begins: Boundary) -> dict[Direction, Attributed]:
    """Rows that begin at `begins`: boundaries outside of it are evidence about those inside, but no part of the rows."""
    limits, whole = [_limits_inside(limit, begins) for limit in solved.limits], _limits_inside(solved.whole, begins)
    fitted = [_inside(one, begins) for one in solved.fitted]
    reads, writes = (
        _attributed(*one) for one in zip(solved.ways, solved.chains, limits, fitted, solved.ops, strict=True)
    )
    both = _summed([reads, writes], whole, solved.mixes)
    reads, writes = _tightened_by_total(reads, writes, both), _tightened_by_total(writes, reads, both)
    return {Direction.READ: reads, Direction.WRITE: writes, Direction.ALL: both}


def _inside(fitted: Floats, begins: Boundary) -> Floats:
    return np.where(np.arange(fitted.shape[1]) >= begins, fitted, np.nan)


def _limits_inside(limits: Bounds, begins: Boundary) -> Bounds:
    return replace(limits, present=limits.present & (np.arange(limits.present.shape[1]) >= begins))


def _with_ops(way: OneWay) -> Chain:
    """Without I/O there is no latency, whatever a counter says."""
    idle = ~(way.ops > 0)
    chain, columns = way.chain, idle[:, None]
    blanked = chain.boundaries.map(lambda x: np.where(columns, np.nan, x))
    return Chain(boundaries=blanked, kavg=chain.kavg, qavg=chain.qavg)


def _attributed(way: OneWay, chain: Chain, limits: Bounds, fitted: Floats, ops: Floats) -> Attributed:
    parts = segments(fitted, limits, chain.qavg, way.array)
    return Attributed(
        ops=ops,
        limits=limits,
        fitted=fitted,
        segments=parts,
        spans=spans(fitted, limits),
        lacks_latency=(ops > 0) & ~limits.present.any(axis=1),
    )


def _mixed(numbers: list[Floats], ops: list[Floats]) -> Floats:
    """Op-weighted mean of reads and writes; a direction without ops has no say, one with ops but no number leaves none."""
    total = ops[0] + ops[1]
    weights = [np.divide(one, total, out=np.zeros_like(total), where=total > 0) for one in ops]
    shaped = [weight.reshape(-1, *(1,) * (numbers[0].ndim - 1)) for weight in weights]
    parts = [np.multiply(x, w, out=np.zeros_like(x), where=w > 0) for x, w in zip(numbers, shaped, strict=True)]
    mixed: Floats = np.where(shaped[0] + shaped[1] > 0, parts[0] + parts[1], np.nan)
    return mixed


def _mixes(ways: tuple[OneWay, OneWay], ops: list[Floats]) -> Mixes | None:
    if ways[0].between is None or ways[1].between is None:
        return None
    (few_reads, many_reads), (few_writes, many_writes) = ways[0].between, ways[1].between
    both = (ops[0] > 0) & (ops[1] > 0)
    share, least, most = (
        np.divide(one, one + other, out=np.zeros_like(one), where=both & (one + other > 0))
        for one, other in ((ops[0], ops[1]), (few_reads, many_writes), (many_reads, few_writes))
    )
    return Mixes(fewer=np.maximum(share - least, 0.0), more=np.maximum(most - share, 0.0))


def _any_mix(numbers: list[Floats], ops: list[Floats], mixes: Mixes | None, extreme: np.ufunc) -> Floats:
    """As `_mixed`, the lowest (`np.fmin`) or highest (`np.fmax`) of every mix that is possible."""
    mean = _mixed(numbers, ops)
    if mixes is None:
        return mean
    shape = (-1, *(1,) * (mean.ndim - 1))
    slower = numbers[0] > numbers[1]
    if extreme is np.fmin:
        slower = ~slower
    with np.errstate(invalid="ignore"):
        moved = np.where(slower, mixes.more.reshape(shape), -mixes.fewer.reshape(shape))
        moved *= numbers[0] - numbers[1]
        moved += mean
    found: Floats = extreme(mean, moved)
    return found


def _mixed_parts(parts: list[Parts], ops: list[Floats], mixes: Mixes | None) -> Parts:
    return Parts(
        value=_mixed([one.value for one in parts], ops),
        lower=_any_mix([one.lower for one in parts], ops, mixes, np.fmin),
        upper=_any_mix([one.upper for one in parts], ops, mixes, np.fmax),
    )


def _whole_limits(
    limits: list[Bounds], fitted: list[Floats], ops: list[Floats], driver_limit_us: Floats | None, mixes: Mixes | None
) -> Bounds:
    """Bounds of the op-weighted sum, held under Little's bound where the driver time of all its I/Os is known."""
    present = ~np.isnan(_mixed(fitted, ops))
    busy = ops[0] + ops[1] > 0
    lower = np.where(busy[:, None], _any_mix([one.lower for one in limits], ops, mixes, np.fmin), 0.0)
    upper = np.where(busy[:, None], _any_mix([one.upper for one in limits], ops, mixes, np.fmax), np.inf)
    gap = np.where(busy, _mixed([one.disagreement_us for one in limits], ops), 0.0)
    whole = Bounds(lower=lower, upper=np.maximum(upper, lower), present=present, disagreement_us=gap)
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


def _summed(ways: list[Attributed], whole: Bounds, mixes: Mixes | None) -> Attributed:
    ops = [way.ops for way in ways]
    fitted = _mixed([way.fitted for way in ways], ops)
    parts = _mixed_parts([way.segments for way in ways], ops, mixes)
    layers = _summed_spans(ways, spans(fitted, whole), ops, mixes)
    lacking = (ops[0] + ops[1] > 0) & ~whole.present.any(axis=1)
    return Attributed(
        ops=ops[0] + ops[1], limits=whole, fitted=fitted, segments=parts, spans=layers, lacks_latency=lacking
    )


def _summed_spans(ways: list[Attributed], own: Parts, ops: list[Floats], mixes: Mixes | None) -> Parts:
    """Spans that both directions have are their sum; else the whole's own.

    Each direction's bounds hold, so their sum does; the whole's own edges may say more, above all with Little's bound. They speak of
    the same stretch only where the estimates agree: one direction's kernel may start at the virtual disk, the other's at the device.
    """
    mixed = _mixed_parts([way.spans for way in ways], ops, mixes)
    value, lower, upper = mixed.value, mixed.lower, mixed.upper
    alone, same = np.isnan(value), np.isclose(value, own.value, rtol=1e-9, atol=1e-6)
    low = np.where(alone, own.lower, np.where(same, np.fmax(own.lower, lower), lower))
    high = np.where(alone, own.upper, np.where(same, np.fmin(own.upper, upper), upper))
    return Parts(value=np.where(alone, own.value, value), lower=low, upper=np.fmax(low, high))


def _tightened_by_total(way: Attributed, other: Attributed, whole: Attributed) -> Attributed:
    """Bounds of spans no wider than those of both directions leave: at most all there may be without the lower bound of the other.

    Where the whole's stretch is not the sum of both, it says nothing about one of them.
    """
    own, rest = way.ops[:, None], other.ops[:, None]
    idle = rest <= 0
    value, low, high = (np.where(idle, 0.0, getattr(other.spans, name)) * rest for name in ("value", "lower", "upper"))
    total = whole.ops[:, None]
    same = np.isclose(whole.spans.value * total, way.spans.value * own + value, rtol=1e-9, atol=1e-6)
    shares = own > 0
    least = np.divide(whole.spans.lower * total - high, own, out=np.full_like(value, -np.inf), where=shares & same)
    most = np.divide(whole.spans.upper * total - low, own, out=np.full_like(value, np.inf), where=shares & same)
    spans_ = way.spans
    lower = np.minimum(np.maximum(spans_.lower, least), spans_.value)
    upper = np.maximum(np.minimum(spans_.upper, most), spans_.value)
    return replace(way, spans=Parts(value=spans_.value, lower=lower, upper=upper))


class QualityReason(IntFlag):
    """Why a row is not an A."""

    NONE = 0
    MILLISECONDS = 1
    MATCH_OFF_5 = 2
    OFFSET_OVER_1_S = 4
    DISAGREEMENT = 8
    MATCH_OFF_10 = 16
    OFFSET_OVER_5_S = 32
    SAMPLE_MISSING = 64
    SMALL_SHARE = 128
    SIDE_MISSING = 256


# A row of a window is graded by its worst minute.
WORDS = {
    QualityReason.MILLISECONDS: "latency counters with a resolution of 1 ms",
    QualityReason.MATCH_OFF_5: "host and array IOPS differ by more than 5 % in at least one minute",
    QualityReason.OFFSET_OVER_1_S: "clock skew known to no better than 1 s",
    QualityReason.DISAGREEMENT: "inconsistent counters on this path",
    QualityReason.MATCH_OFF_10: "host and array IOPS differ by more than 10 % in at least one minute",
    QualityReason.OFFSET_OVER_5_S: "clock skew known to no better than 5 s",
    QualityReason.SAMPLE_MISSING: "a sample missing in at least one minute",
    QualityReason.SMALL_SHARE: "it issues less than a fifth of the I/Os of its device or volume",
    QualityReason.SIDE_MISSING: "one side (hosts or array) not measured",
}
_B = QualityReason.MILLISECONDS | QualityReason.MATCH_OFF_5 | QualityReason.OFFSET_OVER_1_S
_C = (
    QualityReason.DISAGREEMENT
    | QualityReason.MATCH_OFF_10
    | QualityReason.OFFSET_OVER_5_S
    | QualityReason.SAMPLE_MISSING
    | QualityReason.SMALL_SHARE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityInputs:
    """What a quality looks at, each (n,). match_ratio: host ÷ array ops; offset_error_s: of the worse clock; share: of the device's ops."""

    microseconds: Bools
    match_ratio: Floats
    offset_error_s: Floats
    sample_missing: Bools
    disagreement_us: Floats
    share: Floats
    side_missing: Bools


def quality_reasons(quality: QualityInputs) -> npt.NDArray[np.int64]:
    """(n,) flags of `QualityReason`. An unknown offset or share counts as a bad one, an unknown match_ratio as a missing side."""
    off = np.abs(quality.match_ratio - 1.0)
    error = np.where(np.isnan(quality.offset_error_s), np.inf, quality.offset_error_s)
    unknown = np.isnan(quality.match_ratio)
    # 95 % is inside "95–105 %", also in floating point.
    slack = 1e-9
    flags = [
        (QualityReason.MILLISECONDS, ~quality.microseconds),
        (QualityReason.MATCH_OFF_5, (off > 0.05 + slack) & ~(off > 0.10 + slack)),
        (QualityReason.OFFSET_OVER_1_S, (error > 1) & (error <= 5)),
        (QualityReason.DISAGREEMENT, quality.disagreement_us > 0),
        (QualityReason.MATCH_OFF_10, off > 0.10 + slack),
        (QualityReason.OFFSET_OVER_5_S, error > 5),
        (QualityReason.SAMPLE_MISSING, quality.sample_missing),
        (QualityReason.SMALL_SHARE, ~(quality.share >= 0.2)),
        (QualityReason.SIDE_MISSING, quality.side_missing | unknown),
    ]
    result: npt.NDArray[np.int64] = np.sum(
        [np.where(rows, int(flag), 0) for flag, rows in flags], axis=0, dtype=np.int64
    )
    return result


def qualities(reasons: npt.NDArray[np.int64]) -> npt.NDArray[np.str_]:
    """(n,) letters of `Quality`."""
    conditions = [(reasons & int(QualityReason.SIDE_MISSING)) > 0, (reasons & int(_C)) > 0, (reasons & int(_B)) > 0]
    letters: npt.NDArray[np.str_] = np.select(
        conditions, [Quality.D.value, Quality.C.value, Quality.B.value], Quality.A.value
    )
    return letters


def in_words(reasons: int) -> tuple[str, ...]:
    """The reasons of one row as sentences' beginnings, in the order of `QualityReason`."""
    return tuple(words for flag, words in WORDS.items() if reasons & flag)


def match_ratio(host_ops: Floats, array_ops: Floats) -> Floats:
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
