"""HTTP of the API with a deadline: whoever does not send a whole request in time, or comes when all places are taken, is cut off."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from weakref import WeakKeyDictionary

import h11
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from gavel.api.headers import SECURITY
from gavel.api.throttle import network_of

# From the connection, or the first byte of the next request, to the end of its head; and from there to the end of its body.
PATIENCE_S = 10.0
# Each open page holds a stream and some more. Far under the 20,000 file descriptors that a process is given at least.
MOST_CONNECTIONS = 2000
# One IPv4 address, and one /64 network of IPv6. Pages behind one address of an office hold two or three connections each.
MOST_OF_ADDRESS, MOST_OF_NETWORK = 100, 64


@dataclass(slots=True)
class _ServerConnections:
    """Connections of one server: their number per network, and those without a complete head, the oldest first."""

    of_network: Counter[str] = field(default_factory=Counter)
    headless: "dict[DeadlineProtocol, None]" = field(default_factory=dict)


_open_by_server: "WeakKeyDictionary[ServerState, _ServerConnections]" = WeakKeyDictionary()


class DeadlineProtocol(H11Protocol):
    """uvicorn gives up on clients that are silent between two requests, not on those that send a byte now and then."""

    _phase = "none"
    _deadline: asyncio.TimerHandle | None = None
    # None: not counted, or not anymore.
    _network: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._open = _open_by_server.setdefault(self.server_state, _ServerConnections())
        network = network_of(self.client[0]) if self.client else None
        if self._is_beyond_share(network) or not self._has_place():
            # A refused connection takes no place, however slowly its client closes it.
            self.connections.discard(self)
            transport.write(self.full())
            transport.close()
            return
        if network is not None:
            self._network = network
            self._open.of_network[network] += 1
        self._enter("head")

    @property
    def is_behind_proxy(self) -> bool:
        """Return whether a proxy of this machine passes on the requests of others, as the application reports at its start."""
        return bool(self.app_state.get("is_behind_proxy"))

    def full(self) -> bytes:
        """The answer to whoever comes when all places are taken."""
        return _answer(503, "Service Unavailable", "Too many connections are open. Try again in some seconds.")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self.transport.write(_answer(400, "Bad Request", msg))
        self.transport.close()

    def _is_beyond_share(self, network: str | None) -> bool:
        """Return whether the network of this connection has as many as one may have. None: a client without an address."""
        if network is None or self.client is None:
            return False
        most = MOST_OF_NETWORK if ":" in network else MOST_OF_ADDRESS
        return self._open.of_network[network] >= most and not self._is_of_proxy(self.client[0])

    def _is_of_proxy(self, address: str) -> bool:
        """Return whether the connection is one of a trusted proxy, which connects for all of its clients from one address.

        uvicorn trusts 127.0.0.1 by default, so loopback counts as a proxy only if the settings say that there is one: GAVEL_PUBLIC_URL
        names another host, or the listener has no TLS of its own. Without a proxy these are programs of this machine, with a limit. A
        proxy elsewhere is one that FORWARDED_ALLOW_IPS names.
        """
        if _is_loopback(address):
            return self.is_behind_proxy
        return isinstance(self.app, ProxyHeadersMiddleware) and address in self.app.trusted_hosts

    def _has_place(self) -> bool:
        """Return whether a place is free. The oldest connection without a complete head makes way for this one."""
        if len(self.connections) <= MOST_CONNECTIONS:
            return True
        oldest = next(iter(self._open.headless), None)
        if oldest is None:
            return False
        oldest.cut_off()
        return True

    def cut_off(self) -> None:
        """Give the place of this connection to another."""
        self._leave()
        self.transport.abort()

    def _leave(self) -> None:
        """Give the place back, at once and only once: the end of an aborted connection is reported later."""
        self._enter("none")
        self.connections.discard(self)
        if self._network is not None:
            self._open.of_network[self._network] -= 1
            if not self._open.of_network[self._network]:
                del self._open.of_network[self._network]
            self._network = None

    def _follow(self) -> None:
        """The phase that the request is in by now."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._enter("body")
        elif state is h11.IDLE and (self._phase == "head" or self.conn.trailing_data[0]):
            self._enter("head")
        else:
            self._enter("none")

    def _enter(self, phase: str) -> None:
        if phase == self._phase:
            return
        self._phase = phase
        if phase == "head":
            self._open.headless[self] = None
        else:
            self._open.headless.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if phase == "none" else self.loop.call_later(PATIENCE_S, self.transport.abort)


def _is_loopback(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:  # a Unix socket, which only a program of this machine reaches
        return True
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed).is_loopback


def _answer(status: int, title: str, detail: str) -> bytes:
    """A whole answer, written past the application: it has not seen a request."""
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail, "errors": []}
    body = json.dumps(problem).encode()
    fields = {
        b"content-type": b"application/problem+json",
        b"content-length": str(len(body)).encode(),
        b"cache-control": b"no-store",
        b"connection": b"close",
        **dict(SECURITY),
    }
    head = b"".join(b"%s: %s\r\n" % field for field in fields.items())
    return b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (status, title.encode(), head, body)
