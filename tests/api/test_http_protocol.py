"""Slow clients are cut, others and open streams are not; and streams end with the session that opened them."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
import uvicorn
from tests.api.serving import answer, connected, served
from tests.waiting import HANG_S, wait_for
from uvicorn.server import ServerState

from gavel.api import http_protocol
from gavel.api.app import build
from gavel.api.routes import live
from gavel.config import Settings
from gavel.listener.http_protocol import PushProtocol

PATIENCE_S = 1.0
HEAD = b"GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n"
STREAM = b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"
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


def test_connection_without_a_head_makes_way_for_a_new_one_the_oldest_first(
    port: int, deadlines: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "MOST_CONNECTIONS", 3)
    with ExitStack() as stack:
        complete, oldest, other = (stack.enter_context(connected(port)) for _ in range(3))
        complete.sendall(STREAM + b"\r\n")
        assert answer(complete).startswith(b"HTTP/1.1 200")
        for half in (oldest, other):
            deadlines.clear()
            half.sendall(STREAM)
            wait_for(lambda: deadlines, "half a head")
        new = stack.enter_context(connected(port))
        assert answer(oldest) == b""
        new.sendall(STREAM)
        for half in (other, new):
            half.sendall(b"\r\n")
            assert answer(half).startswith(b"HTTP/1.1 200")
        # Streams stay open, and all heads are complete now.
        assert answer(stack.enter_context(connected(port)), until=b"never").startswith(b"HTTP/1.1 503 ")


def test_connections_beyond_the_limit_of_their_address_are_refused_and_take_no_place(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "MOST_OF_ADDRESS", 2)
    monkeypatch.setattr(http_protocol, "MOST_CONNECTIONS", 3)
    with ExitStack() as stack:
        first, second = (stack.enter_context(connected(port)) for _ in range(2))
        for _ in range(5):
            refused = stack.enter_context(connected(port))
            assert answer(refused, until=b"never").startswith(b"HTTP/1.1 503 ")
        for sock in (first, second):
            sock.sendall(HEAD + b"\r\n")
            assert answer(sock).startswith(b"HTTP/1.1 200")

    def is_served() -> bool:
        with connected(port) as sock:
            sock.sendall(HEAD + b"\r\n")
            return answer(sock).startswith(b"HTTP/1.1 200")

    wait_for(is_served, "place of a connection that was closed")


def test_proxy_of_the_same_machine_may_have_as_many_connections_as_it_needs(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "MOST_OF_ADDRESS", 1)
    proxied = settings.model_copy(update={"public_url": "https://gavel.example.com"})
    with served(build(proxied)) as port, connected(port), connected(port) as second:
        second.sendall(HEAD + b"\r\n")
        assert answer(second).startswith(b"HTTP/1.1 200")


class Peer(asyncio.Transport):
    """A client at any address."""

    def __init__(self, address: str, *, is_tls: bool) -> None:
        super().__init__({"peername": (address, 50_000), "sslcontext": object() if is_tls else None})
        self.got = b""

    def write(self, data: Any) -> None:
        self.got += data

    def close(self) -> None:
        pass


V4 = [f"192.0.2.{n}" for n in range(1, 4)]
IN_64 = [f"2001:db8::{n}" for n in range(1, 4)]
OF_64S = [f"2001:db8:0:{n}::1" for n in range(1, 4)]
LOCAL = ["127.0.0.1", "::1", "::ffff:127.0.0.1"]


@pytest.mark.parametrize(
    ("protocol", "addresses", "is_tls", "most"),
    [
        (http_protocol.DeadlineProtocol, V4[:1], False, 100),
        (http_protocol.DeadlineProtocol, V4, False, 300),
        (http_protocol.DeadlineProtocol, [V4[0], f"::ffff:{V4[0]}"], False, 100),
        (http_protocol.DeadlineProtocol, IN_64, False, 64),
        (http_protocol.DeadlineProtocol, OF_64S, False, 192),
        (http_protocol.DeadlineProtocol, ["198.51.100.1", "198.51.100.2"], False, 400),
        (http_protocol.DeadlineProtocol, LOCAL[:1], False, 100),
        (PushProtocol, V4[:1], False, 100),
        (PushProtocol, LOCAL, False, 400),
        (PushProtocol, LOCAL[:1], True, 100),
    ],
)
def test_most_connections_of_an_address(
    protocol: type[http_protocol.DeadlineProtocol], addresses: list[str], is_tls: bool, most: int
) -> None:
    """198.51.100.0/24: proxies that FORWARDED_ALLOW_IPS names. The listener without TLS of its own has a proxy on this machine."""
    config = uvicorn.Config(lambda: None, forwarded_allow_ips="198.51.100.0/24, 127.0.0.1", log_config=None)
    state, loop = ServerState(), asyncio.new_event_loop()
    try:
        peers = [Peer(addresses[n % len(addresses)], is_tls=is_tls) for n in range(400)]
        made = [protocol(config, state, {}, loop) for _ in peers]
        for each, peer in zip(made, peers, strict=True):
            each.connection_made(peer)
        assert sum(not peer.got for peer in peers) == most
        for each in made:
            each.connection_lost(None)
        again = Peer(addresses[0], is_tls=is_tls)
        protocol(config, state, {}, loop).connection_made(again)
        assert not again.got
    finally:
        loop.close()


def test_stream_outlasts_the_deadline_of_requests(port: int, deadlines: list[bool]) -> None:
    with connected(port) as sock:
        sock.sendall(STREAM + b"\r\n")
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
