"""Values that a filter of a list can have, each with the number of objects that the list then has: what is offered while one types."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.labels import escaped
from gavel.db.queries.members import DISKS_THROUGH, MEMBERS
from gavel.db.queries.owners import label_meanings
from gavel.db.queries.refs import TABLES, RefKind
from gavel.domain.labels import Meaning
from gavel.domain.source import Stream


class OfferedFilter(StrEnum):
    """Filters of lists whose values are in the inventory."""

    OWNER = "owner"
    APPLICATION = "application"
    LABEL = "label"
    FOLDER = "folder"
    CLUSTER = "cluster"
    VCENTER = "vcenter"
    ARRAY = "array"


@dataclass(frozen=True, slots=True)
class FilterValue:
    """`filter`: what the list's filter takes for this value alone. `objects`: of the list's kind that have it, without other filters."""

    value: str
    filter: str
    objects: int


@dataclass(frozen=True, slots=True)
class FilterValues:
    """`total`: how many values match, not only those that are offered."""

    items: tuple[FilterValue, ...]
    total: int


# Pairs of (subject_id, value) by value without regard to case, each written as most objects have it.
_COUNTED = """
    WITH pair AS (SELECT p.subject_id, lower(p.value) AS key, min(p.value) AS value FROM ({pairs}) p GROUP BY 1, 2),
    spelled AS (SELECT p.key, p.value, count(*) AS count FROM pair p JOIN {table} t ON t.id = p.subject_id AND t.present GROUP BY 1, 2)
    SELECT (array_agg(value ORDER BY count DESC, value))[1], sum(count)::bigint, count(*) OVER ()
    FROM spelled GROUP BY key ORDER BY 2 DESC, 1 LIMIT :limit
"""
# Labels of VMs, of which there are several for each: spellings first, for there are far fewer of them. Only what has several spellings,
# or is both tag and attribute, may be of one VM twice: its VMs are counted once more.
_LABELED_VMS = """
    WITH spelled AS (
        SELECT l.name, l.value, count(*) AS count, min(l.kind) <> max(l.kind) AS repeats
        FROM label l JOIN vm t ON t.id = l.subject_id AND t.present
        WHERE l.subject_table = 'vm' AND l.valid_to IS NULL AND {condition} GROUP BY 1, 2),
    folded AS (
        SELECT lower({value}) AS key, (array_agg({value} ORDER BY l.count DESC, {value}))[1] AS value, sum(l.count)::bigint AS objects,
            count(*) > 1 OR bool_or(l.repeats) AS repeats
        FROM spelled l GROUP BY 1),
    again AS (
        SELECT f.key, count(DISTINCT m.subject_id) AS objects
        FROM folded f JOIN spelled l ON lower({value}) = f.key
        JOIN label m ON m.subject_table = 'vm' AND m.valid_to IS NULL AND m.name = l.name AND m.value = l.value
        JOIN vm t ON t.id = m.subject_id AND t.present WHERE f.repeats GROUP BY 1)
    SELECT f.value, coalesce(again.objects, f.objects), count(*) OVER ()
    FROM folded f LEFT JOIN again USING (key) ORDER BY 2 DESC, 1 LIMIT :limit
