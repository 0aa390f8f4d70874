"""Rows cut down to the fields of a version, sorted, and aggregated rows with nothing in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gavel_lab.flasharray.errors import bad_request

Row = dict[str, Any]
Shape = Mapping[str, "Shape | None"]


@lru_cache(maxsize=4096)
def shape_of(paths: tuple[str, ...]) -> Shape:
    """Dotted paths as nested mappings; None is a leaf."""
    shape: dict[str, Any] = {}
    for path in paths:
        *outer, leaf = path.split(".")
        place = shape
        for step in outer:
            place = place.setdefault(step, {})
        place[leaf] = None
    return shape


def cut(row: Mapping[str, Any], shape: Shape) -> Row:
    """The row with the fields of the shape only. A row lacking one of them is a mistake of this program."""
    return {name: _cut_value(row[name], inner) for name, inner in shape.items()}


def _cut_value(value: Any, inner: Shape | None) -> Any:
    if inner is None or value is None:
        return value
    if isinstance(value, list):
        return [cut(item, inner) for item in value]
    return cut(value, inner)


def blank(shape: Shape, lists: Iterable[str] = ()) -> Row:
    """A row of the shape without values: what `total` shows for everything that cannot be added up."""
    empty = set(lists)
    return {name: [] if name in empty else None if inner is None else blank(inner) for name, inner in shape.items()}


def ordered(rows: Sequence[Row], keys: Sequence[tuple[str, bool]]) -> list[Row]:
    """Rows sorted by (path, descending) keys, stable; missing values come first when ascending."""
    result = list(rows)
    for path, descending in reversed(keys):
        steps = path.split(".")
        result.sort(key=lambda row, steps=steps: _sort_key(row, steps), reverse=descending)  # type: ignore[misc]
    return result


def _sort_key(row: Row, steps: Sequence[str]) -> tuple[bool, Any]:
    value: Any = row
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else value
    if isinstance(value, list):
        raise bad_request(f"Cannot sort by {'.'.join(steps)!r}: it is a list.", "sort")
    return (value is not None, value if value is not None else 0)
