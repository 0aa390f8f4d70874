"""A dataclass as keywords, for one that is it and more."""

from typing import Any


def fields_of(value: object) -> dict[str, Any]:
    """Values of a dataclass by name, as they are."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}  # type: ignore[attr-defined]
