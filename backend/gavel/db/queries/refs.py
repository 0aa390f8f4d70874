"""Names and ids of related things, as links need them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Table, select, text

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.schema.array_side import storage_array, volume
from gavel.db.schema.bookkeeping import source
from gavel.db.schema.host_side import cluster, datastore, esxi_host, host_device, vcenter, vm, vm_disk


class RefKind(StrEnum):
    SOURCE = "source"
    ARRAY = "array"
    POD = "pod"
    VOLUME = "volume"
    VCENTER = "vcenter"
    CLUSTER = "cluster"
    HOST = "host"
    DATASTORE = "datastore"
    VM = "vm"
    VM_DISK = "vm_disk"
    DEVICE = "device"
    DIRECTORY = "directory"
    # Everything together: has no page and no row of its own.
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class EntityRef:
    """Something else by id and name, as a link needs it."""

    kind: RefKind
    id: int
    name: str


TABLES: Mapping[RefKind, Table] = {
    RefKind.SOURCE: source,
    RefKind.ARRAY: storage_array,
    RefKind.VOLUME: volume,
    RefKind.VCENTER: vcenter,
    RefKind.CLUSTER: cluster,
    RefKind.HOST: esxi_host,
    RefKind.DATASTORE: datastore,
    RefKind.VM: vm,
    RefKind.VM_DISK: vm_disk,
    RefKind.DEVICE: host_device,
}
WORDS = {RefKind.VM: "VM", RefKind.VCENTER: "vCenter", RefKind.VM_DISK: "virtual disk"}
LABELS = {RefKind.VM_DISK: "label", RefKind.DEVICE: "canonical_name"}


def refs(connection: Connection, kind: RefKind, ids: Iterable[int]) -> dict[int, EntityRef]:
    """By id; what does not exist is absent."""
    table = TABLES[kind]
    wanted = sorted(set(ids))
    if not wanted:
        return {}
    label = table.c[LABELS.get(kind, "name")]
    rows = connection.execute(select(table.c.id, label).where(table.c.id.in_(wanted)))
    return {thing_id: EntityRef(kind, thing_id, name) for thing_id, name in rows}


def of_sources(connection: Connection, kind: RefKind) -> dict[int, EntityRef]:
    """The array or vCenter of each source, by the source's id. A vCenter has no name of its own: it is called as its source is."""
    table = TABLES[kind]
    name = source.c.name if kind is RefKind.VCENTER else table.c.name
    joined = table.join(source, source.c.id == table.c.source_id)
    rows = connection.execute(select(table.c.source_id, table.c.id, name).select_from(joined).where(table.c.present))
    return {source_id: EntityRef(kind, thing_id, name) for source_id, thing_id, name in rows}


def linked(connection: Connection, query: str, ids: Sequence[int], kind: RefKind) -> dict[int, tuple[EntityRef, ...]]:
    """Refs by subject. `query` gives (subject, id, name) for the subjects in `:ids`; they come by name, each once."""
    ordered = f"SELECT DISTINCT subject, id, name FROM ({query}) q ORDER BY subject, name, id"
    found: dict[int, list[EntityRef]] = {}
    for subject, thing_id, name in connection.execute(text(ordered), {"ids": list(ids)}):
        found.setdefault(subject, []).append(EntityRef(kind, thing_id, name))
    return {subject: tuple(things) for subject, things in found.items()}


def linked_by_kind(
    connection: Connection, queries: Mapping[RefKind, str], ids: Sequence[int]
) -> dict[RefKind, dict[int, tuple[EntityRef, ...]]]:
    """The same of several kinds at once; each kind is there."""
    together = " UNION ALL ".join(
        f"SELECT '{kind}' AS kind, subject, id, name FROM ({query}) one" for kind, query in queries.items()
    )
    ordered = f"SELECT DISTINCT kind, subject, id, name FROM ({together}) q ORDER BY subject, name, id"
    found: dict[RefKind, dict[int, list[EntityRef]]] = {kind: {} for kind in queries}
    for kind, subject, thing_id, name in connection.execute(text(ordered), {"ids": list(ids)}):
        found[RefKind(kind)].setdefault(subject, []).append(EntityRef(RefKind(kind), thing_id, name))
    return {kind: {one: tuple(things) for one, things in own.items()} for kind, own in found.items()}


def require(connection: Connection, kind: RefKind, thing_id: int) -> EntityRef:
    """Raises NotFoundError."""
    found = refs(connection, kind, [thing_id])
    if not found:
        raise not_found(kind, thing_id)
    return found[thing_id]


def not_found(kind: RefKind, thing_id: int) -> NotFoundError:
    return NotFoundError(f"There is no {WORDS.get(kind, kind.value)} {thing_id}.")
