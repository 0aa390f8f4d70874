"""What the lab's own agents push of a time, line by line: through the product's parsers into its store, or straight to the analysis."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from tests.truth.layout import Part

from gavel.analysis.gridded import Stretch
from gavel.analysis.observed import GuestSamples, Times
from gavel.correlate.guests import _half_width
from gavel.db.engine import Connection
from gavel.db.queries.guest_tokens import GuestToken
from gavel.domain.guest_intervals import (
    DiskInterval,
    GuestClock,
    IntervalQuality,
    LastReading,
    Placed,
    clock_skew,
    measure_clock,
    measure_interval,
)
from gavel.domain.guests import DiskCounters
from gavel.ingest.guests import Push, read_line_protocol, store_pushes
from gavel_lab.guests.agents import Agent, agents
from gavel_lab.guests.diskio import GuestCounters, device_names
from gavel_lab.lab import Lab

# Beside a stretch, for what its edges need.
_MARGIN_S = 60.0


@dataclass(frozen=True)
class Pushed:
    """One request: of which agent, its lines, and when it arrives."""

    agent: Agent
    lines: bytes
    at_s: float


@dataclass
class LabGuests:
    """All agents of a lab from an instant on, at which they boot."""

    lab: Lab
    since_s: float
    _counters: dict[int, GuestCounters] = field(default_factory=dict)

    def pushes(self, until_s: float) -> Iterator[Pushed]:
        """What was read since the call before, agent by agent."""
        for agent in agents(self.lab.environment):
            counters = self._counters.get(agent.vm.index)
            if counters is None:
                first_s = (self.since_s + agent.ahead_s) // agent.interval_s * agent.interval_s - agent.ahead_s
                counters = GuestCounters(self.lab.environment, self.lab.model, agent, first_s)
                self._counters[agent.vm.index] = counters
                yield Pushed(agent, b"".join(counters.lines()), first_s + agent.flush_after_s)
            while counters.until_s + agent.interval_s <= until_s:
                counters.advance(counters.until_s + agent.interval_s)
                yield Pushed(agent, b"".join(counters.lines()), counters.until_s + agent.flush_after_s)

    def store(self, connection: Connection, token: GuestToken, until: datetime) -> int:
        """Each request as the listener would have had it; returns how many intervals were made."""
        pushes = [
            Push(token, "192.0.2.9", round(one.at_s * 1e6), read_line_protocol(one.lines, "ns"))
            for one in self.pushes(until.timestamp())
        ]
        return store_pushes(connection, pushes, until)


def samples_of_agents(lab: Lab, stretch: Stretch, parts: tuple[Part, ...]) -> GuestSamples:
    """As the store gives back what the agents pushed of the stretch and its edges, each disk tied to its virtual disk."""
    first_s, last_s = 60.0 * stretch.first - _MARGIN_S, 60.0 * (stretch.first + stretch.minutes) + _MARGIN_S
    places = {part: place for place, part in enumerate(parts)}
    clocks: dict[int, GuestClock] = {}
    last: dict[int, LastReading] = {}
    found: list[tuple[int, Agent, DiskInterval]] = []
    for push in LabGuests(lab, first_s).pushes(last_s):
        vm = push.agent.vm
        names = device_names([lab.environment.disks[index] for index in vm.disks])
        for reading in read_line_protocol(push.lines, "ns").readings:
            assert reading.at_us is not None
            assert isinstance(reading.numbers, DiskCounters)
            clocks[vm.index] = measure_clock(clocks.get(vm.index), reading.at_us, round(push.at_s * 1e6))
            disk = vm.disks[names.index(reading.disk)]
            placed = Placed(reading.at_us, IntervalQuality.A)
            if disk in last:
                made = measure_interval(last[disk], reading.at_us, placed, reading.numbers, reading.step)
                assert isinstance(made, DiskInterval), made
                found.append((disk, push.agent, made))
            last[disk] = LastReading(reading.at_us, reading.at_us, reading.at_us, reading.numbers)
    return _samples(lab, found, clocks, places)


def _samples(
    lab: Lab,
    found: list[tuple[int, Agent, DiskInterval]],
    clocks: dict[int, GuestClock],
    places: dict[Part, int],
) -> GuestSamples:
    skews = {index: clock_skew(clock.offset_us) for index, clock in clocks.items()}
    ends_us = np.array([interval.ended_at_us for _, _, interval in found])
    part = [
        places.get(
            (disk, lab.placement.host_of(agent.vm.index, end_us / 1e6 - agent.ahead_s - agent.interval_s / 2)), -1
        )
        for (disk, agent, _), end_us in zip(found, ends_us.tolist(), strict=True)
    ]

    def both(name: str) -> np.ndarray:
        pairs = [[interval.values[f"{way}_{name}"] for way in ("read", "write")] for _, _, interval in found]
        values = np.array(pairs, dtype=np.float64)
        return np.where(values < 0, np.nan, values)

    kept = np.array(part) >= 0
    ops, never = both("ops"), np.zeros(int(kept.sum()), np.bool_)
    step = np.array([interval.values["latency_step"] for _, _, interval in found])
    return GuestSamples(
        part=np.array(part)[kept],
        times=Times(
            end_us=ends_us[kept],
            length_us=np.array([interval.interval_s * 1_000_000 for _, _, interval in found])[kept],
            offset_us=np.array([skews[agent.vm.index][0] for _, agent, _ in found])[kept],
            error_s=np.array([skews[agent.vm.index][1] for _, agent, _ in found])[kept],
        ),
        ops=ops[kept],
        bytes=both("bytes")[kept],
        latency_us=both("latency_us")[kept],
        half_width_us=_half_width(step, ops)[kept],
        is_coarse=never,
        by_arrival=never,
    )
