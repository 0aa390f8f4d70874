"""One connection serves many requests, and is opened anew where the other side has closed it."""

import http.client
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.collectors.tls import Identity, make_identity, tls_server

from gavel.egress.kept_connection import KeptConnection
from gavel.egress.network import parse_address
from gavel.egress.tls import PinMismatchError, TlsTrust, ssl_context

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Talk = Callable[[ssl.SSLSocket, bytearray], None]


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Identity:
    return make_identity(tmp_path_factory.mktemp("tls"))


def serving(answer: bytes, most: int, connections: list[int]) -> Talk:
    """Gives the answer to each of so many requests, then closes."""

    def talk(connection: ssl.SSLSocket, received: bytearray) -> None:
        connections.append(1)
        for _ in range(most):
            received += connection.recv(65536)
            connection.sendall(answer)

    return talk


def read(connection: KeptConnection) -> bytes:
    return connection.request("GET", "/", {}).read()


@pytest.mark.parametrize(
    ("answer", "requests_each", "opened"),
    [(OK, 3, 1), (OK, 1, 3), (OK.replace(b"Content", b"Connection: close\r\nContent"), 3, 3)],
)
def test_it_is_opened_anew_only_where_it_was_closed(
    identity: Identity, answer: bytes, requests_each: int, opened: int
) -> None:
    connections: list[int] = []
    with tls_server(identity, serving(answer, requests_each, connections)) as server:
        trust = ssl_context(TlsTrust(fingerprint_sha256=identity.fingerprint))
        connection = KeptConnection(parse_address(server.address), trust)
        assert [read(connection) for _ in range(3)] == [b"ok"] * 3
        connection.disconnect()
    assert len(connections) == opened


def test_a_first_answer_that_never_comes_is_not_asked_for_again(identity: Identity) -> None:
    connections: list[int] = []
    with tls_server(identity, serving(b"", 1, connections)) as server:
        trust = ssl_context(TlsTrust(fingerprint_sha256=identity.fingerprint))
        connection = KeptConnection(parse_address(server.address), trust)
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            read(connection)
        connection.disconnect()
    assert len(connections) == 1


def test_whoever_answers_at_a_second_opening_has_to_prove_himself_again(identity: Identity, tmp_path: Path) -> None:
    other = make_identity(tmp_path, "other")
    with tls_server(other, serving(OK, 1, [])) as server:
        trust = ssl_context(TlsTrust(fingerprint_sha256=identity.fingerprint))
        connection = KeptConnection(parse_address(server.address), trust)
        with pytest.raises(PinMismatchError):
            read(connection)
        trust.pin = other.fingerprint
        assert read(connection) == b"ok"
        trust.pin = identity.fingerprint
        with pytest.raises(PinMismatchError):
            read(connection)
        connection.disconnect()
