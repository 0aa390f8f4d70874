"""One HTTP request to a receiver that may be anything: checked where it goes, every step with a deadline, the answer cut at a limit."""

import http.client
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gavel.alerting.render.message import Picture
from gavel.alerting.transport.outcome import Outcome, ReceiverResponse, Result, by_status
from gavel.egress.network import Address, remaining_s, resolve, total_deadline
from gavel.egress.policy import Allowed, ForbiddenError, Target, parse_url
from gavel.egress.tls import TlsTrust, network_error, ssl_context

CONNECT_S = 5.0
READ_S = 15.0
TOTAL_S = 25.0
LARGEST_ANSWER = 64 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent. url and headers hold secrets; `body` does not, or its kind says so.

    picture: goes along as a file, in the kind's own way. without_picture: the body for a receiver that refuses the picture's address.
    """

    url: str = field(repr=False)
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "POST"
    picture: Picture | None = None
    without_picture: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Deadlines:
    connect_s: float = CONNECT_S
    read_s: float = READ_S
    total_s: float = TOTAL_S


@dataclass(frozen=True, slots=True)
class Transport:
    """How the outside is reached: where to, how patiently, and whom to believe."""

    allowed: Allowed = field(default_factory=Allowed)
    deadlines: Deadlines = field(default_factory=Deadlines)
    trust: TlsTrust = field(default_factory=TlsTrust)


class GuardedTcp(socket.socket):
    """A plain socket whose every read and write ends at the total deadline."""

    def recv_into(self, *args: Any) -> int:
        return self._within_deadline(super().recv_into, *args)

    def send(self, *args: Any) -> int:
        return self._within_deadline(super().send, *args)

    def sendall(self, data: Any, *args: Any) -> None:
        view = memoryview(data)
        while view:
            view = view[self.send(view, *args) :]

    def _within_deadline(self, operation: Callable[..., int], *args: Any) -> int:
        own = self.gettimeout()
        self.settimeout(remaining_s(own))
        try:
            return operation(*args)
        finally:
            self.settimeout(own)


def post(request: Request, way: Transport, *, read: Callable[[ReceiverResponse], Outcome] | None = None) -> Outcome:
    """Sends once and says how that ended; never raises for what the network or the receiver does.

    read: how this receiver tells success, where the status alone does not.
    """
    try:
        target = parse_url(request.url)
        way.allowed.check_scheme(target.scheme)
    except ForbiddenError as error:
        return Outcome(Result.REFUSED, str(error))
    try:
        with total_deadline(way.deadlines.total_s):
            answer = _exchange(request, target, way)
    except ForbiddenError as error:
        return Outcome(Result.REFUSED, str(error))
    except (OSError, http.client.HTTPException) as error:
        return Outcome(Result.RETRY, _in_words(target, error))
    return read(answer) if read else by_status(answer)


def connect(target: Target, way: Transport) -> socket.socket:
    """A connection to the first address that answers, each checked before. Raises ForbiddenError, OSError.

    What was checked is what is connected to: the name is resolved once, so a second answer of its name servers has no effect.
    """
    places = resolve(_address(target), timeout_s=way.deadlines.connect_s)
    for _, (address, _) in places:
        way.allowed.check(target.host, address)
    failure = OSError(f"{target.host} has no address")
    for family, place in places:
        sock = GuardedTcp(family, socket.SOCK_STREAM)
        try:
            sock.settimeout(remaining_s(way.deadlines.connect_s))
            sock.connect(place)
        except OSError as error:
            sock.close()
            failure = error
        else:
            sock.settimeout(way.deadlines.read_s)
            return sock
    raise failure


def secured(sock: socket.socket, target: Target, way: Transport) -> ssl.SSLSocket:
    """The same connection inside TLS; the peer has to be who the name says. Raises OSError."""
    try:
        return ssl_context(way.trust).wrap_socket(sock, server_hostname=target.host)
    except BaseException:
        sock.close()
        raise


def _exchange(request: Request, target: Target, way: Transport) -> ReceiverResponse:
    connection = http.client.HTTPConnection(target.host, target.port)
    sock = connect(target, way)
    connection.sock = secured(sock, target, way) if target.scheme == "https" else sock
    headers = {
        "Host": target.authority,
        "User-Agent": "Gavel",
        "Accept-Encoding": "identity",
        "Connection": "close",
        **request.headers,
    }
    try:
        connection.request(request.method, target.path, request.body, headers)
        response = connection.getresponse()
        # A body longer than that is of no interest: the rest is never read.
        body = response.read(LARGEST_ANSWER)
        return ReceiverResponse(response.status, {name.lower(): value for name, value in response.getheaders()}, body)
    finally:
        connection.close()


def _address(target: Target) -> Address:
    return Address(target.host, target.port)


def _in_words(target: Target, error: BaseException) -> str:
    if isinstance(error, http.client.HTTPException):
        return f"{target}: the server does not follow the HTTP protocol ({type(error).__name__})."
    if isinstance(error, ssl.SSLCertVerificationError):
        # `network_error` would ask the peer for its fingerprint by a connection that nobody has checked.
        reason = f"the certificate is not trusted ({error.verify_message or error.reason})"
        return (
            f"{target}: {reason}. Give its authority's PEM, or pin its fingerprint, in the channel. Nothing was sent."
        )
    return str(network_error(_address(target), error))
