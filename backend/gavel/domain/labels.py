"""Labels: what people attach to objects of a source, as name and value. Pure.

A custom attribute is one (its name, its value), and so is a tag: of a vCenter its category and its name, of an array its key and its value.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from gavel.domain.text import clean_text

# Both together fit an entry of an index, whatever characters they are made of.
LONGEST_NAME = 256
LONGEST_VALUE = 380
# Of one object. A vCenter has 10,000 tags at most, and nobody reads so many of one VM.
MOST_LABELS = 500


class LabelKind(StrEnum):
    ATTRIBUTE = "attribute"
    TAG = "tag"


class Meaning(StrEnum):
    """What a label can say beside its own words."""

    OWNER = "owner"
    APPLICATION = "application"


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """A custom attribute with its value, or a tag: of a vCenter as category and name, of an array as key and value."""

    kind: LabelKind
    name: str
    value: str


def plain_labels(kind: LabelKind, pairs: Iterable[tuple[str, str]]) -> tuple[Label, ...]:
    """Each once, in order, on one line and of bounded length; without those that have no name or no value, and at most `MOST_LABELS`."""
    found = {
        Label(kind, name, value)
        for raw_name, raw_value in pairs
        if (name := clean_text(raw_name, LONGEST_NAME).strip())
        and (value := clean_text(raw_value, LONGEST_VALUE).strip())
    }
    return tuple(sorted(found)[:MOST_LABELS])


def labels_of_mapping(kind: LabelKind, values: Mapping[str, str]) -> tuple[Label, ...]:
    return plain_labels(kind, values.items())
