"""What every request must look like before a route sees it: our own host name, and no writing on behalf of another site."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from gavel.api.problems import problem

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# A body larger than this is no request that Gavel knows.
_LARGEST_BODY = 1024 * 1024
# Parts of uploads are the only bodies that are not JSON. A form of another site cannot send them either: it has no such type.
_PART = re.compile(r"/imports/[0-9]{1,10}/parts\Z")
_JSON, _BYTES = "application/json", "application/octet-stream"
_BY_A_PROXY = frozenset({
    "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-host", "x-original-forwarded-for",
    "true-client-ip", "cf-connecting-ip", "cf-ray", "fastly-client-ip", "fly-client-ip", "tailscale-user-login",
})  # fmt: skip


def is_forwarded(headers: Headers) -> bool:
    """Whether a proxy says that it passes on somebody else's request."""
    return any(name in _BY_A_PROXY or name.startswith("x-forwarded") for name in headers)


class RequestGuard:
    """Refuses foreign Host names (DNS rebinding), cross-site writes (Fetch-Metadata, else Origin), bodies not JSON or too large."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = LOOPBACK | frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = self._refusal(scope["method"], scope["path"], Headers(scope=scope))
            if refusal:
                status, detail = refusal
                await problem(status, "Request refused", detail)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
        host = headers.get("host", "")
        if _name(host) not in self._hosts:
            return (
                421,
                f"This Gavel does not answer to the host name {host!r}. Set GAVEL_PUBLIC_URL to the address people use.",
            )
        if method in _SAFE:
            return None
        if not self._from_our_own_pages(headers, host):
            return 403, "Writing is refused to pages of other sites."
        return _unusable_body(headers, _BYTES if method == "PUT" and _PART.search(path) else _JSON)

    def _from_our_own_pages(self, headers: Headers, host: str) -> bool:
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in ("same-origin", "none")
        origin = headers.get("origin")
        if origin is not None:
            return _authority(origin) == host
        # No browser: a script must show a token that a browser never adds by itself.
        return "authorization" in headers or "cookie" not in headers


def _unusable_body(headers: Headers, wanted: str) -> tuple[int, str] | None:
    if "transfer-encoding" in headers:
        return 411, "Send the body with its Content-Length: how much comes has to be known before it is taken."
    length = headers.get("content-length", "0").strip()
    # ASCII digits only, and few: what is longer is too large whatever it says.
    if not (length.isascii() and length.isdigit()):
        return 400, "The Content-Length is no number."
    if len(length) > len(str(_LARGEST_BODY)) or int(length) > _LARGEST_BODY:
        return 413, f"The body is larger than {_LARGEST_BODY} bytes."
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != wanted and int(length) > 0:
        return 415, f"Send the body as {wanted}."
    return None


def _name(host: str) -> str:
    """The name in a Host header, without its port; empty when it is none, or no port has that number."""
    found = _HOST.fullmatch(host)
    if found is None or (found[3] is not None and not 0 < int(found[3]) < 65536):
        return ""
    return (found[1] or found[2]).lower()


def _authority(origin: str) -> str | None:
    """Host and port of an Origin; None when it is none, such as `null`."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None
