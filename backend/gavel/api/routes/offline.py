"""Offline environments of this installation: which there are, making one of files, and removing one."""

from typing import Annotated

from fastapi import APIRouter, Path

from gavel.api.deps import AdminOnly, AppDep, NowDep, ReaderOnly
from gavel.api.problems import refuses
from gavel.api.schemas.offline import (
    OfflineBuildFileOut,
    OfflineBuildOut,
    OfflineEnvironmentIn,
    OfflineEnvironmentOut,
)
from gavel.db.engine import reading
from gavel.db.queries.offline_builds import OfflineBuild, list_builds
from gavel.domain.imports import ImportOptions
from gavel.ingest.imports import require_upload_room
from gavel.offline.builds import AnnouncedFile, announce_build, remove_build
from gavel.offline.environments import OfflineEnvironment, list_environments, remove_environment
from gavel.offline.names import LONGEST

router = APIRouter(tags=["imports"], dependencies=[ReaderOnly])
EnvironmentName = Annotated[str, Path(min_length=1, max_length=LONGEST, pattern=r"^[a-z0-9-]+$")]


@router.get("/offline-environments")
def offline_environments(app: AppDep) -> list[OfflineEnvironmentOut]:
    """In order of their names. Each has the whole API below /offline/NAME/api/v1, read-only and with a clock that stands still."""
    return [_out(each) for each in list_environments(app.engine)]


@router.delete("/offline-environments/{name}", dependencies=[AdminOnly], status_code=204)
def remove_offline_environment(name: EnvironmentName, app: AppDep) -> None:
    """With everything in it, for good, whether its pages are open or not."""
    remove_environment(app.engine, name)


@router.post("/offline-environments", dependencies=[AdminOnly], status_code=201, responses=refuses(404, 409))
def add_offline_environment(body: OfflineEnvironmentIn, app: AppDep, at: NowDep) -> OfflineBuildOut:
    """Announce an environment. The parts of its files follow (`PUT /imports/{import_id}/parts`); then a worker makes it. While files are
    being uploaded, the same request answers with what has come, to go on from there. Without a new part for an hour it is removed.
    It counts as one upload of the 8 that may be incomplete at once."""
    if body.files:
        require_upload_room(app.database_dir)
    files = [AnnouncedFile(each.kind, each.file_name, each.size_bytes) for each in body.files]
    options = ImportOptions(body.utc_bias_minutes)
    return _build_out(announce_build(app.engine, body.name, files, body.import_ids, options, at))


@router.get("/offline-builds")
def offline_builds(app: AppDep) -> list[OfflineBuildOut]:
    """Environments that are being made, and those that could not be, oldest first. One that is made is an environment, and not here."""
    with reading(app.engine) as connection:
        return [_build_out(each) for each in list_builds(connection)]


@router.delete("/offline-builds/{name}", dependencies=[AdminOnly], status_code=204)
def remove_offline_build(name: EnvironmentName, app: AppDep) -> None:
    """Give up an environment that is not made yet, with the files that came for it."""
    remove_build(app.engine, name)


def _build_out(build: OfflineBuild) -> OfflineBuildOut:
    files = [
        OfflineBuildFileOut(
            import_id=each.file.id,
            is_upload=each.is_upload,
            **{name: getattr(each.file, name) for name in ("file_name", "size_bytes", "received_bytes", "read_bytes")},
        )
        for each in build.files
    ]
    return OfflineBuildOut(
        name=build.name,
        state=build.state.value,
        created_at=build.created_at,
        step=build.step,
        error=build.error,
        files=files,
    )


def _out(environment: OfflineEnvironment) -> OfflineEnvironmentOut:
    contents = environment.contents
    return OfflineEnvironmentOut(
        name=contents.name,
        from_at=contents.from_at,
        to_at=contents.to_at,
        made_at=contents.made_at,
        size_bytes=environment.size_bytes,
        files=list(contents.files),
        notes=list(contents.notes),
    )
