"""From readings of a guest's disk to what happened between two of them: counters that begin again, wrap, repeat or jump never become
numbers. Pure.

A reading has up to two times: `raw_at_us` by the guest's own clock, and `ended_at_us`, where it is placed (`place_reading`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from gavel.domain.guests import DiskCounters, DiskRates, LatencyStep, Numbers, RefusalReason
from gavel.domain.samples import NOT_MEASURED

# Readings further apart make no interval: a minute in it could have had anything.
LONGEST_INTERVAL_US = 300_000_000
_SHORTEST_US = 500_000
# A guest's stamps are its own up to this much; beyond it readings are placed by when they arrived.
MOST_OFFSET_US = 60_000_000
# From here on the offset counts against the data quality.
_GOOD_OFFSET_US = 2_000_000
_DAY_US = 24 * 3600 * 1_000_000
# How long the smallest delay is looked for, before that of the next such time counts.
_OFFSET_WINDOW_US = 600_000_000
_WRAP_US = 2**32 * 1000
# No guest has more I/Os outstanding on one disk, and none completes more per second.
_MOST_OUTSTANDING = 10_000
_MOST_OPS_PER_S = 20_000_000
_INT32 = 2**31
# The largest sum that its column holds.
_MOST_QUEUE_US = (_INT32 - 1) * 1000


class IntervalQuality(IntEnum):
    """Of one interval; stored with it."""

    A = 1
    B = 2  # the guest's clock is off by more than 2 s, or its kernel times I/Os in ticks
    C = 3  # placed by when it arrived: confirms nothing


@dataclass(frozen=True, slots=True)
class GuestClock:
    """A guest's clock against ours: local − guest, as the smallest delay that was seen; delivery takes its time, never less than none.

    `offset_us`: what counts now. `window_offset_us`: the smallest since `window_from_us`, which counts once the window is over.
    """

    offset_us: int
    window_from_us: int
    window_offset_us: int


def measure_clock(clock: GuestClock | None, newest_at_us: int, received_us: int) -> GuestClock:
    """The clock after a request whose newest reading has this stamp."""
    seen = received_us - newest_at_us
    if clock is None:
        return GuestClock(seen, received_us, seen)
    if received_us - clock.window_from_us >= _OFFSET_WINDOW_US:
        return GuestClock(min(clock.window_offset_us, seen), received_us, seen)
    smallest = min(clock.window_offset_us, seen)
    return GuestClock(min(clock.offset_us, smallest), clock.window_from_us, smallest)


# Agents send what they read within so long: Telegraf every 10 s.
_LONGEST_DELIVERY_US = 10_000_000
_CLOCK_ERROR_US = 1_000_000


def clock_skew(offset_us: int) -> tuple[int, float]:
    """How far a guest's clock runs ahead of ours, µs, and within how many s that is true, from the smallest delay that was seen.

    A delay is what the clock is behind, and the delivery. Nobody tells the one from the other: the middle of what is possible.
    """
    delivery_us = min(max(offset_us, 0), _LONGEST_DELIVERY_US)
    return -(offset_us - delivery_us // 2), max(delivery_us / 2, _CLOCK_ERROR_US) / 1e6


@dataclass(frozen=True, slots=True)
class Placed:
    """When a reading counts as taken, and how good that is."""

    ended_at_us: int
    quality: IntervalQuality


def place_reading(
    raw_at_us: int | None, newest_at_us: int | None, received_us: int, clock: GuestClock | None
) -> Placed | None:
    """By the guest's own stamp, or by its arrival where there is none or the clock is too far off; the distances within one request stay.

    `newest_at_us`: the newest stamp of the request. None: outside the last 24 hours, or later than now.
    """
    if raw_at_us is None or newest_at_us is None or clock is None:
        return Placed(received_us, IntervalQuality.C)
    if abs(clock.offset_us) > MOST_OFFSET_US:
        placed = Placed(received_us - (newest_at_us - raw_at_us), IntervalQuality.C)
    else:
        is_good = abs(clock.offset_us) <= _GOOD_OFFSET_US
        placed = Placed(raw_at_us, IntervalQuality.A if is_good else IntervalQuality.B)
    if not received_us - _DAY_US <= placed.ended_at_us <= received_us + MOST_OFFSET_US:
        return None
    return placed


@dataclass(frozen=True, slots=True)
class LastReading:
    """The newest reading of a disk that was taken. `counters`: None where the agent sends rates."""

    raw_at_us: int | None
    ended_at_us: int
    received_us: int
    counters: DiskCounters | None


@dataclass(frozen=True, slots=True)
class DiskInterval:
    """A sample. `values`: by the columns of `streams.GUEST_DISK`, NOT_MEASURED where the agent does not send it."""

    ended_at_us: int
    interval_s: int
    values: Mapping[str, int]


def order_fault(last: LastReading, raw_at_us: int | None, ended_at_us: int, received_us: int) -> RefusalReason | None:
    """Why a reading cannot follow `last`. A guest whose clock was set back is read again after a pause."""
    if raw_at_us is not None and last.raw_at_us is not None:
        if raw_at_us == last.raw_at_us:
            return RefusalReason.REPEATED
        if raw_at_us < last.raw_at_us and received_us - last.received_us <= LONGEST_INTERVAL_US:
            return RefusalReason.OUT_OF_ORDER
    return RefusalReason.OUT_OF_ORDER if ended_at_us <= last.ended_at_us else None


def measure_interval(
    last: LastReading, raw_at_us: int | None, placed: Placed, numbers: Numbers, step: LatencyStep
) -> DiskInterval | RefusalReason:
    """What happened since `last`, which this reading can follow (`order_fault`); or why that cannot be known."""
    has_stamps = raw_at_us is not None and last.raw_at_us is not None
    elapsed_us = raw_at_us - last.raw_at_us if has_stamps else placed.ended_at_us - last.ended_at_us  # type: ignore[operator]
    if elapsed_us <= 0 or abs(elapsed_us - (placed.ended_at_us - last.ended_at_us)) > MOST_OFFSET_US:
        return RefusalReason.CLOCK_STEP
    if elapsed_us > LONGEST_INTERVAL_US:
        return RefusalReason.GAP
    if elapsed_us < _SHORTEST_US:
        return RefusalReason.IMPLAUSIBLE
    if isinstance(numbers, DiskRates):
        values = _from_rates(numbers, elapsed_us)
    elif last.counters is None:
        return RefusalReason.COUNTER_RESET
    else:
        values = _from_counters(last.counters, numbers, elapsed_us)
    if isinstance(values, RefusalReason):
        return values
    quality = max(placed.quality, IntervalQuality.B) if step is LatencyStep.TICK else placed.quality
    codes = {"latency_step": int(step), "data_quality": int(quality)}
    return DiskInterval(placed.ended_at_us, max(1, round(elapsed_us / 1_000_000)), values | codes)


def _from_counters(before: DiskCounters, now: DiskCounters, elapsed_us: int) -> dict[str, int] | RefusalReason:
    if before.epoch != now.epoch:
        return RefusalReason.COUNTER_RESET
    values: dict[str, int] = {}
    for direction in ("read", "write"):
        ops = _growth(before, now, f"{direction}s", 0)
        moved = _growth(before, now, f"{direction}_bytes", 0)
        time_us = _growth(before, now, f"{direction}_time_us", elapsed_us)
        if ops is None or moved is None or time_us is None:
            return RefusalReason.COUNTER_RESET
        if not _is_plausible(ops, time_us, elapsed_us):
            return RefusalReason.IMPLAUSIBLE
        has_time = ops > 0 and time_us != NOT_MEASURED
        values[f"{direction}_ops"] = ops
        values[f"{direction}_bytes"] = moved
        values[f"{direction}_latency_us"] = round(time_us / ops) if has_time else NOT_MEASURED
    queue_us = _growth(before, now, "queue_time_us", elapsed_us)
    if queue_us is None:
        return RefusalReason.COUNTER_RESET
    if queue_us > min(elapsed_us * _MOST_OUTSTANDING, _MOST_QUEUE_US):
        return RefusalReason.IMPLAUSIBLE
    values["queue_time_ms"] = NOT_MEASURED if queue_us == NOT_MEASURED else round(queue_us / 1000)
    return values


def _growth(before: DiskCounters, now: DiskCounters, name: str, elapsed_us: int) -> int | None:
    """By how much a counter grew: NOT_MEASURED where either reading lacks it, None where it began again. elapsed_us: of a time, which may
    wrap; 0 of a count."""
    first, second = getattr(before, name), getattr(now, name)
    if first is None or second is None:
        return NOT_MEASURED
    grown: int = second - first
    if grown >= 0:
        return grown
    if elapsed_us and now.wraps_ms and first < _WRAP_US and grown + _WRAP_US <= elapsed_us * _MOST_OUTSTANDING:
        return grown + _WRAP_US
    return None


def _is_plausible(ops: int, time_us: int, elapsed_us: int) -> bool:
    """time_us may be NOT_MEASURED."""
    if ops * 1_000_000 > _MOST_OPS_PER_S * elapsed_us or ops >= _INT32:
        return False
    return time_us <= elapsed_us * _MOST_OUTSTANDING and time_us < _INT32 * max(ops, 1)


def _from_rates(rates: DiskRates, elapsed_us: int) -> dict[str, int] | RefusalReason:
    elapsed_s = elapsed_us / 1_000_000
    values: dict[str, int] = {}
    for direction in ("read", "write"):
        ops = round((getattr(rates, f"{direction}s_per_s") or 0.0) * elapsed_s)
        moved = getattr(rates, f"{direction}_bytes_per_s")
        latency_us = getattr(rates, f"{direction}_latency_us")
        if not _is_plausible(ops, 0 if latency_us is None else round(latency_us * ops), elapsed_us):
            return RefusalReason.IMPLAUSIBLE
        values[f"{direction}_ops"] = ops
        values[f"{direction}_bytes"] = NOT_MEASURED if moved is None else round(moved * elapsed_s)
        values[f"{direction}_latency_us"] = NOT_MEASURED if latency_us is None or ops == 0 else round(latency_us)
    outstanding = rates.outstanding
    if outstanding is not None and not outstanding * elapsed_us <= min(elapsed_us * _MOST_OUTSTANDING, _MOST_QUEUE_US):
        return RefusalReason.IMPLAUSIBLE
    values["queue_time_ms"] = NOT_MEASURED if outstanding is None else round(outstanding * elapsed_s * 1000)
    return values
