"""Limits on requests of one address (a /64 of IPv6), and on requests, large bodies and CPU time of one token."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from gavel.api.throttle import network_of

# Requests: so many at once, and so many per second. An agent comes every 10 s; many may come through one proxy, or with one token.
_OF_ADDRESS = (200.0, 50.0)
_OF_TOKEN = (4000.0, 2000.0)
# CPU seconds of reading bodies: at once, and per second. 20 s a minute read 12,000 lines a second.
_CPU_OF_TOKEN = (20.0, 20.0 / 60)
_REMEMBERED = 65_536
# Whoever is refused may come again after so long.
LATER_S = 10
# Requests under way at once, each with a place in the next transaction or the one after: what comes beside them would be answered later
# than agents wait, and be sent again.
MOST_UNDER_WAY = 1000


@dataclass(slots=True)
class _Allowance:
    left: float
    filled_s: float


class Rates:
    """For all threads of one process: CPU time is charged where a body was read."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, object], _Allowance] = OrderedDict()
        self._lock = threading.Lock()

    def wait_s(self, *, address: str) -> int:
        """0: the request counts, and may go on. Else whole seconds until the next one may."""
        return self._taken(("address", network_of(address)), *_OF_ADDRESS)

    def token_wait_s(self, token_id: int) -> int:
        return self._taken(("token", token_id), *_OF_TOKEN)

    def cpu_wait_s(self, token_id: int) -> int:
        """0: the token has CPU time left. Else whole seconds until it has."""
        with self._lock:
            left = self._filled(("cpu", token_id), *_CPU_OF_TOKEN).left
        return 0 if left > 0 else max(1, ceil(-left / _CPU_OF_TOKEN[1]))

    def charge_cpu(self, token_id: int, cpu_s: float) -> None:
        """Count CPU time after its use: how much a body takes is not known before."""
        with self._lock:
            self._filled(("cpu", token_id), *_CPU_OF_TOKEN).left -= cpu_s

    def _taken(self, key: tuple[str, object], most: float, per_s: float) -> int:
        with self._lock:
            bucket = self._filled(key, most, per_s)
            if bucket.left < 1:
                return max(1, ceil((1 - bucket.left) / per_s))
            bucket.left -= 1
            return 0

    def _filled(self, key: tuple[str, object], most: float, per_s: float) -> _Allowance:
        """Return the bucket of a key, filled up to now."""
        now_s = self._clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = _Allowance(most, now_s)
            if len(self._buckets) > _REMEMBERED:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        bucket.left = min(most, bucket.left + (now_s - bucket.filled_s) * per_s)
        bucket.filled_s = now_s
        return bucket
