"""Lists of objects with their diagnoses: the overview's rows beside what the inventory and the newest minute say of each.

Which objects fit and how they stand comes from the same ranking as the overview. By name and by the newest counters only the page's
objects are diagnosed, unless a severity or a layer is asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from gavel.db.engine import Connection
from gavel.db.queries.arrays import ArrayRecord
from gavel.db.queries.datastores import DatastoreRecord
from gavel.db.queries.hosts import HostRecord
from gavel.db.queries.paging import ListQuery, RecordPage, Sort
from gavel.db.queries.refs import RefKind
from gavel.db.queries.vms import VmRecord
from gavel.db.queries.volumes import VolumeRecord
from gavel.diagnosis.ranking import RankedObject, ranked_objects
from gavel.diagnosis.ranking_rows import Order, Ranking, RankingWindow, Wanted, rank, rank_things
from gavel.domain.fields import fields_of
from gavel.domain.io_path import Layer, Severity


class Record(Protocol):
    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...


Row = TypeVar("Row", bound=Record)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDatastore(DatastoreRecord):
    """`standing`: its row of the overview over the window."""

    standing: RankedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVm(VmRecord):
    """`standing`: its row of the overview over the window."""

    standing: RankedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedHost(HostRecord):
    """`standing`: its row of the overview over the window."""

    standing: RankedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVolume(VolumeRecord):
    """`standing`: its row of the overview over the window."""

    standing: RankedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedArray(ArrayRecord):
    """`standing`: its row of the overview over the window."""

    standing: RankedObject


@dataclass(frozen=True, slots=True)
class ListingQuery:
    """`newest`: which part of the list, with its order by name or by the newest minute. `order`: by diagnosis instead; None: as `newest`
    has it. `layer`, `severity`: as in `Wanted`."""

    newest: ListQuery
    order: Order | None = None
    layer: Layer | None = None
    severity: Severity | None = None

    @property
    def is_by_diagnosis(self) -> bool:
        """Whether all objects have to be diagnosed for it."""
        return self.order is not None or self.layer is not None or self.severity is not None

    @property
    def is_by_name(self) -> bool:
        """Whether the names alone say which objects are on the page."""
        return not self.is_by_diagnosis and self.newest.sort is Sort.NAME


@dataclass(frozen=True, slots=True)
class ListKind(Generic[Row, Item]):
    """read: its records. item: the class of a record with its standing."""

    kind: RefKind
    read: Callable[[Connection, ListQuery, datetime], RecordPage[Row]]
    item: Callable[..., Item]


def listed(
    connection: Connection,
    wanted: ListKind[Row, Item],
    query: ListingQuery,
    window: tuple[datetime, datetime],
    now: datetime,
) -> RecordPage[Item]:
    """Raises ValueError for an empty range."""
    over = RankingWindow.of(connection, *window)
    ranking = _ranking(connection, wanted.kind, query, over)
    if query.order is not None and ranking is not None:
        page = ranking.page(query.newest.limit, query.newest.offset)
        ids = [ranking.things.things[n][0] for n in page]
        found = wanted.read(connection, ListQuery(only=ids, limit=max(1, len(ids))), now).items
        return RecordPage(_items(connection, wanted, ranking, ids, found), len(ranking.order))
    fitting = None if ranking is None else [ranking.things.things[n][0] for n in ranking.order]
    records = wanted.read(connection, replace(query.newest, only=fitting), now)
    ids = [record.id for record in records.items]
    if ranking is None:
        names = sorted((record.id, record.name) for record in records.items)
        ranking = rank_things(connection, Wanted(wanted.kind), names, over)
    return RecordPage(_items(connection, wanted, ranking, ids, records.items), records.total)


def _ranking(connection: Connection, kind: RefKind, query: ListingQuery, window: RankingWindow) -> Ranking | None:
    """Of all that fit; None where nothing asks for their diagnoses."""
    if not query.is_by_diagnosis:
        return None
    wanted = Wanted(
        kind=kind,
        search=query.newest.search,
        filter=query.newest.filter,
        layer=query.layer,
        severity=query.severity,
        order=query.order or "name",
        descending=query.newest.descending,
        with_endpoints=True,
    )
    return rank(connection, wanted, window)


def _items(
    connection: Connection,
    wanted: ListKind[Row, Item],
    ranking: Ranking,
    ids: Sequence[int],
    records: Sequence[Row],
) -> tuple[Item, ...]:
    """In the order of `ids`."""
    position = {ranking.things.things[n][0]: n for n in ranking.order}
    by_id: Mapping[int, Row] = {record.id: record for record in records}
    shown = [thing_id for thing_id in ids if thing_id in by_id and thing_id in position]
    standings = ranked_objects(connection, ranking, [position[thing_id] for thing_id in shown])
    return tuple(
        wanted.item(**fields_of(by_id[thing_id]), standing=standing)
        for thing_id, standing in zip(shown, standings, strict=True)
    )
