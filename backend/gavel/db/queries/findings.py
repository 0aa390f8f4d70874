"""Findings as they stand: by page with totals, one with its history, and how many each object has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, case, func, or_, select, text

from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.schema.findings import finding, finding_evaluation, finding_event
from gavel.domain.source import ATTRIBUTED
from gavel.findings.document import object_key


class FindingOrder(StrEnum):
    """SEVERITY: the worst first, then the newest."""

    SEVERITY = "severity"
    RAISED = "raised"
    OBJECT = "object"
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingQuery:
    """Empty lists and None match everything. kind and object_id: that object's own ones and those that touch it; kind alone: of its kind.

    search: a part of the title or of the object's name; titled: rules that match as well, by their titles.
    """

    states: Sequence[str] = ("open", "accepted")
    severities: Sequence[str] = ()
    rules: Sequence[str] = ()
    kind: str | None = None
    object_id: int | None = None
    search: str = ""
    titled: Sequence[str] = ()
    order: FindingOrder = FindingOrder.SEVERITY
    reverse: bool = False
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """Columns of `finding`. document: as `findings.document` writes it; touched: how many objects beside its own."""

    id: int
    source_id: int
    rule: str
    object_kind: str
    object_id: int
    object_name: str
    severity: str
    confidence: str
    title: str
    document: Mapping[str, Any]
    state: str
    raised_at: datetime
    seen_at: datetime
    cleared_at: datetime | None
    accepted_at: datetime | None
    accepted_until: datetime | None
    accepted_by: str | None
    accepted_why: str | None
    touched: int


@dataclass(frozen=True, slots=True)
class FindingTotals:
    """by_state: of all that match but for state, severity and rule; by_severity, by_rule: of the open ones among them."""

    by_state: Mapping[str, int]
    by_severity: Mapping[str, int]
    by_rule: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FindingRecords:
    """total: all that match, not only this page. evaluated_at: the newest evaluation; None before the first."""

    items: tuple[FindingRow, ...]
    total: int
    totals: FindingTotals
    evaluated_at: datetime | None


@dataclass(frozen=True, slots=True)
class FindingEventRow:
    happened_at: datetime
    before: str | None
    after: str
    made_by: str | None
    note: str


@dataclass(frozen=True, slots=True)
class ObjectFindingCount:
    """Open findings of an object, its own and those that touch it; severity: of the worst one."""

    object_id: int
    open: int
    severity: str


_f = finding.c
_RANK = case({"high": 0, "elevated": 1}, value=_f.severity, else_=2)
_COLUMNS = (
    *(column for column in _f if column.name not in ("part", "objects", "magnitude", "accepted_magnitude")),
    (func.cardinality(_f.objects) - 1).label("touched"),
)
_SEVERITIES = ("normal", "elevated", "high")


def findings(connection: Connection, wanted: FindingQuery) -> FindingRecords:
    """One page of what matches, in order."""
    scope = list(_scope(wanted))
    where = [*scope, *_narrowed(wanted)]
    total = connection.execute(select(func.count()).select_from(finding).where(*where)).scalar_one()
    page = select(*_COLUMNS).where(*where).order_by(*_order(wanted)).limit(wanted.limit).offset(wanted.offset)
    items = tuple(FindingRow(**row) for row in connection.execute(page).mappings())
    return FindingRecords(items, total, _totals(connection, scope), evaluated_at(connection))


def one_finding(connection: Connection, finding_id: int) -> FindingRow:
    """Raises NotFoundError."""
    row = connection.execute(select(*_COLUMNS).where(_f.id == finding_id)).mappings().one_or_none()
    if row is None:
        raise NotFoundError(f"There is no finding {finding_id}.")
    return FindingRow(**row)


@dataclass(frozen=True, slots=True)
class FirstAdvice:
    """What to do first, one sentence, and the finding that says so."""

    finding_id: int
    text: str


def first_advice(
    connection: Connection, rule: str, kind: str, object_id: int, from_at: datetime, to_at: datetime
) -> FirstAdvice | None:
    """Of the rule's worst finding that touched the object in [from_at, to_at); None where there was none, or it was accepted."""
    query = (
        select(_f.id, _f.document["advice"][0]["text"].astext)
        .where(_f.rule == rule, _f.objects.contains([object_key(kind, object_id)]), _f.state != "accepted")
        .where(_f.raised_at < to_at, or_(_f.cleared_at.is_(None), _f.cleared_at > from_at))
        .order_by(_RANK, _f.raised_at.desc(), _f.id)
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None or not row[1] else FirstAdvice(*row)


def finding_history(connection: Connection, finding_id: int) -> tuple[FindingEventRow, ...]:
    """Newest first, at most 200."""
    one = finding_event.c
    columns = (one.happened_at, one.before, one.after, one.made_by, one.note)
    query = select(*columns).where(one.finding_id == finding_id).order_by(one.id.desc()).limit(200)
    return tuple(FindingEventRow(*row) for row in connection.execute(query))


_PER_OBJECT = """
    SELECT split_part(key, ':', 2)::int AS object_id, count(*) AS open,
        CASE max(CASE severity WHEN 'high' THEN 2 WHEN 'elevated' THEN 1 ELSE 0 END) WHEN 2 THEN 'high' WHEN 1 THEN 'elevated'
            ELSE 'normal' END AS severity
    FROM finding CROSS JOIN unnest(objects) AS key WHERE state = 'open' AND split_part(key, ':', 1) = :kind
    GROUP BY 1 ORDER BY 1
"""


def findings_by_object(connection: Connection, kind: str) -> tuple[ObjectFindingCount, ...]:
    """Of the objects of a kind that have any."""
    return tuple(ObjectFindingCount(*row) for row in connection.execute(text(_PER_OBJECT), {"kind": kind}))


def open_by_rule(connection: Connection) -> Mapping[str, int]:
    query = select(_f.rule, func.count().label("open")).where(_f.state == "open").group_by(_f.rule)
    return {row.rule: row.open for row in connection.execute(query)}


def evaluated_at(connection: Connection) -> datetime | None:
    """None before the first evaluation."""
    return connection.scalar(select(finding_evaluation.c.evaluated_at))


def ledger_evaluated_until(connection: Connection) -> datetime | None:
    """Through which minute of the ledger; None before the first."""
    return connection.scalar(select(finding_evaluation.c.ledger_until_at))


def _scope(wanted: FindingQuery) -> Iterator[ColumnElement[bool]]:
    if wanted.kind is not None and wanted.object_id is not None:
        yield _f.objects.contains([object_key(wanted.kind, wanted.object_id)])
    elif wanted.kind is not None:
        yield _f.object_kind == wanted.kind
    if wanted.search:
        named = (column.icontains(wanted.search, autoescape=True) for column in (_f.title, _f.object_name))
        yield or_(*named, _f.rule.in_(list(wanted.titled)))


def _narrowed(wanted: FindingQuery) -> Iterator[ColumnElement[bool]]:
    for column, values in ((_f.state, wanted.states), (_f.severity, wanted.severities), (_f.rule, wanted.rules)):
        if values:
            yield column.in_(list(values))


def _order(wanted: FindingQuery) -> tuple[ColumnElement[Any], ...]:
    first: Mapping[FindingOrder, tuple[tuple[ColumnElement[Any], bool], ...]] = {
        FindingOrder.SEVERITY: ((_RANK, False), (_f.raised_at, True)),
        FindingOrder.RAISED: ((_f.raised_at, True),),
        FindingOrder.OBJECT: ((func.lower(_f.object_name), False), (_RANK, False)),
        FindingOrder.RULE: ((_f.rule, False), (_RANK, False)),
    }
    ordered = tuple(
        column.desc() if descending is not wanted.reverse else column.asc()
        for column, descending in first[wanted.order]
    )
    return (*ordered, _f.id)


def _totals(connection: Connection, scope: Sequence[ColumnElement[bool]]) -> FindingTotals:
    states = dict.fromkeys(("open", "accepted", "cleared"), 0)
    severities = dict.fromkeys(_SEVERITIES, 0)
    rules: dict[str, int] = {}
    one = (
        select(_f.state, _f.severity, _f.rule, func.count().label("n"))
        .where(*scope)
        .group_by(_f.state, _f.severity, _f.rule)
    )
    for state, severity, rule, count in connection.execute(one):
        states[state] += count
        if state == "open":
            severities[severity] += count
            rules[rule] = rules.get(rule, 0) + count
    return FindingTotals(states, severities, rules)


@dataclass(frozen=True, slots=True)
class ReadableSources:
    """Ids of enabled sources whose newest inventory, or whose samples, are recent enough."""

    with_inventory: tuple[int, ...]
    with_samples: tuple[int, ...]


_READABLE = """
    SELECT s.id, s.inventory_at >= :inventory_since AS is_listed, s.inventory_at >= :inventory_since AND min(w.until_at) >= :samples_until
        AS is_sampled
    FROM source s LEFT JOIN watermark w ON w.source_id = s.id AND w.stream = ANY(:streams) WHERE s.enabled GROUP BY s.id ORDER BY s.id
"""


def readable_sources(connection: Connection, *, inventory_since: datetime, samples_until: datetime) -> ReadableSources:
    """Of the streams that the ledger is made from, the slowest one counts."""
    given = {
        "inventory_since": inventory_since,
        "samples_until": samples_until,
        "streams": [str(stream) for stream in ATTRIBUTED],
    }
    rows = connection.execute(text(_READABLE), given).all()
    return ReadableSources(
        tuple(row.id for row in rows if row.is_listed), tuple(row.id for row in rows if row.is_sampled)
    )
