"""Figures of load tools put together: rates add up, latencies are weighted by I/Os, percentiles come from bins or not at all."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from gavel.domain.io_path import DirectionName
from gavel.domain.load_runs import LoadFigures, LoadWarning

PERCENTILES: Final = {"p50_us": 50.0, "p95_us": 95.0, "p99_us": 99.0, "p999_us": 99.9}
# Rounding of the averages, and I/Os at the edges of the window.
_LITTLE_SLACK = 1.02
_Number = TypeVar("_Number", int, float)
_KIB, _MIB = 2**10, 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadWay:
    """I/Os of one direction as a part of a file has them. ops: None where only a rate is in it. timed: I/Os that the latency rests on, or
    a weight in their place; None where neither is known. Rates, mean_us, max_us: None where not measured."""

    ops: int | None
    timed: float | None
    ops_per_s: float | None
    bytes_per_s: float | None
    mean_us: float | None
    max_us: float | None


def together(
    direction: DirectionName, ways: Sequence[LoadWay], percentiles: Mapping[str, float | None] | None = None
) -> LoadFigures:
    """Of parts that ran at once. percentiles: by their names in the figures; they do not average."""
    slowest = _all_known(way.max_us for way in ways)
    ops = _all_known(way.ops for way in ways)
    rates, sizes = (_all_known(each) for each in ((way.ops_per_s for way in ways), (way.bytes_per_s for way in ways)))
    return LoadFigures(
        direction=direction,
        ops=None if ops is None else sum(ops),
        ops_per_s=None if rates is None else sum(rates),
        bytes_per_s=None if sizes is None else sum(sizes),
        mean_us=mean_us([(way.mean_us, way.timed) for way in ways]),
        max_us=None if slowest is None else max(slowest),
        **{name: (percentiles or {}).get(name) for name in PERCENTILES},
    )


def _all_known(numbers: Iterable[_Number | None]) -> list[_Number] | None:
    """None where one is not known: what a part lacks has no sum."""
    found = list(numbers)
    known = [number for number in found if number is not None]
    return known if len(known) == len(found) else None


def mean_us(parts: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Of latencies with their I/Os; None where one with I/Os has none, or where it is not known of one how many it had."""
    weights = _all_known(weight for _, weight in parts)
    if weights is None:
        return None
    counted = [(us, weight) for (us, _), weight in zip(parts, weights, strict=True) if weight > 0]
    whole = sum(weight for _, weight in counted)
    if not counted or any(us is None for us, _ in counted):
        return None
    return sum(us * weight for us, weight in counted if us is not None) / whole


def percentiles_at(us_by_percent: Mapping[float, float]) -> dict[str, float | None]:
    """Those that the figures have, of those that a tool worked out."""
    return {
        name: next((us for at, us in us_by_percent.items() if abs(at - percent) < 1e-6), None)
        for name, percent in PERCENTILES.items()
    }


def percentiles_of(bins: Mapping[float, int]) -> dict[str, float | None]:
    """From counts of I/Os by latency in µs."""
    return {name: _percentile(bins, percent) for name, percent in PERCENTILES.items()}


def added(bins: Sequence[Mapping[float, int]]) -> Counter[float]:
    whole: Counter[float] = Counter()
    for each in bins:
        whole.update(each)
    return whole


def _percentile(bins: Mapping[float, int], percent: float) -> float | None:
    wanted, passed = percent / 100 * sum(bins.values()), 0
    for us in sorted(bins):
        passed += bins[us]
        if passed >= wanted and passed > 0:
            return us
    return None


def more_outstanding(
    whole: LoadFigures, limit: int | None, why: str, *, slack: float = _LITTLE_SLACK
) -> list[LoadWarning]:
    """Where more I/Os were outstanding than the settings allow (Little's law). why: what may be behind it."""
    outstanding = (whole.ops_per_s or 0.0) * (whole.mean_us or 0.0) / 1e6
    if not limit or outstanding <= limit * slack:
        return []
    text = f"IOPS × latency is {outstanding:.1f} outstanding I/Os, more than the {limit} of the options: {why}"
    return [LoadWarning("more_outstanding", text)]


def block_size_text(size_bytes: float | None) -> str | None:
    """As people write it: 4k, 1m, 512."""
    if size_bytes is None or size_bytes <= 0 or size_bytes != int(size_bytes):
        return None
    size = int(size_bytes)
    if size % _MIB == 0:
        return f"{size // _MIB}m"
    return f"{size // _KIB}k" if size % _KIB == 0 else str(size)
