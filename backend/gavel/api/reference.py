"""The API's description, and the page to read and try it: Swagger UI from our own files, fenced in like every other page."""

import html
import secrets
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from gavel.api.deps import ReaderOnly

_NOT_BUILT = "<!doctype html><title>Gavel API</title><p>The pages of Gavel are not built: run <code>make up</code>."
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gavel API</title>
<link rel="icon" href="{base}/favicon.svg">
<link rel="stylesheet" href="{base}/assets/{css}">
<script src="{base}/assets/{js}"></script>
</head>
<body>
<main id="api"></main>
<script nonce="{nonce}">
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
SwaggerUIBundle({{ url: '{description}', dom_id: '#api', deepLinking: true, validatorUrl: null }})
</script>
</body>
</html>
"""


def content_security_policy(nonce: str) -> str:
    # Swagger UI draws with style attributes and pictures in data: addresses; it runs no script but its own file and the one line above.
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src-elem 'self'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    )


def install(app: FastAPI, prefix: str, dist: Path, base_path: str) -> None:
    """Routes of the description and its page, for whoever may read. base_path: where a reverse proxy serves Gavel, as /gavel, or empty."""
    router = APIRouter(dependencies=[ReaderOnly], include_in_schema=False)
    files = {suffix: _asset(dist, f"swagger-ui-*.{suffix}") for suffix in ("css", "js")}

    @router.get("/openapi.json")
    def description(request: Request) -> JSONResponse:
        described = request.app.openapi()
        return JSONResponse(described | {"servers": [{"url": base_path}]} if base_path else described)

    @router.get("/docs")
    def reference() -> Response:
        nonce = secrets.token_urlsafe(16)
        headers = {"content-security-policy": content_security_policy(nonce)}
        if None in files.values():
            return HTMLResponse(_NOT_BUILT, headers=headers)
        base = html.escape(base_path)
        page = _PAGE.format(**files, base=base, nonce=nonce, description=f"{base}{prefix}/openapi.json")
        return HTMLResponse(page, headers=headers)

    app.include_router(router, prefix=prefix)


def _asset(dist: Path, pattern: str) -> str | None:
    return next((file.name for file in sorted((dist / "assets").glob(pattern))), None)
