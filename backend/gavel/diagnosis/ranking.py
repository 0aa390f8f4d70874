"""The whole environment at a glance: by layer, and its things ranked by what they lose."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.segments import SPAN_LAYERS
from gavel.analysis.topology import Index
from gavel.db.engine import Connection
from gavel.db.queries.ledger import Detail, ledger
from gavel.db.queries.object_filter import NO_FILTER, ObjectFilter
from gavel.db.queries.owners import Owner, owners
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.scopes import SCOPES, arrays_behind, ledger_until, present_things
from gavel.db.series.modes import Storage, storage
from gavel.diagnosis.baselines import UsualOf, hours_of, usual
from gavel.diagnosis.cause import Cause
from gavel.diagnosis.diagnose import (
    DiagnosedRows,
    DiagnosisState,
    OccupancyNumbers,
    diagnose_rows,
    occupancies,
)
from gavel.diagnosis.excess import excess_outstanding_of_parts, occupancy_of_parts
from gavel.diagnosis.own_layers import own_severity
from gavel.diagnosis.short_causes import causes_of
from gavel.diagnosis.standing import NOTHING_KNOWN, Standing, standing_of
from gavel.diagnosis.streaks import SHORT, streak_ends
from gavel.domain.fields import fields_of
from gavel.domain.io_path import Confidence, Layer, Severity
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key

Order = Literal["excess_outstanding", "excess", "latency", "iops", "name"]
Way = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which things, in which order. layer: those whose diagnosis names it; severity, confidence: those that are as bad, as sure."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedObject(Standing):
    """One object. Without a minute of the window in the ledger its state is `no_data`. `arrays`: those it is on; of a stretched pod two.

    `cause`: null where no layer is named, where nothing is known of disks, devices and volumes, and over windows of more than an hour.
    """

    subject: EntityRef
    owner: Owner | None
    arrays: tuple[EntityRef, ...]
    cause: Cause | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentStanding(Standing):
    """The whole environment, and the outstanding I/Os by layer. `excess_outstanding`: sum over all datastores, whatever the filters.

    `occupancy`: I/Os of datastores whose diagnosis is inconclusive are not in its two layers but in a separate one, "kernel_or_san".
    """

    occupancy: tuple[OccupancyNumbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over all rows that match, not only this page's; `by_severity` counts those with a diagnosis that holds, `ended` those that have
    an `until_at`; `by_confidence` those that name a layer, `by_state` all.

    `total_us`, `excess_us`: of all their I/Os together, weighted by operations.
    """

    iops: float
    total_us: float | None
    excess_us: float | None
    excess_outstanding: float
    by_severity: Mapping[str, int]
    by_confidence: Mapping[str, int]
    by_state: Mapping[str, int]
    ended: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    from_at: datetime
    to_at: datetime
    ledger_until_at: datetime | None
    environment: EnvironmentStanding
    totals: Totals
    items: tuple[RankedObject, ...]
    total: int


@dataclass(frozen=True, slots=True)
class _Listed:
    """n things (id, name) in order of name; `row`: (n,) which row of `diagnosed` is theirs, −1 for those that the ledger does not have."""

    kind: RefKind
    things: Sequence[tuple[int, str]]
    diagnosed: DiagnosedRows
    row: Index
    states: Sequence[DiagnosisState]
    severities: Sequence[Severity | None]
    confidences: Sequence[Confidence | None]

    @classmethod
    def of(cls, kind: RefKind, things: Sequence[tuple[int, str]], ruled: "_Ruled") -> "_Listed":
        row, found = _rows_of(things, ruled.ids), ruled.diagnosed
        rows = row.tolist()
        states = [found.states[n] if n >= 0 else DiagnosisState.NO_DATA for n in rows]
        severities = [own_severity(kind, found, n) if n >= 0 else None for n in rows]
        confidences = [found.confidences[n] if n >= 0 else None for n in rows]
        return cls(kind, things, found, row, states, severities, confidences)

    def number(self, numbers: Floats) -> Floats:
        """(n,) of each thing; NaN where it has none."""
        return np.where(self.row >= 0, numbers[self.row], np.nan) if len(numbers) else np.full(len(self.row), np.nan)


@dataclass(frozen=True, slots=True)
class _Window:
    """storage: what retention depends on."""

    from_at: datetime
    to_at: datetime
    storage: Storage


