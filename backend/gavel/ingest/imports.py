"""Imports: a file on this machine, or one that came in parts, is read as a stream and stored, whole or not at all."""

import io
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import structlog

from gavel.collectors.import_registry import FORMATS
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.errors import ConflictError, NotFoundError, UnavailableError
from gavel.db.locks import only_one, wait_for_lock
from gavel.db.queries.imports import (
    ChunkPlace,
    FileImport,
    chunk_places,
    count_uploads,
    is_being_read,
    load_chunk,
    load_head,
    load_import,
    load_state,
    waiting_imports,
)
from gavel.db.write.imports import (
    add_chunk,
    begin_import,
    begin_read,
    drop_chunks,
    note_read,
    note_state,
    put_back,
    save_capture,
)
from gavel.db.write.load_runs import save_runs
from gavel.domain.errors import GavelError, SettingsError
from gavel.domain.imports import (
    LONGEST_FILE_NAME,
    MOST_BYTES,
    MOST_CHUNK_BYTES,
    MOST_UPLOADS,
    ImportedCapture,
    ImportOptions,
    ImportState,
)
from gavel.domain.load_runs import ImportedRuns
from gavel.domain.text import clean_text
from gavel.embedded.room import has_upload_room
from gavel.ingest.reader import HEAD_BYTES, ReaderEndedError, ReaderLimits, UnwantedError, run_reader
from gavel.ingest.run_ties import placed_runs, required_tie, tie_still_there
from gavel.ingest.worker import WorkerContext

log = structlog.get_logger(__name__)
_NOTED_EVERY = 16 * 2**20
# A restart is no fault of the file; what ends its reader every time would hold back all imports behind it.
MOST_ENDED_READERS = 3
_BUDGET_S = 60.0


def import_formats() -> dict[str, str]:
    """Labels by name."""
    return {name: each.label for name, each in FORMATS.items()}


def import_file(
    engine: Engine, kind: str, stream: IO[bytes], file_name: str, options: ImportOptions, now: datetime
) -> int:
    """Read a file of this machine and store it. Returns the import's id. Raises GavelError, and then nothing is stored."""
    required_format(kind)
    with reading(engine) as connection:
        _require_tie(connection, kind, options)
    size_bytes = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    limits = ReaderLimits.for_file(size_bytes, stream.read(HEAD_BYTES))
    stream.seek(0)

    def read() -> int:
        engine.dispose(close=False)
        held = FORMATS[kind].read(stream, file_name, options)
        limits.require_output(held, file_name)
        with transaction(engine) as connection:
            name = clean_text(file_name)[:LONGEST_FILE_NAME]
            import_id = begin_import(connection, kind, name, size_bytes, options, ImportState.READING, now)
            _save(connection, import_id, held, options, now)
        return import_id

    return run_reader(read, clean_text(file_name), limits)


def _save(
    connection: Connection, import_id: int, held: ImportedCapture | ImportedRuns, options: ImportOptions, now: datetime
) -> None:
    if isinstance(held, ImportedCapture):
        save_capture(connection, import_id, held, now)
        return
    tie = tie_still_there(connection, options)
    placed, left_out = placed_runs(connection, held, tie, options.offset_s)
    save_runs(connection, import_id, placed, left_out, options.offset_s, now)


def _require_tie(connection: Connection, kind: str, options: ImportOptions) -> None:
    """A result of a load tool is of a VM, a datastore or a volume, a capture of none. Raises SettingsError, and NotFoundError for an object
    that is not there."""
    label = FORMATS[kind].label
    if FORMATS[kind].is_load_tool:
        required_tie(connection, label, options)
        return
    if options.ties or options.disk_id is not None:
        raise SettingsError(f"An {label} is of a host: leave VM, datastore and volume out.")
    if options.started_at is not None or options.offset_s is not None:
        raise SettingsError(f"An {label} has its times; its offset is given with its host.")


