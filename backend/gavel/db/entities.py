"""Natural keys of samples to the ids of the things they belong to, remembered per process until the inventory changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Connection, Engine, Table, select

from gavel.db.tables.array_side import array_directory, volume
from gavel.db.tables.host_side import hba, host_device, path, vm_disk
from gavel.domain.samples import Int64Array
from gavel.domain.source import Stream

ENTITY_TABLES: Mapping[Stream, Table] = {
    Stream.ARRAY_VOLUME: volume,
    Stream.ARRAY_DIRECTORY: array_directory,
    Stream.HOST_DEVICE: host_device,
    Stream.VM_DISK: vm_disk,
    Stream.PATH: path,
    Stream.ADAPTER: hba,
}
STRANGER = 0


@dataclass(frozen=True, slots=True)
class _Known:
    """All keys of a source's stream as of one revision of its inventory."""

    revision: int
    ids: Mapping[str, int]


_cache: WeakKeyDictionary[Engine, dict[tuple[int, Stream], _Known]] = WeakKeyDictionary()
_cache_lock = Lock()


def entity_ids(
    connection: Connection, source_id: int, stream: Stream, keys: Sequence[str], revision: int
) -> Int64Array:
    """(len(keys),) ids, STRANGER where the inventory does not hold the key. `revision` is the inventory's current one."""
    known = _known(connection, source_id, stream, revision)
    return np.fromiter((known.get(key, STRANGER) for key in keys), dtype=np.int64, count=len(keys))


def _known(connection: Connection, source_id: int, stream: Stream, revision: int) -> Mapping[str, int]:
    with _cache_lock:
        known = _cache.setdefault(connection.engine, {}).get((source_id, stream))
    if known is None or known.revision != revision:
        known = _Known(revision, _read(connection, source_id, stream))
        with _cache_lock:
            _cache.setdefault(connection.engine, {})[source_id, stream] = known
    return known.ids


def _read(connection: Connection, source_id: int, stream: Stream) -> Mapping[str, int]:
    table = ENTITY_TABLES[stream]
    rows = connection.execute(select(table.c.key, table.c.id).where(table.c.source_id == source_id))
    return {row.key: row.id for row in rows}
