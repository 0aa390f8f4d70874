"""The whole environment at a glance: by layer, and its things ranked by what they lose."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.db.engine import Connection
from gavel.db.queries.owners import Owner, meant_values
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.db.queries.scopes import SCOPES, arrays_behind, ledger_until, present_things
from gavel.diagnosis.cause import Cause
from gavel.diagnosis.diagnose import DiagnosedRows, DiagnosisState, OccupancyNumbers, occupancies
from gavel.diagnosis.excess import excess_outstanding_of_parts, occupancy_of_parts, occupancy_of_rows
from gavel.diagnosis.ranking_rows import (
    RankedThings,
    Ranking,
    RankingWindow,
    ThingDiagnoses,
    Wanted,
    diagnose_things,
    measured_iops,
    rank,
)
from gavel.diagnosis.short_causes import causes_of
from gavel.diagnosis.standing import NOTHING_KNOWN, Standing, standing_of
from gavel.diagnosis.trends import Trend, trends
from gavel.domain.fields import fields_of
from gavel.domain.labels import Meaning
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedObject(Standing):
    """One object. Without a minute of the window in the ledger its state is `no_data`. `arrays`: those it is on; of a stretched pod two.

    `cause`: null where no layer is named, where nothing is known of disks, devices and volumes, and over windows of more than an hour.
    `trend`: of the hour up to the window's end.
    """

    subject: EntityRef
    owner: Owner | None
    application: Owner | None
    arrays: tuple[EntityRef, ...]
    cause: Cause | None
    trend: Trend | None


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

    `total_us`, `excess_us`: of all their I/Os together, weighted by operations. `occupancy`: their I/Os by layer, with a layer
    "kernel_or_san" as in `EnvironmentStanding`; an I/O that two of them pass counts in both.
    """

    iops: float
    total_us: float | None
    excess_us: float | None
    excess_outstanding: float
    by_severity: Mapping[str, int]
    by_confidence: Mapping[str, int]
    by_state: Mapping[str, int]
    ended: int
    occupancy: tuple[OccupancyNumbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    from_at: datetime
    to_at: datetime
    ledger_until_at: datetime | None
    environment: EnvironmentStanding
    totals: Totals
    items: tuple[RankedObject, ...]
    total: int


def overview(connection: Connection, wanted: Wanted, from_at: datetime, to_at: datetime) -> Overview:
    """Raises ValueError for an empty range."""
    window = RankingWindow.of(connection, from_at, to_at)
    environment = diagnose_things(connection, ScopeKind.ENVIRONMENT, [ENVIRONMENT_ID], window)
    ranking = rank(connection, wanted, window)
    is_whole = wanted.kind is RefKind.DATASTORE and not wanted.search and wanted.filter.is_empty
    parts = ranking.ruled if is_whole else _datastores(connection, window)
    return Overview(
        from_at=ranking.ruled.from_at,
        to_at=ranking.ruled.to_at,
        ledger_until_at=ledger_until(connection),
        environment=_environment(environment, parts.diagnosed),
        totals=totals_of(ranking, ranking.order),
        items=ranked_objects(connection, ranking, ranking.page(wanted.limit, wanted.offset)),
        total=len(ranking.order),
    )


def ranked_objects(connection: Connection, ranking: Ranking, page: Sequence[int]) -> tuple[RankedObject, ...]:
    """Those at the positions of `page`, with a number of statements that does not depend on how many they are."""
    facts = _facts(connection, ranking, page)
    return tuple(_ranked(ranking, n, facts) for n in page)


def _datastores(connection: Connection, window: RankingWindow) -> ThingDiagnoses:
    things = present_things(connection, RefKind.DATASTORE)
    return diagnose_things(connection, ScopeKind.DATASTORE, [thing_id for thing_id, _ in things], window)


def totals_of(ranking: Ranking, matching: Sequence[int]) -> Totals:
    """Of those at these positions of its things."""
    listed, until = ranking.things, ranking.until
    of = np.array(matching, dtype=np.int64)
    judged_here = [n for n in matching if listed.states[n] is DiagnosisState.JUDGED]
    return Totals(
        iops=float(np.nansum(listed.number(measured_iops(listed.diagnosed), of))),
        total_us=_mean_us(listed, listed.diagnosed.total_us, matching),
        excess_us=_mean_us(listed, listed.diagnosed.diagnoses.total_excess, judged_here),
        excess_outstanding=float(np.nansum(listed.number(listed.diagnosed.excess_outstanding, of))),
        by_severity=Counter(str(listed.severities[n]) for n in judged_here if listed.things[n][0] not in until),
        by_confidence=Counter(str(one) for n in judged_here if (one := listed.confidences[n]) is not None),
        by_state=Counter(str(listed.states[n]) for n in matching),
        ended=sum(listed.things[n][0] in until for n in matching),
        occupancy=tuple(occupancy_of_rows(listed.diagnosed, [row for row in listed.row[of].tolist() if row >= 0])),
    )


def _mean_us(listed: RankedThings, times_us: Floats, things: Sequence[int]) -> float | None:
    """Of all I/Os of these things: the mean of their times, weighted by operations."""
    of = np.array(things, dtype=np.int64)
    us, ops = listed.number(times_us, of), listed.number(listed.diagnosed.ops, of)
    measured = ~np.isnan(us) & (ops > 0)
    return float(np.average(us[measured], weights=ops[measured])) if measured.any() else None


def _causes(connection: Connection, ranking: Ranking, page: Sequence[int]) -> Mapping[int, Cause]:
    """By id, of those on the page whose diagnosis names a layer."""
    things, ruled = ranking.things, ranking.ruled
    named = {
        EntityRef(things.kind, *things.things[n]): int(things.row[n])
        for n in page
        if things.row[n] >= 0 and things.diagnosed.named(int(things.row[n])) is not None
    }
    window = (ruled.from_at, ruled.to_at)
    return causes_of(
        connection, SCOPES[things.kind], named, things.diagnosed, window, ruled.known, ranking.window.storage
    )


@dataclass(frozen=True, slots=True)
class _Facts:
    """Of the things on a page, by id."""

    arrays: Mapping[int, tuple[EntityRef, ...]]
    owners: Mapping[int, Owner]
    applications: Mapping[int, Owner]
    causes: Mapping[int, Cause]
    trends: Mapping[int, Trend]


def _facts(connection: Connection, ranking: Ranking, page: Sequence[int]) -> _Facts:
    kind, ids = ranking.things.kind, [ranking.things.things[n][0] for n in page]
    meant = meant_values(connection, kind, ids)
    return _Facts(
        arrays=arrays_behind(connection, kind, ids),
        owners=meant[Meaning.OWNER],
        applications=meant[Meaning.APPLICATION],
        causes=_causes(connection, ranking, page),
        trends=trends(connection, kind, ids, ranking.ruled.to_at, ranking.window.storage),
    )


def _ranked(ranking: Ranking, n: int, facts: _Facts) -> RankedObject:
    things, row = ranking.things, int(ranking.things.row[n])
    subject = EntityRef(things.kind, *things.things[n])
    until = ranking.until.get(subject.id)
    standing = standing_of(things.diagnosed, row, things.kind, until) if row >= 0 else NOTHING_KNOWN
    return RankedObject(
        subject=subject,
        owner=facts.owners.get(subject.id),
        application=facts.applications.get(subject.id),
        arrays=facts.arrays.get(subject.id, ()),
        cause=facts.causes.get(subject.id),
        trend=facts.trends.get(subject.id),
        **fields_of(standing),
    )


def _environment(ruled: ThingDiagnoses, datastores: DiagnosedRows) -> EnvironmentStanding:
    found = ruled.diagnosed
    if len(found) == 0:
        return EnvironmentStanding(occupancy=(), **fields_of(NOTHING_KNOWN))
    whole = excess_outstanding_of_parts(float(found.excess_outstanding[0]), datastores)
    standing = fields_of(standing_of(found, 0)) | {"excess_outstanding": whole}
    layers = occupancy_of_parts(occupancies(found, 0), datastores, float(found.wall_s[0]))
    return EnvironmentStanding(occupancy=tuple(layers), **standing)
