"""Offline environments that are being made, and the files that each is made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import numpy as np
from sqlalchemy import RowMapping, select, text

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.imports import FileImport, load_import
from gavel.db.schema.offline_builds import offline_build, offline_build_file
from gavel.domain.imports import CapturedObject, Float64Array, ImportedCapture, ImportState


class BuildState(StrEnum):
    UPLOADING = "uploading"  # parts of its files have come
    WAITING = "waiting"  # all of them have come
    MAKING = "making"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class BuildFile:
    """is_upload: it came for this build alone; else it is a capture that is imported."""

    file: FileImport
    is_upload: bool


@dataclass(frozen=True, slots=True)
class OfflineBuild:
    """An environment on its way. step: how far it is; error: why it cannot be made. makers_begun: processes that have begun to make it."""

    id: int
    name: str
    created_at: datetime
    step: str | None
    error: str | None
    makers_begun: int
    files: tuple[BuildFile, ...]

    @property
    def state(self) -> BuildState:
        if self.error is not None:
            return BuildState.FAILED
        if self.makers_begun:
            return BuildState.MAKING
        is_coming = any(each.file.state is ImportState.UPLOADING for each in self.files)
        return BuildState.UPLOADING if is_coming else BuildState.WAITING


_ONE = offline_build.c
_BUILDS = select(offline_build).order_by(_ONE.id)
_FILE = offline_build_file.c


def list_builds(connection: Connection) -> list[OfflineBuild]:
    """Oldest first."""
    return [_build(connection, row) for row in connection.execute(_BUILDS).mappings().all()]


def load_build(connection: Connection, name: str) -> OfflineBuild:
    """Raises NotFoundError."""
    row = connection.execute(_BUILDS.where(_ONE.name == name)).mappings().one_or_none()
    if row is None:
        raise NotFoundError(f"No offline environment {name!r} is being made.")
    return _build(connection, row)


def is_build_there(connection: Connection, build_id: int) -> bool:
    return connection.scalar(select(_ONE.id).where(_ONE.id == build_id)) is not None


def build_of_upload(connection: Connection, import_id: int) -> str | None:
    """The name of the environment that a file was uploaded for; None for an import."""
    query = select(_ONE.name).join_from(offline_build, offline_build_file).where(_FILE.import_id == import_id)
    name: str | None = connection.scalar(query.where(_FILE.is_upload))
    return name


def _build(connection: Connection, row: RowMapping) -> OfflineBuild:
    files = connection.execute(
        select(_FILE.import_id, _FILE.is_upload).where(_FILE.build_id == row["id"]).order_by(_FILE.import_id)
    )
    return OfflineBuild(**row, files=tuple(BuildFile(load_import(connection, id_), own) for id_, own in files.all()))


_OBJECTS = text(
    "SELECT position, kind, name, parent, part, vm_name FROM captured_object WHERE import_id = :id ORDER BY position"
)
_HOURS = text(
    "SELECT ended_us, length_us, counters, numbers FROM captured_hour WHERE import_id = :id AND position = :position"
    " ORDER BY hour_at"
)
_KEPT = text("SELECT host_name, starts_at, ends_at, half_us, report FROM file_import WHERE id = :id")


def load_capture(connection: Connection, import_id: int) -> ImportedCapture:
    """An imported capture as its reader gave it; its numbers have the seven digits that they are kept with. Raises NotFoundError."""
    kept = connection.execute(_KEPT, {"id": import_id}).one_or_none()
    if kept is None or kept.report is None:
        raise NotFoundError(f"There is no import {import_id} of a capture.")
    ended_us = length_us = np.zeros(0, dtype=np.int64)
    objects = []
    for each in connection.execute(_OBJECTS, {"id": import_id}).all():
        hours = connection.execute(_HOURS, {"id": import_id, "position": each.position}).mappings().all()
        ended_us, length_us = (_together(hours, name) for name in ("ended_us", "length_us"))
        names = (each.kind, each.name, each.parent, each.part, each.vm_name)
        objects.append(CapturedObject(*names, columns=_columns(hours)))
    return ImportedCapture(
        host_name=kept.host_name,
        starts_at=kept.starts_at.astimezone(UTC),
        ends_at=kept.ends_at.astimezone(UTC),
        ended_us=ended_us,
        length_us=length_us,
        half_us=kept.half_us,
        is_consistent=bool(kept.report.get("consistent", False)),
        objects=objects,
        report=kept.report,
    )


def _together(hours: Sequence[RowMapping], name: str) -> np.ndarray:
    return np.concatenate([np.array(hour[name], dtype=np.int64) for hour in hours])


def _columns(hours: Sequence[RowMapping]) -> dict[str, Float64Array]:
    """All hours of an object have the same counters."""
    names = hours[0]["counters"]
    numbers = np.concatenate([np.array(hour["numbers"], dtype=np.float64) for hour in hours], axis=1)
    return dict(zip(names, numbers, strict=True))
