"""What some guests of a lab push: counters of their own disks by their own clocks, as the store gives them back."""

from dataclasses import dataclass

import numpy as np
from tests.truth.environments import Drawn
from tests.truth.layout import Part

from gavel.analysis.gridded import Stretch
from gavel.analysis.observed import GuestSamples, Times
from gavel.domain.guest_intervals import clock_skew
from gavel_lab.environment import Vm
from gavel_lab.model import By

_EVERY_S = 10.0
# Beside the stretch, for what its edges need.
_MARGIN_S = 40.0
_PART_THAT_PUSHES, _LOST = 0.4, 0.005
_MOST_SKEW_S, _MOST_DELIVERY_S = 3.0, 6.0


@dataclass(frozen=True)
class _Agent:
    """How one guest pushes. ahead_s: its clock; delivery_s: the shortest time that a push of its takes."""

    phase_s: float
    ahead_s: float
    delivery_s: float


def guest_samples(
    drawn: Drawn, stretch: Stretch, parts: tuple[Part, ...], pushing: frozenset[int] | None = None
) -> GuestSamples | None:
    """pushing: VMs; None: some of them, always the same of a lab."""
    draw = np.random.default_rng([drawn.lab.environment.seed, stretch.first])
    places = {part: place for place, part in enumerate(parts)}
    found = [
        _of_vm(drawn, stretch, vm, agent, places, draw)
        for vm, agent in _agents(drawn, pushing)
        if any(disk == one for disk in vm.disks for one, _ in parts)
    ]
    return _joined(found) if found else None


def _agents(drawn: Drawn, pushing: frozenset[int] | None) -> list[tuple[Vm, _Agent]]:
    draw = np.random.default_rng(drawn.lab.environment.seed)
    agents = []
    for vm in drawn.lab.environment.vms:
        agent = _Agent(
            draw.uniform(0, _EVERY_S), draw.uniform(-_MOST_SKEW_S, _MOST_SKEW_S), draw.uniform(0.1, _MOST_DELIVERY_S)
        )
        if draw.random() < _PART_THAT_PUSHES if pushing is None else vm.index in pushing:
            agents.append((vm, agent))
    return agents


def _of_vm(
    drawn: Drawn, stretch: Stretch, vm: Vm, agent: _Agent, places: dict[Part, int], draw: np.random.Generator
) -> GuestSamples:
    first_s, last_s = 60.0 * stretch.first - _MARGIN_S, 60.0 * (stretch.first + stretch.minutes) + _MARGIN_S
    ends_s = np.arange(first_s + agent.phase_s, last_s, _EVERY_S)
    windows = np.stack([ends_s - _EVERY_S, ends_s], axis=1)
    reading = drawn.lab.model.read(By.DISK, list(vm.disks), windows)
    ops = np.diff(np.rint(np.cumsum(reading.ops, axis=1)), axis=1, prepend=0.0)
    whole = reading.io_time_us.sum(axis=-1)
    each_us = np.divide(whole, reading.ops, out=np.zeros_like(whole), where=reading.ops > 0)
    # Sums in whole ms, cut.
    sums_ms = np.diff(np.floor(np.cumsum(each_us * ops, axis=1) / 1000), axis=1, prepend=0.0)
    latency = np.rint(np.divide(sums_ms * 1000, ops, out=np.full_like(ops, np.nan), where=ops > 0))
    half = np.divide(1000.0, ops, out=np.zeros_like(ops), where=ops > 0) + 0.5
    hosts = [drawn.lab.placement.host_of(vm.index, float(at) - _EVERY_S / 2) for at in ends_s]
    part = np.array([[places.get((disk, host), -1) for host in hosts] for disk in vm.disks], dtype=np.int64)
    kept = np.flatnonzero((part >= 0).ravel() & (draw.random(part.size) >= _LOST))
    stamps_us = np.tile(np.rint((ends_s + agent.ahead_s) * 1e6).astype(np.int64), len(vm.disks))[kept]
    ahead_us, error_s = clock_skew(round((agent.delivery_s - agent.ahead_s) * 1e6))
    times = Times(
        end_us=stamps_us,
        length_us=np.full(len(kept), round(_EVERY_S * 1e6)),
        offset_us=np.full(len(kept), ahead_us),
        error_s=np.full(len(kept), error_s),
    )
    flat_ops, flat_latency, flat_half = (one.reshape(-1, 2)[kept] for one in (ops, latency, half))
    never = np.zeros(len(kept), np.bool_)
    return GuestSamples(
        part=part.ravel()[kept],
        times=times,
        ops=flat_ops,
        bytes=flat_ops * 4096,
        latency_us=flat_latency,
        half_width_us=flat_half,
        is_coarse=never,
        by_arrival=never,
    )


def _joined(every: list[GuestSamples]) -> GuestSamples:
    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in every])

    times = Times(**{name: np.concatenate([getattr(one.times, name) for one in every]) for name in Times.__slots__})
    names = ("ops", "bytes", "latency_us", "half_width_us", "is_coarse", "by_arrival")
    return GuestSamples(part=together("part"), times=times, **{name: together(name) for name in names})
