"""Sources: list, add, change, try, remove; their runs and gaps."""

from threading import BoundedSemaphore

from fastapi import APIRouter, HTTPException

from gavel.admin import sources as use
from gavel.admin.sources import Certificate, presented_certificate
from gavel.api.convert import gap_out, preflight_out, run_out, source_detail, source_out
from gavel.api.deps import AdminOnly, AppDep, NowDep, ReaderOnly
from gavel.api.inputs import Id
from gavel.api.problems import refuses
from gavel.api.ranges import Limit, RangeDep
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import GapOut
from gavel.api.schemas.sources import (
    AddressIn,
    PreflightOut,
    RunOut,
    SourceChange,
    SourceDetail,
    SourceIn,
    SourceKindOut,
    SourceOut,
    SourceTrial,
)
from gavel.db.engine import Connection, reading
from gavel.db.errors import NotFoundError
from gavel.db.queries.gaps import gaps
from gavel.db.queries.runs import SourceRun, runs
from gavel.db.queries.sources import idle_streams, source_health
from gavel.db.queries.sources import source as stored_source
from gavel.db.queries.sources import sources as stored_sources

router = APIRouter(tags=["sources"], dependencies=[ReaderOnly])

# Trying a source makes this server call an address of the asker's choice: few at a time.
_TRIALS = BoundedSemaphore(4)
_RECENT_RUNS = 50


@router.get("/source-kinds")
def source_kinds() -> list[SourceKindOut]:
    return [
        SourceKindOut(
            kind=kind.kind,
            title=kind.title,
            at_hand=kind.at_hand,
            settings_schema=kind.settings.model_json_schema(),
        )
        for kind in use.kinds()
    ]


@router.post("/certificate", dependencies=[AdminOnly], responses=refuses(429, 502))
def certificate(body: AddressIn) -> Answer[Certificate]:
    """The certificate that an address presents, to be compared by a person before it is pinned. No credentials are sent."""
    with _SourceTrialSlot():
        return presented_certificate(body.address)


@router.get("/sources")
def sources(app: AppDep, at: NowDep) -> list[SourceOut]:
    with reading(app.engine) as connection:
        return [source_out(health, app.vault) for health in source_health(connection, at)]


@router.post("/sources", dependencies=[AdminOnly], status_code=201, responses=refuses(409))
def add_source(body: SourceIn, app: AppDep, at: NowDep) -> SourceDetail:
    source_id = use.register(
        app.engine, app.vault, kind=body.kind, name=body.name, settings=body.settings, enabled=body.enabled
    )
    return _detail(app, at, source_id)


@router.post("/sources/test", dependencies=[AdminOnly], responses=refuses(404, 429))
def try_settings(body: SourceTrial, app: AppDep) -> PreflightOut:
    """Look at everything that may be wrong, without saving anything. Answers within 20 s."""
    with _SourceTrialSlot():
        if body.source_id is None:
            return preflight_out(use.test_settings(app.engine, body.kind, body.settings))
        return preflight_out(use.test_changed(app.engine, app.vault, body.source_id, body.settings))


@router.get("/sources/{source_id}")
def one_source(source_id: Id, app: AppDep, at: NowDep) -> SourceDetail:
    return _detail(app, at, source_id)


@router.patch("/sources/{source_id}", dependencies=[AdminOnly], responses=refuses(409))
def change_source(source_id: Id, body: SourceChange, app: AppDep, at: NowDep) -> SourceDetail:
    wanted = use.SourceUpdate(name=body.name, settings=body.settings, enabled=body.enabled)
    use.change(app.engine, app.vault, source_id, wanted)
    return _detail(app, at, source_id)


@router.delete("/sources/{source_id}", dependencies=[AdminOnly], status_code=204)
def remove_source(source_id: Id, app: AppDep) -> None:
    use.remove(app.engine, source_id)


@router.post("/sources/{source_id}/test", dependencies=[AdminOnly], responses=refuses(429))
def try_stored(source_id: Id, app: AppDep) -> PreflightOut:
    with _SourceTrialSlot():
        return preflight_out(use.test_stored(app.engine, app.vault, source_id))


@router.get("/sources/{source_id}/runs")
def source_runs(source_id: Id, app: AppDep, limit: Limit = 50) -> list[RunOut]:
    with reading(app.engine) as connection:
        stored_source(connection, source_id)
        return [run_out(run) for run in _runs(connection, source_id, limit)]


@router.get("/sources/{source_id}/gaps")
def source_gaps(source_id: Id, app: AppDep, window: RangeDep) -> list[GapOut]:
    with reading(app.engine) as connection:
        row = stored_source(connection, source_id)
        return [gap_out(gap, {row.id: row}) for gap in gaps(connection, (source_id,), window.from_at, window.to_at)]


@router.get("/environment/gaps")
def environment_gaps(app: AppDep, window: RangeDep) -> list[GapOut]:
    """Missing intervals of all sources, oldest first."""
    with reading(app.engine) as connection:
        by_id = {row.id: row for row in stored_sources(connection)}
        return [gap_out(gap, by_id) for gap in gaps(connection, tuple(by_id), window.from_at, window.to_at)]


def _detail(app: AppDep, at: NowDep, source_id: int) -> SourceDetail:
    with reading(app.engine) as connection:
        found = source_health(connection, at, source_id)
        if not found:
            raise NotFoundError(f"There is no source {source_id}.")
        return source_detail(found[0], _runs(connection, source_id, _RECENT_RUNS), connection, app.vault)


def _runs(connection: Connection, source_id: int, limit: int) -> tuple[SourceRun, ...]:
    return runs(connection, source_id, idle=idle_streams(connection, source_id), limit=limit)


class _SourceTrialSlot:
    """A place among the few trials that may run at once; 429 when all are taken."""

    def __enter__(self) -> None:
        if not _TRIALS.acquire(blocking=False):
            raise HTTPException(
                429, "Too many sources are being tried at once. Try again in some seconds.", {"Retry-After": "10"}
            )

    def __exit__(self, *_: object) -> None:
        _TRIALS.release()
