"""Imports: their rows, the parts of an upload, and what a capture holds."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Connection, delete, insert, select, text, update

from gavel.db.errors import NotFoundError
from gavel.db.schema.imports import captured_hour, captured_object, file_import, import_chunk
from gavel.db.schema.offline_builds import offline_build_file
from gavel.domain.imports import CapturedObject, ImportedCapture, ImportOptions, ImportState, OffsetOrigin

_HOUR_US = 3_600_000_000


def begin_import(
    connection: Connection,
    kind: str,
    file_name: str,
    size_bytes: int,
    options: ImportOptions,
    state: ImportState,
    now: datetime,
) -> int:
    values = {
        "format": kind,
        "file_name": file_name,
        "size_bytes": size_bytes,
        "state": state,
        "options": options.as_json(),
    }
    row = insert(file_import).values(**values, created_at=now, changed_at=now).returning(file_import.c.id)
    return int(connection.execute(row).scalar_one())


def add_chunk(connection: Connection, import_id: int, position: int, data: bytes, now: datetime) -> None:
    """A part that came already is left as it is."""
    connection.execute(
        text(
            "INSERT INTO import_chunk (import_id, position, data) VALUES (:import_id, :position, :data)"
            " ON CONFLICT (import_id, position) DO NOTHING"
        ),
        {"import_id": import_id, "position": position, "data": data},
    )
    connection.execute(update(file_import).where(file_import.c.id == import_id).values(changed_at=now))


def note_state(
    connection: Connection, import_id: int, state: ImportState, now: datetime, error: str | None = None
) -> None:
    one = file_import.c
    connection.execute(update(file_import).where(one.id == import_id).values(state=state, error=error, changed_at=now))


def begin_read(connection: Connection, import_id: int, now: datetime) -> int:
    """Returns how many readers have begun before, which all ended before they were through."""
    one = file_import.c
    begun = update(file_import).where(one.id == import_id)
    changed = begun.values(state=ImportState.READING, changed_at=now, reads_begun=one.reads_begun + 1)
    return int(connection.execute(changed.returning(one.reads_begun)).scalar_one()) - 1


def put_back(connection: Connection, import_id: int) -> None:
    """As if no reader had begun: its worker stopped."""
    one = file_import.c
    begun = update(file_import).where(one.id == import_id, one.reads_begun > 0)
    connection.execute(begun.values(state=ImportState.WAITING, reads_begun=one.reads_begun - 1, read_bytes=0))


def note_read(connection: Connection, import_id: int, read_bytes: int) -> None:
    connection.execute(update(file_import).where(file_import.c.id == import_id).values(read_bytes=read_bytes))


def drop_chunks(connection: Connection, import_id: int) -> None:
    connection.execute(delete(import_chunk).where(import_chunk.c.import_id == import_id))


def drop_abandoned(connection: Connection, before: datetime) -> int:
    """Imports that nobody went on to upload since. Returns how many."""
    one = file_import.c
    of_builds = select(offline_build_file.c.import_id).where(offline_build_file.c.is_upload)
    gone = delete(file_import).where(
        one.state == ImportState.UPLOADING, one.changed_at < before, one.id.not_in(of_builds)
    )
    count = connection.execute(gone).rowcount
    connection.execute(text("DELETE FROM import_chunk WHERE import_id NOT IN (SELECT id FROM file_import)"))
    return count


def mark_ready(connection: Connection, import_id: int, now: datetime, **held: object) -> None:
    """The whole file is read. held: columns of the import that say what it held."""
    ready = {"state": ImportState.READY, "error": None, "changed_at": now, "read_bytes": file_import.c.size_bytes}
    connection.execute(update(file_import).where(file_import.c.id == import_id).values(**ready, **held))


def save_capture(connection: Connection, import_id: int, capture: ImportedCapture, now: datetime) -> None:
    """What the file holds; which host and clock it is of is found out after that."""
    mark_ready(
        connection,
        import_id,
        now,
        host_name=capture.host_name,
        starts_at=capture.starts_at,
        ends_at=capture.ends_at,
        half_us=capture.half_us,
        report=dict(capture.report),
    )
    rows = [
        {
            "import_id": import_id,
            "position": position,
            **{name: getattr(each, name) for name in ("kind", "name", "parent", "part", "vm_name")},
        }
        for position, each in enumerate(capture.objects)
    ]
    if rows:
        connection.execute(insert(captured_object), rows)
    hours = capture.ended_us // _HOUR_US
    for position, each in enumerate(capture.objects):
        connection.execute(insert(captured_hour), list(_hours(import_id, position, each, capture, hours)))


def _hours(
    import_id: int, position: int, each: CapturedObject, capture: ImportedCapture, hours: np.ndarray
) -> Iterator[dict[str, Any]]:
    names = sorted(each.columns)
    for hour in np.unique(hours).tolist():
        rows = hours == hour
        yield {
            "import_id": import_id,
            "position": position,
            "hour_at": hour,
            "ended_us": capture.ended_us[rows].tolist(),
            "length_us": capture.length_us[rows].tolist(),
            "counters": names,
            "numbers": [each.columns[name][rows].tolist() for name in names],
        }


def tie_capture(
    connection: Connection,
    import_id: int,
    *,
    host_id: int | None,
    offset_s: float | None,
    offset_error_s: float | None,
    offset_by: OffsetOrigin | None,
    correlation: float | None,
    narrows: bool,
    note: str | None,
) -> None:
    """Which host and clock it is of, and whether it has a say in the ledger."""
    connection.execute(
        update(file_import)
        .where(file_import.c.id == import_id)
        .values(
            host_id=host_id,
            offset_s=offset_s,
            offset_error_s=offset_error_s,
            offset_by=offset_by,
            correlation=correlation,
            narrows=narrows,
            note=note,
        )
    )
    connection.execute(
        text(
            "UPDATE captured_object o SET device_id = (SELECT d.id FROM host_device d WHERE d.host_id = :host"
            " AND d.canonical_name = o.name ORDER BY d.present DESC, d.id DESC LIMIT 1)"
            " WHERE o.import_id = :import_id AND o.kind = 'device'"
        ),
        {"host": host_id, "import_id": import_id},
    )


def remove_import(connection: Connection, import_id: int) -> None:
    """With everything of it. Raises NotFoundError."""
    if connection.execute(delete(file_import).where(file_import.c.id == import_id)).rowcount == 0:
        raise NotFoundError(f"There is no import {import_id}.")
    drop_chunks(connection, import_id)
