"""The scopes of alert rules: the objects of each kind, and the properties that select and distinguish them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.members import MEMBERS
from gavel.db.queries.refs import TABLES, RefKind
from gavel.domain.source import Stream

_NAMES: Mapping[RefKind, str] = {
    RefKind.SOURCE: "SELECT id, name FROM source WHERE enabled",
    RefKind.ARRAY: "SELECT id, name FROM storage_array WHERE present",
    RefKind.VOLUME: "SELECT id, name FROM volume WHERE present AND NOT is_protocol_endpoint",
    RefKind.CLUSTER: "SELECT id, name FROM cluster WHERE present",
    RefKind.HOST: "SELECT id, name FROM esxi_host WHERE present",
    RefKind.DATASTORE: "SELECT id, name FROM datastore WHERE present",
    RefKind.VM: "SELECT id, name FROM vm WHERE present",
}
# Volumes and directories of a kind's things, with their arrays.
_VOLUMES_OF = tuple(kind for kind in _NAMES if (kind, Stream.ARRAY_VOLUME) in MEMBERS)
_DIRECTORIES_OF = tuple(kind for kind in _NAMES if (kind, Stream.ARRAY_DIRECTORY) in MEMBERS)
# VMs with a disk on a datastore.
_DISKS = "vm_disk k JOIN vm m ON m.id = k.vm_id AND m.present"
# What a label is called in a rule, and its value: "tag.environment", "attribute.application".
_LABEL_FACT = "l.kind || '.' || l.name, l.value"
_LABELS_OF_VMS = "label l ON l.subject_table = 'vm' AND l.subject_id = m.id AND l.valid_to IS NULL"
# (id, what, value) besides those of volumes.
_MORE: Mapping[RefKind, tuple[str, ...]] = {
    RefKind.VM: (
        "SELECT m.id, 'host', h.name FROM vm m JOIN esxi_host h ON h.id = m.host_id WHERE m.present",
        "SELECT m.id, 'cluster', c.name FROM vm m JOIN esxi_host h ON h.id = m.host_id JOIN cluster c ON c.id = h.cluster_id",
        "SELECT k.vm_id, 'datastore', d.name FROM vm_disk k JOIN datastore d ON d.id = k.datastore_id WHERE k.present",
    ),
    RefKind.HOST: (
        "SELECT h.id, 'cluster', c.name FROM esxi_host h JOIN cluster c ON c.id = h.cluster_id WHERE h.present",
        "SELECT m.host_id, 'vm', m.name FROM vm m WHERE m.present AND m.host_id IS NOT NULL",
        f"SELECT DISTINCT m.host_id, {_LABEL_FACT} FROM vm m JOIN {_LABELS_OF_VMS} WHERE m.present AND m.host_id IS NOT NULL",
    ),
    RefKind.DATASTORE: (
        (
            "SELECT x.datastore_id, 'cluster', c.name FROM datastore_host x JOIN esxi_host h ON h.id = x.host_id"
            " JOIN cluster c ON c.id = h.cluster_id"
        ),
        f"SELECT DISTINCT k.datastore_id, 'vm', m.name FROM {_DISKS} WHERE k.present AND k.datastore_id IS NOT NULL",
        (
            f"SELECT DISTINCT k.datastore_id, {_LABEL_FACT} FROM {_DISKS} JOIN {_LABELS_OF_VMS}"
            " WHERE k.present AND k.datastore_id IS NOT NULL"
        ),
    ),
    RefKind.SOURCE: (
        "SELECT s.id, 'array', a.name FROM source s JOIN storage_array a ON a.source_id = s.id AND a.present",
    ),
    RefKind.VOLUME: (
        (
            f"SELECT m.entity_id, 'datastore', d.name FROM ({MEMBERS[RefKind.DATASTORE, Stream.ARRAY_VOLUME]}) m"
            " JOIN datastore d ON d.id = m.subject_id AND d.present"
        ),
    ),
}
_OWN_NAME: Mapping[RefKind, str] = {
    RefKind.DATASTORE: "datastore",
    RefKind.VM: "vm",
    RefKind.HOST: "host",
    RefKind.CLUSTER: "cluster",
    RefKind.ARRAY: "array",
    RefKind.VOLUME: "volume",
    RefKind.SOURCE: "source",
}


@dataclass(frozen=True, slots=True)
class AlertObject:
    """facts: by what it can be chosen (name, array, cluster, datastore, vm, host, tag.…, attribute.…), each with all its values."""

    id: int
    name: str
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def alert_objects(connection: Connection, kind: RefKind) -> tuple[AlertObject, ...]:
    """Those that are there, by id."""
    facts: dict[int, dict[str, set[str]]] = {}
    for query in _facts(kind):
        for thing_id, what, value in connection.execute(text(query)):
            facts.setdefault(thing_id, {}).setdefault(what, set()).add(value)
    found = []
    for thing_id, name in connection.execute(text(f"{_NAMES[kind]} ORDER BY id")):
        own = facts.get(thing_id, {})
        known = {what: tuple(sorted(values)) for what, values in own.items()}
        found.append(AlertObject(thing_id, name, {**known, "name": (name,), _OWN_NAME[kind]: (name,)}))
    return tuple(found)


def objects_stamp(connection: Connection) -> str:
    """Changes whenever what `alert_objects` answers may have: with every inventory, and with sources."""
    query = "SELECT coalesce(string_agg(id || ':' || inventory_revision || ':' || enabled || ':' || name, ',' ORDER BY id), '') FROM source"
    stamp: str = connection.execute(text(query)).scalar_one()
    return stamp


def _facts(kind: RefKind) -> tuple[str, ...]:
    volumes: tuple[str, ...] = ()
    if kind in _VOLUMES_OF:
        of = f"({MEMBERS[kind, Stream.ARRAY_VOLUME]}) m JOIN volume v ON v.id = m.entity_id AND v.present"
        volumes = (
            f"SELECT DISTINCT m.subject_id, 'array', a.name FROM {of} JOIN storage_array a ON a.source_id = v.source_id",
            (
                f"SELECT DISTINCT m.subject_id, {_LABEL_FACT} FROM {of}"
                " JOIN label l ON l.subject_table = 'volume' AND l.subject_id = v.id AND l.valid_to IS NULL"
            ),
        )
    directories: tuple[str, ...] = ()
    if kind in _DIRECTORIES_OF:
        directories = (
            (
                f"SELECT DISTINCT m.subject_id, 'array', a.name FROM ({MEMBERS[kind, Stream.ARRAY_DIRECTORY]}) m"
                " JOIN array_directory d ON d.id = m.entity_id AND d.present"
                " JOIN storage_array a ON a.source_id = d.source_id AND a.present"
            ),
        )
    own = f"SELECT l.subject_id, {_LABEL_FACT} FROM label l WHERE l.subject_table = '{TABLES[kind].name}' AND l.valid_to IS NULL"
    return (*volumes, *directories, *_MORE.get(kind, ()), own)
