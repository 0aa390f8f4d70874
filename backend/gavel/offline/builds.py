"""Environments from files that are uploaded, and from captures that are imported: announced, made by a worker, given up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from gavel.collectors.arrays.flasharray.export import MOST_BYTES as MOST_EXPORT_BYTES
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.errors import NameTakenError, NotFoundError, UnavailableError
from gavel.db.locks import only_one
from gavel.db.queries.imports import load_import
from gavel.db.queries.offline_builds import (
    BuildFile,
    BuildState,
    OfflineBuild,
    list_builds,
    load_build,
    load_capture,
)
from gavel.db.write.imports import begin_import
from gavel.db.write.offline_builds import begin_build, begin_making, drop_build, fail_build, note_step, put_off
from gavel.domain.errors import GavelError, SettingsError
from gavel.domain.imports import MOST_BYTES, ImportOptions, ImportState
from gavel.ingest.imports import MOST_ENDED_READERS, open_upload
from gavel.ingest.worker import WorkerContext
from gavel.offline.environments import AtWorkError, add_environment, list_environments
from gavel.offline.fill import CaptureFile
from gavel.offline.names import FileKind, require_name
from gavel.offline.reading import read_array, read_capture, require_distinct

log = structlog.get_logger(__name__)

# Of all captures of one environment, which are in memory together: 400 MB.
MOST_NUMBERS = 50_000_000
# How the import of an upload is called that is no capture.
ARRAY_FORMAT = "array"


@dataclass(frozen=True, slots=True)
class AnnouncedFile:
    kind: FileKind
    file_name: str
    size_bytes: int


def announce_build(
    engine: Engine,
    name: str,
    files: Sequence[AnnouncedFile],
    import_ids: Sequence[int],
    options: ImportOptions,
    now: datetime,
) -> OfflineBuild:
    """An environment of files that will come in parts, and of captures that are imported. One with the same files that is being uploaded
    is gone on with. Raises SettingsError, NameTakenError, and NotFoundError for an import."""
    require_name(name)
    _require_usable(files, import_ids)
    if any(each.name == name for each in list_environments(engine, with_sizes=False)):
        raise NameTakenError(f"There is an offline environment {name!r}. Remove it, or choose another name.")
    with transaction(engine) as connection:
        begun = next((each for each in list_builds(connection) if each.name == name), None)
        if begun is not None and begun.state is BuildState.UPLOADING and _is_of(begun, files, import_ids):
            return begun
        for import_id in import_ids:
            _require_capture(connection, import_id)
        uploads = [
            begin_import(
                connection,
                "esxtop" if each.kind == "esxtop" else ARRAY_FORMAT,
                each.file_name,
                each.size_bytes,
                options,
                ImportState.UPLOADING,
                now,
            )
            for each in files
        ]
        begin_build(connection, name, uploads, import_ids, now)
        return load_build(connection, name)


def _require_usable(files: Sequence[AnnouncedFile], import_ids: Sequence[int]) -> None:
    if not import_ids and not any(each.kind == "esxtop" for each in files):
        raise SettingsError("An offline environment needs an esxtop capture at least.")
    for each in files:
        most = MOST_BYTES if each.kind == "esxtop" else MOST_EXPORT_BYTES
        if not 0 < each.size_bytes <= most:
            raise SettingsError(
                f"{each.file_name}: {each.size_bytes} bytes; such a file has 1 byte to {most // 2**20} MiB."
            )
    names = [each.file_name for each in files]
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(f"{name}: two files have this name. Rename one.")


def _require_capture(connection: Connection, import_id: int) -> None:
    imported = load_import(connection, import_id)
    if imported.format != "esxtop" or imported.state is not ImportState.READY:
        raise SettingsError(f"{imported.file_name}: is no esxtop capture that was read.")


def _is_of(build: OfflineBuild, files: Sequence[AnnouncedFile], import_ids: Sequence[int]) -> bool:
    uploads = {(each.file.file_name, each.file.size_bytes) for each in build.files if each.is_upload}
    imports = {each.file.id for each in build.files if not each.is_upload}
    return uploads == {(each.file_name, each.size_bytes) for each in files} and imports == set(import_ids)


def remove_build(engine: Engine, name: str) -> None:
    """Give up an environment that is uploaded, waits, or failed. One that is being made is made nevertheless. Raises NotFoundError."""
    with transaction(engine) as connection:
        drop_build(connection, load_build(connection, name).id)


def make_environments(context: WorkerContext) -> None:
    """Those whose files have come, one after another."""
    with only_one(context.engine, "make offline environments") as held:
        if not held:
            return
        with reading(context.engine) as connection:
            builds = list_builds(connection)
        for build in builds:
            if build.state in (BuildState.WAITING, BuildState.MAKING) and not context.stopping():
                _make(context, build)


def _make(context: WorkerContext, build: OfflineBuild) -> None:
    engine = context.engine
    with transaction(engine) as connection:
        ended = begin_making(connection, build.id)
    try:
        if not (ended and _is_made(engine, build)):
            _make_from_files(context, build, ended)
    except AtWorkError:
        with transaction(engine) as connection:
            put_off(connection, build.id)
        return
    except (UnavailableError, NotFoundError):
        raise
    except GavelError as error:
        with transaction(engine) as connection:
            fail_build(connection, build.id, str(error))
        log.info("offline environment refused", name=build.name, reason=str(error))
        return
    with transaction(engine) as connection:
        drop_build(connection, build.id)


def _is_made(engine: Engine, build: OfflineBuild) -> bool:
    """By a process that ended before it could say so."""
    made = next((each for each in list_environments(engine, with_sizes=False) if each.name == build.name), None)
    names = {each.file.file_name for each in build.files}
    return made is not None and {each.file_name for each in made.contents.files} == names


def _make_from_files(context: WorkerContext, build: OfflineBuild, ended: int) -> None:
    if ended >= MOST_ENDED_READERS:
        raise SettingsError(
            f"{ended} worker processes ended while making it, possibly out of memory or of time. Check the worker's log, and make it of"
            " fewer or shorter captures."
        )
    if not build.files:
        raise SettingsError("Its files were removed.")
    engine = context.engine

    def note(step: str) -> None:
        with transaction(engine) as connection:
            note_step(connection, build.id, step)

    captures = _captures(engine, [each for each in build.files if each.file.format != ARRAY_FORMAT])
    arrays = require_distinct([
        read_array(open_upload(engine, each.file), each.file.file_name)
        for each in build.files
        if each.file.format == ARRAY_FORMAT
    ])  # fmt: skip
    note("Files are read.")
    vault = context.connections.vault
    add_environment(engine, vault, build.name, captures, context.now(), arrays=arrays, say=note)


def _captures(engine: Engine, files: Sequence[BuildFile]) -> list[CaptureFile]:
    found: list[CaptureFile] = []
    numbers = 0
    for each in files:
        file = each.file
        if each.is_upload:
            capture = read_capture(open_upload(engine, file), file.file_name, file.options)
        else:
            with reading(engine) as connection:
                capture = load_capture(connection, file.id)
        numbers += sum(len(column) for one in capture.objects for column in one.columns.values())
        if numbers > MOST_NUMBERS:
            raise SettingsError(
                f"{file.file_name}: the captures hold more than {MOST_NUMBERS // 1_000_000} million numbers together. Make an environment"
                " of fewer hosts, or of a shorter time."
            )
        found.append(CaptureFile(file.file_name, file.size_bytes, capture))
    return found
