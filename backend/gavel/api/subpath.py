"""Gavel below a path of a reverse proxy: requests are routed alike whether the proxy passes that path on or takes it off."""

from starlette.types import ASGIApp, Receive, Scope, Send


class BelowPath:
    """Takes `path` (as /gavel) off the requests that come with it; the path by itself is the first page."""

    def __init__(self, app: ASGIApp, *, path: str) -> None:
        self._app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and f"{scope['path']}/".startswith(f"{self._path}/"):
            scope = {**scope, "path": scope["path"].removeprefix(self._path) or "/"}
        await self._app(scope, receive, send)
