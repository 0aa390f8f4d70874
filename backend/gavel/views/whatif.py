"""A what-if: settings of a scenario against those in force, and what they would do to a workload, its neighbors and its array."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gavel.analysis.queue_model import PARTS, Ceiling, QueueTimes, TimePart
from gavel.analysis.queue_response import FittedResponse
from gavel.analysis.unread_limit import predict_with_limit
from gavel.analysis.whatif import Knobs, Load, Outlook, PredictedRange
from gavel.views.whatif_load import NotPredictableError, QueueStart, predicted_depth

# What labels call the ceilings.
CEILING_LABELS = {
    Ceiling.THREADS: "Threads",
    Ceiling.VIRTUAL_DISK_QUEUE: "Virtual disk queue",
    Ceiling.DEVICE_QUEUE: "Device queue",
    Ceiling.IOPS_LIMIT: "IOPS limit",
    Ceiling.DEMAND: "Demand",
}
PART_LABELS: Mapping[TimePart, str] = {
    "guest_queue": "Guest queue",
    "hypervisor": "Hypervisor",
    "kernel_queue": "Kernel queue (QAVG)",
    "kernel_processing": "Kernel processing",
    "san": "SAN",
    "array": "Array",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Settings to try. None: as they are. threads: outstanding I/Os of all disks together; virtual_disk_queue and iops_limit: of each disk;
    datastores, hosts: over so many the workload is spread evenly. non_optimized_percent: of its I/O."""

    threads: int | None = None
    virtual_disk_queue: int | None = None
    device_depth: int | None = None
    dsnro: int | None = None
    disks: int | None = None
    datastores: int = 1
    hosts: int = 1
    iops_limit: int | None = None
    lifts_iops_limit: bool = False
    demand_iops: int | None = None
    non_optimized_percent: float | None = None
    non_optimized_extra_us: float | None = None


@dataclass(frozen=True, slots=True)
class PartRange:
    """One part of the path: before, as measured (None: not measured), and the range after, µs per I/O. upper None: no bound."""

    name: TimePart
    label: str
    before_us: float | None
    lower_us: float
    upper_us: float | None


@dataclass(frozen=True, slots=True)
class PredictedChange:
    """before: as measured, null: not measured. lower, upper: after; null: no bound is known."""

    before: float | None
    lower: float
    upper: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What a scenario would do. array_iops None: the array's load was not measured, or is not known to change."""

    now: Knobs
    then: Knobs
    load: Load
    outlook: Outlook
    parts: tuple[PartRange, ...]
    total_us: PredictedChange
    iops: PredictedChange
    neighbor_us: PredictedChange | None
    neighbor_iops: PredictedChange | None
    array_iops: PredictedChange | None
    array_in_flight: PredictedChange

    @property
    def readings(self) -> Mapping[str, Mapping[str, Any]]:
        """The modelled states by name: modelled_now, slow, fast."""
        outlook = self.outlook
        every = {"modelled_now": outlook.now, "slow": outlook.slow, "fast": outlook.fast}
        return {
            name: {
                "iops": one.iops,
                "total_us": one.times.total,
                "outstanding": one.outstanding,
                "in_flight": one.in_flight,
                "binding": one.binding.value,
                "parts_us": dict(zip(PARTS, one.times.values(), strict=True)),
            }
            for name, one in every.items()
        }

    @property
    def settings(self) -> Mapping[str, Mapping[str, float | None]]:
        """Before and after: now, then."""
        same = (
            "threads", "virtual_disk_queue", "device_depth", "disks", "queues", "iops_limit", "is_limit_read", "demand_iops",
        )  # fmt: skip
        return {
            name: {key: getattr(one, key) for key in same} | {"non_optimized_percent": 100 * one.non_optimized_share}
            for name, one in (("now", self.now), ("then", self.then))
        }

    @property
    def ceilings(self) -> Sequence[tuple[str, str, float]]:
        """Name, label and I/Os of each limit, the binding one first."""
        return [(name.value, CEILING_LABELS[name], ios) for name, ios in self.outlook.ceilings]


def of_start(start: QueueStart, scenario: Scenario) -> WhatIf:
    """On an object's queue. Raises NotPredictableError for settings that exclude each other, or build on one that was not read."""
    settings = start.settings
    depth = start.knobs.device_depth
    if scenario.device_depth is not None or scenario.dsnro is not None:
        if scenario.dsnro is not None and settings.is_nvme:
            raise NotPredictableError("DSNRO does not apply to NVMe: leave dsnro out.")
        configured = scenario.device_depth if scenario.device_depth is not None else settings.configured
        dsnro = scenario.dsnro if scenario.dsnro is not None else settings.dsnro
        _check_dsnro(scenario.dsnro, configured)
        depth = predicted_depth(settings, configured, dsnro, is_competing=start.is_competing)
        if depth is None:
            missing = "device queue depth" if configured is None else "DSNRO"
            raise NotPredictableError(f"The present {missing} of this queue was not read: give it, too.")
    return _tried(start.load, start.knobs, scenario, depth, start.fitted, _measured_parts(start))


def of_numbers(load: Mapping[str, Any], settings: Mapping[str, Any], scenario: Scenario) -> WhatIf:
    """On a workload in numbers: `iops`, `neighbor_iops` and `<part>_us`; its device depth is the effective one.

    Raises NotPredictableError.
    """
    measured = Load(
        iops=load["iops"],
        times=QueueTimes(**{name: load[f"{name}_us"] for name in PARTS}),
        neighbor_iops=load["neighbor_iops"],
        non_optimized_extra_us=settings["non_optimized_extra_us"],
    )
    same = ("threads", "virtual_disk_queue", "device_depth", "disks", "iops_limit", "demand_iops")
    now = Knobs(**{name: settings[name] for name in same}, non_optimized_share=settings["non_optimized_percent"] / 100)
    depth = now.device_depth if scenario.device_depth is None else float(scenario.device_depth)
    _check_dsnro(scenario.dsnro, depth)
    if scenario.dsnro is not None and depth is not None:
        depth = min(depth, float(scenario.dsnro))
    return _tried(measured, now, scenario, depth, None, frozenset(PARTS))


