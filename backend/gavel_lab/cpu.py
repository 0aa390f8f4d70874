"""How much of its CPU each ESXi host uses: what its guests compute, which is no matter of their I/O, and what stories say."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gavel_lab import noise
from gavel_lab.environment import Environment
from gavel_lab.reading import Floats
from gavel_lab.stories import HOUR_S, PHASES

_USUAL, _SLOW_SWING, _QUICK_SWING = 0.42, 0.16, 0.05
_BUSY_SWING = 0.008
_MOST_SECONDS = 60  # of a window that are looked at


class HostCpu:
    """A function of host and time, as everything in the lab."""

    def __init__(self, environment: Environment) -> None:
        self._keys = noise.keys(environment.seed, "cpu", len(environment.hosts))
        index_of = {host.name: host.index for host in environment.hosts}
        self._busy = [(phase, index_of[phase.busy_host]) for phase in PHASES if phase.busy_host in index_of]

    def shares(self, hosts: Sequence[int], windows: Floats) -> Floats:
        """(n, w) mean share of each host's CPU in use, 0 to 1, over half-open windows of lab time: (w, 2), or (n, w, 2) of each its own."""
        rows = np.asarray(hosts, dtype=np.int64)
        spans = np.broadcast_to(windows, (len(rows), *windows.shape[-2:]))
        result = np.zeros(spans.shape[:2])
        for (row, place), start in np.ndenumerate(spans[..., 0]):
            end = float(spans[row, place, 1])
            step = max(1.0, (end - start) / _MOST_SECONDS)
            seconds = np.floor(np.arange(start, end, step)).astype(np.int64)
            result[row, place] = self._at(rows[row : row + 1], seconds).mean()
        return result

    def _at(self, hosts: NDArray[np.int64], seconds: NDArray[np.int64]) -> Floats:
        keys = self._keys[hosts]
        slow, quick = noise.smooth(keys, seconds, 600), noise.smooth(keys ^ np.uint64(1), seconds, 60)
        shares = _USUAL + _SLOW_SWING * slow + _QUICK_SWING * quick
        for phase, host in self._busy:
            inside = (seconds % HOUR_S >= 60 * phase.start_minute) & (seconds % HOUR_S < 60 * phase.end_minute)
            busy = np.ix_(hosts == host, inside)
            shares[busy] = phase.cpu_share + _BUSY_SWING * quick[busy]
        return shares
