"""Who owns an object and which application it belongs to, by the labels that mean so: its own, else those of its VMs."""

from collections.abc import Mapping, Sequence

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.inventory_rows import Owner
from gavel.db.queries.members import DISKS_THROUGH
from gavel.db.queries.refs import TABLES
from gavel.db.queries.rows import RefKind
from gavel.domain.labels import Meaning

# What labels mean an owner, or an application, where nobody has chosen.
DEFAULT_NAMES: Mapping[Meaning, str] = {Meaning.OWNER: "owner", Meaning.APPLICATION: "application"}


_OWN = """
    SELECT subject_id, lower(value), mode() WITHIN GROUP (ORDER BY value), 1 FROM label
    WHERE subject_table = :table AND subject_id = ANY(:ids) AND valid_to IS NULL AND lower(name) = lower(:name) GROUP BY 1, 2
"""
_OF_VMS = """
    SELECT s.subject_id, lower(l.value), mode() WITHIN GROUP (ORDER BY l.value), count(DISTINCT k.vm_id)
    FROM ({disks}) s JOIN vm_disk k ON k.id = s.entity_id JOIN vm m ON m.id = k.vm_id AND m.present
    LEFT JOIN label l ON l.subject_table = 'vm' AND l.subject_id = m.id AND l.valid_to IS NULL AND lower(l.name) = lower(:name)
    WHERE s.subject_id = ANY(:ids) GROUP BY 1, 2
"""
_VMS = """
    SELECT s.subject_id, count(DISTINCT k.vm_id) FROM ({disks}) s JOIN vm_disk k ON k.id = s.entity_id
    JOIN vm m ON m.id = k.vm_id AND m.present WHERE s.subject_id = ANY(:ids) GROUP BY 1
"""


def label_meanings(connection: Connection) -> dict[Meaning, str]:
    """The name of the label that means an owner, and of that which means an application."""
    rows = connection.execute(text("SELECT meaning, label_name FROM label_meaning"))
    return {**DEFAULT_NAMES, **{Meaning(meaning): name for meaning, name in rows}}


def owners(
    connection: Connection, kind: RefKind, ids: Sequence[int], meaning: Meaning = Meaning.OWNER
) -> dict[int, Owner]:
    """By object; those of which nothing says it are absent."""
    name = label_meanings(connection)[meaning]
    parameters = {"table": TABLES[kind].name, "ids": list(ids), "name": name}
    found = _largest(connection.execute(text(_OWN), parameters).all(), {})
    rest = [thing for thing in ids if thing not in found]
    if kind is RefKind.VM or kind not in DISKS_THROUGH or not rest:
        return found
    disks = DISKS_THROUGH[kind]
    parameters["ids"] = rest
    counted = connection.execute(text(_VMS.format(disks=disks)), parameters)
    vms: dict[int, int] = {thing: count for thing, count in counted}  # noqa: C416
    return found | _largest(connection.execute(text(_OF_VMS.format(disks=disks)), parameters).all(), vms)


def _largest(rows: Sequence[Sequence[object]], vms: Mapping[int, int]) -> dict[int, Owner]:
    """`rows`: (object, value in lower case, value, VMs). Of equal ones the first by name."""
    counts: dict[int, list[tuple[int, str]]] = {}
    for thing, key, value, count in rows:
        if key is not None:
            counts.setdefault(int(str(thing)), []).append((-int(str(count)), str(value)))
    return {
        thing: Owner(name=min(of)[1], share=-min(of)[0] / vms.get(thing, len(of)), owners=len(of))
        for thing, of in counts.items()
    }
