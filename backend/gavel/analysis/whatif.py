"""What a setting would do to one workload in one device queue: closed loop and open loop, always as ranges (attribution.md §7).

A workload keeps I/Os outstanding; virtual disks, an IOPS limit and the device queue let some of them through. Little's law holds in every
reading: outstanding = IOPS × latency. Nothing in this module claims a point.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gavel.analysis.queue_model import PARTS, US, Ceiling, Fixed, QueuePart, QueueTimes, many_servers_us, solve
from gavel.analysis.queue_response import (
    FittedResponse,
    Response,
    latency_stays,
    throughput_stays,
    throughput_stays_shared,
)

# Of an IOPS limit, from which on its wait is the limit's.
LIMIT_USED = 0.95
# Parts in which I/Os wait that do not get through.
_WAITS = ("guest_queue", "hypervisor", "kernel_queue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is measured of a workload in one device queue (iops and driver time > 0).

    neighbor_iops: of others in the same queue; array_iops: of the whole array, at_array: I/Os of all hosts on the queue's
    volume that are in the array, None: not measured. non_optimized_extra_us: what an I/O on a
    non-optimized path takes longer, None: not known.
    """

    iops: float
    times: QueueTimes
    neighbor_iops: float = 0.0
    array_iops: float | None = None
    at_array: float | None = None
    non_optimized_extra_us: float | None = None

    @property
    def outstanding(self) -> float:
        """At the outermost boundary that is measured, by Little's law."""
        return self.iops * self.times.total / US

    @property
    def in_flight(self) -> float:
        """Of the whole queue in the driver."""
        return (self.iops + self.neighbor_iops) * self.times.driver / US

    @property
    def neighbors(self) -> float:
        """I/Os of others in the queue, waiting or in flight."""
        return self.neighbor_iops * (self.times.kernel_queue + self.times.driver) / US


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    """Settings of a scenario. threads: I/Os kept outstanding, all disks together; None: as measured.
    None elsewhere: no limit, or not known.

    virtual_disk_queue: of each disk; device_depth: the effective one; queues: device queues that the workload is spread over evenly (more
    datastores or hosts); iops_limit: of each disk, is_limit_read False: there may be one; demand_iops: what the application wants at most.
    """

    threads: float | None = None
    virtual_disk_queue: float | None = None
    device_depth: float | None = None
    disks: int = 1
    queues: int = 1
    iops_limit: float | None = None
    is_limit_read: bool = True
    demand_iops: float | None = None
    non_optimized_share: float = 0.0


