"""Whose latency it is: the estate ranked, and verdict, waterfall, occupancy, latency and contributors of one thing."""

from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, TypeVar

import msgspec
from fastapi import APIRouter, Path, Query, Response

from gavel.api.convert import fields_of
from gavel.api.deps import House, HouseDep, NowDep, ReaderOnly
from gavel.api.ranges import Limit, OptionalRange, OptionalRangeDep, RangeDep
from gavel.api.routes.series import Points, series_of
from gavel.api.schemas.common import Out
from gavel.api.schemas.overview import OverviewOut
from gavel.api.schemas.series import Series
from gavel.api.schemas.verdicts import (
    CertaintyName,
    ContributorsOut,
    DeltasOut,
    HostRowsOut,
    LatencyOut,
    LayerName,
    OccupancyOut,
    VerdictOut,
    WaterfallOut,
)
from gavel.db.engine import Connection, reading
from gavel.db.queries.rows import RefKind
from gavel.domain.io_path import Certainty, Layer
from gavel.pipeline import contributing, deltas, host_rows, latencies, rankings, rulings, waterfalls
from gavel.pipeline.summing import asked_window

router = APIRouter(tags=["verdicts"], dependencies=[ReaderOnly])
Model = TypeVar("Model", bound=Out)


class Kind(StrEnum):
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
    """Those whose virtual disks and devices are known one by one."""

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
    Query(ge=60, multiple_of=60, description="seconds per bucket, whole minutes; left out, a sensible width"),
]


