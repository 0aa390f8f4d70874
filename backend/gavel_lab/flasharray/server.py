"""A FlashArray's REST interface: `create` gives the function that answers its requests."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from gavel_lab.environment import Array
from gavel_lab.flasharray import query as queries
from gavel_lab.flasharray.answers import Answers
from gavel_lab.flasharray.catalogue import ENDPOINTS
from gavel_lab.flasharray.errors import ApiError, bad_request, not_found
from gavel_lab.flasharray.sessions import Sessions
from gavel_lab.flasharray.versions import Version, parse
from gavel_lab.flasharray.view import ArrayView
from gavel_lab.lab import Lab
from gavel_lab.serve import App, Request, Response

_PATH = re.compile(r"/api/(?P<version>\d{1,3}\.\d{1,3})/(?P<rest>.+)")
_TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"  # noqa: S105
_JWT = "urn:ietf:params:oauth:token-type:jwt"
_LOCATION_CONTEXT_SINCE: Version = (2, 38)
_ENCODER = msgspec.json.Encoder()


def create(lab: Lab, array: Array) -> App:
    """The App of one array. Thread-safe."""
    return FlashArray(lab, array).answer


class FlashArray:
    """Routes requests, checks versions and sessions, and shapes refusals the vendor's way."""

    def __init__(self, lab: Lab, array: Array) -> None:
        self._array = array
        self._versions = frozenset(filter(None, map(parse, array.rest_versions)))
        self._answers = Answers(ArrayView(lab, array))
        self._sessions = Sessions(
            array.api_token,
            array.username,
            array.idle_timeout_ms / 1000,
            lambda: lab.faults.session_generation(array.name),
        )

    def answer(self, request: Request) -> Response:
        request_id = request.headers.get("x-request-id") or str(uuid.uuid4())
        try:
            status, body, headers = self._route(request)
        except ApiError as error:
            version = _version_of(request.path)
            has_location = version is not None and version >= _LOCATION_CONTEXT_SINCE
            status, body, headers = error.status, {"errors": error.errors(location_context=has_location)}, {}
        payload = b"" if body is None else _ENCODER.encode(body)
        return Response(status, payload, headers={"X-Request-ID": request_id, **headers})

    def _route(self, request: Request) -> tuple[int, Any, Mapping[str, str]]:
        if request.path == "/api/api_version":
            _expect(request, "GET")
            return 200, {"version": list(self._array.rest_versions)}, {}
        if request.path == "/oauth2/1.0/token":
            _expect(request, "POST")
            return (*_refused_exchange(request), {})
        match = _PATH.fullmatch(request.path)
        version = parse(match["version"]) if match else None
        if match is None or version is None or version not in self._versions or version < (2, 0):
            raise not_found(request.path)
        if match["rest"] == "login":
            _expect(request, "POST")
            return self._login(request)
        if match["rest"] == "logout":
            _expect(request, "POST")
            self._sessions.logout(request.headers.get("x-auth-token"))
            return 200, None, {}
        return self._get(request, version, match["rest"])

    def _login(self, request: Request) -> tuple[int, Any, Mapping[str, str]]:
        token = request.headers.get("api-token")
        if token is None:
            raise bad_request("Log in with the api-token header; user names and passwords are not set up.", "api-token")
        session, username = self._sessions.login(token)
        return 200, {"items": [{"username": username}]}, {"x-auth-token": session}

    def _get(self, request: Request, version: Version, rest: str) -> tuple[int, Any, Mapping[str, str]]:
        self._sessions.check(request.headers.get("x-auth-token"))
        endpoint = ENDPOINTS.get(rest)
        if endpoint is None or version < endpoint.since:
            raise not_found(request.path)
        if request.method != "GET":
            raise ApiError(403, "The user's role is readonly and does not permit this operation.", (request.path,))
        asked = queries.parse(request.query, endpoint, version)
        answer = self._answers.get(endpoint, version, asked, request.query)
        headers = {"x-next-token": answer.next_token} if answer.next_token else {}
        return answer.status, answer.body, headers


def _version_of(path: str) -> Version | None:
    match = _PATH.fullmatch(path)
    return parse(match["version"]) if match else None


def _expect(request: Request, method: str) -> None:
    if request.method != method:
        raise ApiError(405, f"{request.method} is not allowed here.", (request.path,))


def _refused_exchange(request: Request) -> tuple[int, dict[str, str]]:
    """No API client is registered on a lab array, so a well-formed exchange fails as one by a stranger does."""
    form = dict(parse_qsl(request.body.decode(errors="replace")))
    if form.get("grant_type") != _TOKEN_EXCHANGE:
        return 400, {"error": "unsupported_grant_type", "error_description": "Expected the token-exchange grant type."}
    if form.get("subject_token_type") != _JWT:
        return 400, {"error": "invalid_request", "error_description": "Unsupported subject_token_type."}
    if not form.get("subject_token"):
        return 400, {"error": "invalid_request", "error_description": "subject_token is missing."}
    return 401, {"error": "invalid_client", "error_description": "Invalid identity: JWT validation failed."}
