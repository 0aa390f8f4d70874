"""Dataclasses whose every field is an array with one entry per row: some of the rows, or several such one after the other."""

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gavel.analysis.topology import Index

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Columns = TypeVar("Columns", bound="DataclassInstance")


def picked(columns: Columns, rows: Index) -> Columns:
    """The rows at these positions, in their order."""
    return type(columns)(*(getattr(columns, field.name)[rows] for field in fields(columns)))


def joined(parts: Sequence[Columns]) -> Columns:
    """All rows of the parts; at least one part."""
    names = [field.name for field in fields(parts[0])]
    return type(parts[0])(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
