"""The OpenAPI document, built once for all tests of a process: it takes two seconds of CPU."""

from functools import cache
from typing import Any

from gavel.api import openapi


@cache
def document() -> Any:
    """Return the shared document; do not change it."""
    return openapi.document()
