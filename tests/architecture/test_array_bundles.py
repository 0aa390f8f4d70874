"""Bundles of parallel arrays are made by the names of their fields: two of one type in the wrong order would fail no check of types."""

import dataclasses
import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import pytest

Floats = npt.NDArray[np.float64]


def bundles(package: str) -> Iterator[type[Any]]:
    """Every dataclass that a module of the package defines."""
    root = importlib.import_module(package)
    for found in pkgutil.walk_packages(root.__path__, f"{package}."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        yield from (
            value
            for value in vars(module).values()
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == found.name
        )


def is_parallel(hint: Any) -> bool:
    """Whether a field of this type is an array or a sequence beside which others of the kind may stand, or is a bundle of arrays itself."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return any(_is_array(inner) for inner in get_type_hints(hint).values())
    return _is_array(hint) or _arguments(hint, (list, Sequence))


def _is_array(hint: Any) -> bool:
    return get_origin(hint) is np.ndarray or _arguments(hint, (np.ndarray,))


def _arguments(hint: Any, kinds: tuple[type, ...]) -> bool:
    """Whether the type is one of these, or a union or tuple in which one of them is."""
    origin = get_origin(hint)
    if origin in kinds:
        return True
    return origin in (Union, UnionType, tuple) and any(_arguments(argument, kinds) for argument in get_args(hint))


def positional_bundles(package: str) -> dict[str, list[str]]:
    """Fields, by their class, that share the type of an array with another field and can be given by position."""
    found = {}
    for bundle in bundles(package):
        hints = get_type_hints(bundle)
        fields = [field for field in dataclasses.fields(bundle) if field.init and not field.kw_only]
        shared = Counter(str(hints[field.name]) for field in fields if is_parallel(hints[field.name]))
        names = [field.name for field in fields if shared[str(hints[field.name])] > 1]
        if names:
            found[f"{bundle.__module__}.{bundle.__qualname__}"] = names
    return found


@pytest.mark.parametrize("package", ["gavel", "gavel_lab"])
def test_array_bundles_are_made_by_the_names_of_their_fields(package: str) -> None:
    assert len(list(bundles(package))) > 50, "the bundles were not seen"
    assert positional_bundles(package) == {}


@pytest.mark.parametrize(
    "hint", [Floats, Floats | None, tuple[Floats, Floats], Sequence[int], list[float], npt.NDArray[np.bool_]]
)
def test_array_bundles_are_recognized_by_the_types_of_their_fields(hint: Any) -> None:
    assert is_parallel(hint)


@pytest.mark.parametrize("hint", [int, str, float | None, tuple[str, ...], dict[str, int]])
def test_values_are_no_arrays(hint: Any) -> None:
    assert not is_parallel(hint)
