"""Receivers on loopback that write down what arrives, and answer as the test says: HTTP, HTTPS and SMTP."""

import http.server
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.collectors.tls import Identity
from tests.waiting import join

from gavel.egress.policy import Allowed, parse_networks

LOOPBACK = Allowed(parse_networks(["127.0.0.0/8"]), frozenset({"http", "https"}))


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.time)
    at_s: float = field(default_factory=time.monotonic)


@dataclass
class Says:
    """One answer."""

    status: int = 200
    body: bytes = b"ok"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class HttpReceiver:
    """answers: one per request, the last for all that follow. delay_s: before each
    of them, when the request is written down. is_silent: none comes, though the request is written down."""

    url: str = ""
    delay_s: float = 0.0
    is_silent: bool = False
    received: list[Received] = field(default_factory=list)
    answers: list[Says] = field(default_factory=lambda: [Says()])

    def next_answer(self) -> Says:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def http_receiver(identity: Identity | None = None) -> Iterator[HttpReceiver]:
    record = HttpReceiver()

    class Handler(http.server.BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            record.received.append(Received(self.command, self.path, headers, body))
            time.sleep(record.delay_s)
            if record.is_silent:
                while self.connection.recv(65536):
                    continue
                self.close_connection = True
                return
            says = record.next_answer()
            try:
                self.send_response(says.status)
                for name, value in says.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(says.body)))
                self.end_headers()
                self.wfile.write(says.body)
            except OSError:
                self.close_connection = True  # whoever asked has heard enough

        do_POST = do_PATCH = do_PUT = do_GET = handle_any  # noqa: N815 - the names that http.server looks for

        def log_message(self, *args: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scheme = "http"
    if identity:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(identity.path)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    server.handle_error = lambda *args: None  # type: ignore[method-assign]
    record.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield record
    finally:
        server.shutdown()
        server.server_close()
        join(thread)


@dataclass
class SmtpReceiver:
    """refuse: verb → the answer that refuses it."""

    port: int = 0
    mails: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    refuse: dict[str, bytes] = field(default_factory=dict)


class _SmtpHandler(socketserver.StreamRequestHandler):
    record: SmtpReceiver
    identity: Identity | None

    def handle(self) -> None:
        self.say(b"220 test")
        while line := self.rfile.readline().decode().strip():
            verb = line.partition(" ")[0].upper()
            self.record.commands.append(verb)
            if verb == "QUIT":
                return
            if refusal := self.record.refuse.get(verb):
                self.say(refusal)
            else:
                self.replies().get(verb, self.agree)(line)

    def agree(self, _line: str) -> None:
        self.say(b"250 ok")

    def replies(self) -> dict[str, Callable[[str], None]]:
        return {
            "EHLO": self.hello,
            "STARTTLS": self.starttls,
            "DATA": self.data,
            "RCPT": self.recipient,
            "AUTH": self.login,
        }

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def hello(self, line: str) -> None:
        self.say(b"250-test\r\n250-AUTH PLAIN\r\n250 " + (b"STARTTLS" if self.identity else b"8BITMIME"))

    def recipient(self, line: str) -> None:
        self.record.recipients.append(line.partition(":")[2].strip("<> "))
        self.say(b"250 ok")

    def login(self, line: str) -> None:
        self.say(b"235 welcome")

    def starttls(self, line: str) -> None:
        assert self.identity is not None
        self.say(b"220 go")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.identity.path)
        self.request = context.wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", 0)

    def data(self, line: str) -> None:
        self.say(b"354 go")
        lines = []
        while (one := self.rfile.readline()) != b".\r\n":
            lines.append(one.removeprefix(b".") if one.startswith(b"..") else one)
        self.record.mails.append(b"".join(lines))
        self.say(b"250 taken")

    def say(self, line: bytes) -> None:
        self.wfile.write(line + b"\r\n")


class _SmtpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A peer that goes away is no news."""


@contextmanager
def smtp_receiver(identity: Identity | None = None) -> Iterator[SmtpReceiver]:
    record = SmtpReceiver()
    handler = type("Handler", (_SmtpHandler,), {"record": record, "identity": identity})
    with _SmtpServer(("127.0.0.1", 0), handler) as server:
        record.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield record
        finally:
            server.shutdown()
            join(thread)
