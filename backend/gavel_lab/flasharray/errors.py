"""What the array answers when it refuses: one exception, and the vendor's error body for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class ApiError(Exception):
    """A refused call.

    status: HTTP status. message: what is wrong, for people. contexts: one per entry of the error list: the object,
    parameter or field at fault, None for general errors. An expired session answers without the key at all, as arrays
    in the field do (`has_context`).
    """

    def __init__(
        self, status: int, message: str, contexts: Sequence[str | None] = (None,), *, has_context: bool = True
    ) -> None:
        super().__init__(f"{status} {message} {list(contexts)}")
        self.status = status
        self.message = message
        self.contexts = tuple(contexts)
        self.has_context = has_context

    def errors(self, *, location_context: bool = False) -> list[dict[str, Any]]:
        """The entries of the vendor's error list; from REST 2.38 on they carry a location context."""
        entries = [{"context": context, "message": self.message} for context in self.contexts]
        if not self.has_context:
            return [{"message": self.message}]
        if location_context:
            entries = [{**entry, "location_context": None} for entry in entries]
        return entries


def bad_request(message: str, *contexts: str) -> ApiError:
    return ApiError(400, message, contexts or (None,))


def not_found(path: str) -> ApiError:
    return ApiError(404, "The requested resource was not found.", (path,))


def invalid_session() -> ApiError:
    return ApiError(401, "Invalid session.", has_context=False)
