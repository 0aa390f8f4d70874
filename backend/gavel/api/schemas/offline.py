"""Offline environments: as they are listed, as they are announced, and while they are being made."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import INT64_MAX, BodyId, FileName
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.offline.names import LONGEST, EnvironmentFile

_MOST_CAPTURES = 32


class OfflineEnvironmentOut(Out):
    """An environment made from files, whose pages are at /offline/`name`/. `from_at`, `to_at`: the whole minutes that it covers.
    `size_bytes`: of its database. `notes`: what the files do not say."""

    name: str
    from_at: AwareDatetime
    to_at: AwareDatetime
    made_at: AwareDatetime
    size_bytes: int
    files: list[Answer[EnvironmentFile]]
    notes: list[str]


class OfflineFileIn(BaseModel):
    """A file that will come in parts: an esxtop capture of one host, or the export of an array."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["esxtop", "array"]
    file_name: FileName
    size_bytes: Annotated[int, Field(ge=1, le=INT64_MAX)]


class OfflineEnvironmentIn(BaseModel):
    """`import_ids`: captures that are imported already, which need not come again. `utc_bias_minutes`: UTC minus the local time of the
    stamps, where a capture names no time zone."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=LONGEST, pattern=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")]
    files: Annotated[list[OfflineFileIn], Field(max_length=_MOST_CAPTURES)] = []
    import_ids: Annotated[list[BodyId], Field(max_length=_MOST_CAPTURES)] = []
    utc_bias_minutes: Annotated[int | None, Field(ge=-960, le=960)] = None


class OfflineBuildFileOut(Out):
    """`import_id`: its parts go to `PUT /imports/{import_id}/parts`. `is_upload`: false for a capture that is imported already.
    `received_bytes`, `read_bytes`: of an upload so far, and of its reading."""

    import_id: int
    is_upload: bool
    file_name: str
    size_bytes: int
    received_bytes: int
    read_bytes: int


class OfflineBuildOut(Out):
    """An environment that is being made. `step`: how far it is; `error`: why it cannot be made."""

    name: str
    state: Literal["uploading", "waiting", "making", "failed"]
    created_at: AwareDatetime
    step: str | None
    error: str | None
    files: list[OfflineBuildFileOut]
