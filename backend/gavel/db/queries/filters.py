"""Which objects a list is narrowed to, by what is known of an object or of the VMs on it: SQL for an `ObjectFilter`."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Select, bindparam, text

from gavel.db.queries.labels import escaped
from gavel.db.queries.members import DISKS_THROUGH, MEMBERS
from gavel.db.queries.object_filter import LabelFilter, ObjectFilter
from gavel.db.queries.refs import TABLES, RefKind
from gavel.domain.source import Stream

Condition: TypeAlias = tuple[str, dict[str, Any]]


# Hosts of the clusters whose name holds a text.
_HOSTS = "(SELECT h.id FROM esxi_host h JOIN cluster c ON c.id = h.cluster_id WHERE c.name ILIKE :cluster ESCAPE '!')"
_IN_CLUSTER: Mapping[RefKind, str] = {
    RefKind.VM: f"SELECT m.id FROM vm m WHERE m.host_id IN {_HOSTS}",
    RefKind.HOST: _HOSTS,
    RefKind.DATASTORE: f"SELECT x.datastore_id FROM datastore_host x WHERE x.host_id IN {_HOSTS}",
    RefKind.CLUSTER: "SELECT c.id FROM cluster c WHERE c.name ILIKE :cluster ESCAPE '!'",
    **{
        kind: (
            f"SELECT s.subject_id FROM ({MEMBERS[kind, Stream.HOST_DEVICE]}) s JOIN host_device d ON d.id = s.entity_id"
            f" WHERE d.host_id IN {_HOSTS}"
        )
        for kind in (RefKind.VOLUME, RefKind.ARRAY)
    },
}

# Hosts of the vCenters whose name holds a text.
_VCENTERS = "(SELECT s.id FROM source s JOIN vcenter v ON v.source_id = s.id WHERE s.name ILIKE :vcenter ESCAPE '!')"
_IN_VCENTER: Mapping[RefKind, str] = {
    **{
        kind: f"SELECT t.id FROM {TABLES[kind].name} t WHERE t.source_id IN {_VCENTERS}"
        for kind in (RefKind.VM, RefKind.HOST, RefKind.DATASTORE, RefKind.CLUSTER)
    },
    **{
        kind: (
            f"SELECT s.subject_id FROM ({MEMBERS[kind, Stream.HOST_DEVICE]}) s JOIN host_device d ON d.id = s.entity_id"
            f" WHERE d.source_id IN {_VCENTERS}"
        )
        for kind in (RefKind.VOLUME, RefKind.ARRAY)
    },
}
_ARRAYS = "(SELECT a.source_id FROM storage_array a WHERE a.present AND a.name ILIKE :array ESCAPE '!')"


def narrowed(query: Select[Any], kind: RefKind, wanted: ObjectFilter) -> Select[Any]:
    """The query over the table of `kind` with the filter's conditions."""
    table = TABLES[kind]
    for condition, parameters in _conditions(kind, wanted):
        query = query.where(_with(f"{table.name}.id IN ({condition})", parameters))
    return query


def _with(condition: str, parameters: Mapping[str, Any]) -> ColumnElement[bool]:
    bound: Any = text(condition).bindparams(*(bindparam(name, value) for name, value in parameters.items()))
    return bound  # type: ignore[no-any-return]


def pattern(part: str) -> str:
    """For ILIKE with ESCAPE '!': what holds the part, or, of "=text", what is the text."""
    return escaped(part[1:]) if part.startswith("=") else f"%{escaped(part)}%"


def _conditions(kind: RefKind, wanted: ObjectFilter) -> Iterator[Condition]:
    """SQL for the ids of objects that fit, each with its parameters."""
    if wanted.cluster:
        yield _IN_CLUSTER[kind], {"cluster": pattern(wanted.cluster)}
    if wanted.vcenter:
        yield _IN_VCENTER[kind], {"vcenter": pattern(wanted.vcenter)}
    if wanted.array:
        yield _on_array(kind), {"array": pattern(wanted.array)}
    if wanted.source_id is not None:
        yield f"SELECT t.id FROM {TABLES[kind].name} t WHERE t.source_id = :source_id", {"source_id": wanted.source_id}
    if wanted.vendor:
        yield _by_vendor(kind), {"vendor": pattern(wanted.vendor)}
    of_vm = list(_of_vm(wanted))
    if of_vm:
        yield _by_vms(kind, wanted, of_vm)


