"""Answers that are a dataclass as it is: `Answer[Hops]` is `Hops` to a type checker, and to the API a model made of its fields.

So each field is declared once, where its value is worked out. The model has the name and the docstring of the dataclass, is closed and
frozen like `Out`, has no defaults, and takes instants with an offset only. Dataclasses inside it become models too, each once.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import AwareDatetime, GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema

from gavel.api.schemas.common import Out

Fields = TypeVar("Fields")
Item = TypeVar("Item")


class AnswerShape:
    """Beside a dataclass in `Annotated`: what the API has in its place. shapes: of fields that cross in another shape, by name."""

    def __init__(self, **shapes: Any) -> None:
        self._shapes = tuple(shapes.items())

    def __get_pydantic_core_schema__(self, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.model(source))

    def model(self, source: type) -> type[Out]:
        return model_of(source, self._shapes)


Answer = Annotated[Fields, AnswerShape()]


class Page(Out, Generic[Item]):
    """One page of a list. `total` counts all rows that match, not only this page's."""

    items: list[Item]
    total: int
    limit: int
    offset: int

    def __class_getitem__(cls, item: Any) -> Any:
        """With the model of an `Answer`, after which the page is then named."""
        for beside in getattr(item, "__metadata__", ()):
            if isinstance(beside, AnswerShape):
                item = beside.model(item.__origin__)
        return super().__class_getitem__(item)


@cache
def model_of(source: type, shapes: tuple[tuple[str, Any], ...] = ()) -> type[Out]:
    """The model of a dataclass, with the same fields in the same order."""
    hints = get_type_hints(source) | dict(shapes)
    fields: dict[str, Any] = {field.name: (_crossing(hints[field.name]), ...) for field in dataclasses.fields(source)}
    if unlike := dict(shapes).keys() - fields.keys():
        raise TypeError(f"{source.__name__} has no field {', '.join(sorted(unlike))}.")
    return create_model(
        source.__name__, __base__=Out, __module__=source.__module__, __doc__=_docstring(source), **fields
    )


def _docstring(source: type) -> str | None:
    """As it was written; a dataclass without one gets its signature from Python."""
    written = source.__doc__ or ""
    return None if written.startswith(f"{source.__name__}(") else written


def _crossing(hint: Any) -> Any:
    """The type of a field, as it crosses the API."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is datetime:
        return AwareDatetime
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return model_of(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return Literal[tuple(one.value for one in hint)]  # a text from here on, which is written faster than a member
    if hint == list[float]:
        return list[float | None]  # a column of a chart: NaN in it is written as null
    if origin in (None, Annotated, Literal):
        return hint
    if origin in (Union, UnionType):
        return Union[tuple(_crossing(one) for one in inner)]  # noqa: UP007 -- of as many types as there are
    if origin is Sequence or (origin is tuple and inner[-1] is Ellipsis):
        return list[_crossing(inner[0])]  # type: ignore[misc]
    return (dict if origin is Mapping else origin)[tuple(map(_crossing, inner))]
