"""How often wrong tokens may be tried: looked up in the database up to a rate, for each address and in total, refused unseen above it."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from typing import Generic, TypeVar

# Mistakes in a row and per minute: of one address, and of all together.
_OF_ONE = (5.0, 10.0)
_OF_ALL = (10.0, 20.0)
# So much is remembered; what was used longest ago is forgotten first.
_REMEMBERED = 4096
# Whoever has one address of an IPv6 network may take any of it.
_IPV6_NETWORK = 64

Key = TypeVar("Key")
Value = TypeVar("Value")


class Throttle:
    """One for the process. A token that was good once never waits, and a wrong one counts once: a page that goes on asking with an old
    session does not lock its owner out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._total = _Bucket(*_OF_ALL, left=_OF_ALL[0], filled_s=clock())
        self._by_address: _Recent[str, _Bucket] = _Recent()
        self._good: _Recent[bytes, None] = _Recent()
        self._wrong: _Recent[bytes, None] = _Recent()

    def wait_s(self, address: str, token: str) -> float:
        """Seconds until this token may be looked up for this address; 0: now."""
        with self._lock:
            if _digest(token) in self._good:
                return 0.0
            return max(bucket.wait_s(self._clock()) for bucket in (self._total, self._bucket(address)))

    def succeeded(self, token: str) -> None:
        """The database knows it."""
        with self._lock:
            self._good.put(_digest(token), None)

    def failed(self, address: str, token: str) -> None:
        """The database does not know it, or not any more."""
        digest = _digest(token)
        with self._lock:
            self._good.drop(digest)
            if digest not in self._wrong:
                self._total.left -= 1
                self._bucket(address).left -= 1
            self._wrong.put(digest, None)

    def is_wrong(self, token: str) -> bool:
        """Whether it was refused lately. Tokens are random and never become good later, but for the setup token."""
        with self._lock:
            return _digest(token) in self._wrong

    def _bucket(self, address: str) -> "_Bucket":
        network = _network(address)
        found = self._by_address.get(network)
        if found is None:
            found = _Bucket(*_OF_ONE, left=_OF_ONE[0], filled_s=self._clock())
            self._by_address.put(network, found)
        return found


@dataclass(slots=True)
class _Bucket:
    """A token bucket that may be overdrawn: requests already under way count when they fail."""

    most: float
    per_min: float
    left: float
    filled_s: float

    def wait_s(self, now_s: float) -> float:
        self.left = min(self.most, self.left + (now_s - self.filled_s) * self.per_min / 60)
        self.filled_s = now_s
        return max(0.0, (1 - self.left) * 60 / self.per_min)


class _Recent(Generic[Key, Value]):
    """A dictionary that forgets what was not used lately."""

    def __init__(self) -> None:
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > _REMEMBERED:
            self._values.popitem(last=False)

    def drop(self, key: Key) -> None:
        self._values.pop(key, None)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:  # a Unix socket, or a test's client
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or ip_network((int(parsed), _IPV6_NETWORK), strict=False))
    return str(parsed)
