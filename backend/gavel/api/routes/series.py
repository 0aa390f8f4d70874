"""Raw numbers of both sides over time."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from gavel.api.convert import gap_out
from gavel.api.deps import AppDep, AppState, ReaderOnly
from gavel.api.inputs import Id
from gavel.api.ranges import RangeDep, TimeRange
from gavel.api.schemas.common import SourceRef
from gavel.api.schemas.series import ArrayTraffic, Column, EventOut, Group, Series
from gavel.db.engine import Connection, reading
from gavel.db.queries.array_traffic import array_series as array_and_ports
from gavel.db.queries.events import Event, events_of
from gavel.db.queries.gaps import Gap, gaps
from gavel.db.queries.refs import RefKind
from gavel.db.queries.series import BucketedSeries, SeriesGroup, series
from gavel.db.queries.sources import SourceRow, sources
from gavel.diagnosis.evidence import label, quantity_label

router = APIRouter(tags=["series"], dependencies=[ReaderOnly])

Points = Annotated[int, Query(ge=10, le=1000, description="maximum number of buckets")]
Detail = Annotated[Literal["none", "parts"], Query(description="`parts` adds a group per device, disk and volume")]


@router.get("/datastores/{datastore_id}/series")
def datastore_series(
    datastore_id: Id, app: AppDep, window: RangeDep, points: Points = 700, detail: Detail = "none"
) -> Series:
    return series_of(app, RefKind.DATASTORE, datastore_id, window, points, detail)


@router.get("/vms/{vm_id}/series")
def vm_series(vm_id: Id, app: AppDep, window: RangeDep, points: Points = 700, detail: Detail = "none") -> Series:
    return series_of(app, RefKind.VM, vm_id, window, points, detail)


@router.get("/hosts/{host_id}/series")
def host_series(host_id: Id, app: AppDep, window: RangeDep, points: Points = 700, detail: Detail = "none") -> Series:
    return series_of(app, RefKind.HOST, host_id, window, points, detail)


@router.get("/volumes/{volume_id}/series")
def volume_series(
    volume_id: Id, app: AppDep, window: RangeDep, points: Points = 700, detail: Detail = "none"
) -> Series:
    return series_of(app, RefKind.VOLUME, volume_id, window, points, detail)


@router.get("/arrays/{array_id}/series")
def array_series(array_id: Id, app: AppDep, window: RangeDep, points: Points = 700, detail: Detail = "none") -> Series:
    return series_of(app, RefKind.ARRAY, array_id, window, points, detail)


@router.get("/arrays/{array_id}/traffic")
def array_traffic(array_id: Id, app: AppDep, window: RangeDep, points: Points = 700) -> ArrayTraffic:
    with reading(app.engine) as connection:
        found = array_and_ports(connection, array_id, window.from_at, window.to_at, points=points)
        beside = _beside(connection, found.whole, RefKind.ARRAY, array_id, window)
    return ArrayTraffic(
        **_series(found.whole, beside),
        ports=list(found.ports),
        ports_kept_from_at=found.ports_kept_from_at,
        ports_keep_s=round(found.ports_keep.total_seconds()),
    )


def series_of(app: AppState, subject: RefKind, subject_id: int, window: TimeRange, points: int, detail: str) -> Series:
    """Counters of both sides of an object, with gaps and events."""
    with reading(app.engine) as connection:
        found = series(
            connection, subject, subject_id, window.from_at, window.to_at, points=points, parts=detail == "parts"
        )
        beside = _beside(connection, found, subject, subject_id, window)
    return Series(**_series(found, beside))


@dataclass(frozen=True, slots=True)
class _Beside:
    """What stands beside the numbers of a range: sources by id, missing intervals, events."""

    sources: dict[int, SourceRow]
    gaps: tuple[Gap, ...]
    events: tuple[Event, ...]


def _beside(
    connection: Connection, whole: BucketedSeries, subject: RefKind, subject_id: int, window: TimeRange
) -> _Beside:
    involved = tuple({ref.id for group in whole.groups for ref in group.sources})
    return _Beside(
        sources={row.id: row for row in sources(connection)},
        gaps=gaps(connection, involved, window.from_at, window.to_at),
        events=tuple(events_of(connection, subject, subject_id, window.from_at, window.to_at)),
    )


def _series(whole: BucketedSeries, beside: _Beside) -> dict[str, Any]:
    """The fields of a `Series`."""
    kinds = {row.id: row.kind.value for row in beside.sources.values()}
    return {
        "from_at": whole.from_at,
        "to_at": whole.to_at,
        "step_s": whole.step_s,
        "resolution": whole.resolution,
        "times_ms": whole.times_ms,
        "groups": [_group(group, kinds) for group in whole.groups],
        "gaps": [gap_out(gap, beside.sources) for gap in beside.gaps],
        "events": [event_out(event) for event in beside.events],
    }


def _group(group: SeriesGroup, kinds: dict[int, str]) -> Group:
    is_whole = group.scope == "whole"
    return Group(
        side=group.side,
        level=group.level,
        scope=group.scope,
        entity=group.entity,
        owner=group.owner,
        own_name=group.own_name,
        sources=[SourceRef(id=ref.id, kind=kinds[ref.id], name=ref.name) for ref in group.sources],
        columns=[
            Column(
                name=column.name,
                label=label(column, is_whole=is_whole),
                quantity=column.quantity,
                quantity_label=quantity_label(column, is_whole=is_whole),
                unit=column.unit,
                direction=column.direction,
                counter=column.counter,
                precision=column.precision,
                values=column.values,
            )
            for column in group.columns
        ],
    )


def event_out(event: Event) -> EventOut:
    change = " → ".join(part for part in (event.before, event.after) if part)
    words = event.kind.replace("_", " ")
    text = f"{event.subject_name}: {words}{f' {change}' if change else ''}"
    subject = event.subject
    return EventOut(at=event.happened_at, kind=event.kind, label=words, text=text, subject=subject)