def _check_dsnro(dsnro: int | None, depth: float | None) -> None:
    if dsnro is not None and depth is not None and dsnro > depth:
        raise NotPredictableError(
            f"DSNRO {dsnro} is above the device queue depth {depth:g}: ESXi takes no more than that. Raise device_depth, too."
        )


def _tried(
    load: Load,
    now: Knobs,
    scenario: Scenario,
    depth: float | None,
    fitted: FittedResponse | None,
    measured: frozenset[str],
) -> WhatIf:
    if scenario.lifts_iops_limit and scenario.iops_limit is not None:
        raise NotPredictableError("An IOPS limit is either lifted or set: leave out lifts_iops_limit or iops_limit.")
    if scenario.non_optimized_extra_us is not None:
        load = replace(load, non_optimized_extra_us=scenario.non_optimized_extra_us)
    then = replace(
        now,
        threads=scenario.threads or now.threads,
        virtual_disk_queue=scenario.virtual_disk_queue or now.virtual_disk_queue,
        device_depth=depth,
        disks=scenario.disks or now.disks,
        queues=scenario.datastores * scenario.hosts,
        iops_limit=None if scenario.lifts_iops_limit else scenario.iops_limit or now.iops_limit,
        is_limit_read=now.is_limit_read or scenario.lifts_iops_limit or scenario.iops_limit is not None,
        demand_iops=scenario.demand_iops or now.demand_iops,
    )
    return what_if(load, now, _with_paths(load, then, scenario.non_optimized_percent), fitted, measured)


def _with_paths(load: Load, knobs: Knobs, percent: float | None) -> Knobs:
    """With so much I/O on non-optimized paths. Raises NotPredictableError where it is not known what that costs."""
    if percent is None:
        return knobs
    share = percent / 100
    if share != knobs.non_optimized_share and load.non_optimized_extra_us is None:
        raise NotPredictableError(
            "What an I/O on a non-optimized path takes longer was not measured here: give non_optimized_extra_us, too."
        )
    return replace(knobs, non_optimized_share=share)


def what_if(load: Load, now: Knobs, then: Knobs, fitted: FittedResponse | None, measured: frozenset[str]) -> WhatIf:
    """measured: parts of the path that were. Raises NotPredictableError."""
    _check_limits(then)
    try:
        outlook = predict_with_limit(load, now, then, fitted)
    except ValueError as error:
        raise NotPredictableError(f"Nothing to start from: {error}.") from error
    parts = tuple(_part(outlook, load, name, measured) for name in PARTS)
    return WhatIf(
        now=replace(now, threads=now.threads or load.outstanding),
        then=replace(then, threads=then.threads or now.threads or load.outstanding),
        load=load,
        outlook=outlook,
        parts=parts,
        total_us=_change(load.times.total, outlook.total),
        iops=_change(load.iops, outlook.iops),
        neighbor_us=_neighbors(outlook, load.times.kernel_queue + load.times.driver, "neighbor_us"),
        neighbor_iops=_neighbors(outlook, load.neighbor_iops, "neighbor_iops"),
        array_iops=_array(load, outlook),
        array_in_flight=_change(load.iops * load.times.driver / 1e6, _in_flight(outlook)),
    )


def _check_limits(then: Knobs) -> None:
    if then.threads is not None and then.threads < then.disks:
        raise NotPredictableError(
            f"{then.threads:g} threads cannot keep {then.disks} virtual disks busy: give at least one for each."
        )
    if then.iops_limit is not None and then.demand_iops is not None and then.demand_iops > then.iops_limit * then.disks:
        raise NotPredictableError(
            f"A demand of {then.demand_iops:g} IOPS is above the IOPS limit of {then.iops_limit:g} on each of {then.disks} virtual disks:"
            " raise the limit or lower the demand."
        )


def _part(outlook: Outlook, load: Load, name: TimePart, measured: frozenset[str]) -> PartRange:
    span = outlook.part(name)
    before = getattr(load.times, name) if name in measured else None
    return PartRange(name, PART_LABELS[name], before, span.low, span.high)


def _change(before: float | None, span: PredictedRange) -> PredictedChange:
    return PredictedChange(before, span.low, span.high)


def _neighbors(outlook: Outlook, before: float, name: str) -> PredictedChange | None:
    if outlook.now.neighbor_iops <= 0:
        return None
    after = [getattr(one, name) for one in outlook.closed]
    return PredictedChange(before, min(after), max(after))


def _array(load: Load, outlook: Outlook) -> PredictedChange | None:
    """Its load grows by what the workload and its neighbors do more."""
    if load.array_iops is None:
        return None
    rest = max(0.0, load.array_iops - load.iops - load.neighbor_iops)
    both = [rest + one.iops + (one.neighbor_iops or load.neighbor_iops) for one in outlook.closed]
    if outlook.open_iops is not None:
        both.append(load.array_iops)
    return PredictedChange(load.array_iops, min(both), max(both))


def _in_flight(outlook: Outlook) -> PredictedRange:
    every = [one.in_flight for one in outlook.closed]
    return PredictedRange(min(every), max(every))


def _measured_parts(start: QueueStart) -> frozenset[str]:
    missing = {"guest_queue": start.guest_is_measured, "san": start.array_is_measured}
    return frozenset(name for name in PARTS if missing.get(name, True))
