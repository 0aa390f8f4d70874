"""HTTP to one vCenter over one kept connection: trusted TLS, deadlines, a cap on what is read, and an account of it."""

import contextlib
import http.client
import re
from collections.abc import Iterator
from typing import Final

from gavel.domain.errors import OverloadedError, ProtocolError, SourceError, SourceUnreachableError
from gavel.domain.source import Usage
from gavel.egress.kept_connection import KeptConnection
from gavel.egress.network import TOTAL_S, Address, retry_after_s, total_deadline
from gavel.egress.tls import TrustContext, network_error

SDK_PATH: Final = "/sdk"
_CHUNK: Final = 65_536
# 25 hosts with 400 devices each, ten counters and fifteen samples come to 27 MB; where there is more, less is asked for.
_LARGEST_REPLY: Final = 48 * 1024 * 1024
# What is made into objects takes twenty times its size: five hosts with 4,096 paths each come to 25 MB.
_LARGEST_CONTENT: Final = 32 * 1024 * 1024
_COOKIE: Final = re.compile(r"[\x21-\x2b\x2d-\x3a\x3c-\x7e]{1,4096}")


class TooLargeError(ProtocolError):
    """A reply is larger than any that was asked for."""


class Reply:
    """A reply being read. `status` is 200 or, with a SOAP fault inside, 500."""

    def __init__(self, wire: "Wire", response: http.client.HTTPResponse) -> None:
        self._wire = wire
        self._response = response
        self._read = 0
        self.status = response.status
        self.session_cookie = _session_cookie(response)

    def read(self, size: int = _CHUNK) -> bytes:
        """The next bytes, b"" at the end. Raises a SourceError when the body ends early or is beyond all reason."""
        try:
            chunk = self._response.read(size)
        except ValueError as error:  # http.client takes a chunk's length below 0 for one
            raise ProtocolError(f"{self._wire.address}: the reply's parts have no length ({error}).") from error
        if not chunk and self._response.length:
            raise SourceUnreachableError(f"{self._wire.address}: the reply was cut off after {self._read} bytes.")
        self._read += len(chunk)
        self._wire.bytes_received += len(chunk)
        if self._read > _LARGEST_REPLY:
            raise TooLargeError(
                f"{self._wire.address}: a reply of more than {_LARGEST_REPLY >> 20} MiB was abandoned; less is asked for next time."
            )
        return chunk

    def chunks(self) -> Iterator[bytes]:
        while chunk := self.read():
            yield chunk

    def content(self) -> bytes:
        """The whole body, for what is made into objects. Raises TooLargeError beyond what such a body ever is."""
        found = bytearray()
        for chunk in self.chunks():
            found += chunk
            if len(found) > _LARGEST_CONTENT:
                raise TooLargeError(
                    f"{self._wire.address}: a reply of more than {_LARGEST_CONTENT >> 20} MiB, which no vCenter sends here; abandoned."
                )
        return bytes(found)


class Wire:
    """One connection at a time, reopened when needed. Everything below raises SourceErrors."""

    def __init__(self, address: Address, context: TrustContext) -> None:
        self.address = address
        self._connection = KeptConnection(address, context)
        self.calls = 0
        self.bytes_received = 0

    @property
    def usage(self) -> Usage:
        return Usage(self.calls, self.bytes_received)

    @contextlib.contextmanager
    def exchange(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Iterator[Reply]:
        """Sends one request and hands over the reply; both ends, with all reading in the block, within the deadline."""
        self.calls += 1
        try:
            with total_deadline(TOTAL_S):
                reply = Reply(self, self._send(method, path, body, headers or {}))
                yield reply
                for _ in reply.chunks():  # whatever was left, so that the connection can be used again
                    pass
        except (OSError, http.client.HTTPException) as error:
            self.disconnect()
            raise self._in_words(error) from error
        except BaseException:
            self.disconnect()
            raise

    def disconnect(self) -> None:
        self._connection.disconnect()

    def _send(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> http.client.HTTPResponse:
        response = self._connection.request(method, path, headers, body)
        if response.status in {429, 503}:
            raise OverloadedError(
                f"{self.address}: the vCenter is busy or starting (HTTP {response.status}). It will be asked again.",
                retry_after_s=retry_after_s(response.getheader("Retry-After")),
            )
        return response

    def _in_words(self, error: OSError | http.client.HTTPException) -> SourceError:
        if isinstance(error, OSError):
            return network_error(self.address, error)
        if isinstance(error, http.client.IncompleteRead):
            return SourceUnreachableError(f"{self.address}: the reply was cut off ({error}).")
        return ProtocolError(f"{self.address}: not an answer in HTTP ({error!r}). Check host and port.")


def _session_cookie(response: http.client.HTTPResponse) -> str | None:
    """The session's; None too where no header could carry it back."""
    for header in response.headers.get_all("Set-Cookie") or ():
        name, _, value = str(header).partition(";")[0].partition("=")
        if name.strip() == "vmware_soap_session":
            return value.strip() if _COOKIE.fullmatch(value.strip()) else None
    return None
