"""How often wrong tokens may be tried. Each token is compared with the stored hashes, which are read at most once a second.

A token whose hash is stored is never limited, however many others guess and however lately the process started. Above the rate, for each
address and in total, a token that is not stored is refused without a statement of its own.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from typing import Generic, TypeVar

# Mistakes in a row and per minute: of one address, and of all together.
_OF_ONE = (5.0, 10.0)
_OF_ALL = (10.0, 20.0)
# A token is in force for everybody after so long. Where it was made, it is at once.
_HASHES_KEPT_S = 1.0
# So much is remembered; what was used longest ago is forgotten first.
_REMEMBERED = 4096
# Whoever has one address of an IPv6 network may take any of it.
_IPV6_NETWORK = 64

Key = TypeVar("Key")
Value = TypeVar("Value")


class Throttle:
    """One for the process. A wrong token counts once: a page that polls with an old session does not lock its owner out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock, self._loading = Lock(), Lock()
        self._total = _Bucket(*_OF_ALL, left=_OF_ALL[0], filled_s=clock())
        self._by_address: _Recent[str, _Bucket] = _Recent()
        self._wrong: _Recent[bytes, None] = _Recent()
        self._stored: frozenset[bytes] = frozenset()
        self._loaded_s: float | None = None

    def is_stored(self, token: str, load: Callable[[], Iterable[bytes]]) -> bool:
        """Whether the database has its hash. Calls `load` at most once a second, and not at all for a token that was stored before."""
        known = self.is_stored_by_now(token)
        if known is not None:
            return known
        with self._loading:
            # Another request may have loaded them meanwhile.
            if (known := self.is_stored_by_now(token)) is None:
                # What is stored while they are read may be missing: they are as old as the beginning.
                began_s = self._clock()
                self._stored, self._loaded_s = frozenset(load()), began_s
                known = _digest(token) in self._stored
            return known

    def is_stored_by_now(self, token: str) -> bool | None:
        """The same from memory; None where the hashes have to be read again."""
        if _digest(token) in self._stored:
            return True
        is_fresh = self._loaded_s is not None and self._clock() - self._loaded_s < _HASHES_KEPT_S
        return False if is_fresh else None

    def wait_s(self, address: str) -> float:
        """Seconds until a token that is not stored may be looked up for this address; 0: now."""
        with self._lock:
            return max(bucket.wait_s(self._clock()) for bucket in (self._total, self._bucket(address)))

    def succeeded(self, token: str) -> None:
        """The database has it, though it was made after the hashes were read."""
        digest = _digest(token)
        with self._lock:
            self._wrong.drop(digest)
            if digest not in self._stored:
                self._stored |= {digest}

    def failed(self, address: str, token: str) -> None:
        """It does not open what it was given for, or opens nothing any more."""
        digest = _digest(token)
        with self._lock:
            if digest in self._stored:
                # Revoked, or good for something else: the hashes are read again before it is ruled on.
                self._stored, self._loaded_s = self._stored - {digest}, None
            if digest not in self._wrong:
                self._total.left -= 1
                self._bucket(address).left -= 1
            self._wrong.put(digest, None)

    def is_wrong(self, token: str) -> bool:
        """Whether it was refused lately."""
        with self._lock:
            return _digest(token) in self._wrong

    def _bucket(self, address: str) -> "_Bucket":
        network = network_of(address)
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


def network_of(address: str) -> str:
    """Return what one machine may have for itself: an IPv4 address, or a /64 of IPv6. IPv4-mapped addresses are IPv4."""
    try:
        parsed = ip_address(address)
    except ValueError:  # a Unix socket, or a test's client
        return address
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or ip_network((int(parsed), _IPV6_NETWORK), strict=False))
    return str(parsed)