@router.get("/overview")
def overview(
    here: HouseDep,
    at: NowDep,
    window: OptionalRangeDep,
    kind: Kind = Kind.DATASTORES,
    search: Annotated[str, Query(max_length=200)] = "",
    layer: Annotated[LayerName | None, Query(description="only things whose verdict names it")] = None,
    certainty: Annotated[CertaintyName | None, Query(description="only verdicts that are as sure")] = None,
    sort: Annotated[rankings.Order, Query(description="what has no number comes last")] = "impact",
    order: Annotated[rankings.Way, Query()] = "desc",
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> OverviewOut:
    """The estate by layer, and its things by what they lose. Without a range: the last five minutes that have been attributed."""
    wanted = rankings.Wanted(
        kind=kind.ref,
        search=search.strip(),
        layer=Layer[layer.upper()] if layer else None,
        certainty=Certainty(certainty) if certainty else None,
        order=sort,
        descending=order == "desc",
        limit=limit,
        offset=offset,
    )
    with reading(here.engine) as connection:
        from_at, to_at = asked_window(connection, window.from_at, window.to_at, at)
        found = rankings.overview(connection, wanted, from_at, to_at)
    return OverviewOut.model_validate(fields_of(found) | {"limit": limit, "offset": offset})


@router.get("/estate/latency", response_model=LatencyOut)
def estate_latency(here: HouseDep, window: RangeDep, step: Step = None) -> Response:
    """Everything together over time, as of one thing; its queues as a sum only."""
    with reading(here.engine) as connection:
        found = latencies.estate_latency(connection, window.from_at, window.to_at, _width(step))
    return _columns(found)


@router.get("/{kind}/{thing_id}/latency", response_model=LatencyOut)
def latency(kind: Kind, thing_id: ThingId, here: HouseDep, window: RangeDep, step: Step = None) -> Response:
    """Over time, columnar, in at most 1,000 buckets: bands of the stack, and layers with their bounds."""
    with reading(here.engine) as connection:
        found = latencies.latency(connection, kind.ref, thing_id, window.from_at, window.to_at, _width(step))
    return _columns(found)


def _width(step: int | None) -> timedelta | None:
    return None if step is None else timedelta(seconds=step)


def _columns(found: latencies.Latency) -> Response:
    # Some 50,000 numbers: written straight from the columns, where NaN becomes null; tests hold the answer against its model.
    return Response(msgspec.json.encode(found), media_type="application/json")


@router.get("/{kind}/{thing_id}/waterfall")
def waterfall(kind: Kind, thing_id: ThingId, here: HouseDep, at: NowDep, window: OptionalRangeDep) -> WaterfallOut:
    """One window of reads, writes and all: layers with bounds and what is expected of them, and parts that add up to the total."""
    return _answer(WaterfallOut, waterfalls.waterfall, here, at, window, kind.ref, thing_id)


@router.get("/{kind}/{thing_id}/occupancy")
def occupancy(kind: Kind, thing_id: ThingId, here: HouseDep, at: NowDep, window: OptionalRangeDep) -> OccupancyOut:
    """How many I/Os are inside each layer on average."""
    return _answer(OccupancyOut, waterfalls.occupancy, here, at, window, kind.ref, thing_id)


@router.get("/{kind}/{thing_id}/verdict")
def verdict(kind: Kind, thing_id: ThingId, here: HouseDep, at: NowDep, window: OptionalRangeDep) -> VerdictOut:
    """Which layer loses time, how much, how sure that is, since when, and the raw numbers behind it."""
    with reading(here.engine) as connection:
        from_at, to_at = asked_window(connection, window.from_at, window.to_at, at)
        found = rulings.verdict(connection, kind.ref, thing_id, from_at, to_at)
    return VerdictOut.model_validate(found)


@router.get("/{kind}/{thing_id}/evidence")
def evidence(kind: LeafKind, thing_id: ThingId, here: HouseDep, window: RangeDep, points: Points = 700) -> Series:
    """The raw numbers of both sides over time, together and of each device, virtual disk and volume."""
    return series_of(here, kind.ref, thing_id, window, points, "parts")


@router.get("/{kind}/{thing_id}/contributors")
def contributors(
    kind: LeafKind, thing_id: ThingId, here: HouseDep, at: NowDep, window: OptionalRangeDep, layer: LayerName = "kernel"
) -> ContributorsOut:
    """Who the layer's time belongs to: VMs (of a VM: its virtual disks) and hosts (of a host: its devices), the largest first."""

    def asked(connection: Connection, ref: RefKind, thing: int, from_at: datetime, to_at: datetime) -> object:
        return contributing.contributors(connection, ref, thing, from_at, to_at, Layer[layer.upper()])

    return _answer(ContributorsOut, asked, here, at, window, kind.ref, thing_id)


@router.get("/datastores/{thing_id}/deltas")
def datastore_deltas(thing_id: ThingId, here: HouseDep, at: NowDep, window: OptionalRangeDep) -> DeltasOut:
    """The differences of neighbouring measurements, with intervals, against what is expected of them."""

    def asked(connection: Connection, _: RefKind, thing: int, from_at: datetime, to_at: datetime) -> object:
        return deltas.deltas(connection, thing, from_at, to_at)

    return _answer(DeltasOut, asked, here, at, window, RefKind.DATASTORE, thing_id)


@router.get("/datastores/{thing_id}/hosts")
def datastore_hosts(thing_id: ThingId, here: HouseDep, at: NowDep, window: OptionalRangeDep) -> HostRowsOut:
    """What each host's own counters say of the datastore, beside its queue depth and how many of its VMs are active there."""

    def asked(connection: Connection, _: RefKind, thing: int, from_at: datetime, to_at: datetime) -> object:
        return host_rows.host_rows(connection, thing, from_at, to_at)

    return _answer(HostRowsOut, asked, here, at, window, RefKind.DATASTORE, thing_id)


def _answer(
    model: type[Model],
    asked: Callable[[Connection, RefKind, int, datetime, datetime], object],
    here: House,
    at: datetime,
    window: OptionalRange,
    kind: RefKind,
    thing_id: int,
) -> Model:
    with reading(here.engine) as connection:
        from_at, to_at = asked_window(connection, window.from_at, window.to_at, at)
        return model.model_validate(asked(connection, kind, thing_id, from_at, to_at))
