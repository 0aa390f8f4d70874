"""VMs by the value of one label ("application = finance"): each group's totals, and which of its VMs is the worst."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from gavel.db.engine import Connection
from gavel.db.queries.labels import values_of
from gavel.db.queries.refs import RefKind
from gavel.db.queries.scopes import ledger_until
from gavel.diagnosis.ranking import RankedObject, Totals, ranked_objects, totals_of
from gavel.diagnosis.ranking_rows import Ranking, RankingWindow, Wanted, Way, rank
from gavel.domain.io_path import Severity

GroupOrder = Literal["excess_outstanding", "iops", "members", "name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectGroup:
    """VMs with one value of a label, without regard to case; a VM with two values is in both groups.

    `value`: as most have it; null: of the VMs without one. `worst`: the VM with the highest severity and most excess outstanding I/O; null
    where none is above its baseline.
    """

    value: str | None
    members: int
    totals: Totals
    worst: RankedObject | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupList:
    """`label`: its name as most have it. `total`: how many groups match, not only this page's."""

    label: str
    from_at: datetime
    to_at: datetime
    ledger_until_at: datetime | None
    items: tuple[ObjectGroup, ...]
    total: int


@dataclass(frozen=True, slots=True)
class GroupsQuery:
    """label: without regard to case. search: a part of the value."""

    label: str
    search: str = ""
    order: GroupOrder = "excess_outstanding"
    way: Way = "desc"
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class _Group:
    """members: positions in the ranking, worst first."""

    value: str | None
    members: Sequence[int]
    totals: Totals


def groups(connection: Connection, query: GroupsQuery, from_at: datetime, to_at: datetime) -> GroupList:
    """Raises ValueError for an empty range."""
    ranking = rank(connection, Wanted(RefKind.VM), RankingWindow.of(connection, from_at, to_at))
    label, values = values_of(connection, RefKind.VM, query.label)
    wanted = query.search.casefold()
    found = [one for one in _grouped(ranking, values) if wanted in (one.value or "").casefold()]
    _sort(found, query)
    page = found[query.offset : query.offset + query.limit]
    worst = [one.members[0] for one in page if _is_elevated(one)]
    ranked = dict(zip(worst, ranked_objects(connection, ranking, worst), strict=True))
    return GroupList(
        label=label or query.label,
        from_at=ranking.ruled.from_at,
        to_at=ranking.ruled.to_at,
        ledger_until_at=ledger_until(connection),
        items=tuple(
            ObjectGroup(
                value=one.value,
                members=len(one.members),
                totals=one.totals,
                worst=ranked[one.members[0]] if _is_elevated(one) else None,
            )
            for one in page
        ),
        total=len(found),
    )


def _grouped(ranking: Ranking, values: Mapping[int, Sequence[str]]) -> list[_Group]:
    members: dict[str | None, list[int]] = defaultdict(list)
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for n in ranking.order:
        own = values.get(ranking.things.things[n][0], ())
        keys = {value.casefold(): value for value in own}
        for key, value in keys.items():
            members[key].append(n)
            spelled[key][value] += 1
        if not keys:
            members[None].append(n)
    return [
        _Group(None if key is None else spelled[key].most_common(1)[0][0], own, totals_of(ranking, own))
        for key, own in members.items()
    ]


def _is_elevated(group: _Group) -> bool:
    return any(group.totals.by_severity.get(severity, 0) > 0 for severity in (Severity.HIGH, Severity.ELEVATED))


def _sort(listed: list[_Group], query: GroupsQuery) -> None:
    """By name, then by what is asked for; VMs without a value last."""
    listed.sort(key=lambda group: (group.value or "").casefold(), reverse=query.order == "name" and query.way == "desc")
    if query.order != "name":
        listed.sort(key=lambda group: _rank(group, query.order), reverse=query.way == "desc")
    listed.sort(key=lambda group: group.value is None)


def _rank(group: _Group, order: GroupOrder) -> tuple[float, ...]:
    totals = group.totals
    match order:
        case "members":
            return (len(group.members),)
        case "iops":
            return (totals.iops,)
        case _:
            severities = (totals.by_severity.get(severity, 0) > 0 for severity in (Severity.HIGH, Severity.ELEVATED))
            return (*severities, totals.excess_outstanding)
