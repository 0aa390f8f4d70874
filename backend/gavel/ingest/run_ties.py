"""What the result of a load tool is tied to: one object of the inventory, checked when it is chosen and when its runs are stored."""

from typing import Final

from gavel.db.engine import Connection
from gavel.db.queries.refs import RefKind, refs, require
from gavel.db.queries.run_ties import disks_of_vm
from gavel.domain.errors import SettingsError
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import RunTie, TieKind

_GONE: Final[dict[TieKind, str]] = {"vm": "VM that the test ran in", "datastore": "datastore", "volume": "volume"}


def required_tie(connection: Connection, label: str, options: ImportOptions) -> RunTie:
    """The object that was chosen. label: of the format. Raises SettingsError for none, or several, and NotFoundError where it
    is not there."""
    if not options.ties:
        raise SettingsError(f"{label}: name the VM that the tool ran in, or the datastore or volume that it ran on.")
    if len(options.ties) > 1:
        raise SettingsError(
            f"{label}: name one of VM, datastore and volume; a test run stands beside the layers of one."
        )
    (tie,) = options.ties
    require(connection, RefKind(tie.kind), tie.id)
    _require_disk(connection, tie, options.disk_id)
    return tie


def tie_still_there(connection: Connection, options: ImportOptions) -> RunTie:
    """The same once the file is read. Raises SettingsError where it has gone meanwhile."""
    (tie,) = options.ties
    if not refs(connection, RefKind(tie.kind), [tie.id]):
        raise SettingsError(f"The {_GONE[tie.kind]} is no longer in the inventory: choose another.")
    _require_disk(connection, tie, options.disk_id)
    return tie


def _require_disk(connection: Connection, tie: RunTie, disk_id: int | None) -> None:
    """Raises SettingsError for a virtual disk that is not the VM's."""
    if disk_id is None:
        return
    if tie.kind != "vm":
        raise SettingsError(f"A virtual disk is chosen of a VM, not of a {tie.kind}: leave it out.")
    disks = disks_of_vm(connection, tie.id)
    if disk_id not in disks.values():
        named = ", ".join(f"{label} ({of_vm})" for label, of_vm in disks.items()) or "none"
        raise SettingsError(f"VM {tie.id} has no virtual disk {disk_id}. Its disks: {named}.")
