"""The API on a real socket, in a thread of the test, spoken to byte by byte."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette
from tests.waiting import HANG_S, join, wait_for

from gavel.api.http_protocol import DeadlineProtocol


@contextmanager
def served(app: Starlette, protocol: type[DeadlineProtocol] = DeadlineProtocol) -> Iterator[int]:
    """The port it answers on, until the block ends."""
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        http=protocol,
        log_config=None,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    wait_for(lambda: server.started or not thread.is_alive(), "server that listens")
    assert server.started
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        join(thread)


def connected(port: int) -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=HANG_S)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def answer(sock: socket.socket, until: bytes = b"\r\n\r\n", *, within_s: float = HANG_S) -> bytes:
    """What comes, up to `until` or the end; a connection that is reset has ended. A stream that only goes on is a failure."""
    got = b""
    deadline = time.monotonic() + within_s
    while until not in got:
        assert time.monotonic() < deadline, f"no end within {within_s:g} s, but {len(got)} bytes: …{got[-100:]!r}"
        try:
            piece = sock.recv(65536)
        except ConnectionResetError:
            break
        if not piece:
            break
        got += piece
    return got
