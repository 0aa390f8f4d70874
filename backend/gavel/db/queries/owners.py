"""Who owns an object and which application it belongs to, by the labels that mean so: its own, else those of its VMs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.members import DISKS_THROUGH
from gavel.db.queries.refs import TABLES, RefKind
from gavel.domain.labels import Meaning


@dataclass(frozen=True, slots=True)
class Owner:
    """`name`: the object's own label, else that of most of its VMs. `share`: of its VMs with that value, 0 to 1, those without any counted
    too. `owners`: how many different values."""

    name: str
    share: float
    owners: int


# What labels mean an owner, or an application, where nobody has chosen.
DEFAULT_NAMES: Mapping[Meaning, str] = {Meaning.OWNER: "owner", Meaning.APPLICATION: "application"}


# (object, whether it is its own, value in lower case, value, how many): of VMs without any value the two are null.
_NAME = "lower(coalesce((SELECT label_name FROM label_meaning WHERE meaning = :{meaning}), :usual_{meaning}))"
_OWN = f"""
    SELECT '{{meaning}}', subject_id, true AS own, lower(value) AS key, mode() WITHIN GROUP (ORDER BY value) AS value, 1 AS count FROM label
    WHERE subject_table = :table AND subject_id = ANY(:ids) AND valid_to IS NULL AND lower(name) = {_NAME} GROUP BY 2, 4
"""
_OF_VMS = f"""
    SELECT '{{meaning}}', s.subject_id, false, lower(l.value), mode() WITHIN GROUP (ORDER BY l.value), count(DISTINCT m.id)
    FROM (SELECT DISTINCT s.subject_id, k.vm_id FROM ({{disks}}) s JOIN vm_disk k ON k.id = s.entity_id
        WHERE s.subject_id = ANY(:ids)) s
    JOIN vm m ON m.id = s.vm_id AND m.present
    LEFT JOIN label l ON l.subject_table = 'vm' AND l.subject_id = m.id AND l.valid_to IS NULL AND lower(l.name) = {_NAME}
    GROUP BY GROUPING SETS ((s.subject_id, lower(l.value)), (s.subject_id))
"""


# By object: how many there are, negative, of each value.
_Counts: TypeAlias = dict[int, list[tuple[int, str]]]


def label_meanings(connection: Connection) -> dict[Meaning, str]:
    """The name of the label that means an owner, and of that which means an application."""
    rows = connection.execute(text("SELECT meaning, label_name FROM label_meaning"))
    return {**DEFAULT_NAMES, **{Meaning(meaning): name for meaning, name in rows}}


def owners(
    connection: Connection, kind: RefKind, ids: Sequence[int], meaning: Meaning = Meaning.OWNER
) -> dict[int, Owner]:
    """By object; those of which nothing says it are absent."""
    return meant_values(connection, kind, ids, (meaning,))[meaning]


def meant_values(
    connection: Connection, kind: RefKind, ids: Sequence[int], meanings: Sequence[Meaning] = tuple(Meaning)
) -> dict[Meaning, dict[int, Owner]]:
    """Of several meanings at once; each is there."""
    parameters: dict[str, object] = {"table": TABLES[kind].name, "ids": list(ids)}
    parts = []
    for meaning in meanings:
        parameters |= {meaning.value: meaning.value, f"usual_{meaning}": DEFAULT_NAMES[meaning]}
        parts.append(_OWN.format(meaning=meaning.value))
        if kind is not RefKind.VM and kind in DISKS_THROUGH:
            parts.append(_OF_VMS.format(meaning=meaning.value, disks=DISKS_THROUGH[kind]))
    counts = {meaning: _MeantCounts({}, {}, {}) for meaning in meanings}
    for meaning, thing, is_own, key, value, count in connection.execute(text(" UNION ALL ".join(parts)), parameters):
        counts[Meaning(meaning)].add(thing, (key, value, count), is_own=is_own)
    return {meaning: found.values() for meaning, found in counts.items()}


@dataclass(frozen=True, slots=True)
class _MeantCounts:
    """By object: how many have each value, the object itself and its VMs, and how many VMs there are."""

    own: _Counts
    of_vms: _Counts
    vms: dict[int, int]

    def add(self, thing: int, counted: tuple[str | None, str, int], *, is_own: bool) -> None:
        key, value, count = counted
        if key is not None:
            (self.own if is_own else self.of_vms).setdefault(thing, []).append((-count, value))
        # Without a value: those without any, and all of them, which are as many or more.
        self.vms[thing] = max(self.vms.get(thing, 0), count)

    def values(self) -> dict[int, Owner]:
        shared = {thing: _largest(counts, self.vms[thing]) for thing, counts in self.of_vms.items()}
        return shared | {thing: _largest(counts, len(counts)) for thing, counts in self.own.items()}


def _largest(counts: Sequence[tuple[int, str]], whole: int) -> Owner:
    """`counts`: how many there are, negative, of each value. Of equal ones the first by name."""
    count, name = min(counts)
    return Owner(name=name, share=-count / whole, owners=len(counts))
