"""HTTP of the API with a deadline: whoever does not send a whole request in time, or comes when all places are taken, is cut off."""

import asyncio
import json

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gavel.api.headers import SECURITY

# From the connection, or the first byte of the next request, to the end of its head; and from there to the end of its body.
PATIENCE_S = 10.0
# Each open page holds a stream and some more. Far under the 20,000 file descriptors that a process is given at least.
MOST_CONNECTIONS = 2000


class DeadlineProtocol(H11Protocol):
    """uvicorn gives up on clients that are silent between two requests, not on those that send a byte now and then."""

    _phase = "none"
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.write(self.full())
            transport.close()
            return
        self._enter("head")

    def full(self) -> bytes:
        """The answer to whoever comes when all places are taken."""
        return _answer(503, "Service Unavailable", "Too many connections are open. Try again in some seconds.")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._follow()

    def connection_lost(self, exc: Exception | None) -> None:
        self._enter("none")
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self.transport.write(_answer(400, "Bad Request", msg))
        self.transport.close()

    def _follow(self) -> None:
        """The phase that the request is in by now."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._enter("body")
        elif state is h11.IDLE and (self._phase == "head" or self.conn.trailing_data[0]):
            self._enter("head")
        else:
            self._enter("none")

    def _enter(self, phase: str) -> None:
        if phase == self._phase:
            return
        self._phase = phase
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if phase == "none" else self.loop.call_later(PATIENCE_S, self.transport.abort)


def _answer(status: int, title: str, detail: str) -> bytes:
    """A whole answer, written past the application: it has not seen a request."""
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail, "errors": []}
    body = json.dumps(problem).encode()
    fields = {
        b"content-type": b"application/problem+json",
        b"content-length": str(len(body)).encode(),
        b"cache-control": b"no-store",
        b"connection": b"close",
        **dict(SECURITY),
    }
    head = b"".join(b"%s: %s\r\n" % field for field in fields.items())
    return b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (status, title.encode(), head, body)
