"""Offline environments that are being made: announced, gone on with, failed and gone."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, insert, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from gavel.db.errors import NameTakenError, NotFoundError
from gavel.db.schema.offline_builds import offline_build, offline_build_file

_ONE = offline_build.c
_UPLOADS = "SELECT import_id FROM offline_build_file WHERE is_upload AND build_id = :id"
_DROP_FILES = text(f"DELETE FROM file_import WHERE id IN ({_UPLOADS})")
_DROP_PARTS = text(f"DELETE FROM import_chunk WHERE import_id IN ({_UPLOADS})")
_ABANDONED = text("""
    SELECT b.id FROM offline_build b WHERE b.error IS NULL AND b.created_at < :before AND EXISTS (
        SELECT FROM offline_build_file f JOIN file_import i ON i.id = f.import_id WHERE f.build_id = b.id AND i.state = 'uploading')
    AND NOT EXISTS (
        SELECT FROM offline_build_file f JOIN file_import i ON i.id = f.import_id WHERE f.build_id = b.id AND i.changed_at >= :before)
""")


def begin_build(
    connection: Connection, name: str, uploads: Sequence[int], imports: Sequence[int], now: datetime
) -> None:
    """uploads: of files that will come for it; imports: of captures that are imported. Raises NameTakenError."""
    row = upsert(offline_build).values(name=name, created_at=now).on_conflict_do_nothing().returning(_ONE.id)
    build_id = connection.scalar(row)
    if build_id is None:
        raise NameTakenError(f"An offline environment {name!r} is being made. Remove it, or choose another name.")
    files = [(each, True) for each in uploads] + [(each, False) for each in imports]
    connection.execute(
        insert(offline_build_file),
        [{"build_id": build_id, "import_id": each, "is_upload": own} for each, own in files],
    )


def begin_making(connection: Connection, build_id: int) -> int:
    """Returns how many processes have begun before, which all ended before it was made. Raises NotFoundError."""
    begun = update(offline_build).where(_ONE.id == build_id).values(makers_begun=_ONE.makers_begun + 1)
    count = connection.execute(begun.returning(_ONE.makers_begun)).scalar_one_or_none()
    if count is None:
        raise NotFoundError("The offline environment was removed before it was made.")
    return int(count) - 1


def put_off(connection: Connection, build_id: int) -> None:
    """As if nobody had begun to make it."""
    connection.execute(
        update(offline_build).where(_ONE.id == build_id).values(makers_begun=_ONE.makers_begun - 1, step=None)
    )


def note_step(connection: Connection, build_id: int, step: str) -> None:
    connection.execute(update(offline_build).where(_ONE.id == build_id).values(step=step))


def fail_build(connection: Connection, build_id: int, error: str) -> None:
    """It stays in the list with its error; the bytes of its files go."""
    connection.execute(update(offline_build).where(_ONE.id == build_id).values(error=error, step=None))
    connection.execute(_DROP_PARTS, {"id": build_id})


def drop_build(connection: Connection, build_id: int) -> None:
    """With the files that came for it; captures that are imported stay."""
    connection.execute(_DROP_PARTS, {"id": build_id})
    connection.execute(_DROP_FILES, {"id": build_id})
    connection.execute(delete(offline_build).where(_ONE.id == build_id))


def drop_abandoned_builds(connection: Connection, before: datetime) -> int:
    """Those whose files nobody went on to upload since. Returns how many."""
    gone = list(connection.scalars(_ABANDONED, {"before": before}))
    for build_id in gone:
        drop_build(connection, build_id)
    return len(gone)
