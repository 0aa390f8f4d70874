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
from gavel.api.problems import FAULT, status_and_title
from gavel.api.ranges import OptionalRangeDep, TimeRange, TrendDep
from gavel.api.routes.diagnoses import LeafKind, ThingId
from gavel.api.routes.series import event_out
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.diagnoses import DiagnosisAnswer
from gavel.api.schemas.summary import HappenedOut, SummaryOut
from gavel.db.engine import Connection, part_of, reading
from gavel.db.errors import UnavailableError
from gavel.db.queries import arrays, datastores, hosts, vms, volumes
from gavel.db.queries.arrays import ArrayDetail
from gavel.db.queries.datastores import DatastoreDetail
from gavel.db.queries.hosts import HostDetail
from gavel.db.queries.refs import RefKind
from gavel.db.queries.vms import VmDetail
from gavel.db.queries.volumes import VolumeDetail
from gavel.diagnosis.breakdown import Waterfall
from gavel.diagnosis.contributors import Contributors
from gavel.domain.errors import GavelError
from gavel.views.hosts import HostRows
from gavel.views.summary import FailedSection, Happened, SectionName, SummarySections

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
        made = {name: _make_section(connection, name, make) for name, make in sections.items()}
    failed = [section for section in made.values() if isinstance(section, FailedSection)]
    whole = {name: None if isinstance(section, FailedSection) else section for name, section in made.items()}
    return Response(msgspec.json.encode({"hosts": None} | whole | {"failed": failed}), media_type="application/json")


def _make_section(
    connection: Connection, name: SectionName, make: Callable[[], msgspec.Raw]
) -> msgspec.Raw | FailedSection:
    """A failing statement or a fault costs its section and none of the others. Raises UnavailableError, which all would meet.

    The answer carries the error, so that a page need not ask an overloaded database for the same section again.
    """
    try:
        with part_of(connection):
            return make()
    except UnavailableError:
        raise
    except GavelError as error:
        log.warning("a section of a summary failed", section=name, error=str(error))
        return FailedSection(name, status_and_title(error)[0], str(error))
    except Exception:
        log.exception("a section of a summary failed", section=name)
        return FailedSection(name, 500, FAULT)


def _written(answer: TypeAdapter[Any], value: object) -> msgspec.Raw:
    return msgspec.Raw(answer.dump_json(answer.validate_python(value, from_attributes=True)))


def _happened_out(happened: Happened, trend: TimeRange) -> HappenedOut:
    return HappenedOut(
        from_at=trend.from_at,
        to_at=trend.to_at,
        gaps=[source_gap_out(gap) for gap in happened.gaps],
        events=[event_out(event) for event in happened.events],
    )
