"""Objects of one kind with their diagnoses over one window: which fit a question, in which order. Behind the overview and every list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.segments import SPAN_LAYERS
from gavel.analysis.topology import Index
from gavel.db.engine import Connection
from gavel.db.queries.expectations import array_settings, histories
from gavel.db.queries.ledger import Detail, ledger
from gavel.db.queries.object_filter import NO_FILTER, ObjectFilter
from gavel.db.queries.refs import RefKind
from gavel.db.queries.scopes import SCOPES, present_things
from gavel.db.series.modes import Storage, storage
from gavel.diagnosis.baselines import UsualOf, hours_of, usual_of
from gavel.diagnosis.diagnose import DiagnosedRows, DiagnosisState, diagnose_rows
from gavel.diagnosis.own_layers import own_severity
from gavel.diagnosis.streaks import SHORT, streak_ends
from gavel.domain.io_path import Confidence, Layer, Severity
from gavel.domain.scope import ScopeKind, scope_key

Order = Literal["excess_outstanding", "excess", "latency", "iops", "name"]
Way = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which things, in which order. layer: those whose diagnosis names it; severity: those that are as bad and
    have not cleared; confidence: those that are as sure. with_endpoints: protocol endpoints, too, which hold no data."""

    kind: RefKind
    search: str = ""
    filter: ObjectFilter = NO_FILTER
    layer: Layer | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    order: Order = "excess_outstanding"
    descending: bool = True
    limit: int = 100
    offset: int = 0
    with_endpoints: bool = False


@dataclass(frozen=True, slots=True)
class RankingWindow:
    """storage: what retention depends on. array_settings: of every array source, by its id."""

    from_at: datetime
    to_at: datetime
    storage: Storage
    array_settings: Mapping[int, Mapping[str, Any]]

    @classmethod
    def of(cls, connection: Connection, from_at: datetime, to_at: datetime) -> "RankingWindow":
        return cls(from_at, to_at, storage(connection), array_settings(connection))


@dataclass(frozen=True, slots=True)
class ThingDiagnoses:
    """(m,) things that the ledger has in the window, in order of id. known: what is usual of all that were asked for."""

    ids: Index
    known: UsualOf
    diagnosed: DiagnosedRows
    from_at: datetime
    to_at: datetime


def diagnose_things(
    connection: Connection, scope: ScopeKind, ids: Sequence[int], window: RankingWindow
) -> ThingDiagnoses:
    wanted = np.sort(np.array(ids, dtype=np.int64))
    keys = scope_key(scope, 0) + wanted
    found = ledger(connection, keys.tolist(), window.from_at, window.to_at, None, Detail.LAYERS, storage=window.storage)
    position = np.searchsorted(keys, found.keys)
    hours = np.tile(hours_of(found.from_at, found.to_at), (len(found), 1))
    known = usual_of(connection, scope, wanted.tolist(), histories(connection, keys.tolist()), window.array_settings)
    ruled = diagnose_rows(found, scope, position, known, hours)
    return ThingDiagnoses(wanted[position], UsualOf(wanted, known), ruled, found.from_at, found.to_at)


@dataclass(frozen=True, slots=True)
class RankedThings:
    """n things (id, name) in order of name; `row`: (n,) which row of `diagnosed` is theirs, −1 for those that the ledger does not have."""

    kind: RefKind
    things: Sequence[tuple[int, str]]
    diagnosed: DiagnosedRows
    row: Index
    states: Sequence[DiagnosisState]
    severities: Sequence[Severity | None]
    confidences: Sequence[Confidence | None]

    @classmethod
    def of(cls, kind: RefKind, things: Sequence[tuple[int, str]], ruled: ThingDiagnoses) -> "RankedThings":
        row, found = _rows_of(things, ruled.ids), ruled.diagnosed
        rows = row.tolist()
        states = [found.states[n] if n >= 0 else DiagnosisState.NO_DATA for n in rows]
        severities = [own_severity(kind, found, n) if n >= 0 else None for n in rows]
        confidences = [found.confidences[n] if n >= 0 else None for n in rows]
        return cls(kind, things, found, row, states, severities, confidences)

    def number(self, numbers: Floats, positions: Index | None = None) -> Floats:
        """(n,) of each thing, or of those at `positions`; NaN where it has none."""
        row = self.row if positions is None else self.row[positions]
        return np.where(row >= 0, numbers[row], np.nan) if len(numbers) else np.full(len(row), np.nan)


def _rows_of(things: Sequence[tuple[int, str]], ids: Index) -> Index:
    wanted = np.array([thing_id for thing_id, _ in things], dtype=np.int64)
    if len(ids) == 0:
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, -1)


