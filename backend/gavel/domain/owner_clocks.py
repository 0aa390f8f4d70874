"""How far the clocks of hosts, and so those that stamp the samples of their VMs, are ahead of ours, as a worker process keeps it."""

from collections.abc import Mapping
from datetime import datetime

import numpy as np
import numpy.typing as npt


class OwnerClocks:
    """offsets_s: by the owners' keys, as of `state`: when clocks and the inventory were read."""

    def __init__(self, state: tuple[datetime | None, ...], offsets_s: Mapping[str, float]) -> None:
        self.state = state
        self._offsets_s = offsets_s
        # By the owners that were asked about, of each stream the same ones again.
        self._arrays: dict[tuple[str, ...], npt.NDArray[np.float64]] = {}

    def offset_s(self, names: tuple[str, ...], else_s: float) -> npt.NDArray[np.float64]:
        """(n,) of each name; `else_s` where its clock was not read."""
        if names not in self._arrays:
            known = (self._offsets_s.get(name, else_s) for name in names)
            self._arrays[names] = np.fromiter(known, np.float64, len(names))
        return self._arrays[names]
