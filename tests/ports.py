"""Ports of loopback that stay a test's own until its process ends."""

import os
import socket
from contextlib import suppress

# Below the ports that an operating system hands out by itself, above those of products under test.
_FIRST, _END = 20_000, 32_000
_held: list[socket.socket] = []


def reserve_port() -> int:
    """Return a port at which nothing listens and which no other program is given.

    A server that allows address reuse can listen at it; a connection is refused until one does.
    """
    start = os.getpid() * 7 % (_END - _FIRST)
    for step in range(_END - _FIRST):
        held = socket.socket()
        with suppress(OSError):
            port = _FIRST + (start + step) % (_END - _FIRST)
            held.bind(("127.0.0.1", port))
            # Only now: the bind itself must not share the port with another test's.
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            _held.append(held)
            return port
        held.close()
    raise AssertionError("no port is free")
