"""How far the clocks of hosts, and so those that stamp the samples of their VMs, are ahead of ours, as a worker process keeps it."""

from collections.abc import Mapping
from datetime import datetime

import numpy as np
import numpy.typing as npt


class OwnerClocks:
    """offsets_s: by the owners' keys, as of `state`: when clocks and the inventory were read; `else_s` of all others."""

    def __init__(self, state: tuple[datetime | None, ...], offsets_s: Mapping[str, float], else_s: float) -> None:
        self.state = state
        self._offsets_s = offsets_s
        self._else_s = else_s
        # By the owners that were asked about, of each stream the same ones again.
        self._arrays: dict[tuple[str, ...], npt.NDArray[np.float64]] = {}

    def offset_s(self, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
        """(n,) of each name."""
        if names not in self._arrays:
            known = (self._offsets_s.get(name, self._else_s) for name in names)
            self._arrays[names] = np.fromiter(known, np.float64, len(names))
        return self._arrays[names]
