"""The body of a push: read up to a limit, unpacked up to a limit."""

import zlib
from collections.abc import AsyncIterator

# Telegraf sends 1,000 lines at once, some 300 kB unpacked.
MOST_BYTES = 10 * 2**20
# Counters of busy disks pack to a fifth, what is made to burst packs a thousandfold. A batch of idle disks packs to a seventieth, so the
# ratio does not count up to the size of such a batch.
_MOST_RATIO = 20
_ANY_RATIO_BYTES = 512 * 2**10
_GZIP = 16 + zlib.MAX_WBITS


class BodyTooLargeError(Exception):
    """The body, or what it unpacks to, is beyond the limit."""


class UnreadableBodyError(Exception):
    """It is not packed as its header has it."""


async def read_body(stream: AsyncIterator[bytes]) -> bytes:
    """Raises BodyTooLargeError."""
    parts, size = [], 0
    async for part in stream:
        size += len(part)
        if size > MOST_BYTES:
            raise BodyTooLargeError(f"The body is larger than {MOST_BYTES} bytes. Send smaller batches.")
        parts.append(part)
    return b"".join(parts)


def unpacked(body: bytes, encoding: str) -> bytes:
    """encoding: the Content-Encoding, empty or identity or gzip. Raises BodyTooLargeError, UnreadableBodyError."""
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "x-gzip"):
        raise UnreadableBodyError(f"The encoding {encoding[:40]!r} is not read. Send gzip, or none.")
    most = min(MOST_BYTES, max(_ANY_RATIO_BYTES, _MOST_RATIO * len(body)))
    reader = zlib.decompressobj(_GZIP)
    try:
        found = reader.decompress(body, most + 1)
    except zlib.error as error:
        raise UnreadableBodyError(f"The body is no gzip ({error}).") from error
    if len(found) > most:
        raise BodyTooLargeError(
            f"The body unpacks to more than {MOST_BYTES} bytes, or to more than {_MOST_RATIO} times its size"
            f" and {_ANY_RATIO_BYTES} bytes. Send smaller batches."
        )
    if not reader.eof or reader.unused_data:
        raise UnreadableBodyError("The body is cut off, or holds more than one gzip.")
    return found
