"""Which things belong together: pods and arrays, datastores with their extents and hosts. Only what is there now is kept."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

from sqlalchemy import Connection, Table, delete, insert, select, tuple_

from gavel.db.estate_sync import ids_by_key
from gavel.db.tables import array_side, host_side
from gavel.domain.device_names import volume_serial
from gavel.domain.inventory import ArrayInventory, HostInventory, Inventory

_Link: TypeAlias = tuple[Any, ...]


def store_links(connection: Connection, source_id: int, inventory: Inventory) -> None:
    if isinstance(inventory, ArrayInventory):
        _store_pods(connection, source_id, inventory)
    else:
        _store_datastores(connection, source_id, inventory)


def _store_pods(connection: Connection, source_id: int, inventory: ArrayInventory) -> None:
    ids = ids_by_key(connection, source_id, array_side.pod)
    links = {(ids[pod.key], array_key) for pod in inventory.pods for array_key in pod.array_keys}
    _replace(connection, array_side.pod_array, [ids[pod.key] for pod in inventory.pods], links)


def _store_datastores(connection: Connection, source_id: int, inventory: HostInventory) -> None:
    ids = ids_by_key(connection, source_id, host_side.datastore)
    owners = [ids[datastore.key] for datastore in inventory.datastores]
    _replace(connection, host_side.datastore_extent, owners, set(_extents(inventory, ids)))
    hosts = ids_by_key(connection, source_id, host_side.esxi_host)
    links = {
        (ids[datastore.key], hosts[key])
        for datastore in inventory.datastores
        for key in datastore.host_keys
        if key in hosts
    }
    _replace(connection, host_side.datastore_host, owners, links)


def _extents(inventory: HostInventory, ids: Mapping[str, int]) -> Iterator[_Link]:
    for datastore in inventory.datastores:
        for position, name in enumerate(datastore.extents):
            yield ids[datastore.key], position, name, volume_serial(name)


def _replace(connection: Connection, table: Table, owners: Collection[int], wanted: set[_Link]) -> None:
    """Make the links of `owners` (the first column) equal to `wanted`, touching only what differs."""
    owner, *_ = table.c
    stored = {tuple(row) for row in connection.execute(select(table).where(owner.in_(owners)))}
    names = [column.name for column in table.c]
    gone, new = stored - wanted, wanted - stored
    if gone:
        key = list(table.primary_key)
        positions = [names.index(column.name) for column in key]
        keys = [tuple(link[position] for position in positions) for link in gone]
        connection.execute(delete(table).where(tuple_(*key).in_(keys)))
    if new:
        connection.execute(insert(table), [dict(zip(names, link, strict=True)) for link in sorted(new)])