def overview(connection: Connection, wanted: Wanted, from_at: datetime, to_at: datetime) -> Overview:
    """Raises ValueError for an empty range."""
    window = _Window(from_at, to_at, storage(connection))
    environment = _judge(connection, ScopeKind.ENVIRONMENT, [ENVIRONMENT_ID], window)
    things = present_things(connection, wanted.kind, wanted.search, wanted.filter)
    ruled = _judge(connection, SCOPES[wanted.kind], [thing_id for thing_id, _ in things], window)
    is_whole = wanted.kind is RefKind.DATASTORE and not wanted.search and wanted.filter.is_empty
    parts = ruled if is_whole else _datastores(connection, window)
    listed = _Listed.of(wanted.kind, things, ruled)
    matching = _matching(listed, wanted)
    ranked = _ordered(listed, matching, wanted)
    page = ranked[wanted.offset : wanted.offset + wanted.limit]
    facts = _facts(connection, wanted.kind, [things[n][0] for n in page])
    until = _ended(connection, listed, matching, ruled, window.storage)
    causes = _causes(connection, listed, page, ruled, window.storage)
    return Overview(
        from_at=ruled.from_at,
        to_at=ruled.to_at,
        ledger_until_at=ledger_until(connection),
        environment=_environment(environment, parts.diagnosed),
        totals=_totals(listed, matching, until),
        items=tuple(_ranked(listed, n, facts, until, causes) for n in page),
        total=len(matching),
    )


@dataclass(frozen=True, slots=True)
class _Ruled:
    """(m,) things that the ledger has in the window, in order of id. known: what is usual of all that were asked for."""

    ids: Index
    known: UsualOf
    diagnosed: DiagnosedRows
    from_at: datetime
    to_at: datetime


def _judge(connection: Connection, scope: ScopeKind, ids: Sequence[int], window: _Window) -> _Ruled:
    wanted = np.sort(np.array(ids, dtype=np.int64))
    keys = scope_key(scope, 0) + wanted
    found = ledger(connection, keys.tolist(), window.from_at, window.to_at, None, Detail.LAYERS, storage=window.storage)
    position = np.searchsorted(keys, found.keys)
    hours = np.tile(hours_of(found.from_at, found.to_at), (len(found), 1))
    known = usual(connection, scope, wanted.tolist())
    ruled = diagnose_rows(found, scope, position, known, hours)
    return _Ruled(wanted[position], UsualOf(wanted, known), ruled, found.from_at, found.to_at)


def _datastores(connection: Connection, window: _Window) -> _Ruled:
    things = present_things(connection, RefKind.DATASTORE)
    return _judge(connection, ScopeKind.DATASTORE, [thing_id for thing_id, _ in things], window)


def _rows_of(things: Sequence[tuple[int, str]], ids: Index) -> Index:
    wanted = np.array([thing_id for thing_id, _ in things], dtype=np.int64)
    if len(ids) == 0:
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, -1)


def _matching(listed: _Listed, wanted: Wanted) -> list[int]:
    return [
        n
        for n in range(len(listed.things))
        if (wanted.severity is None or listed.severities[n] is wanted.severity)
        and (wanted.confidence is None or listed.confidences[n] is wanted.confidence)
        and (wanted.layer is None or _names(listed, n, wanted.layer))
    ]


def _names(listed: _Listed, n: int, layer: Layer) -> bool:
    row = int(listed.row[n])
    if row < 0:
        return False
    spans = (listed.diagnosed.named(row), listed.diagnosed.other(row))
    return any(span is not None and SPAN_LAYERS[span, layer] > 0 for span in spans)


def _ordered(listed: _Listed, matching: Sequence[int], wanted: Wanted) -> list[int]:
    """What has no number comes last either way, and equals stay in order of name.

    By excess_outstanding, the severity comes first: a little excess of very many I/Os is no reason to look at it first.
    """
    if wanted.order == "name":
        return list(reversed(matching)) if wanted.descending else list(matching)
    numbers = _sorted_by(listed, wanted.order)[matching]
    unknown = np.isnan(numbers)
    signed = np.where(unknown, 0.0, -numbers if wanted.descending else numbers)
    order = np.lexsort((signed, _by_severity(listed, matching, wanted), unknown))
    return [matching[n] for n in order.tolist()]


# What has no severity has no excess either, and is last by that.
_RANK: Mapping[Severity | None, int] = {None: 0, Severity.NORMAL: 1, Severity.ELEVATED: 2, Severity.HIGH: 3}


def _by_severity(listed: _Listed, matching: Sequence[int], wanted: Wanted) -> Index:
    if wanted.order != "excess_outstanding":
        return np.zeros(len(matching), dtype=np.int64)
    rank = np.array([_RANK[listed.severities[n]] for n in matching], dtype=np.int64)
    return -rank if wanted.descending else rank


def _sorted_by(listed: _Listed, order: Order) -> Floats:
    found = listed.diagnosed
    match order:
        case "excess":
            numbers = np.where(
                [state is DiagnosisState.JUDGED for state in found.states], found.diagnoses.total_excess, np.nan
            )
        case "latency":
            numbers = found.total_us
        case "iops":
            numbers = _iops(found)
        case _:
            numbers = found.excess_outstanding
    return listed.number(numbers)


