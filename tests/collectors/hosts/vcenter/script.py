"""A vCenter that answers as a test says, method by method, and remembers what it was asked."""

import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.collectors import tls
from tests.collectors.hosts.vcenter.payloads import recording

Answer = bytes | Callable[[ssl.SSLSocket], None]


def http(body: bytes, status: int = 200, **headers: str) -> bytes:
    """An HTTP response; a header `set_cookie=…` becomes Set-Cookie."""
    lines = [f"HTTP/1.1 {status} Because", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def fault(name: str) -> bytes:
    return http(recording(f"fault_{name}.xml"), 500)


def silence(connection: ssl.SSLSocket) -> None:
    """Reads on and never answers."""
    while connection.recv(65_536):
        pass


def drip(connection: ssl.SSLSocket) -> None:
    """A reply that comes byte by byte, long before any single read is late."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    tls.drip(connection, bytearray(), b" ")


def hang_up(connection: ssl.SSLSocket) -> None:
    connection.close()


USUAL: Final[dict[str, Answer]] = {
    "GET": http(recording("service_versions.xml")),
    "RetrieveServiceContent": http(recording("service_content_vcenter.xml")),
    "Login": http(recording("login.xml"), set_cookie='vmware_soap_session="5a2f"; Path=/; HttpOnly; Secure'),
    "Logout": http(b'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
                   b'<LogoutResponse xmlns="urn:vim25"/></s:Body></s:Envelope>'),
    "CurrentTime": http(recording("current_time.xml")),
}  # fmt: skip


@dataclass
class Script:
    """`answers`: method ("GET" for plain requests) → answers, used up one by one but for the last."""

    answers: dict[str, list[Answer]] = field(default_factory=lambda: {name: [answer] for name, answer in USUAL.items()})
    asked: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)

    def talk(self, connection: ssl.SSLSocket, received: bytearray) -> None:
        while request := self._request(connection):
            received += request
            method = self._method(request)
            self.asked.append(method)
            cookie = re.search(rb"(?i)^cookie: (\S+)", request, re.MULTILINE)
            self.cookies.append(cookie[1].decode() if cookie else "")
            planned = self.answers[method]
            answer = planned.pop(0) if len(planned) > 1 else planned[0]
            if isinstance(answer, bytes):
                connection.sendall(answer)
            else:
                answer(connection)

    def _request(self, connection: ssl.SSLSocket) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = connection.recv(65_536)
            if not chunk:
                return b""
            data += chunk
        length = re.search(rb"(?i)content-length: (\d+)", data)
        wanted = data.index(b"\r\n\r\n") + 4 + (int(length[1]) if length else 0)
        while len(data) < wanted:
            data += connection.recv(65_536)
        return data

    def _method(self, request: bytes) -> str:
        if request.startswith(b"GET"):
            return "GET"
        called = re.search(rb'<(\w+) xmlns="urn:vim25"', request)
        return called[1].decode() if called else "?"
