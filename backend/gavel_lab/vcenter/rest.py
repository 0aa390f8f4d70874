"""The REST side of one vCenter: sessions and tagging, under /api and under the older /rest, where an answer is wrapped in "value"."""

import base64
import binascii
import json
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any
from urllib.parse import parse_qs

from gavel_lab.serve import Request, Response
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.tags import Category, Tag, Tags

HEADER = "vmware-api-session-id"
PREFIXES = ("/api/", "/rest/")
_MAX_SESSIONS = 256
_API_SESSION, _REST_SESSION = "/api/session", "/rest/com/vmware/cis/session"
_API_TAGGING, _REST_TAGGING = "/api/cis/tagging", "/rest/com/vmware/cis/tagging"
_ONE = re.compile(r"/(category|tag|tag-association)/(?:id:)?(urn:vmomi:[\w:.-]+)")


class RefusedError(Exception):
    """An answer that is none of success. `kind`: the type of the error as vCenter names it."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


@dataclass(frozen=True)
class _Asked:
    """One call: the part of the path below tagging, its action, and its body."""

    path: str
    action: str
    body: Mapping[str, Any]


class RestServer:
    """Answers HTTP requests below /api and /rest. Thread-safe. `generation` changes when all sessions have ended."""

    def __init__(self, site: Site, generation: Callable[[], int]) -> None:
        self._vcenter = site.vcenter
        self._tags = Tags(site)
        self._generation = generation
        self._lock = Lock()
        self._sessions: OrderedDict[str, int] = OrderedDict()

    def handle(self, request: Request) -> Response:
        is_wrapped = request.path.startswith("/rest/")
        try:
            status, value = self._answer(request)
        except RefusedError as refused:
            return _refusal(refused, is_wrapped=is_wrapped)
        if status == 204:
            return Response(204)
        return Response(status, json.dumps({"value": value} if is_wrapped else value).encode())

    def _answer(self, request: Request) -> tuple[int, Any]:
        path = request.path.rstrip("/")
        if path in (_API_SESSION, _REST_SESSION):
            return self._session(request, created=201 if path == _API_SESSION else 200)
        self._authenticated(request)
        for prefix in (_API_TAGGING, _REST_TAGGING):
            if path.startswith(f"{prefix}/"):
                return 200, self._tagging(_asked(request, path.removeprefix(prefix)))
        raise RefusedError(404, "not_found", f"{path} is not served.")

    # --- sessions ----------------------------------------------------------------------------------------------------

    def _session(self, request: Request, *, created: int) -> tuple[int, Any]:
        if request.method == "POST" and "~action=get" not in request.query:
            return created, self._log_in(request.headers.get("authorization", ""))
        token = self._authenticated(request)
        if request.method == "DELETE":
            with self._lock:
                self._sessions.pop(token, None)
            return (204 if created == 201 else 200), None
        return 200, {"user": self._vcenter.username}

    def _log_in(self, authorization: str) -> str:
        if _account(authorization) != (self._vcenter.username, self._vcenter.password):
            raise RefusedError(401, "unauthenticated", "Authentication required.")
        token = secrets.token_hex(16)
        with self._lock:
            self._sessions[token] = self._generation()
            while len(self._sessions) > _MAX_SESSIONS:
                self._sessions.popitem(last=False)
        return token

    def _authenticated(self, request: Request) -> str:
        token = request.headers.get(HEADER, "")
        with self._lock:
            if self._sessions.get(token) != self._generation():
                raise RefusedError(401, "unauthenticated", "Authentication required.")
        return token

    # --- tagging -----------------------------------------------------------------------------------------------------

    def _tagging(self, asked: _Asked) -> Any:
        if asked.path in _LISTS:
            return _LISTS[asked.path](self._tags, asked)
        one = _ONE.fullmatch(asked.path)
        if one is None:
            raise RefusedError(404, "not_found", f"{asked.path} is not served.")
        kind, urn = one.groups()
        if kind == "category":
            return _category(_there(self._tags.categories, urn))
        tag = _there(self._tags.tags, urn)
        return _tag(tag) if kind == "tag" else [_object_id(key, what) for key, what in self._tags.objects_with(urn)]


def _asked(request: Request, path: str) -> _Asked:
    query = parse_qs(request.query)
    action = (query.get("action") or query.get("~action") or [""])[0]
    try:
        body = json.loads(request.body) if request.body.strip() else {}
    except ValueError as error:
        raise RefusedError(400, "invalid_request", f"The body is not JSON: {error}.") from error
    return _Asked(path, action, body if isinstance(body, dict) else {})


def _association(tags: Tags, asked: _Asked) -> Any:
    match asked.action:
        case "list-attached-tags-on-objects":
            wanted = asked.body.get("object_ids", [])
            found = ((one["id"], one["type"], tags.of(one["id"])) for one in wanted)
            return [{"object_id": _object_id(key, kind), "tag_ids": list(ids)} for key, kind, ids in found if ids]
        case "list-attached-tags":
            return list(tags.of(asked.body.get("object_id", {}).get("id", "")))
        case "list-attached-objects-on-tags":
            return [
                {"tag_id": urn, "object_ids": [_object_id(key, kind) for key, kind in tags.objects_with(urn)]}
                for urn in asked.body.get("tag_ids", [])
            ]
    raise RefusedError(400, "invalid_argument", f"The action {asked.action!r} is not served.")


_LISTS: Mapping[str, Callable[[Tags, _Asked], Any]] = {
    "/category": lambda tags, _asked: list(tags.categories),
    "/tag": lambda tags, _asked: list(tags.tags),
    "/tag-association": _association,
}


def _there(records: Mapping[str, Any], urn: str) -> Any:
    if urn not in records:
        raise RefusedError(404, "not_found", f"{urn} could not be found.")
    return records[urn]


def _category(category: Category) -> dict[str, Any]:
    return {
        "id": category.urn,
        "name": category.name,
        "description": "",
        "cardinality": "MULTIPLE" if category.is_multiple else "SINGLE",
        "associable_types": [],
        "used_by": [],
    }


def _tag(tag: Tag) -> dict[str, Any]:
    return {"id": tag.urn, "category_id": tag.category, "name": tag.name, "description": "", "used_by": []}


def _object_id(key: str, kind: str) -> dict[str, str]:
    return {"id": key, "type": kind}


def _account(authorization: str) -> tuple[str, str] | None:
    kind, _, encoded = authorization.partition(" ")
    if kind.lower() != "basic":
        return None
    try:
        user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return user, password


def _refusal(refused: RefusedError, *, is_wrapped: bool) -> Response:
    messages: Sequence[dict[str, Any]] = [
        {"id": f"com.vmware.{refused.kind}", "default_message": str(refused), "args": []}
    ]
    body: dict[str, Any]
    if is_wrapped:
        body = {"type": f"com.vmware.vapi.std.errors.{refused.kind}", "value": {"messages": messages}}
    else:
        body = {"error_type": refused.kind.upper(), "messages": messages}
    return Response(refused.status, json.dumps(body).encode())
