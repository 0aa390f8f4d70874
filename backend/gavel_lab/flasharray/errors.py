"""What the array answers when it refuses: one exception, and the vendor's error body for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class ApiError(Exception):
    """A refused call.

    status: HTTP status. message: what is wrong, for people. context: the object, parameter or field at fault; None for
    general errors. has_context: an expired session answers without the key at all, as arrays in the field do.
    """

    status: int
    message: str
    context: str | None = None
    has_context: bool = True
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.status} {self.message} ({self.context})"

    def body(self) -> dict[str, Any]:
        error: dict[str, Any] = {"message": self.message}
        if self.has_context:
            error = {"context": self.context, **error}
        return {"errors": [error]}


def bad_request(message: str, context: str | None = None) -> ApiError:
    return ApiError(400, message, context)


def not_found(path: str) -> ApiError:
    return ApiError(404, "The requested resource was not found on this server.", path)


def invalid_session() -> ApiError:
    return ApiError(401, "Invalid session.", has_context=False)
