"""Diagnoses: the environment ranked, and diagnosis, breakdown, occupancy, latency and contributors of one object."""

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, TypeVar

import msgspec
from fastapi import APIRouter, Path, Query, Response

from gavel.api.deps import AppDep, AppState, NowDep, ReaderOnly
from gavel.api.filters import FilterDep
from gavel.api.inputs import Search
from gavel.api.ranges import Limit, OptionalRange, OptionalRangeDep, RangeDep, window_of
from gavel.api.routes.series import Points, series_of
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.diagnoses import SEVERITY_LASTS, ConfidenceName, DiagnosisAnswer, OverviewOut, SeverityName
from gavel.api.schemas.series import Series
from gavel.api.slots import AnswerSlots
from gavel.db.engine import Connection, reading
from gavel.db.queries.ranking_state import RankingState, ranking_state
from gavel.db.queries.refs import RefKind
from gavel.diagnosis import breakdown, explain, ranking
from gavel.diagnosis import contributors as contributing
from gavel.diagnosis.breakdown import Occupancy, Waterfall
from gavel.diagnosis.contributors import Contributors
from gavel.diagnosis.ranking_rows import Order, Wanted, Way
from gavel.domain.fields import fields_of
from gavel.domain.io_path import Confidence, Layer, LayerName, Severity
from gavel.views import compare, hosts, series
from gavel.views.compare import Deltas
from gavel.views.hosts import HostRows
from gavel.views.series import Latency

router = APIRouter(tags=["diagnoses"], dependencies=[ReaderOnly])
Found = TypeVar("Found")


class ScopePath(StrEnum):
    """What the ledger adds up to, as addresses name it."""

    DATASTORES = "datastores"
    VMS = "vms"
    HOSTS = "hosts"
    VOLUMES = "volumes"
    ARRAYS = "arrays"
    CLUSTERS = "clusters"

    @property
    def ref(self) -> RefKind:
        return RefKind(self.value.removesuffix("s"))


class LeafKind(StrEnum):
    """Kinds with data of single virtual disks and devices."""

    DATASTORES = "datastores"
    VMS = "vms"
    HOSTS = "hosts"
    VOLUMES = "volumes"
    ARRAYS = "arrays"

    @property
    def ref(self) -> RefKind:
        return RefKind(self.value.removesuffix("s"))


# Ids of the ledger's keys have 27 bits.
ThingId = Annotated[int, Path(ge=1, lt=2**27)]
Step = Annotated[
    int | None,
    Query(
        ge=60,
        le=400 * 86_400,
        multiple_of=60,
        description="seconds per bucket, whole minutes; default: chosen by the range",
    ),
]


