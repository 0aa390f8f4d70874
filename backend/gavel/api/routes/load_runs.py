"""Test runs of load tools: beside Gavel's layers of the same minutes, and one against another."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from gavel.api.deps import AppDep, ReaderOnly
from gavel.api.inputs import INT32_MAX, Id
from gavel.api.problems import refuses
from gavel.api.schemas.answer import Answer
from gavel.db.engine import reading
from gavel.db.queries.refs import EntityRef, RefKind, require
from gavel.domain.load_runs import RunTie, TieKind
from gavel.views.load_runs import ComparedRuns, RunChanges, compared_runs, run_changes
from gavel.views.run_latency import RunLatency, run_latency

router = APIRouter(tags=["imports"], dependencies=[ReaderOnly])

RunId = Annotated[int, Query(ge=1, le=INT32_MAX)]


class TiedPath(StrEnum):
    """What a test run is tied to, as addresses name it."""

    VMS = "vms"
    DATASTORES = "datastores"
    VOLUMES = "volumes"

    @property
    def tie(self) -> TieKind:
        return _TIES[self]

    @property
    def noun(self) -> str:
        return "VM" if self is TiedPath.VMS else self.tie.capitalize()

    def is_of(self, subject: EntityRef, thing_id: int) -> bool:
        return (subject.kind, subject.id) == (RefKind(self.tie), thing_id)


_TIES: dict[TiedPath, TieKind] = {TiedPath.VMS: "vm", TiedPath.DATASTORES: "datastore", TiedPath.VOLUMES: "volume"}


@router.get("/{kind}/{thing_id}/test-runs")
def list_test_runs(
    kind: TiedPath,
    thing_id: Id,
    app: AppDep,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Answer[ComparedRuns]:
    """Newest first: the tool's own figures, and the layers of the object in the minutes of each run."""
    with reading(app.engine) as connection:
        require(connection, RefKind(kind.tie), thing_id)
        return compared_runs(connection, RunTie(kind.tie, thing_id), limit, offset)


@router.get("/{kind}/{thing_id}/test-runs/changes", responses=refuses(404))
def compare_test_runs(kind: TiedPath, thing_id: Id, app: AppDep, before: RunId, after: RunId) -> Answer[RunChanges]:
    """What changed from one run to another, per figure of the tool and per layer."""
    with reading(app.engine) as connection:
        found = run_changes(connection, before, after)
    if not all(kind.is_of(each.run.subject, thing_id) for each in (found.before, found.after)):
        raise HTTPException(404, f"{kind.noun} {thing_id} has no such test runs.")
    return found


@router.get("/{kind}/{thing_id}/test-runs/{run_id}/latency", responses=refuses(404))
def latency_of_test_run(kind: TiedPath, thing_id: Id, run_id: Id, app: AppDep) -> Answer[RunLatency]:
    """The tool's latency over time, as it logged it, beside the layers of the same minutes. 404 where it logged none."""
    with reading(app.engine) as connection:
        found = run_latency(connection, run_id)
    if found is None or not kind.is_of(found.subject, thing_id):
        raise HTTPException(404, f"{kind.noun} {thing_id} has no such test run with a latency log.")
    return found
