"""Offline environments as they are listed."""

from pydantic import AwareDatetime

from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.offline.names import EnvironmentFile


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
