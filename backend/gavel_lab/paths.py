"""Spreads the I/O of host devices over their paths: round robin over the usable ones, each a little faster or slower, and as slow as
its target port."""

import numpy as np
from numpy.typing import NDArray

from gavel_lab import noise
from gavel_lab.blocks import Block
from gavel_lab.environment import Environment
from gavel_lab.flows import NONE, Index
from gavel_lab.reading import SEGMENT, Floats
from gavel_lab.routes import Routes
from gavel_lab.solve import BYTES_READ, BYTES_WRITE, OPS_READ, OPS_WRITE, READ_TIMES, WRITE_TIMES
from gavel_lab.stories import PHASES

_SPREAD_US = 4.0
Rates = NDArray[np.float32]


class PathTable:
    """The paths of every leg (device, array) side by side, and how far each is from the leg's mean fabric time."""

    def __init__(self, environment: Environment) -> None:
        self._devices, self._arrays = len(environment.devices), len(environment.arrays)
        legs = np.array([path.device * self._arrays + path.array for path in environment.paths], dtype=np.int64)
        self._order = np.argsort(legs, kind="stable")
        self._count = np.bincount(legs, minlength=self._devices * self._arrays)
        self._first = np.cumsum(self._count) - self._count
        self._routes = Routes(environment)
        self._record = {
            "path": np.arange(len(environment.paths)),
            "adapter": np.array([path.hba for path in environment.paths], dtype=np.int64),
            "port": np.array([path.port for path in environment.paths], dtype=np.int64),
        }
        story_of_volume = {volume: store.story for store in environment.datastores for volume in store.extents}
        self.story_of_device = [story_of_volume.get(device.volume) for device in environment.devices]
        self._side = np.array([1.0 if environment.ports[path.port].is_side_b else -1.0 for path in environment.paths])
        self._lean_us = self._leans(environment, legs)
        self._stories = [
            (phase, np.array([self.story_of_device[path.device] == phase.story for path in environment.paths]))
            for phase in PHASES
            if phase.fabric_us
        ]

    def spread(self, kind: str, slots: Index, block: Block, keep: NDArray[np.bool_]) -> tuple[Index, Rates]:
        """(place in the answer, rates) of each flow on each path; `slots` maps records of `kind` to places or NONE."""
        table = block.table
        group, array = table.column["group"], table.column["array"]
        flows = np.flatnonzero(keep & (group < self._devices))
        leg = group[flows] * self._arrays + array[flows]
        count = self._count[leg]
        flow, number = np.repeat(flows, count), np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        path = self._order[np.repeat(self._first[leg], count) + number]
        place = slots[self._record[kind][path]]
        wanted = place != NONE
        flow, path, part = flow[wanted], path[wanted], 1.0 / np.repeat(count, count)[wanted]
        result = block.rates[flow] * part[:, None, None].astype(np.float32)
        off_us = self._off_us(path, block.starts).astype(np.float32)
        for ops, times in ((OPS_READ, READ_TIMES), (OPS_WRITE, WRITE_TIMES)):
            result[:, times + SEGMENT["fabric"]] += result[:, ops] * off_us
        port, route = self._record["port"][path], table.route[flow]
        ways = ((BYTES_READ, READ_TIMES), (BYTES_WRITE, WRITE_TIMES))
        for (size, times), us_per_byte in zip(ways, block.us_per_byte, strict=True):
            off_us = us_per_byte[port] - self._routes.mean(us_per_byte)[route].astype(np.float32)
            result[:, times + SEGMENT["array_port"]] += result[:, size] * off_us
        return place[wanted], result

    def _off_us(self, path: Index, starts: Index) -> Floats:
        """(paths, t) fabric time of a path minus the mean of its leg."""
        result = np.repeat(self._lean_us[path, None], len(starts), axis=1)
        for phase, concerned in self._stories:
            on = np.array([phase.plays_at(second) for second in starts])
            result += phase.fabric_us * np.outer(self._side[path] * concerned[path], on)
        return result

    def _leans(self, environment: Environment, legs: Index) -> Floats:
        drawn = _SPREAD_US * noise.uniform(noise.keys(environment.seed, "path", len(legs)), np.zeros(1, np.int64))[:, 0]
        mean = np.bincount(legs, weights=drawn, minlength=len(self._count)) / np.maximum(self._count, 1)
        result: Floats = drawn - mean[legs]
        return result
