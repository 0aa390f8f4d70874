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
_NAME = "lower(coalesce((SELECT label_name FROM label_meaning WHERE meaning = :meaning), :usual))"
_OWN = f"""
    SELECT subject_id, true AS own, lower(value) AS key, mode() WITHIN GROUP (ORDER BY value) AS value, 1 AS count FROM label
    WHERE subject_table = :table AND subject_id = ANY(:ids) AND valid_to IS NULL AND lower(name) = {_NAME} GROUP BY 1, 3
"""
_OF_VMS = f"""
    SELECT s.subject_id, false, lower(l.value), mode() WITHIN GROUP (ORDER BY l.value), count(DISTINCT m.id)
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
    parameters = {
        "table": TABLES[kind].name, "ids": list(ids), "meaning": meaning.value, "usual": DEFAULT_NAMES[meaning],
    }  # fmt: skip
    query = _OWN
    if kind is not RefKind.VM and kind in DISKS_THROUGH:
        query += " UNION ALL " + _OF_VMS.format(disks=DISKS_THROUGH[kind])
    own: _Counts = {}
    of_vms: _Counts = {}
    vms: dict[int, int] = {}
    for thing, is_own, key, value, count in connection.execute(text(query), parameters):
        if key is not None:
            (own if is_own else of_vms).setdefault(thing, []).append((-count, value))
        # Without a value: those without any, and all of them, which are as many or more.
        vms[thing] = max(vms.get(thing, 0), count)
    shared = {thing: _largest(counts, vms[thing]) for thing, counts in of_vms.items()}
    return shared | {thing: _largest(counts, len(counts)) for thing, counts in own.items()}


def _largest(counts: Sequence[tuple[int, str]], whole: int) -> Owner:
    """`counts`: how many there are, negative, of each value. Of equal ones the first by name."""
    count, name = min(counts)
    return Owner(name=name, share=-count / whole, owners=len(counts))