@dataclass(frozen=True, slots=True)
class Ranking:
    """`order`: positions in `things` that fit the question, in its order. until: by id, of those whose newest minutes name no layer any
    more, since when."""

    things: RankedThings
    ruled: ThingDiagnoses
    window: RankingWindow
    order: Sequence[int]
    until: Mapping[int, datetime]

    def page(self, limit: int, offset: int) -> Sequence[int]:
        return self.order[offset : offset + limit]


def rank(connection: Connection, wanted: Wanted, window: RankingWindow) -> Ranking:
    """All that fit. A severity asked for is one that lasts: what has cleared is not among them, as it is not counted."""
    found = present_things(connection, wanted.kind, wanted.search, wanted.filter, with_endpoints=wanted.with_endpoints)
    return rank_things(connection, wanted, found, window)


def rank_things(
    connection: Connection, wanted: Wanted, named: Sequence[tuple[int, str]], window: RankingWindow
) -> Ranking:
    """The same of things (id, name) in order of name."""
    ruled = diagnose_things(connection, SCOPES[wanted.kind], [thing_id for thing_id, _ in named], window)
    things = RankedThings.of(wanted.kind, named, ruled)
    matching = _matching(things, wanted)
    until = _cleared_at(connection, things, matching, ruled, window.storage)
    if wanted.severity is not None and until:
        matching = [n for n in matching if things.things[n][0] not in until]
        until = {}
    return Ranking(things, ruled, window, _ordered(things, matching, wanted, until), until)


def _cleared_at(
    connection: Connection, listed: RankedThings, matching: Sequence[int], ruled: ThingDiagnoses, storage: Storage
) -> Mapping[int, datetime]:
    """By id, of those whose diagnosis names a layer that the newest minutes do not name any more."""
    rows = {listed.things[n][0]: int(listed.row[n]) for n in matching}
    named = {thing_id: row for thing_id, row in rows.items() if row >= 0 and listed.diagnosed.named(row) is not None}
    if not named or ruled.to_at - ruled.from_at > SHORT:
        return {}
    window = (ruled.from_at, ruled.to_at)
    return streak_ends(connection, SCOPES[listed.kind], named, listed.diagnosed, window, ruled.known, storage)


def _matching(listed: RankedThings, wanted: Wanted) -> list[int]:
    return [
        n
        for n in range(len(listed.things))
        if (wanted.severity is None or listed.severities[n] is wanted.severity)
        and (wanted.confidence is None or listed.confidences[n] is wanted.confidence)
        and (wanted.layer is None or _names(listed, n, wanted.layer))
    ]


def _names(listed: RankedThings, n: int, layer: Layer) -> bool:
    row = int(listed.row[n])
    if row < 0:
        return False
    spans = (listed.diagnosed.named(row), listed.diagnosed.other(row))
    return any(span is not None and SPAN_LAYERS[span, layer] > 0 for span in spans)


def _ordered(listed: RankedThings, matching: Sequence[int], wanted: Wanted, until: Mapping[int, datetime]) -> list[int]:
    """What has no number comes last either way, and equals stay in order of name.

    By excess_outstanding, the severity comes first: a little excess of very many I/Os is no reason to look at it first. What has
    cleared comes after what still is elevated.
    """
    if wanted.order == "name":
        return list(reversed(matching)) if wanted.descending else list(matching)
    numbers = _sorted_by(listed, wanted.order)[matching]
    unknown = np.isnan(numbers)
    signed = np.where(unknown, 0.0, -numbers if wanted.descending else numbers)
    order = np.lexsort((signed, _by_severity(listed, matching, wanted, until), unknown))
    return [matching[n] for n in order.tolist()]


# What has no severity has no excess either, and is last by that; what has cleared stands before what was normal all the time.
_RANK: Mapping[Severity | None, int] = {None: 0, Severity.NORMAL: 1, Severity.ELEVATED: 2, Severity.HIGH: 3}
_CLEARED = 1.5


def _by_severity(
    listed: RankedThings, matching: Sequence[int], wanted: Wanted, until: Mapping[int, datetime]
) -> Floats:
    if wanted.order != "excess_outstanding":
        return np.zeros(len(matching))
    cleared = [listed.things[n][0] in until for n in matching]
    severity = np.array([_RANK[listed.severities[n]] for n in matching], dtype=np.float64)
    rank = np.where(cleared, np.minimum(severity, _CLEARED), severity)
    return -rank if wanted.descending else rank


def _sorted_by(listed: RankedThings, order: Order) -> Floats:
    found = listed.diagnosed
    match order:
        case "excess":
            numbers = np.where(
                [state is DiagnosisState.JUDGED for state in found.states], found.diagnoses.total_excess, np.nan
            )
        case "latency":
            numbers = found.total_us
        case "iops":
            numbers = measured_iops(found)
        case _:
            numbers = found.excess_outstanding
    return listed.number(numbers)


def measured_iops(diagnosed: DiagnosedRows) -> Floats:
    rate: Floats = diagnosed.ops / diagnosed.wall_s
    return rate