@router.get("/overview", response_model=OverviewOut)
def overview(
    app: AppDep,
    at: NowDep,
    window: OptionalRangeDep,
    narrowed: FilterDep,
    kind: ScopePath = ScopePath.DATASTORES,
    search: Search = "",
    layer: Annotated[LayerName | None, Query(description="only objects whose diagnosis names this layer")] = None,
    severity: Annotated[SeverityName | None, Query(description=SEVERITY_LASTS)] = None,
    confidence: Annotated[ConfidenceName | None, Query(description="only diagnoses with this confidence")] = None,
    sort: Annotated[Order, Query(description="objects without a value come last")] = "excess_outstanding",
    order: Annotated[Way, Query()] = "desc",
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """The environment by layer, and its objects ranked. Without a range: the last five analyzed minutes."""
    wanted = Wanted(
        kind=kind.ref,
        search=search.strip(),
        filter=narrowed,
        layer=Layer[layer.upper()] if layer else None,
        severity=Severity(severity) if severity else None,
        confidence=Confidence(confidence) if confidence else None,
        order=sort,
        descending=order == "desc",
        limit=limit,
        offset=offset,
    )
    if window.from_at is None:
        body = app.kept.answer(wanted, lambda: _state(app), lambda: _ranked(app, app.overviews, wanted, window, at))
    else:
        body = _ranked(app, app.rankings, wanted, window, at)
    return Response(body, media_type="application/json")


def _state(app: AppState) -> RankingState:
    with reading(app.engine) as connection:
        return ranking_state(connection)


def _ranked(app: AppState, slots: AnswerSlots, wanted: Wanted, window: OptionalRange, at: datetime) -> bytes:
    with slots.list_reading(app.engine) as connection:
        found = ranking.overview(connection, wanted, *window_of(connection, window, at))
    page = {"items": list(found.items), "limit": wanted.limit, "offset": wanted.offset}
    return OverviewOut(**fields_of(found) | page).model_dump_json().encode()


@router.get("/environment/latency", response_model=Answer[Latency])
def environment_latency(app: AppDep, window: RangeDep, step: Step = None) -> Response:
    """The whole environment over time, with the columns of one object; its queues as a sum only."""
    with reading(app.engine) as connection:
        found = series.environment_latency(connection, window.from_at, window.to_at, bucket_width(step))
    return _columns(found)


@router.get("/{kind}/{thing_id}/latency", response_model=Answer[Latency])
def latency(kind: ScopePath, thing_id: ThingId, app: AppDep, window: RangeDep, step: Step = None) -> Response:
    """Over time, columnar, in at most 1,000 buckets: bands of the stack, and layers with their bounds."""
    with reading(app.engine) as connection:
        found = series.latency(connection, kind.ref, thing_id, window.from_at, window.to_at, bucket_width(step))
    return _columns(found)


def bucket_width(step: int | None) -> timedelta | None:
    return None if step is None else timedelta(seconds=step)


def _columns(latency: series.Latency) -> Response:
    # Some 50,000 numbers: written straight from the columns, where NaN becomes null; tests hold the answer against its model.
    return Response(msgspec.json.encode(latency), media_type="application/json")


@router.get("/{kind}/{thing_id}/waterfall")
def waterfall(kind: ScopePath, thing_id: ThingId, app: AppDep, window: OptionalRangeDep) -> Answer[Waterfall]:
    """Latency breakdown of one window for reads, writes and all: layers with range and baseline, and segments that add up to the total."""
    return _answer(breakdown.waterfall, app, window, kind.ref, thing_id)


@router.get("/{kind}/{thing_id}/occupancy")
def occupancy(kind: ScopePath, thing_id: ThingId, app: AppDep, window: OptionalRangeDep) -> Answer[Occupancy]:
    """How many I/Os are inside each layer on average."""
    return _answer(breakdown.occupancy, app, window, kind.ref, thing_id)


@router.get("/{kind}/{thing_id}/diagnosis")
def diagnosis(kind: ScopePath, thing_id: ThingId, app: AppDep, window: OptionalRangeDep) -> DiagnosisAnswer:
    """Which layer has the excess latency, how much, with which confidence, since when, and the raw numbers behind it."""
    with reading(app.engine) as connection:
        return explain.diagnosis(connection, kind.ref, thing_id, window.from_at, window.to_at)


@router.get("/{kind}/{thing_id}/evidence")
def evidence(kind: LeafKind, thing_id: ThingId, app: AppDep, window: RangeDep, points: Points = 700) -> Series:
    """The raw numbers of both sides over time, together and of each device, virtual disk and volume."""
    return series_of(app, kind.ref, thing_id, window, points, "parts")


@router.get("/{kind}/{thing_id}/contributors")
def contributors(
    kind: LeafKind, thing_id: ThingId, app: AppDep, window: OptionalRangeDep, layer: LayerName = "kernel"
) -> Answer[Contributors]:
    """Who the layer's time belongs to: VMs (of a VM: its virtual disks) and hosts (of a host: its devices), the largest first."""

    def asked(
        connection: Connection, ref: RefKind, thing: int, from_at: datetime | None, to_at: datetime | None
    ) -> Contributors:
        return contributing.contributors(connection, ref, thing, from_at, to_at, Layer[layer.upper()])

    return _answer(asked, app, window, kind.ref, thing_id)


@router.get("/datastores/{thing_id}/deltas")
def datastore_deltas(thing_id: ThingId, app: AppDep, window: OptionalRangeDep) -> Answer[Deltas]:
    """The differences of neighboring boundaries, with ranges and baselines."""

    def asked(
        connection: Connection, _: RefKind, thing: int, from_at: datetime | None, to_at: datetime | None
    ) -> Deltas:
        return compare.deltas(connection, thing, from_at, to_at)

    return _answer(asked, app, window, RefKind.DATASTORE, thing_id)


@router.get("/datastores/{thing_id}/hosts")
def datastore_hosts(thing_id: ThingId, app: AppDep, window: OptionalRangeDep) -> Answer[HostRows]:
    """Each host's own counters of the datastore, with its queue depth and its number of active VMs."""

    def asked(
        connection: Connection, _: RefKind, thing: int, from_at: datetime | None, to_at: datetime | None
    ) -> HostRows:
        return hosts.host_rows(connection, thing, from_at, to_at)

    return _answer(asked, app, window, RefKind.DATASTORE, thing_id)


def _answer(
    asked: Callable[[Connection, RefKind, int, datetime | None, datetime | None], Found],
    app: AppState,
    window: OptionalRange,
    kind: RefKind,
    thing_id: int,
) -> Found:
    with reading(app.engine) as connection:
        return asked(connection, kind, thing_id, window.from_at, window.to_at)
