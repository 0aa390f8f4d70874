"""The web pages: files of the built front end by name, and index.html for everything a person may open."""

import html
import os
import secrets
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

_NONCE, _BASE_PATH, _SERVER_TIME = "__CSP_NONCE__", "__BASE_PATH__", "__SERVER_TIME__"
# How the build names its files in index.html.
_OWN_FILE = '="./'
_NOT_BUILT = (
    "<!doctype html><title>Gavel</title><p>The pages of Gavel are not built. Run <code>make up</code>, which builds them, "
    'or use the API at <a href="./api/v1/docs">/api/v1/docs</a>.</p>'
)


def content_security_policy(nonce: str) -> str:
    return (
        "default-src 'self'; script-src 'self'; "
        f"style-src-elem 'self' 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    )


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


def _written(template: str, base_path: str, nonce: str, offline: str | None, at: datetime) -> str:
    """index.html for a page at any depth below `base_path`, requested at `at`."""
    here = html.escape(base_path)
    if offline is not None:
        template = template.replace("<html ", f'<html data-offline="{html.escape(offline)}" ', 1)
    template = template.replace(_SERVER_TIME, at.isoformat(timespec="milliseconds"))
    return template.replace(_OWN_FILE, f'="{here}/').replace(_BASE_PATH, here).replace(_NONCE, nonce)


def install(
    app: FastAPI, dist: Path, base_path: str, *, now: Callable[[], datetime], offline: str | None = None
) -> None:
    """Serve `dist` below the API. Only files that were there at start are served: no request path is ever joined to a folder.

    base_path: where a reverse proxy serves Gavel, as /gavel; empty on a host of its own. now: the clock that pages start with. offline:
    what pages of an offline environment say of it, as JSON.
    """
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
        template = index.read_text(encoding="utf-8") if index.is_file() else _NOT_BUILT
        return HTMLResponse(
            _written(template, base_path, nonce, offline, now()),
            headers={"content-security-policy": content_security_policy(nonce)},
        )
