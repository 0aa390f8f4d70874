"""FlashArrays that let anybody in and then never come to an end: pages without end, 400 MB in 400 kB, silence, a byte now and then."""

import gzip
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count, cycle, islice
from pathlib import Path

from tests.collectors.tls import make_identity, tls_server
from tests.product.hostile import _request

_BOMB = gzip.compress(bytes(400 * 1024 * 1024), 9)
_DRIPS = 90
_counter = count()


def _answer(connection: socket.socket, body: bytes, *headers: str) -> None:
    head = ["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Content-Type: application/json", *headers]
    connection.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)


def _endless(connection: socket.socket) -> None:
    """Always another page, each of new items."""
    items = [
        {"id": f"v{next(_counter)}", "name": f"v{next(_counter)}", "serial": "0", "time": int(time.time() * 1000)}
        for _ in range(20)
    ]
    _answer(connection, json.dumps({"items": items, "more_items_remaining": True}).encode())
    time.sleep(0.01)


def _bomb(connection: socket.socket) -> None:
    _answer(connection, _BOMB, "Content-Encoding: gzip")


def _silent(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def _drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(_DRIPS):
        connection.sendall(b" ")
        time.sleep(1)


KINDS: dict[str, Callable[[socket.socket], None]] = {
    "endless pages": _endless,
    "gzip bomb": _bomb,
    "silence": _silent,
    "drip": _drip,
}


@contextmanager
def bad_arrays(folder: Path, wanted: int = len(KINDS)) -> Iterator[tuple[str, dict[str, str]]]:
    """The fingerprint of all, and name and address of each: the kinds in turn."""
    identity = make_identity(folder, "bad")
    with ExitStack() as servers:

        def serve(misbehave: Callable[[socket.socket], None]) -> str:
            def talk(connection: socket.socket, _: bytearray) -> None:
                while request := _request(connection):
                    line = request.split(b"\r\n", 1)[0]
                    if b"api_version" in line:
                        _answer(connection, b'{"version": ["2.26"]}')
                    elif b"/login" in line:
                        _answer(connection, b"{}", "x-auth-token: session")
                    elif b"/logout" in line:
                        _answer(connection, b"{}")
                    else:
                        misbehave(connection)

            return servers.enter_context(tls_server(identity, talk)).address

        kinds = enumerate(islice(cycle(KINDS.items()), wanted))
        yield identity.fingerprint, {f"{name} {number}": serve(misbehave) for number, (name, misbehave) in kinds}
