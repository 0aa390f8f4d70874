"""HTTPS serving on loopback, one listener per source, a thread per connection, keep-alive; wire faults are applied here.

A protocol server is one function from `Request` to `Response`. The lab finds them here:

    gavel_lab.flasharray.server:create(lab: Lab, array: Array) -> App
    gavel_lab.vcenter.server:create(lab: Lab, vcenter: VCenter) -> App

`create` is called once per source at start-up; the App is called from many threads at once and may block (a long poll
such as WaitForUpdatesEx just sleeps in its thread). It knows nothing of TLS, sockets or wire faults. An exception it
raises becomes a 500, with the traceback in the log.
"""

import logging
import select
import ssl
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from gavel_lab.faults import Fault, FaultKind, Faults
from gavel_lab.wire_faults import replacement, text_of

LOOPBACK = "127.0.0.1"
_HANDSHAKE_S = 10
_IDLE_S = 300
_HOLE_S = 600
_MAX_BODY = 64 * 2**20
_DRIP_PAUSE_S = 0.1

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """One HTTP request, completely read. Header names are lower case. `query` is the raw string after `?`."""

    method: str
    path: str  # percent-decoded, without the query
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Response:
    """One HTTP response. The serving side adds Content-Length, Date (the source's clock), Server and Connection."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


App = Callable[[Request], Response]


@dataclass(frozen=True)
class Source:
    """What a listener serves: an app under a source's name and clock, with its certificate and a wrong one.

    Without certificates it is plain HTTP and has no wire faults (the truth port).
    """

    name: str
    app: App
    now: Callable[[], float]
    context: ssl.SSLContext | None = None
    wrong_context: ssl.SSLContext | None = None


class Listener:
    """Serves one source on a loopback port. Port 0 takes any free one. Raises OSError where the port is taken."""

    def __init__(self, port: int, source: Source, faults: Faults) -> None:
        self._server = _Server(port, source, faults)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    @property
    def port(self) -> int:
        """The port in use."""
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """`127.0.0.1:port`."""
        return f"{LOOPBACK}:{self.port}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Stop accepting; connections that are open end with the process or their client."""
        self._server.stopping.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, source: Source, faults: Faults) -> None:
        self.source = source
        self.faults = faults
        self.stopping = threading.Event()
        super().__init__((LOOPBACK, port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that broke: clients hang up, refuse certificates and time out; that is their right."""
        log.debug("%s: connection %s from %s broke: %r", self.source.name, request, client_address, sys.exception())


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = _IDLE_S

    def setup(self) -> None:
        """TLS is shaken in the connection's own thread, so that a client that dawdles stops nobody else."""
        context = self._context()
        if context:
            self.request.settimeout(_HANDSHAKE_S)
            self.request = context.wrap_socket(self.request, server_side=True)
        super().setup()

    def finish(self) -> None:
        """Close what `setup` wrapped: the server only knows the socket it accepted."""
        try:
            super().finish()
        finally:
            self.request.close()

    def _context(self) -> ssl.SSLContext | None:
        source = self.server.source
        if source.wrong_context and self.server.faults.active(source.name, FaultKind.WRONG_CERTIFICATE):
            return source.wrong_context
        return source.context

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Requests are not logged one by one."""

    def date_time_string(self, timestamp: float | None = None) -> str:
        """Return the HTTP date of `timestamp`, or of now by the source's clock."""
        return formatdate(self.server.source.now() if timestamp is None else timestamp, usegmt=True)

    def _answer(self) -> None:
        body = self._read_body()
        if body is None:
            return
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, unquote(parts.path), parts.query, headers, body)
        text = text_of(self.command, self.path, body)
        if self._fault(FaultKind.BLACK_HOLE, text):
            self._swallow()
            return
        self._send(self._response(request, text), text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _answer  # noqa: N815

    def _fault(self, kind: FaultKind, text: str) -> Fault | None:
        source = self.server.source
        return self.server.faults.active(source.name, kind, text) if source.context else None

    def _response(self, request: Request, text: str) -> Response:
        for kind in (FaultKind.STATUS, FaultKind.GARBAGE, FaultKind.HTML):
            fault = self._fault(kind, text)
            if fault:
                is_json = request.path.startswith("/api")
                return Response(*replacement(fault, is_json=is_json, now=self.server.source.now()))
        try:
            return self.server.source.app(request)
        except Exception:  # an app's bug must not look like a network fault
            log.exception("%s: %s %s failed", self.server.source.name, request.method, request.path)
            return Response(500, b"internal error of the lab; see its log\n", "text/plain")

    def _read_body(self) -> bytes | None:
        """The whole body; None where it could not be read and an error was sent."""
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return self._read_chunks()
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > _MAX_BODY:
            self.close_connection = True
            self.send_error(413 if length.isdigit() else 400)
            return None
        return self.rfile.read(int(length))

    def _read_chunks(self) -> bytes | None:
        body = bytearray()
        while size := int(self.rfile.readline(64).partition(b";")[0], 16):
            if len(body) + size > _MAX_BODY:
                self.close_connection = True
                self.send_error(413)
                return None
            body += self.rfile.read(size)
            self.rfile.readline(64)
        while self.rfile.readline(_MAX_BODY).strip():
            pass
        return bytes(body)

    def _send(self, response: Response, text: str) -> None:
        self._send_head(response)
        body = b"" if self.command == "HEAD" else response.body
        cut, drip = self._fault(FaultKind.CUT_BODY, text), self._fault(FaultKind.SLOW_DRIP, text)
        if cut:
            body = body[: cut.number("after_bytes")]
            self.close_connection = True
        if drip:
            self._drip(body, drip.number("bytes_per_s"))
        else:
            self.wfile.write(body)
        self.wfile.flush()

    def _send_head(self, response: Response) -> None:
        self.send_response_only(response.status)
        self.send_header("Date", self.date_time_string())
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.body:
            self.send_header("Content-Type", response.content_type)
        if response.status != 204:
            self.send_header("Content-Length", str(len(response.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    def _drip(self, body: bytes, bytes_per_s: int) -> None:
        piece = max(1, int(bytes_per_s * _DRIP_PAUSE_S))
        pause_s = piece / bytes_per_s
        for start in range(0, len(body), piece):
            self.wfile.write(body[start : start + piece])
            self.wfile.flush()
            if self.server.stopping.wait(pause_s):
                return

    def _swallow(self) -> None:
        """Never answer; end when the client hangs up."""
        self.close_connection = True
        deadline = time.monotonic() + _HOLE_S
        while time.monotonic() < deadline and not self.server.stopping.is_set():
            if select.select([self.connection], [], [], 0.2)[0]:
                return