def required_format(kind: str) -> None:
    """Raises SettingsError for one that Gavel does not read."""
    if kind not in FORMATS:
        raise SettingsError(f"{kind!r} is no format that Gavel imports. There are: {', '.join(FORMATS)}.")


def require_upload_room(database_dir: Path | None) -> None:
    """Raise ConflictError if uploads would take the disk space that collecting needs. None: an external database, with an unknown disk."""
    if database_dir is not None and not has_upload_room(database_dir):
        raise ConflictError(
            "Uploads need 5 GiB of free space, or 10 % of a disk below 50 GiB, on the disk that holds Gavel's data."
            " Free disk space, then choose the file again: an upload that has begun continues."
        )


def reserve_upload(connection: Connection) -> None:
    """Let one transaction at a time announce an upload. Raise ConflictError if too many are incomplete."""
    wait_for_lock(connection, "announce upload")
    if count_uploads(connection) >= MOST_UPLOADS:
        raise ConflictError(
            f"{MOST_UPLOADS} uploads are incomplete, and no more are accepted at once. Complete or remove one under Sources, then"
            " try again. An upload without progress is removed after 1 hour."
        )


def begin_upload(
    engine: Engine, kind: str, file_name: str, size_bytes: int, options: ImportOptions, now: datetime
) -> int:
    """Announce a file that will come in parts. Returns the import's id. Raises SettingsError, NotFoundError for what it is tied to, and
    ConflictError as `reserve_upload` does."""
    required_format(kind)
    if not 0 < size_bytes <= MOST_BYTES:
        raise SettingsError(f"{file_name}: {size_bytes} bytes; an import has 1 byte to {MOST_BYTES // 2**30} GiB.")
    with transaction(engine) as connection:
        _require_tie(connection, kind, options)
        reserve_upload(connection)
        return begin_import(connection, kind, file_name, size_bytes, options, ImportState.UPLOADING, now)


def take_part(engine: Engine, import_id: int, position: int, data: bytes, now: datetime) -> int:
    """One part of an upload; the last one makes it wait for its reader. Returns the bytes that have come.

    A part that came before is accepted again, so that a sender who heard no answer may repeat it. Raises NotFoundError, and SettingsError
    for a part that leaves a hole, is too large, or goes beyond the file.
    """
    with transaction(engine) as connection:
        imported = load_import(connection, import_id)
        if imported.state is not ImportState.UPLOADING:
            if position + len(data) <= imported.size_bytes:
                return imported.size_bytes
            raise SettingsError(f"Import {import_id} is complete.")
        if len(data) > MOST_CHUNK_BYTES or position + len(data) > imported.size_bytes or not data:
            raise SettingsError(
                f"{imported.file_name}: a part has 1 to {MOST_CHUNK_BYTES} bytes and ends within the file."
            )
        if position > imported.received_bytes:
            raise SettingsError(
                f"{imported.file_name}: {imported.received_bytes} bytes have come; the part begins at {position}. Go on from there."
            )
        received = imported.received_bytes
        if position == received:
            add_chunk(connection, import_id, position, data, now)
            received += len(data)
        if received == imported.size_bytes:
            note_state(connection, import_id, ImportState.WAITING, now)
        return received


def read_uploads(context: WorkerContext) -> list[int]:
    """Read what has come, each file in a process of its own. Returns the captures that are ready: their hosts are found next.

    A file that takes long leaves the rest to the next tick, so that offline environments have their turn.
    """
    ready: list[int] = []
    began_s = time.monotonic()
    with only_one(context.engine, "read imports") as held:
        if not held:
            return ready
        with reading(context.engine) as connection:
            waiting = waiting_imports(connection)
        for import_id in waiting:
            if context.stopping() or time.monotonic() - began_s >= _BUDGET_S:
                break
            if _read_upload(context, import_id):
                ready.append(import_id)
    return ready


