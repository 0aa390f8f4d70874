"""Offline environments of this installation: made from files, listed and removed. Each is a database of its own, which describes itself."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import structlog

from gavel.db import databases
from gavel.db.engine import Engine
from gavel.db.errors import ConflictError, NameTakenError, NotFoundError
from gavel.db.locks import only_one
from gavel.db.migrate import migrate
from gavel.domain.errors import SettingsError
from gavel.offline.fill import CaptureFile, Material, Say, fill_database, window_of
from gavel.offline.host_clocks import ASSUMED_ERROR_S, ArrayFile
from gavel.offline.names import (
    Contents,
    EnvironmentFile,
    database_name,
    from_comment,
    prefix,
    require_name,
    to_comment,
    unfinished_prefix,
)
from gavel.vault import Vault

log = structlog.get_logger(__name__)

MOST_ENVIRONMENTS = 50
_LOCK = "offline environments"


class AtWorkError(ConflictError):
    """Another one is being made."""


@dataclass(frozen=True, slots=True)
class OfflineEnvironment:
    """number: another one for an environment that was made anew under the same name."""

    contents: Contents
    url: str
    number: int
    size_bytes: int

    @property
    def name(self) -> str:
        return self.contents.name


def list_environments(engine: Engine, *, with_sizes: bool = True) -> list[OfflineEnvironment]:
    """In order of their names."""
    found = []
    for each in databases.beside(engine, prefix(databases.own_name(engine)), with_sizes=with_sizes):
        try:
            contents = from_comment(each.comment or "")
        except ValueError:
            log.warning("database is no offline environment", name=each.name)
            continue
        found.append(OfflineEnvironment(contents, databases.url_of(engine, each.name), each.number, each.size_bytes))
    return found


def find_environment(engine: Engine, name: str) -> OfflineEnvironment:
    """Without its size. Raises NotFoundError."""
    found = next((each for each in list_environments(engine, with_sizes=False) if each.name == name), None)
    if found is None:
        raise NotFoundError(f"There is no offline environment {name!r}.")
    return found


def remove_environment(engine: Engine, name: str) -> None:
    """With everything in it, also while somebody looks at it. Raises NotFoundError."""
    find_environment(engine, name)
    databases.drop(engine, database_name(databases.own_name(engine), name), in_use=True)


def add_environment(
    engine: Engine,
    vault: Vault,
    name: str,
    files: Sequence[CaptureFile],
    now: datetime,
    *,
    arrays: Sequence[ArrayFile] = (),
    say: Say = lambda _: None,
) -> OfflineEnvironment:
    """Make one; whole, or not at all. Raises GavelError."""
    require_name(name)
    _require_usable(files)
    material = Material.of(files, arrays)
    window = window_of(material)
    contents = Contents(
        name=name,
        from_at=window.from_at,
        to_at=window.to_at,
        made_at=now,
        files=(
            *(EnvironmentFile("esxtop", each.file_name, each.capture.host_name) for each in files),
            *(EnvironmentFile("array", each.file_name, each.inventory.array.name) for each in arrays),
        ),
        notes=tuple(_notes(material)),
    )
    with _building(engine, name) as (unfinished, final):
        url = databases.url_of(engine, unfinished)
        migrate(url)
        fill_database(url, vault, name, material, window, say)
        databases.publish(engine, unfinished, final, to_comment(contents))
    return find_environment(engine, name)


@contextmanager
def _building(engine: Engine, name: str) -> Iterator[tuple[str, str]]:
    """An empty database, and the name that it gets at the end; nothing of it stays where the block raises."""
    own = databases.own_name(engine)
    unfinished, final = _unfinished_name(engine, name), database_name(own, name)
    if len(final) > databases.LONGEST_NAME:
        raise SettingsError(
            f"{name!r} is too long beside the name of the database {own!r}: {databases.LONGEST_NAME} bytes together."
        )
    with only_one(engine, _LOCK) as held:
        if not held:
            raise AtWorkError("Another offline environment is being made. Try again when it is done.")
        for left in databases.beside(engine, unfinished_prefix(own), with_sizes=False):
            databases.drop(engine, left.name, in_use=True)
        there = list_environments(engine, with_sizes=False)
        if any(each.name == name for each in there):
            raise NameTakenError(f"There is an offline environment {name!r}. Remove it, or choose another name.")
        if len(there) >= MOST_ENVIRONMENTS:
            raise ConflictError(f"There are {MOST_ENVIRONMENTS} offline environments. Remove one.")
        databases.create(engine, unfinished, purpose="Each offline environment has a database of its own.")
        try:
            yield unfinished, final
        except BaseException:
            databases.drop(engine, unfinished, in_use=True)
            raise


def drop_unfinished(engine: Engine, name: str) -> None:
    """Drop what a process that was ended left of the environment `name`."""
    databases.drop(engine, _unfinished_name(engine, name), in_use=True)


def _unfinished_name(engine: Engine, name: str) -> str:
    return unfinished_prefix(databases.own_name(engine)) + name.replace("-", "_")


def _require_usable(files: Sequence[CaptureFile]) -> None:
    if not files:
        raise SettingsError("An offline environment needs an esxtop capture at least.")
    for each in files:
        if not each.capture.is_consistent:
            raise SettingsError(
                f"{each.file_name}: its counters contradict each other, so nothing can be concluded from it."
                f" `gavel esxtop {each.file_name} --check` says which."
            )


def _notes(material: Material) -> Iterator[str]:
    """What the files do not say."""
    yield (
        "Names of datastores, sizes, limits, snapshots and I/O filters of disks, and paths are in no capture: datastores are called by"
        " their volumes or devices."
    )
    for each, clock in zip(material.captures, material.clocks, strict=True):
        if not clock.is_measured:
            yield (
                f"How far the clock of {each.capture.host_name} is from those of the arrays does not follow from their I/Os: taken as equal"
                f" within {ASSUMED_ERROR_S:.0f} s."
            )
        devices = [one for one in each.capture.objects if one.kind == "device"]
        if not any("read_guest_us" in one.columns for one in devices):
            yield f"{each.file_name} was captured without -a: latency of its devices is not split into reads and writes, and not measured."
