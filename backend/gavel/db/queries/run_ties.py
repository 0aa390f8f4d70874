"""What runs of load tools are tied to, found by the names that people or files call it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlalchemy import exists, func, select

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.schema.array_side import storage_array, volume
from gavel.db.schema.bookkeeping import source
from gavel.db.schema.host_side import datastore, vm, vm_disk
from gavel.domain.naming import volume_serial

_One = TypeVar("_One")


def vm_id_by_name(connection: Connection, name: str) -> int:
    """Of the only VM in the inventory that is called so. Raises NotFoundError."""
    called = func.lower(vm.c.name) == name.lower()
    found = connection.scalars(select(vm.c.id).where(vm.c.present, called)).all()
    return int(_only(found, f"No VMs are called {name!r}.", f"{len(found)} VMs are called {name!r}."))


@dataclass(frozen=True, slots=True)
class NamedVm:
    """A VM that is, or was, in the inventory. is_on_datastore: of the one that was asked about, as far as its disks are or were there."""

    id: int
    is_present: bool
    first_seen_at: datetime
    last_seen_at: datetime
    is_on_datastore: bool


def vms_called(connection: Connection, names: Collection[str], datastore_id: int) -> Mapping[str, list[NamedVm]]:
    """By name in lower case, also those that are gone: tests remove their VMs."""
    called = func.lower(vm.c.name)
    on_datastore = exists().where(vm_disk.c.vm_id == vm.c.id, vm_disk.c.datastore_id == datastore_id)
    query = select(called, vm.c.id, vm.c.present, vm.c.first_seen_at, vm.c.last_seen_at, on_datastore).where(
        called.in_({name.lower() for name in names})
    )
    found: dict[str, list[NamedVm]] = {}
    for name, *rest in connection.execute(query.order_by(vm.c.id)):
        found.setdefault(name, []).append(NamedVm(*rest))
    return found


def disks_of_vm(connection: Connection, vm_id: int) -> dict[str, int]:
    """Virtual disks in the inventory, by label."""
    disk = vm_disk.c
    query = select(disk.label, disk.id).where(disk.vm_id == vm_id, disk.present).order_by(disk.label)
    return {row.label: row.id for row in connection.execute(query)}


def disk_id_by_name(connection: Connection, vm_id: int, name: str) -> int:
    """Of the virtual disk with that label. Raises NotFoundError, which names those that there are."""
    disks = disks_of_vm(connection, vm_id)
    matched = [disk_id for label, disk_id in disks.items() if label.lower() == name.lower()]
    listed = f"Its disks: {', '.join(disks) or 'none'}."
    return _only(
        matched,
        f"The VM has no virtual disk {name!r}. {listed}",
        f"{len(matched)} virtual disks of the VM are called {name!r}. {listed}",
    )


def datastore_id_by_name(connection: Connection, name: str) -> int:
    """Of the only datastore in the inventory that is called so. Raises NotFoundError, which names the vCenters of several."""
    query = (
        select(datastore.c.id, source.c.name)
        .join(source, source.c.id == datastore.c.source_id)
        .where(datastore.c.present, func.lower(datastore.c.name) == name.lower())
        .order_by(source.c.name)
    )
    found = connection.execute(query).all()
    several = _several("datastores", name, "vCenters", [row.name for row in found])
    return int(_only(found, f"No datastore is called {name!r}.", several).id)


def volume_id_by_name(connection: Connection, name: str) -> int:
    """Of the only volume in the inventory that is called so by its array, or whose device has this name (naa., eui.). Raises NotFoundError,
    which names the arrays of several."""
    serial = volume_serial(name)
    own = func.lower(volume.c.name) == name.lower() if serial is None else volume.c.serial == serial
    query = (
        select(volume.c.id, func.coalesce(storage_array.c.name, source.c.name).label("array"))
        .join(source, source.c.id == volume.c.source_id)
        .outerjoin(storage_array, storage_array.c.source_id == volume.c.source_id)
        .where(volume.c.present, own)
        .order_by("array")
    )
    found = connection.execute(query).all()
    several = _several("volumes", name, "arrays", [row.array for row in found])
    return int(_only(found, f"No volume is called {name!r}, nor has a device of that name.", several).id)


def _several(things: str, name: str, owners: str, owned_by: Sequence[str]) -> str:
    return (
        f"{len(owned_by)} {things} are called {name!r} ({owners}: {', '.join(owned_by)})."
        " Import the file on the page of the one that is meant."
    )


def _only(rows: Sequence[_One], none: str, several: str) -> _One:
    """Raises NotFoundError, with what is said where there is none, or there are several."""
    if len(rows) == 1:
        return rows[0]
    raise NotFoundError(several if rows else none)
