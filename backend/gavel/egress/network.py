"""Network calls that end: name resolution, connecting and every later byte share one total deadline.

A time-out per `recv` alone does not end a call whose peer drips one byte now and then. The total deadline therefore
lives in a context variable that `trust.GuardedSocket` consults before every operation, whichever HTTP library is used.
"""

import contextlib
import queue
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from gavel import clock
from gavel.egress.reserved import refuse_never_connected

_AS_IN_A_BROWSER = re.compile(r"^https://([^/]*)/?$", re.IGNORECASE)
_SECONDS = re.compile(r"[0-9]{1,20}")
_LONGEST_WISH_S = 86_400.0
CONNECT_S = 3.0
READ_S = 15.0
TOTAL_S = 18.0
# A farewell is worth no more: whoever stops does not wait for a source that is away.
LOGOUT_S = 1.0

_end_of_call: ContextVar[float | None] = ContextVar("end_of_call", default=None)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a source listens. `str()` is how messages name it."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == 443 else f"{host}:{self.port}"


def bare_address(text: str) -> str:
    """Without the https:// before it and the slash after it that people copy along from a browser."""
    return _AS_IN_A_BROWSER.sub(r"\1", text.strip())


def parse_address(text: str, *, default_port: int = 443) -> Address:
    """`host`, `host:port`, `1.2.3.4` or `[::1]:port`, also as a browser shows it. Raises ValueError with what is wrong."""
    text = bare_address(text)
    if "/" in text or "@" in text or any(character.isspace() for character in text):
        raise ValueError(f"{text!r} is not host or host:port; leave out the path and any user name")
    if text.count(":") > 1 and not text.startswith("["):
        return Address(text, default_port)
    host, _, port = text[1:].partition("]") if text.startswith("[") else text.partition(":")
    port = port.removeprefix(":")
    if not host:
        raise ValueError("no host name given")
    if port and not (port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(f"{port!r} is not a port number (1 to 65535)")
    return Address(host, int(port) if port else default_port)


@contextlib.contextmanager
def total_deadline(seconds: float = TOTAL_S) -> Iterator[None]:
    """Everything sent and received inside ends after `seconds` or at a sooner enclosing deadline: TimeoutError."""
    end = time.monotonic() + seconds
    outer = _end_of_call.get()
    token = _end_of_call.set(end if outer is None else min(end, outer))
    try:
        yield
    finally:
        _end_of_call.reset(token)


def remaining_s(at_most: float | None) -> float | None:
    """How long the next operation may take. Raises TimeoutError when the total deadline has passed."""
    end = _end_of_call.get()
    if end is None:
        return at_most
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("the total deadline of the call has passed")
    return left if at_most is None else min(at_most, left)


def retry_after_s(header: str | None) -> float | None:
    """Seconds a server asks to wait, from either form of Retry-After, at most a day; None when absent or unreadable."""
    if header is None:
        return None
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), _LONGEST_WISH_S)
    until_s = http_date_s(text)
    return None if until_s is None else min(max(0.0, until_s - clock.time_s()), _LONGEST_WISH_S)


def http_date_s(header: str | None) -> float | None:
    """Seconds since 1970 of a date as HTTP writes it; None when absent, unreadable or of no time that a calendar has."""
    if not header:
        return None
    try:
        return parsedate_to_datetime(header).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def resolve(address: Address, *, timeout_s: float = CONNECT_S) -> list[tuple[socket.AddressFamily, tuple[str, int]]]:
    """Socket addresses of a name, in the resolver's order. Raises socket.gaierror, TimeoutError on silence, or NeverConnectedError.

    The resolver of the C library cannot be interrupted, so it runs in a thread that is left behind when it is late.
    """
    answer: queue.SimpleQueue[list[tuple[socket.AddressFamily, tuple[str, int]]] | OSError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
            answer.put([(family, (str(where[0]), int(where[1]))) for family, _, _, _, where in found])
        except UnicodeError as error:  # a label that IDNA refuses
            answer.put(socket.gaierror(socket.EAI_NONAME, str(error)))
        except OSError as error:
            answer.put(error)

    threading.Thread(target=ask, daemon=True, name=f"resolve {address.host}").start()
    try:
        result = answer.get(timeout=remaining_s(timeout_s))
    except queue.Empty:
        raise TimeoutError(f"no answer from the name servers for {address.host!r} within {timeout_s:g} s") from None
    if isinstance(result, OSError):
        raise result
    for _, (ip, _port) in result:
        refuse_never_connected(ip)
    return result


def open_tcp(address: Address, *, timeout_s: float = CONNECT_S) -> socket.socket:
    """A TCP socket to the first address that answers; resolution and attempts share `timeout_s`. Raises OSError."""
    with total_deadline(timeout_s):
        places = resolve(address, timeout_s=timeout_s)
        error: OSError = OSError(f"{address.host!r} has no address")
        for attempts_left, (family, where) in zip(range(len(places), 0, -1), places, strict=True):
            sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                sock.settimeout((remaining_s(timeout_s) or timeout_s) / attempts_left)
                sock.connect(where)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as failure:
                sock.close()
                error = failure
            else:
                return sock
        raise error
