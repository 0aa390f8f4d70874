"""One request to write lines, with a deadline over all of it."""

import asyncio
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

# Telegraf's default.
TIMEOUT_S = 5.0
_LONGEST_HEAD = 16_384


@dataclass(frozen=True)
class Receiver:
    """host, port: of whoever takes the lines, without TLS."""

    host: str
    port: int

    @classmethod
    def parse(cls, url: str) -> "Receiver":
        """Raises ValueError for anything but `http://host:port`."""
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname or parts.path not in ("", "/") or parts.query:
            raise ValueError(f"{url!r}: lines are pushed to an address such as http://127.0.0.1:8086")
        return cls(parts.hostname, parts.port or 80)


@dataclass(frozen=True)
class Answer:
    """status: None where there was no answer in time."""

    status: int | None
    retry_after_s: float | None = None


async def write(receiver: Receiver, token: str, lines: Sequence[bytes]) -> Answer:
    """Send them gzipped, wait for the head of the answer, and hang up."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            head = await _exchange(receiver, _request(receiver, token, lines))
    except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
        return Answer(None)
    return _answer(head)


def _request(receiver: Receiver, token: str, lines: Sequence[bytes]) -> bytes:
    body = gzip.compress(b"".join(lines), compresslevel=1, mtime=0)
    host = f"[{receiver.host}]" if ":" in receiver.host else receiver.host
    head = (
        "POST /api/v2/write?bucket=guests&org=lab HTTP/1.1\r\n"
        f"Host: {host}:{receiver.port}\r\n"
        "User-Agent: Telegraf/1.30.0\r\n"
        f"Authorization: Token {token}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "Content-Encoding: gzip\r\n"
        f"Content-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body


async def _exchange(receiver: Receiver, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(receiver.host, receiver.port, limit=_LONGEST_HEAD)
    try:
        writer.write(request)
        await writer.drain()
        return await reader.readuntil(b"\r\n\r\n")
    finally:
        writer.transport.abort()


def _answer(head: bytes) -> Answer:
    first, *rest = head.decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) < 2 or not parts[0].startswith("HTTP/1.") or not parts[1].isdigit():
        return Answer(None)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    asked = headers.get("retry-after", "")
    return Answer(int(parts[1]), float(asked) if asked.isdigit() and len(asked) < 10 else None)
