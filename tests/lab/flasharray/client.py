"""An in-process client of one array's App: logs in, asks, decodes."""

import json
from typing import Any
from urllib.parse import quote, urlencode

from gavel_lab.environment import Array
from gavel_lab.flasharray.server import create
from gavel_lab.lab import Lab
from gavel_lab.serve import Request, Response


class Client:
    """Calls of one session. `get` returns a decoded body and insists on success; `call` returns what came."""

    def __init__(self, lab: Lab, array: Array) -> None:
        self.lab = lab
        self.array = array
        self.app = create(lab, array)
        self.token = self.login().headers["x-auth-token"]

    def login(self, api_token: str | None = None) -> Response:
        headers = {"api-token": self.array.api_token if api_token is None else api_token}
        return self.app(Request("POST", f"/api/{self.array.rest_version}/login", "", headers, b""))

    def call(self, path: str, version: str | None = None, /, method: str = "GET", **parameters: Any) -> Response:
        shown = {name: _shown(value) for name, value in parameters.items()}
        target = f"/api/{version or self.array.rest_version}/{path}"
        query = urlencode(shown, quote_via=quote)
        return self.app(Request(method, target, query, {"x-auth-token": self.token}, b""))

    def get(self, path: str, version: str | None = None, /, **parameters: Any) -> dict[str, Any]:
        response = self.call(path, version, **parameters)
        assert response.status == 200, f"{path} {parameters}: {response.status} {response.body[:500]!r}"
        body: dict[str, Any] = json.loads(response.body)
        return body

    def refused(self, path: str, version: str | None = None, /, **parameters: Any) -> tuple[int, list[dict[str, Any]]]:
        """(status, errors) of a call that must fail."""
        response = self.call(path, version, **parameters)
        assert response.status >= 400, f"{path} {parameters} was answered"
        return response.status, json.loads(response.body)["errors"]

    def now_ms(self) -> int:
        return int(self.lab.clocks.arrays[self.array.index].now() * 1000)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
