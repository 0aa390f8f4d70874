"""Environments from files that are uploaded, and from captures that are imported: announced, made by a worker, given up."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from gavel.collectors.arrays.flasharray.export import MOST_BYTES as MOST_EXPORT_BYTES
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.errors import NameTakenError, NotFoundError, UnavailableError
from gavel.db.locks import only_one
from gavel.db.queries.imports import load_head, load_import
from gavel.db.queries.offline_builds import (
    BuildFile,
    BuildState,
    OfflineBuild,
    is_build_there,
    list_builds,
    load_build,
    load_capture,
)
from gavel.db.write.imports import begin_import
from gavel.db.write.offline_builds import begin_build, begin_making, drop_build, fail_build, note_step, put_off
from gavel.domain.errors import GavelError, SettingsError
from gavel.domain.imports import MOST_BYTES, ImportOptions, ImportState
from gavel.ingest.imports import MOST_ENDED_READERS, open_upload, reserve_upload
from gavel.ingest.reader import (
    HEAD_BYTES,
    MOST_S,
    ReaderEndedError,
    ReaderLimits,
    TimeLimitError,
    UnwantedError,
    extend_deadline,
    run_reader,
)
from gavel.ingest.worker import WorkerContext
from gavel.offline.environments import AtWorkError, add_environment, drop_unfinished, list_environments
from gavel.offline.fill import CaptureFile
from gavel.offline.names import FileKind, require_name
from gavel.offline.reading import read_array, read_capture, require_distinct

log = structlog.get_logger(__name__)

# Of all captures of one environment, which are in memory together: 400 MB.
MOST_NUMBERS = 50_000_000
# Those numbers, and the minutes that are computed from them.
MAKER_MEMORY_BYTES = 2**30
# Two days of minutes, once the files are read.
FILL_S = 1500.0
_BUDGET_S = 60.0
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
    is gone on with. Raises SettingsError, NameTakenError, NotFoundError for an import, and ConflictError as `reserve_upload` does."""
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
        if files:
            reserve_upload(connection)
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
    """Give up an environment that is not there yet. One that is being made is ended with it. Raises NotFoundError."""
    with transaction(engine) as connection:
        drop_build(connection, load_build(connection, name).id)


def make_environments(context: WorkerContext) -> None:
    """Make those whose files have come, each in a process of its own. The rest is left to the next tick after a while."""
    began_s = time.monotonic()
    with only_one(context.engine, "make offline environments") as held:
        if not held:
            return
        with reading(context.engine) as connection:
            builds = list_builds(connection)
        for build in builds:
            if context.stopping() or time.monotonic() - began_s >= _BUDGET_S:
                break
            if build.state in (BuildState.WAITING, BuildState.MAKING):
                _make(context, build)


def _make(context: WorkerContext, build: OfflineBuild) -> None:
    engine = context.engine
    try:
        with transaction(engine) as connection:
            ended = begin_making(connection, build.id)
    except NotFoundError:
        return
    try:
        if not (ended and _is_made(engine, build)):
            _make_from_files(context, build, ended)
    except (AtWorkError, UnwantedError):
        # Without effect on one that was removed.
        with transaction(engine) as connection:
            put_off(connection, build.id)
        return
    except ReaderEndedError as error:
        log.warning("maker of an offline environment ended", name=build.name, reason=str(error))
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
            f"{ended} processes ended while making it, possibly out of memory or of time. Check the worker's log, and make it of"
            " fewer or shorter captures."
        )
    if not build.files:
        raise SettingsError("Its files were removed.")
    engine = context.engine

    def note(step: str) -> None:
        with transaction(engine) as connection:
            note_step(connection, build.id, step)

    def make() -> None:
        engine.dispose(close=False)
        captures = _captures(engine, [each for each in build.files if each.file.format != ARRAY_FORMAT])
        arrays = require_distinct([
            read_array(open_upload(engine, each.file), each.file.file_name)
            for each in build.files
            if each.file.format == ARRAY_FORMAT
        ])  # fmt: skip
        note("Files are read.")
        extend_deadline(FILL_S)
        vault = context.connections.vault
        add_environment(engine, vault, build.name, captures, context.now(), arrays=arrays, say=note)

    with reading(engine) as connection:
        heads = [(each.file.size_bytes, load_head(connection, each.file.id, HEAD_BYTES)) for each in build.files]
    make_apart(engine, make, build.name, heads, lambda: _is_wanted(context, build.id))


def make_apart(
    engine: Engine,
    make: Callable[[], None],
    name: str,
    heads: Sequence[tuple[int, bytes]],
    is_wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Make an environment in a process of its own; nothing of it stays where that ends early. Raises GavelError.

    heads: size and first bytes of each file.
    """
    each = [ReaderLimits.for_file(*head) for head in heads]
    seconds = min(sum(one.seconds for one in each), MOST_S)
    limits = ReaderLimits(seconds, sum(one.output_bytes for one in each), MAKER_MEMORY_BYTES)
    try:
        run_reader(make, name, limits, is_wanted, passed=(AtWorkError,))
    except (ReaderEndedError, TimeLimitError, UnwantedError):
        # It could not clear up itself.
        drop_unfinished(engine, name)
        raise


def _is_wanted(context: WorkerContext, build_id: int) -> bool:
    """False once this worker stops or the build is removed. A database that is away is the maker's to report."""
    if context.stopping():
        return False
    try:
        with reading(context.engine) as connection:
            return is_build_there(connection, build_id)
    except UnavailableError:
        return True


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
