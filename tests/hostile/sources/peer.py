"""A source at the other end of a connection that never leaves the process: bytes in, bytes out, below the real HTTP clients.

TLS and sockets are left out here, so that 100,000 answers take minutes; everything above them is the product's own.
"""

import io
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from gavel.egress.network import remaining_s

_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


@dataclass(frozen=True)
class Request:
    """`target` with its query; `body` complete; `head` as it was sent."""

    method: str
    target: str
    body: bytes
    head: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]


@dataclass(frozen=True)
class Bytes:
    """What a peer sends. `is_silent`: afterwards it keeps the connection and says nothing more; else it closes it where nothing is left."""

    data: bytes
    is_silent: bool = False


Answers = Callable[[Request], Bytes]


class Wire:
    """One connection: takes what is sent, hands out what `answers` says."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._sent = bytearray()
        self._pending = memoryview(b"")
        self._is_silent = True
        self.is_closed = False

    def take(self, data: bytes) -> None:
        self._sent += data
        while (request := self._complete()) is not None:
            answer = self._answers(request)
            self._pending = memoryview(bytes(self._pending) + answer.data)
            self._is_silent = answer.is_silent

    def give(self, most: int) -> bytes:
        """The next bytes; b"" once the peer has closed. A silence is not waited for: it is the deadline that ends it."""
        remaining_s(None)
        if self._pending:
            piece = bytes(self._pending[:most])
            self._pending = self._pending[most:]
            return piece
        if self._is_silent:
            raise TimeoutError("the peer is silent")
        return b""

    def _complete(self) -> Request | None:
        head, found, rest = bytes(self._sent).partition(_HEAD_END)
        length = _LENGTH.search(head)
        wanted = int(length[1]) if length else 0
        if not found or len(rest) < wanted:
            return None
        self._sent = bytearray(rest[wanted:])
        method, target, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
        return Request(method, target, rest[:wanted], head)


# --- under http.client ---------------------------------------------------------------------------------------------------


class _Reading(io.RawIOBase):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._wire.give(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class Socket:
    """As much of a TLS socket as http.client uses."""

    def __init__(self, answers: Answers) -> None:
        self.wire = Wire(answers)

    def sendall(self, data: bytes | Iterable[bytes]) -> None:
        self.wire.take(data if isinstance(data, bytes) else b"".join(data))

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reading(self.wire))

    def close(self) -> None:
        self.wire.is_closed = True
