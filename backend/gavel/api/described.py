"""The API's description: what a request may be refused with and in which shape, how to sign in, and examples."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from gavel.api.examples import illustrate
from gavel.api.problems import MEDIA_TYPE, REFUSALS
from gavel.api.schemas.common import Problem

_SCHEMA = "#/components/schemas/{model}"
_INVALID = "422"
# FastAPI's own body of 422, which `problems` never answers.
_NEVER_ANSWERED = ("HTTPValidationError", "ValidationError")


class DescribedApi(FastAPI):
    """Describes its errors as they are: FastAPI knows neither the handlers of `problems` nor the guard before the routes."""

    # The name that this installation gives to its cookie, once it is open.
    session_cookie: str | None = None

    def __init__(self, **settings: Any) -> None:
        super().__init__(generate_unique_id_function=_route_name, **settings)

    def openapi(self) -> dict[str, Any]:
        fresh = self.openapi_schema is None
        described = super().openapi()
        if fresh:
            _describe_problems(described)
            illustrate(described)
            if self.session_cookie is not None:
                described["components"]["securitySchemes"]["session"]["name"] = self.session_cookie
        return described


def _describe_problems(described: dict[str, Any]) -> None:
    components = described["components"]
    for name in _NEVER_ANSWERED:
        components["schemas"].pop(name, None)
    problem = Problem.model_json_schema(mode="serialization", ref_template=_SCHEMA)
    components["schemas"] |= problem.pop("$defs") | {"Problem": problem}
    content = {MEDIA_TYPE: {"schema": {"$ref": _SCHEMA.format(model="Problem")}}}
    components["responses"] = {
        _name(status): {"description": said, "content": content} for status, said in REFUSALS.items()
    }
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            answers.pop(_INVALID, None)
            own = {int(status) for status, answer in answers.items() if "content" in answer}
            named = {int(status) for status in answers} & REFUSALS.keys()
            for status in sorted((named | set(_refusals(path, method, operation))) - own):
                answers[str(status)] = {"$ref": f"#/components/responses/{_name(status)}"}


def _name(status: int) -> str:
    return f"Refused{status}"


def _refusals(path: str, method: str, operation: dict[str, Any]) -> Iterator[int]:
    """What any route of this shape may answer; a route names the rest itself (`problems.refuses`)."""
    yield 421
    if "security" in operation:
        yield from (401, 429)
    if method != "get":
        yield 403
    if "requestBody" in operation:
        yield from (400, 411, 413, 415)
    if "{" in path:
        yield 404
    if _takes_anything(operation):
        yield 422
    yield 503


def _takes_anything(operation: dict[str, Any]) -> bool:
    return "parameters" in operation or "requestBody" in operation


def _route_name(route: APIRoute) -> str:
    return route.name
