"""Everything that may answer at an address instead of the source one meant: on loopback, in threads, ended with their block."""

import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.collectors.tls import make_identity, tcp_server, tls_server

_DRIPS = 90  # seconds; longer than anybody may wait
_ESXI_VERSIONS = (
    b'<?xml version="1.0" encoding="UTF-8" ?><namespaces version="1.0"><namespace><name>urn:vim25</name>'
    b"<version>8.0.3.0</version><priorVersions><version>8.0.2.0</version></priorVersions></namespace></namespaces>"
)
_ESXI_CONTENT = (
    b'<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
    b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
    b'<RetrieveServiceContentResponse xmlns="urn:vim25"><returnval>'
    b'<rootFolder type="Folder">ha-folder-root</rootFolder>'
    b'<propertyCollector type="PropertyCollector">ha-property-collector</propertyCollector>'
    b"<about><name>VMware ESXi</name><fullName>VMware ESXi 8.0.3 build-24022510</fullName><vendor>VMware, Inc.</vendor>"
    b"<version>8.0.3</version><build>24022510</build><osType>vmnix-x86</osType><productLineId>embeddedEsx</productLineId>"
    b"<apiType>HostAgent</apiType><apiVersion>8.0.3.0</apiVersion></about>"
    b'<sessionManager type="SessionManager">ha-sessionmgr</sessionManager>'
    b"</returnval></RetrieveServiceContentResponse></soapenv:Body></soapenv:Envelope>"
)
_PAGE = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>"


@dataclass(frozen=True)
class Hostiles:
    """Addresses of what answers wrongly; `fingerprint` is the certificate all those that speak TLS present."""

    fingerprint: str
    website: str
    esxi: str
    plain_http: str
    black_hole: str  # accepts the connection and says nothing, not even TLS
    silent_server: str  # speaks TLS, takes the request and never answers
    drip: str  # answers one byte a second
    closed_port: str


@contextmanager
def hostiles(folder: Path) -> Iterator[Hostiles]:
    """All of them, until the block ends."""
    identity = make_identity(folder, "hostile")
    with ExitStack() as servers:

        def tls(talk: Callable[[socket.socket, bytearray], None]) -> str:
            return servers.enter_context(tls_server(identity, talk)).address

        yield Hostiles(
            fingerprint=identity.fingerprint,
            website=tls(_website),
            esxi=tls(_esxi),
            plain_http=servers.enter_context(tcp_server(_plain_http)).address,
            black_hole=servers.enter_context(tcp_server(_swallow)).address,
            silent_server=tls(_swallow),
            drip=tls(_drip),
            closed_port=_closed_port(),
        )


def _request(connection: socket.socket) -> bytes:
    """The next request, its body included; empty when the client is gone."""
    text = b""
    while b"\r\n\r\n" not in text:
        piece = connection.recv(65536)
        if not piece:
            return b""
        text += piece
    head, _, body = text.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    while length and len(body) < int(length[1]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def _answer(connection: socket.socket, status: bytes, kind: bytes, body: bytes) -> None:
    head = b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (status, kind, len(body))
    connection.sendall(head + body)


def _website(connection: socket.socket, _: bytearray) -> None:
    while _request(connection):
        _answer(connection, b"200 OK", b"text/html", _PAGE)


def _plain_http(connection: socket.socket, _: bytearray) -> None:
    """As web servers answer what is no HTTP, such as the start of TLS."""
    connection.recv(65536)
    _answer(connection, b"400 Bad Request", b"text/html", _PAGE)


def _esxi(connection: socket.socket, _: bytearray) -> None:
    while request := _request(connection):
        if b"vimServiceVersions" in request:
            _answer(connection, b"200 OK", b"text/xml", _ESXI_VERSIONS)
        elif b"RetrieveServiceContent" in request:
            _answer(connection, b"200 OK", b"text/xml; charset=utf-8", _ESXI_CONTENT)
        else:
            _answer(connection, b"404 Not Found", b"text/html", _PAGE)


def _swallow(connection: socket.socket, _: bytearray) -> None:
    while connection.recv(65536):
        pass


def _drip(connection: socket.socket, _: bytearray) -> None:
    _request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    for _second in range(_DRIPS):
        connection.sendall(b" ")
        time.sleep(1)


def _closed_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
