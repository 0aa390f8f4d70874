"""Labels that are valid now: of objects, and which there are at all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.refs import TABLES, RefKind
from gavel.domain.labels import Label, LabelKind

# Kinds of objects that have labels of their own, in the order in which lists name them.
LABELED: Mapping[str, RefKind] = {
    TABLES[kind].name: kind for kind in (RefKind.VM, RefKind.DATASTORE, RefKind.HOST, RefKind.CLUSTER, RefKind.VOLUME)
}


@dataclass(frozen=True, slots=True)
class LabelName:
    """A name of labels. `objects`: that have one; `values`: different ones, without regard to case."""

    name: str
    kinds: tuple[LabelKind, ...]
    objects: int
    values: int


@dataclass(frozen=True, slots=True)
class LabelValue:
    value: str
    objects: int


_PRESENT = " OR ".join(
    f"l.subject_table = '{table}' AND EXISTS (SELECT FROM {table} t WHERE t.id = l.subject_id AND t.present)"
    for table in LABELED
)
_NAMES = f"""
    SELECT mode() WITHIN GROUP (ORDER BY l.name), array_agg(DISTINCT l.kind ORDER BY l.kind),
        count(DISTINCT (l.subject_table, l.subject_id)), count(DISTINCT lower(l.value))
    FROM label l WHERE l.valid_to IS NULL AND ({_PRESENT}) GROUP BY lower(l.name) ORDER BY 3 DESC, 1 LIMIT :limit
"""
_VALUES = f"""
    SELECT mode() WITHIN GROUP (ORDER BY l.value), count(DISTINCT (l.subject_table, l.subject_id))
    FROM label l WHERE l.valid_to IS NULL AND lower(l.name) = lower(:name) AND ({_PRESENT})
        AND l.value ILIKE :anywhere ESCAPE '!'
    GROUP BY lower(l.value) ORDER BY 2 DESC, 1 LIMIT :limit
"""


def labels_of(connection: Connection, kind: RefKind, ids: Sequence[int]) -> dict[int, tuple[Label, ...]]:
    """By object; those without any are absent."""
    query = text(
        "SELECT subject_id, kind, name, value FROM label WHERE subject_table = :table AND subject_id = ANY(:ids)"
        " AND valid_to IS NULL ORDER BY subject_id, kind, lower(name), lower(value)"
    )
    found: dict[int, list[Label]] = {}
    for subject, label_kind, name, value in connection.execute(query, {"table": TABLES[kind].name, "ids": list(ids)}):
        found.setdefault(subject, []).append(Label(LabelKind(label_kind), name, value))
    return {subject: tuple(labels) for subject, labels in found.items()}


def values_of(connection: Connection, kind: RefKind, name: str) -> tuple[str | None, dict[int, list[str]]]:
    """The values of one label, without regard to its case, by object, and its name as most have it; None where no object has it."""
    query = text(
        "SELECT subject_id, name, value FROM label WHERE subject_table = :table AND lower(name) = lower(:name)"
        " AND valid_to IS NULL ORDER BY subject_id, value"
    )
    found: dict[int, list[str]] = {}
    names: Counter[str] = Counter()
    for subject, spelled, value in connection.execute(query, {"table": TABLES[kind].name, "name": name}):
        found.setdefault(subject, []).append(value)
        names[spelled] += 1
    return (names.most_common(1)[0][0] if names else None), found


def label_names(connection: Connection, *, limit: int = 200) -> tuple[LabelName, ...]:
    """What objects that are there are labeled by, the most used first."""
    rows = connection.execute(text(_NAMES), {"limit": limit})
    return tuple(
        LabelName(name, tuple(map(LabelKind, kinds)), objects, values) for name, kinds, objects, values in rows
    )


def label_values(connection: Connection, name: str, search: str = "", *, limit: int = 100) -> tuple[LabelValue, ...]:
    """Values of one name that hold `search`, the most used first."""
    parameters = {"name": name, "anywhere": f"%{escaped(search)}%", "limit": limit}
    return tuple(LabelValue(value, objects) for value, objects in connection.execute(text(_VALUES), parameters))


def escaped(part: str) -> str:
    """For ILIKE with ESCAPE '!'."""
    return "".join(f"!{letter}" if letter in "!%_" else letter for letter in part.replace("\0", ""))
