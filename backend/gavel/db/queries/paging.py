"""Lists by page: what is present, by name or by the newest numbers."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from sqlalchemy import ARRAY, Integer, any_, cast, func, select

from gavel.db.engine import Connection
from gavel.db.queries.filters import narrowed
from gavel.db.queries.newest import NewestSides, newest_minute, newest_sides
from gavel.db.queries.object_filter import NO_FILTER, ObjectFilter
from gavel.db.queries.refs import TABLES, RefKind

Item = TypeVar("Item")


class Sort(StrEnum):
    """Order of a list. The numbers are the newest ones; what has none comes last either way."""

    NAME = "name"
    LATENCY = "latency"
    IOPS = "iops"


@dataclass(frozen=True, slots=True)
class RecordPage(Generic[Item]):
    """One page of a list; `total` counts all rows that match."""

    items: tuple[Item, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ListQuery:
    """`search` is a part of the name, without regard to case. `only`: of these ids; None: of all."""

    search: str = ""
    sort: Sort = Sort.NAME
    descending: bool = False
    limit: int = 100
    offset: int = 0
    filter: ObjectFilter = NO_FILTER
    only: Collection[int] | None = None


# By number of the hosts' side and of the array's: volumes and arrays are told by their own, everything else by what hosts see, and
# nothing by the other side's, which is another number than the column that is sorted shows.
_NUMBER: dict[Sort, tuple[Callable[[NewestSides], float | None], Callable[[NewestSides], float | None]]] = {
    Sort.LATENCY: (lambda sides: sides.host_gavg_us, lambda sides: sides.array_internal_us),
    Sort.IOPS: (lambda sides: sides.host_iops, lambda sides: sides.array_iops),
}
_ARRAY_LEADS = frozenset({RefKind.VOLUME, RefKind.ARRAY})


def page_of(connection: Connection, kind: RefKind, query: ListQuery, now: datetime) -> tuple[Sequence[int], int]:
    """Ids of the page in order, and how many match in all."""
    table = TABLES[kind]
    matching = select(table.c.id).where(table.c.present)
    if query.search:
        matching = matching.where(table.c.name.icontains(query.search, autoescape=True))
    if query.only is not None:
        matching = matching.where(table.c.id == any_(cast(sorted(query.only), ARRAY(Integer))))
    matching = narrowed(matching, kind, query.filter)
    by_name = func.lower(table.c.name)
    ordered = matching.order_by(by_name.desc() if query.descending and query.sort is Sort.NAME else by_name, table.c.id)
    if query.sort is Sort.NAME:
        total = connection.execute(select(func.count()).select_from(matching.subquery())).scalar_one()
        return connection.scalars(ordered.limit(query.limit).offset(query.offset)).all(), total
    ids = connection.scalars(ordered).all()
    ranked = _ranked(
        ids,
        newest_sides(connection, kind, ids, newest_minute(connection, now)),
        query,
        array_leads=kind in _ARRAY_LEADS,
    )
    return ranked[query.offset : query.offset + query.limit], len(ids)


def _ranked(ids: Sequence[int], sides: dict[int, NewestSides], query: ListQuery, *, array_leads: bool) -> Sequence[int]:
    """By number; what has none comes last, and equals stay in order of name."""
    of_hosts, of_array = _NUMBER[query.sort]
    of_its_own = of_array if array_leads else of_hosts
    numbers = {thing: of_its_own(sides[thing]) for thing in ids}
    measured = [(number, thing) for thing, number in numbers.items() if number is not None]
    measured.sort(key=lambda pair: pair[0], reverse=query.descending)
    return [thing for _, thing in measured] + [thing for thing in ids if numbers[thing] is None]
