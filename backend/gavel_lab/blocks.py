"""Solved minutes: found once, kept while memory lasts, cut into windows."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gavel_lab.environment import Environment
from gavel_lab.flows import NONE, FlowTable, Index, flow_table
from gavel_lab.inputs import Demand
from gavel_lab.placement import Placement
from gavel_lab.reading import Floats
from gavel_lab.solve import Solver

BLOCK_S = 60
_FINE_LOADS = 1000
_FINE_STEP_S, _COARSE_STEP_S = 1, 5
_TABLES_KEPT = 16
# The hour that a vCenter keeps, and its edges: each stream reads it anew, and with less kept each would have it solved anew.
_KEPT_AT_LEAST = 75


@dataclass(frozen=True, kw_only=True)
class Block:
    """One solved minute. rates (f, CHANNELS, t) per second as float32; depth (groups, t); starts (t,) lab seconds; us_per_byte
    (2, ports, t): what a byte takes at each port, read and written."""

    table: FlowTable
    starts: NDArray[np.int64]
    rates: NDArray[np.float32]
    depth: NDArray[np.float32]
    us_per_byte: NDArray[np.float32]

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return self.rates.nbytes + self.depth.nbytes + self.us_per_byte.nbytes


class Blocks:
    """The minutes of an environment. Thread-safe: one is solved at a time."""

    def __init__(
        self, environment: Environment, placement: Placement, cache_bytes: int, step_s: int | None = None
    ) -> None:
        self._environment = environment
        self._placement = placement
        self._demand = Demand(environment)
        self._solver = Solver(environment, self._demand)
        self._cache_bytes = cache_bytes
        self._cached_bytes = 0
        self._blocks: OrderedDict[tuple[int, int], Block] = OrderedDict()
        self._tables: dict[tuple[tuple[int, ...], ...], FlowTable] = {}
        self._lock = threading.Lock()
        loads = len(environment.disks) + len(environment.bare_loads)
        self.step_s = step_s or (_FINE_STEP_S if loads <= _FINE_LOADS else _COARSE_STEP_S)

    def overlaps(self, windows: Floats) -> Iterator[tuple[Block, Index, Floats]]:
        """Per minute touched: its block, which windows touch it, and (t, those windows) seconds of overlap."""
        spans = np.asarray(windows, dtype=np.float64).reshape(-1, 2)
        for block, places in self.touched(spans):
            yield block, places, self.overlap(block, spans[places])

    def touched(self, windows: Floats) -> Iterator[tuple[Block, Index]]:
        """The minutes that windows (..., w, 2) touch, oldest first, each with the places in w that touch it in any row."""
        firsts, lasts = np.floor(windows[..., 0] / BLOCK_S), np.ceil(windows[..., 1] / BLOCK_S)
        spans = {(int(first), int(last)) for first, last in zip(firsts.flat, lasts.flat, strict=True)}
        for number in sorted({number for span in spans for number in range(*span)}):
            touches = (windows[..., 0] < (number + 1) * BLOCK_S) & (windows[..., 1] > number * BLOCK_S)
            yield self._block(number), np.flatnonzero(touches.reshape(-1, touches.shape[-1]).any(axis=0))

    def overlap(self, block: Block, windows: Floats) -> Floats:
        """(..., t, w) seconds that each step of a minute shares with each of the windows (..., w, 2)."""
        starts, ends = windows[..., None, :, 0], windows[..., None, :, 1]
        steps = block.starts[:, None]
        result: Floats = np.maximum(0.0, np.minimum(steps + self.step_s, ends) - np.maximum(steps, starts))
        return result

    def _block(self, number: int) -> Block:
        key = (number, self._placement.version((number + 1) * BLOCK_S))
        with self._lock:
            if key in self._blocks:
                self._blocks.move_to_end(key)
                return self._blocks[key]
            block = self._blocks[key] = self._solve(number)
            self._cached_bytes += block.bytes
            while self._cached_bytes > self._cache_bytes and len(self._blocks) > _KEPT_AT_LEAST:
                self._cached_bytes -= self._blocks.popitem(last=False)[1].bytes
            return block

    def _solve(self, number: int) -> Block:
        starts = np.arange(number * BLOCK_S, (number + 1) * BLOCK_S, self.step_s, dtype=np.int64)
        table, present = self._flows(starts)
        inputs = self._demand.at(starts)
        share = self._solver.share(table, inputs, present)
        depth = self._solver.depths(table, inputs, share)
        solved = self._solver.solve(table, inputs, share, depth)
        us_per_byte = np.stack([solved.read_us_per_byte, solved.write_us_per_byte])
        return Block(
            table=table,
            starts=starts,
            rates=solved.rates.astype(np.float32),
            depth=depth.astype(np.float32),
            us_per_byte=us_per_byte.astype(np.float32),
        )

    def _flows(self, starts: NDArray[np.int64]) -> tuple[FlowTable, Floats]:
        """The minute's flows, and (f, t) 1 where the flow's VM is on the flow's host."""
        hosts = self._placement.hosts_at(float(starts[0]))
        at = np.repeat(hosts[:, None], len(starts), axis=1)
        for when, vm, host in self._placement.changes(float(starts[0]), float(starts[-1])):
            at[vm, starts >= when] = host
        hosts_of_vm: list[tuple[int, ...]] = [(int(host),) for host in hosts]
        for mover in np.flatnonzero((at != hosts[:, None]).any(axis=1)):
            hosts_of_vm[mover] = tuple(sorted({int(host) for host in at[mover]}))
        table = self._table(tuple(hosts_of_vm))
        vms, on = table.column["vm"], table.column["host"]
        runs = (at[vms] == on[:, None]) & ~self._placement.off(starts)[vms]
        present = (vms == NONE)[:, None] | runs
        return table, present.astype(np.float64)

    def _table(self, hosts_of_vm: tuple[tuple[int, ...], ...]) -> FlowTable:
        if hosts_of_vm not in self._tables:
            if len(self._tables) >= _TABLES_KEPT:
                self._tables.clear()
            self._tables[hosts_of_vm] = flow_table(self._environment, hosts_of_vm)
        return self._tables[hosts_of_vm]
