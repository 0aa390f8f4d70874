"""The headers that every answer carries, and the handler of last resort: an unforeseen error gets a problem document like any other."""

from collections.abc import Callable
from datetime import datetime
from email.utils import format_datetime

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gavel.api.problems import FAULT, problem

log = structlog.get_logger(__name__)

NOTHING = "default-src 'none'; frame-ancestors 'none'"
SECURITY: tuple[tuple[bytes, bytes], ...] = (
    (b"content-security-policy", NOTHING.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_HSTS = (b"strict-transport-security", b"max-age=31536000")
NO_STORE = {"Cache-Control": "no-store"}


class SecurityHeaders:
    """Adds the headers every answer carries, unless it has its own; `/assets/*` may be kept for ever (their names hold a hash), nothing
    else may. is_https: people reach Gavel by https, and browsers are to stay with that."""

    def __init__(self, app: ASGIApp, *, is_https: bool) -> None:
        self._app = app
        self._always = (*SECURITY, _HSTS) if is_https else SECURITY

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        forever = scope["path"].startswith("/assets/")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                known = {name.lower() for name, _ in headers}
                kept = forever and message["status"] == 200
                keeping = (b"cache-control", b"public, max-age=31536000, immutable" if kept else b"no-cache")
                headers.extend(field for field in (*self._always, keeping) if field[0] not in known)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class HeadAsGet:
    """Answers HEAD as GET without its body, wherever GET is answered: probes of load balancers ask so."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        is_over = False

        async def receive_until_over() -> Message:
            return {"type": "http.disconnect"} if is_over else await receive()

        async def send_head(message: Message) -> None:
            nonlocal is_over
            if is_over:
                # What a client that has gone raises: a live stream ends.
                raise OSError("the answer to HEAD is complete")
            await send(message)
            if message["type"] == "http.response.start":
                is_over = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        try:
            await self._app({**scope, "method": "GET"}, receive_until_over, send_head)
        except Exception:
            if not is_over:
                raise


class AnswerDate:
    """Adds the Date of every answer, by the product's clock: pages follow it. The web server adds none (`--no-date-header`)."""

    def __init__(self, app: ASGIApp, *, now: Callable[[], datetime]) -> None:
        self._app = app
        self._now = now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = format_datetime(self._now(), usegmt=True).encode()
                message.setdefault("headers", []).append((b"date", date))
            await send(message)

        await self._app(scope, receive, send_dated)


class Net:
    """Answers 500 for what no handler expected, with the headers of every answer and on a connection that goes on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:
            if begun or scope["type"] != "http":
                raise
            log.exception("request failed unexpectedly", path=scope["path"], exc_info=error)
            await problem(500, "Fault in Gavel", FAULT)(scope, receive, send)
