"""Every error answer is a problem document (RFC 9457) whose detail a person can act on."""

from collections.abc import Sequence
from typing import Any, cast

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from gavel.admin.access import TokenRefusedError
from gavel.admin.sources import SourceThereError
from gavel.alerting.use.rule_faults import located
from gavel.api.schemas.common import FieldProblem, Problem
from gavel.db.errors import (
    ConflictError,
    ConnectionsInUseError,
    LockedError,
    NameTakenError,
    NotFoundError,
    SnapshotError,
    StorageError,
    TooSlowError,
    ValueRefusedError,
)
from gavel.domain.errors import GavelError, SettingsError, SourceError
from gavel.ingest.connections import InvalidSettingsError
from gavel.views.time_grid import UnusableStepError
from gavel.views.whatif_load import NotPredictableError

log = structlog.get_logger(__name__)

_STATUS: tuple[tuple[type[GavelError], int, str], ...] = (
    (NotFoundError, 404, "Not found"),
    (NameTakenError, 409, "Name taken"),
    (ConflictError, 409, "Not in this state"),
    (TokenRefusedError, 401, "Token refused"),
    (ValueRefusedError, 422, "Unusable value"),
    (TooSlowError, 503, "Database too slow"),
    (LockedError, 503, "Database busy"),
    (SnapshotError, 503, "Database busy"),
    (ConnectionsInUseError, 503, "Database busy"),
    (StorageError, 503, "Database not available"),
    (SourceThereError, 409, "A source already"),
    (SettingsError, 422, "Unusable settings"),
    (UnusableStepError, 422, "Unusable request"),
    (NotPredictableError, 422, "Not predictable"),
    (SourceError, 502, "Source not readable"),
)
_RETRY_S = "5"
MEDIA_TYPE = "application/problem+json"
# Of an error that no handler expects.
FAULT = "Gavel made a mistake answering this; the log of the API has the details."

REFUSALS = {
    400: "The body is no JSON",
    401: "Not signed in, or with an unknown or expired token",
    403: "Needs the admin, or comes from another site's pages",
    404: "Not found",
    409: "The name is taken, or the state does not allow it",
    411: "The body came without its Content-Length",
    413: "The body is too large",
    415: "The body is not application/json; of a part of an upload, not application/octet-stream",
    421: "The host name is not this Gavel's",
    422: "Unusable; `errors` names the fields",
    429: "Too many requests, or too many wrong tokens; retry after Retry-After",
    502: "The source could not be read",
    503: "The database cannot be reached; retry after Retry-After",
}


def refuses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For the `responses` of a route: what it refuses beyond what every route of its shape does."""
    return {status: {"description": REFUSALS[status]} for status in statuses}


def problem(
    status: int, title: str, detail: str, *, errors: Sequence[FieldProblem] = (), headers: dict[str, str] | None = None
) -> JSONResponse:
    body = Problem(type="about:blank", title=title, status=status, detail=detail, errors=list(errors))
    return JSONResponse(body.model_dump(), status_code=status, headers=headers, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    app.add_exception_handler(GavelError, _expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def status_and_title(error: GavelError) -> tuple[int, str]:
    """HTTP status of an error, and its title."""
    return next(((status, title) for kind, status, title in _STATUS if isinstance(error, kind)), (400, "Not possible"))


def _expected(request: Request, error: Exception) -> JSONResponse:
    error = cast("GavelError", error)  # registered for this kind only
    status, title = status_and_title(error)
    headers = {"Retry-After": _RETRY_S} if status == 503 else None
    if status >= 500:
        log.warning("request failed", path=request.url.path, status=status, error=str(error))
    return problem(status, title, str(error), errors=_fields(error), headers=headers)


def _fields(error: GavelError) -> list[FieldProblem]:
    if isinstance(error, InvalidSettingsError):
        return [FieldProblem(field=f"settings.{field}", message=said) for field, said in error.fields]
    return [FieldProblem(field=field, message=message) for field, message in located(error)]


def _invalid(_: Request, error: Exception) -> JSONResponse:
    error = cast("RequestValidationError", error)  # registered for this kind only
    fields = [
        FieldProblem(field=".".join(str(part) for part in item["loc"]), message=str(item["msg"]))
        for item in error.errors()
    ]
    said = "; ".join(f"{field.field}: {field.message}" for field in fields)
    return problem(422, "Unusable request", said, errors=fields)


def _http(request: Request, error: Exception) -> JSONResponse:
    error = cast("HTTPException", error)  # registered for this kind only
    detail = str(error.detail)
    if error.status_code == 404 and detail == "Not Found":
        detail = f"There is nothing at {request.url.path}. The API is described at /api/v1/docs."
    headers = dict(error.headers) if error.headers else None
    return problem(error.status_code, "Not possible", detail, headers=headers)
