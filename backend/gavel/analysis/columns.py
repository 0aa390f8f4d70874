"""Ledger rows and their notes, whose every field is an array with one entry per row: some of the rows, or several such in a row."""

from collections.abc import Sequence
from dataclasses import fields
from typing import TypeVar

import numpy as np

from gavel.analysis.ledger import LedgerRows
from gavel.analysis.notes import Notes
from gavel.analysis.topology import Index

Columns = TypeVar("Columns", LedgerRows, Notes)


def picked(columns: Columns, rows: Index) -> Columns:
    """The rows at these positions, in their order."""
    return type(columns)(*(getattr(columns, field.name)[rows] for field in fields(columns)))


def joined(parts: Sequence[Columns]) -> Columns:
    """All rows of the parts; at least one part."""
    names = [field.name for field in fields(parts[0])]
    return type(parts[0])(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
