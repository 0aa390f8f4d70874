"""The web pages: files of the built front end by name, index.html for everything a person may open, and the headers that fence them in."""

import os
import secrets
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NONCE = "__CSP_NONCE__"
_NOT_BUILT = (
    "<!doctype html><title>Gavel</title><p>The pages of Gavel are not built. Run <code>make up</code>, which builds them, "
    'or use the API at <a href="/api/v1/docs">/api/v1/docs</a>.</p>'
)
_SECURITY = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def content_security_policy(nonce: str) -> str:
    return (
        "default-src 'self'; script-src 'self'; "
        f"style-src-elem 'self' 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    )


class SecurityHeaders:
    """Adds the headers every answer carries; `/assets/*` may be kept for ever (their names hold a hash), nothing else may."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        forever = scope["path"].startswith("/assets/")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                known = {name.lower() for name, _ in headers}
                headers.extend(_SECURITY)
                if b"cache-control" not in known:
                    kept = forever and message["status"] == 200
                    headers.append((b"cache-control", b"public, max-age=31536000, immutable" if kept else b"no-cache"))
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Assets(StaticFiles):
    """Files as they are, or as the build has compressed them (`….gz` beside them) for whoever takes that."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        compressed = Path(f"{os.fspath(full_path)}.gz")
        if "gzip" not in Headers(scope=scope).get("accept-encoding", "") or not compressed.is_file():
            return super().file_response(full_path, stat_result, scope, status_code)
        found = super().file_response(compressed, compressed.stat(), scope, status_code)
        found.headers["content-encoding"] = "gzip"
        found.headers["vary"] = "Accept-Encoding"
        return found


def install(app: FastAPI, dist: Path) -> None:
    """Serve `dist` below the API. Only files that were there at start are served: no request path is ever joined to a folder."""
    index = dist / "index.html"
    top = {file.name: file for file in dist.iterdir() if file.is_file() and file != index} if dist.is_dir() else {}
    if (dist / "assets").is_dir():
        app.mount("/assets", Assets(directory=dist / "assets"), name="assets")

    @app.get("/{path:path}", include_in_schema=False)
    def page(path: str, request: Request) -> Response:
        if path in top:
            return FileResponse(top[path])
        if path.startswith("api/") or "text/html" not in request.headers.get("accept", ""):
            raise HTTPException(404)
        nonce = secrets.token_urlsafe(16)
        body = index.read_text(encoding="utf-8").replace(_NONCE, nonce) if index.is_file() else _NOT_BUILT
        return HTMLResponse(body, headers={"content-security-policy": content_security_policy(nonce)})
