"""Test runs of load tools: beside Gavel's layers of the same minutes, and one against another."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from gavel.api.deps import AppDep, ReaderOnly
from gavel.api.inputs import INT32_MAX, Id
from gavel.api.problems import refuses
from gavel.api.schemas.answer import Answer
from gavel.db.engine import reading
from gavel.db.queries.refs import RefKind, require
from gavel.views.load_runs import ComparedRuns, RunChanges, compared_runs, run_changes
from gavel.views.run_latency import RunLatency, run_latency

router = APIRouter(tags=["imports"], dependencies=[ReaderOnly])

RunId = Annotated[int, Query(ge=1, le=INT32_MAX)]


@router.get("/vms/{vm_id}/test-runs")
def list_test_runs(
    vm_id: Id,
    app: AppDep,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Answer[ComparedRuns]:
    """Newest first: the tool's own figures, and the VM's layers in the minutes of each run."""
    with reading(app.engine) as connection:
        require(connection, RefKind.VM, vm_id)
        return compared_runs(connection, vm_id, limit, offset)


@router.get("/vms/{vm_id}/test-runs/changes", responses=refuses(404))
def compare_test_runs(vm_id: Id, app: AppDep, before: RunId, after: RunId) -> Answer[RunChanges]:
    """What changed from one run to another, per figure of the tool and per layer."""
    with reading(app.engine) as connection:
        found = run_changes(connection, before, after)
    if {found.before.run.vm_id, found.after.run.vm_id} != {vm_id}:
        raise HTTPException(404, f"VM {vm_id} has no such test runs.")
    return found


@router.get("/vms/{vm_id}/test-runs/{run_id}/latency", responses=refuses(404))
def latency_of_test_run(vm_id: Id, run_id: Id, app: AppDep) -> Answer[RunLatency]:
    """The tool's latency over time, as it logged it, beside the VM's layers of the same minutes. 404 where it logged none."""
    with reading(app.engine) as connection:
        found = run_latency(connection, run_id)
    if found is None or found.vm_id != vm_id:
        raise HTTPException(404, f"VM {vm_id} has no such test run with a latency log.")
    return found
