"""Matches the sources that a machine announces at each start, as the lab does, with the stored sources.

A person can rename a source or change its address, and the machine can move to other ports. Neither makes another source.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gavel.admin.sources import endpoint
from gavel.db.queries.sources import SourceRow

_PORT = re.compile(r":\d+$")


@dataclass(frozen=True, slots=True)
class Announced:
    """A source as its machine announces it. `kind` and `name` are its identity for that machine."""

    kind: str
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Registered:
    """The stored source that an announcement became.

    `away`: disabled because the machine is away, not by a person. `name`: as announced; an earlier build stored none.
    """

    id: int
    address: str
    away: bool
    name: str | None = None


def match_announced(
    listed: Sequence[Announced], rows: Iterable[SourceRow], remembered: Iterable[Registered]
) -> list[int | None]:
    """Return the id of the stored source of each announcement, None for a new one. No id is returned twice.

    A remembered source whose address a user changed belongs to that user and never matches by its name.
    """
    free = {row.id: row for row in sorted(rows, key=lambda row: row.id)}
    memory = {each.id: each for each in remembered}

    def is_remembered(row: SourceRow, each: Announced) -> bool:
        known = memory.get(row.id)
        return known is not None and known.name == each.name and endpoint(known.address) == endpoint(row.address)

    def has_name_and_host(row: SourceRow, each: Announced) -> bool:
        known = memory.get(row.id)
        has_memory = known is not None and known.name is not None
        return not has_memory and row.name == each.name and _host(row.address) == _host(each.address)

    def has_address(row: SourceRow, each: Announced) -> bool:
        return endpoint(row.address) == endpoint(each.address)

    ids: list[int | None] = [None] * len(listed)
    signs: tuple[Callable[[SourceRow, Announced], bool], ...] = (is_remembered, has_name_and_host, has_address)
    for sign in signs:
        for position, each in enumerate(listed):
            if ids[position] is None:
                ids[position] = _first(free, each, sign)
                free.pop(ids[position] or 0, None)
    return ids


def _first(free: Mapping[int, SourceRow], each: Announced, sign: Callable[[SourceRow, Announced], bool]) -> int | None:
    return next((row.id for row in free.values() if row.kind == each.kind and sign(row, each)), None)


def _host(address: str) -> str:
    return _PORT.sub("", endpoint(address))


def free_name(name: str, rows: Iterable[SourceRow]) -> str:
    """Return `name`, numbered where another source has it."""
    taken = {row.name for row in rows}
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(each for each in numbered if each not in taken)