def _on_array(kind: RefKind) -> str:
    if kind is RefKind.ARRAY:
        return f"SELECT t.id FROM storage_array t WHERE t.source_id IN {_ARRAYS}"
    return " UNION ALL ".join(
        f"SELECT s.subject_id FROM ({MEMBERS[kind, stream]}) s JOIN {table} e ON e.id = s.entity_id"
        f" WHERE e.present AND e.source_id IN {_ARRAYS}"
        for stream, table in ((Stream.ARRAY_VOLUME, "volume"), (Stream.ARRAY_DIRECTORY, "array_directory"))
        if (kind, stream) in MEMBERS
    )


def _by_vendor(kind: RefKind) -> str:
    of = MEMBERS.get((kind, Stream.HOST_DEVICE))
    if of is None:  # a cluster
        of = "SELECT h.cluster_id AS subject_id, d.id AS entity_id FROM esxi_host h JOIN host_device d ON d.host_id = h.id AND d.present"
    return f"SELECT s.subject_id FROM ({of}) s JOIN host_device d ON d.id = s.entity_id WHERE d.vendor ILIKE :vendor ESCAPE '!'"


def _of_vm(wanted: ObjectFilter) -> Iterator[Condition]:
    """Conditions on a row `m` of VMs."""
    if wanted.ip:
        part = "EXISTS (SELECT FROM unnest(m.ip_addresses) a WHERE a ILIKE :ip ESCAPE '!')"
        yield part, {"ip": f"%{escaped(wanted.ip)}%"}
    if wanted.network:
        inside = "EXISTS (SELECT FROM unnest(m.ip_addresses) a WHERE CAST(a AS inet) <<= CAST(:network AS inet))"
        yield inside, {"network": wanted.network}
    for column, part in (("dns_name", wanted.dns), ("folder", wanted.folder)):
        if part:
            yield f"m.{column} ILIKE :{column} ESCAPE '!'", {column: pattern(part)}
    for number, label in enumerate(wanted.labels):
        condition, parameters = _label(label, number)
        yield (
            f"EXISTS (SELECT FROM label l WHERE l.subject_table = 'vm' AND l.subject_id = m.id AND {condition})",
            parameters,
        )


def _label(wanted: LabelFilter, number: int) -> Condition:
    """A condition on a row `l` of labels."""
    conditions, parameters = ["l.valid_to IS NULL"], {}
    if wanted.kind:
        conditions.append(f"l.kind = '{wanted.kind.value}'")
    if wanted.name is not None:
        conditions.append(f"lower(l.name) = lower(:label_name{number})")
        parameters[f"label_name{number}"] = wanted.name
    if wanted.value is not None and wanted.is_part:
        conditions.append(f"l.value ILIKE :label_value{number} ESCAPE '!'")
        parameters[f"label_value{number}"] = pattern(wanted.value)
    elif wanted.value is not None:
        conditions.append(f"lower(l.value) = lower(:label_value{number})")
        parameters[f"label_value{number}"] = wanted.value
    return " AND ".join(conditions), parameters


def _by_vms(kind: RefKind, wanted: ObjectFilter, of_vm: list[Condition]) -> Condition:
    """Objects with a VM that fits all conditions, or, where only labels are asked for, with all of them themselves."""
    parameters = {name: value for _, given in of_vm for name, value in given.items()}
    vms = f"SELECT m.id FROM vm m WHERE m.present AND {' AND '.join(condition for condition, _ in of_vm)}"
    if kind is RefKind.VM:
        return vms, parameters
    parts = []
    if kind in DISKS_THROUGH:
        parts.append(
            f"SELECT s.subject_id FROM ({DISKS_THROUGH[kind]}) s JOIN vm_disk k ON k.id = s.entity_id WHERE k.vm_id IN ({vms})"
        )
    elif kind is RefKind.CLUSTER:
        parts.append(
            f"SELECT h.cluster_id FROM vm v JOIN esxi_host h ON h.id = v.host_id WHERE v.id IN ({vms}) AND h.cluster_id IS NOT NULL"
        )
    if wanted.labels and len(of_vm) == len(wanted.labels):
        table = TABLES[kind].name
        own = " AND ".join(
            f"EXISTS (SELECT FROM label l WHERE l.subject_table = '{table}' AND l.subject_id = t.id AND {_label(one, number)[0]})"
            for number, one in enumerate(wanted.labels)
        )
        parts.append(f"SELECT t.id FROM {table} t WHERE {own}")
    return " UNION ALL ".join(parts), parameters
