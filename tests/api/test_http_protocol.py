"""Slow clients are cut, others and open streams are not; and streams end with the session that opened them."""

import json
import time
from collections.abc import Iterator

import httpx
import pytest
from tests.api.serving import answer, connected, served
from tests.waiting import HANG_S, wait_for

from gavel.api import http_protocol
from gavel.api.app import build
from gavel.api.routes import live
from gavel.config import Settings

PATIENCE_S = 1.0
HEAD = b"GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


@pytest.fixture
def port(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that cuts nobody, however busy the machine is."""
    monkeypatch.setattr(http_protocol, "PATIENCE_S", HANG_S)
    monkeypatch.setattr(live, "CHECK_EVERY_S", 0.5)
    with served(build(settings)) as found:
        yield found


@pytest.fixture
def hasty_port(port: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """A server that cuts whoever is late by a second."""
    monkeypatch.setattr(http_protocol, "PATIENCE_S", PATIENCE_S)
    return port


@pytest.fixture
def deadlines(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a deadline ran, after each piece that came and each answer that went."""
    found: list[bool] = []
    follow = http_protocol.DeadlineProtocol._follow

    def noted(self: http_protocol.DeadlineProtocol) -> None:
        follow(self)
        found.append(self._deadline is not None)

    monkeypatch.setattr(http_protocol.DeadlineProtocol, "_follow", noted)
    return found


def cut_after(port: int, said: bytes, drip: bytes) -> float:
    """Seconds until the server gives up on a client that says something and then a byte now and then."""
    began = time.monotonic()
    with connected(port) as sock:
        sock.sendall(said)
        sock.settimeout(0.1)
        while time.monotonic() - began < HANG_S:
            try:
                sock.sendall(drip)
                if sock.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except (ConnectionResetError, BrokenPipeError):
                break
        return time.monotonic() - began


@pytest.mark.parametrize(("said", "drip"), [(b"", b""), (b"GET ", b"/"), (HEAD + b"X-Slow: ", b"a"), (POST, b" ")])
def test_slow_client_is_cut(hasty_port: int, said: bytes, drip: bytes) -> None:
    assert 0.5 * PATIENCE_S < cut_after(hasty_port, said, drip) < HANG_S


def test_slow_second_request_is_cut_too(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with connected(port) as sock:
        sock.sendall(HEAD + b"\r\n")
        assert answer(sock).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(http_protocol, "PATIENCE_S", PATIENCE_S)
        sock.sendall(HEAD)
        while answer(sock, until=b"never"):
            pass


def test_client_that_asks_one_request_after_the_other_is_not_cut(port: int, deadlines: list[bool]) -> None:
    """A deadline ends with its request."""
    with connected(port) as sock:
        for _ in range(3):
            sock.sendall(HEAD)
            wait_for(lambda: deadlines and deadlines[-1], "deadline of half a request")
            sock.sendall(b"\r\n")
            assert answer(sock, until=b"}").startswith(b"HTTP/1.1 200")
            wait_for(lambda: not deadlines[-1], "end of the deadline")


def test_what_is_no_http_gets_the_headers_too(port: int) -> None:
    with connected(port) as sock:
        sock.sendall(b"\x00\x01\x02 nonsense\r\n\r\n")
        got = answer(sock, until=b"never")
    assert got.startswith(b"HTTP/1.1 400 ")
    head, _, body = got.partition(b"\r\n\r\n")
    assert b"content-security-policy: default-src 'none'" in head
    assert json.loads(body)["status"] == 400


def test_connection_beyond_the_limit_is_refused_at_once(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with connected(port) as first:
        first.sendall(HEAD + b"\r\n")
        assert answer(first).startswith(b"HTTP/1.1 200")
        monkeypatch.setattr(http_protocol, "MOST_CONNECTIONS", 1)
        with connected(port) as second:
            assert answer(second, until=b"never").startswith(b"HTTP/1.1 503 ")
        first.sendall(HEAD + b"\r\n")
        assert b"HTTP/1.1 200" in answer(first)


def test_stream_outlasts_the_deadline_of_requests(port: int, deadlines: list[bool]) -> None:
    with connected(port) as sock:
        sock.sendall(b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert answer(sock).startswith(b"HTTP/1.1 200")
        assert deadlines
        assert not deadlines[-1]


def test_stream_ends_with_the_session_that_opened_it(port: int, settings: Settings) -> None:
    base = f"http://127.0.0.1:{port}/api/v1"
    with httpx.Client(base_url=base, headers={"sec-fetch-site": "same-origin"}) as client:
        client.post("/session", json={"token": settings.setup_token_file.read_text().strip()}).raise_for_status()
        cookie = "; ".join(f"{one.name}={one.value}" for one in client.cookies.jar)
        with connected(port) as sock:
            sock.sendall(f"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n".encode())
            assert answer(sock).startswith(b"HTTP/1.1 200")
            assert client.delete("/session").status_code == 204
            ended = answer(sock, until=b"0\r\n\r\n")
            assert ended.endswith(b"0\r\n\r\n")
