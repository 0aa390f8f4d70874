"""Runs of load tools as they were imported: those of one object, and single ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Column, RowMapping, Table, exists, func, select

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.schema.array_side import volume
from gavel.db.schema.host_side import datastore, vm, vm_disk
from gavel.db.schema.imports import file_import
from gavel.db.schema.load_runs import load_run, load_run_direction, load_run_series
from gavel.domain.load_runs import TIE_KINDS, LoadFigures, LoadSeries, LoadWarning, RunTie, TieKind


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """One run of `domain.load_runs`, its times by the clock of the hosts' samples. subject: the VM, datastore or volume that it is tied to.
    offset_s: by how much the tool's clock was ahead, where that was given. disk_id, disk: the virtual disk of the VM that it is tied to,
    and its label while it is in the inventory; both None: the whole subject. has_series: its tool logged its latency over time. figures:
    the directions that had I/O, `all` last."""

    id: int
    import_id: int
    subject: EntityRef
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
_TIE_TABLES: Final[Mapping[TieKind, Table]] = {"vm": vm, "datastore": datastore, "volume": volume}
_TIE_IDS: Final[Mapping[TieKind, Column[int]]] = {
    "vm": _ONE.vm_id,
    "datastore": _ONE.datastore_id,
    "volume": _ONE.volume_id,
}
_DISK_ID = file_import.c.options["disk_id"].as_integer()
_STORED = select(
    load_run,
    file_import.c.file_name,
    file_import.c.offset_s,
    file_import.c.created_at.label("imported_at"),
    _DISK_ID.label("disk_id"),
    select(vm_disk.c.label).where(vm_disk.c.id == _DISK_ID).scalar_subquery().label("disk"),
    *(
        select(table.c.name).where(table.c.id == _TIE_IDS[kind]).scalar_subquery().label(f"{kind}_name")
        for kind, table in _TIE_TABLES.items()
    ),
    exists().where(load_run_series.c.run_id == _ONE.id).label("has_series"),
).select_from(load_run.join(file_import, file_import.c.id == _ONE.import_id))
_ORDER = ("read", "write", "all")
_PHASES = ("lat", "clat", "slat")
# Columns of the row that the record has in another shape, or not at all.
_OTHER = {"warnings", "position", *(f"{kind}_{part}" for kind in TIE_KINDS for part in ("id", "name"))}


def runs_tied_to(connection: Connection, tie: RunTie, limit: int, offset: int) -> tuple[list[StoredRun], int]:
    """The newest first, those without a time last; and how many there are."""
    own = _TIE_IDS[tie.kind] == tie.id
    ordered = _STORED.where(own).order_by(_ONE.starts_at.desc().nulls_last(), _ONE.id.desc())
    total = connection.execute(select(func.count()).where(own).select_from(load_run)).scalar_one()
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
    (kind,) = (kind for kind in TIE_KINDS if row[f"{kind}_id"] is not None)
    subject = EntityRef(RefKind(kind), row[f"{kind}_id"], row[f"{kind}_name"])
    return StoredRun(**values, subject=subject, warnings=warnings, figures=figures)


def _figures(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[LoadFigures, ...]]:
    of = load_run_direction.c
    found: dict[int, list[LoadFigures]] = {one: [] for one in ids}
    for row in connection.execute(select(load_run_direction).where(of.run_id.in_(ids))).mappings():
        found[row["run_id"]].append(LoadFigures(**{name: value for name, value in row.items() if name != "run_id"}))
    return {one: tuple(sorted(each, key=lambda row: _ORDER.index(row.direction))) for one, each in found.items()}
