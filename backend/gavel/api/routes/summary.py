"""All that the tab Summary of an object's page shows, in one answer from one load of its window."""

from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec
import structlog
from fastapi import APIRouter, Response
from pydantic import BaseModel

from gavel.api.convert import source_gap_out
from gavel.api.deps import AppDep, NowDep, ReaderOnly
from gavel.api.ranges import OptionalRangeDep, TimeRange, TrendDep
from gavel.api.routes import entities
from gavel.api.routes.diagnoses import LeafKind, ThingId
from gavel.api.routes.series import event_out
from gavel.api.schemas.diagnoses import ContributorsOut, DiagnosisOut, HostRowsOut, WaterfallOut
from gavel.api.schemas.summary import HappenedOut, SectionName, SummaryOut
from gavel.db.engine import Connection, reading
from gavel.db.queries.rows import RefKind
from gavel.views.summary import Happened, SummarySections

router = APIRouter(tags=["diagnoses"], dependencies=[ReaderOnly])
log = structlog.get_logger(__name__)

_OBJECTS: Mapping[RefKind, Callable[[Connection, int, datetime], BaseModel]] = {
    RefKind.DATASTORE: entities.datastore_out,
    RefKind.VM: entities.vm_out,
    RefKind.HOST: entities.host_out,
    RefKind.VOLUME: entities.volume_out,
    RefKind.ARRAY: entities.array_out,
}


@router.get("/{kind}/{thing_id}/summary", response_model=SummaryOut)
def summary(
    kind: LeafKind, thing_id: ThingId, app: AppDep, at: NowDep, window: OptionalRangeDep, trend: TrendDep
) -> Response:
    """The object, its diagnosis and breakdown over the range (by default the last five analyzed minutes), and its latency, gaps and events
    over the trend's range."""
    with reading(app.engine) as connection:
        loaded = SummarySections(connection, kind.ref, thing_id, (window.from_at, window.to_at))
        sections: dict[SectionName, Callable[[], msgspec.Raw]] = {
            "object": lambda: _model(_OBJECTS[kind.ref](connection, thing_id, at)),
            "diagnosis": lambda: _model(DiagnosisOut.model_validate(loaded.diagnosis())),
            "waterfall": lambda: _model(WaterfallOut.model_validate(loaded.waterfall())),
            # As its own route writes it: some 50,000 numbers, straight from the columns.
            "latency": lambda: msgspec.Raw(msgspec.json.encode(loaded.latency(trend.from_at, trend.to_at))),
            "contributors": lambda: _model(ContributorsOut.model_validate(loaded.contributors())),
            "happened": lambda: _model(_happened_out(loaded.happened(trend.from_at, trend.to_at), trend)),
        }
        if kind.ref is RefKind.DATASTORE:
            sections["hosts"] = lambda: _model(HostRowsOut.model_validate(loaded.hosts()))
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


def _model(answer: BaseModel) -> msgspec.Raw:
    return msgspec.Raw(answer.model_dump_json().encode())


def _happened_out(happened: Happened, trend: TimeRange) -> HappenedOut:
    return HappenedOut(
        from_at=trend.from_at,
        to_at=trend.to_at,
        gaps=[source_gap_out(gap) for gap in happened.gaps],
        events=[event_out(event) for event in happened.events],
    )