def _read_upload(context: WorkerContext, import_id: int) -> bool:
    """Whether there is a capture now."""
    engine = context.engine
    try:
        with transaction(engine) as connection:
            imported = load_import(connection, import_id)
            ended = begin_read(connection, import_id, context.now())
            limits = ReaderLimits.for_file(imported.size_bytes, load_head(connection, import_id, HEAD_BYTES))
    except NotFoundError:
        return False
    try:
        if ended >= MOST_ENDED_READERS:
            raise SettingsError(
                f"{imported.file_name}: {ended} processes ended while reading it, possibly out of memory."
                " Check the worker's log, split the capture and upload the parts."
            )
        work = partial(_read_and_save, engine, imported, limits, context.now)
        return run_reader(work, imported.file_name, limits, lambda: _is_wanted(context, import_id))
    except UnavailableError:
        raise
    except UnwantedError:
        return _end_unwanted(context, imported)
    except ReaderEndedError as error:
        log.warning("reader of an import ended", id=import_id, reason=str(error))
        return False
    except GavelError as error:
        with transaction(engine) as connection:
            note_state(connection, import_id, ImportState.FAILED, context.now(), str(error))
            drop_chunks(connection, import_id)
        log.info("import refused", id=import_id, reason=str(error))
        return False


def _is_wanted(context: WorkerContext, import_id: int) -> bool:
    """False once this worker stops or the import is removed. A database that is away is the reader's to report."""
    if context.stopping():
        return False
    try:
        with reading(context.engine) as connection:
            return is_being_read(connection, import_id)
    except UnavailableError:
        return True


def _end_unwanted(context: WorkerContext, imported: FileImport) -> bool:
    """After the end of its reader: whether that had stored a capture before. A stop of the worker is no fault of the file."""
    with transaction(context.engine) as connection:
        state = load_state(connection, imported.id)
        if state is ImportState.READING and context.stopping():
            put_back(connection, imported.id)
    return state is ImportState.READY and not FORMATS[imported.format].is_load_tool


def _read_and_save(engine: Engine, imported: FileImport, limits: ReaderLimits, clock: Callable[[], datetime]) -> bool:
    """In the reader. Whether there is a capture now."""
    engine.dispose(close=False)
    held = FORMATS[imported.format].read(open_upload(engine, imported), imported.file_name, imported.options)
    limits.require_output(held, imported.file_name)
    with transaction(engine) as connection:
        _save(connection, imported.id, held, imported.options, clock())
        drop_chunks(connection, imported.id)
    return isinstance(held, ImportedCapture)


def open_upload(engine: Engine, imported: FileImport) -> io.BufferedReader:
    """A file that has come, as one stream; how far it was read is noted. Raises SettingsError where a part of it is lost."""
    with reading(engine) as connection:
        places = chunk_places(connection, imported.id)
    if sum(place.size for place in places) != imported.size_bytes:
        raise SettingsError(f"{imported.file_name}: a part of the upload was lost with the database. Upload it again.")
    return io.BufferedReader(_Uploaded(engine, imported.id, places), MOST_CHUNK_BYTES)


class _Uploaded(io.RawIOBase):
    """The parts of an upload as one stream; notes how far it was read, so that a page can show it."""

    def __init__(self, engine: Engine, import_id: int, places: list[ChunkPlace]) -> None:
        self._engine = engine
        self._import_id = import_id
        self._places = places
        self._size = sum(place.size for place in places)
        self._at = 0
        self._noted = 0
        self._part: tuple[int, bytes] = (0, b"")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size:
            return 0
        start, data = self._part
        if not start <= self._at < start + len(data):
            start, data = self._part = self._load()
        found = data[self._at - start : self._at - start + len(buffer)]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)

    def _load(self) -> tuple[int, bytes]:
        place = next(each for each in self._places if each.position <= self._at < each.position + each.size)
        with transaction(self._engine) as connection:
            if self._at - self._noted >= _NOTED_EVERY:
                self._noted = self._at
                note_read(connection, self._import_id, self._at)
            return place.position, load_chunk(connection, self._import_id, place.position)
