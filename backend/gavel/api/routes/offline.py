"""Offline environments of this installation: which there are, and removing one. They are made by `gavel offline add`."""

from typing import Annotated

from fastapi import APIRouter, Path

from gavel.api.deps import AdminOnly, AppDep, ReaderOnly
from gavel.api.schemas.offline import OfflineEnvironmentOut
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
