"""Slow clients are cut, others and open streams are not; and streams end with the session that opened them."""

import json
import time
from collections.abc import Iterator

import httpx
import pytest
from tests.api.serving import answer, connected, served

from gavel.api import http_protocol
from gavel.api.app import build
from gavel.api.routes import live
from gavel.config import Settings

PATIENCE_S = 1.0
HEAD = b"GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


@pytest.fixture
def port(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(http_protocol, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(live, "CHECK_EVERY_S", 0.5)
    with served(build(settings)) as found:
        yield found


def cut_after(port: int, said: bytes, drip: bytes) -> float:
    """Seconds until the server gives up on a client that says something and then a byte now and then."""
    with connected(port) as sock:
        began = time.monotonic()
        sock.sendall(said)
        sock.settimeout(0.1)
        while time.monotonic() - began < 20:
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
def test_slow_client_is_cut(port: int, said: bytes, drip: bytes) -> None:
    assert 0.5 * PATIENCE_S < cut_after(port, said, drip) < 10 * PATIENCE_S


def test_slow_second_request_is_cut_too(port: int) -> None:
    with connected(port) as sock:
        sock.sendall(HEAD + b"\r\n")
        assert answer(sock).startswith(b"HTTP/1.1 200")
        sock.sendall(HEAD)
        began = time.monotonic()
        while answer(sock, until=b"never"):
            pass
        assert time.monotonic() - began < 10 * PATIENCE_S


def test_client_that_asks_one_request_after_the_other_is_not_cut(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1") as client:
        until = time.monotonic() + 3 * PATIENCE_S
        while time.monotonic() < until:
            assert client.get("/session").status_code == 200
            time.sleep(0.2)


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


def test_stream_outlasts_the_deadline_of_requests(port: int) -> None:
    with connected(port) as sock:
        sock.sendall(b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert answer(sock).startswith(b"HTTP/1.1 200")
        sock.settimeout(3 * PATIENCE_S)
        began = time.monotonic()
        try:
            while sock.recv(65536):
                pass
            pytest.fail(f"the stream ended after {time.monotonic() - began:.1f} s")
        except TimeoutError:
            assert time.monotonic() - began >= 2 * PATIENCE_S


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