@dataclass(frozen=True, slots=True)
class PredictedRange:
    """low ≤ high. high None: no bound is known."""

    low: float
    high: float | None

    def holds(self, value: float, *, within: float = 0.0) -> bool:
        """within: relative, of the value."""
        return self.low - within * value <= value and (self.high is None or value <= self.high + within * value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One modelled state. outstanding: iops × times.total. admitted: past the virtual disks; in_flight: in the driver, own ones.

    neighbor_iops, neighbor_us: of the others in its first queue, µs in kernel queue and driver.
    """

    iops: float
    times: QueueTimes
    binding: Ceiling
    neighbor_iops: float
    neighbor_us: float

    @property
    def outstanding(self) -> float:
        return self.iops * self.times.total / US

    @property
    def in_flight(self) -> float:
        return self.iops * self.times.driver / US


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """closed: both readings, slow first, then those with an IOPS limit that was not read (others); open_iops, open_times: with IOPS as
    they are, None where they cannot stay. is_fitted: R(n) is of the queue's own history. is_bounded: latency has an upper bound, for all
    threads are known or get through. ceilings: I/Os that each limit lets be outstanding or in flight, the binding one first.
    """

    now: Reading
    slow: Reading
    fast: Reading
    open_iops: float | None
    open_times: Mapping[str, PredictedRange] | None
    open_total: PredictedRange | None
    is_fitted: bool
    is_bounded: bool
    ceilings: tuple[tuple[Ceiling, float], ...]
    others: tuple[Reading, ...] = ()

    @property
    def closed(self) -> tuple[Reading, ...]:
        return (self.slow, self.fast, *self.others)

    @property
    def total(self) -> PredictedRange:
        """Hull of both loops, µs."""
        totals = [one.times.total for one in self.closed]
        if self.open_total is not None:
            totals += [self.open_total.low, self.open_total.high or self.open_total.low]
        return PredictedRange(min(totals), max(totals) if self.is_bounded else None)

    @property
    def iops(self) -> PredictedRange:
        rates = [*(one.iops for one in self.closed), *([] if self.open_iops is None else [self.open_iops])]
        return PredictedRange(min(rates), max(rates))

    def part(self, name: str) -> PredictedRange:
        """Of one part of the path, hull of both loops."""
        values = [getattr(one.times, name) for one in self.closed]
        if self.open_times is not None:
            values += [self.open_times[name].low, self.open_times[name].high or self.open_times[name].low]
        grows = name in _WAITS and getattr(self.slow.times, name) > getattr(self.now.times, name) * (1 + 1e-6)
        return PredictedRange(min(values), None if grows and not self.is_bounded else max(values))


# --- a scenario -------------------------------------------------------------------------------------------------------


def predict(load: Load, now: Knobs, then: Knobs, fitted: FittedResponse | None = None) -> Outlook:
    """What `then` would do to a workload that was measured under `now`. ValueError where nothing can be modelled."""
    if load.iops <= 0 or load.times.driver <= 0:
        raise ValueError("without I/O and its time in the driver there is nothing to predict from")
    # As measured, threads that think between their I/Os are not among them: with less room they pile up.
    is_counted = (now.threads or then.threads) is not None
    threads = load.outstanding if now.threads is None else now.threads
    now, then = replace(now, threads=threads), replace(then, threads=then.threads or threads)
    extra = load.non_optimized_extra_us or 0.0
    shift = (then.non_optimized_share - now.non_optimized_share) * extra
    fixed, used = _measured(load, now)
    own = latency_stays(load.times.driver)
    unchanged = _reading(load, now, own, own, fixed, used)
    curves, is_fitted = _curves(load, then, fitted, fixed, used, shift)
    ends = _burst_ends(load, now, then, fixed)
    readings = [
        _reading(load, then, inner, outer, replace(fixed, bursts=bursts), used)
        for (inner, outer), bursts in zip(curves, ends, strict=True)
    ]
    fast, slow = sorted(readings, key=lambda reading: (reading.times.total, -reading.iops))
    open_times = _open(load, now, then, fast, slow, shift, _relief(load, now, then, curves[1][0]))
    return Outlook(
        now=unchanged,
        slow=slow,
        fast=fast,
        open_iops=None if open_times is None else load.iops,
        open_times=open_times,
        open_total=None if open_times is None else _sum(open_times.values()),
        is_fitted=is_fitted,
        is_bounded=is_counted or not _is_tighter(now, then) or slow.iops >= load.iops * (1 - 1e-3),
        ceilings=_ceilings(then, fast),
    )


def _is_tighter(now: Knobs, then: Knobs) -> bool:
    """Whether any limit lets less through than before."""
    both = ((of(now), of(then)) for of in (_admits, _slots, _most_iops))
    return any(after is not None and (before is None or after < before) for before, after in both)


def _measured(load: Load, now: Knobs) -> tuple[Fixed, float]:
    """What the limits do not explain of the measured waits, and the part of a full device queue's depth that is in use on average."""
    times, depth = load.times, now.device_depth
    inside = load.in_flight + (load.iops + load.neighbor_iops) * times.kernel_queue / US
    is_full = depth is not None and inside > depth
    used = min(1.0, load.in_flight / depth) if is_full and depth is not None else 1.0
    most = _most_iops(now)
    is_limited = most is not None and load.iops >= LIMIT_USED * most
    hypervisor = 0.0 if is_limited else times.hypervisor
    bare = Fixed(0.0, hypervisor, times.kernel_processing, 0.0 if is_full else times.kernel_queue)
    own = latency_stays(times.driver)
    modelled = _reading(load, now, own, own, bare, used).times
    return replace(bare, guest=max(0.0, times.guest_queue - modelled.guest_queue)), used


def _most_iops(knobs: Knobs) -> float | None:
    return None if knobs.iops_limit is None else knobs.iops_limit * knobs.disks


def _curves(
    load: Load, then: Knobs, fitted: FittedResponse | None, fixed: Fixed, used: float, shift: float
) -> tuple[Sequence[tuple[Response, Response]], bool]:
    """R(n) of the fast and of the slow reading: for one queue, and for all queues' I/Os together, which one array serves."""
    driver = load.times.driver
    stays = latency_stays(driver)
    reached = _reading(load, then, stays, stays, fixed, used)
    in_flight = (reached.iops / then.queues + reached.neighbor_iops) * driver / US
    if fitted is not None and fitted.spans(in_flight) and fitted.spans(in_flight * then.queues):
        ends = (fitted.fast.shifted(shift), fitted.slow.shifted(shift))
        return [(end, Response(end.base_us, end.slope_us * then.queues)) for end in ends], True
    low, high = _scatter(load, fitted)
    less, more = (
        Response(law.base_us + shift, law.slope_us * then.queues)
        for law in (throughput_stays(driver, max(load.in_flight, 1e-9)), _only_waiting(load, then))
    )
    same = stays.shifted(shift)
    if reached.binding is Ceiling.IOPS_LIMIT:
        ends = (same, same)
    elif in_flight * then.queues >= load.in_flight * (1 + 1e-6):
        ends = (same, more)
    elif in_flight * then.queues <= load.in_flight * (1 - 1e-6):
        ends = (less, same)
    else:
        ends = (same, same)
    fast, slow = ends[0].scaled(low), ends[1].scaled(high)
    return [(fast, fast), (slow, slow)], False


def _only_waiting(load: Load, then: Knobs) -> Response:
    """Spread over other queues the workload is on other volumes, of whose I/O nothing is measured."""
    in_flight = max(load.in_flight, 1e-9)
    if load.at_array is None or then.queues > 1:
        return throughput_stays(load.times.driver, in_flight)
    return throughput_stays_shared(load.times.san, load.times.array, in_flight, load.at_array)


def _scatter(load: Load, fitted: FittedResponse | None) -> tuple[float, float]:
    """How far minutes stray from the mean, as factors of the driver's time: at most and at least 1."""
    if fitted is None:
        return 1.0, 1.0
    driver, in_flight = load.times.driver, load.in_flight
    low, high = (one.at(in_flight) / driver for one in (fitted.fast, fitted.slow))
    return min(1.0, max(0.5, low)), max(1.0, min(2.0, high))


def _reading(load: Load, knobs: Knobs, first: Response, others: Response, fixed: Fixed, used: float) -> Reading:
    """The workload evenly over its queues: the first with the neighbors it has, the others alone."""
    part = 1 / knobs.queues
    threads = load.outstanding if knobs.threads is None else knobs.threads
    admits = np.inf if knobs.virtual_disk_queue is None else knobs.virtual_disk_queue * knobs.disks
    most = _most_iops(knobs)
    queue = QueuePart(
        threads=threads * part,
        admits=admits * part,
        depth=np.inf if knobs.device_depth is None else knobs.device_depth * used,
        most_iops=np.inf if most is None else most * part,
        neighbors=load.neighbors,
        fixed=fixed,
        response=_demanded(first, knobs, admits, used),
    )
    iops, times, binding, beside = solve(queue)
    if knobs.queues > 1:
        alone = replace(queue, neighbors=0.0, response=_demanded(others, knobs, admits, used))
        rest, rest_times, _, _ = solve(alone)
        times = _mean(times, iops, rest_times, rest * (knobs.queues - 1))
        iops += rest * (knobs.queues - 1)
    if knobs.demand_iops is not None and iops >= knobs.demand_iops * (1 - 1e-6) and binding is not Ceiling.IOPS_LIMIT:
        binding = Ceiling.DEMAND
    return Reading(
        iops=iops, times=_split(times, load), binding=binding, neighbor_iops=beside[0], neighbor_us=beside[1]
    )


def _demanded(response: Response, knobs: Knobs, admits: float, used: float) -> Response:
    """A closed loop that does no more than what is demanded takes so long at least that its I/Os in flight last."""
    if knobs.demand_iops is None:
        return response
    depth = np.inf if knobs.device_depth is None else knobs.device_depth * knobs.queues * used
    in_flight = min(knobs.threads or np.inf, admits, depth)
    return replace(response, least_us=max(response.least_us, in_flight / knobs.demand_iops * US))


def _mean(first: QueueTimes, first_iops: float, rest: QueueTimes, rest_iops: float) -> QueueTimes:
    both = first_iops + rest_iops
    return QueueTimes(
        *((a * first_iops + b * rest_iops) / both for a, b in zip(first.values(), rest.values(), strict=True))
    )


def _split(times: QueueTimes, load: Load) -> QueueTimes:
    """The driver's time as SAN and array: what the SAN took stays, as far as there is room for it."""
    san = min(load.times.san, times.array)
    return replace(times, san=san, array=times.array - san)


def _burst_ends(load: Load, now: Knobs, then: Knobs, fixed: Fixed) -> tuple[float, float]:
    """Waits in a queue that is not full on average: none or as now with more room; as now, or longer, with less."""
    if now.device_depth is None or then.device_depth is None or then.device_depth == now.device_depth:
        return fixed.bursts, fixed.bursts
    if then.device_depth > now.device_depth:
        return 0.0, fixed.bursts
    wait = many_servers_us(load.times.driver, load.in_flight, then.device_depth)
    return fixed.bursts, fixed.bursts * now.device_depth / then.device_depth + wait


# --- open loop --------------------------------------------------------------------------------------------------------


def _open(
    load: Load, now: Knobs, then: Knobs, fast: Reading, slow: Reading, shift: float, relief: float
) -> Mapping[str, PredictedRange] | None:
    """IOPS stay: what is left of each wait. None where the new settings cannot carry them."""
    if fast.iops < load.iops * (1 - 1e-6):
        return None
    times = load.times
    used = {
        "guest_queue": (load.iops * (times.total - times.guest_queue) / US, _admits(now), _admits(then)),
        "hypervisor": (load.iops, _most_iops(now), _most_iops(then)),
        "kernel_queue": (load.in_flight / then.queues, _slots(now), None if then.device_depth is None else then.device_depth),
    }  # fmt: skip
    found: dict[str, PredictedRange] = {}
    for name, value in zip(PARTS, times.values(), strict=True):
        if name not in used:
            found[name] = PredictedRange(value, value)
            continue
        taken, before, after = used[name]
        room = np.inf if after is None else after
        was = np.inf if before is None else before
        is_roomier = room * (then.queues if name == "kernel_queue" else 1) > was
        eased = relief if name == "kernel_queue" else 1.0
        worse = max(getattr(slow.times, name), value)
        found[name] = (
            PredictedRange(0.0 if taken < room else value * eased, value * eased)
            if is_roomier
            else PredictedRange(value, worse if room < was else value)
        )
    found["san"] = PredictedRange(max(0.0, times.san + shift), max(0.0, times.san + shift))
    return found


def _relief(load: Load, now: Knobs, then: Knobs, slow: Response) -> float:
    """How much is left at most of the wait in the device queue with more slots alone: no more I/Os wait at any time than before, and they
    leave it as fast as all slots let them at the slowest driver."""
    before, after = now.device_depth, then.device_depth
    if before is None or after is None or after <= before or replace(then, device_depth=before) != now:
        return 1.0
    return min(1.0, before / after * slow.at(after) / load.times.driver)


def _admits(knobs: Knobs) -> float | None:
    return None if knobs.virtual_disk_queue is None else knobs.virtual_disk_queue * knobs.disks


def _slots(knobs: Knobs) -> float | None:
    return None if knobs.device_depth is None else knobs.device_depth * knobs.queues


def _sum(spans: Iterable[PredictedRange]) -> PredictedRange:
    every = list(spans)
    return PredictedRange(sum(one.low for one in every), sum(one.high or one.low for one in every))


def _ceilings(then: Knobs, fast: Reading) -> tuple[tuple[Ceiling, float], ...]:
    """The binding one first, then by how many I/Os they let through: the next that binds is the second."""
    driver = fast.times.driver
    every = {
        Ceiling.THREADS: then.threads,
        Ceiling.VIRTUAL_DISK_QUEUE: _admits(then),
        Ceiling.DEVICE_QUEUE: _slots(then),
        Ceiling.IOPS_LIMIT: None if then.iops_limit is None else then.iops_limit * then.disks * driver / US,
        Ceiling.DEMAND: None if then.demand_iops is None else then.demand_iops * driver / US,
    }
    known = [(name, float(value)) for name, value in every.items() if value is not None]
    return tuple(sorted(known, key=lambda ceiling: (ceiling[0] is not fast.binding, ceiling[1])))