"""
_FOLDERS = "SELECT m.id AS vm_id, m.folder AS value FROM vm m WHERE m.present AND m.folder ILIKE :part ESCAPE '!'"
_LABELS = (
    "SELECT l.subject_id AS {subject}, {value} AS value FROM label l"
    " WHERE l.subject_table = '{table}' AND l.valid_to IS NULL AND {condition}"
)
_HOSTS = (
    "SELECT h.id, c.name FROM esxi_host h JOIN cluster c ON c.id = h.cluster_id WHERE c.name ILIKE :part ESCAPE '!'"
)
_VCENTERS = "SELECT s.id, s.name FROM source s JOIN vcenter v ON v.source_id = s.id WHERE s.name ILIKE :part ESCAPE '!'"
_ARRAYS = "SELECT a.id, a.source_id, a.name FROM storage_array a WHERE a.present AND a.name ILIKE :part ESCAPE '!'"


def filter_values(
    connection: Connection, kind: RefKind, wanted: OfferedFilter, search: str = "", *, limit: int = 20
) -> FilterValues:
    """Values that hold `search`, without regard to case, those with the most objects first. A label is searched by name and value, or
    by name=part of its value."""
    name, part = _name_and_part(connection, wanted, search)
    parameters = {"name": name, "part": f"%{escaped(part)}%", "limit": limit}
    rows = connection.execute(text(_query(kind, wanted, is_named=bool(name))), parameters).all()
    items = tuple(
        FilterValue(value, value if wanted is OfferedFilter.LABEL else f"={value}", objects)
        for value, objects, _ in rows
    )
    return FilterValues(items, rows[0][2] if rows else 0)


def _query(kind: RefKind, wanted: OfferedFilter, *, is_named: bool) -> str:
    if kind is RefKind.VM and wanted is OfferedFilter.LABEL:
        return _LABELED_VMS.format(value=_label_value(wanted), condition=_label_condition(is_named=is_named))
    pairs = " UNION ALL ".join(_pairs(kind, wanted, is_named=is_named))
    return _COUNTED.format(pairs=pairs, table=TABLES[kind].name)


def _name_and_part(connection: Connection, wanted: OfferedFilter, search: str) -> tuple[str, str]:
    """The name of the label whose values are searched, if there is but one, and the part that they hold."""
    name, equals, part = search.partition("=")
    match wanted:
        case OfferedFilter.OWNER | OfferedFilter.APPLICATION:
            return label_meanings(connection)[Meaning(wanted)], search.removeprefix("=").strip()
        case OfferedFilter.LABEL if equals:
            return name.strip(), part.strip()
        case _:
            return "", search.removeprefix("=").strip()


def _pairs(kind: RefKind, wanted: OfferedFilter, *, is_named: bool) -> Iterator[str]:
    """SQL for (subject_id, value), as `filters` narrows a list by that value; a pair may come more than once."""
    match wanted:
        case OfferedFilter.CLUSTER:
            yield _of_hosts(kind)
        case OfferedFilter.VCENTER:
            yield _of_vcenters(kind)
        case OfferedFilter.ARRAY:
            yield from _of_arrays(kind)
        case OfferedFilter.FOLDER:
            yield _through_vms(kind, _FOLDERS)
        case _:
            yield _through_vms(kind, _labels(wanted, RefKind.VM, "vm_id", is_named=is_named))
            if kind is not RefKind.VM:
                yield _labels(wanted, kind, "subject_id", is_named=is_named)


def _labels(wanted: OfferedFilter, kind: RefKind, subject: str, *, is_named: bool) -> str:
    return _LABELS.format(
        subject=subject,
        value=_label_value(wanted),
        table=TABLES[kind].name,
        condition=_label_condition(is_named=is_named),
    )


def _label_value(wanted: OfferedFilter) -> str:
    """Of a row `l` of labels, as the filter names it."""
    return "l.name || '=' || l.value" if wanted is OfferedFilter.LABEL else "l.value"


def _label_condition(*, is_named: bool) -> str:
    """On a row `l` of labels."""
    in_value = "l.value ILIKE :part ESCAPE '!'"
    return (
        f"lower(l.name) = lower(:name) AND {in_value}" if is_named else f"({in_value} OR l.name ILIKE :part ESCAPE '!')"
    )


def _through_vms(kind: RefKind, values: str) -> str:
    """`values`: SQL for (vm_id, value)."""
    if kind is RefKind.VM:
        return f"SELECT v.vm_id AS subject_id, v.value FROM ({values}) v"
    if kind is RefKind.CLUSTER:
        return (
            f"SELECT h.cluster_id AS subject_id, v.value FROM ({values}) v JOIN vm m ON m.id = v.vm_id AND m.present"
            " JOIN esxi_host h ON h.id = m.host_id WHERE h.cluster_id IS NOT NULL"
        )
    return (
        f"SELECT s.subject_id, v.value FROM ({DISKS_THROUGH[kind]}) s JOIN vm_disk k ON k.id = s.entity_id"
        f" JOIN vm m ON m.id = k.vm_id AND m.present JOIN ({values}) v ON v.vm_id = m.id"
    )


def _of_hosts(kind: RefKind) -> str:
    match kind:
        case RefKind.VM:
            return f"SELECT m.id AS subject_id, h.name AS value FROM vm m JOIN ({_HOSTS}) h ON h.id = m.host_id"
        case RefKind.HOST:
            return f"SELECT h.id AS subject_id, h.name AS value FROM ({_HOSTS}) h"
        case RefKind.DATASTORE:
            return f"SELECT x.datastore_id AS subject_id, h.name AS value FROM datastore_host x JOIN ({_HOSTS}) h ON h.id = x.host_id"
        case RefKind.CLUSTER:
            return "SELECT c.id AS subject_id, c.name AS value FROM cluster c WHERE c.name ILIKE :part ESCAPE '!'"
        case _:
            return (
                f"SELECT s.subject_id, h.name AS value FROM ({MEMBERS[kind, Stream.HOST_DEVICE]}) s"
                f" JOIN host_device d ON d.id = s.entity_id JOIN ({_HOSTS}) h ON h.id = d.host_id"
            )


def _of_vcenters(kind: RefKind) -> str:
    if kind in (RefKind.VM, RefKind.HOST, RefKind.DATASTORE, RefKind.CLUSTER):
        return f"SELECT t.id AS subject_id, v.name AS value FROM {TABLES[kind].name} t JOIN ({_VCENTERS}) v ON v.id = t.source_id"
    return (
        f"SELECT s.subject_id, v.name AS value FROM ({MEMBERS[kind, Stream.HOST_DEVICE]}) s"
        f" JOIN host_device d ON d.id = s.entity_id JOIN ({_VCENTERS}) v ON v.id = d.source_id"
    )


def _of_arrays(kind: RefKind) -> Iterator[str]:
    if kind is RefKind.ARRAY:
        yield f"SELECT a.id AS subject_id, a.name AS value FROM ({_ARRAYS}) a"
        return
    for stream, table in ((Stream.ARRAY_VOLUME, "volume"), (Stream.ARRAY_DIRECTORY, "array_directory")):
        if (kind, stream) in MEMBERS:
            yield (
                f"SELECT s.subject_id, a.name AS value FROM ({MEMBERS[kind, stream]}) s"
                f" JOIN {table} e ON e.id = s.entity_id AND e.present JOIN ({_ARRAYS}) a ON a.source_id = e.source_id"
            )
