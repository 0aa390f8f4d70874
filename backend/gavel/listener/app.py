"""The listener: line protocol as InfluxDB takes it, metrics as OpenTelemetry sends them. No pages, no API, no cookies."""

import asyncio
import base64
import binascii
import functools
import gc
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil
from time import thread_time
from typing import ParamSpec, TypeVar, cast

import structlog
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gavel import __version__, clock
from gavel.admin.guests import guest_token, hashes_of_guest_tokens
from gavel.api.headers import AnswerDate
from gavel.api.throttle import Throttle
from gavel.config import Settings
from gavel.db.engine import Engine, Role, open_engine
from gavel.db.errors import StorageError
from gavel.db.queries.guest_tokens import GuestToken
from gavel.domain.guests import PushedReadings
from gavel.ingest.guests import OTLP_READERS, OtlpError, Push, read_line_protocol
from gavel.listener.body import MOST_BYTES, BodyTooLargeError, UnreadableBodyError, read_body, unpacked
from gavel.listener.limits import LATER_S, MOST_UNDER_WAY, Rates
from gavel.listener.writer import APART_S, BusyError, Writer
from gavel.log import configure

log = structlog.get_logger(__name__)

# A revoked token is good no longer than this.
_TOKEN_KEPT_S = 5.0
_TOKENS_KEPT = 4096
# Health as it was seen so long ago is good enough.
_LOOK_KEPT_S = 1.0
# Bodies that are read or parsed at once: 10 MiB each at most. One that is as small as those of single guests does not count, and is
# worked through where it is: another thread would cost more than a hundred lines.
_BODIES = 16
# One token leaves most of these to others.
_BODIES_OF_TOKEN = 2
_SMALL_BYTES, _SMALL_UNPACKED_BYTES = 16_384, 32_768
# As InfluxDB calls them; agents show the message.
_CODES = {
    400: "invalid",
    401: "unauthorized",
    413: "request too large",
    415: "unsupported media type",
    429: "too many requests",
    500: "internal error",
    503: "unavailable",
}


P = ParamSpec("P")
Done = TypeVar("Done")


