"""Runs of load tools as they were imported: those of a VM, and single ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import RowMapping, exists, func, select

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.schema.host_side import vm, vm_disk
from gavel.db.schema.imports import file_import
from gavel.db.schema.load_runs import load_run, load_run_direction, load_run_series
from gavel.domain.load_runs import LoadFigures, LoadSeries, LoadWarning


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One run of `domain.load_runs`, its times by the clock of the hosts' samples. offset_s: by how much the tool's clock was ahead, where
    that was given. disk_id, disk: the virtual disk that it is tied to, and its label while it is in the inventory; both None: the whole
    VM. has_series: its tool logged its latency over time. figures: the directions that had I/O, `all` last."""

    id: int
    import_id: int
    vm_id: int
    disk_id: int | None
    disk: str | None
    file_name: str
    imported_at: datetime
    name: str
    tool: str
    tool_version: str
    starts_at: datetime | None
    ends_at: datetime | None
    offset_s: float | None
    outstanding_limit: int | None
    block_size: str | None
    is_direct: bool | None
    has_series: bool
    warnings: tuple[LoadWarning, ...]
    figures: tuple[LoadFigures, ...]


_ONE = load_run.c
_DISK_ID = file_import.c.options["disk_id"].as_integer()
_STORED = select(
    load_run,
    file_import.c.file_name,
    file_import.c.offset_s,
    file_import.c.created_at.label("imported_at"),
    _DISK_ID.label("disk_id"),
    select(vm_disk.c.label).where(vm_disk.c.id == _DISK_ID).scalar_subquery().label("disk"),
    exists().where(load_run_series.c.run_id == _ONE.id).label("has_series"),
).select_from(load_run.join(file_import, file_import.c.id == _ONE.import_id))
_ORDER = ("read", "write", "all")
_PHASES = ("lat", "clat", "slat")
# Columns of the row that the record has in another shape, or not at all.
_OTHER = ("warnings", "position")


def runs_of_vm(connection: Connection, vm_id: int, limit: int, offset: int) -> tuple[list[StoredRun], int]:
    """The newest first, those without a time last; and how many there are."""
    ordered = _STORED.where(_ONE.vm_id == vm_id).order_by(_ONE.starts_at.desc().nulls_last(), _ONE.id.desc())
    total = connection.execute(select(func.count()).where(_ONE.vm_id == vm_id).select_from(load_run)).scalar_one()
    rows = connection.execute(ordered.limit(limit).offset(offset)).mappings().all()
    figures = _figures(connection, [row["id"] for row in rows])
    return [_stored(row, figures[row["id"]]) for row in rows], total


def load_stored_run(connection: Connection, run_id: int) -> StoredRun:
    """Raises NotFoundError."""
    row = connection.execute(_STORED.where(_ONE.id == run_id)).mappings().one_or_none()
    if row is None:
        raise NotFoundError(f"There is no test run {run_id}.")
    return _stored(row, _figures(connection, [run_id])[run_id])


def load_run_latency(connection: Connection, run_id: int) -> list[LoadSeries]:
    """Over time, as its tool logged it: by phase, reads first; empty where it did not."""
    of = load_run_series.c
    rows = connection.execute(select(load_run_series).where(of.run_id == run_id)).mappings()
    found = [LoadSeries(**{name: value for name, value in row.items() if name != "run_id"}) for row in rows]
    return sorted(found, key=lambda each: (_PHASES.index(each.phase), _ORDER.index(each.direction)))


def _stored(row: RowMapping, figures: tuple[LoadFigures, ...]) -> StoredRun:
    values = {name: value for name, value in row.items() if name not in _OTHER}
    warnings = tuple(LoadWarning(**each) for each in row["warnings"])
    return StoredRun(**values, warnings=warnings, figures=figures)


def _figures(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[LoadFigures, ...]]:
    of = load_run_direction.c
    found: dict[int, list[LoadFigures]] = {one: [] for one in ids}
    for row in connection.execute(select(load_run_direction).where(of.run_id.in_(ids))).mappings():
        found[row["run_id"]].append(LoadFigures(**{name: value for name, value in row.items() if name != "run_id"}))
    return {one: tuple(sorted(each, key=lambda row: _ORDER.index(row.direction))) for one, each in found.items()}


def vm_id_by_name(connection: Connection, name: str) -> int:
    """Of the only VM in the inventory that is called so. Raises NotFoundError."""
    called = func.lower(vm.c.name) == name.lower()
    found = connection.scalars(select(vm.c.id).where(vm.c.present, called)).all()
    if len(found) != 1:
        raise NotFoundError(f"{len(found) or 'No'} VMs are called {name!r}.")
    return int(found[0])


def disks_of_vm(connection: Connection, vm_id: int) -> dict[str, int]:
    """Virtual disks in the inventory, by label."""
    disk = vm_disk.c
    query = select(disk.label, disk.id).where(disk.vm_id == vm_id, disk.present).order_by(disk.label)
    return {row.label: row.id for row in connection.execute(query)}


def disk_id_by_name(connection: Connection, vm_id: int, name: str) -> int:
    """Of the virtual disk with that label. Raises NotFoundError, which names those that there are."""
    disks = disks_of_vm(connection, vm_id)
    matched = [disk_id for label, disk_id in disks.items() if label.lower() == name.lower()]
    if len(matched) != 1:
        raise NotFoundError(f"The VM has no virtual disk {name!r}. Its disks: {', '.join(disks) or 'none'}.")
    return matched[0]
