"""What the result of a load tool is tied to: one object of the inventory, checked when it is chosen and when its runs are stored."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from gavel.db.engine import Connection
from gavel.db.queries.refs import RefKind, refs, require
from gavel.db.queries.run_ties import NamedVm, disks_of_vm, vms_called
from gavel.domain.errors import SettingsError
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import ImportedRuns, LeftOutFile, LoadRun, LoadWarning, PlacedRun, RunTie, TieKind

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


def placed_runs(
    connection: Connection, held: ImportedRuns, tie: RunTie, offset_s: float | None
) -> tuple[list[PlacedRun], list[LeftOutFile]]:
    """Each run with what it is of: the VM that its file names, or the tie of the import; and the files that became no run, with those whose
    VM is not found. Raises SettingsError where the VMs of a bundle have no datastore in common."""
    names = {run.vm_name for run in held.runs if run.vm_name is not None}
    if names and tie.kind != "datastore":
        raise SettingsError(
            f"The file has results of {len(names)} VMs. Import it with the datastore that they ran on; of a single VM, its own file."
        )
    vms = vms_called(connection, names, tie.id) if names else {}
    placed, left_out, elsewhere = list[PlacedRun](), dict[str, LeftOutFile](), set[str]()
    for run in held.runs:
        if run.vm_name is None:
            placed.append(PlacedRun(run, tie))
            continue
        found = _at_the_time(vms.get(run.vm_name.lower(), ()), run, timedelta(seconds=offset_s or 0.0))
        if len(found) == 1:
            placed.append(PlacedRun(run, RunTie("vm", found[0].id)))
            if not found[0].is_on_datastore:
                elsewhere.add(run.vm_name)
        else:
            left_out[run.vm_name] = LeftOutFile(run.vm_name, _why_none(len(found)))
    return _with_elsewhere(placed, elsewhere), [*left_out.values(), *held.left_out]


def _at_the_time(vms: Sequence[NamedVm], run: LoadRun, ahead: timedelta) -> Sequence[NamedVm]:
    """Those that were there when the run was, as names come back with every test; without any of them, or without a time, all. Of several
    those on the datastore."""
    then = vms
    if run.starts_at is not None and run.ends_at is not None:
        starts_at, ends_at = run.starts_at - ahead, run.ends_at - ahead
        there = [
            each
            for each in vms
            if each.first_seen_at <= ends_at and (each.is_present or each.last_seen_at >= starts_at)
        ]
        then = there or vms
    return [each for each in then if each.is_on_datastore] or then if len(then) > 1 else then


def _why_none(count: int) -> str:
    if count == 0:
        return "No VM of this name is in the inventory. Its I/Os are in the run of the datastore alone."
    return f"{count} VMs have this name. Its I/Os are in the run of the datastore alone; import its file on the page of the VM."


def _with_elsewhere(placed: Sequence[PlacedRun], elsewhere: Collection[str]) -> list[PlacedRun]:
    """The runs of the datastore say which VMs are not on it."""
    if not elsewhere:
        return list(placed)
    first = ", ".join(sorted(elsewhere)[:5])
    text = f"Without a virtual disk on this datastore: {len(elsewhere)} of the VMs ({first}). The tool has their I/Os, the layers do not."
    warning = LoadWarning("other_datastore", text)
    return [
        PlacedRun(replace(each.run, warnings=(*each.run.warnings, warning)), each.tie)
        if each.run.vm_name is None
        else each
        for each in placed
    ]


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