class RefusedError(Exception):
    """The request is answered with this status."""

    def __init__(self, status: int, message: str, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after_s = status, retry_after_s


@dataclass(slots=True)
class Listener:
    """What the process holds open."""

    engine: Engine
    writer: Writer
    rates: Rates = field(default_factory=Rates)
    throttle: Throttle = field(default_factory=Throttle)
    bodies: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_BODIES))
    # By id of the token; without those that have none.
    bodies_of: "dict[int, int]" = field(default_factory=dict)
    tokens: "OrderedDict[str, tuple[float, GuestToken]]" = field(default_factory=OrderedDict)
    # Tokens that the database is being asked about: by one request for all that came with it.
    asked: "dict[str, asyncio.Future[GuestToken | None]]" = field(default_factory=dict)
    under_way: int = 0
    # The newest look at the database, and when it began.
    looked: "tuple[float, asyncio.Future[GuestToken | None]] | None" = None

    async def token(self, request: Request) -> GuestToken:
        """Raises RefusedError."""
        given = _given(request)
        if not given:
            raise RefusedError(401, "Send a token of guests: Authorization: Token gvg_…")
        address = _address(request)
        known = self.tokens.get(given)
        if known is not None and time.monotonic() - known[0] < _TOKEN_KEPT_S:
            return known[1]
        if not await self._is_stored(given):
            if self.throttle.is_wrong(given):
                raise RefusedError(401, "The token is unknown or revoked.")
            if (wait_s := self.throttle.wait_s(address)) > 0:
                raise RefusedError(429, "Too many wrong tokens.", retry_after_s=ceil(wait_s))
        found = await self._stored_token(given)
        if found is None:
            self.tokens.pop(given, None)
            self.throttle.failed(address, given)
            raise RefusedError(
                401, "The token is unknown or revoked. Make one under Sources, or with `gavel guest token add`."
            )
        self.throttle.succeeded(given)
        self.tokens[given] = time.monotonic(), found
        if len(self.tokens) > _TOKENS_KEPT:
            self.tokens.popitem(last=False)
        return found

    async def check_database(self) -> None:
        """Raises StorageError where it is away."""
        now_s = time.monotonic()
        if self.looked is None or now_s - self.looked[0] >= _LOOK_KEPT_S:
            self.looked = now_s, asyncio.ensure_future(run_in_threadpool(guest_token, self.engine, ""))
        await asyncio.shield(self.looked[1])

    async def _is_stored(self, given: str) -> bool:
        known = self.throttle.is_stored_by_now(given)
        if known is not None:
            return known
        return await run_in_threadpool(
            self.throttle.is_stored, given, functools.partial(hashes_of_guest_tokens, self.engine)
        )

    async def _stored_token(self, given: str) -> GuestToken | None:
        asked = self.asked.get(given)
        if asked is None:
            asked = self.asked[given] = asyncio.ensure_future(run_in_threadpool(guest_token, self.engine, given))
            asked.add_done_callback(lambda _: self.asked.pop(given, None))
        return await asyncio.shield(asked)

    async def admitted(self, request: Request) -> GuestToken:
        """Whoever may push, and not too often. Raises RefusedError."""
        if (wait_s := self.rates.wait_s(address=_address(request))) > 0:
            raise RefusedError(429, "Too many requests of this address.", retry_after_s=wait_s)
        token = await self.token(request)
        if (wait_s := self.rates.token_wait_s(token.id)) > 0:
            raise RefusedError(429, "Too many requests with this token.", retry_after_s=wait_s)
        if (wait_s := self.rates.cpu_wait_s(token.id)) > 0:
            raise RefusedError(429, "Requests with this token took too much CPU time to read.", retry_after_s=wait_s)
        return token

    async def take(self, request: Request, parse: Callable[[bytes], PushedReadings]) -> None:
        """Returns when everything that is used of the request is committed. Raises RefusedError."""
        if self.under_way >= MOST_UNDER_WAY or self.writer.is_busy:
            raise RefusedError(429, "More is waiting to be stored than can be soon.", retry_after_s=LATER_S)
        self.under_way += 1
        try:
            await self._take(request, parse)
        finally:
            self.under_way -= 1

    async def _take(self, request: Request, parse: Callable[[bytes], PushedReadings]) -> None:
        token = await self.admitted(request)
        try:
            received_us, pushed = await self._pushed(token, request, parse)
        except BodyTooLargeError as error:
            raise RefusedError(413, str(error)) from error
        except UnreadableBodyError as error:
            raise RefusedError(400, str(error)) from error
        try:
            await asyncio.wrap_future(self.writer.submit(Push(token, _address(request), received_us, pushed)))
        except BusyError as error:
            raise RefusedError(429, str(error), retry_after_s=LATER_S) from error

    async def _pushed(
        self, token: GuestToken, request: Request, parse: Callable[[bytes], PushedReadings]
    ) -> tuple[int, PushedReadings]:
        """When the body was there, µs since 1970, and what it holds. Raises RefusedError, BodyTooLargeError, UnreadableBodyError."""
        length, encoding = _length(request), request.headers.get("content-encoding", "").strip().lower()
        if 0 < length <= _SMALL_BYTES:
            body = self._charged(token, unpacked, await read_body(request.stream()), encoding)
            received_us = clock.time_us()
            if len(body) <= _SMALL_UNPACKED_BYTES:
                return received_us, self._charged(token, parse, body)
            async with self._body_slot(token):
                return received_us, await run_in_threadpool(self._charged, token, parse, body)
        async with self._body_slot(token):
            packed = await read_body(request.stream())
            body = await run_in_threadpool(self._charged, token, unpacked, packed, encoding)
            received_us = clock.time_us()
            return received_us, await run_in_threadpool(self._charged, token, parse, body)

    def _charged(self, token: GuestToken, work: Callable[P, Done], *given: P.args, **named: P.kwargs) -> Done:
        """Do a piece of work in this thread, and charge its CPU time to the token."""
        began_s = thread_time()
        try:
            return work(*given, **named)
        finally:
            self.rates.charge_cpu(token.id, thread_time() - began_s)

    @asynccontextmanager
    async def _body_slot(self, token: GuestToken) -> AsyncIterator[None]:
        """For one body of any size. Raises RefusedError."""
        if self.bodies.locked():
            raise RefusedError(429, "Too many requests at once.", retry_after_s=LATER_S)
        others = self.bodies_of.get(token.id, 0)
        if others >= _BODIES_OF_TOKEN:
            raise RefusedError(429, "Too many large requests with this token at once.", retry_after_s=LATER_S)
        self.bodies_of[token.id] = others + 1
        try:
            async with self.bodies:
                yield
        finally:
            self.bodies_of[token.id] -= 1
            if not self.bodies_of[token.id]:
                del self.bodies_of[token.id]


