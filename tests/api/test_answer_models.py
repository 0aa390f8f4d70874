"""What the API makes of a dataclass that it answers with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal, get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError

from gavel.api.schemas.answer import Answer, AnswerShape, Page, model_of

AT = datetime(2026, 7, 1, tzinfo=UTC)


class Color(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    at: datetime
    column: list[float]


@dataclass(frozen=True, slots=True)
class Outer:
    """What it is."""

    color: Color
    inner: tuple[Inner, ...]
    most: Inner | None
    by_name: Mapping[str, Sequence[Inner]]
    side: Literal["array", "host"] = "array"


FOUND = Outer(Color.RED, (Inner(AT, [1.0, float("nan")]),), None, {"one": [Inner(AT, [])]})


def test_an_answer_is_the_dataclass_with_its_words_in_its_order() -> None:
    written = TypeAdapter(Answer[Outer]).dump_json(
        TypeAdapter(Answer[Outer]).validate_python(FOUND, from_attributes=True)
    )
    assert written == (
        b'{"color":"red","inner":[{"at":"2026-07-01T00:00:00Z","column":[1.0,null]}],"most":null,'
        b'"by_name":{"one":[{"at":"2026-07-01T00:00:00Z","column":[]}]},"side":"array"}'
    )
    described = model_of(Outer).model_json_schema(mode="serialization")
    assert (described["title"], described["description"]) == ("Outer", "What it is.")
    assert described["required"] == ["color", "inner", "most", "by_name", "side"]
    assert described["additionalProperties"] is False
    assert "description" not in described["$defs"]["Inner"], "a signature is no description"
    assert described["$defs"]["Inner"]["properties"]["column"]["items"]["anyOf"] == [
        {"type": "number"},
        {"type": "null"},
    ]


def test_an_instant_without_its_offset_is_not_answered() -> None:
    with pytest.raises(ValidationError, match="timezone"):
        model_of(Inner).model_validate(Inner(AT.replace(tzinfo=None), []))


def test_a_field_may_cross_in_another_shape() -> None:
    shown = Annotated[Outer, AnswerShape(inner=list[str])]
    assert TypeAdapter(shown).json_schema()["properties"]["inner"]["items"] == {"type": "string"}
    with pytest.raises(TypeError, match="no field outer"):
        TypeAdapter(Annotated[Outer, AnswerShape(outer=int)])


def test_a_page_is_named_by_what_it_is_a_page_of() -> None:
    assert Page[Answer[Inner]].__name__ == "Page[Inner]"


def test_a_model_is_made_once() -> None:
    assert model_of(Inner) is model_of(Inner)
    assert get_type_hints(model_of(Outer))["most"] == model_of(Inner) | None
