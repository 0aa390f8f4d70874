"""What an offline environment is, as its database says it: name, window, files. Pure."""

import json
import re
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from gavel.domain.errors import SettingsError

LONGEST = 30
_NAME = re.compile(rf"[a-z0-9](?:[a-z0-9-]{{0,{LONGEST - 2}}}[a-z0-9])?")
FileKind: TypeAlias = Literal["esxtop", "array"]
_BESIDE, _UNFINISHED = "_offline_", "_offnew_"


@dataclass(frozen=True, slots=True)
class EnvironmentFile:
    """A file that an environment was made from. `subject`: the host of an esxtop capture, the array of an export."""

    kind: FileKind
    file_name: str
    subject: str


@dataclass(frozen=True, slots=True)
class Contents:
    """[from_at, to_at): whole minutes that its diagnoses cover. notes: what the files do not say, each a sentence."""

    name: str
    from_at: datetime
    to_at: datetime
    made_at: datetime
    files: tuple[EnvironmentFile, ...]
    notes: tuple[str, ...]


def require_name(name: str) -> str:
    """Raises SettingsError for one that cannot stand in an address."""
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{name!r} cannot be the name of an offline environment: use up to {LONGEST} lower-case letters, digits and hyphens."
        )
    return name


def prefix(database: str) -> str:
    """How names of databases of this installation's environments begin."""
    return f"{database}{_BESIDE}"


def unfinished_prefix(database: str) -> str:
    """Of those that are being made, or were when their process ended."""
    return f"{database}{_UNFINISHED}"


def database_name(database: str, name: str) -> str:
    return prefix(database) + name.replace("-", "_")


def to_comment(contents: Contents) -> str:
    return json.dumps(asdict(contents), default=datetime.isoformat, ensure_ascii=True)


def from_comment(comment: str) -> Contents:
    """Raises ValueError for what `to_comment` did not write."""
    try:
        said = json.loads(comment)
        times = {name: datetime.fromisoformat(said.pop(name)) for name in ("from_at", "to_at", "made_at")}
        files = tuple(EnvironmentFile(**each) for each in said.pop("files"))
        return Contents(**times, files=files, name=said["name"], notes=tuple(said["notes"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("no description of an offline environment") from error