def _given(request: Request) -> str:
    """The token of `Token …`, `Bearer …`, or the password of `Basic …`, as agents of version 1 send it."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, ValueError):
            return ""
    return value.strip() if scheme.lower() in ("token", "bearer") else ""


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _length(request: Request) -> int:
    """0 where the request does not say. Raises RefusedError."""
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or len(length) > 12 or int(length) > MOST_BYTES:
        raise RefusedError(413, f"The body is larger than {MOST_BYTES} bytes. Send smaller batches.")
    return int(length)


async def write(request: Request) -> Response:
    """Line protocol. 204: every line that is used is committed; the others are counted by their reasons."""
    precision = request.query_params.get("precision", "ns")

    def parse(body: bytes) -> PushedReadings:
        try:
            return read_line_protocol(body, precision)
        except KeyError as error:
            raise RefusedError(400, f"The precision {precision[:20]!r} is none of ns, us, ms, s.") from error

    await _listener(request).take(request, parse)
    return Response(status_code=204)


async def metrics(request: Request) -> Response:
    """OTLP/HTTP. 200: every data point that is used is committed; the others are counted. Answers in the request's form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    read = OTLP_READERS.get(kind)
    if read is None:
        raise RefusedError(415, f"The content type is none of {', '.join(OTLP_READERS)}.")

    def parse(body: bytes) -> PushedReadings:
        try:
            return read(body)
        except OtlpError as error:
            raise RefusedError(400, str(error)) from error

    await _listener(request).take(request, parse)
    # An empty message of protobuf has no bytes.
    return JSONResponse({}) if kind == "application/json" else Response(b"", media_type=kind)


async def query(request: Request) -> Response:
    """What agents of version 1 of InfluxDB ask before they write (`CREATE DATABASE`): an empty result; nothing is read out."""
    await _listener(request).admitted(request)
    return JSONResponse({"results": [{"statement_id": 0}]})


async def ping(_: Request) -> Response:
    return Response(status_code=204, headers={"X-Influxdb-Version": "2.0"})


async def health(request: Request) -> Response:
    """Whether it can store. Needs no token, so the database is asked once a second at most, however many ask."""
    try:
        await _listener(request).check_database()
    except StorageError:
        return JSONResponse({"name": "gavel", "status": "fail", "message": "the database is not available"}, 503)
    return JSONResponse({"name": "gavel", "status": "pass", "version": __version__})


def _listener(request: Request) -> Listener:
    found: Listener = request.app.state.listener
    return found


def _refused(_: Request, error: Exception) -> Response:
    error = cast("RefusedError", error)  # registered for this kind only
    headers = {} if error.retry_after_s is None else {"Retry-After": str(error.retry_after_s)}
    if error.status == 401:
        headers["WWW-Authenticate"] = "Token"
    body = {
        "code": _CODES[error.status],
        "message": str(error),
        "error": str(error),
    }  # agents of version 1 show `error`
    return JSONResponse(body, error.status, headers)


def _unavailable(_: Request, error: Exception) -> Response:
    body = {"code": _CODES[503], "message": str(error)}
    return JSONResponse(body, 503, {"Retry-After": str(LATER_S)})


def _broken(_: Request, error: Exception) -> Response:
    log.error("push failed", exc_info=error)
    return JSONResponse({"code": _CODES[500], "message": "Not stored. The log of Gavel says why."}, 500)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)  # nobody reads it


def create_app() -> Starlette:
    """The application with the settings of the environment; what uvicorn is pointed at."""
    settings = Settings()
    configure(settings)
    if settings.ingest_host not in (None, "127.0.0.1", "::1", "localhost") and settings.ingest_certificate is None:
        log.warning(
            "guests' tokens travel unencrypted unless a proxy adds TLS",
            remedy="set GAVEL_INGEST_CERTIFICATE and GAVEL_INGEST_CERTIFICATE_KEY, or put a TLS proxy before it",
        )
    app = build(open_engine(settings.database_url, Role.WORKER))
    # What is loaded by now stays: the collector of garbage would look at all of it every few hundred requests.
    gc.collect()
    gc.freeze()
    return app


def build(engine: Engine, *, apart_s: float = APART_S) -> Starlette:
    """Closes the engine when it ends. apart_s: as `Writer` has it."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        writer = Writer(engine, clock.now, apart_s=apart_s)
        writer.start()
        app.state.listener = Listener(engine, writer)
        yield
        await run_in_threadpool(writer.stop)
        engine.dispose()

    return Starlette(
        routes=[
            Route("/api/v2/write", write, methods=["POST"]),
            Route("/write", write, methods=["POST"]),
            Route("/query", query, methods=["GET", "POST"]),
            Route("/v1/metrics", metrics, methods=["POST"]),
            Route("/ping", ping, methods=["GET", "HEAD"]),
            Route("/health", health, methods=["GET", "HEAD"]),
        ],
        exception_handlers={
            RefusedError: _refused,
            StorageError: _unavailable,
            ClientDisconnect: _gone,
            Exception: _broken,
        },
        middleware=[Middleware(AnswerDate, now=clock.now)],
        lifespan=lifespan,
    )