def _iops(diagnosed: DiagnosedRows) -> Floats:
    rate: Floats = diagnosed.ops / diagnosed.wall_s
    return rate


def _totals(listed: _Listed, matching: Sequence[int], until: Mapping[int, datetime]) -> Totals:
    of = np.array(matching, dtype=np.int64)
    judged_here = [n for n in matching if listed.states[n] is DiagnosisState.JUDGED]
    return Totals(
        iops=float(np.nansum(listed.number(_iops(listed.diagnosed))[of])),
        total_us=_mean_us(listed, listed.diagnosed.total_us, matching),
        excess_us=_mean_us(listed, listed.diagnosed.diagnoses.total_excess, judged_here),
        excess_outstanding=float(np.nansum(listed.number(listed.diagnosed.excess_outstanding)[of])),
        by_severity=Counter(str(listed.severities[n]) for n in judged_here if listed.things[n][0] not in until),
        by_confidence=Counter(str(one) for n in judged_here if (one := listed.confidences[n]) is not None),
        by_state=Counter(str(listed.states[n]) for n in matching),
        ended=len(until),
    )


def _mean_us(listed: _Listed, times_us: Floats, things: Sequence[int]) -> float | None:
    """Of all I/Os of these things: the mean of their times, weighted by operations."""
    of = np.array(things, dtype=np.int64)
    us, ops = listed.number(times_us)[of], listed.number(listed.diagnosed.ops)[of]
    measured = ~np.isnan(us) & (ops > 0)
    return float(np.average(us[measured], weights=ops[measured])) if measured.any() else None


def _ended(
    connection: Connection, listed: _Listed, matching: Sequence[int], ruled: _Ruled, storage: Storage
) -> Mapping[int, datetime]:
    """By id, of those whose diagnosis names a layer that the newest minutes do not name any more."""
    rows = {listed.things[n][0]: int(listed.row[n]) for n in matching}
    named = {thing_id: row for thing_id, row in rows.items() if row >= 0 and listed.diagnosed.named(row) is not None}
    if not named or ruled.to_at - ruled.from_at > SHORT:
        return {}
    window = (ruled.from_at, ruled.to_at)
    return streak_ends(connection, SCOPES[listed.kind], named, listed.diagnosed, window, ruled.known, storage)


def _causes(
    connection: Connection, listed: _Listed, page: Sequence[int], ruled: _Ruled, storage: Storage
) -> Mapping[int, Cause]:
    """By id, of those on the page whose diagnosis names a layer."""
    named = {
        EntityRef(listed.kind, *listed.things[n]): int(listed.row[n])
        for n in page
        if listed.row[n] >= 0 and listed.diagnosed.named(int(listed.row[n])) is not None
    }
    window = (ruled.from_at, ruled.to_at)
    return causes_of(connection, SCOPES[listed.kind], named, listed.diagnosed, window, ruled.known, storage)


@dataclass(frozen=True, slots=True)
class _Facts:
    """Of the things on a page, by id."""

    arrays: Mapping[int, tuple[EntityRef, ...]]
    owners: Mapping[int, Owner]


def _facts(connection: Connection, kind: RefKind, ids: Sequence[int]) -> _Facts:
    return _Facts(arrays_behind(connection, kind, ids), owners(connection, kind, ids))


def _ranked(
    listed: _Listed,
    n: int,
    facts: _Facts,
    until: Mapping[int, datetime],
    causes: Mapping[int, Cause],
) -> RankedObject:
    row = int(listed.row[n])
    subject = EntityRef(listed.kind, *listed.things[n])
    standing = standing_of(listed.diagnosed, row, listed.kind, until.get(subject.id)) if row >= 0 else NOTHING_KNOWN
    return RankedObject(
        subject=subject,
        owner=facts.owners.get(subject.id),
        arrays=facts.arrays.get(subject.id, ()),
        cause=causes.get(subject.id),
        **fields_of(standing),
    )


def _environment(ruled: _Ruled, datastores: DiagnosedRows) -> EnvironmentStanding:
    found = ruled.diagnosed
    if len(found) == 0:
        return EnvironmentStanding(occupancy=(), **fields_of(NOTHING_KNOWN))
    whole = excess_outstanding_of_parts(float(found.excess_outstanding[0]), datastores)
    standing = fields_of(standing_of(found, 0)) | {"excess_outstanding": whole}
    layers = occupancy_of_parts(occupancies(found, 0), datastores, float(found.wall_s[0]))
    return EnvironmentStanding(occupancy=tuple(layers), **standing)
