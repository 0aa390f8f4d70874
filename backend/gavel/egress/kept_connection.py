"""One HTTP connection to a source that is kept between requests: trusted TLS, and opened anew where the other side has closed it."""

import http.client
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress

from gavel.egress.network import READ_S, Address
from gavel.egress.tls import TrustContext, open_tls


class KeptConnection:
    """Not thread-safe. Whoever cannot read a response to its end disconnects."""

    def __init__(self, address: Address, context: TrustContext) -> None:
        self._address = address
        self._open: Callable[[], ssl.SSLSocket] = lambda: open_tls(address, context, read_s=READ_S)
        self._connection: http.client.HTTPSConnection | None = None

    def request(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> http.client.HTTPResponse:
        """The response, its body not yet read. Raises OSError and HTTPException."""
        if self._connection is not None and self._connection.sock is not None:
            with suppress(ConnectionError, ssl.SSLEOFError):  # an idle connection may be gone
                return _response(self._connection, method, path, headers, body)
        self.disconnect()
        self._connection = http.client.HTTPSConnection(self._address.host, self._address.port)
        # Where the other side closes after an answer, http.client would open the next connection by itself: to whom is not checked.
        self._connection.auto_open = 0
        self._connection.sock = self._open()
        return _response(self._connection, method, path, headers, body)

    def disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _response(
    connection: http.client.HTTPSConnection, method: str, path: str, headers: Mapping[str, str], body: bytes | None
) -> http.client.HTTPResponse:
    connection.request(method, path, body, {"User-Agent": "gavel", **headers})
    return connection.getresponse()
