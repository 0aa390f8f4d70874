"""Natural keys of samples to the ids of the things they belong to, remembered per process until the inventory changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Engine, Table, select

from gavel.db.errors import NotFoundError
from gavel.db.schema.array_side import array_directory, array_port, storage_array, volume
from gavel.db.schema.bookkeeping import source
from gavel.db.schema.host_side import esxi_host, hba, host_device, path, vm_disk
from gavel.domain.samples import Int64Array
from gavel.domain.source import Stream

ENTITY_TABLES: Mapping[Stream, Table] = {
    Stream.ARRAY_VOLUME: volume,
    Stream.ARRAY_DIRECTORY: array_directory,
    Stream.ARRAY_WIDE: storage_array,
    Stream.ARRAY_PORT: array_port,
    Stream.HOST_DEVICE: host_device,
    Stream.VM_DISK: vm_disk,
    Stream.PATH: path,
    Stream.ADAPTER: hba,
    Stream.HOST_CPU: esxi_host,
}
UNKNOWN_ID = 0


@dataclass(slots=True)
class _KnownKeys:
    """All keys of a source's stream as of one revision of its inventory; whose they are, once somebody asked."""

    revision: int
    ids: Mapping[str, int]
    owners: "Owners | None" = None


_cache: WeakKeyDictionary[Engine, dict[tuple[int, Stream], _KnownKeys]] = WeakKeyDictionary()
_cache_lock = Lock()


def entity_ids(
    connection: Connection, source_id: int, stream: Stream, keys: Sequence[str], revision: int
) -> Int64Array:
    """(len(keys),) ids, STRANGER where the inventory does not hold the key. `revision` is the inventory's current one."""
    known = _cached(connection, source_id, stream, revision).ids
    return np.fromiter((known.get(key, UNKNOWN_ID) for key in keys), dtype=np.int64, count=len(keys))


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """Whose each entity of a stream is, by its key: what stands before the first "/", or the entity itself.

    names: each owner once. ids: (n,) of the entities, rising. index: (n,) which owner each is of.
    """

    names: tuple[str, ...]
    ids: Int64Array
    index: Int64Array

    def of(self, ids: npt.NDArray[np.integer]) -> Int64Array:
        """(m,) owner of each entity, -1 of one that the inventory does not hold."""
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[place] == ids, self.index[place], -1)


def owners(connection: Connection, source_id: int, stream: Stream) -> Owners:
    """By the newest inventory; made anew only when that changed."""
    revision = connection.scalar(select(source.c.inventory_revision).where(source.c.id == source_id))
    if revision is None:
        raise NotFoundError(f"Source {source_id} does not exist any more.")
    known = _cached(connection, source_id, stream, revision)
    if known.owners is None:
        known.owners = _owners(known.ids)
    return known.owners


def _owners(ids: Mapping[str, int]) -> Owners:
    names: dict[str, int] = {}
    index = [names.setdefault(key.partition("/")[0], len(names)) for key in ids]
    numbers = np.fromiter(ids.values(), dtype=np.int64, count=len(ids))
    order = np.argsort(numbers, kind="stable")
    return Owners(names=tuple(names), ids=numbers[order], index=np.array(index, dtype=np.int64)[order])


def _cached(connection: Connection, source_id: int, stream: Stream, revision: int) -> _KnownKeys:
    with _cache_lock:
        known = _cache.setdefault(connection.engine, {}).get((source_id, stream))
    if known is None or known.revision != revision:
        known = _KnownKeys(revision, _read(connection, source_id, stream))
        with _cache_lock:
            _cache.setdefault(connection.engine, {})[source_id, stream] = known
    return known


def _read(connection: Connection, source_id: int, stream: Stream) -> Mapping[str, int]:
    table = ENTITY_TABLES[stream]
    if stream is Stream.PATH:
        return _paths(connection, source_id)
    rows = connection.execute(select(table.c.key, table.c.id).where(table.c.source_id == source_id))
    return {row.key: row.id for row in rows}


def _paths(connection: Connection, source_id: int) -> Mapping[str, int]:
    """By the host's key and the name that its counters have, else the one that the inventory has."""
    rows = connection.execute(
        select(path.c.id, path.c.key, path.c.name, path.c.counter)
        .where(path.c.source_id == source_id)
        .order_by(path.c.present)  # where two were called alike, the one that exists counts
    ).all()
    own = {f"{row.key.partition('/')[0]}/{row.name}": row.id for row in rows}
    return own | {f"{row.key.partition('/')[0]}/{row.counter}": row.id for row in rows if row.counter}
