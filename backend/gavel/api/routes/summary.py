"""All that the tab Summary of an object's page shows, in one answer from one load of its window."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import msgspec
import structlog
from fastapi import APIRouter, Response
from pydantic import TypeAdapter

from gavel.api.convert import source_gap_out
from gavel.api.deps import AppDep, NowDep, ReaderOnly
from gavel.api.ranges import OptionalRangeDep, TimeRange, TrendDep
from gavel.api.routes.diagnoses import LeafKind, ThingId
from gavel.api.routes.series import event_out
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.diagnoses import DiagnosisAnswer
from gavel.api.schemas.summary import HappenedOut, SectionName, SummaryOut
from gavel.db.engine import Connection, reading
from gavel.db.queries import arrays, datastores, hosts, vms, volumes
from gavel.db.queries.arrays import ArrayDetail
from gavel.db.queries.datastores import DatastoreDetail
from gavel.db.queries.hosts import HostDetail
from gavel.db.queries.refs import RefKind
from gavel.db.queries.vms import VmDetail
from gavel.db.queries.volumes import VolumeDetail
from gavel.diagnosis.breakdown import Waterfall
from gavel.diagnosis.contributors import Contributors
from gavel.views.hosts import HostRows
from gavel.views.summary import Happened, SummarySections

router = APIRouter(tags=["diagnoses"], dependencies=[ReaderOnly])
log = structlog.get_logger(__name__)

_OBJECTS: Mapping[RefKind, tuple[Callable[[Connection, int, datetime], object], TypeAdapter[Any]]] = {
    RefKind.DATASTORE: (datastores.datastore, TypeAdapter(Answer[DatastoreDetail])),
    RefKind.VM: (vms.vm, TypeAdapter(Answer[VmDetail])),
    RefKind.HOST: (hosts.host, TypeAdapter(Answer[HostDetail])),
    RefKind.VOLUME: (volumes.volume, TypeAdapter(Answer[VolumeDetail])),
    RefKind.ARRAY: (arrays.array, TypeAdapter(Answer[ArrayDetail])),
}
_DIAGNOSIS: TypeAdapter[Any] = TypeAdapter(DiagnosisAnswer)
_WATERFALL: TypeAdapter[Any] = TypeAdapter(Answer[Waterfall])
_CONTRIBUTORS: TypeAdapter[Any] = TypeAdapter(Answer[Contributors])
_HOSTS: TypeAdapter[Any] = TypeAdapter(Answer[HostRows])
_HAPPENED: TypeAdapter[Any] = TypeAdapter(HappenedOut)


@router.get("/{kind}/{thing_id}/summary", response_model=SummaryOut)
def summary(
    kind: LeafKind, thing_id: ThingId, app: AppDep, at: NowDep, window: OptionalRangeDep, trend: TrendDep
) -> Response:
    """The object, its diagnosis and breakdown over the range (by default the last five analyzed minutes), and its latency, gaps and events
    over the trend's range."""
    with reading(app.engine) as connection:
        loaded = SummarySections(connection, kind.ref, thing_id, (window.from_at, window.to_at))
        load, answer = _OBJECTS[kind.ref]
        sections: dict[SectionName, Callable[[], msgspec.Raw]] = {
            "object": lambda: _written(answer, load(connection, thing_id, at)),
            "diagnosis": lambda: _written(_DIAGNOSIS, loaded.diagnosis()),
            "waterfall": lambda: _written(_WATERFALL, loaded.waterfall()),
            # As its own route writes it: some 50,000 numbers, straight from the columns.
            "latency": lambda: msgspec.Raw(msgspec.json.encode(loaded.latency(trend.from_at, trend.to_at))),
            "contributors": lambda: _written(_CONTRIBUTORS, loaded.contributors()),
            "happened": lambda: _written(_HAPPENED, _happened_out(loaded.happened(trend.from_at, trend.to_at), trend)),
        }
        if kind.ref is RefKind.DATASTORE:
            sections["hosts"] = lambda: _written(_HOSTS, loaded.hosts())
        made = {name: _made(name, make) for name, make in sections.items()}
    failed = [name for name, section in made.items() if section is None]
    return Response(msgspec.json.encode({"hosts": None} | made | {"failed": failed}), media_type="application/json")


def _made(name: str, make: Callable[[], msgspec.Raw]) -> msgspec.Raw | None:
    """A fault in one section is none of the others: the page then asks its own address, which says what is wrong."""
    try:
        return make()
    except Exception:
        log.exception("a section of a summary failed", section=name)
        return None


def _written(answer: TypeAdapter[Any], value: object) -> msgspec.Raw:
    return msgspec.Raw(answer.dump_json(answer.validate_python(value, from_attributes=True)))


def _happened_out(happened: Happened, trend: TimeRange) -> HappenedOut:
    return HappenedOut(
        from_at=trend.from_at,
        to_at=trend.to_at,
        gaps=[source_gap_out(gap) for gap in happened.gaps],
        events=[event_out(event) for event in happened.events],
    )
