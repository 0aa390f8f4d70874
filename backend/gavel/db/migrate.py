"""Bring the schema up to date, and say whether it is."""

from dataclasses import dataclass

from gavel.db.series import Mode


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """What `check` found: the revision there and the one this program needs, the storage mode, and every problem in words."""

    current: str | None
    wanted: str
    mode: Mode | None
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def migrate(url: str, *, server_side_prepare: bool = True) -> list[str]:
    """Apply every missing migration, oldest first, all or none; returns the revisions applied ([] when up to date).

    Safe when several processes call it at once: the later ones wait and find nothing to do.
    """
    raise NotImplementedError


def check(url: str, *, server_side_prepare: bool = True) -> SchemaReport:
    """Is the schema current, is the storage mode still the one it was made for, are partitions for the coming hours there?"""
    raise NotImplementedError
