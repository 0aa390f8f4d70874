"""An inventory as rows: what is staged for each kind, with the keys of parents where the table has their ids."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any, TypeAlias

from gavel.db.write import inventory_kinds as kinds
from gavel.db.write.inventory_kinds import InventoryTable
from gavel.domain.inventory import ArrayHost, ArrayInventory, Connection, EsxiHost, HostInventory, Inventory
from gavel.domain.naming import volume_serial
from gavel.domain.text import LONGEST_TEXT

Row: TypeAlias = dict[str, Any]


def source_identity(inventory: Inventory) -> str:
    """What distinguishes one array or vCenter from another behind the same address."""
    return inventory.array.key if isinstance(inventory, ArrayInventory) else inventory.vcenter.key


def rows_by_kind(inventory: Inventory) -> Iterator[tuple[InventoryTable, Iterable[Row]]]:
    """Parents before what refers to them. Of the inventory of an `InventoryTaken`, whose texts are clean."""
    return _array_rows(inventory) if isinstance(inventory, ArrayInventory) else _host_rows(inventory)


def _array_rows(inventory: ArrayInventory) -> Iterator[tuple[InventoryTable, Iterable[Row]]]:
    facts = [{"label": fact.label, "value": fact.value} for fact in inventory.array.facts]
    array = _plain(inventory.array) | {"facts": facts, "file_addresses": list(inventory.file_addresses)}
    yield kinds.STORAGE_ARRAY, [array]
    yield kinds.POD, ({"key": pod.key, "name": pod.name, "array_count": pod.array_count} for pod in inventory.pods)
    yield kinds.VOLUME_GROUP, (_plain(group) for group in inventory.volume_groups)
    yield kinds.VOLUME, (_plain(volume, pod_key="pod_id") for volume in inventory.volumes)
    yield kinds.ARRAY_HOST, (_array_host(host) for host in inventory.hosts)
    yield kinds.CONNECTION, (_connection(connection) for connection in inventory.connections)
    yield kinds.ARRAY_PORT, (_plain(port) for port in inventory.ports)
    yield kinds.ARRAY_DIRECTORY, (_plain(directory) for directory in inventory.directories)
    yield kinds.DIRECTORY_EXPORT, (_plain(export) for export in inventory.exports)


def _array_host(host: ArrayHost) -> Row:
    health = host.port_health
    told = {"port_health": health.state, "port_health_detail": health.detail} if health else {}
    return _plain(host) | {"port_health": None, "port_health_detail": None} | told


def _connection(connection: Connection) -> Row:
    key = "/".join((connection.host_key or "", connection.host_group or "", connection.volume_key))
    if len(key) > LONGEST_TEXT:
        # Three names may be longer together than an index takes.
        key = sha256(key.encode()).hexdigest()
    row = _plain(connection, host_key="array_host_id")
    return row | {"key": key, "volume_id": connection.volume_key}


def _host_rows(inventory: HostInventory) -> Iterator[tuple[InventoryTable, Iterable[Row]]]:
    yield kinds.VCENTER, [_plain(inventory.vcenter)]
    yield kinds.CLUSTER, (_plain(cluster) for cluster in inventory.clusters)
    yield kinds.ESXI_HOST, (_esxi_host(host) for host in inventory.hosts)
    yield kinds.HBA, (_plain(hba, host_key="host_id") for hba in inventory.hbas)
    yield (
        kinds.HOST_DEVICE,
        (
            _plain(device, host_key="host_id") | {"volume_serial": volume_serial(device.canonical_name)}
            for device in inventory.devices
        ),
    )
    yield kinds.PATH, (_plain(path, host_device_key="host_device_id", hba_key="hba_id") for path in inventory.paths)
    yield kinds.UNKNOWN_PATH, (_plain(path, host_key="host_id") for path in inventory.unknown_paths)
    yield kinds.DATASTORE, (_without(_plain(datastore), "extents", "host_keys") for datastore in inventory.datastores)
    yield kinds.VM, (_plain(vm, host_key="host_id") for vm in inventory.vms)
    yield (
        kinds.VM_DISK,
        (
            _plain(disk, vm_key="vm_id", datastore_key="datastore_id")
            | {"volume_serial": volume_serial(disk.device_name or "")}
            for disk in inventory.disks
        ),
    )


def _esxi_host(host: EsxiHost) -> Row:
    options = {name: asdict(option) for name, option in host.options.items()}
    return _without(_plain(host, cluster_key="cluster_id"), "options") | {"options": options}


def _plain(thing: Any, **renamed: str) -> Row:
    """The fields of a flat dataclass (with slots) as a row, some under the column's name. Labels have rows of their own."""
    names = (name for name in thing.__slots__ if name != "labels")
    return {renamed.get(name, name): _value(getattr(thing, name)) for name in names}


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _value(value: Any) -> Any:
    """As the driver takes it."""
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _value(item) for name, item in value.items()}
    return value
