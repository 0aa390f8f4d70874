"""What every request must look like before a route sees it: our own host name, and no writing on behalf of another site."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from gavel.api.problems import problem

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
# A body larger than this is no request that Gavel knows.
_LARGEST_BODY = 1024 * 1024


class Guard:
    """Refuses foreign Host names (DNS rebinding), cross-site writes (Fetch-Metadata, else Origin), bodies not JSON or too large."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = _LOOPBACK | frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            refusal = self._refusal(scope["method"], Headers(scope=scope))
            if refusal:
                status, detail = refusal
                await problem(status, "Request refused", detail)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str] | None:
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
        if "transfer-encoding" in headers:
            return 411, "Send the body with its Content-Length: how much comes has to be known before it is taken."
        if int(headers.get("content-length") or 0) > _LARGEST_BODY:
            return 413, f"The body is larger than {_LARGEST_BODY} bytes."
        kind = headers.get("content-type", "").split(";")[0].strip()
        if kind != "application/json" and headers.get("content-length", "0") != "0":
            return 415, "Send the body as application/json."
        return None

    def _from_our_own_pages(self, headers: Headers, host: str) -> bool:
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in ("same-origin", "none")
        origin = headers.get("origin")
        if origin is not None:
            return urlsplit(origin).netloc == host
        # No browser: a script must show a token that a browser never adds by itself.
        return "authorization" in headers or "cookie" not in headers


def _name(host: str) -> str:
    return (urlsplit(f"//{host}").hostname or "").lower()
